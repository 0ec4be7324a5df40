#include <algorithm>
#include <sstream>

#include "commands/tools/memory_report.h"
#include "text/bytes.h"
#include "text/printed.h"
#include "verdict/composition.h"
#include "verdict/memory_rules.h"

namespace beam_exporter::commands {

namespace {

using text::bytes_text;
using text::printed;
using verdict::CarrierUse;

constexpr std::size_t widest_line = 110;
constexpr double least_shown = 1024 * 1024;

// Words in lines of bounded length; the lines after the first are indented.
std::string wrapped(const std::string& first, const std::string& indent, std::string_view words) {
  std::istringstream in{std::string(words)};
  std::string out, line = first;
  bool begun = false;
  for (std::string word; in >> word; begun = true) {
    if (begun && line.size() + 1 + word.size() > widest_line) {
      out += line + "\n";
      line = indent;
      begun = false;
    }
    line += (begun ? " " : "") + word;
  }
  return out + line + "\n";
}

std::string limit_text(const verdict::MemoryFacts& facts) {
  if (!facts.limit) return "";
  const auto bytes = [](std::uint64_t value) { return bytes_text(static_cast<double>(value)); };
  const auto& limit = *facts.limit;
  return "control group " + limit.group + " (v" + std::to_string(limit.version) +
         "): " + bytes(limit.held()) + " of " + bytes(limit.limit) + " held, " +
         bytes(limit.left()) + " left (and " + bytes(limit.reclaimable) +
         " of files that the kernel takes back first)";
}

void print_findings(const verdict::MemoryFacts& facts, std::ostream& out) {
  const auto findings = verdict::judge(facts);
  if (findings.empty()) {
    out << "\nVerdict: nothing to mend" << (facts.unread.empty() ? "" : " in what could be read")
        << ".\n";
    return;
  }
  out << "\nVerdict: " << findings.size() << (findings.size() == 1 ? " finding" : " findings")
      << ", the largest first\n";
  for (std::size_t k = 0; k < findings.size(); ++k) {
    const auto& [rule, sight, told, advice] = findings[k];
    out << "\n" << wrapped(std::to_string(k + 1) + ". ", "   ", told);
    out << wrapped("   Do: ", "       ", advice);
    out << wrapped("   See: ", "        ",
                   std::string(rule->source) + " [" + std::string(rule->name) + "]");
  }
}

void print_composition(const verdict::MemoryFacts& facts, std::ostream& out) {
  const auto parts = verdict::composition(facts);
  if (parts.empty()) return;
  out << "\nWhat the resident memory is made of\n\n      bytes      %   off by\n";
  const auto line = [&](double bytes, double off, const std::string& what) {
    out << printed("%11s %5.1f%% %9s  ", bytes_text(bytes).c_str(),
                   facts.resident > 0 ? 100 * bytes / facts.resident : 0,
                   off > 0 ? bytes_text(off).c_str() : "")
        << what << "\n";
  };
  double rest = 0, rest_off = 0;
  for (const auto& part : parts) {
    if (part.bytes >= 0.01 * facts.resident) {
      line(part.bytes, part.may_be_off,
           (part.allocator.empty() ? part.name : part.allocator) + ": " + part.meaning);
      continue;
    }
    rest += part.bytes;
    rest_off += part.may_be_off;
  }
  line(rest, rest_off, "parts of less than 1 %; --format=json has them");
  out << "Off by: pages of blocks that nobody has touched. Blocks may be less by so much, free "
         "memory more.\n";
  out << "The resident memory changed by " << bytes_text(facts.moved) << " during the look.\n";
}

}  // namespace

void print_free_in_carriers(const verdict::MemoryFacts& facts, std::ostream& out) {
  auto allocators = facts.allocators;
  const auto free = [](const verdict::AllocatorFacts& one) {
    double sum = 0;
    for (const auto& group : one.by_use) sum += group.least_wasted();
    return sum;
  };
  std::ranges::sort(allocators, [&](const auto& a, const auto& b) { return free(a) > free(b); });
  if (allocators.empty() || free(allocators.front()) < least_shown) return;
  out << "\nFree memory inside carriers, by allocator (up to 1 MiB is left out)\n\n"
         "       free nearly empty small holes large holes well used single block\n";
  for (const auto& one : allocators) {
    if (free(one) < least_shown) continue;
    const auto in = [&](CarrierUse use) { return bytes_text(one[use].least_wasted()); };
    out << printed("%11s %12s %11s %11s %9s %12s  ", bytes_text(free(one)).c_str(),
                   in(CarrierUse::nearly_empty).c_str(), in(CarrierUse::small_holes).c_str(),
                   in(CarrierUse::large_holes).c_str(), in(CarrierUse::well_used).c_str(),
                   in(CarrierUse::single_block).c_str())
        << one.name << "\n";
  }
}

void print_memory(const std::string& target, const verdict::MemoryFacts& facts, std::ostream& out) {
  out << target << ": " << bytes_text(facts.resident) << " resident";
  const auto limit = limit_text(facts);
  const bool unknown = std::ranges::any_of(
      facts.unread, [](const auto& what) { return what.starts_with("the memory limit"); });
  out << (!limit.empty() ? "\n" + limit : unknown ? "" : ", no limit of a control group") << "\n";
  for (const auto& what : facts.unread) out << "not readable: " << what << "\n";
  print_findings(facts, out);
  print_composition(facts, out);
  print_free_in_carriers(facts, out);
}

}  // namespace beam_exporter::commands
