#include "collectors/carrier_look.h"

namespace beam_exporter::collectors {

CarrierLook look_at_carriers(const beam::VirtualMachine& vm, AllocatorAccess& allocators,
                             const PartOfCarrier& part_of_carrier) {
  auto& [set, reader, segments] = allocators;
  CarrierLook look{.walk = beam::walk_carriers(vm.layout(), vm.memory(), set, reader)};
  if (!look.walk.whole) return look;
  const auto directory = vm.process().directory();
  const auto uses = os::read_smaps(directory);
  if (!uses) return look;
  const BesideCarriers beside{.literal_area = segments.literal_area(),
                              .cached_segments = segments.cached_segments()};
  look.parts = resident_parts(
      *uses, look.walk.carriers, beside,
      [&](std::span<const os::AddressRange> ranges) {
        return os::resident_bytes(directory, ranges);
      },
      part_of_carrier);
  return look;
}

}  // namespace beam_exporter::collectors
