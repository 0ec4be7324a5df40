"""beam_scheduler_utilization_ratio and state seconds, compared with the VM's own scheduler_wall_time.

python3 -m integration.utilization OTP_RELEASE BUSY_WAIT [SECONDS HZ]

BUSY_WAIT: default, or a value of +sbwt.
"""

import sys
import time
import unittest

from harness import proc
from harness.watched_vm import FAST_SNAPSHOTS, WatchedVm

STATE = "beam_scheduler_state_seconds_total"
RATIO = "beam_scheduler_utilization_ratio"
IDLE = ("sleep", "busy_wait")
SCHEDULERS, DIRTY_CPU, DIRTY_IO = 2, 1, 1
POINTS = 0.02
# For a scheduler that works half of the time and spins as long, the standard error of the share after 6,000 samples is
# sqrt(0.5 * 0.5 / 6,000) = 0.65 points; for all others it is smaller.
SECONDS, FREQUENCY = 3, 1999
# Time that a hypervisor gives to another guest counts as working time of the VM, but is in no sample
# (exporter/sampling/README.md): so the test looks for a window with little of it.
STOLEN, WINDOWS = 0.003, 5


class Utilization(WatchedVm):
    busy_wait, target = "default", "state_work"
    settings, seconds, flags = FAST_SNAPSHOTS, SECONDS, (f"--sampling.frequency={FREQUENCY}",)

    @classmethod
    def setUpClass(cls):
        cls.vm_flags = ["+S", SCHEDULERS, "+SDcpu", DIRTY_CPU, "+SDio", DIRTY_IO]
        if cls.busy_wait != "default":
            cls.vm_flags += ["+sbwt", cls.busy_wait, "+sbwtdcpu", cls.busy_wait, "+sbwtdio", cls.busy_wait]
        super().setUpClass()
        assert cls.exporter.scrape().value("beam_exporter_feature_enabled", feature="ebpf") == 1

    def truth(self):
        """{(kind, number): (active, total)} in the VM's own time unit."""
        found = {}
        for number, active, total in self.vm.ask("wall_time"):
            kind = "normal"
            if number > SCHEDULERS:
                kind, number = "dirty_cpu", number - SCHEDULERS
            if kind == "dirty_cpu" and number > DIRTY_CPU:
                kind, number = "dirty_io", number - DIRTY_CPU
            found[kind, str(number)] = active, total
        return found

    def published(self, scrape):
        """{(kind, number): (busy, all)} in seconds."""
        found = {}
        for labels, value in scrape.samples(STATE):
            key = labels["kind"], labels["scheduler"]
            busy, total = found.get(key, (0.0, 0.0))
            found[key] = busy + (value if labels["state"] not in IDLE else 0), total + value
        return found

    def ratios(self, gathered):
        for labels, value in self.exporter.scrape().samples(RATIO):
            self.assertTrue(0 <= value <= 1, f"{labels}: {value}")
            gathered.setdefault((labels["kind"], labels["scheduler"]), []).append(value)

    def awake(self):
        """{normal scheduler: seconds on a CPU or waiting for one}, from the kernel."""
        return {name: proc.thread_awake_seconds(self.vm.pid, tid)
                for tid, name in proc.threads(self.vm.pid).items()
                if name.endswith("_scheduler") or name.startswith("erts_sched_")}

    def measure(self):
        """The figures of the VM and of the exporter for one window, and the seconds that the hypervisor took from it."""
        gathered = {}
        awake, theirs, ours = self.awake(), self.truth(), self.published(self.exporter.scrape())
        stolen, began = proc.stolen_seconds(), time.monotonic()
        while (left := began + self.seconds - time.monotonic()) > 0:
            time.sleep(min(0.1, left))
            self.ratios(gathered)
        wall = time.monotonic() - began
        stolen = proc.stolen_seconds() - stolen
        theirs_after, ours_after = self.truth(), self.published(self.exporter.scrape())
        self.awake_share = {name: (after - awake[name]) / wall for name, after in self.awake().items()}

        def share(before, after):
            return (after[0] - before[0]) / (after[1] - before[1])

        return stolen / wall, {key: (share(theirs[key], after), share(ours[key], ours_after[key]),
                                     sum(gathered[key]) / len(gathered[key]))
                               for key, after in theirs_after.items()}

    def window(self, what, *work, compared=("normal", "dirty_cpu", "dirty_io")):
        """{scheduler: its utilization in the VM's own account}, after the comparison with the exporter's."""
        for kind, copies in work:
            self.vm.ask(f"run {kind} {copies}")
        time.sleep(0.5)
        for _ in range(WINDOWS):
            stolen, shares = self.measure()
            if stolen < STOLEN:
                break
            print(f"{what}: the hypervisor took {stolen:.3f} of a CPU: looked at once more")
        if work:
            self.vm.ask("stop")

        busy = {}
        for key, (truth, states, ratio) in shares.items():
            busy[key] = truth
            print(f"{what}: {key[0]} {key[1]}: the VM {truth:.4f}, states {states:.4f} ({states - truth:+.4f}),"
                  f" ratio {ratio:.4f} ({ratio - truth:+.4f})")
            if key[0] not in compared:
                continue
            with self.subTest(what, scheduler=key):
                self.assertAlmostEqual(states, truth, delta=POINTS + stolen, msg="states")
                self.assertAlmostEqual(ratio, truth, delta=POINTS + stolen, msg="ratio")
        print(f"{what}: the kernel says {self.awake_share}")
        return busy

    def normal(self, busy):
        return [busy["normal", str(number)] for number in range(1, SCHEDULERS + 1)]

    def test_1_idle(self):
        self.assertLess(max(self.normal(self.window("idle"))), 0.1)

    def test_2_little_to_do_while_the_cpu_looks_busy(self):
        # The schedulers start and stop working a thousand times a second. Each time the two accounts may differ by some
        # microseconds, in all by up to a point. The dirty scheduler has its own phase below.
        busy = self.normal(self.window("short dirty work", ("short_dirty", 1), compared=("normal",)))
        self.assertLess(max(busy), 0.5)
        if self.busy_wait == "very_long":
            # This is why the exporter samples: the kernel cannot tell spinning from work.
            self.assertGreater(max(self.awake_share.values()), 3 * max(busy))

    def test_3_half_loaded(self):
        busy = self.normal(self.window("half", ("half", 1)))
        self.assertTrue(0.2 < sum(busy) < 0.9, busy)

    def test_4_saturated(self):
        # One process: one of the schedulers is full, or they take turns.
        busy = self.normal(self.window("one process", ("emulator", 1)))
        self.assertGreater(sum(busy), 0.95)
        busy = self.normal(self.window("saturated", ("emulator", SCHEDULERS)))
        self.assertGreater(min(busy), 0.98)

    def test_5_dirty_schedulers(self):
        self.assertGreater(self.window("dirty CPU", ("dirty_nif", 1), compared=("dirty_cpu",))["dirty_cpu", "1"], 0.9)
        self.assertGreater(self.window("dirty I/O", ("dirty_io", 1), compared=("dirty_io",))["dirty_io", "1"], 0.5)


if __name__ == "__main__":
    Utilization.release, Utilization.busy_wait, *window = sys.argv[1:]
    if window:
        Utilization.seconds, Utilization.flags = int(window[0]), (f"--sampling.frequency={window[1]}",)
    unittest.main(argv=sys.argv[:1], verbosity=2)
