#include "session/source_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "sampling/ebpf/ebpf_source.h"

namespace beam_exporter::session {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;

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

TEST(ChosenSource, a_tick_that_was_tried_before_ebpf_and_refused_is_no_loss) {
  const RefusedSource no_tracing{"tick", {os::ErrorKind::unsupported, "no tracing programs"}};
  EXPECT_EQ(chosen(source("ebpf", true), {no_tracing}).complaint(), "");
}

constexpr auto per_thread = sampling::EbpfSource::descriptors_per_thread,
               of_program = sampling::EbpfSource::descriptors_of_program;
constexpr std::array events_first{sampling::SourceChoice::ebpf, sampling::SourceChoice::tick,
                                  sampling::SourceChoice::perf},
    tick_first{sampling::SourceChoice::tick, sampling::SourceChoice::ebpf,
               sampling::SourceChoice::perf};

TEST(SourcesToTry, events_first_while_there_are_descriptors_for_all_threads) {
  const auto tried = [](std::size_t threads, std::uint64_t left) {
    return sources_to_try(sampling::SourceChoice::automatic,
                          {.threads = threads, .descriptors_left = left, .descriptor_limit = 1024});
  };
  EXPECT_THAT(tried(22, 1024 - 128 - 20), ElementsAreArray(events_first));
  EXPECT_THAT(tried(1022, 1024 - 128 - 20), ElementsAreArray(tick_first));
  EXPECT_THAT(tried(100, 100 * per_thread + of_program), ElementsAreArray(events_first));
  EXPECT_THAT(tried(100, 100 * per_thread + of_program - 1), ElementsAreArray(tick_first));
  EXPECT_THAT(tried(1, 0), ElementsAreArray(tick_first));
}

TEST(SourcesToTry, who_asks_for_one_gets_that_one_or_none) {
  for (const auto wanted : events_first)
    EXPECT_THAT(sources_to_try(wanted, {.threads = 1000}), ElementsAre(wanted));
}

TEST(SourcesToTry, whoever_wants_growth_gets_the_source_that_sees_it) {
  const ThreadRoom room{.threads = 1000, .growth_wanted = true};
  EXPECT_THAT(sources_to_try(sampling::SourceChoice::automatic, room),
              ElementsAreArray(events_first));
}

TEST(ThreadRoom, the_remark_names_threads_descriptors_and_the_limit) {
  const ThreadRoom room{.threads = 330, .descriptors_left = 107, .descriptor_limit = 256};
  EXPECT_EQ(room.reason_for_tick(),
            "samples come from the kernel's tick, since eBPF would take 990 descriptors for 330 "
            "threads: the limit of 256 files leaves 107");
}

}  // namespace
}  // namespace beam_exporter::session
