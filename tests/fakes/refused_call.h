#pragma once

namespace beam_exporter::tests {

// From now on the kernel answers EPERM to that system call, for this process and what it starts, as
// under a container runtime's seccomp profile. For good: call it in a child. False when it cannot
// be done.
bool refuse_call(unsigned number);

}  // namespace beam_exporter::tests
