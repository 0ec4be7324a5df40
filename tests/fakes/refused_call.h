#pragma once

namespace beam_exporter::tests {

// From now on the kernel answers EPERM to that system call, for this process and all that it
// starts, as under a container runtime's seccomp profile. It cannot be undone: call it in a child
// process. False: the filter could not be set.
bool refuse_call(unsigned number);

}  // namespace beam_exporter::tests
