#include "fakes/fake_memory.h"

#include <algorithm>
#include <cstring>

namespace beam_exporter::tests {

bool FakeMemory::read(os::Address from, std::span<std::byte> into) const {
  ++reads_;
  if (before_read) before_read(from, into.size());
  while (!into.empty()) {
    const std::size_t offset = from % page_bytes;
    const std::size_t length = std::min(page_bytes - offset, into.size());
    const auto page = pages_.find(from / page_bytes);
    if (page == pages_.end() ||
        std::memchr(page->second.there.data() + offset, 0, length) != nullptr)
      return false;
    std::memcpy(into.data(), page->second.bytes.data() + offset, length);
    into = into.subspan(length);
    from += length;
  }
  return true;
}

std::vector<FakeMemory::Piece> FakeMemory::pieces() const {
  std::vector<Piece> all;
  for (const auto& [number, page] : pages_) {
    for (std::size_t k = 0; k < page_bytes; ++k) {
      if (page.there[k] == 0) continue;
      const os::Address at = number * page_bytes + k;
      if (all.empty() || all.back().begin + all.back().bytes.size() != at) all.push_back({at, {}});
      all.back().bytes.push_back(page.bytes[k]);
    }
  }
  return all;
}

void FakeMemory::put_bytes(os::Address at, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const std::size_t offset = at % page_bytes;
    const std::size_t length = std::min(page_bytes - offset, bytes.size());
    Page& page = pages_[at / page_bytes];
    std::memcpy(page.bytes.data() + offset, bytes.data(), length);
    std::memset(page.there.data() + offset, 1, length);
    bytes = bytes.subspan(length);
    at += length;
  }
}

void FakeMemory::put_text(os::Address at, std::string_view text) {
  put_bytes(at, std::as_bytes(std::span(text)));
}

void FakeMemory::put_zeros(os::Address at, std::size_t bytes) {
  put_bytes(at, std::vector<std::byte>(bytes));
}

void FakeMemory::forget(os::Address at, std::size_t bytes) {
  for (std::size_t k = 0; k < bytes; ++k)
    if (const auto page = pages_.find((at + k) / page_bytes); page != pages_.end())
      page->second.there[(at + k) % page_bytes] = 0;
}

}  // namespace beam_exporter::tests
