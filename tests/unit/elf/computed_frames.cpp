#include "unit/elf/computed_frames.h"

// Escapes: 0x0f DW_CFA_def_cfa_expression, 0x10 DW_CFA_expression REGISTER; then the length;
// 0x76 DW_OP_breg6 (rbp), 0x77 DW_OP_breg7 (rsp), 0x06 DW_OP_deref, 0x23 DW_OP_plus_uconst.
asm(R"(
  .text
  .globl aligned_by_hand
  .type aligned_by_hand, @function
aligned_by_hand:
  .cfi_startproc
  mov %rsp, %rax
  .cfi_def_cfa_register %rax
  push %rbx
  .cfi_offset %rbx, -16
  push %rbp
  .cfi_offset %rbp, -24
  push %r12
  .cfi_offset %r12, -32
  sub $192, %rsp
  and $-64, %rsp
  mov %rax, 40(%rsp)
  .cfi_escape 0x0f, 0x05, 0x77, 0x28, 0x06, 0x23, 0x08
  mov $0x5555, %ebx
  mov $0x5555, %ebp
  mov $0x5555, %r12d
  mov %rdi, %rcx
  mov %rsi, %rdi
  call *%rcx
  mov 40(%rsp), %rsi
  .cfi_def_cfa %rsi, 8
  mov -24(%rsi), %r12
  .cfi_restore %r12
  mov -16(%rsi), %rbp
  .cfi_restore %rbp
  mov -8(%rsi), %rbx
  .cfi_restore %rbx
  lea (%rsi), %rsp
  .cfi_def_cfa_register %rsp
  ret
  .cfi_endproc
  .size aligned_by_hand, . - aligned_by_hand

  .globl aligned_by_gcc
  .type aligned_by_gcc, @function
aligned_by_gcc:
  .cfi_startproc
  lea 8(%rsp), %r10
  .cfi_def_cfa %r10, 0
  and $-64, %rsp
  push -8(%r10)
  push %rbp
  .cfi_escape 0x10, 0x06, 0x02, 0x76, 0x00
  mov %rsp, %rbp
  push %r10
  .cfi_escape 0x0f, 0x03, 0x76, 0x78, 0x06
  push %rbx
  .cfi_escape 0x10, 0x03, 0x02, 0x76, 0x70
  sub $112, %rsp
  mov $0x5555, %ebx
  mov %rdi, %rcx
  mov %rsi, %rdi
  call *%rcx
  add $112, %rsp
  pop %rbx
  pop %r10
  .cfi_def_cfa %r10, 0
  pop %rbp
  lea -8(%r10), %rsp
  .cfi_def_cfa %rsp, 8
  ret
  .cfi_endproc
  .size aligned_by_gcc, . - aligned_by_gcc
)");
