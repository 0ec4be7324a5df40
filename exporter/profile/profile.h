#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// Samples of a time window, kept as stacks. All that knows of a VM has become text: a profile
// outlives the VM. Made by Recorder or read from a file; every view of it is a file of this folder.
// Plain data.
namespace beam_exporter::profile {

enum class FunctionKind : std::uint8_t {
  erlang,
  bif,     // an Erlang function that the VM implements in C
  nif,     // one that a library implements in C
  native,  // a C function
  kernel,  // a function of the Linux kernel
  other,   // what no function asked for: "signals", "scheduling", a missing part of the stack
};
inline constexpr std::array<std::string_view, 6> function_kind_names = {
    "erlang", "bif", "nif", "native", "kernel", "other"};

// Stands behind the name of a kernel function, as flamegraph.pl knows it.
inline constexpr std::string_view kernel_mark = "_[k]";

struct Function {
  FunctionKind kind = FunctionKind::native;
  bool elixir = false;  // `module` has lost its "Elixir."
  std::string module;   // "" unless erlang, bif or nif
  std::string name;     // "sort/1"; of native ones what the symbol says
  std::string file;     // "lists.erl"; "": not known
  friend bool operator==(const Function&, const Function&) = default;

  // As people write it: "lists:sort/1", "MyApp.Foo.bar/1", "copy_struct", "vfs_read_[k]",
  // "[signals]".
  std::string text() const;
};

using Index = std::uint32_t;  // into the vectors of one Profile

struct Frame {
  Index function = 0;
  std::uint32_t line = 0;  // 0: not known
  friend bool operator==(const Frame&, const Frame&) = default;
};

// What is the same of all samples that are counted together, besides their stack.
struct Labels {
  std::string thread;                     // kind of the thread: "normal", "dirty_cpu", ...
  int number = 0;                         // of the scheduler, from 1; 0: it has none
  std::string state;                      // of microstate accounting
  std::string process;                    // what people call it; "": no process
  std::vector<std::string> natives = {};  // blamed native functions or families that it is work of
  friend bool operator==(const Labels&, const Labels&) = default;
};

struct Entry {
  Index stack = 0, labels = 0;
  std::uint64_t samples = 0;
  std::chrono::nanoseconds cpu_time{};
};

struct Profile {
  std::vector<Function> functions;
  std::vector<Frame> frames;
  std::vector<std::vector<Index>> stacks;  // of frames, the innermost first
  std::vector<Labels> labels;
  std::vector<Entry> entries;  // each pair of stack and labels once

  std::chrono::system_clock::time_point begin{};
  std::chrono::nanoseconds duration{};
  std::chrono::nanoseconds period{};  // CPU time between two samples of a thread
  std::string target;                 // "OTP 27 (erts 15.2.7, jit), pid 42"
  std::uint64_t lost = 0;             // samples that are in no entry
  bool ended_early = false;           // the VM was gone before `duration` was over

  std::uint64_t samples() const;
  std::chrono::nanoseconds cpu_time() const;
  const Function& function_of(Index frame) const { return functions[frames[frame].function]; }
};

// How far a share of `part` of `samples` may be off, as 95 of 100 repetitions are: in [0, 1].
double share_error(std::uint64_t part, std::uint64_t samples);

}  // namespace beam_exporter::profile
