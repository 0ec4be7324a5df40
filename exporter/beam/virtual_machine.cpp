#include "beam/virtual_machine.h"

#include <utility>

#include "beam/layout/layout_from_dwarf.h"
#include "elf/debug_file.h"

namespace beam_exporter::beam {

namespace {

// Code that runs where nothing was mapped when we looked is new JIT code, or no code at all: a torn
// address must not make us read the map for every sample.
constexpr auto soonest_map_refresh = std::chrono::milliseconds(20);

// The list of code may be replaced between the look at the VM's static data, where its place is
// found, and the look at the list.
constexpr int most_searches_for_code = 10;

// The interpreter keeps the running process, its stack pointer and its next instruction in places
// that its compiler chose, and Process.stop is stale meanwhile: names would be wrong (process_main,
// beam/emu/beam_emu.c OTP 25 and 27). Whatever tells its layout, it is refused.
os::Status runs_jit_code(const Release& release, const std::string& name) {
  if (release.flavor == "jit") return os::Done{};
  return os::Error{os::ErrorKind::unsupported,
                   name + ": OTP " + release.otp_release + " with the interpreter (flavor " +
                       release.flavor + ", ERTS " + release.erts_version +
                       "): only VMs with the JIT (flavor jit) are supported today, and no layout "
                       "file changes that"};
}

// DWARF in the binary, else in its debug file in the target's own root, else a layout we ship: the
// closer to this very build, the better.
os::Result<Layout> choose_layout(const elf::Image& image, const Release& release,
                                 const os::Process& process, const LayoutLibrary& library) {
  if (image.has_debug_info()) {
    if (auto layout = layout_from_dwarf(image, release)) return layout;
  }
  if (const auto debug = elf::find_debug_file(image, process.root(), process.executable_path())) {
    if (auto layout = layout_from_dwarf(*debug, release)) return layout;
  }
  return library.find(release);
}

// The loader maps the executable's lowest segment first; /proc/PID/exe tells which file that is.
std::optional<os::Address> lowest_mapping(const os::MemoryMap& map, std::uint64_t inode,
                                          const std::string& path) {
  for (const auto& mapping : map.mappings())
    if (mapping.inode == inode && inode != 0 && mapping.path == path) return mapping.range.begin;
  return std::nullopt;
}

}  // namespace

os::Result<VirtualMachine::Description> VirtualMachine::describe(const os::Process& process,
                                                                 const LayoutLibrary& library) {
  auto file = process.open_executable();
  if (!file) return file.error();
  auto image = elf::Image::open(std::move(*file), process.executable_path());
  if (!image) return image.error();
  const auto release = read_release(*image);
  if (!release) return release.error();
  if (auto supported = runs_jit_code(*release, image->name()); !supported) return supported.error();
  auto layout = choose_layout(*image, *release, process, library);
  if (!layout) return layout.error();
  auto map = os::MemoryMap::read(process.directory());
  if (!map) return map.error();
  const auto lowest =
      lowest_mapping(*map, process.identity().executable_inode, process.executable_path());
  const auto bias = lowest ? image->load_bias(*lowest) : std::nullopt;
  if (!bias)
    return os::Error{os::ErrorKind::malformed,
                     "cannot find where " + image->name() + " is mapped in the VM"};
  return Description{std::move(*image), std::move(*layout), std::move(*map), *bias};
}

os::Result<std::unique_ptr<VirtualMachine>> VirtualMachine::attach(const os::Process& process,
                                                                   const os::Memory& memory,
                                                                   const LayoutLibrary& library,
                                                                   CodeIndex::Clock clock) {
  auto known = describe(process, library);
  if (!known) return known.error();
  return attach(process, memory, std::move(*known), std::move(clock));
}

os::Result<std::unique_ptr<VirtualMachine>> VirtualMachine::attach(const os::Process& process,
                                                                   const os::Memory& memory,
                                                                   Description known,
                                                                   CodeIndex::Clock clock) {
  auto release = read_release(known.image);
  if (!release) return release.error();
  if (auto supported = runs_jit_code(*release, known.image.name()); !supported)
    return supported.error();
  const std::uint64_t bias = known.bias;
  std::unique_ptr<VirtualMachine> vm(
      new VirtualMachine(process, memory, std::move(known), std::move(*release)));

  auto data = StaticData::read(vm->image_, bias, memory);
  if (!data) return data.error();
  vm->static_data_ = std::make_unique<StaticData>(std::move(*data));
  auto schedulers = find_schedulers(vm->layout_, *vm->static_data_, memory);
  if (!schedulers) return schedulers.error();
  vm->schedulers_ = std::move(*schedulers);
  const auto atom_table = vm->static_data_->symbol("erts_atom_table");
  if (!atom_table)
    return os::Error{os::ErrorKind::unsupported,
                     "the executable exports no symbol erts_atom_table"};
  vm->atoms_ = std::make_unique<Atoms>(vm->layout_, memory, *atom_table);
  if (const auto frames = vm->static_data_->symbol("erts_frame_layout"))
    vm->frame_pointers_ = memory.value<std::uint32_t>(*frames) == 1;
  if (const auto exit = vm->static_data_->symbol("beam_normal_exit"))
    vm->stack_bottom_ = memory.value<os::Address>(*exit).value_or(0);
  vm->clock_ = clock;
  for (int searches = 1;; ++searches) {
    auto found = vm->find_code(clock);
    if (found) return vm;
    if (found.error().kind == os::ErrorKind::unsupported || searches == most_searches_for_code)
      return found.error();
    if (auto again = StaticData::read(vm->image_, bias, memory))
      *vm->static_data_ = std::move(*again);
  }
}

os::Status VirtualMachine::find_code(CodeIndex::Clock clock) {
  const auto active = static_data_->symbol("the_active_code_index");
  if (!active)
    return os::Error{os::ErrorKind::unsupported,
                     "the executable exports no symbol the_active_code_index"};
  // Many words could look like struct ranges; only the real ones lead to modules that decode.
  for (const os::Address candidate : find_code_ranges(layout_, *static_data_, *memory_)) {
    auto code =
        std::make_unique<CodeIndex>(layout_, *memory_, CodeRangesPlace{candidate, *active}, clock);
    // A module may be purged while it is read: then its list is another one by now.
    bool decoded = false;
    for (int tries = 0; tries < 3 && !decoded; ++tries)
      decoded = code->refresh() && code->functions() > 0 && code->undecoded() == 0;
    if (!decoded) continue;
    code_place_ = {candidate, *active};
    code_ = std::move(code);
    return os::Done{};
  }
  return os::Error{os::ErrorKind::malformed,
                   "found no list of code ranges in the VM (still booting? wrong layout?)"};
}

bool VirtualMachine::in_jit_area(os::Address address) const {
  const auto* mapping = map_.find(address);
  if (mapping == nullptr && clock_() - map_read_ >= soonest_map_refresh) {
    read_memory_map();
    mapping = map_.find(address);
  }
  if (mapping == nullptr || !mapping->executable) return false;
  // The JIT allocates from a memfd or from anonymous memory (asmjit's JitAllocator), never from a
  // file.
  return mapping->inode == 0 ? mapping->path.empty() : mapping->path.starts_with("/memfd:");
}

bool VirtualMachine::readable(os::Address address, std::uint64_t bytes) const {
  if (map_.readable(address, bytes)) return true;
  const auto end = os::checked_add(address, bytes);
  return end && bytes > 0 && memory_->value<std::byte>(address) &&
         memory_->value<std::byte>(*end - 1);
}

void VirtualMachine::refresh_memory_map() { read_memory_map(); }

void VirtualMachine::read_memory_map() const {
  if (auto map = os::MemoryMap::read(process_.directory())) map_ = std::move(*map);
  map_read_ = clock_();
}

std::optional<VirtualMachine::FunctionName> VirtualMachine::name_of(const Mfa& mfa) {
  auto module = atoms_->name(mfa.module);
  auto function = atoms_->name(mfa.function);
  if (!module || !function) return std::nullopt;
  constexpr std::string_view elixir = "Elixir.";
  if (module->starts_with(elixir)) module->erase(0, elixir.size());
  return FunctionName{std::move(*module), *function + "/" + std::to_string(mfa.arity)};
}

}  // namespace beam_exporter::beam
