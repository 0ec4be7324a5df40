"""The core file that the kernel makes of a VM."""

import os
import pathlib
import resource
import signal
import tempfile


def complaint():
    """What is missing for it; None: nothing."""
    pattern = pathlib.Path("/proc/sys/kernel/core_pattern").read_text().strip()
    if "/" in pattern or "|" in pattern or "%" in pattern:
        return f"needs a kernel.core_pattern without a folder, a pipe or a %, not '{pattern}'"
    return None


class CoreDump:
    def __init__(self, test_class, vm, runtime):
        """Makes the VM work in a new folder: there its core will be. Until the tests of that class end."""
        root = runtime.root or pathlib.Path("/")
        self.folder = pathlib.Path(test_class.enterClassContext(tempfile.TemporaryDirectory(dir=root / "tmp")))
        self.executable = os.readlink(f"/proc/{vm.pid}/exe")
        self._vm = vm
        vm.evaluate(f'file:set_cwd("{pathlib.Path("/") / self.folder.relative_to(root)}")')

    def take(self):
        """Ends the VM; returns the path of its core."""
        resource.prlimit(self._vm.pid, resource.RLIMIT_CORE, (resource.RLIM_INFINITY,) * 2)
        self._vm.signal(signal.SIGABRT)
        self._vm.signal(signal.SIGCONT)  # it may be stopped
        self._vm.wait()
        core, = self.folder.glob("core*")
        return core
