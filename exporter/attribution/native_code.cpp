#include "attribution/native_code.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <filesystem>

#include "attribution/copying_functions.h"
#include "attribution/hidden_functions.h"
#include "beam/hidden/allocator_functions.h"
#include "beam/hidden/hidden_vm.h"
#include "beam/hidden/jit_code.h"

namespace beam_exporter::attribution {

namespace {

// The cache holds at most this many addresses; a VM's hot code has some thousands.
constexpr std::size_t most_meanings = 1 << 16;

const NativeMeaning nothing_known;

std::string unexported(const elf::LoadedObject& object, std::uint64_t place) {
  char offset[32];
  std::snprintf(offset, sizeof offset, "+0x%llx", static_cast<unsigned long long>(place));
  return "unexported at " + std::filesystem::path(object.path).filename().string() + offset;
}

}  // namespace

NativeCode::NativeCode(const beam::VirtualMachine& vm, elf::LoadedObjects& objects)
    : vm_(&vm),
      objects_(&objects),
      own_code_(vm.static_data().symbol("erts_schedule").value_or(0)),
      bifs_(beam::read_bif_table(vm.static_data(), vm.memory())) {
  for (const auto& bif : bifs_) {
    bif_at_.emplace(bif.function, &bif);
    bif_at_.emplace(bif.implementation, &bif);
  }
  if (auto* executable = objects_->at(own_code_)) {
    const auto calls = elf::DirectCalls::read(executable->image, executable->symbols());
    static_ = static_functions(calls, executable->symbols());
    if (!vm.image().symbol("erts_schedule"))
      name_hidden_functions(*executable, calls);
    else if (!executable->image.has_symbol_table())
      static_.merge(copies_of_copying_functions(
          elf::TextUses(executable->image, executable->symbols()), executable->symbols()));
    find_parts_of_bifs(*executable, calls);
    for (const auto& function : executable->symbols().functions())
      effects_.insert(effect_of(function.names));
    knows_polling_ =
        knows("erts_check_io") || executable->symbols().named("erts_check_io") != nullptr;
  }
  for (const auto& [place, name] : static_)
    effects_.insert(effect_of(std::array{std::string(name)}));
  for (const auto& [place, name] : hidden_bifs_) effects_.insert(effect_of(std::array{name}));
  // erlang:send/2 is `return erl_send(...)` (send_2 in beam/bif.c, OTP 25 and 27). Compilers make
  // that a jump, so that send_2 leaves no frame.
  const auto erl_send = vm.static_data().symbol("erl_send");
  const auto* send = bif_named("send_2");
  if (send != nullptr && erl_send) bif_at_.emplace(*erl_send, send);
}

// OTP 29 has hidden visibility. Its C function for ets:insert/2 is ets_insert_2, that for
// erlang:send/3 is send_3 (erts/emulator/utils/make_tables, OTP 25, 27 and 29).
void NativeCode::name_hidden_functions(elf::LoadedObject& executable,
                                       const elf::DirectCalls& calls) {
  static_.emplace(own_code_ - executable.bias, "erts_schedule");
  auto atoms = vm_->separate_atoms();
  for (const auto& bif : bifs_) {
    const auto module = atoms.name(bif.mfa.module), function = atoms.name(bif.mfa.function);
    const auto of_c = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
    };
    if (!module || !function || !std::ranges::all_of(*function, of_c)) continue;
    hidden_bifs_[bif.function] = (*module == "erlang" ? "" : *module + "_") + *function + "_" +
                                 std::to_string(bif.mfa.arity);
  }
  const auto code = beam::code_of(executable.image, executable.bias);
  for (const auto& [function, name] :
       beam::allocator_functions(vm_->layout(), vm_->static_data(), code))
    static_.emplace(function - executable.bias, name);
  const elf::TextUses texts(executable.image, executable.symbols());
  FunctionSearch::Names known{{own_code_ - executable.bias, "erts_schedule"}};
  for (const auto& [function, name] : hidden_bifs_) known.emplace(function - executable.bias, name);
  std::set<std::uint64_t> called_by_jit;
  for (const os::Address function : beam::called_by_jit(vm_->memory(), vm_->memory_map(), code))
    called_by_jit.insert(function - executable.bias);
  static_.merge(hidden_functions(calls, executable.symbols(), texts, known, called_by_jit));
  if (const auto* sizing = bif_named("erts_debug_size_shared_1"))
    static_.merge(
        copying_functions(texts, executable.symbols(), calls, sizing->function - executable.bias));
}

// binary:matches/2 and many others are `return helper(...)` to a static function
// (beam/erl_bif_binary.c, OTP 25 and 27).
void NativeCode::find_parts_of_bifs(elf::LoadedObject& executable, const elf::DirectCalls& calls) {
  const auto bif_of = [&](std::uint64_t place) {
    const auto found = bif_at_.find(place + executable.bias);
    return found == bif_at_.end() ? nullptr : found->second;
  };
  const auto parts = parts_of(calls, executable.symbols(),
                              [&](std::uint64_t place) { return bif_of(place) != nullptr; });
  for (const auto& [place, callers] : parts) {
    const auto* first = bif_of(callers.front());
    const bool one_module = std::ranges::all_of(callers, [&](std::uint64_t caller) {
      return bif_of(caller)->mfa.module == first->mfa.module;
    });
    if (one_module) parts_.emplace(place + executable.bias, Part{first, callers.size() > 1});
  }
}

const NativeMeaning& NativeCode::at(os::Address address, bool innermost) {
  const os::Address inside = innermost ? address : address - 1;
  if (const auto known = by_address_.find(inside); known != by_address_.end())
    return *known->second;
  if (by_address_.size() >= most_meanings) by_address_.clear();
  auto* object = objects_->at(inside);
  const auto* function = object != nullptr ? object->symbols().at(inside - object->bias) : nullptr;
  const NativeMeaning& meaning = function != nullptr ? describe(*object, *function) : nothing_known;
  by_address_.emplace(inside, &meaning);
  return meaning;
}

const NativeMeaning& NativeCode::describe(elf::LoadedObject& object,
                                          const elf::NativeFunction& function) {
  const os::Address start = function.range.begin + object.bias;
  if (const auto known = by_start_.find(start); known != by_start_.end()) return *known->second;
  NativeMeaning& meaning = meanings_.emplace_back();
  by_start_.emplace(start, &meaning);
  meaning.start = start;
  meaning.object = object.bias + 1;
  meaning.in_executable = objects_->at(own_code_) == &object;
  std::vector<std::string> names = function.names;
  if (meaning.in_executable) {
    if (const auto told = static_.find(function.range.begin); told != static_.end())
      names.emplace_back(told->second);
    if (const auto bif = hidden_bifs_.find(start); bif != hidden_bifs_.end())
      names.push_back(bif->second);
    // The table has the begin of the BIF, not of a part that was moved out of it.
    if (const auto bif = bif_at_.find(start); bif != bif_at_.end()) meaning.bif = bif->second;
    if (const auto part = parts_.find(start); part != parts_.end()) {
      meaning.part_of = part->second.bif;
      meaning.shared = part->second.shared;
    }
  }
  const Effect effect = effect_of(names);
  const bool of_libc = effect == Effect::poll_wait || effect == Effect::yields;
  if (meaning.in_executable || of_libc) meaning.effect = effect;
  if (meaning.in_executable) meaning.work = process_work_of(names);
  meaning.exported = function.exported;
  meaning.name = names.empty() ? unexported(object, function.range.begin) : names.front();
  meaning.families = families_of(names);
  return meaning;
}

void NativeCode::update() {
  by_address_.clear();
  by_start_.clear();
  meanings_.clear();
}

void NativeCode::blame(std::vector<std::string> natives) {
  blamed_ = std::move(natives);
  if (blamed_.size() > most_families) blamed_.resize(most_families);
  family_of_name_.clear();
  hidden_in_collections_ = 0;
  for (std::size_t bit = 0; bit < blamed_.size(); ++bit) {
    for (const auto& member : members_of_family(blamed_[bit]))
      family_of_name_[member] |= std::uint32_t{1} << bit;
    if (is_hidden_in_collections(blamed_[bit])) hidden_in_collections_ |= std::uint32_t{1} << bit;
  }
  by_address_.clear();
  by_start_.clear();
  meanings_.clear();
}

std::uint32_t NativeCode::families_of(const std::vector<std::string>& names) const {
  std::uint32_t bits = 0;
  for (const auto& name : names)
    if (const auto found = family_of_name_.find(name); found != family_of_name_.end())
      bits |= found->second;
  return bits;
}

std::vector<std::string> NativeCode::unknown_natives() {
  std::uint32_t known = 0;
  for (const auto& [place, name] : static_)
    if (const auto found = family_of_name_.find(std::string(name)); found != family_of_name_.end())
      known |= found->second;
  const std::uint32_t all = blamed_.size() == most_families
                                ? ~std::uint32_t{0}
                                : (std::uint32_t{1} << blamed_.size()) - 1;
  // The VM's own file comes first: mostly it has all names, and the symbols of the others are not
  // read.
  auto places = objects_->code();
  places.insert(places.begin(), own_code_);
  for (const os::Address place : places) {
    if (known == all) break;
    auto* object = objects_->at(place);
    if (object == nullptr) continue;
    for (const auto& function : object->symbols().functions()) known |= families_of(function.names);
  }
  std::vector<std::string> unknown;
  for (std::size_t bit = 0; bit < blamed_.size(); ++bit)
    if ((known >> bit & 1) == 0) unknown.push_back(blamed_[bit]);
  return unknown;
}

std::vector<std::string> NativeCode::names() {
  std::vector<std::string> names = names_of_families();
  for (const auto& [place, name] : static_) names.emplace_back(name);
  for (const os::Address place : objects_->code()) {
    auto* object = objects_->at(place);
    if (object == nullptr) continue;
    for (const auto& function : object->symbols().functions())
      names.insert(names.end(), function.names.begin(), function.names.end());
  }
  return names;
}

const beam::Bif* NativeCode::bif_named(std::string_view symbol) const {
  for (const auto& [function, name] : hidden_bifs_)
    if (name == symbol) return bif_at_.at(function);
  const auto place = vm_->static_data().symbol(symbol);
  const auto found = place ? bif_at_.find(*place) : bif_at_.end();
  return found == bif_at_.end() ? nullptr : found->second;
}

const beam::Bif* NativeCode::bif_at(os::Address function) const {
  const auto found = bif_at_.find(function);
  return found == bif_at_.end() ? nullptr : found->second;
}

StateSet NativeCode::tells() const {
  StateSet told = all_states;
  const auto set = [&](State state, bool known) {
    told.set(static_cast<std::size_t>(state), known);
  };
  set(State::alloc, knows(Effect::alloc));
  set(State::aux, knows(Effect::aux));
  set(State::bif, !bifs_.empty());
  set(State::busy_wait, knows(Effect::scheduling));
  set(State::check_io, knows_polling_);  // driver_select alone is a small part of it
  set(State::ets, !bifs_.empty());
  set(State::gc, knows(Effect::gc));
  set(State::gc_full, knows("full_sweep_heaps"));
  set(State::port, knows(Effect::port));
  set(State::send, knows(Effect::send));
  set(State::timers, knows(Effect::timers));
  return told;
}

bool NativeCode::knows(std::string_view function) const {
  return std::ranges::any_of(static_, [&](const auto& entry) { return entry.second == function; });
}

}  // namespace beam_exporter::attribution
