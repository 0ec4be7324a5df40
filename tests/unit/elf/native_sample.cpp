#include "unit/elf/native_sample.h"

#define KEPT __attribute__((noinline, noclone, noipa, used))

extern "C" {

__attribute__((visibility("hidden"))) KEPT int native_sample_hidden(int value) { return value * 3; }

KEPT int native_sample_leaf(int value) { return value + 1; }

KEPT static int first_static(int value) {
  return native_sample_hidden(value) + native_sample_hidden(value + 1);
}

KEPT static int second_static(int value) { return first_static(value) - first_static(-value); }

KEPT int native_sample_entry(int value) { return second_static(value) + 1; }

const NativeSample* native_sample() {
  static const NativeSample sample = {reinterpret_cast<const void*>(&first_static),
                                      reinterpret_cast<const void*>(&second_static)};
  return &sample;
}
}
