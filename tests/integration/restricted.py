"""As in a pod that may add no capability: the exporter runs as the VM's user without capabilities, and a seccomp filter
refuses what the strictest profiles refuse. All figures from memory are still true; samples are absent.

python3 -m integration.restricted OTP_RELEASE
"""

import os
import pathlib
import re
import sys
import unittest

from integration import memory_figures
from harness import proc, refused_calls, requirements
from harness.beam_target import BeamTarget
from harness.exporter import LAST_SUCCESS, Exporter
from harness.mark import Mark
from harness.rights_checks import SAMPLED, RightsChecks, number
from harness.users import OWNER, UsersRuntime, as_user, readable_exporter

SAMPLING = ("perf_event_open", "bpf")


class Restricted(RightsChecks, memory_figures.MemoryFigures):
    prefix = (*refused_calls.prefix("process_vm_readv", "pidfd_open", *SAMPLING), *as_user(OWNER))

    @classmethod
    def setUpClass(cls):
        requirements.root_user()
        requirements.program("setpriv")
        if number("/proc/sys/kernel/yama/ptrace_scope") > 0:
            requirements.skip("Yama's ptrace_scope forbids it to the VM's own user")
        cls.runtime = UsersRuntime(cls.release, OWNER, readable_exporter(cls))
        super().setUpClass()

    @classmethod
    def start_vm(cls, runtime):
        return super().start_vm(cls.runtime)

    def all_collectors(self, exporter):
        return exporter.await_scrape("all collectors", lambda scrape: len(scrape.samples(LAST_SUCCESS)) == 4)

    def test_it_says_how_it_reads_and_why_it_does_not_sample(self):
        line, = (line for line in self.exporter.log.lines if "/proc/PID/mem" in line)
        print(line)
        for word in ("level=info", "a seccomp filter refuses process_vm_readv"):
            self.assertIn(word, line)
        complaints = [line for line in self.exporter.log.lines if "level=info" not in line]
        print(complaints)
        self.one_line(complaints, "error", ["no CPU sampling", "CAP_BPF", "CAP_PERFMON", "seccomp profile"])

    def test_two_descriptors_that_only_read(self):
        """The exporter keeps two files open: one to read memory, one to notice an exec (os/process/address_space.h)."""
        of_ours = pathlib.Path(f"/proc/{self.exporter.pid}")
        opened = [name for name, file in proc.opened(self.exporter.pid) if file == f"/proc/{self.vm.pid}/mem"]
        self.assertEqual(len(opened), 2)
        for name in opened:
            flags = int(re.search(r"flags:\s+(\d+)", (of_ours / "fdinfo" / name).read_text())[1], 8)
            self.assertEqual(flags & (os.O_ACCMODE | os.O_CLOEXEC), os.O_RDONLY | os.O_CLOEXEC)

    def test_only_what_samples_fill_is_absent(self):
        scrape = self.all_collectors(self.exporter)
        self.not_sampled(scrape)
        with Exporter(f"--target.pid={self.vm.pid}", settings=self.settings,
                      prefix=refused_calls.prefix(*SAMPLING)) as roots:
            names = set(self.all_collectors(roots).names())
        self.assertFalse(names & set(SAMPLED))
        self.assertEqual(set(scrape.names()), names)
        print(f"{len(names)} families")

    def test_the_next_vm_is_read_as_well(self):
        mark = Mark()
        with Exporter(mark.match, prefix=self.prefix) as exporter:
            for restarts in (0, 1):
                with BeamTarget(self.runtime, "idle", flags=mark.flags) as running:
                    count = running.evaluate("erlang:system_info(process_count)")
                    scrape = exporter.await_scrape(f"{count} processes",
                                                   lambda scrape: scrape.value("beam_processes") == count)
                    self.assertEqual(scrape.value("beam_target_restarts_total"), restarts)
                exporter.await_up(0)
            self.assertEqual(exporter.stop(), 0)


if __name__ == "__main__":
    Restricted.release = sys.argv.pop()
    unittest.main(verbosity=2)
