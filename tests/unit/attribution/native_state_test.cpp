#include "attribution/native_state.h"

#include <gtest/gtest.h>

#include <initializer_list>

namespace beam_exporter::attribution {
namespace {

constexpr beam::Eterm ets_atom = 0x10b, lists_atom = 0x20b;
constexpr std::uint32_t poll_sleeping = 2, waiting = 8, spinning = 9, tse_sleeping = 13;

NativeMeaning function(Effect effect) {
  NativeMeaning meaning;
  meaning.start = 0x1000;
  meaning.effect = effect;
  meaning.in_executable = true;
  return meaning;
}

// Frames innermost first, as they come.
NativeState told(std::initializer_list<NativeMeaning> frames, ChainContext context = {}) {
  context.ets = ets_atom;
  static std::vector<NativeMeaning> kept;
  kept = frames;
  std::vector<const NativeMeaning*> chain;
  for (const auto& frame : kept) chain.push_back(&frame);
  return state_of(chain, context);
}

void expect(const NativeState& state, State full, State basic) {
  EXPECT_EQ(name_of(state.state), name_of(full));
  EXPECT_EQ(name_of(state.basic_state), name_of(basic));
}

const ChainContext under_jit{.called_by_jit = true, .has_process = true};

TEST(NativeState, jit_code_and_helpers_without_a_state_are_the_emulator) {
  expect(told({}, under_jit), State::emulator, State::emulator);
  const auto state = told({function(Effect::none)}, under_jit);
  expect(state, State::emulator, State::emulator);
  EXPECT_TRUE(state.for_process);
  EXPECT_NE(state.outermost, nullptr);
}

TEST(NativeState, what_a_vm_without_extended_states_counts) {
  const struct {
    Effect effect;
    State full, basic;
  } rows[] = {{Effect::gc, State::gc, State::gc},
              {Effect::gc_uncounted, State::gc, State::emulator},
              {Effect::port, State::port, State::port},
              {Effect::check_io, State::check_io, State::check_io},
              {Effect::check_io_extended, State::check_io, State::emulator},
              {Effect::send, State::send, State::emulator},
              {Effect::alloc, State::alloc, State::emulator},
              {Effect::timers, State::timers, State::emulator},
              {Effect::bif, State::bif, State::emulator},
              {Effect::nif, State::nif, State::emulator}};
  for (const auto& row : rows) expect(told({function(row.effect)}, under_jit), row.full, row.basic);
}

TEST(NativeState, the_innermost_state_hides_the_others) {
  expect(
      told({function(Effect::alloc), function(Effect::gc_full), function(Effect::gc)}, under_jit),
      State::alloc, State::gc);
  expect(told({function(Effect::gc_full), function(Effect::gc), function(Effect::send)}, under_jit),
         State::gc_full, State::gc);
}

TEST(NativeState, a_bif_is_told_by_its_module_and_guards_have_no_state) {
  beam::Bif insert{.mfa = {ets_atom, 1, 2}}, reverse{.mfa = {lists_atom, 1, 2}};
  beam::Bif guard{.mfa = {lists_atom, 2, 1}, .guard = true};
  auto bif = [](const beam::Bif& of) {
    auto meaning = function(Effect::none);
    meaning.bif = &of;
    return meaning;
  };
  expect(told({bif(insert)}, under_jit), State::ets, State::emulator);
  expect(told({bif(reverse)}, under_jit), State::bif, State::emulator);
  expect(told({bif(guard)}, under_jit), State::emulator, State::emulator);
  // The one that was called first, whatever it calls.
  EXPECT_EQ(told({bif(insert), bif(reverse)}, under_jit).bif, &reverse);
  // A NIF that calls what a BIF calls is still a NIF.
  const auto in_nif =
      told({bif(reverse), function(Effect::none), function(Effect::nif)}, under_jit);
  EXPECT_EQ(in_nif.bif, nullptr);
  EXPECT_TRUE(in_nif.in_nif);
  EXPECT_EQ(in_nif.state, State::nif);
}

TEST(NativeState, what_a_bif_has_jumped_to_is_that_bif) {
  beam::Bif lookup{.mfa = {ets_atom, 1, 2}};
  auto part = function(Effect::none);
  part.part_of = &lookup;
  auto state = told({function(Effect::none), part}, under_jit);
  expect(state, State::ets, State::emulator);
  EXPECT_EQ(state.bif, &lookup);
  part.shared = true;
  state = told({part}, under_jit);
  expect(state, State::ets, State::emulator);
  EXPECT_EQ(state.bif, nullptr);
  // Called by something else, it says nothing.
  state = told({part, function(Effect::none)}, under_jit);
  expect(state, State::emulator, State::emulator);
}

TEST(NativeState, a_bif_called_by_pointer_stands_inside_the_helper) {
  const auto state = told({function(Effect::none), function(Effect::bif)}, under_jit);
  expect(state, State::bif, State::emulator);
  ASSERT_NE(state.outermost, nullptr);
  EXPECT_EQ(state.outermost->effect, Effect::none);
}

TEST(NativeState, a_nif_is_the_first_function_inside_the_call) {
  const auto state =
      told({function(Effect::alloc), function(Effect::none), function(Effect::nif)}, under_jit);
  EXPECT_EQ(state.state, State::alloc);
  EXPECT_TRUE(state.in_nif);
  ASSERT_NE(state.nif, nullptr);
  EXPECT_EQ(state.nif->effect, Effect::none);
}

ChainContext scheduling(std::uint32_t flags, bool process = false) {
  return {.called_by_jit = true,
          .has_process = process,
          .scheduler = sampling::SchedulerFields{.sleep_flags = flags}};
}

TEST(NativeState, between_two_processes_it_is_other) {
  auto state = told({function(Effect::scheduling)}, scheduling(0));
  expect(state, State::other, State::other);
  EXPECT_FALSE(state.for_process);
  state = told({function(Effect::scheduling)}, scheduling(0, true));
  expect(state, State::emulator, State::emulator);
  EXPECT_TRUE(state.for_process);
}

TEST(NativeState, spinning_is_told_with_and_without_the_waiting_function) {
  const auto schedule = function(Effect::scheduling), wait = function(Effect::waiting);
  expect(told({wait, schedule}, scheduling(spinning)), State::busy_wait, State::other);
  expect(told({schedule}, scheduling(waiting)), State::busy_wait, State::other);
  expect(told({schedule}, scheduling(tse_sleeping)), State::other, State::other);
  expect(told({function(Effect::event_wait), wait, schedule}, scheduling(tse_sleeping)),
         State::sleep, State::sleep);
  expect(told({function(Effect::aux), wait, schedule}, scheduling(spinning)), State::aux,
         State::aux);
}

TEST(NativeState, a_scheduler_that_yields_spins) {
  const auto yields = function(Effect::yields), schedule = function(Effect::scheduling);
  expect(told({yields, schedule}, scheduling(spinning)), State::busy_wait, State::other);
  // Who has work for it has taken the flags away meanwhile.
  expect(told({yields, schedule}, scheduling(0)), State::busy_wait, State::other);
  // A lock is waited for so too.
  expect(told({yields, function(Effect::port), schedule}, scheduling(0)), State::port, State::port);
  expect(told({yields, function(Effect::bif)}, under_jit), State::bif, State::emulator);
}

TEST(NativeState, a_poll_sleeps_where_it_may_block) {
  const auto poll = function(Effect::poll_wait), check = function(Effect::check_io),
             wait = function(Effect::waiting), schedule = function(Effect::scheduling);
  expect(told({poll, check, schedule}, scheduling(0)), State::check_io, State::check_io);
  expect(told({poll, check, schedule}, scheduling(poll_sleeping | waiting)), State::sleep,
         State::sleep);
  // Who wakes it has taken the flag away.
  expect(told({poll, check, wait, schedule}, scheduling(0)), State::sleep, State::sleep);
  expect(told({poll, check}, {.kind = beam::ThreadKind::poll}), State::sleep, State::sleep);
  // Not under check_io it is somebody's own.
  expect(told({poll, function(Effect::port)}, scheduling(0)), State::port, State::port);
}

TEST(NativeState, waiting_for_a_lock_is_what_was_going_on) {
  expect(told({function(Effect::event_wait), function(Effect::port)}, under_jit), State::port,
         State::port);
}

TEST(NativeState, memory_that_a_timer_asks_for_is_alloc) {
  expect(told({function(Effect::alloc), function(Effect::timers), function(Effect::scheduling)},
              scheduling(0)),
         State::alloc, State::other);
  expect(told({function(Effect::timers), function(Effect::scheduling)}, scheduling(0)),
         State::timers, State::other);
}

TEST(NativeState, signals_leave_the_state_of_the_bif_that_handles_them) {
  beam::Bif reverse{.mfa = {lists_atom, 1, 2}};
  auto bif = function(Effect::none), handles = function(Effect::process_work);
  bif.bif = &reverse;
  handles.work = ProcessWork::signals;
  const auto state = told({handles, bif}, under_jit);
  expect(state, State::bif, State::emulator);
  EXPECT_EQ(state.pseudo, PseudoFunction::signals);
  expect(told({handles, function(Effect::scheduling)}, scheduling(0)), State::emulator,
         State::emulator);
}

TEST(NativeState, a_collection_is_no_copying) {
  auto copy = function(Effect::none), collect = function(Effect::gc);
  copy.families = 0b101;
  collect.families = 0b010;
  collect.work = ProcessWork::collection;
  ChainContext context = under_jit;
  context.hidden_in_collections = 0b001;
  EXPECT_EQ(told({copy, collect}, context).families, 0b110U)
      << "one function asked for by name stays";
  EXPECT_EQ(told({copy}, context).families, 0b101U);
}

TEST(NativeState, families_are_gathered_over_the_chain) {
  auto copy = function(Effect::none), collect = function(Effect::gc);
  copy.families = 1;
  collect.families = 2;
  EXPECT_EQ(told({copy, collect}, under_jit).families, 3U);
}

}  // namespace
}  // namespace beam_exporter::attribution
