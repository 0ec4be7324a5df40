#include <cstring>
#include <stdexcept>

#include "fakes/fake_vm.h"

// A FakeVm as OTP 29 is when stripped: built with hidden visibility, it exports the NIF interface
// and nothing else.
namespace beam_exporter::tests {

namespace {

constexpr std::size_t name_of_atom_table = 0x200;  // in the constants

void append(std::vector<std::uint8_t>& code, std::initializer_list<unsigned> bytes) {
  for (const unsigned byte : bytes) code.push_back(static_cast<std::uint8_t>(byte));
}

template <class T>
void append_value(std::vector<std::uint8_t>& code, T value) {
  std::uint8_t bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  code.insert(code.end(), bytes, bytes + sizeof value);
}

}  // namespace

void FakeVm::hide_symbols() {
  hidden_ = true;
  memory.put(atom_table, layout.index_table.table_name, bias + name_of_atom_table);
  for (std::size_t k = 0; k < bifs; ++k) {
    const os::Address entry = bif_table + k * bif_bytes;
    memory.put(entry, atom("erlang"));
    memory.put(entry + 8, atom("bif_" + std::to_string(k)));
    memory.put(entry + 24, bias + 0x500 + k);
    memory.put(entry + 32, bias + 0x500 + k);
  }
  if (layout.interpreted())
    put_hidden_interpreter();
  else
    put_shared_code();
  for (const os::Address process : processes) set_stack(process, {shared_code + 0x308});
}

// As beam/jit/x86 of OTP 29 makes it.
void FakeVm::put_shared_code() {
  std::vector<std::uint8_t> code;
  for (int times = 0; times < 2; ++times) {  // emit_leave_runtime, beam_asm.hpp
    append(code, {0x48, 0xbf});
    append_value(code, active_index_place);
    append(code, {0x8b, 0x3f, 0x49, 0x83, 0xfc, 0x03, 0x4c, 0x0f, 0x45, 0xe7});
  }
  append(code, {0x48, 0xbf});  // another word of the VM's data is read so too
  append_value(code, process_table);
  append(code, {0x8b, 0x3f});
  append(code, {0x4c, 0x89, 0xee, 0xff, 0x15});  // emit_process_main, process_main.cpp
  constexpr std::int32_t pool = 0x200;
  append_value(code, static_cast<std::int32_t>(pool - static_cast<std::int32_t>(code.size()) - 4));
  append(code, {0x49, 0x89, 0xc5});
  code.resize(64 << 10, 0x90);
  const os::Address target = schedule_function;
  std::memcpy(code.data() + pool, &target, sizeof target);
  memory.put_array(shared_code, code);
  more_mappings.push_back("7d0000000000-7d0000010000 r-xp 00000000 00:00 0 ");
}

elf::Image FakeVm::hidden_image() const {
  SmallElf elf;
  std::string constants(0x1000, '\0');
  constants.replace(name_of_atom_table, 8, "atom_tab");
  for (std::size_t number = 0; number < allocator_names.size(); ++number)
    constants.replace(allocator_name(number) - bias, allocator_names[number].size(),
                      allocator_names[number]);
  const std::string version = "Erlang/OTP " + layout.otp_release + "%s [erts-" +
                              layout.erts_version +
                              "] [source] [64-bit] [smp:%beu:%beu] [async-threads:%d]" +
                              (layout.interpreted() ? "\n" : " [jit:ns%s]\n");
  elf.segments = {{{0, 0x1000}, false, true, bytes_of(constants)},
                  {{data_begin - bias, data_begin - bias + data_bytes},
                   true,
                   false,
                   bytes_of(std::string(24, 'x') + version + std::string(1, '\0'))}};
  elf.symbols = {{"enif_make_atom", 0x100, 16, true}};
  add_text(elf);
  elf.symbols.insert(elf.symbols.end(), more_symbols.begin(), more_symbols.end());
  auto image = elf::Image::open(elf.file(), "beam in memory");
  if (!image) throw std::runtime_error(image.error().text);
  return std::move(*image);
}

}  // namespace beam_exporter::tests
