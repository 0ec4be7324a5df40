#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "beam/layout/layout_library.h"
#include "beam/virtual_machine.h"
#include "os/process/process.h"
#include "os/result.h"

namespace beam_exporter::beam {

// Releases near each other often differ in nothing that we read. So a release without a layout is
// read by that of another one, if every proof (layout_check.h) holds with it.

using AttachWith = std::function<os::Result<std::unique_ptr<VirtualMachine>>(Layout)>;

// The first VM that passes every check; `layouts` in order of preference. Error: malformed, with
// what each layout was refused for.
os::Result<std::unique_ptr<VirtualMachine>> first_that_fits(const std::vector<Layout>& layouts,
                                                            const AttachWith& attach);

// VirtualMachine::attach, also for releases that the library does not have. Errors: the same, and
// for such a release malformed when no neighbour fits (the VM may still be booting).
os::Result<std::unique_ptr<VirtualMachine>> attach_known_or_near(const os::Process& process,
                                                                 const os::Memory& memory,
                                                                 const LayoutLibrary& library,
                                                                 const CodeIndex::Clock& clock);

// One line when the layout is that of another release, with what follows from that; else empty.
std::string layout_doubt(const VirtualMachine& vm);

}  // namespace beam_exporter::beam
