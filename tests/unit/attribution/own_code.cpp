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
long third_bif(long x) { return shared_helper(x + 1); }
}

namespace beam_exporter::attribution {

// struct bif_entry (erl_bif_table.h, OTP 25 and 27): module, name, arity, both functions, kind.
void OwnCode::place_bif_table() {
  const std::pair<std::string_view, os::Address> bifs[] = {
      {"first", begin(first_bif)}, {"second", begin(second_bif)}, {"third", begin(third_bif)}};
  const os::Address table = memory.allocate(48 * std::size(bifs));
  for (std::size_t k = 0; k < std::size(bifs); ++k) {
    const std::uint64_t entry[] = {
        memory.atom("shop"), memory.atom(bifs[k].first), 1, bifs[k].second, bifs[k].second, 0};
    for (std::size_t word = 0; word < std::size(entry); ++word)
      memory.memory.put(table + 48 * k + 8 * word, entry[word]);
  }
  memory.more_symbols.push_back({"bif_table", table - tests::FakeVm::bias, 48 * std::size(bifs)});
}

os::Address OwnCode::inside_static(std::string_view name) {
  auto* executable = objects->at(begin(erts_schedule));
  const auto* function = executable != nullptr ? executable->symbols().named(name) : nullptr;
  EXPECT_NE(function, nullptr) << name;
  return function != nullptr ? function->range.begin + executable->bias + 1 : 0;
}

OwnCode::OwnCode() : own_memory_(getpid()) {
  work = memory.load({"work", {{"run", 1}}});
  process = memory.spawn("work", "run", 1);
  // The loader of the small VM adds its bias to what a symbol says.
  memory.more_symbols = {{"erts_schedule", begin(erts_schedule) - tests::FakeVm::bias, 8}};
  place_bif_table();
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
