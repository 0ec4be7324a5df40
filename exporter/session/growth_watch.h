#pragma once

#include <map>
#include <string>

#include "beam/virtual_machine.h"
#include "os/memory/memory.h"
#include "os/result.h"
#include "sampling/sample_source.h"

namespace beam_exporter::session {

// The VM's allocators by the address of their Allctr_t, which events of growth hold.
using AllocatorNames = std::map<os::Address, std::string>;

// From now on `source` sees new carriers. Errors: unsupported where the layout does not tell which
// functions get them, or the code does not prove what is entered instead; those of find_allocators
// and of SampleSource::watch_growth. Called after each start of sampling, where growth is wanted.
os::Result<AllocatorNames> watch_growth(const beam::VirtualMachine& vm, const os::Memory& memory,
                                        sampling::SampleSource& source);

}  // namespace beam_exporter::session
