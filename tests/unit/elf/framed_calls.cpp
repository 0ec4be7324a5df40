#include "unit/elf/framed_calls.h"

#define KEPT __attribute__((noinline, noclone, noipa))

namespace {

struct Call {
  void (*look)(void*);
  void* with;
  const void* left_over;
};

KEPT int by_pointer(const Call& call) {
  const void* volatile old[8] = {nullptr, call.left_over, nullptr, call.left_over};
  call.look(call.with);
  return old[3] == call.left_over ? 1 : 0;
}

KEPT int called_by_jump(const Call& call) {
  call.look(call.with);
  return 1;
}

int (*volatile const called_by_pointer)(const Call&) = by_pointer;

KEPT int directly(const Call& call) { return called_by_pointer(call) + 1; }

KEPT int jumps(const Call& call) { return called_by_jump(call); }

}  // namespace

extern "C" KEPT int framed_jump(void (*look)(void*), void* with, const void* left_over) {
  return jumps({look, with, left_over}) + 1;
}

extern "C" KEPT int framed_calls(void (*look)(void*), void* with, const void* left_over) {
  return directly({look, with, left_over}) + 1;
}
