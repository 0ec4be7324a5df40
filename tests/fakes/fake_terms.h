#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "fakes/fake_vm.h"

namespace beam_exporter::tests {

// Terms on a heap of their own in the memory of a FakeVm (erl_term.h), for readers to follow.
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
  // On the heap, in the form of the release; `bytes` may be more than there are.
  beam::Eterm binary(std::string_view content, std::uint64_t bytes) {
    const bool bits = vm_.layout.heap_binary.bits.present();
    std::vector<beam::Eterm> words = {0x24, bits ? bytes * 8 : bytes};
    words.resize(2 + (content.size() + 7) / 8);
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
