#pragma once

#include <cstddef>
#include <functional>

#include "beam/layout/layout.h"
#include "beam/layout/remote_struct.h"
#include "os/memory/memory.h"

namespace beam_exporter::beam {

// How a walk over the tables of one scheduler ended.
enum class RingWalk {
  closed,      // every table was visited once
  given_up,    // `most` tables were visited, or the visitor said no
  broken,      // the list changed meanwhile, or is none
  unreadable,  // where the list begins
};

// Whether the layout tells where the lists are and what a table is.
bool knows_ets_tables(const Layout& layout);

// Visits the ETS tables that one scheduler made: a ring of DbTable (save_sched_table, erl_db.c, OTP
// 24 to 29), with the first bytes of each (Layout::ets_table). The visitor returns false to stop.
// Needs knows_ets_tables(). `scheduler`: the address of its data.
RingWalk walk_ets_tables(const Layout& layout, const os::Memory& memory, os::Address scheduler,
                         std::size_t most, const std::function<bool(StructBytes)>& visit);

}  // namespace beam_exporter::beam
