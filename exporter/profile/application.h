#pragma once

#include <string>

#include "profile/profile.h"

namespace beam_exporter::profile {

// The application that a function seems to belong to. A VM tells no outsider which application a
// module is of, so this is the first part of the module's name, by which most are named: "MyApp" of
// MyApp.Repo, "rabbit" of rabbit_channel; also "gen" of gen_server. What is implemented in C has
// "BIF", "NIF", "C" or "kernel"; what no function asked for has "other". Any thread.
std::string application_of(const Function& function);

}  // namespace beam_exporter::profile
