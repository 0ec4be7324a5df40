#include "unit/elf/bare_calls.h"

// Assembly without .cfi directives has no rules in .eh_frame, in any build of this test.
asm(R"(
  .text
  .type inner, @function
inner:
  push %rbx
  sub $96, %rsp
  mov $0x5555, %ebx
  mov %rdx, 40(%rsp)
  mov %rsi, %rdi
  call *%rax
  add $96, %rsp
  pop %rbx
  mov $7, %eax
  ret
  .size inner, . - inner

  .globl bare_calls
  .type bare_calls, @function
bare_calls:
  push %rbp
  push %rbx
  push %r12
  push %r13
  push %r14
  push %r15
  sub $24, %rsp
  mov $0x5555, %ebp
  mov $0x5555, %r12d
  mov $0x5555, %r13d
  mov $0x5555, %r14d
  mov $0x5555, %r15d
  mov %rdx, 8(%rsp)
  mov %rdi, %rax
  call inner
  add $24, %rsp
  pop %r15
  pop %r14
  pop %r13
  pop %r12
  pop %rbx
  pop %rbp
  ret
  .size bare_calls, . - bare_calls

  .globl bare_jump
  .type bare_jump, @function
bare_jump:
  mov %rdi, %rax
  jmp inner
  .size bare_jump, . - bare_jump
)");
