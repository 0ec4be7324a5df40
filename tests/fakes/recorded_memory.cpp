#include "fakes/recorded_memory.h"

#include <fstream>
#include <iterator>
#include <stdexcept>

namespace beam_exporter::tests {

namespace {

// To count a shorter run of zeros takes more bytes than to keep it.
constexpr std::size_t shortest_run = 4;

class Writer {
 public:
  void number(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) text_ += static_cast<char>(value | 0x80);
    text_ += static_cast<char>(value);
  }
  void bytes(std::span<const std::byte> all) {
    for (const std::byte byte : all) text_ += static_cast<char>(byte);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

class Reader {
 public:
  explicit Reader(std::string text) : text_(std::move(text)) {}
  bool done() const { return at_ == text_.size(); }
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(next());
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return value;
    }
  }
  char next() {
    if (done()) throw std::runtime_error("a recording ends too early");
    return text_[at_++];
  }

 private:
  std::string text_;
  std::size_t at_ = 0;
};

std::size_t zeros_at(std::span<const std::byte> bytes, std::size_t at) {
  std::size_t count = 0;
  while (at + count < bytes.size() && bytes[at + count] == std::byte{0}) ++count;
  return count;
}

}  // namespace

bool RecordingMemory::read(os::Address from, std::span<std::byte> into) const {
  if (!source_->read(from, into)) return false;
  seen_.put_bytes(from, into);
  return true;
}

void RecordingMemory::read_batch(std::span<os::ReadRequest> requests) const {
  source_->read_batch(requests);
  for (const auto& request : requests)
    if (request.ok) seen_.put_bytes(request.from, request.into);
}

// A piece: the gap before it, its length, then zeros and other bytes in turn until it is full.
void write_memory(const FakeMemory& memory, const std::string& path) {
  Writer out;
  os::Address last = 0;
  for (const auto& [begin, bytes] : memory.pieces()) {
    out.number(begin - last);
    out.number(bytes.size());
    last = begin + bytes.size();
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t zeros = zeros_at(bytes, at);
      out.number(zeros);
      at += zeros;
      std::size_t end = at;
      while (end < bytes.size()) {
        const std::size_t run = zeros_at(bytes, end);
        if (run >= shortest_run || (run > 0 && end + run == bytes.size())) break;
        end += std::max<std::size_t>(run, 1);
      }
      out.number(end - at);
      out.bytes(std::span(bytes).subspan(at, end - at));
      at = end;
    }
  }
  std::ofstream file(path, std::ios::binary);
  if (!(file << out.text()).flush()) throw std::runtime_error("cannot write " + path);
}

void read_memory(const std::string& path, FakeMemory& memory) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot open " + path);
  Reader in(std::string(std::istreambuf_iterator<char>(file), {}));
  os::Address last = 0;
  while (!in.done()) {
    const os::Address begin = last + in.number();
    std::vector<std::byte> bytes(in.number());
    for (std::size_t at = 0; at < bytes.size();) {
      at += in.number();
      for (auto others = in.number(); others > 0; --others)
        bytes.at(at++) = static_cast<std::byte>(in.next());
    }
    memory.put_bytes(begin, bytes);
    last = begin + bytes.size();
  }
}

}  // namespace beam_exporter::tests
