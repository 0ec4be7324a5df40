#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string_view>

namespace beam_exporter::sampling {

// Why samples were lost before we could read them. The names are values of a label.
enum class Loss { ring_full, no_user_state, malformed, missed };
inline constexpr std::array<std::string_view, 4> loss_names = {"ring_full", "no_user_state",
                                                               "malformed", "missed"};

struct Losses {
  std::array<std::uint64_t, loss_names.size()> count{};

  std::uint64_t& operator[](Loss loss) { return count[static_cast<std::size_t>(loss)]; }
};

// The time that taking the samples has cost the sampled threads.
struct SourceCost {
  std::uint64_t runs = 0;
  std::chrono::nanoseconds time{};
};

// Samples in the interpreter's own code in which the process held the stack pointer and the
// instruction was one, and the others. Both 0 where its code has proven that it always is so.
struct InterpreterProofs {
  std::uint64_t held = 0, failed = 0;
};

}  // namespace beam_exporter::sampling
