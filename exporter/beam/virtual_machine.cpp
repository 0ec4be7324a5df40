#include "beam/virtual_machine.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <utility>

#include "beam/code/jit_area.h"
#include "beam/hidden/globals.h"
#include "beam/hidden/stack_base.h"
#include "beam/layout/layout_from_dwarf.h"

namespace beam_exporter::beam {

namespace {

// An address in no known mapping is new JIT code, or a torn address. Torn addresses must not make
// us read the map for every sample.
constexpr auto soonest_map_refresh = std::chrono::milliseconds(20);

// The list of code may be replaced after we have read the VM's static data, where we find its
// place, and before we read the list.
constexpr int most_searches_for_code = 10;

// The layout comes from DWARF in the binary, else from its debug file in the target's own root,
// else from the library. The first source fits this build best.
// The image gets its symbols at the same time: a stripped OTP 29 exports none of its own.
os::Result<Layout> choose_layout(elf::Image& image, const std::filesystem::path& root,
                                 const std::filesystem::path& path, const LayoutLibrary& library) {
  const auto release = read_release(image);
  if (!release) return release.error();
  if (image.has_debug_info()) {
    if (auto layout = layout_from_dwarf(image, *release)) return layout;
  }
  if (const auto debug = library.symbols().complete(image, root, path))
    if (auto layout = layout_from_dwarf(*debug, *release)) return layout;
  return library.find(*release);
}

// A VM makes its tables and its code while it boots: the caller may try again.
os::Error not_found_by_content(const std::string& what) {
  return {os::ErrorKind::malformed,
          "the executable exports no symbol " + what + " (still booting? wrong layout?)"};
}

// Where the executable was loaded: its lowest mapping tells.
os::Result<std::uint64_t> bias_of(const elf::Image& image, const os::MemoryMap& map,
                                  const std::function<bool(const os::Mapping&)>& is_executable) {
  for (const auto& mapping : map.mappings()) {
    if (!is_executable(mapping)) continue;
    if (const auto bias = image.load_bias(mapping.range.begin)) return *bias;
    break;
  }
  return os::Error{os::ErrorKind::malformed,
                   "cannot find where " + image.name() + " is mapped in the VM"};
}

// False: the process ran another build. True also when the core does not hold that note.
bool has_build_id(const elf::CoreFile& core, const elf::Image& image, std::uint64_t bias) {
  const auto note = image.section(".note.gnu.build-id");
  constexpr std::uint64_t largest_note = 4096;
  if (!note || note->size() > largest_note) return true;
  std::vector<std::byte> ours(note->size()), theirs(note->size());
  if (!image.read(note->begin, ours) || !core.read(note->begin + bias, theirs)) return true;
  return ours == theirs;
}

}  // namespace

os::Result<VirtualMachine::Description> VirtualMachine::describe(const os::Process& process,
                                                                 const LayoutLibrary& library) {
  auto image = elf::Image::of(process);
  if (!image) return image.error();
  auto layout = choose_layout(*image, process.root(), process.executable_path(), library);
  if (!layout) return layout.error();
  return describe(process, std::move(*image), std::move(*layout), library);
}

os::Result<VirtualMachine::Description> VirtualMachine::describe(const os::Process& process,
                                                                 Layout layout,
                                                                 const LayoutLibrary& library) {
  auto image = elf::Image::of(process);
  if (!image) return image.error();
  (void)library.symbols().complete(*image, process.root(), process.executable_path());
  return describe(process, std::move(*image), std::move(layout), library);
}

os::Result<VirtualMachine::Description> VirtualMachine::describe(const os::Process& process,
                                                                 elf::Image image, Layout layout,
                                                                 const LayoutLibrary& library) {
  auto map = os::MemoryMap::read(process.directory());
  if (!map) return map.error();
  // The file of /proc/PID/exe.
  const auto inode = process.identity().executable_inode;
  const auto path = process.executable_path();
  const auto bias = bias_of(image, *map, [&](const os::Mapping& mapping) {
    return mapping.inode == inode && inode != 0 && mapping.path == path;
  });
  if (!bias) return bias.error();
  return Description{std::move(image),  std::move(layout),      std::move(*map), *bias,
                     library.symbols(), library.forced_places()};
}

os::Result<VirtualMachine::Description> VirtualMachine::describe_core(
    const elf::CoreFile& core, elf::Image executable, const LayoutLibrary& library) {
  auto layout = choose_layout(executable, "/", executable.name(), library);
  if (!layout) return layout.error();
  // The path on this machine may differ: the name of the file does not.
  const auto name = std::filesystem::path(executable.name()).filename();
  const auto bias = bias_of(executable, core.map(), [&](const os::Mapping& mapping) {
    return std::filesystem::path(mapping.path).filename() == name;
  });
  if (!bias) return bias.error();
  if (!has_build_id(core, executable, *bias))
    return os::Error{os::ErrorKind::malformed,
                     executable.name() +
                         " is not the executable of this core: the VM in the core "
                         "has another build id"};
  return Description{std::move(executable), std::move(*layout),     core.map(), *bias,
                     library.symbols(),     library.forced_places()};
}

os::Result<std::unique_ptr<VirtualMachine>> VirtualMachine::attach(const os::Process& process,
                                                                   const os::Memory& memory,
                                                                   const LayoutLibrary& library,
                                                                   const CodeIndex::Clock& clock) {
  auto known = describe(process, library);
  if (!known) return known.error();
  return attach(process, memory, std::move(*known), clock);
}

os::Result<std::unique_ptr<VirtualMachine>> VirtualMachine::attach(const os::Process& process,
                                                                   const os::Memory& memory,
                                                                   Description known,
                                                                   const CodeIndex::Clock& clock) {
  auto release = read_release(known.image);
  if (!release) return release.error();
  const std::uint64_t bias = known.bias;
  std::unique_ptr<VirtualMachine> vm(
      new VirtualMachine(process, memory, std::move(known), std::move(*release)));

  if (auto read = vm->read_static_data(bias); !read) return read.error();
  auto schedulers = find_schedulers(vm->layout_, *vm->static_data_, memory);
  if (!schedulers) return schedulers.error();
  vm->schedulers_ = std::move(*schedulers);
  if (auto found = vm->find_interpreter(); !found) return found.error();
  const auto atom_table = vm->static_data_->symbol("erts_atom_table");
  if (!atom_table)
    return not_found_by_content("erts_atom_table, and no table of atoms is in its data");
  vm->atoms_ = std::make_unique<Atoms>(vm->layout_, memory, *atom_table);
  vm->read_stack_base();
  vm->clock_ = clock;
  for (int searches = 1;; ++searches) {
    auto found = vm->find_code(clock);
    if (found) return vm;
    if (searches == most_searches_for_code) return found.error();
    (void)vm->read_static_data(bias);
  }
}

os::Status VirtualMachine::read_static_data(std::uint64_t bias) {
  auto data = StaticData::read(image_, bias, *memory_);
  if (!data) return data.error();
  if (!data->symbol("erts_atom_table"))
    find_hidden_globals(layout_, image_, bias, *memory_, map_, *data);
  find_static_variables(layout_, image_, bias, *memory_, *data);
  static_data_ = std::make_unique<StaticData>(std::move(*data));
  return os::Done{};
}

void VirtualMachine::read_stack_base() {
  const auto frames = static_data_->symbol("erts_frame_layout"),
             exit = static_data_->symbol("beam_normal_exit");
  if (frames) frame_pointers_ = memory_->value<std::uint32_t>(*frames) == 1;
  if (exit) stack_bottom_ = memory_->value<os::Address>(*exit).value_or(0);
  const auto processes = static_data_->symbol("erts_proc");
  if (frames || exit || !processes) return;
  const auto base = beam::read_stack_base(layout_, *memory_, *processes).value_or(StackBase{});
  frame_pointers_ = base.frame_pointers;
  stack_bottom_ = base.normal_exit;
}

os::Status VirtualMachine::find_interpreter() {
  if (!layout_.interpreted()) return os::Done{};
  const auto code = static_data_->range("process_main");
  if (!code || code->size() == 0)
    return os::Error{
        os::ErrorKind::unsupported,
        image_.name() + ": " +
            build_text(release_.otp_release, release_.erts_version, release_.flavor) +
            " exports no symbol process_main, the interpreter, and no function, or more "
            "than one, has its code"};
  auto found = beam::find_interpreter(layout_, *memory_, *code, forced_);
  if (!found) return found.error();
  interpreter_ = *found;
  return os::Done{};
}

os::Status VirtualMachine::find_code(const CodeIndex::Clock& clock) {
  const auto active = static_data_->symbol("the_active_code_index");
  if (!active)
    return not_found_by_content(
        "the_active_code_index, and the code that runs Erlang does not tell its place");
  // Many words could look like struct ranges; only behind the real ones do modules decode.
  for (const os::Address candidate : find_code_ranges(layout_, *static_data_, *memory_)) {
    auto code =
        std::make_unique<CodeIndex>(layout_, *memory_, CodeRangesPlace{candidate, *active}, clock);
    // A module may be purged while we read it; then the list has changed: try again.
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

const Scheduler* VirtualMachine::scheduler(ThreadRole role) const {
  const auto found = std::ranges::find(schedulers_, role, &Scheduler::role);
  return found == schedulers_.end() ? nullptr : &*found;
}

bool VirtualMachine::in_jit_area(os::Address address) const {
  const auto* mapping = map_.find(address);
  if (mapping == nullptr && clock_() - map_read_ >= soonest_map_refresh) {
    read_memory_map();
    mapping = map_.find(address);
  }
  return mapping != nullptr && may_be_jit_area(*mapping);
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

}  // namespace beam_exporter::beam
