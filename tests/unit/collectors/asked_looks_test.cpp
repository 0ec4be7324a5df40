#include "collectors/asked_looks.h"

#include <gtest/gtest.h>

#include <future>
#include <stdexcept>

namespace beam_exporter::collectors {
namespace {

struct Seen {
  std::uint64_t processes = 0;
};
using Asked = AskedLook<Seen>;

// Plays the collectors' thread. The look does not use the VM, so none is needed.
class AskedLooksTest : public testing::Test {
 protected:
  void wait_until_asked(std::size_t times) {
    std::unique_lock lock(mutex_);
    ASSERT_TRUE(woken_.wait_for(lock, std::chrono::seconds(30), [&] { return wakes_ >= times; }));
  }
  void wake() {
    std::lock_guard lock(mutex_);
    ++wakes_;
    woken_.notify_all();
  }
  std::future<Asked::Result> ask() {
    return std::async(std::launch::async, [this] { return asked_.ask(); });
  }
  // Until one is refused, all places are taken.
  void fill(std::vector<std::future<Asked::Result>>& askers) {
    while (askers.size() < AskedLooks::most_waiting + 1) askers.push_back(ask());
    for (;;)
      for (std::size_t k = 0; k < askers.size(); ++k)
        if (askers[k].wait_for(std::chrono::milliseconds(1)) == std::future_status::ready) {
          const auto refused = askers[k].get();
          ASSERT_FALSE(refused);
          EXPECT_EQ(refused.error().kind, os::ErrorKind::system);
          askers.erase(askers.begin() + static_cast<std::ptrdiff_t>(k));
          return;
        }
  }

  std::function<os::Result<Seen>()> look_ = [this] { return Seen{.processes = ++looks_}; };
  AskedLooks looks_made_;
  Asked asked_{looks_made_, [this](const beam::VirtualMachine&) { return look_(); }};
  AskedLook<std::string> other_{
      looks_made_,
      [](const beam::VirtualMachine&) -> os::Result<std::string> { return std::string("other"); }};
  std::uint64_t looks_ = 0;
  std::mutex mutex_;
  std::condition_variable woken_;
  std::size_t wakes_ = 0;
  const beam::VirtualMachine& no_vm_ = *reinterpret_cast<const beam::VirtualMachine*>(this);
};

TEST_F(AskedLooksTest, without_a_vm_there_is_no_look) {
  const auto refused = asked_.ask();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, os::ErrorKind::gone);
}

TEST_F(AskedLooksTest, one_look_is_for_all_who_wait_and_more_are_refused) {
  AskedLooks::Service service(looks_made_, [this] { wake(); });
  EXPECT_FALSE(service.wanted());
  service.serve(no_vm_);
  EXPECT_EQ(looks_, 0u) << "nobody asks";
  std::vector<std::future<Asked::Result>> askers;
  fill(askers);
  EXPECT_TRUE(service.wanted());
  service.serve(no_vm_);
  for (auto& asker : askers) {
    const auto result = asker.get();
    ASSERT_TRUE(result);
    EXPECT_EQ((*result)->processes, 1u);
  }
  EXPECT_EQ(wakes_, 1u);
  EXPECT_FALSE(service.wanted());
  auto next = ask();
  wait_until_asked(2);
  service.serve(no_vm_);
  EXPECT_EQ((*next.get())->processes, 2u) << "a new look, and room again";
}

TEST_F(AskedLooksTest, looks_of_two_kinds_share_the_room_and_each_gets_its_own_result) {
  AskedLooks::Service service(looks_made_, [this] { wake(); });
  auto one = ask();
  auto another = std::async(std::launch::async, [this] { return other_.ask(); });
  wait_until_asked(2);
  service.serve(no_vm_);
  EXPECT_EQ((*one.get())->processes, 1u);
  EXPECT_EQ(**another.get(), "other");
  EXPECT_FALSE(service.wanted());
  std::vector<std::future<Asked::Result>> askers;
  fill(askers);
  const auto refused = other_.ask();
  ASSERT_FALSE(refused) << "those who wait for another kind take the room";
  EXPECT_EQ(refused.error().kind, os::ErrorKind::system);
  service.serve(no_vm_);
}

TEST_F(AskedLooksTest, who_waits_when_the_vm_ends_is_told) {
  std::future<Asked::Result> asker;
  {
    const AskedLooks::Service service(looks_made_, [this] { wake(); });
    asker = ask();
    wait_until_asked(1);
  }
  const auto result = asker.get();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, os::ErrorKind::gone);
}

TEST_F(AskedLooksTest, a_look_that_fails_is_an_error_of_those_who_asked) {
  AskedLooks::Service service(looks_made_, [this] { wake(); });
  look_ = []() -> os::Result<Seen> { throw std::bad_alloc(); };
  auto asker = ask();
  wait_until_asked(1);
  service.serve(no_vm_);
  const auto result = asker.get();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, os::ErrorKind::unreadable);
}

}  // namespace
}  // namespace beam_exporter::collectors
