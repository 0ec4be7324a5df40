#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "fakes/vm_view.h"

// The account of a witness VM (tests/targets/witness.erl), in the types of vm_view.h.
namespace beam_exporter::tests {

std::set<std::string> told_functions(const nlohmann::json& functions, const std::string& module);
// By module.
std::map<std::string, std::set<std::string>> told_functions(const nlohmann::json& modules);
std::set<Pid> told_processes(const nlohmann::json& processes);
std::map<Pid, std::string> told_names(const nlohmann::json& registered);
std::map<Pid, std::vector<std::string>> told_stacks(const nlohmann::json& stacks);

}  // namespace beam_exporter::tests
