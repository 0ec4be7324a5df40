#pragma once

#include <memory>
#include <string>
#include <vector>

#include "beam/code/code_index.h"
#include "beam/code/interpreter.h"
#include "beam/layout/layout.h"
#include "beam/layout/layout_library.h"
#include "beam/layout/release.h"
#include "beam/layout/static_data.h"
#include "beam/schedulers/schedulers.h"
#include "beam/terms/atoms.h"
#include "beam/terms/function_name.h"
#include "elf/core_file.h"
#include "elf/image.h"
#include "elf/symbol_search.h"
#include "os/memory/memory_map.h"
#include "os/process/process.h"

namespace beam_exporter::beam {

// One attached VM: one process that runs one executable. Valid until that process ends or calls
// exec; then attach again. It stops nothing in the target, writes nothing and runs nothing there.
// Not movable (its parts refer to each other). One thread.
class VirtualMachine {
 public:
  // Opens the executable through /proc, chooses the layout (from DWARF, else from the library, else
  // an error) and finds the tables. It does not prove them: run check_layout() (layout_check.h)
  // before you trust them. Errors: not_found (no BEAM), not_permitted, unsupported (unknown
  // release, an interpreter that does not tell its registers), malformed.
  static os::Result<std::unique_ptr<VirtualMachine>> attach(const os::Process& process,
                                                            const os::Memory& memory,
                                                            const LayoutLibrary& library,
                                                            const CodeIndex::Clock& clock);

  // What we know of a VM before we read its memory.
  struct Description {
    elf::Image image;
    Layout layout;
    os::MemoryMap map;
    std::uint64_t bias = 0;     // what the loader added to the image's addresses
    elf::SymbolSearch symbols;  // where those of other files are
    ForcedPlaces forced = {};   // of an interpreter
  };
  // The second half of attach(), for callers that have another description: of a recorded VM, or
  // with a layout that is to be tried.
  static os::Result<std::unique_ptr<VirtualMachine>> attach(const os::Process& process,
                                                            const os::Memory& memory,
                                                            Description description,
                                                            const CodeIndex::Clock& clock);
  // The first half of attach(). `library` is used when the VM's own files have no debug info.
  static os::Result<Description> describe(const os::Process& process, const LayoutLibrary& library);

  // The same with a layout that is to be tried.
  static os::Result<Description> describe(const os::Process& process, Layout layout,
                                          const LayoutLibrary& library);

  // The same of a process that has ended. `executable` is that of the core; error malformed if it
  // is of another build, as far as the core tells.
  static os::Result<Description> describe_core(const elf::CoreFile& core, elf::Image executable,
                                               const LayoutLibrary& library);

  const os::Process& process() const { return process_; }
  const os::Memory& memory() const { return *memory_; }
  const elf::Image& image() const { return image_; }
  // Where symbols of the VM's stripped libraries are.
  const elf::SymbolSearch& symbol_search() const { return symbols_; }
  const Release& release() const { return release_; }
  const Layout& layout() const { return layout_; }
  const StaticData& static_data() const { return *static_data_; }
  const std::vector<Scheduler>& schedulers() const { return schedulers_; }
  // nullptr for a thread that is no scheduler.
  const Scheduler* scheduler(ThreadRole role) const;
  const CodeRangesPlace& code_place() const { return code_place_; }
  Atoms& atoms() { return *atoms_; }
  // For a thread of its own: atoms() is one thread's. Any thread.
  Atoms separate_atoms() const { return atoms_->separate(); }
  CodeIndex& code() { return *code_; }
  const CodeIndex& code() const { return *code_; }

  // +JPperf true or map, in OTP 27 also fp: Erlang frames keep rbp chains (erts_frame_layout in
  // jit/beam_jit_main.cpp).
  bool frame_pointers() const { return frame_pointers_; }
  // The return address at the bottom of every process's stack: beam_normal_exit (erl_process.c
  // erl_create_process, OTP 25 and 27). 0 when not known.
  os::Address stack_bottom() const { return stack_bottom_; }
  // True for machine code outside every ELF file: the JIT's modules and shared fragments. When no
  // known mapping holds the address, it reads the memory map again, at most every 20 ms.
  bool in_jit_area(os::Address address) const;
  const ForcedPlaces& forced_places() const { return forced_; }
  // nullptr for a VM with the JIT.
  const Interpreter* interpreter() const { return interpreter_ ? &*interpreter_ : nullptr; }
  // True for machine code that runs Erlang functions: the JIT's, or the interpreter.
  bool runs_erlang(os::Address address) const {
    return interpreter_ ? interpreter_->code.contains(address) : in_jit_area(address);
  }
  // Call it every few seconds (it is cheap): loading modules makes new JIT areas.
  void refresh_memory_map();
  const os::MemoryMap& memory_map() const { return map_; }
  // True when these bytes can be read. Looks into the map; for memory that is newer than the map,
  // it reads the first and the last byte.
  bool readable(os::Address address, std::uint64_t bytes) const;

  // {"module", "name/arity"}, for labels; nullopt when an atom cannot be read.
  std::optional<FunctionName> name_of(const Mfa& mfa) { return function_name(*atoms_, mfa); }

 private:
  VirtualMachine(const os::Process& process, const os::Memory& memory, Description description,
                 Release release)
      : process_(process),
        memory_(&memory),
        image_(std::move(description.image)),
        symbols_(std::move(description.symbols)),
        release_(std::move(release)),
        layout_(std::move(description.layout)),
        forced_(description.forced),
        map_(std::move(description.map)) {}
  static os::Result<Description> describe(const os::Process& process, elf::Image image,
                                          Layout layout, const LayoutLibrary& library);
  os::Status read_static_data(std::uint64_t bias);
  void read_stack_base();
  os::Status find_interpreter();
  os::Status find_code(const CodeIndex::Clock& clock);
  void read_memory_map() const;

  os::Process process_;
  const os::Memory* memory_;
  elf::Image image_;
  elf::SymbolSearch symbols_;
  Release release_;
  Layout layout_;
  ForcedPlaces forced_;
  // Read again when a caller asks for an address that is in no known mapping.
  mutable os::MemoryMap map_;
  mutable std::chrono::nanoseconds map_read_{};
  CodeIndex::Clock clock_;
  std::unique_ptr<StaticData> static_data_;
  std::vector<Scheduler> schedulers_;
  std::optional<Interpreter> interpreter_;
  std::unique_ptr<Atoms> atoms_;
  CodeRangesPlace code_place_;
  std::unique_ptr<CodeIndex> code_;
  bool frame_pointers_ = false;
  os::Address stack_bottom_ = 0;
};

}  // namespace beam_exporter::beam
