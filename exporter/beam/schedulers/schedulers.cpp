#include "beam/schedulers/schedulers.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "beam/layout/remote_struct.h"

namespace beam_exporter::beam {

namespace {

// ERTS_MAX_NO_OF_SCHEDULERS, erl_process.h (OTP 25 and 27).
constexpr std::uint64_t most_schedulers = 1024;

struct Group {
  ThreadKind kind;
  const char* array;
  const char* count;
  // ErtsSchedType, erl_process.h (OTP 25 and 27): normal 0, dirty CPU 1, dirty I/O 2.
  std::uint32_t type;
};
constexpr Group groups[] = {
    {ThreadKind::normal, "erts_aligned_scheduler_data", "erts_no_schedulers", 0},
    {ThreadKind::dirty_cpu, "erts_aligned_dirty_cpu_scheduler_data", "erts_no_dirty_cpu_schedulers",
     1},
    {ThreadKind::dirty_io, "erts_aligned_dirty_io_scheduler_data", "erts_no_dirty_io_schedulers",
     2},
};

os::Error malformed(const Group& group, const std::string& what) {
  return {os::ErrorKind::malformed, std::string(group.array) + ": " + what};
}

// init_scheduler_data (erl_process.c, OTP 25, 27 and 29) numbers normal schedulers in `no` and
// dirty ones in `dirty_no`, both from 1; the other number is 0. These numbers prove each element,
// whose fields get() reads.
bool is_numbered(const SchedulerDataLayout& fields, ThreadRole role, const auto& get) {
  const auto group = std::ranges::find(groups, role.kind, &Group::kind);
  const bool normal = role.kind == ThreadKind::normal;
  return group != std::end(groups) && get(fields.type) == group->type &&
         get(fields.no) == (normal ? role.number : 0) &&
         get(fields.dirty_no) == (normal ? 0 : role.number);
}

// Where no symbol tells: the elements from the first one on that have their own numbers.
std::uint64_t count_elements(const Layout& layout, const os::Memory& memory, const Group& group,
                             os::Address array) {
  std::uint64_t count = 0;
  while (count < most_schedulers &&
         is_scheduler(layout, memory, array + count * layout.aligned_scheduler_data.size,
                      {group.kind, static_cast<unsigned>(count + 1)}))
    ++count;
  return count;
}

}  // namespace

bool is_scheduler(const Layout& layout, const os::Memory& memory, os::Address at, ThreadRole role) {
  return is_numbered(layout.scheduler_data, role,
                     [&](const auto& field) { return read_field(memory, at, field); });
}

os::Result<std::vector<Scheduler>> find_schedulers(const Layout& layout, const StaticData& data,
                                                   const os::Memory& memory) {
  std::vector<Scheduler> schedulers;
  for (const auto& group : groups) {
    const auto array_at = data.symbol(group.array), count_at = data.symbol(group.count);
    if (!array_at)
      return os::Error{os::ErrorKind::not_found,
                       std::string("the executable exports no symbol ") + group.array};
    const auto array = memory.value<os::Address>(*array_at);
    const auto count = !array     ? std::nullopt
                       : count_at ? memory.value<std::uint64_t>(*count_at)
                                  : count_elements(layout, memory, group, *array);
    if (!array || !count) return malformed(group, "cannot be read");
    if (*count > most_schedulers || (*count > 0 && *array == 0))
      return malformed(group, std::to_string(*count) + " schedulers");
    for (std::uint64_t k = 0; k < *count; ++k) {
      Scheduler scheduler{.role = {group.kind, static_cast<unsigned>(k + 1)},
                          .data = *array + k * layout.aligned_scheduler_data.size};
      const auto bytes = read_struct(memory, scheduler.data, layout.scheduler_data.size);
      if (!bytes) return malformed(group, "element cannot be read");
      const StructBytes fields(*bytes);
      if (!is_numbered(layout.scheduler_data, scheduler.role,
                       [&](const auto& field) { return fields.get(field); }))
        return malformed(group, "element is misnumbered");
      if (const auto ssi = fields.get(layout.scheduler_data.ssi); ssi && *ssi != 0)
        scheduler.sleep_flags = layout.sleep_info.flags.at(*ssi);
      const auto registers = fields.get(layout.scheduler_data.registers);
      if (group.kind == ThreadKind::normal && registers && *registers != 0 &&
          layout.scheduler_registers.runtime_stack.present())
        scheduler.runtime_stack = layout.scheduler_registers.runtime_stack.at(*registers);
      schedulers.push_back(scheduler);
    }
  }
  return schedulers;
}

}  // namespace beam_exporter::beam
