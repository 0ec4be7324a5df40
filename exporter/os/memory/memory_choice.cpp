#include "os/memory/memory_choice.h"

#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "os/memory/memory_map.h"
#include "os/memory/process_memory.h"
#include "os/memory/process_memory_file.h"
#include "os/rights/access_refusal.h"

namespace beam_exporter::os {

namespace {

// 0, or the error of the call.
int try_call(pid_t pid, Address from) {
  std::byte byte;
  const iovec local{&byte, 1}, remote{reinterpret_cast<void*>(from), 1};
  return process_vm_readv(pid, &local, 1, &remote, 1, 0) == 1 ? 0 : errno;
}

bool refuses_a_read(int error) { return error == EPERM || error == EACCES || error == ENOSYS; }

// Every process may read its own memory. If the call is refused even for that, a seccomp filter
// refuses it, not a check of rights.
bool call_is_filtered() {
  static const char readable = 0;
  return refuses_a_read(try_call(getpid(), reinterpret_cast<Address>(&readable)));
}

// The address of an ELF header: of the executable, which has the lowest mapping, or of a library.
Result<Address> readable_place(const Process& process) {
  const auto map = MemoryMap::read(process.directory());
  if (!map) return map.error();
  for (const auto& mapping : map->mappings())
    if (mapping.readable && mapping.file_offset == 0 && mapping.path.starts_with("/"))
      return mapping.range.begin;
  return Error{ErrorKind::unreadable, "no file is mapped in the process"};
}

Error refused(const Process& process) {
  const auto facts = access_facts(process.pid());
  if (!facts || !process.running()) return {ErrorKind::unreadable, "the process has ended"};
  return {ErrorKind::not_permitted, "no permission to read its memory: " + why_refused(*facts)};
}

}  // namespace

Result<ChosenMemory> open_process_memory(const Process& process) {
  const auto place = readable_place(process);
  if (!place) {
    if (place.error().kind == ErrorKind::not_permitted) return refused(process);
    return place.error();
  }
  const int error = try_call(process.pid(), *place);
  if (!refuses_a_read(error))
    return ChosenMemory{std::make_unique<ProcessMemory>(process.pid()), ""};
  const bool filtered = call_is_filtered();
  auto file = ProcessMemoryFile::open(process.pid());
  if (file && (*file)->value<std::byte>(*place))
    return ChosenMemory{std::move(*file), filtered ? "a seccomp filter refuses process_vm_readv"
                                                   : "process_vm_readv is refused"};
  if (!file && file.error().kind == ErrorKind::not_permitted) return refused(process);
  if (!process.running()) return Error{ErrorKind::unreadable, "the process has ended"};
  return Error{ErrorKind::not_permitted,
               "process_vm_readv is refused (" + std::generic_category().message(error) +
                   "), and " + (file ? "/proc/PID/mem cannot be read" : file.error().text) +
                   ": allow process_vm_readv in the seccomp profile"};
}

}  // namespace beam_exporter::os
