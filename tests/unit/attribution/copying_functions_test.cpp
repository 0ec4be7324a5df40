#include "attribution/copying_functions.h"

#include <gmock/gmock.h>

#include "own_file.h"

// Functions that print and call what those of beam/copy.c do, in the same order, and who calls
// them.
extern "C" {
[[gnu::noinline, gnu::section(".text.copying")]] int printed(const char* text, int value) {
  asm volatile("" : "+r"(value) : "r"(text) : "memory");
  return value;
}
// With its own name, as an executable exports it.
[[gnu::noinline, gnu::section(".text.copying")]] int size_object_x(int value) {
  asm volatile(".fill 256, 1, 0x90");
  return printed("size_object: bad tag for %#x\n", value) + 1;
}
// What a stripped file has of a copy of it: bounds and no name.
asm(R"(
  .section .text.copying, "ax", @progbits
  .p2align 4
.Lcopy_of_size_object:
  .cfi_startproc
  lea .Lbad_tag(%rip), %rax
  .fill 200, 1, 0x90
  ret
  .cfi_endproc
  .section .rodata
.Lbad_tag:
  .asciz "size_object: bad tag for %#x\n"
  .section .data.rel.ro, "aw"
  .balign 8
  .globl copy_of_size_object
copy_of_size_object:
  .quad .Lcopy_of_size_object
  .text
)");
extern const char* const copy_of_size_object;
[[gnu::noinline, gnu::section(".text.copying")]] int fake_size_shared(int value) {
  return printed("size_shared: bad tag for %#x\n", value) + 2;
}
[[gnu::noinline, gnu::section(".text.copying")]] int fake_copy_struct(int value) {
  return printed("Internal error in copy_struct(): htop, hbot overrun\n", value) + 3;
}
[[gnu::noinline, gnu::section(".text.copying")]] int fake_copy_object(int value) {
  return fake_copy_struct(size_object_x(value)) + 4;
}
[[gnu::noinline, gnu::section(".text.copying")]] int fake_calculate(int value) {
  return printed("[pid=%T] size_shared: bad tag for %#x\n", value) + 5;
}
[[gnu::noinline, gnu::section(".text.copying")]] int fake_perform(int value) {
  return printed("size_shared: bad tag for %#x\n", value) + 6;
}
[[gnu::noinline, gnu::section(".text.copying")]] int fake_shallow(int value) {
  asm volatile("" : "+r"(value));
  return value + 7;
}
[[gnu::noinline, gnu::section(".text.copying")]] int fake_shallow_object(int value) {
  return fake_shallow(value) + 8;
}
[[gnu::noinline, gnu::section(".text.copying")]] int fake_match_program(int value) {
  value = printed("Internal error: unexpected opcode in match program.", value);
  return fake_copy_object(value) + fake_shallow(value);
}
[[gnu::noinline, gnu::section(".text.copying")]] int fake_sizing_bif(int value) {
  return fake_size_shared(value) + 9;
}
[[gnu::noinline, gnu::section(".text.copying")]] int fake_bif_of_both(int value) {
  return fake_size_shared(value) + fake_perform(value);
}
[[gnu::noinline, gnu::section(".text.copying")]] int fake_print_twice(int value) {
  return printed("this text has two users\n", value) + 10;
}
[[gnu::noinline, gnu::section(".text.copying")]] int fake_print_twice_too(int value) {
  return printed("this text has two users\n", value) + 11;
}
}

namespace beam_exporter::attribution {
namespace {

using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

class CopyingFunctions : public OwnFile {
 protected:
  auto with_bif(std::string_view bif) const {
    return copying_functions(texts_, symbols_, calls_, bif.empty() ? 0 : place(bif));
  }

  // The place in the file of what is there in memory.
  std::uint64_t copy() const {
    const auto moved = reinterpret_cast<std::uint64_t>(&size_object_x) - place("size_object_x");
    return reinterpret_cast<std::uint64_t>(copy_of_size_object) - moved;
  }

  elf::TextUses texts_{image_, symbols_};
};

TEST_F(CopyingFunctions, are_known_by_texts_callers_and_places) {
  EXPECT_THAT(with_bif("fake_sizing_bif"),
              UnorderedElementsAre(Pair(place("size_object_x"), "size_object_x"),
                                   Pair(copy(), "size_object_x"),
                                   Pair(place("fake_size_shared"), "size_shared"),
                                   Pair(place("fake_copy_struct"), "copy_struct_x"),
                                   Pair(place("fake_copy_object"), "copy_object_x"),
                                   Pair(place("fake_calculate"), "copy_shared_calculate"),
                                   Pair(place("fake_perform"), "copy_shared_perform_x"),
                                   Pair(place("fake_shallow"), "copy_shallow_x"),
                                   Pair(place("fake_shallow_object"), "copy_shallow_obj_x")));
}

TEST_F(CopyingFunctions, are_none_where_the_bif_does_not_tell_two_apart) {
  EXPECT_THAT(with_bif("fake_bif_of_both"), IsEmpty());
  EXPECT_THAT(with_bif("fake_match_program"), IsEmpty());
  EXPECT_THAT(with_bif(""), IsEmpty());
}

TEST_F(CopyingFunctions, are_none_without_their_calls) {
  EXPECT_THAT(copying_functions(texts_, symbols_, elf::DirectCalls(), place("fake_sizing_bif")),
              IsEmpty());
}

TEST_F(CopyingFunctions, a_text_may_have_several_users_or_none) {
  // In two pieces: else this test would be a user too.
  EXPECT_THAT(texts_.functions_with(std::string("this text has ") + "two users\n"),
              UnorderedElementsAre(place("fake_print_twice"), place("fake_print_twice_too")));
  EXPECT_THAT(texts_.functions_with(std::string(40, 'q')), IsEmpty());
}

TEST_F(CopyingFunctions, a_nameless_copy_of_a_known_one_has_its_name) {
  ASSERT_NE(symbols_.beginning_at(copy()), nullptr);
  EXPECT_TRUE(symbols_.beginning_at(copy())->names.empty());
  EXPECT_THAT(copies_of_copying_functions(texts_, symbols_),
              UnorderedElementsAre(Pair(copy(), "size_object_x")));
}

}  // namespace
}  // namespace beam_exporter::attribution
