#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "beam/virtual_machine.h"
#include "fakes/fake_memory.h"
#include "fakes/small_elf.h"

namespace beam_exporter::tests {

struct FakeLine {
  std::uint64_t offset = 0;  // from the start of the function's ErtsCodeInfo
  std::uint32_t file = 0;    // 0: the module's own, else an index into FakeModule::files from 1
  std::uint32_t line = 0;
};

struct FakeFunction {
  std::string name;
  unsigned arity = 0;
  std::vector<FakeLine> lines = {};
};

struct FakeModule {
  std::string name;
  std::vector<FakeFunction> functions;
  std::vector<std::u32string> files = {};
  std::uint32_t location_bytes = 4;
  bool with_lines = false;
  char version = 'a';  // ends up in the MD5 only
};

// A small, consistent VM laid out by a Layout, for unit tests to read, attach to and corrupt. Born
// with the modules every VM has, two normal and two dirty schedulers, and three processes.
class FakeVm {
 public:
  explicit FakeVm(beam::Layout layout);
  FakeVm(const FakeVm&) = delete;

  FakeMemory memory;
  const beam::Layout layout;

  // The term of that name, made when it is new.
  beam::Eterm atom(std::string_view name);
  os::Address atom_object(beam::Eterm term) const { return atom_objects_.at(term); }

  // Loads and commits as a VM does: the next of the three tables, then the active index. `at`
  // chooses the place of the code, for loads to where another module was.
  os::AddressRange load(const FakeModule& module, os::Address at = 0);
  // What purging does to the active table: the entry ends where it starts.
  void purge(os::AddressRange range);
  // Start of a function's ErtsCodeInfo.
  os::Address function_start(os::AddressRange module, std::size_t function) const;
  // Makes the bytes before `return_address` a call; `return_address` again.
  os::Address place_call(os::Address return_address);
  std::uint32_t active_index() const { return active_index_; }
  void set_active_index(std::uint32_t index);
  void commit();

  os::Address spawn(const std::string& module, const std::string& function, unsigned arity);
  // Puts these words, youngest first, at the old end of that process's heap area; c_p->stop.
  os::Address set_stack(os::Address process, const std::vector<std::uint64_t>& words);
  void set_slot(std::uint32_t slot, os::Address element) {
    memory.put(slots_ + slot * 8ULL, element);
  }

  // A list of these characters.
  beam::Eterm string(const std::u32string& text);
  os::Address allocate(std::size_t bytes);  // zeroed, 64-byte aligned

  // Where things are, below any code of a test program; all but `ranges` are exported symbols.
  static constexpr os::Address bias = 0x100000000, data_begin = bias + 0x10000;
  static constexpr std::size_t data_bytes = 0x4000;
  static constexpr os::Address atom_table = data_begin, process_table = data_begin + 0x400,
                               scheduler_arrays = data_begin + 0x800,
                               active_index_place = data_begin + 0x900,
                               frame_layout = data_begin + 0x910, ranges = data_begin + 0xa00;
  static constexpr std::uint32_t process_slots = 16;
  beam::CodeRangesPlace code_place() const { return {ranges, active_index_place}; }

  std::vector<os::Address> schedulers;  // normal 1, 2, dirty CPU 1, dirty I/O 1
  std::vector<os::Address> processes;
  os::AddressRange erlang, init, erl_prim_loader;
  std::chrono::nanoseconds now{1000};  // the clock of whoever attaches
  // What attach() finds besides: symbols of the executable, and lines of /proc/PID/maps that lie
  // between its data and its code.
  std::vector<SmallElf::Symbol> more_symbols;
  std::vector<std::string> more_mappings;

  beam::CodeIndex::Clock clock() const {
    return [this] { return now; };
  }
  elf::Image image() const;
  os::Result<std::unique_ptr<beam::VirtualMachine>> attach() const;

 private:
  void make_schedulers();
  void write_lines(const FakeModule& module, os::AddressRange range,
                   const std::vector<os::Address>& starts);

  std::map<std::string, beam::Eterm, std::less<>> atoms_;
  std::map<beam::Eterm, os::Address> atom_objects_;
  os::Address atom_segments_ = 0;
  os::Address next_heap_ = heap_begin, next_code_ = code_begin;
  std::vector<os::AddressRange> code_;  // the active table, ascending
  os::Address active_table_ = 0;
  std::uint32_t active_index_ = 0;
  os::Address slots_ = 0;

  static constexpr os::Address heap_begin = 0x7f0000000000, code_begin = 0x7e0000000000;
  static constexpr std::size_t area_bytes = 64 << 20;
};

// The layouts that come with the exporter.
beam::Layout shipped_layout(const std::string& otp_release);

}  // namespace beam_exporter::tests
