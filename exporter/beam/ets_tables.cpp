#include "beam/ets_tables.h"

#include <algorithm>
#include <iterator>

#include "beam/schedulers/ets_ring.h"
#include "beam/terms/term.h"

namespace beam_exporter::beam {

namespace {

// DB_* of erl_db_util.h (OTP 25 and 27).
enum Status : std::uint32_t {
  is_private = 1 << 0,
  is_protected = 1 << 1,
  is_being_deleted = 1 << 3,
  is_bag = 1 << 5,
  is_duplicate_bag = 1 << 6,
  is_ordered_set = 1 << 7,
  is_concurrent_ordered_set = 1 << 8,
};

// ERTS_DB_TABLE_NITEMS_COUNTER_ID and ERTS_DB_TABLE_MEM_COUNTER_ID (erl_db_util.h).
constexpr std::uint32_t objects_counter = 0, bytes_counter = 1;
constexpr int most_reads_of_a_list = 3;
// More than a VM with the default limits has room for.
constexpr std::size_t most_tables = 1'000'000;

std::string_view kind_of(std::uint32_t status) {
  if ((status & is_duplicate_bag) != 0) return "duplicate_bag";
  if ((status & is_bag) != 0) return "bag";
  if ((status & (is_ordered_set | is_concurrent_ordered_set)) != 0) return "ordered_set";
  return "set";
}

std::string_view protection_of(std::uint32_t status) {
  if ((status & is_private) != 0) return "private";
  return (status & is_protected) != 0 ? "protected" : "public";
}

class EtsReader {
 public:
  explicit EtsReader(VirtualMachine& vm) : vm_(vm), at_(vm.layout().ets_table) {}

  // False: this is no table. One that is being deleted is left out.
  bool add(const StructBytes& common, std::vector<EtsTable>& into) {
    const auto name = vm_.atoms().name(of(common, at_.table_name));
    const auto owner = of(common, at_.owner);
    const auto status = of(common, at_.status);
    if (!name || !is_internal_pid(owner)) return false;
    if ((status & is_being_deleted) != 0) return true;
    auto& table = into.emplace_back(EtsTable{.name = *name,
                                             .owner = owner,
                                             .kind = kind_of(status),
                                             .protection = protection_of(status)});
    if (of(common, at_.decentralized) != 0) return true;
    table.objects = common.get(counter(objects_counter));
    table.bytes = common.get(counter(bytes_counter));
    return true;
  }

 private:
  // All members are there; 0 is none of the values that we need.
  template <class T>
  static T of(const StructBytes& common, Field<T> field) {
    return common.get(field).value_or(T{});
  }

  Field<std::uint64_t> counter(std::uint32_t number) const {
    const auto& first = at_.first_counter;
    return {first.offset + number * first.width, first.width};
  }

  VirtualMachine& vm_;
  const EtsTableLayout& at_;
};

}  // namespace

os::Result<EtsTables> ets_tables(VirtualMachine& vm) {
  if (!knows_ets_tables(vm.layout()))
    return os::Error{os::ErrorKind::unsupported, "the layout has no tables of ETS"};
  EtsTables all;
  EtsReader reader(vm);
  for (const auto& scheduler : vm.schedulers()) {
    if (scheduler.role.kind != ThreadKind::normal) continue;
    std::vector<EtsTable> tables;
    RingWalk walk = RingWalk::broken;
    for (int tries = 0; tries < most_reads_of_a_list && walk != RingWalk::closed; ++tries) {
      tables.clear();
      walk = walk_ets_tables(vm.layout(), vm.memory(), scheduler.data, most_tables,
                             [&](StructBytes common) { return reader.add(common, tables); });
      if (walk == RingWalk::unreadable)
        return os::Error{os::ErrorKind::unreadable, "the schedulers' lists of ETS tables"};
    }
    all.broken_lists += walk != RingWalk::closed;
    std::ranges::move(tables, std::back_inserter(all.tables));
  }
  // Every VM has tables as soon as the application kernel starts: it makes ac_tab.
  if (all.tables.empty())
    return os::Error{os::ErrorKind::malformed,
                     "no ETS table is where layout " + vm.layout().origin + " says"};
  return all;
}

}  // namespace beam_exporter::beam
