// Starts a VM and makes a recording (recording.h) of it: record_vm OTP_ROOT NAME
#include <fstream>
#include <iostream>

#include "beam/layout_check.h"
#include "beam/part_checks.h"
#include "fakes/fake_vm.h"
#include "fakes/must.h"
#include "fakes/recorded_memory.h"
#include "fakes/recording.h"
#include "fakes/vm_view.h"
#include "fakes/whole_look.h"
#include "harness/beam_target.h"
#include "os/memory/process_memory.h"

namespace {

using namespace beam_exporter;
using tests::must;

// Keeps only the values that did not change during the look.
nlohmann::json unchanged(const nlohmann::json& before, const nlohmann::json& after) {
  nlohmann::json same = nlohmann::json::array();
  for (const auto& each : before)
    if (std::ranges::find(after, each) != after.end()) same.push_back(each);
  return same;
}

using Description = beam::VirtualMachine::Description;
using Describe = std::function<Description()>;

std::unique_ptr<beam::VirtualMachine> attach(const os::Process& process, const os::Memory& memory,
                                             Description description) {
  return must(beam::VirtualMachine::attach(process, memory, std::move(description),
                                           [] { return std::chrono::nanoseconds(0); }));
}

// Everything that the tests of recordings read.
std::unique_ptr<beam::VirtualMachine> read_all(const os::Process& process, const os::Memory& memory,
                                               const Describe& describe) {
  auto vm = attach(process, memory, describe());
  if (!beam::all_ok(beam::check_layout(*vm))) throw std::runtime_error("the checks fail");
  // The other layouts of this release read elsewhere: what they find there must be that VM's.
  for (auto& [version, layout] : tests::shipped_layouts(tests::name_of_release(vm->release()))) {
    auto description = describe();
    description.layout = std::move(layout);
    (void)beam::check_parts(*attach(process, memory, std::move(description)));
  }
  for (const auto* module : tests::modules_of(*vm)) tests::functions_of(*vm, *module);
  for (const auto& each : tests::processes_of(*vm)) {
    (void)tests::registered_name(*vm, each);
    (void)tests::frames_of(*vm, each);
  }
  tests::ReadLog log(memory);
  tests::look_at_all(log, describe());
  return vm;
}

// A VM that exports no symbols was searched for what the recording tells, and each word of its data
// may be a pointer to a function. So all code of the executable is left out but process_main.
void keep_what_is_read(const os::Process& process, const std::string& name) {
  const tests::Recording recording(name);
  const tests::RecordingMemory memory(recording.memory);
  const auto vm = read_all(process, memory, [&] { return recording.description(); });
  auto kept = memory.seen();
  const auto bias = recording.description().bias;
  for (const auto& segment : vm->image().segments())
    if (segment.executable) kept.forget(segment.addresses.begin + bias, segment.addresses.size());
  if (vm->interpreter() != nullptr) {
    std::vector<std::byte> code(vm->interpreter()->code.size());
    if (!recording.memory.read(vm->interpreter()->code.begin, code))
      throw std::runtime_error("the recording does not have process_main");
    kept.put_bytes(vm->interpreter()->code.begin, code);
  }
  tests::write_memory(kept, tests::recording_path(name) + ".memory");
}

void record(const std::string& root, const std::string& name) {
  tests::BeamTarget target(root, "witness");
  const auto process = must(os::Process::open(target.pid()));
  const auto library = must(beam::LayoutLibrary::load());
  const auto describe = [&] { return must(beam::VirtualMachine::describe(process, library)); };
  const auto description = describe();
  nlohmann::json facts = {
      {"executable", tests::describe_executable(description.image, description.bias)}};
  const auto functions = target.ask("functions"), processes = target.ask("processes"),
             registered = target.ask("registered"), stacks = target.ask("stacks");

  const os::ProcessMemory live(target.pid());
  const tests::RecordingMemory memory(live);
  const auto vm = read_all(process, memory, describe);

  tests::describe_found(vm->static_data(), facts["executable"]);
  facts["otp_release"] = vm->release().otp_release;
  facts["flavor"] = vm->release().flavor;
  facts["build"] = vm->release().build;
  facts["erts_version"] = vm->release().erts_version;
  facts["map"] = tests::describe_map(vm->memory_map());
  facts["account"] = {{"functions", unchanged(functions, target.ask("functions"))},
                      {"processes", unchanged(processes, target.ask("processes"))},
                      {"registered", unchanged(registered, target.ask("registered"))},
                      {"stacks", unchanged(stacks, target.ask("stacks"))}};
  tests::write_memory(memory.seen(), tests::recording_path(name) + ".memory");
  std::ofstream file(tests::recording_path(name) + ".json");
  if (!(file << facts.dump() << "\n").flush())
    throw std::runtime_error("cannot write " + tests::recording_path(name) + ".json");
  file.close();
  keep_what_is_read(process, name);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: record_vm OTP_ROOT NAME, as in: record_vm 25 otp-25\n";
    return 2;
  }
  try {
    record(argv[1], argv[2]);
  } catch (const std::exception& failure) {
    std::cerr << "record_vm: " << failure.what() << "\n";
    return 1;
  }
}
