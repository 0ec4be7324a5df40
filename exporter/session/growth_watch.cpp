#include "session/growth_watch.h"

#include "beam/allocators/inlined_carriers.h"

namespace beam_exporter::session {

os::Result<AllocatorNames> watch_growth(const beam::VirtualMachine& vm, const os::Memory& memory,
                                        sampling::SampleSource& source) {
  const auto set = beam::find_allocators(vm.layout(), vm.static_data(), memory);
  if (!set) return set.error();
  const auto functions = beam::carrier_functions(vm.layout(), memory, *set);
  if (functions.empty())
    return os::Error{os::ErrorKind::unsupported,
                     "the layout of this release does not tell which functions get them"};
  const auto entries = beam::carrier_entries(functions, memory, vm.memory_map());
  if (!entries)
    return os::Error{
        os::ErrorKind::unsupported,
        "the compiler of this VM has put the functions that get them into their callers, "
        "and the code does not prove which functions these call"};
  if (const auto watching = source.watch_growth(*entries); !watching) return watching.error();
  AllocatorNames names;
  for (const auto& instance : set->instances)
    names[instance.address] = set->names[instance.allocator];
  return names;
}

}  // namespace beam_exporter::session
