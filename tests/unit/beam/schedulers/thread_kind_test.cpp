#include "beam/schedulers/thread_kind.h"

#include <gtest/gtest.h>

#include <string>

namespace beam_exporter::beam {
namespace {

struct Named {
  const char* name;
  ThreadKind kind;
  unsigned number;
};

TEST(ThreadKind, names_up_to_otp_25_as_the_kernel_cuts_them) {
  const Named named[] = {{"1_scheduler", ThreadKind::normal, 1},
                         {"64_scheduler", ThreadKind::normal, 64},
                         {"1024_scheduler", ThreadKind::normal, 1024},
                         {"1_dirty_cpu_sch", ThreadKind::dirty_cpu, 1},
                         {"12_dirty_cpu_sc", ThreadKind::dirty_cpu, 12},
                         {"128_dirty_cpu_s", ThreadKind::dirty_cpu, 128},
                         {"1024_dirty_cpu_", ThreadKind::dirty_cpu, 1024},
                         {"1_dirty_io_sche", ThreadKind::dirty_io, 1},
                         {"10_dirty_io_sch", ThreadKind::dirty_io, 10},
                         {"1024_dirty_io_s", ThreadKind::dirty_io, 1024},
                         {"1_aux", ThreadKind::aux, 1},
                         {"0_poller", ThreadKind::poll, 0},
                         {"async_1", ThreadKind::async, 1},
                         {"async_64", ThreadKind::async, 64}};
  for (const auto& each : named)
    EXPECT_EQ(thread_role(each.name), (ThreadRole{each.kind, each.number})) << each.name;
}

TEST(ThreadKind, names_since_otp_26) {
  const Named named[] = {
      {"erts_sched_1", ThreadKind::normal, 1},    {"erts_sched_1024", ThreadKind::normal, 1024},
      {"erts_dcpus_2", ThreadKind::dirty_cpu, 2}, {"erts_dios_10", ThreadKind::dirty_io, 10},
      {"erts_aux_1", ThreadKind::aux, 1},         {"erts_poll_0", ThreadKind::poll, 0},
      {"erts_async_1", ThreadKind::async, 1}};
  for (const auto& each : named)
    EXPECT_EQ(thread_role(each.name), (ThreadRole{each.kind, each.number})) << each.name;
}

TEST(ThreadKind, every_full_name_survives_the_cut) {
  for (unsigned number = 1; number <= 1024; ++number)
    for (const auto& [suffix, kind] : {std::pair{"_scheduler", ThreadKind::normal},
                                       {"_dirty_cpu_scheduler", ThreadKind::dirty_cpu},
                                       {"_dirty_io_scheduler", ThreadKind::dirty_io}}) {
      const std::string cut = (std::to_string(number) + suffix).substr(0, 15);
      EXPECT_EQ(thread_role(cut), (ThreadRole{kind, number})) << cut;
    }
}

TEST(ThreadKind, other_threads_have_no_role) {
  for (const char* name : {"",
                           "beam.smp",
                           "erl_child_setup",
                           "sys_sig_dispatc",
                           "sys_msg_dispatc",
                           "erts_ssig_disp",
                           "erts_smsg_disp",
                           "1",
                           "1_",
                           "1_a",
                           "1_schedulers",
                           "1_other",
                           "_scheduler",
                           "async_",
                           "async_x",
                           "erts_sched_",
                           "erts_sched_1x",
                           "erts_sched_-1",
                           "-1_scheduler",
                           "x_scheduler",
                           "99999999999_aux",
                           "erts_aux_99999999999",
                           "memory_allocator"})
    EXPECT_EQ(thread_role(name), std::nullopt) << name;
}

TEST(ThreadKind, kinds_have_the_names_of_the_label) {
  EXPECT_EQ(name_of(ThreadKind::normal), "normal");
  EXPECT_EQ(name_of(ThreadKind::dirty_io), "dirty_io");
  EXPECT_EQ(name_of(ThreadKind::async), "async");
}

}  // namespace
}  // namespace beam_exporter::beam
