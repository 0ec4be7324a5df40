#include "unit/elf/own_sample.h"

#include <execinfo.h>
#include <ucontext.h>
#include <unistd.h>

#include <span>
#include <utility>

namespace beam_exporter::elf {

namespace {

using Register = os::UserRegisters;

constexpr std::size_t copied_bytes = 16 * 1024;
constexpr int most_callers = 64;

}  // namespace

[[gnu::noinline]] void take(OwnSample& sample) {
  ucontext_t context;
  getcontext(&context);
  const auto& from = context.uc_mcontext.gregs;
  constexpr std::pair<Register::Index, int> order[] = {
      {Register::rax, REG_RAX}, {Register::rdx, REG_RDX}, {Register::rcx, REG_RCX},
      {Register::rbx, REG_RBX}, {Register::rsi, REG_RSI}, {Register::rdi, REG_RDI},
      {Register::rbp, REG_RBP}, {Register::rsp, REG_RSP}, {Register::r8, REG_R8},
      {Register::r9, REG_R9},   {Register::r10, REG_R10}, {Register::r11, REG_R11},
      {Register::r12, REG_R12}, {Register::r13, REG_R13}, {Register::r14, REG_R14},
      {Register::r15, REG_R15}, {Register::rip, REG_RIP}};
  for (const auto& [to, number] : order)
    sample.registers.value[to] = static_cast<std::uint64_t>(from[number]);
  sample.stack.resize(copied_bytes);
  // Our own stack as a stranger would copy it: AddressSanitizer has no say in it.
  const os::ProcessMemory own(getpid());
  // Less where the stack ends sooner: what lies on it above main() has another size in each run.
  constexpr std::size_t step = 256;
  std::size_t size = copied_bytes;
  while (size > 0 &&
         !own.read(sample.registers[Register::rsp], std::span(sample.stack).first(size)))
    size -= step;
  sample.stack.resize(size);
  void* found[most_callers];
  const int count = backtrace(found, most_callers);
  for (int k = 1; k < count; ++k) sample.callers.push_back(reinterpret_cast<os::Address>(found[k]));
}

void OwnStackTest::SetUp() {
  process_ = *os::Process::open(getpid());
  memory_.emplace(getpid());
  objects_.emplace(*process_, *memory_);
  objects_->update(*os::MemoryMap::read(process_->directory()));
}

}  // namespace beam_exporter::elf
