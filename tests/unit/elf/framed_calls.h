#pragma once

// A stripped library whose functions keep a frame pointer, as those of ERTS do from OTP 26 on.
// Three of its functions are on the stack when it calls `look(with)`: one that was called from
// another file, one that was called directly, and one that was called by a pointer. The last one
// has `left_over` on its stack.
extern "C" int framed_calls(void (*look)(void* with), void* with, const void* left_over);
// The same with two: one that was called from another file, and one to which a function jumped that
// it had called.
extern "C" int framed_jump(void (*look)(void* with), void* with, const void* left_over);
