#pragma once

#include <random>
#include <string>
#include <vector>

#include "fakes/fake_memory.h"
#include "fakes/read_log.h"

namespace beam_exporter::tests {

// Changes a recorded memory at some of the places that were read, as `seed` says and always in the
// same way: bits flip; words become other words that were read, wrong values (corrupted.h), or
// pointers to other structs of their kind; two structs of one kind change places; memory ends.
class Mutation {
 public:
  // `log` has notes of what a look at the unchanged memory read; not empty. Both outlive it.
  Mutation(FakeMemory& memory, const ReadLog& log, std::uint64_t seed);
  Mutation(const Mutation&) = delete;
  ~Mutation();  // the memory is again what it was

  const std::string& text() const { return text_; }  // what has changed, for people

 private:
  struct Target {
    const ReadLog::Kind* kind;
    const std::vector<os::AddressRange>* all;  // of that kind
    os::AddressRange place, word;              // the word lies in the place
  };
  struct Saved {
    os::Address at;
    std::vector<std::byte> bytes;
  };

  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
  Target target();
  void change_once();
  void put(const Target& target, std::uint64_t value);
  void swap_with_another(const Target& target);
  void end_memory(os::Address at);
  void save(os::Address at, std::size_t bytes);
  std::uint64_t word_at(const os::AddressRange& word) const;

  FakeMemory& memory_;
  const ReadLog& log_;
  std::mt19937_64 random_;
  std::vector<Saved> saved_;
  std::string text_;
};

}  // namespace beam_exporter::tests
