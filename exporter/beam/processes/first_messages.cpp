#include "beam/processes/first_messages.h"

#include "beam/layout/remote_struct.h"

namespace beam_exporter::beam {

namespace {

constexpr std::uint64_t most_signals_between = 1000;
// THE_NON_VALUE, erl_term.h (OTP 25 and 27): a message that is not decoded yet.
constexpr Eterm not_yet_decoded = 0;

// Another signal begins with a header word, which has its own tag (ERTS_SIG_IS_NON_MSG,
// erl_message.h, OTP 25 and 27).
bool is_signal(Eterm term) { return term != not_yet_decoded && (term & 3) == 0; }

}  // namespace

FirstMessages first_messages(const Layout& layout, const os::Memory& memory, os::Address process,
                             Eterm id, std::size_t most) {
  const auto& at = layout.process;
  const auto& message = layout.message;
  FirstMessages found;
  if (!message.next.present() || !message.term.present() || !at.inner_first.present())
    return {.torn = true};
  for (const auto& first : {at.inner_first, at.middle_first, at.incoming_first}) {
    const auto begin = read_field(memory, process, first);
    if (!begin) return {.torn = true};
    for (os::Address place = *begin; place != 0 && found.terms.size() < most && !found.torn;) {
      const auto term = read_field(memory, place, message.term);
      const auto next = read_field(memory, place, message.next);
      found.torn = place % 8 != 0 || !term || !next || found.signals == most_signals_between;
      if (found.torn) break;
      if (is_signal(*term))
        ++found.signals;
      else
        found.terms.push_back(*term);
      place = *next;
    }
    if (found.torn) break;
  }
  if (read_field(memory, process, at.id) != id) return {.torn = true};
  return found;
}

}  // namespace beam_exporter::beam
