#include "fakes/vm_account.h"

namespace beam_exporter::tests {

namespace {

Pid pid(const nlohmann::json& number, const nlohmann::json& serial) {
  return {number.get<std::uint64_t>(), serial.get<std::uint64_t>()};
}

std::string frame_text(const nlohmann::json& frame) {
  std::string text = frame[0].get<std::string>() + ":" + frame[1].get<std::string>() + "/" +
                     std::to_string(frame[2].get<int>()) + " ";
  return frame[3].is_null()
             ? text + "?"
             : text + frame[3].get<std::string>() + ":" + std::to_string(frame[4].get<int>());
}

}  // namespace

std::set<std::string> told_functions(const nlohmann::json& functions, const std::string& module) {
  std::set<std::string> names;
  for (const auto& function : functions)
    names.insert(module + ":" + function[0].get<std::string>() + "/" +
                 std::to_string(function[1].get<int>()));
  return names;
}

std::map<std::string, std::set<std::string>> told_functions(const nlohmann::json& modules) {
  std::map<std::string, std::set<std::string>> all;
  for (const auto& entry : modules) {
    const auto module = entry[0].get<std::string>();
    all[module] = told_functions(entry[1], module);
  }
  return all;
}

std::set<Pid> told_processes(const nlohmann::json& processes) {
  std::set<Pid> all;
  for (const auto& each : processes) all.insert(pid(each[0], each[1]));
  return all;
}

std::map<Pid, std::string> told_names(const nlohmann::json& registered) {
  std::map<Pid, std::string> all;
  for (const auto& each : registered) all[pid(each[1], each[2])] = each[0].get<std::string>();
  return all;
}

std::map<Pid, std::vector<std::string>> told_stacks(const nlohmann::json& stacks) {
  std::map<Pid, std::vector<std::string>> all;
  for (const auto& each : stacks) {
    auto& frames = all[pid(each[0], each[1])];
    for (const auto& frame : each[2]) frames.push_back(frame_text(frame));
  }
  return all;
}

}  // namespace beam_exporter::tests
