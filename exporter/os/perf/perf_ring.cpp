#include "os/perf/perf_ring.h"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

namespace beam_exporter::os {

namespace {

using Index = UserRegisters::Index;

// The kernel writes the registers of sampled_register_mask in the order of their bits.
constexpr std::array<Index, 17> register_order = {
    Index::rax, Index::rbx, Index::rcx, Index::rdx, Index::rsi, Index::rdi,
    Index::rbp, Index::rsp, Index::rip, Index::r8,  Index::r9,  Index::r10,
    Index::r11, Index::r12, Index::r13, Index::r14, Index::r15};
static_assert(std::popcount(sampled_register_mask) == int{register_order.size()});

// Takes values from the front of a record; never reads past its end.
class Cursor {
 public:
  explicit Cursor(std::span<const std::byte> bytes) : rest_(bytes) {}

  template <class T>
  bool take(T& out) {
    if (rest_.size() < sizeof out) return false;
    std::memcpy(&out, rest_.data(), sizeof out);
    rest_ = rest_.subspan(sizeof out);
    return true;
  }
  bool take(std::uint64_t bytes, std::span<const std::byte>& out) {
    if (rest_.size() < bytes) return false;
    out = rest_.first(bytes);
    rest_ = rest_.subspan(bytes);
    return true;
  }

 private:
  std::span<const std::byte> rest_;
};

// Marks between the addresses say whose they are (enum perf_callchain_context): only the kernel's
// were asked for.
bool take_kernel(Cursor& cursor, std::vector<Address>& kernel) {
  std::uint64_t count = 0, address = 0;
  if (!cursor.take(count)) return false;
  for (; count > 0; --count) {
    if (!cursor.take(address)) return false;
    if (address < static_cast<std::uint64_t>(PERF_CONTEXT_MAX)) kernel.push_back(address);
  }
  return true;
}

std::size_t system_page() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

}  // namespace

bool decode_sample(std::span<const std::byte> body, KernelStacks kernel, PerfSample& out) {
  Cursor cursor(body);
  std::uint32_t pid = 0, tid = 0;
  std::uint64_t time = 0, count = 0, run_time = 0, abi = 0, stack_bytes = 0, stack_filled = 0;
  if (!cursor.take(pid) || !cursor.take(tid) || !cursor.take(time)) return false;
  if (!cursor.take(count) || !cursor.take(run_time)) return false;
  out = PerfSample{};
  if (kernel == KernelStacks::taken && !take_kernel(cursor, out.kernel)) return false;
  if (!cursor.take(abi)) return false;
  out.tid = static_cast<pid_t>(tid);
  out.time = std::chrono::nanoseconds(time);
  out.run_time = std::chrono::nanoseconds(run_time);
  if (abi == PERF_SAMPLE_REGS_ABI_64) {
    for (Index index : register_order)
      if (!cursor.take(out.registers.value[index])) return false;
    out.has_registers = true;
  } else if (abi != PERF_SAMPLE_REGS_ABI_NONE) {
    return false;  // a 32-bit process is not a VM we know
  }
  if (!cursor.take(stack_bytes)) return false;
  if (stack_bytes == 0) return true;
  if (!cursor.take(stack_bytes, out.stack) || !cursor.take(stack_filled)) return false;
  if (stack_filled > stack_bytes) return false;
  out.stack = out.stack.first(stack_filled);
  return true;
}

Result<PerfRing> PerfRing::map(int event_fd, std::size_t data_pages, KernelStacks kernel) {
  const std::size_t bytes = (1 + data_pages) * system_page();
  void* base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, event_fd, 0);
  if (base != MAP_FAILED) return PerfRing(base, bytes, kernel);
  const int error = errno;
  return Error{
      error == EPERM ? ErrorKind::not_permitted : ErrorKind::system,
      std::string("cannot map a perf ring of ") + std::to_string(bytes / 1024) +
          " KiB: " + std::generic_category().message(error) +
          (error == EPERM ? " (raise kernel.perf_event_mlock_kb or add CAP_IPC_LOCK)" : "")};
}

PerfRing::PerfRing(PerfRing&& other) noexcept
    : base_(std::exchange(other.base_, nullptr)),
      bytes_(other.bytes_),
      kernel_(other.kernel_),
      unwrapped_(std::move(other.unwrapped_)) {}

PerfRing& PerfRing::operator=(PerfRing&& other) noexcept {
  std::swap(base_, other.base_);
  std::swap(bytes_, other.bytes_);
  std::swap(kernel_, other.kernel_);
  std::swap(unwrapped_, other.unwrapped_);
  return *this;
}

PerfRing::~PerfRing() {
  if (base_ != nullptr) munmap(base_, bytes_);
}

std::span<const std::byte> PerfRing::record_at(std::uint64_t position, std::size_t bytes) {
  const std::size_t ring_bytes = bytes_ - system_page();
  const auto* data = static_cast<const std::byte*>(base_) + system_page();
  const std::size_t begin = position & (ring_bytes - 1);
  if (begin + bytes <= ring_bytes) return {data + begin, bytes};
  const std::size_t first = ring_bytes - begin;
  unwrapped_.resize(bytes);
  std::memcpy(unwrapped_.data(), data + begin, first);
  std::memcpy(unwrapped_.data() + first, data, bytes - first);
  return unwrapped_;
}

std::uint64_t PerfRing::drain(const std::function<void(const PerfSample&)>& visit) {
  auto* control = static_cast<perf_event_mmap_page*>(base_);
  std::atomic_ref<__u64> head_ref(control->data_head), tail_ref(control->data_tail);
  const std::uint64_t head = head_ref.load(std::memory_order_acquire);
  std::uint64_t tail = tail_ref.load(std::memory_order_relaxed);  // only we write it
  std::uint64_t lost = 0;
  const bool believable = head - tail <= bytes_ - system_page();
  while (believable && tail + sizeof(perf_event_header) <= head) {
    perf_event_header header;
    std::memcpy(&header, record_at(tail, sizeof header).data(), sizeof header);
    if (header.size < sizeof header || tail + header.size > head) break;
    const auto body = record_at(tail, header.size).subspan(sizeof header);
    if (header.type == PERF_RECORD_SAMPLE) {
      PerfSample sample;
      if (decode_sample(body, kernel_, sample))
        visit(sample);
      else
        ++lost;
    } else if (header.type == PERF_RECORD_LOST && body.size() >= 16) {
      std::uint64_t count = 0;
      std::memcpy(&count, body.data() + 8, sizeof count);  // {u64 id; u64 lost;}
      lost += count;
    }
    tail += header.size;
  }
  // What is left makes no sense, such as a record with an impossible size. Drop it: otherwise we
  // would never get past it.
  if (tail != head) ++lost;
  tail_ref.store(head, std::memory_order_release);
  return lost;
}

}  // namespace beam_exporter::os
