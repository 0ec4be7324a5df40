"""beam_vm_* and scheduler times, compared with the VM's own account and the kernel's.

python3 -m integration.vm_figures OTP_RELEASE
"""

import pathlib
import re
import subprocess
import sys
import time
import unittest

from harness import proc
from harness.erlang_runtime import number_of
from harness.watched_vm import FAST_SNAPSHOTS, SNAPSHOT, WatchedVm

SECONDS = 12
STATE = "beam_scheduler_state_seconds_total"
THREAD = re.compile(r"(\d+)_scheduler|erts_sched_(\d+)")


class VmFigures(WatchedVm):
    target, arguments, settings = "three_functions", (1,), FAST_SNAPSHOTS

    def test_what_the_vm_is(self):
        (labels, value), = self.exporter.scrape().samples("beam_vm_info")
        self.assertEqual(value, 1)
        self.assertEqual(labels["otp_release"], str(number_of(self.release)))
        self.assertEqual(labels["erts_version"],
                         self.vm.evaluate("list_to_binary(erlang:system_info(version))"))
        # OTP 23 has no such item, because there was no other flavor.
        self.assertEqual(labels["flavor"],
                         self.vm.evaluate("try erlang:system_info(emu_flavor) catch error:badarg -> emu end"))
        notes = subprocess.run(["readelf", "-n", f"/proc/{self.vm.pid}/exe"], capture_output=True, text=True)
        built = re.search(r"Build ID: ([0-9a-f]+)", notes.stdout)
        # Some linkers write none, unless they are asked to: musl-gcc's.
        self.assertEqual(labels["build_id"], built[1] if built else "")
        self.assertTrue(labels["layout"])

    def test_figures_of_proc(self):
        scrape = self.exporter.scrape()
        self.assertAlmostEqual(scrape.value("beam_vm_start_time_seconds"), proc.start_time(self.vm.pid), delta=1)
        self.assertEqual(scrape.value("beam_vm_threads"), len(proc.threads(self.vm.pid)))
        self.assertEqual(scrape.value("beam_vm_open_fds"), proc.open_files(self.vm.pid))
        limits = pathlib.Path(f"/proc/{self.vm.pid}/limits").read_text()
        self.assertEqual(scrape.value("beam_vm_max_fds"), int(re.search(r"Max open files +(\d+)", limits)[1]))

    def test_process_cpu_seconds(self):
        self.vm.ask("run")
        time.sleep(2)
        self.vm.ask("pause")
        user, system = proc.cpu_seconds(self.vm.pid)

        def agrees(scrape):
            return (abs(scrape.value("beam_vm_cpu_seconds_total", mode="user") - user) < 0.1
                    and abs(scrape.value("beam_vm_cpu_seconds_total", mode="system") - system) < 0.1)

        self.exporter.await_scrape(f"user {user}, system {system}", agrees, timeout=20)

    def schedulers(self, scrape):
        found = {}
        for labels, value in scrape.samples(STATE, kind="normal"):
            found.setdefault(labels["scheduler"], {})[labels["state"]] = value
        return found

    def test_scheduler_states(self):
        threads = {}
        for tid, name in proc.threads(self.vm.pid).items():
            match = THREAD.fullmatch(name)
            if match:
                threads[match[1] or match[2]] = tid
        first = self.exporter.settled({"three_functions"}, SNAPSHOT)
        began, stolen = time.monotonic(), proc.stolen_seconds()
        awake = {number: proc.thread_awake_seconds(self.vm.pid, tid) for number, tid in threads.items()}
        self.vm.ask("run")
        time.sleep(SECONDS)
        self.vm.ask("pause")
        last = self.exporter.settled({"three_functions"}, SNAPSHOT)
        wall = time.monotonic() - began
        awake = {number: proc.thread_awake_seconds(self.vm.pid, tid) - awake[number] for number, tid in threads.items()}
        stolen = proc.stolen_seconds() - stolen  # the kernel leaves it out, the VM and the exporter do not

        before, after = self.schedulers(first), self.schedulers(last)
        self.assertEqual(set(after), set(threads))
        sums, running, busy = {}, 0.0, 0.0
        for number, states in after.items():
            gained = {state: value - before[number].get(state, 0.0) for state, value in states.items()}
            self.assertTrue({"emulator", "other", "sleep"} <= set(gained), gained)
            sums[number] = sum(gained.values())
            running += gained["emulator"]
            busy += awake[number]
            print(f"scheduler {number}: {gained}, sum {sums[number]:.2f} of {wall:.2f} s, awake {awake[number]:.2f} s")
            self.assertAlmostEqual(sums[number] - gained["sleep"], awake[number], delta=max(0.03 * awake[number], 0.15) + stolen)
        # Both scrapes are up to one snapshot old: that is the tolerance against our own clock.
        for number, total in sums.items():
            self.assertAlmostEqual(total, wall, delta=0.05 * wall)
            self.assertAlmostEqual(total, sums["1"], delta=0.02 * wall)
        # The work is one process that never waits: state emulator, besides the cost of scheduling it.
        self.assertGreater(running, 0.95 * busy)


if __name__ == "__main__":
    VmFigures.release = sys.argv.pop()
    unittest.main(verbosity=2)
