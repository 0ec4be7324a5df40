#include "live/live_vm.h"

namespace beam_exporter::tests {

std::unique_ptr<BeamTarget> LiveVm::target_;
std::string LiveVm::target_release_;

std::chrono::nanoseconds LiveVm::now() {
  return std::chrono::steady_clock::now().time_since_epoch();
}

void LiveVm::SetUp() {
  if (target_release_ != GetParam()) {
    if (const auto lack = BeamTarget::lack(GetParam())) GTEST_SKIP() << *lack;
    target_.reset();
    target_ = std::make_unique<BeamTarget>(GetParam(), "witness");
    target_release_ = GetParam();
  }
  memory_ = std::make_unique<os::ProcessMemory>(target_->pid());
  auto known = description();
  ASSERT_TRUE(known) << known.error().text;
  auto attached = attach(std::move(*known));
  if (!attached && attached.error().kind == os::ErrorKind::not_permitted)
    GTEST_SKIP() << "needs the right to read the VM: " << attached.error().text;
  ASSERT_TRUE(attached) << attached.error().text;
  vm_ = std::move(*attached);
}

void LiveVm::TearDownTestSuite() {
  target_.reset();
  target_release_.clear();
}

os::Result<beam::VirtualMachine::Description> LiveVm::description() const {
  const auto process = os::Process::open(target_->pid());
  const auto library = beam::LayoutLibrary::load();
  if (!process) return process.error();
  if (!library) return library.error();
  return beam::VirtualMachine::describe(*process, *library);
}

os::Result<std::unique_ptr<beam::VirtualMachine>> LiveVm::attach(
    beam::VirtualMachine::Description known) const {
  const auto process = os::Process::open(target_->pid());
  if (!process) return process.error();
  return beam::VirtualMachine::attach(*process, *memory_, std::move(known), now);
}

}  // namespace beam_exporter::tests
