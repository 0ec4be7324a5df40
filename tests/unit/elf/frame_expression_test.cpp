#include "elf/frame_expression.h"

#include <dwarf.h>
#include <gtest/gtest.h>

#include <array>
#include <span>
#include <vector>

namespace beam_exporter::elf {
namespace {

using Register = os::UserRegisters;
using Operations = std::vector<FrameExpression::Operation>;

class Expression : public testing::Test {
 protected:
  Expression() {
    registers_.value[Register::rsp] = 0x7000;
    registers_.value[Register::r9] = 2;
  }
  std::optional<std::uint64_t> value(Operations operations, std::uint64_t cfa = 0) {
    const auto expression = FrameExpression::of(std::move(operations));
    EXPECT_TRUE(expression);
    return expression
               ? expression->value(registers_, {0x7000, std::as_bytes(std::span(words_))}, cfa)
               : std::nullopt;
  }

  os::UserRegisters registers_;
  std::array<std::uint64_t, 4> words_ = {0x7100, 0x7200, 0x7300, 0x7400};
};

TEST_F(Expression, tells_where_an_entry_of_a_plt_has_its_return_address) {
  const Operations plt = {{DW_OP_breg7, 8}, {DW_OP_breg16, 0}, {DW_OP_lit15},
                          {DW_OP_and},      {DW_OP_lit11},     {DW_OP_ge},
                          {DW_OP_lit3},     {DW_OP_shl},       {DW_OP_plus}};
  registers_.value[Register::rip] = 0x1230;
  EXPECT_EQ(value(plt), 0x7008u);
  registers_.value[Register::rip] = 0x123b;  // it has pushed its number
  EXPECT_EQ(value(plt), 0x7010u);
}

TEST_F(Expression, reads_the_captured_stack_only) {
  EXPECT_EQ(value({{DW_OP_breg7, 8}, {DW_OP_deref}, {DW_OP_plus_uconst, 8}}), 0x7208u);
  EXPECT_EQ(value({{DW_OP_breg7, 25}, {DW_OP_deref}}), std::nullopt);
  EXPECT_EQ(value({{DW_OP_breg7, ~std::uint64_t{0}}, {DW_OP_deref}}), std::nullopt);
}

// crypto/bn/asm/x86_64-mont.pl, bn_mul_mont: 8(%rsp,%r9,8).
TEST_F(Expression, reads_a_word_by_an_index) {
  EXPECT_EQ(value({{DW_OP_breg7, 8},
                   {DW_OP_bregx, Register::r9, 0},
                   {DW_OP_lit8},
                   {DW_OP_mul},
                   {DW_OP_plus},
                   {DW_OP_deref},
                   {DW_OP_plus_uconst, 8}}),
            0x7408u);
}

TEST_F(Expression, of_a_register_may_use_the_frame_address) {
  EXPECT_EQ(value({{DW_OP_call_frame_cfa}, {DW_OP_const1u, 16}, {DW_OP_minus}}, 0x7400), 0x73f0u);
  // libdw puts the CFA first, as DWARF says, also before an expression that does not use it.
  EXPECT_EQ(value({{DW_OP_call_frame_cfa}, {DW_OP_breg7, 16}}, 0x7400), 0x7010u);
}

TEST_F(Expression, that_takes_more_than_there_is_has_no_value) {
  EXPECT_EQ(value({{DW_OP_plus}}), std::nullopt);
  EXPECT_EQ(value({{DW_OP_lit1}, {DW_OP_shl}}), std::nullopt);
  EXPECT_EQ(value({{DW_OP_deref}}), std::nullopt);
  EXPECT_EQ(value({{DW_OP_lit1}, {DW_OP_const1u, 64}, {DW_OP_shl}}), 0u);
}

TEST_F(Expression, with_an_operation_that_no_frame_needs_is_refused) {
  EXPECT_FALSE(FrameExpression::of({}));
  EXPECT_FALSE(FrameExpression::of({{DW_OP_lit1}, {DW_OP_skip, 4}}));
  EXPECT_FALSE(FrameExpression::of({{DW_OP_bregx, Register::count, 0}}));
  EXPECT_FALSE(FrameExpression::of(Operations(33, {DW_OP_lit1})));
}

}  // namespace
}  // namespace beam_exporter::elf
