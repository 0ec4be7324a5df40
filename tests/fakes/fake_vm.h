#pragma once

#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "beam/virtual_machine.h"
#include "fakes/fake_memory.h"
#include "fakes/small_elf.h"

namespace beam_exporter::tests {

struct FakeLine {
  std::uint64_t offset = 0;  // from the start of the function's ErtsCodeInfo
  std::uint32_t file = 0;    // 0: the module's file; n: entry n - 1 of FakeModule::files
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
  bool files_are_atoms = false;  // as in OTP 24
  std::uint32_t location_bytes = 4;
  bool with_lines = false;
  char version = 'a';  // changes only the MD5
};

// A small, consistent VM in the form of a Layout, for unit tests that read it, attach to it and
// corrupt it. It starts with the modules that every VM has, two normal and two dirty schedulers,
// and three processes.
class FakeVm {
 public:
  explicit FakeVm(beam::Layout layout);
  FakeVm(const FakeVm&) = delete;

  FakeMemory memory;
  const beam::Layout layout;

  // The atom of that name; it is created when it does not exist.
  beam::Eterm atom(std::string_view name);
  os::Address atom_object(beam::Eterm term) const { return atom_objects_.at(term); }

  // Loads and commits as a VM does: writes the next of the three tables, then the active index.
  // `at` sets the address of the code, to load a module where another one was.
  os::AddressRange load(const FakeModule& module, os::Address at = 0);
  // Purges as a VM does in the active table: the end of the entry becomes its start.
  void purge(os::AddressRange range);
  // Start of a function's ErtsCodeInfo.
  os::Address function_start(os::AddressRange module, std::size_t function) const;
  // Puts a call instruction before `return_address`; returns `return_address`.
  os::Address place_call(os::Address return_address);
  std::uint32_t active_index() const { return active_index_; }
  void set_active_index(std::uint32_t index);
  void commit();

  os::Address spawn(const std::string& module, const std::string& function, unsigned arity);
  // Takes all symbols of the VM away, and gives it what they can be found by: the text of its
  // version, the names of its tables, a table of BIFs, and the JIT's shared code at `shared_code`
  // or, when it interprets, `functions`.
  void hide_symbols();
  // Puts these words, youngest first, at the high end of that process's heap area; returns
  // c_p->stop.
  os::Address set_stack(os::Address process, const std::vector<std::uint64_t>& words);
  void set_slot(std::uint32_t slot, os::Address element) {
    memory.put(slots_ + slot * 8ULL, element);
  }

  // A list of these characters.
  beam::Eterm string(const std::u32string& text);
  os::Address allocate(std::size_t bytes);  // zeroed, 64-byte aligned

  // The addresses of things, below any code of a test program. All except `ranges` are exported
  // symbols.
  static constexpr os::Address bias = 0x100000000, data_begin = bias + 0x10000;
  static constexpr std::size_t data_bytes = 0x4000;
  static constexpr os::Address atom_table = data_begin, process_table = data_begin + 0x400,
                               scheduler_arrays = data_begin + 0x800,
                               active_index_place = data_begin + 0x900,
                               frame_layout = data_begin + 0x910, ranges = data_begin + 0xa00;
  static constexpr os::Address interpreter = bias + 0x800;  // of a VM that interprets
  // Of a VM that interprets and has no symbols. The file has no `text` when this is empty.
  static constexpr os::Address interpreted_schedule = bias + 0x3000,
                               interpreted_dirty_loop = bias + 0x5000,
                               other_function = bias + 0x6000;
  struct Function {
    os::Address begin = 0;
    std::uint64_t size = 0;
    std::vector<std::uint8_t> code = {};  // the rest of it is one-byte instructions
  };
  std::vector<Function> functions;
  // Adds this code to the one that begins there, in the file and in the memory.
  void add_code(os::Address function, const std::vector<std::uint8_t>& code);
  // A call instruction at the end of its code.
  void add_call(os::Address from, os::Address to);
  // An instruction that loads 32 bits from a place of the data.
  void add_read(os::Address from, os::Address place);
  // Of a VM without symbols.
  static constexpr os::Address shared_code = 0x7d0000000000, schedule_function = bias + 0x400,
                               bif_table = data_begin + 0x1000;
  static constexpr std::size_t bifs = 210, bif_bytes = 48;
  // The constants of its executable have the names of these allocators, by number.
  static constexpr std::array<std::string_view, 5> allocator_names = {
      "invalid_allocator", "sys_alloc", "temp_alloc", "sl_alloc", "std_alloc"};
  static constexpr os::Address allocator_name(std::size_t number) {
    return bias + 0x300 + 32 * number;
  }
  static constexpr std::uint32_t process_slots = 16;
  beam::CodeRangesPlace code_place() const { return {ranges, active_index_place}; }

  std::vector<os::Address> schedulers;  // normal 1, 2, dirty CPU 1, dirty I/O 1
  std::vector<os::Address> processes;
  os::AddressRange erlang, init, erl_prim_loader;
  std::chrono::nanoseconds now{1000};  // the clock for attaching
  // More things for attach() to find: symbols of the executable, and lines of /proc/PID/maps
  // between its data and its code.
  std::vector<SmallElf::Symbol> more_symbols;
  std::vector<std::string> more_mappings;
  beam::ForcedPlaces forced;  // by the user

  beam::CodeIndex::Clock clock() const {
    return [this] { return now; };
  }
  elf::Image image() const;
  os::Result<std::unique_ptr<beam::VirtualMachine>> attach() const;
  // The same with another layout than the VM's own.
  os::Result<std::unique_ptr<beam::VirtualMachine>> attach_by(beam::Layout by) const;

 private:
  void make_schedulers();
  void put_shared_code();
  void put_hidden_interpreter();
  void add_text(SmallElf& elf) const;
  elf::Image hidden_image() const;
  void put_name(os::Address atom, std::string_view name);
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
  bool hidden_ = false;

  static constexpr os::Address heap_begin = 0x7f0000000000, code_begin = 0x7e0000000000;
  static constexpr std::size_t area_bytes = 64 << 20;
};

// Code that uses r13 as the stack pointer and rbx as the instruction pointer, as process_main does.
std::vector<std::uint8_t> interpreter_code(const beam::Layout& layout);
// A layout that is built into the exporter: the one for that ERTS version, or the newest of that
// release: "25", "25-emu" for that of the interpreter, or "25-disable-jit" for that of this build.
beam::Layout shipped_layout(const std::string& release, const std::string& erts_version = "999");
// The name of a release in these two and in the tests.
std::string name_of_release(const beam::Release& release);
// All of a release, by the ERTS version that they are of.
std::map<std::string, beam::Layout> shipped_layouts(const std::string& release);

}  // namespace beam_exporter::tests
