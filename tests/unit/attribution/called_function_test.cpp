#include "attribution/called_function.h"

#include <gtest/gtest.h>

#include "fakes/fake_vm.h"

namespace beam_exporter::attribution {
namespace {

class CalledFunctionTest : public testing::Test {
 protected:
  void SetUp() override {
    auto attached = vm_.attach();
    ASSERT_TRUE(attached) << attached.error().text;
    attached_ = std::move(*attached);
    called_.emplace(*attached_);
    current_ = vm_.allocate(512);
    vm_.memory.put(current_, vm_.atom("crypto"));
    vm_.memory.put(current_ + 8, vm_.atom("hash_nif"));
    vm_.memory.put(current_ + 16, std::uint64_t{2});
    vm_.memory.put(current_ + 100, c_function);
  }

  static constexpr os::Address c_function = 0x7f1234567890;
  tests::FakeVm vm_{tests::shipped_layout("25")};
  std::unique_ptr<beam::VirtualMachine> attached_;
  std::optional<CalledFunction> called_;
  os::Address current_ = 0;
};

TEST_F(CalledFunctionTest, is_named_where_the_c_function_that_was_seen_stands) {
  const beam::Mfa hash{vm_.atom("crypto"), vm_.atom("hash_nif"), 2};
  EXPECT_EQ(called_->name(c_function, current_), hash);
  // From then on it is known, wherever Process.current points by then.
  EXPECT_EQ(called_->name(c_function, 0), hash);
  called_->forget();
  EXPECT_EQ(called_->name(c_function, 0), std::nullopt);
}

TEST_F(CalledFunctionTest, another_function_than_the_one_seen_lends_no_name) {
  EXPECT_EQ(called_->name(c_function + 16, current_), std::nullopt);
  EXPECT_EQ(called_->name(c_function, current_ + 8), std::nullopt);
}

TEST_F(CalledFunctionTest, a_process_that_stands_still_is_believed_when_the_name_decodes) {
  EXPECT_EQ(called_->name_at(current_), (beam::Mfa{vm_.atom("crypto"), vm_.atom("hash_nif"), 2}));
  vm_.memory.put(current_ + 16, std::uint64_t{256});  // no arity
  EXPECT_EQ(called_->name_at(current_), std::nullopt);
  EXPECT_EQ(called_->name_at(0), std::nullopt);
}

}  // namespace
}  // namespace beam_exporter::attribution
