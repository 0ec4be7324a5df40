#pragma once

namespace beam_exporter::elf {

extern "C" {
// Both call `taking(with)`, from frames whose CFA is a DWARF expression. They have changed the
// registers that they must preserve, and saved them.
//
// As the assembly of libcrypto (crypto/bn/asm/x86_64-mont5.pl): the stack is aligned, and the
// caller's stack pointer is in a word of it. The registers are at CFA + offset.
void aligned_by_hand(void (*taking)(void*), void* with);
// As gcc where a function aligns its stack more than the ABI does: the place of the arguments is
// saved below rbp, and the registers are where expressions tell.
void aligned_by_gcc(void (*taking)(void*), void* with);
}

}  // namespace beam_exporter::elf
