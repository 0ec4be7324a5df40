"""The things that a test needs on the machine. When one is missing, the test is skipped and prints why; it never passes."""

import os
import shutil
import sys

SKIPPED = 77  # ctest's SKIP_RETURN_CODE in tests/integration/CMakeLists.txt

CAP_SYS_ADMIN, CAP_SYS_PTRACE, CAP_PERFMON = 21, 19, 38


def skip(reason):
    print(f"SKIPPED: {reason}")
    sys.stdout.flush()
    os._exit(SKIPPED)


def program(*names):
    for name in names:
        if shutil.which(name) is None:
            skip(f"needs {name}: deploy/install-dependencies.sh --tests")


def root_user():
    if os.geteuid() != 0:
        skip("needs root: it changes capabilities, users or mount namespaces")


def may_sample():
    with open("/proc/self/status") as status:
        effective = next(int(line.split()[1], 16) for line in status if line.startswith("CapEff"))
    with open("/proc/sys/kernel/perf_event_paranoid") as paranoid:
        level = int(paranoid.read())
    allowed = effective >> CAP_SYS_ADMIN & 1 or effective >> CAP_PERFMON & 1
    if level > 1 and not allowed:
        skip(f"needs CAP_PERFMON (perf_event_paranoid is {level})")
