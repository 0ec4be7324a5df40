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

# These three have rules.
  .globl jumping_calls
  .type jumping_calls, @function
jumping_calls:
  .cfi_startproc
  test %rdi, %rdi
  jne jumps_by_slot
  ret
  .cfi_endproc
  .size jumping_calls, . - jumping_calls

  .type jumps_by_slot, @function
jumps_by_slot:
  .cfi_startproc
  jmp *slot(%rip)
  .cfi_endproc
  .size jumps_by_slot, . - jumps_by_slot

  .type calls_bare, @function
calls_bare:
  .cfi_startproc
  sub $8, %rsp
  .cfi_adjust_cfa_offset 8
  call bare_calls
  add $8, %rsp
  .cfi_adjust_cfa_offset -8
  ret
  .cfi_endproc
  .size calls_bare, . - calls_bare

  .type begins_thread, @function
begins_thread:
  xor %ebp, %ebp
  pop %rdi
  call *%r9
  .size begins_thread, . - begins_thread
  .globl behind_first_function
  .type behind_first_function, @function
behind_first_function:
  mov %eax, %edi
  xor %eax, %eax
  mov $60, %al
  syscall
  hlt
  .size behind_first_function, . - behind_first_function

  .data
slot:
  .quad calls_bare
  .text
)");
