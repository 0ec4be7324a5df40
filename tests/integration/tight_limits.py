"""When limits leave no thread or memory for attaching, the exporter continues to serve, says so, and tries again."""

import os
import pathlib
import random
import re
import resource
import shutil
import subprocess
import tempfile
import unittest

from harness import exporter, requirements
from harness.beam_target import BeamTarget
from harness.erlang_runtime import installed
from harness.mark import Mark
from harness.processes import wait_for

STRANGER = random.randrange(1 << 20, 1 << 30)  # a user without other processes: limits count all processes of a user
CAPABILITIES = "-all,+sys_ptrace,+perfmon,+bpf"
AS_STRANGER = ("setpriv", f"--reuid={STRANGER}", f"--regid={STRANGER}", "--clear-groups",
               f"--inh-caps={CAPABILITIES}", f"--ambient-caps={CAPABILITIES}", f"--bounding-set={CAPABILITIES}")


def set_limit(pid, name, value):
    """The soft limit of a process of that user."""
    value = "unlimited" if value == resource.RLIM_INFINITY else value
    subprocess.run([*AS_STRANGER[:4], "prlimit", f"--pid={pid}", f"--{name}={value}:"], check=True)


def virtual_bytes(pid):
    return 1024 * int(re.search(r"VmSize:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())[1])


class TightLimits(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        requirements.root_user()
        requirements.program("setpriv")
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        os.chmod(folder.name, 0o755)
        original = exporter.BINARY
        cls.addClassCleanup(setattr, exporter, "BINARY", original)
        exporter.BINARY = pathlib.Path(shutil.copy(original, folder.name))

    def goes_on(self, name, limit, tight, complaints_wanted):
        """Lowers the limit before a VM starts, and restores it when the log complains."""
        mark = Mark()
        with exporter.Exporter(mark.match, prefix=AS_STRANGER) as running:
            set_limit(running.pid, name, tight(running.pid))
            with BeamTarget(installed(), "idle", flags=("+S", "1", *mark.flags)) as vm:
                def complaints():
                    return [line for line in running.log.lines if "level=error" in line]

                wait_for("the exporter says why", lambda: len(complaints()) >= complaints_wanted
                         or not running.running())
                print(*complaints(), sep="\n")
                self.assertTrue(running.running())
                self.assertEqual(running.get("/-/healthy")[0], 200)
                # The page itself may be what there is no memory for: it then says so, and the next one comes.
                self.assertIn(running.get("/metrics")[0], (200, 500))
                set_limit(running.pid, name, resource.getrlimit(limit)[0])
                scrape = running.await_scrape("it attaches", lambda scrape: scrape.value("beam_up") == 1
                                              and scrape.value("beam_processes"), timeout=90)
                self.assertEqual(scrape.value("beam_target_restarts_total"), 0)
                self.assertTrue(vm.alive())
                self.assertEqual(running.stop(), 0)
                return complaints()

    def test_it_starts_and_ends_where_no_thread_is_left(self):
        mark = Mark()
        few = ("prlimit", "--nproc=3:")  # ours, and two of the web server
        with BeamTarget(installed(), "idle", flags=("+S", "1", *mark.flags)):
            with exporter.Exporter(mark.match, prefix=(*AS_STRANGER, *few)) as running:
                _, line = running.log.find(lambda line: "level=error" in line and line)
                self.assertIn("pids.max", line)
                running.await_up(0)
                set_limit(running.pid, "nproc", resource.getrlimit(resource.RLIMIT_NPROC)[0])
                running.await_up(timeout=60)
                set_limit(running.pid, "nproc", 1)
                self.assertEqual(running.stop(), 0)

    def test_no_thread_can_be_started(self):
        for line in self.goes_on("nproc", resource.RLIMIT_NPROC, lambda pid: 1, 2):
            self.assertIn("pids.max", line)

    def test_no_memory_is_left(self):
        self.goes_on("as", resource.RLIMIT_AS, lambda pid: virtual_bytes(pid), 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
