#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "fakes/fake_vm.h"

namespace beam_exporter::tests {

// Terms on a separate heap in the memory of a FakeVm (erl_term.h), for tests of readers.
class TermsInMemory {
 public:
  explicit TermsInMemory(FakeVm& vm) : vm_(vm) { vm.memory.put_zeros(begin(), most_bytes); }

  static constexpr beam::Eterm nil = 0x3b;
  static constexpr beam::Eterm integer(std::int64_t value) {
    return (static_cast<beam::Eterm>(value) << 4) | 0xf;
  }
  beam::Eterm tuple(const std::vector<beam::Eterm>& elements) {
    std::vector<beam::Eterm> words = {beam::Eterm{elements.size()} << 6};
    words.insert(words.end(), elements.begin(), elements.end());
    return put(words) | 2;
  }
  beam::Eterm list(const std::vector<beam::Eterm>& elements, beam::Eterm tail = nil) {
    for (auto element = elements.rbegin(); element != elements.rend(); ++element)
      tail = put({*element, tail}) | 1;
    return tail;
  }
  // A binary on the heap, in the form of the release. `bytes` may be more than the content has.
  beam::Eterm binary(std::string_view content, std::uint64_t bytes) {
    return vm_.layout.heap_bits.bits.present() ? binary(0x20, content, bytes * 8)
                                               : binary(0x24, content, bytes);
  }
  // `subtag` and `size` are what the first two words say.
  beam::Eterm binary(beam::Eterm subtag, std::string_view content, std::uint64_t size) {
    const std::size_t in_words = (content.size() + 7) / 8;
    std::vector<beam::Eterm> words = {beam::Eterm{1 + in_words} << 6 | subtag, size};
    words.resize(2 + in_words);
    std::memcpy(words.data() + 2, content.data(), content.size());
    return put(words) | 2;
  }

  os::Address begin() const { return 0x7c0000000000; }
  std::uint32_t bytes() const { return used_; }

 private:
  static constexpr std::uint32_t most_bytes = 1 << 16;
  os::Address put(const std::vector<beam::Eterm>& words) {
    const os::Address at = begin() + used_;
    vm_.memory.put_array(at, words);
    used_ += static_cast<std::uint32_t>(words.size() * 8);
    return at;
  }

  FakeVm& vm_;
  std::uint32_t used_ = 0;
};

}  // namespace beam_exporter::tests
