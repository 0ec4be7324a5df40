"""A VM's process executes the same VM again: with the same pid, start time, executable and arguments, and without ASLR
even the same addresses. Still it is another VM.

python3 -m integration.same_program OTP_RELEASE
"""

import pathlib
import sys
import unittest

from harness import nif, proc, requirements
from harness.beam_target import BeamTarget
from harness.erlang_runtime import named
from harness.exporter import Exporter
from harness.mark import Mark
from harness.monotonic_watch import MonotonicWatch

RELEASE = "25"
FUNCTION_SECONDS = "beam_function_cpu_seconds_total"
RESTARTS = "beam_target_restarts_total"


class Prefixed:
    """A runtime whose VMs are started by another program."""

    def __init__(self, runtime, prefix):
        self._runtime, self._prefix = runtime, prefix

    def prepare(self):
        return self._runtime.prepare()

    def command(self, argv):
        return [*self._prefix, *self._runtime.command(argv)]


class SameProgram(unittest.TestCase):
    def whole_life(self, *prefix):
        runtime = named(RELEASE)
        inside = runtime.prepare()
        nif.compile_into(runtime.outside() / "nif", "exec_nif", runtime=runtime)
        mark = Mark()
        vm = BeamTarget(Prefixed(runtime, prefix), "idle", inside / "nif", flags=("+S", "1", *mark.flags))
        self.addCleanup(vm.kill)
        with Exporter(mark.match) as exporter:
            exporter.await_up()
            watch = MonotonicWatch(exporter)
            self.addCleanup(watch.stop)
            for replaced in range(3):
                before = exporter.scrape().total(FUNCTION_SECONDS)
                vm.ask("burn 1000")
                exporter.await_scrape(f"CPU time is counted after {replaced} times of exec",
                                      lambda scrape: scrape.total(FUNCTION_SECONDS) > before + 0.7)
                scrape = exporter.scrape()
                self.assertEqual(scrape.value(RESTARTS), replaced)
                if replaced == 2:
                    break
                look = proc.start_time(vm.pid), proc.executable(vm.pid)
                command = pathlib.Path(f"/proc/{vm.pid}/cmdline").read_bytes().decode().rstrip("\0").split("\0")
                vm.send("exec " + " ".join(command))
                self.assertEqual(vm.await_ready()["pid"], vm.pid)
                self.assertEqual((proc.start_time(vm.pid), proc.executable(vm.pid)), look)
                exporter.await_scrape("the new VM is seen", lambda scrape: scrape.value(RESTARTS) == replaced + 1
                                      and scrape.value("beam_up") == 1)
            watch.stop()
            self.assertEqual(watch.complaints, [])
            self.assertGreater(watch.scrapes, 5)
            self.assertEqual(exporter.stop(), 0)

    def test_with_address_space_randomization(self):
        self.whole_life()

    def test_without(self):
        requirements.program("setarch")
        self.whole_life("setarch", "-R")


if __name__ == "__main__":
    RELEASE = sys.argv.pop()
    unittest.main(verbosity=2)
