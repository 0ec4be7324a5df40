#include "beam/processes/process_scan.h"

#include <algorithm>

#include "beam/processes/process_fields.h"
#include "beam/processes/process_structs.h"
#include "beam/processes/process_table.h"

namespace beam_exporter::beam {

namespace {

// How many bytes of each struct we read: up to the last member that we use.
std::uint32_t bytes_needed(const ProcessLayout& process) {
  std::uint32_t end = 0;
  for (const Row& row : rows_of(process))
    if (row.present()) end = std::max(end, row.offset + row.width);
  return end;
}

using Used = ProcessTable::Used;

constexpr std::size_t scanned_together = 16384;
class Scanner {
 public:
  Scanner(const Layout& layout, const os::Memory& memory, ProcessTable& table)
      : at_(layout.process),
        table_(&table),
        structs_(memory, bytes_needed(layout.process)),
        batch_(layout, memory) {}

  void scan(std::span<const Used> used) {
    batch_.clear();
    slots_ += used.size();
    // A slot without its own process has either changed while we read, or the layout is wrong.
    constexpr int most_looks = 3;
    for (int looks = 1; !used.empty(); ++looks) {
      moved_.clear();
      structs_.read(used, [&](const Used& one, std::span<const std::byte> bytes) {
        if (!take(one, StructBytes(bytes))) moved_.push_back(one);
      });
      scan_.torn += moved_.size();
      now_ = moved_;
      table_->look_again(now_);
      still_.clear();
      for (std::size_t k = 0; k < moved_.size(); ++k)
        if (now_[k].process == moved_[k].process) still_.push_back(moved_[k]);
      if (looks == most_looks) {
        contradictions_ += still_.size();
        break;
      }
      used = still_;
    }
    batch_.finish();
    scan_.processes += batch_.processes().size();
  }

  // Those of the last scan().
  const std::vector<ScannedProcess>& processes() const { return batch_.processes(); }
  bool contradicts() const { return contradictions_ > slots_ / 8; }
  ProcessScan result() const {
    ProcessScan scan = scan_;
    scan.torn += batch_.torn();
    scan.unmeasured_messages = batch_.unmeasured_messages();
    scan.reads = structs_.reads() + batch_.reads();
    scan.count = table_->count().value_or(0);
    scan.ids = table_->id_form();
    return scan;
  }

 private:
  bool take(const Used& used, StructBytes process) {
    return table_->owns(used.slot, process.get(at_.id).value_or(0)) &&
           (process.get(at_.state).value_or(0) & process_flags::free) == 0 &&
           batch_.add(used.process, process);
  }

  const ProcessLayout& at_;
  ProcessTable* table_;
  ProcessStructs structs_;
  ProcessBatch batch_;
  std::vector<Used> moved_, now_, still_;
  ProcessScan scan_;
  std::uint64_t slots_ = 0, contradictions_ = 0;
};

}  // namespace

std::optional<ProcessScan> scan_processes(const Layout& layout, const os::Memory& memory,
                                          os::Address table,
                                          const std::function<void(const ScannedProcess&)>& take) {
  auto processes = ProcessTable::open(layout, memory, table);
  if (!processes) return std::nullopt;
  Scanner scanner(layout, memory, *processes);
  const bool read = processes->read_all(scanned_together, [&](std::span<const Used> used) {
    scanner.scan(used);
    std::ranges::for_each(scanner.processes(), take);
  });
  if (!read) return std::nullopt;
  if (scanner.contradicts()) return std::nullopt;
  return scanner.result();
}

}  // namespace beam_exporter::beam
