"""The exporter attaches to a VM in motion every time, and refuses the layout of another release every time.

python3 -m integration.attach_in_motion OTP_RELEASE [TIMES]
"""

import json
import os
import subprocess
import sys
import unittest

from harness import exporter
from harness.beam_target import BeamTarget
from harness.erlang_runtime import named
from harness.processes import BUILD, reap, spawn

ATTACH_TIMES = os.environ.get("ATTACH_TIMES", BUILD / "release" / "tests" / "live" / "attach_times")
MOTIONS = ("waves 2000", "waves 50", "spawns 100000", "loads 60", "collections")
CROWD = 1000000


class AttachInMotion(unittest.TestCase):
    release, times = "25", 20

    def refusals(self, vm, times, *wrong):
        """Tries so many times: with the VM's own layout, or with that of another release instead."""
        output = subprocess.run([str(ATTACH_TIMES), str(vm.pid), str(times), *wrong], stdin=subprocess.DEVNULL,
                                capture_output=True, text=True, timeout=600, check=True).stdout
        result = json.loads(output)
        refused = result["refusals"]
        print(f"  {' '.join(wrong) or 'its own layout'}: {times - len(refused)} of {times} attached,"
              f" {result['mean_ms']:.1f} ms each, at most {result['longest_ms']:.1f}; {refused[:1]}", flush=True)
        return refused

    def check(self, vm):
        self.assertEqual(self.refusals(vm, self.times), [])
        few = max(2, self.times // 10)
        other = "27" if self.release == "25" else "25"
        for wrong in ([other], [other, "Process"], [other, "ErtsPTab"]):
            self.assertEqual(len(self.refusals(vm, few, *wrong)), few, wrong)

    def test_motions(self):
        for motion in MOTIONS:
            with self.subTest(motion), BeamTarget(named(self.release), "motion", flags=("+S", "2")) as vm:
                vm.ask(f"on {motion}")
                before = vm.ask("made")
                print(motion, flush=True)
                self.check(vm)
                print(f"  made meanwhile: {vm.ask('made') - before}", flush=True)

    def test_a_million_processes(self):
        with BeamTarget(named(self.release), "motion", flags=("+S", "2", "+P", str(2 * CROWD))) as vm:
            vm.ask(f"on crowd {CROWD}", timeout=300)
            self.check(vm)

    def boot(self):
        """A VM from its first millisecond, when the process is still a shell script, and then erlexec."""
        vm = spawn(named(self.release).command(["erl", "-noshell", "-noinput"]), stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL)
        self.addCleanup(reap, vm)
        return f"--target.pid={vm.pid}"

    def test_boot(self):
        for _ in range(self.times):
            result = exporter.run("check", self.boot())
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
            self.doCleanups()

    def test_boot_beside_the_server(self):
        with exporter.Exporter(self.boot()) as server:
            server.await_up()


if __name__ == "__main__":
    arguments, sys.argv[1:] = sys.argv[1:], []
    AttachInMotion.release = arguments[0]
    if len(arguments) > 1:
        AttachInMotion.times = int(arguments[1])
    unittest.main(verbosity=2)
