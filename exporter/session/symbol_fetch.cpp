#include "session/symbol_fetch.h"

#include <string>
#include <utility>

#include "elf/debuginfod.h"
#include "elf/loaded_objects.h"
#include "log/log.h"
#include "os/memory/memory_choice.h"
#include "os/memory/memory_map.h"
#include "os/supervision.h"

namespace beam_exporter::session {

namespace {

// Errors: those of elf::debuginfod::fetch.
os::Status fetch_one(const elf::LoadedObject& object, elf::SymbolSearch& symbols,
                     const std::function<bool()>& go_on) {
  const auto& build_id = object.image.build_id();
  const auto file = elf::debuginfod::fetch(build_id, go_on);
  if (file) {
    symbols.add_debug_file(build_id, *file);
    log::info("debug file fetched", {{"of", object.path}, {"file", *file}});
    return os::Done{};
  }
  if (file.error().kind == os::ErrorKind::not_found)
    log::debug("no debuginfod server has a debug file",
               {{"of", object.path}, {"build_id", build_id}});
  else if (go_on())
    log::warn(file.error().text, {{"of", object.path}, {"build_id", build_id}});
  return file.error();
}

}  // namespace

std::size_t fetch_symbols(const os::Process& process, elf::SymbolSearch symbols,
                          const std::function<bool()>& go_on) {
  const auto map = os::MemoryMap::read(process.directory());
  const auto memory = os::open_process_memory(process);
  if (!map || !memory) return 0;  // attaching tells why
  elf::LoadedObjects objects(process, *memory->memory, symbols);
  objects.update(*map);
  std::size_t asked = 0, came = 0;
  for (const os::Address code : objects.code()) {
    const auto* object = objects.at(code);
    const bool file = object != nullptr && object->path.starts_with('/');  // not the vdso
    if (!file || object->image.has_symbol_table() || object->image.build_id().empty()) continue;
    ++asked;
    if (!go_on()) break;
    const auto fetched = fetch_one(*object, symbols, go_on);
    came += fetched ? 1 : 0;
    // Other errors are not of this file: the next would have them too.
    if (!fetched && fetched.error().kind != os::ErrorKind::not_found) break;
  }
  if (go_on())
    log::info("debuginfod was asked for the debug files of stripped files",
              {{"asked", std::to_string(asked)}, {"came", std::to_string(came)}});
  return came;
}

void SymbolFetch::begin(const os::Process& process) {
  if (begun_ == process.identity()) return;
  begun_ = process.identity();
  const auto failure = os::failure_of([&] {
    thread_ = std::jthread([this, process](const std::stop_token& stop) {
      const auto failed = os::failure_of([&] {
        const auto going_on = [&] { return !stop.stop_requested(); };
        if (fetch_symbols(process, symbols_, going_on) > 0) news_ = true;
      });
      if (failed) log::warn("no debug files are fetched: " + *failed);
    });
  });
  if (failure) log::warn("no debug files are fetched: " + *failure);
}

}  // namespace beam_exporter::session
