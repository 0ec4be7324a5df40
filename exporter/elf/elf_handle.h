#pragma once

#include <libelf.h>

#include <memory>

namespace beam_exporter::elf {

struct ElfCloser {
  void operator()(Elf* elf) const { elf_end(elf); }
};

// libelf's view of one open file. Only for the .cpp files of this folder; one thread.
using ElfHandle = std::unique_ptr<Elf, ElfCloser>;

// Null when the file is not ELF. Reads instead of mapping: a file that shrinks under us must not
// raise SIGBUS.
inline ElfHandle open_elf(int fd) {
  elf_version(EV_CURRENT);
  ElfHandle elf(elf_begin(fd, ELF_C_READ, nullptr));
  if (elf && elf_kind(elf.get()) != ELF_K_ELF) elf.reset();
  return elf;
}

}  // namespace beam_exporter::elf
