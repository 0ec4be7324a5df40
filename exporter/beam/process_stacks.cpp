#include "beam/process_stacks.h"

#include <algorithm>
#include <chrono>

#include "beam/code/stack_walker.h"
#include "beam/processes/process_structs.h"
#include "beam/processes_of_vm.h"

namespace beam_exporter::beam {

namespace {

// Most stacks have some tens of words. 4 MiB for the stacks that are read together.
constexpr std::size_t most_top_words = 448, most_bottom_words = 64;
constexpr std::size_t read_together = 1024;

// A name is given as of the last refresh of the code.
constexpr auto as_known_now = std::chrono::nanoseconds::max();

using Used = ProcessTable::Used;

bool same_stack(const ProcessFields& before, const ProcessFields& after) {
  return before.id == after.id && before.i == after.i && before.stop == after.stop &&
         before.hend == after.hend && before.htop == after.htop && before.state == after.state;
}

class StackScanner {
 public:
  StackScanner(const VirtualMachine& vm, CodeIndex& code, ProcessTable& table,
               const std::function<void(const ProcessStack&)>& take)
      : vm_(vm),
        code_(code),
        table_(table),
        take_(take),
        structs_(vm.memory(), vm.layout().process.size),
        batch_(vm.layout(), vm.memory()) {}

  // Returns those that have changed meanwhile.
  std::vector<Used> scan(std::span<const Used> used) {
    std::vector<std::optional<ProcessFields>> before;
    before.reserve(used.size());
    look(used, [&](std::size_t, std::optional<ProcessFields> fields, StructBytes) {
      before.push_back(fields);
    });
    read_stacks(before);
    std::vector<std::size_t> same;
    std::vector<Used> changed;
    batch_.clear();
    look(used, [&](std::size_t k, std::optional<ProcessFields> after, StructBytes bytes) {
      if (before[k] && after && same_stack(*before[k], *after) &&
          batch_.add(used[k].process, bytes))
        same.push_back(k);
      else
        changed.push_back(used[k]);
    });
    batch_.finish();
    for (std::size_t n = 0; n < same.size(); ++n)
      hand_over(*before[same[n]], places_[same[n]], batch_.processes()[n]);
    return changed;
  }

  std::uint64_t unmeasured_messages() const { return batch_.unmeasured_messages(); }
  std::uint64_t taken() const { return taken_; }

 private:
  struct Place {
    std::size_t top = 0, top_words = 0, bottom = 0, bottom_words = 0;  // in words_
    std::size_t first_request = 0, requests = 0;
  };

  // Calls take(index, fields, bytes) for all of them; nullopt: it is no process any more.
  template <class Take>
  void look(std::span<const Used> used, Take take) {
    std::size_t index = 0;
    structs_.read(used, [&](const Used& one, std::span<const std::byte> bytes) {
      auto fields = bytes.empty() ? std::nullopt : process_from(vm_.layout(), one.process, bytes);
      if (fields &&
          (!table_.owns(one.slot, fields->id) || (fields->state & process_flags::free) != 0))
        fields.reset();
      take(index++, fields, StructBytes(bytes));
    });
  }

  void read_stacks(const std::vector<std::optional<ProcessFields>>& processes) {
    places_.assign(processes.size(), {});
    words_.resize(processes.size() * (most_top_words + most_bottom_words));
    requests_.clear();
    std::size_t used = 0;
    const auto request = [&](os::Address from, std::size_t words) {
      const std::span<std::uint64_t> into(words_.data() + used, words);
      requests_.push_back({from, std::as_writable_bytes(into)});
      used += words;
      return used - words;
    };
    for (std::size_t k = 0; k < processes.size(); ++k) {
      const auto& process = processes[k];
      if (!process || process->running() || !process->holds(process->stop)) continue;
      Place& place = places_[k];
      const std::size_t words = (process->hend - process->stop) / 8;
      place.first_request = requests_.size();
      place.top_words = std::min(words, most_top_words);
      place.top = request(process->stop, place.top_words);
      place.bottom_words = std::min(words - place.top_words, most_bottom_words);
      if (place.bottom_words > 0)
        place.bottom = request(process->hend - place.bottom_words * 8, place.bottom_words);
      place.requests = requests_.size() - place.first_request;
    }
    vm_.memory().read_batch(requests_);
  }

  void hand_over(const ProcessFields& process, const Place& place, const ScannedProcess& figures) {
    ++taken_;
    ProcessStack out{.process = process, .figures = figures};
    if (read_wholly(place)) {
      StackTop top{.instruction = process.i};
      if (vm_.frame_pointers()) top.frame_pointer = process.frame_pointer;
      StackWords words;
      words.top = {process.stop, {words_.data() + place.top, place.top_words}};
      if (place.bottom_words > 0)
        words.bottom = {process.hend - place.bottom_words * 8,
                        {words_.data() + place.bottom, place.bottom_words}};
      out.stack = walk_stack(code_, top, words, as_known_now);
    }
    take_(out);
  }

  bool read_wholly(const Place& place) const {
    const auto requests = std::span(requests_).subspan(place.first_request, place.requests);
    return !requests.empty() && std::ranges::all_of(requests, &os::ReadRequest::ok);
  }

  const VirtualMachine& vm_;
  CodeIndex& code_;
  ProcessTable& table_;
  const std::function<void(const ProcessStack&)>& take_;
  ProcessStructs structs_;
  ProcessBatch batch_;
  std::vector<Place> places_;
  std::vector<std::uint64_t> words_;
  std::vector<os::ReadRequest> requests_;
  std::uint64_t taken_ = 0;
};

}  // namespace

std::optional<ProcessStackScan> scan_process_stacks(
    const VirtualMachine& vm, CodeIndex& code,
    const std::function<void(const ProcessStack&)>& take) {
  auto table = process_table(vm);
  if (!table) return std::nullopt;
  StackScanner scanner(vm, code, *table, take);
  ProcessStackScan scan;
  const bool read = table->read_all(read_together, [&](std::span<const Used> used) {
    const auto changed = scanner.scan(used);
    scan.torn += scanner.scan(changed).size();
  });
  if (!read) return std::nullopt;
  scan.processes = scanner.taken();
  scan.unmeasured_messages = scanner.unmeasured_messages();
  scan.ids = table->id_form();
  return scan;
}

}  // namespace beam_exporter::beam
