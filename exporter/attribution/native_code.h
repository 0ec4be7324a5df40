#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "attribution/erts_functions.h"
#include "attribution/pseudo_function.h"
#include "attribution/state.h"
#include "beam/code/bif_table.h"
#include "beam/virtual_machine.h"
#include "elf/loaded_objects.h"

namespace beam_exporter::attribution {

// What we know of one C function of the target.
struct NativeMeaning {
  os::Address start = 0;  // address in the target; 0: no function is known at that address
  std::string name;       // from a symbol, else "unexported at beam.smp+0x1234"
  // It has a symbol that other files see, so that it is not the helper of one BIF.
  bool exported = false;
  bool in_executable = false;
  std::uint64_t object = 0;  // identifies the file of the function; 0: no file
  Effect effect = Effect::none;
  ProcessWork work = ProcessWork::none;
  const beam::Bif* bif = nullptr;
  const beam::Bif* part_of = nullptr;  // only BIFs of this BIF's module call or jump to it
  bool shared = false;                 // more than one BIF does
  std::uint32_t families = 0;          // the blamed families that it belongs to, one bit each
};

// Finds the C function at an address of the target, and its meaning: in the VM, in NIF libraries,
// in libc. Caches answers by address: a sample costs one hash lookup per frame. One thread.
class NativeCode {
 public:
  static constexpr std::size_t most_families = 32;

  // `vm` and `objects` must outlive this object. The owner of `objects` updates them.
  NativeCode(const beam::VirtualMachine& vm, elf::LoadedObjects& objects);

  // `innermost`: `address` is the running instruction; else it is a return address, which may be
  // the first byte after its function. The result is valid until update() or blame().
  const NativeMeaning& at(os::Address address, bool innermost);

  // Call it when `objects` has been updated: libraries may have been loaded or unloaded.
  void update();

  // Sets the functions or families (members_of_family()) to blame; bit N of `families` stands for
  // natives[N].
  void blame(std::vector<std::string> natives);
  const std::vector<std::string>& blamed() const { return blamed_; }
  // The bits of families to which samples inside a collection do not belong.
  std::uint32_t hidden_in_collections() const { return hidden_in_collections_; }
  // Those of blamed() for which no file of the target has a function. May read the symbols of every
  // mapped file.
  std::vector<std::string> unknown_natives();
  // Every name that blame() knows here: of functions of the target, and of families. Reads the
  // symbols of every mapped file.
  std::vector<std::string> names();

  // The BIF with this exported C function, such as "ets_insert_2"; nullptr when there is none.
  const beam::Bif* bif_named(std::string_view symbol) const;

  // The BIF whose C function begins at this address of the target; nullptr when none does.
  const beam::Bif* bif_at(os::Address function) const;

  // True when we have found this function of the emulator, by a symbol or by its fingerprint.
  bool knows(std::string_view function) const;
  // True when some function of the emulator that we know has this effect.
  bool knows(Effect effect) const { return effects_.contains(effect); }
  // The states that can be told of this emulator: its functions that mean them are known.
  StateSet tells() const;

 private:
  void name_hidden_functions(elf::LoadedObject& executable, const elf::DirectCalls& calls);
  void find_parts_of_bifs(elf::LoadedObject& executable, const elf::DirectCalls& calls);
  const NativeMeaning& describe(elf::LoadedObject& object, const elf::NativeFunction& function);
  std::uint32_t families_of(const std::vector<std::string>& names) const;

  const beam::VirtualMachine* vm_;
  elf::LoadedObjects* objects_;
  os::Address own_code_ = 0;  // an address in the VM's executable
  std::vector<beam::Bif> bifs_;
  std::unordered_map<os::Address, const beam::Bif*> bif_at_;  // by function
  std::map<std::uint64_t, std::string_view> static_;          // by address in the executable
  // Of a VM that exports no functions: the C functions of BIFs, by address in the target.
  std::unordered_map<os::Address, std::string> hidden_bifs_;
  std::set<Effect> effects_;  // of the functions that we know
  bool knows_polling_ = false;
  struct Part {
    const beam::Bif* bif = nullptr;
    bool shared = false;
  };
  std::unordered_map<os::Address, Part> parts_;  // by function: see part_of
  std::vector<std::string> blamed_;
  std::uint32_t hidden_in_collections_ = 0;
  std::unordered_map<std::string, std::uint32_t> family_of_name_;  // bits
  std::deque<NativeMeaning> meanings_;
  std::unordered_map<os::Address, const NativeMeaning*> by_start_, by_address_;
};

}  // namespace beam_exporter::attribution
