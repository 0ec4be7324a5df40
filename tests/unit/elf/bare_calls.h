#pragma once

// A stripped library without .eh_frame for its code, as musl's libc is. When it calls look(with),
// functions of it are on the stack: one that was called from another file and has saved all that it
// must preserve, and static ones, which were called directly and have left_over on their stack.
extern "C" {
int bare_calls(void (*look)(void* with), void* with, const void* left_over);
// The same; its caller calls it, but it jumps to the function that calls.
int bare_jump(void (*look)(void* with), void* with, const void* left_over);
// The same in code with .eh_frame that jumps on a condition to another function, which jumps by a
// slot to one that calls bare_calls().
int jumping_calls(void (*look)(void* with), void* with, const void* left_over);
// Where the first function of a thread returns to, as in musl's clone(). Not to be called.
void behind_first_function();
}
