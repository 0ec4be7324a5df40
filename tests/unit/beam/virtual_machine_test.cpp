#include "beam/virtual_machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/each_release.h"

namespace beam_exporter::beam {
namespace {

using tests::FakeVm;

class VirtualMachineTest : public tests::EachRelease {};
INSTANTIATE_TEST_SUITE_P(Releases, VirtualMachineTest, tests::each_release, tests::release_name);

TEST_P(VirtualMachineTest, attaching_finds_every_part) {
  const auto attached = vm.attach();
  ASSERT_TRUE(attached) << attached.error().text;
  auto& machine = **attached;
  EXPECT_EQ(machine.release(),
            (Release{vm.layout.otp_release, vm.layout.erts_version, vm.layout.flavor, "x86_64"}));
  EXPECT_EQ(machine.schedulers().size(), 4U);
  EXPECT_EQ(machine.atoms().name(vm.atom("init")), "init");
  EXPECT_EQ(machine.code().modules(), 3U);
  EXPECT_EQ(machine.code_place().ranges, FakeVm::ranges);
  EXPECT_FALSE(machine.frame_pointers());
}

TEST_P(VirtualMachineTest, frame_pointers_are_the_vms_own_choice) {
  vm.memory.put(FakeVm::frame_layout, std::uint32_t{1});
  const auto attached = vm.attach();
  ASSERT_TRUE(attached);
  EXPECT_TRUE((*attached)->frame_pointers());
}

TEST_P(VirtualMachineTest, names_are_as_labels_want_them) {
  auto attached = vm.attach();
  ASSERT_TRUE(attached);
  const auto named = [&](const std::string& module, const std::string& function) {
    const auto name = (*attached)->name_of({vm.atom(module), vm.atom(function), 2});
    return name ? name->module + " " + name->function : "";
  };
  EXPECT_EQ(named("lists", "map"), "lists map/2");
  EXPECT_EQ(named("Elixir.Enum", "map"), "Enum map/2");
  EXPECT_EQ(named("Elixir", "x"), "Elixir x/2");
  EXPECT_FALSE((*attached)->name_of({0x1234567, vm.atom("x"), 0}));
}

TEST_P(VirtualMachineTest, jit_code_is_executable_and_in_no_file) {
  const auto attached = vm.attach();
  ASSERT_TRUE(attached);
  EXPECT_TRUE((*attached)->in_jit_area(vm.erlang.begin));
  EXPECT_FALSE((*attached)->in_jit_area(vm.processes[0])) << "heap";
  EXPECT_FALSE((*attached)->in_jit_area(0x1000));
}

TEST_P(VirtualMachineTest, one_module_that_does_not_decode_refuses_the_place) {
  const auto demo = vm.load({"demo", {{"f", 0}}});
  vm.memory.put(vm.function_start(demo, 0), vm.layout.code_info.arity, 999);
  const auto attached = vm.attach();
  ASSERT_FALSE(attached);
  EXPECT_THAT(attached.error().text, ::testing::HasSubstr("code ranges"));
}

// Each struct in turn from the other release: whatever comes of it, it is an answer.
TEST_P(VirtualMachineTest, the_other_releases_layout_is_refused_or_fails_its_checks) {
  const Layout other = tests::shipped_layout(GetParam() == "27" ? "25" : "27");
  FakeVm foreign{other};
  elf::Image image = foreign.image();
  auto map = os::MemoryMap::parse("560000000000-560000020000 rw-p 0 00:00 0\n");
  ASSERT_TRUE(map);
  const auto process = os::Process::open(::getpid());
  ASSERT_TRUE(process);
  const auto attached = VirtualMachine::attach(
      *process, vm.memory, {std::move(image), other, std::move(*map), FakeVm::bias}, vm.clock());
  EXPECT_FALSE(attached);
}

}  // namespace
}  // namespace beam_exporter::beam
