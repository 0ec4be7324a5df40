"""The exporter's shares of three functions, compared with timer:tc, over 60 s at the default 99 Hz.

python3 -m integration.shares OTP_RELEASE COPIES SAMPLING_SOURCE
"""

import sys
import time
import unittest

from harness import proc
from harness.beam_target import BeamTarget
from harness.erlang_runtime import named
from harness.exporter import Exporter
from harness.exposition import growth

SECONDS = 60
FUNCTIONS = ("f1/2", "f2/2", "f3/2")
STATE, LOST = "beam_scheduler_state_seconds_total", "beam_samples_lost_total"
FREQUENCY = 99  # the default


class Shares(unittest.TestCase):
    release, copies, source = "25", 1, "auto"

    @staticmethod
    def awake(scrape):
        return scrape.total(STATE, kind="normal") - scrape.total(STATE, kind="normal", state="sleep")

    def test_shares_match_the_vms_own_timing(self):
        with BeamTarget(named(self.release), "three_functions", self.copies,
                        flags=("+S", self.copies)) as vm, \
                Exporter(f"--target.pid={vm.pid}", f"--sampling.source={self.source}") as exporter:
            exporter.await_up()
            schedulers = [tid for tid, name in proc.threads(vm.pid).items()
                          if name.endswith("_scheduler") or name.startswith("erts_sched_")]
            self.assertEqual(len(schedulers), self.copies)
            before = exporter.settled({"three_functions"})
            cpu_before = sum(proc.thread_cpu_seconds(vm.pid, tid) for tid in schedulers)
            began = time.monotonic()
            vm.ask("run")
            time.sleep(SECONDS)
            vm.ask("pause")
            after = exporter.settled({"three_functions"})
            cpu = sum(proc.thread_cpu_seconds(vm.pid, tid) for tid in schedulers) - cpu_before
            timing = vm.ask("timing")

        # Seconds in which the host let the machine stand: the VM's clock has them, no sample does.
        missed = (after.value(LOST, reason="missed") - before.value(LOST, reason="missed")) / FREQUENCY
        self.assertLess(missed, 0.05 * cpu)
        gained = growth(before.functions(), after.functions())
        ours = {name: gained.get(("three_functions", name), 0.0) for name in FUNCTIONS}
        print(f"CPU {cpu:.2f} s, sampled in the three {sum(ours.values()):.2f} s, missed {missed:.2f} s")
        self.assertGreater(sum(ours.values()), 0)
        for name in FUNCTIONS:
            share, truth = ours[name] / sum(ours.values()), timing[name] / sum(timing.values())
            print(f"{name}: ours {share:.4f}, the VM's {truth:.4f}, difference {share - truth:+.4f}")
            self.assertAlmostEqual(share, truth, delta=0.01 + missed / cpu, msg=name)
        # The VM runs only the three functions, besides the cost of scheduling them: 1 to 3 % of this CPU time, as slow
        # as system calls are (it polls meanwhile). What `ours` must be of it is below.
        strangers = {key: value for key, value in gained.items() if key[0] != "three_functions"}
        print(f"others: {strangers}")
        strangers.pop(("", "scheduling"), None)
        self.assertLess(sum(strangers.values()), 0.01 * cpu)
        awake = self.awake(after) - self.awake(before)
        print(f"awake {awake:.2f} s")
        # A scheduler that waits for a CPU is awake too: between its CPU time and the wall time.
        self.assertGreater(awake, 0.98 * cpu)
        self.assertLess(awake, 1.02 * self.copies * (time.monotonic() - began))
        # The VM moves two workers between its schedulers; one that has none looks for work meanwhile.
        self.assertGreater(sum(ours.values()) + missed, (0.95 if self.copies == 1 else 0.9) * cpu)

        samples = after.value("beam_samples_total") - before.value("beam_samples_total")
        nameless = (after.total("beam_samples_unattributed_total")
                    - before.total("beam_samples_unattributed_total"))
        print(f"{samples:.0f} samples, {nameless:.0f} without a function or a named state")
        self.assertLessEqual(nameless, 0.001 * samples)
        for reason in ("ring_full", "no_user_state", "malformed"):
            self.assertEqual(after.value(LOST, reason=reason), before.value(LOST, reason=reason), reason)
        self.check_cost(before, after, samples)

    def check_cost(self, before, after, samples):
        """Every run of the eBPF program made a sample; the perf source has no program."""
        names = [f"beam_exporter_sampling_{what}_total" for what in ("runs", "seconds")]
        if self.source == "perf":
            self.assertEqual([after.samples(name) for name in names], [[], []])
            return
        runs, seconds = (after.value(name) - before.value(name) for name in names)
        print(f"{runs:.0f} runs of the eBPF program, {seconds / runs * 1e6:.1f} us each")
        self.assertAlmostEqual(runs, samples, delta=0.01 * samples + 50)
        self.assertGreater(seconds, 0)


if __name__ == "__main__":
    Shares.source = sys.argv.pop()
    Shares.copies = int(sys.argv.pop())
    Shares.release = sys.argv.pop()
    unittest.main(verbosity=2)
