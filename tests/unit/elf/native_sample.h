#pragma once

// What tests/unit/elf/native_sample.cpp, a stripped library, lets its test see: places of functions
// that no symbol of it names.
extern "C" {
struct NativeSample {
  const void* first_static;
  const void* second_static;
};
const NativeSample* native_sample();
int native_sample_leaf(int value);
int native_sample_entry(int value);
}
