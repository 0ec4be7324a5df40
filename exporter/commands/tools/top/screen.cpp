// Before curses.h, which else would define `clear`, `timeout` and others as macros.
#define NCURSES_NOMACROS
#include "commands/tools/top/screen.h"

#include <curses.h>
#include <unistd.h>
#include <wchar.h>

#include <array>
#include <clocale>
#include <cstdlib>
#include <string_view>

#include "text/utf8.h"

namespace beam_exporter::commands {

namespace {

constexpr int milliseconds_of_escape = 25;  // until Esc is no beginning of another key

// A tool has one thread. NOLINTBEGIN(concurrency-mt-unsafe)
bool may_draw() {
  const char* term = std::getenv("TERM");
  return isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 && term != nullptr &&
         *term != '\0' && std::string_view(term) != "dumb";
}

// The locale tells how the terminal writes characters. Without one, as in most containers, it is
// UTF-8 all the same.
void take_locale() {
  const char* chosen = std::setlocale(LC_CTYPE, "");
  const std::string_view name = chosen == nullptr ? "C" : chosen;
  if (name == "C" || name == "POSIX") std::setlocale(LC_CTYPE, "C.UTF-8");
}
// NOLINTEND(concurrency-mt-unsafe)

// As much of the text as fits into so many columns. What has no width of its own is shown as '?'.
std::wstring fitting(std::string_view text, int columns) {
  std::wstring shown;
  while (!text.empty()) {
    const auto length = text::utf8_length(text);
    auto character =
        length == 0 ? L'?' : static_cast<wchar_t>(text::code_point(text.substr(0, length)));
    if (wcwidth(character) < 0) character = L'?';
    columns -= wcwidth(character);
    if (columns < 0) break;
    shown += character;
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return shown;
}

constexpr std::array<short, 6> colours = {COLOR_YELLOW,  COLOR_GREEN, COLOR_CYAN, COLOR_BLUE,
                                          COLOR_MAGENTA, COLOR_WHITE};  // by FunctionKind
static_assert(colours.size() == profile::function_kind_names.size());

// Pair 0 is the terminal's own.
short pair_of(profile::FunctionKind kind) { return static_cast<short>(1 + static_cast<int>(kind)); }

// Whether the terminal has them.
bool take_colours() {
  if (!has_colors() || start_color() == ERR) return false;
  use_default_colors();
  for (std::size_t kind = 0; kind < colours.size(); ++kind)
    if (init_pair(pair_of(static_cast<profile::FunctionKind>(kind)), COLOR_BLACK, colours[kind]) ==
        ERR)
      return false;
  return true;
}

attr_t attribute_of(LineStyle style) {
  switch (style) {
    case LineStyle::plain:
      break;
    case LineStyle::bold:
      return A_BOLD;
    case LineStyle::reverse:
      return A_REVERSE;
  }
  return A_NORMAL;
}

}  // namespace

std::unique_ptr<Screen> Screen::open() {
  if (!may_draw()) return nullptr;
  take_locale();
  SCREEN* terminal = newterm(nullptr, stdout, stdin);
  if (terminal == nullptr) return nullptr;
  cbreak();
  noecho();
  keypad(stdscr, TRUE);
  nodelay(stdscr, TRUE);
  curs_set(0);
  set_escdelay(milliseconds_of_escape);
  return std::unique_ptr<Screen>(new Screen(terminal, take_colours()));
}

Screen::~Screen() {
  endwin();
  delscreen(terminal_);
}

ScreenSize Screen::size() const {
  return {static_cast<std::size_t>(getmaxy(stdscr)), static_cast<std::size_t>(getmaxx(stdscr))};
}

void Screen::draw(const std::vector<ScreenLine>& lines) {
  erase();
  for (std::size_t k = 0; k < lines.size() && k < size().rows; ++k) {
    const auto shown = fitting(lines[k].text, getmaxx(stdscr));
    attrset(static_cast<int>(attribute_of(lines[k].style)));
    const auto row = static_cast<int>(k);
    mvaddnwstr(row, 0, shown.c_str(), static_cast<int>(shown.size()));
    if (!coloured_) continue;
    for (const auto& box : lines[k].boxes)
      mvchgat(row, static_cast<int>(box.begin), static_cast<int>(box.columns), A_NORMAL,
              pair_of(box.kind), nullptr);
  }
  refresh();
}

std::optional<int> Screen::key() {
  const int key = getch();
  switch (key) {
    case ERR:
      return std::nullopt;
    case KEY_ENTER:
    case '\r':
      return key_enter;
    case KEY_BACKSPACE:
    case '\b':
      return key_backspace;
    default:
      return key <= 0xff ? key : 0;
  }
}

}  // namespace beam_exporter::commands
