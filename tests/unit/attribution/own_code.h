#pragma once

#include <memory>
#include <optional>

#include "elf/loaded_objects.h"
#include "fakes/fake_vm.h"
#include "os/memory/process_memory.h"

// C functions of this test program that are called as ERTS's are.
extern "C" {
long erts_schedule(long);
long copy_struct_x(long);
long erts_garbage_collect(long);
long helper_of_copying(long);
// As BIFs are: `return` and a call of a static function, first_helper and shared_helper.
long first_bif(long);
long second_bif(long);
long third_bif(long);
}

namespace beam_exporter::attribution {

// A small VM whose executable is this test program: real files, real symbols, functions that we
// know.
class OwnCode {
 public:
  OwnCode();

  template <class Function>
  static os::Address begin(Function* function) {
    return reinterpret_cast<os::Address>(function);
  }
  // In the midst of it: an instruction, or where a call returns to.
  template <class Function>
  static os::Address inside(Function* function) {
    return begin(function) + 1;
  }

  // The same of a static function, which only its symbol knows.
  os::Address inside_static(std::string_view name);

  tests::FakeVm memory{tests::shipped_layout("25")};
  os::AddressRange work;  // module work: run/1
  os::Address process = 0;
  std::unique_ptr<beam::VirtualMachine> vm;
  std::optional<elf::LoadedObjects> objects;

 private:
  void place_bif_table();

  os::ProcessMemory own_memory_;
};

}  // namespace beam_exporter::attribution
