#pragma once

#include <memory>
#include <string>
#include <vector>

#include "beam/code/code_index.h"
#include "beam/layout/layout.h"
#include "beam/layout/layout_library.h"
#include "beam/layout/release.h"
#include "beam/layout/static_data.h"
#include "beam/schedulers/schedulers.h"
#include "beam/terms/atoms.h"
#include "elf/image.h"
#include "os/memory/memory_map.h"
#include "os/process/process.h"

namespace beam_exporter::beam {

// One attached VM: one process running one executable. It stays true for the life of that process
// image; an exec or a restart needs a new one. Nothing in the target is stopped, written or run.
// Pinned in memory (its parts refer to each other); one thread.
class VirtualMachine {
 public:
  // Opens the executable through /proc, chooses the layout (DWARF, else the library, else refuses),
  // finds the tables. It does not prove them: run check_layout() (layout_check.h) before trusting.
  // Errors: not_found (no BEAM), not_permitted, unsupported (unknown release, an interpreter),
  // malformed.
  static os::Result<std::unique_ptr<VirtualMachine>> attach(const os::Process& process,
                                                            const os::Memory& memory,
                                                            const LayoutLibrary& library,
                                                            CodeIndex::Clock clock);

  // What is known of a VM before its own memory is looked into.
  struct Description {
    elf::Image image;
    Layout layout;
    os::MemoryMap map;
    std::uint64_t bias = 0;  // what the loader added to the image's addresses
  };
  // The second half of attach(), for those who have the description from elsewhere: a recording of
  // a VM, or a layout to be tried on it.
  static os::Result<std::unique_ptr<VirtualMachine>> attach(const os::Process& process,
                                                            const os::Memory& memory,
                                                            Description description,
                                                            CodeIndex::Clock clock);
  // The first half. `library` has the layout when the VM's own files have no debug info.
  static os::Result<Description> describe(const os::Process& process, const LayoutLibrary& library);

  const os::Process& process() const { return process_; }
  const os::Memory& memory() const { return *memory_; }
  const elf::Image& image() const { return image_; }
  const Release& release() const { return release_; }
  const Layout& layout() const { return layout_; }
  const StaticData& static_data() const { return *static_data_; }
  const std::vector<Scheduler>& schedulers() const { return schedulers_; }
  const CodeRangesPlace& code_place() const { return code_place_; }
  Atoms& atoms() { return *atoms_; }
  CodeIndex& code() { return *code_; }
  const CodeIndex& code() const { return *code_; }

  // +JPperf true (OTP 25) or +JPperf fp (27): Erlang frames keep rbp chains (erts_frame_layout).
  bool frame_pointers() const { return frame_pointers_; }
  // The return address at the bottom of every process's stack: beam_normal_exit (erl_process.c
  // erl_create_process, OTP 25 and 27). 0 when not known.
  os::Address stack_bottom() const { return stack_bottom_; }
  // True for machine code outside every ELF file: the JIT's modules and shared fragments. Reads the
  // memory map again, at most every 20 ms, when no known mapping holds the address.
  bool in_jit_area(os::Address address) const;
  // New JIT areas appear as modules are loaded; cheap enough for every few seconds.
  void refresh_memory_map();
  const os::MemoryMap& memory_map() const { return map_; }
  // True when there is memory from `address` on. The map tells; for memory that is newer than the
  // map, both ends are read.
  bool readable(os::Address address, std::uint64_t bytes) const;

  // "module", "name/arity" as labels want them; nullopt when an atom cannot be read.
  struct FunctionName {
    std::string module, function;
  };
  std::optional<FunctionName> name_of(const Mfa& mfa);

 private:
  VirtualMachine(os::Process process, const os::Memory& memory, Description description,
                 Release release)
      : process_(std::move(process)),
        memory_(&memory),
        image_(std::move(description.image)),
        release_(std::move(release)),
        layout_(std::move(description.layout)),
        map_(std::move(description.map)) {}
  os::Status find_code(CodeIndex::Clock clock);
  void read_memory_map() const;

  os::Process process_;
  const os::Memory* memory_;
  elf::Image image_;
  Release release_;
  Layout layout_;
  // What is known of the mappings grows when an address in none is asked for.
  mutable os::MemoryMap map_;
  mutable std::chrono::nanoseconds map_read_{};
  CodeIndex::Clock clock_;
  std::unique_ptr<StaticData> static_data_;
  std::vector<Scheduler> schedulers_;
  std::unique_ptr<Atoms> atoms_;
  CodeRangesPlace code_place_;
  std::unique_ptr<CodeIndex> code_;
  bool frame_pointers_ = false;
  os::Address stack_bottom_ = 0;
};

}  // namespace beam_exporter::beam
