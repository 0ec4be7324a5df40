#include "session/source_choice.h"

#include <gtest/gtest.h>

namespace beam_exporter::session {
namespace {

class Scripted final : public sampling::SampleSource {
 public:
  Scripted(std::string_view name, bool sees_kernel) : name_(name), sees_kernel_(sees_kernel) {}
  std::string_view name() const override { return name_; }
  os::Status refresh_threads() override { return os::Done{}; }
  const std::vector<pollfd>& descriptors() const override { return none_; }
  void collect(sampling::SampleBatch&) override {}
  std::vector<beam::ThreadRole> roles() const override { return {}; }
  bool sees_kernel() const override { return sees_kernel_; }
  sampling::Losses losses() const override { return {}; }

 private:
  std::string_view name_;
  bool sees_kernel_;
  std::vector<pollfd> none_;
};

ChosenSource chosen(std::unique_ptr<sampling::SampleSource> source,
                    std::vector<RefusedSource> refused) {
  return {std::move(source), std::move(refused)};
}
std::unique_ptr<sampling::SampleSource> source(std::string_view name, bool sees_kernel) {
  return std::make_unique<Scripted>(name, sees_kernel);
}
const RefusedSource no_ebpf{"ebpf", {os::ErrorKind::not_permitted, "eBPF is refused: add CAP_BPF"}};
const RefusedSource no_tick{"tick", no_ebpf.error};
const RefusedSource no_events{"ebpf", {os::ErrorKind::not_permitted, "perf_event_open is refused"}};
const RefusedSource no_perf{"perf", {os::ErrorKind::not_permitted, "perf is refused"}};

TEST(ChosenSource, nothing_lost_is_nothing_said) {
  EXPECT_EQ(chosen(source("ebpf", true), {}).complaint(), "");
  EXPECT_EQ(chosen(source("perf", true), {}).complaint(), "") << "it was asked for";
}

TEST(ChosenSource, one_line_says_what_is_lost_why_and_the_mend) {
  EXPECT_EQ(chosen(source("perf", true), {no_ebpf}).complaint(),
            "samples come from perf events: eBPF is refused: add CAP_BPF");
  EXPECT_EQ(chosen(source("perf", false), {no_ebpf}).complaint(),
            "samples come from perf events and miss time in system calls: eBPF is refused: add "
            "CAP_BPF");
  EXPECT_EQ(chosen(source("perf", false), {}).complaint(),
            "time in system calls is not sampled: add CAP_PERFMON");
  EXPECT_EQ(chosen(nullptr, {no_ebpf, no_perf}).complaint(),
            "no CPU sampling: eBPF is refused: add CAP_BPF; perf is refused");
}

TEST(ChosenSource, the_tick_is_said_to_be_used_and_why) {
  EXPECT_EQ(chosen(source("tick", true), {no_events}).complaint(),
            "samples come from the kernel's tick: perf_event_open is refused");
  EXPECT_EQ(chosen(source("tick", true), {}).complaint(), "") << "it was asked for";
}

TEST(ChosenSource, one_reason_for_two_sources_is_said_once) {
  EXPECT_EQ(chosen(source("perf", true), {no_ebpf, no_tick}).complaint(),
            "samples come from perf events: eBPF is refused: add CAP_BPF");
}

}  // namespace
}  // namespace beam_exporter::session
