#pragma once

#include <cstdint>

#include "beam/layout/member.h"

// Tables of ETS, part of Layout (OTP 25 and 27). Read by ets_tables. All optional: without them no
// table is listed, and nothing else depends on them.
namespace beam_exporter::beam {

// erl_db_util.h struct db_table_common, with which every kind of DbTable begins.
struct EtsTableLayout : Struct<"DbTableCommon"> {
  Member<os::Address> next{"all.next", Need::optional}, previous{"all.prev", Need::optional};
  Member<Eterm> owner{"owner", Need::optional}, table_name{"the_name", Need::optional};
  Member<std::uint32_t> status{"status", Need::optional};  // DB_*
  // erl_flxctr.h ErtsFlxCtr: where it is decentralized, `first_counter` points to many counters.
  Member<std::uint32_t> decentralized{"counters.is_decentralized", Need::optional};
  Member<std::uint64_t> first_counter{"counters.u.counters_ptr.counter", Need::optional};
};

}  // namespace beam_exporter::beam
