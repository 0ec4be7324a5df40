#include "beam/allocators/inlined_carriers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fakes/fake_memory.h"

namespace beam_exporter::beam {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;
using Bytes = std::vector<std::uint8_t>;
using Kind = CarrierFunction::Kind;
using Register = os::UserRegisters;

// A page of code: two functions that get carriers, what they call, and who has the first one
// inside.
class InlinedCarriersTest : public testing::Test {
 protected:
  static constexpr os::Address code = 0x400000, segment = code + 0x100, system = code + 0x200,
                               mapped = code + 0x300, plain = code + 0x400, caller = code + 0x500;
  InlinedCarriersTest() {
    put(segment, call(segment, mapped));
    put(segment + 5, {0x48, 0x83, 0x83, 0x10, 4, 0, 0, 1});  // addq $1, 0x410(%rbx)
    put(segment + 16, call(segment + 16, plain));            // of the next function
    put(segment + 21, {0x48, 0x83, 0x83, 0x30, 4, 0, 0, 1});
    put(system, call(system, plain));
    put(system + 5, {0x48, 0x83, 0x83, 0x28, 4, 0, 0, 1});
    compare(segment);
    put(caller + 16, call(caller + 16, mapped));
    put(caller + 21, {0x49, 0x83, 0x87, 0x10, 4, 0, 0, 1});  // addq $1, 0x410(%r15)
    memory.put_bytes(code, bytes);
  }

  static Bytes call(os::Address at, os::Address function) {
    const auto distance = static_cast<std::uint32_t>(function - at - 5);
    return {0xe8, static_cast<std::uint8_t>(distance), static_cast<std::uint8_t>(distance >> 8),
            static_cast<std::uint8_t>(distance >> 16), static_cast<std::uint8_t>(distance >> 24)};
  }
  void put(os::Address at, const Bytes& what) {
    for (std::size_t k = 0; k < what.size(); ++k) bytes[at - code + k] = std::byte{what[k]};
  }
  // lea function(%rip), %rdx; cmp %rdx, %rax
  void compare(os::Address function) {
    Bytes lea = call(caller, function - 2);
    lea[0] = 0x15;
    lea.insert(lea.begin(), {0x48, 0x8d});
    put(caller, lea);
    put(caller + 7, {0x48, 0x39, 0xd0});
  }
  std::optional<CarrierEntries> entries() {
    memory.put_bytes(code, bytes);
    return carrier_entries(functions, memory, map);
  }

  std::vector<std::byte> bytes = std::vector<std::byte>(4096, std::byte{0x90});
  tests::FakeMemory memory;
  os::MemoryMap map = *os::MemoryMap::parse("00400000-00401000 r-xp 00000000 08:01 7 /beam.smp\n");
  const std::vector<CarrierFunction> functions = {{segment, Kind::segment_alloc},
                                                  {system, Kind::system_alloc}};
};

TEST_F(InlinedCarriersTest, what_an_inlined_function_calls_stands_for_it) {
  const auto found = entries();
  ASSERT_TRUE(found);
  EXPECT_THAT(found->functions,
              UnorderedElementsAre(CarrierFunction{mapped, Kind::segment_alloc, true},
                                   CarrierFunction{system, Kind::system_alloc}));
  EXPECT_THAT(found->calls, ElementsAre(CarrierCall{segment + 5, Register::rbx},
                                        CarrierCall{caller + 21, Register::r15}));
}

TEST_F(InlinedCarriersTest, functions_that_are_always_called_stand_for_themselves) {
  put(caller + 7, {0x90, 0x90, 0x90});
  const auto found = entries();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->functions, functions);
  EXPECT_TRUE(found->calls.empty());
}

TEST_F(InlinedCarriersTest, a_caller_that_counts_elsewhere_proves_nothing) {
  put(caller + 21, {0x49, 0x83, 0x87, 0x18, 4, 0, 0, 1});
  EXPECT_FALSE(entries());
}

TEST_F(InlinedCarriersTest, a_function_that_counts_nothing_proves_nothing) {
  put(segment + 5, Bytes(32, 0x90));
  EXPECT_FALSE(entries());
}

}  // namespace
}  // namespace beam_exporter::beam
