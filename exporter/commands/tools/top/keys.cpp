#include "commands/tools/top/keys.h"

#include <utility>

namespace beam_exporter::commands {

namespace {

constexpr std::size_t longest_filter = 100;

void toggle(TopView& view, TopView other) { view = view == other ? TopView::functions : other; }

// The last character may have several bytes of UTF-8.
void remove_last(std::string& text) {
  const auto inside_character = [](char byte) { return (byte & 0xc0) == 0x80; };
  while (!text.empty() && inside_character(text.back())) text.pop_back();
  if (!text.empty()) text.pop_back();
}

void type(TopScreenState& state, int key) {
  auto& typed = *state.typed;
  if (key == key_enter) {
    state.choice.filter = std::move(typed);
    state.typed.reset();
  } else if (key == key_escape) {
    state.typed.reset();
  } else if (key == key_backspace) {
    remove_last(typed);
  } else if (key >= ' ' && key <= 0xff && typed.size() < longest_filter) {
    typed += static_cast<char>(key);
  }
}

}  // namespace

void press(TopScreenState& state, int key) {
  if (state.typed) return type(state, key);
  const bool had_help = std::exchange(state.help, false);
  switch (key) {
    case 'q':
      state.quit = true;
      break;
    case 's':
      state.choice.by_inclusive = false;
      break;
    case 'i':
      state.choice.by_inclusive = true;
      break;
    case 'b':
      toggle(state.choice.view, TopView::called);
      break;
    case 'p':
      toggle(state.choice.view, TopView::processes);
      break;
    case 't':
      toggle(state.choice.view, TopView::states);
      break;
    case 'f':
      toggle(state.choice.view, TopView::flame);
      break;
    case 'e':
      state.choice.only_erlang = !state.choice.only_erlang;
      break;
    case 'm':
    case '/':
      state.typed.emplace();
      break;
    case ' ':
      state.frozen = !state.frozen;
      break;
    case '?':
    case 'h':
      state.help = !had_help;
      break;
    default:
      break;
  }
}

}  // namespace beam_exporter::commands
