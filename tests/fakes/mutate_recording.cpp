// Writes a copy of a recording (recording.h) with changes (mutation.h), for a fuzzer to begin with:
// mutate_recording NAME SEED OUT
#include <charconv>
#include <filesystem>
#include <iostream>
#include <stdexcept>
#include <string_view>

#include "fakes/mutation.h"
#include "fakes/recorded_memory.h"
#include "fakes/recording.h"
#include "fakes/whole_look.h"

namespace {

using namespace beam_exporter;

std::uint64_t number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size())
    throw std::runtime_error("no number: " + std::string(text));
  return value;
}

void mutate(const std::string& name, std::uint64_t seed, const std::string& out) {
  tests::Recording recording(name);
  tests::ReadLog log(recording.memory);
  if (!tests::look_at_all(log, recording.description()).attached)
    throw std::runtime_error("cannot attach to " + name);
  const tests::Mutation mutation(recording.memory, log, seed);
  tests::write_memory(recording.memory, out + ".memory");
  std::filesystem::copy_file(tests::recording_path(name) + ".json", out + ".json",
                             std::filesystem::copy_options::overwrite_existing);
  std::cout << mutation.text() << "\n";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: mutate_recording NAME SEED OUT, as in: mutate_recording otp-25 1 seed-1\n";
    return 2;
  }
  try {
    mutate(argv[1], number(argv[2]), argv[3]);
  } catch (const std::exception& failure) {
    std::cerr << "mutate_recording: " << failure.what() << "\n";
    return 1;
  }
}
