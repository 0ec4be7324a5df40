#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "attribution/erts_functions.h"
#include "attribution/pseudo_function.h"
#include "beam/code/bif_table.h"
#include "beam/virtual_machine.h"
#include "elf/loaded_objects.h"

namespace beam_exporter::attribution {

// What is known of one C function of the target.
struct NativeMeaning {
  os::Address start = 0;  // in the target; 0 where no function is known at that address
  std::string name;       // as a symbol names it, else "unexported at beam.smp+0x1234"
  bool exported = false;  // by a symbol that other files see: no helper of one BIF alone
  bool in_executable = false;
  std::uint64_t object = 0;  // the same for functions of the same file; 0: no file
  Effect effect = Effect::none;
  ProcessWork work = ProcessWork::none;
  const beam::Bif* bif = nullptr;
  const beam::Bif* part_of = nullptr;  // BIFs of this one's module only call or jump to it
  bool shared = false;                 // and more than one does
  std::uint32_t families = 0;          // one bit for each blamed family that it belongs to
};

// Code addresses of the target to what its C functions mean: the VM's own, NIF libraries, libc.
// Answers are cached by address: a sample costs a hash lookup for each frame. One thread.
class NativeCode {
 public:
  static constexpr std::size_t most_families = 32;

  // `objects` outlives it and is kept up to date by its owner.
  NativeCode(const beam::VirtualMachine& vm, elf::LoadedObjects& objects);

  // `innermost`: the running instruction; else a return address, which may stand behind its
  // function. Valid until update() or blame().
  const NativeMeaning& at(os::Address address, bool innermost);

  // `objects` has been updated: libraries may have come or gone.
  void update();

  // Which functions or families (members_of_family) `families` is about, in the order of its bits.
  void blame(std::vector<std::string> natives);
  const std::vector<std::string>& blamed() const { return blamed_; }
  // Bits of families that a sample inside a collection does not belong to.
  std::uint32_t hidden_in_collections() const { return hidden_in_collections_; }
  // Those of them that no file of the target has a function of. Reads every mapped file's symbols.
  std::vector<std::string> unknown_natives();

  // The BIF that this exported function is, "ets_insert_2"; nullptr when there is none.
  const beam::Bif* bif_named(std::string_view symbol) const;

  // The BIF that begins at this address of the target; nullptr when none does.
  const beam::Bif* bif_at(os::Address function) const;

  // True when we know where that function of the emulator is, by a symbol or by its fingerprint.
  bool tells(std::string_view function) const;

 private:
  void find_parts_of_bifs(elf::LoadedObject& executable, const elf::DirectCalls& calls);
  const NativeMeaning& describe(elf::LoadedObject& object, const elf::NativeFunction& function);
  std::uint32_t families_of(const std::vector<std::string>& names) const;

  const beam::VirtualMachine* vm_;
  elf::LoadedObjects* objects_;
  os::Address own_code_ = 0;  // an address in the VM's executable
  std::vector<beam::Bif> bifs_;
  std::unordered_map<os::Address, const beam::Bif*> bif_at_;  // by function
  std::map<std::uint64_t, std::string_view> static_;          // by place in the executable
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
