#include "own_code.h"

#include <gtest/gtest.h>
#include <unistd.h>

// Each is different, or the linker might make one of them.
extern "C" {
[[gnu::noinline]] long erts_schedule(long x) { return x * 3 + 1; }
[[gnu::noinline]] long copy_struct_x(long x) { return x * 5 + 2; }
[[gnu::noinline]] long erts_garbage_collect(long x) { return x * 7 + 3; }
[[gnu::noinline]] long helper_of_copying(long x) { return x * 11 + 4; }

[[gnu::noinline]] static long first_helper(long x) { return erts_schedule(x) * 13 + 5; }
[[gnu::noinline]] static long shared_helper(long x) { return erts_schedule(x) * 17 + 6; }
long first_bif(long x) { return first_helper(x); }
long second_bif(long x) { return shared_helper(x); }
long no_bif(long x) { return shared_helper(x + 1); }
}

namespace beam_exporter::attribution {

OwnCode::OwnCode() : own_memory_(getpid()) {
  work = memory.load({"work", {{"run", 1}}});
  process = memory.spawn("work", "run", 1);
  // The loader of the small VM adds its bias to what a symbol says.
  memory.more_symbols = {{"erts_schedule", begin(erts_schedule) - tests::VmInMemory::bias, 8}};
  auto attached = memory.attach();
  EXPECT_TRUE(attached) << attached.error().text;
  vm = std::move(*attached);
  const auto self = os::Process::open(getpid());
  EXPECT_TRUE(self);
  objects.emplace(*self, own_memory_);
  const auto map = os::MemoryMap::read(self->directory());
  EXPECT_TRUE(map);
  objects->update(*map);
}

}  // namespace beam_exporter::attribution
