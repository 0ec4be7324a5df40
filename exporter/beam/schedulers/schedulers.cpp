#include "beam/schedulers/schedulers.h"

#include <string>

#include "beam/layout/remote_struct.h"

namespace beam_exporter::beam {

namespace {

// ERTS_MAX_NO_OF_SCHEDULERS, erts/emulator/beam/erl_vm.h.
constexpr std::uint64_t most_schedulers = 1024;

struct Group {
  ThreadKind kind;
  const char* array;
  const char* count;
  std::uint32_t type;  // ErtsSchedType, erl_process.h: normal 0, dirty CPU 1, dirty I/O 2
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

// init_scheduler_data numbers normal schedulers by `no` and dirty ones by `dirty_no`, both from 1,
// the other one 0 (erl_process.c, OTP 25): back-pointers to prove each element by.
bool numbered(const Layout& layout, const Group& group, StructBytes bytes, std::uint64_t number) {
  const auto& fields = layout.scheduler_data;
  const auto type = bytes.get(fields.type);
  const auto no = bytes.get(fields.no), dirty_no = bytes.get(fields.dirty_no);
  const bool normal = group.kind == ThreadKind::normal;
  return type == group.type && no == (normal ? number : 0) && dirty_no == (normal ? 0 : number);
}

}  // namespace

os::Result<std::vector<Scheduler>> find_schedulers(const Layout& layout, const StaticData& data,
                                                   const os::Memory& memory) {
  std::vector<Scheduler> schedulers;
  for (const auto& group : groups) {
    const auto array_at = data.symbol(group.array), count_at = data.symbol(group.count);
    if (!array_at || !count_at)
      return os::Error{os::ErrorKind::not_found,
                       std::string("the executable exports no symbol ") + group.array};
    const auto array = memory.value<os::Address>(*array_at);
    const auto count = memory.value<std::uint64_t>(*count_at);
    if (!array || !count) return malformed(group, "cannot be read");
    if (*count > most_schedulers || (*count > 0 && *array == 0))
      return malformed(group, std::to_string(*count) + " schedulers");
    for (std::uint64_t k = 0; k < *count; ++k) {
      Scheduler scheduler{.role = {group.kind, static_cast<unsigned>(k + 1)},
                          .data = *array + k * layout.aligned_scheduler_data.size};
      const auto bytes = read_struct(memory, scheduler.data, layout.scheduler_data.size);
      if (!bytes) return malformed(group, "element cannot be read");
      const StructBytes fields(*bytes);
      if (!numbered(layout, group, fields, k + 1))
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
