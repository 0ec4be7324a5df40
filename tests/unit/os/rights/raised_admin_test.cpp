#include "os/rights/raised_admin.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

#include "harness/capability_sets.h"
#include "harness/child_process.h"

namespace beam_exporter::os {
namespace {

using tests::bit;
using tests::held_capabilities;
using tests::hold_capabilities;

constexpr auto admin = bit(CAP_SYS_ADMIN), other = bit(CAP_SYS_PTRACE);

bool in_effect() { return (held_capabilities().effective & admin) != 0; }

class RaisedAdminTest : public testing::Test {
 protected:
  void SetUp() override {
    if ((held_capabilities().permitted & (admin | other)) != (admin | other))
      GTEST_SKIP() << "needs CAP_SYS_ADMIN and CAP_SYS_PTRACE, to give them up";
  }
  // In a child of its own, which holds these and no others.
  void holding(std::uint64_t effective, std::uint64_t permitted, bool (*body)()) {
    auto child = tests::ChildProcess::forked(
        [=] { return hold_capabilities(effective, permitted) && body() ? 0 : 1; });
    EXPECT_EQ(child.join(), 0);
  }
};

TEST_F(RaisedAdminTest, is_in_effect_while_it_lives) {
  holding(other, other | admin, [] {
    if (in_effect()) return false;
    {
      const RaisedAdmin raised;
      const RaisedAdmin again;
      if (!raised || again || !in_effect()) return false;
    }
    const auto after = held_capabilities();
    return after.effective == other && after.permitted == (other | admin);
  });
}

TEST_F(RaisedAdminTest, an_exception_ends_it) {
  holding(other, other | admin, [] {
    try {
      const RaisedAdmin raised;
      if (!in_effect()) return false;
      throw std::runtime_error("any");
    } catch (const std::runtime_error&) {
      return !in_effect();
    }
  });
}

TEST_F(RaisedAdminTest, is_of_one_thread) {
  holding(other, other | admin, [] {
    bool raised_there = false;
    std::thread there([&] {
      const RaisedAdmin raised;
      raised_there = in_effect();
    });
    there.join();
    return raised_there && !in_effect();
  });
}

TEST_F(RaisedAdminTest, does_nothing_without_permission_or_need) {
  holding(other, other, [] {
    const RaisedAdmin raised;
    return !raised && !in_effect();
  });
  holding(other | admin, other | admin, [] {
    {
      const RaisedAdmin raised;
      if (raised) return false;
    }
    return in_effect();
  });
}

}  // namespace
}  // namespace beam_exporter::os
