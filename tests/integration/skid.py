"""`beam_exporter check --skid` compares late reads with the instant of the sample, on VMs whose work is known."""

import json
import os
import pathlib
import signal
import time
import unittest

from harness import exporter, proc, requirements
from harness.beam_target import BeamTarget
from harness.erlang_runtime import installed

FREQUENCY = 99
# Four processes take turns, each for one call of a BIF of some 20 us. Under C code it is read late which one executes.
TURNS = ("Bytes = binary:copy(<<1>>, 20000), "
         "[spawn(fun Turn() -> erlang:phash2(Bytes), erlang:yield(), Turn() end) || _ <- [1, 2, 3, 4]], ok")


class Skid(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        requirements.may_sample()
        status = pathlib.Path("/proc/self/status").read_text().splitlines()
        effective = next(int(line.split()[1], 16) for line in status if line.startswith("CapEff"))
        if not (effective >> 39 & 1 or effective >> requirements.CAP_SYS_ADMIN & 1):
            requirements.skip("needs CAP_BPF")
        if not os.path.exists("/sys/kernel/btf/vmlinux"):
            requirements.skip("needs a kernel with BTF")

    def check(self, vm, seconds, *flags, code=0, prefix=()):
        result = exporter.run("check", f"--skid={seconds}", f"--target.pid={vm.pid}", *flags, prefix=prefix)
        print(result.stdout + result.stderr)
        self.assertEqual(result.returncode, code, result.stderr)
        return result

    def report(self, vm, seconds):
        return json.loads(self.check(vm, seconds, "--format=json").stdout)

    def test_steady_work_is_read_right_also_late(self):
        with BeamTarget(installed(), "three_functions", 1, flags=("+S", "1")) as vm:
            vm.ask("run")
            scheduler, = (tid for tid, name in proc.threads(vm.pid).items()
                          if name.endswith("_scheduler") or name.startswith("erts_sched_"))
            cpu, began = proc.thread_cpu_seconds(vm.pid, scheduler), time.monotonic()
            report = self.report(vm, 4)
            share = (proc.thread_cpu_seconds(vm.pid, scheduler) - cpu) / (time.monotonic() - began)
            text = self.check(vm, 1).stdout
        self.assertEqual(report["pid"], vm.pid)
        # One a period of CPU time, and the one scheduler does nothing but execute the worker. Not exact: the
        # share is of the whole run of the command, which is longer than its look.
        wanted = 4 * FREQUENCY * share
        print(f"wanted about {wanted:.0f} samples, {share:.2f} of a CPU")
        self.assertAlmostEqual(report["samples"], wanted, delta=0.35 * wanted)
        # The worker stays for a whole time slice, and its loops are JIT code, whose registers tell the function.
        self.assertLess(report["no_process"] + report["other_process"], 0.05 * report["samples"])
        self.assertLess(report["other_function"], 0.05 * report["samples"])
        delay = report["delay_microseconds"]
        self.assertLess(0, delay["p50"])
        self.assertTrue(delay["p50"] <= delay["p90"] <= delay["p99"] <= delay["max"], delay)
        self.assertIn("samples of executing schedulers", text)
        self.assertIn("100.00 %", text)

    def test_what_changes_all_the_time_is_read_wrong_late(self):
        # An exporter that takes the VM's CPU away from it reads in time: how many are wrong is a matter of where
        # the kernel puts both, so the VM gets a second and a third look.
        with BeamTarget(installed(), "idle", flags=("+S", "1")) as vm:
            vm.evaluate(TURNS)
            for _ in range(4):
                report = self.report(vm, 2)
                self.assertGreater(report["samples"], 20)
                if report["no_process"] + report["other_process"] > 0.1 * report["samples"]:
                    return
        self.fail("no look showed a process that was read late, and wrong")

    def test_an_idle_vm_is_said_to_be_idle(self):
        with BeamTarget(installed(), "idle") as vm:
            vm.signal(signal.SIGSTOP)  # as idle as can be: not a single sample
            try:
                text = self.check(vm, 1).stdout
                report = self.report(vm, 1)
            finally:
                vm.signal(signal.SIGCONT)
        self.assertIn("nothing to compare", text)
        self.assertNotIn("%", text)
        self.assertEqual((report["samples"], report["delay_microseconds"]), (0, None))

    def test_usage_and_refusals(self):
        page = exporter.run("check", "--help")
        self.assertEqual(page.returncode, 0)
        for word in ("--skid", "--format", "Exit codes"):
            self.assertIn(word, page.stdout)
        with BeamTarget(installed(), "idle") as vm:
            for flags in (("--skid=0",), ("--skid=x",), ("--skid=1", "--format=xml")):
                result = exporter.run("check", *flags, f"--target.pid={vm.pid}")
                self.assertEqual((result.returncode, result.stdout), (2, ""), result.stderr)
                self.assertEqual(len(result.stderr.splitlines()), 1)
            if os.geteuid() == 0:
                requirements.program("setpriv")
                sets = "-all,+sys_ptrace,+perfmon"
                result = self.check(vm, 1, code=1, prefix=("setpriv", f"--inh-caps={sets}", f"--bounding-set={sets}"))
                line, = result.stderr.splitlines()
                self.assertIn("CAP_BPF", line)
        result = exporter.run("check", "--skid=1", f"--target.pid={vm.pid}")
        self.assertEqual(result.returncode, 1)
        self.assertIn(str(vm.pid), result.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
