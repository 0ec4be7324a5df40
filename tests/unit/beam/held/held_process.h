#pragma once

#include <cstring>
#include <vector>

#include "beam/held/amount.h"
#include "harness/each_release.h"

namespace beam_exporter::tests {

// One process struct in our hands, and in the VM's memory what it points to.
class HeldProcess : public EachRelease {
 protected:
  void SetUp() override { process.resize(vm.layout.process.size); }

  template <class T>
  void put(beam::Field<T> field, std::type_identity_t<T> value) {
    std::memcpy(process.data() + field.offset, &value, field.width);
  }
  // What a link or monitor is: with its type beside its flags, or in them (OTP 28 and later).
  void put_sort(os::Address made, beam::Field<std::uint16_t> type_field,
                beam::Field<std::uint32_t> flags_field, std::uint16_t type, std::uint32_t flags) {
    if (vm.layout.otp_release == "24" && type > 4) --type;  // it has no ERTS_MON_TYPE_DIST_PORT
    if (type_field.present()) {
      vm.memory.put(made, type_field, type);
      vm.memory.put(made, flags_field, flags);
    } else {
      vm.memory.put(made, flags_field, flags << 7 | type);
    }
  }
  beam::StructBytes bytes() const { return beam::StructBytes(process); }
  // What such a reader says of this process.
  template <class Reader>
  beam::Amount measured_by() {
    Reader reader(vm.layout, vm.memory);
    EXPECT_TRUE(reader.known());
    reader.add(7, bytes());
    beam::Amount found;
    reader.finish([&](std::size_t index, const beam::Amount& held) {
      EXPECT_EQ(index, 7U);
      found = held;
    });
    return found;
  }

  const beam::ProcessLayout& at = vm.layout.process;
  std::vector<std::byte> process;
};

}  // namespace beam_exporter::tests
