#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <iterator>
#include <memory>
#include <span>
#include <vector>

#include "fakes/fake_vm.h"
#include "marked_thread.h"
#include "os/monotonic_clock.h"
#include "os/perf/perf_event.h"
#include "os/perf/user_registers.h"
#include "os/rights/capabilities.h"
#include "sampling/ebpf/ebpf_program.h"

// The kernel half in this very kernel, on threads of ours that stand for those of a VM: what is in
// their registers, stacks and process structs is known to the word.
namespace beam_exporter::tests {

// A record taken apart.
struct Record {
  sampling::sample_record head;
  std::vector<std::byte> process;
  std::vector<std::uint64_t> native, guessed, top, bottom, kernel;

  explicit Record(std::span<const std::byte> bytes) {
    EXPECT_GE(bytes.size(), sizeof head);
    std::memcpy(&head, bytes.data(), sizeof head);
    bytes = bytes.subspan(sizeof head);
    const auto take = [&](unsigned size, auto& into) {
      ASSERT_LE(size, bytes.size());
      into.resize(size / sizeof into[0]);
      if (size != 0) std::memcpy(into.data(), bytes.data(), into.size() * sizeof into[0]);
      bytes = bytes.subspan(size);
    };
    take(head.process_bytes, process);
    take(head.native_bytes, native);
    take(head.guessed_bytes, guessed);
    take(head.top_bytes, top);
    take(head.bottom_bytes, bottom);
    take(head.kernel_bytes, kernel);
  }
};

class EbpfProgramTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto own = os::own_capabilities();
    if (!own.bpf || !own.perfmon) GTEST_SKIP() << "needs CAP_BPF and CAP_PERFMON";
    if (!std::filesystem::exists("/sys/kernel/btf/vmlinux")) GTEST_SKIP() << "needs BTF";
    auto loaded = sampling::EbpfProgram::load({.layout = &layout_,
                                               .interpreter = interpreter_,
                                               .active_code_index = address(&code_index_),
                                               .ring_bytes = ring_bytes_,
                                               .period = std::chrono::milliseconds(1),
                                               .kernel_stacks = kernel_stacks_});
    if (!loaded && own.bpf_filtered) GTEST_SKIP() << "seccomp: " << loaded.error().text;
    ASSERT_TRUE(loaded) << loaded.error().text;
    program_ = std::move(*loaded);
  }
  static os::Address address(const void* object) { return reinterpret_cast<os::Address>(object); }

  // Samples of the thread while this is alive, one in each `period` of its CPU time.
  struct Sampled {
    os::SamplingEvent event;
    sampling::EbpfProgram::Attachment attachment;
  };
  Sampled sample(const MarkedThread& thread, std::uint32_t index,
                 const sampling::watched_thread& place,
                 std::chrono::milliseconds period = std::chrono::milliseconds(1)) {
    auto event = os::open_sampling_event(thread.tid(), period, os::SampleContent::nothing);
    if (!event) throw std::runtime_error(event.error().text);
    auto attachment = program_->attach(event->fd.get(), index, place);
    if (!attachment) throw std::runtime_error(attachment.error().text);
    os::enable_sampling(*event);
    return {std::move(*event), std::move(*attachment)};
  }
  std::vector<Record> drained() {
    std::vector<Record> records;
    program_->drain([&](std::span<const std::byte> bytes) { records.emplace_back(bytes); });
    return records;
  }
  std::vector<Record> some(std::size_t wanted = 20) {
    std::vector<Record> records;
    for (const auto late = os::monotonic_now() + std::chrono::seconds(20);
         records.size() < wanted && os::monotonic_now() < late; usleep(2000))
      std::ranges::move(drained(), std::back_inserter(records));
    EXPECT_GE(records.size(), wanted);
    return records;
  }

  const beam::Layout layout_ = shipped_layout("27");
  const beam::Interpreter* interpreter_ = nullptr;
  std::uint32_t code_index_ = 0;
  std::size_t ring_bytes_ = 1 << 20;
  os::KernelStacks kernel_stacks_ = os::KernelStacks::left_out;
  std::unique_ptr<sampling::EbpfProgram> program_;
};

// In the registers of a MarkedThread.
inline constexpr MarkedThread::Marks marks = {0x1212, 0x1313, 0x1414, 0x1515, 0xbbbb, 0xb0b0};

}  // namespace beam_exporter::tests
