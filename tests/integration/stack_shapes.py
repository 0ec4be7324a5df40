"""Inclusive names on stacks of known shape: 200,000 frames, three nested calls, tail calls.

python3 -m integration.stack_shapes OTP_RELEASE SAMPLING_SOURCE [EMULATOR FLAGS]
"""

import pathlib
import sys
import tempfile
import unittest

from harness import proc
from harness.exposition import growth
from harness.watched_vm import FAST_SNAPSHOTS, SNAPSHOT, WatchedVm

MS = 4000
INCLUSIVE = "beam_function_inclusive_cpu_seconds_total"
# The frames under every shape, which a scan may or may not reach from 200,000 frames away.
BELOW = {("timer", "tc/1"), ("timer", "tc/2")}


class StackShapes(WatchedVm):
    target, settings = "deep_recursion", FAST_SNAPSHOTS

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # OTP 25's +JPperf true leaves its map behind, at the place where perf looks for it.
        cls.addClassCleanup((pathlib.Path(tempfile.gettempdir()) / f"perf-{cls.vm.pid}.map").unlink, missing_ok=True)

    def run_shape(self, shape):
        """(self seconds, inclusive seconds, CPU seconds of the exporter) that were added while that stack ran."""
        before = self.exporter.settled({"deep_recursion"}, SNAPSHOT)
        cost = sum(proc.cpu_seconds(self.exporter.pid))
        cpu = sum(proc.cpu_seconds(self.vm.pid))
        self.vm.ask(f"{shape} {MS}")
        cpu = sum(proc.cpu_seconds(self.vm.pid)) - cpu
        cost = sum(proc.cpu_seconds(self.exporter.pid)) - cost
        after = self.exporter.settled({"deep_recursion"}, SNAPSHOT)
        own = growth(before.functions(), after.functions())
        inclusive = growth(before.functions(INCLUSIVE), after.functions(INCLUSIVE))
        own = {name: seconds for (module, name), seconds in own.items() if module == "deep_recursion"}
        self.below = {key: seconds for key, seconds in inclusive.items() if key in BELOW}
        inclusive = {name: seconds for (module, name), seconds in inclusive.items()
                     if module == "deep_recursion" and not name.startswith(("handle/2", "-handle/2-fun-"))}
        print(f"{shape}: CPU {cpu:.2f} s, self {own}, inclusive {inclusive}, below {self.below}, cost {cost:.2f} s")
        self.assertGreater(sum(own.values()), 0.9 * cpu)
        return own, inclusive, cost

    def assert_all_of(self, part, whole):
        self.assertGreaterEqual(part, 0.99 * whole)
        self.assertLessEqual(part, 1.01 * whole)

    def test_200000_frames_cost_no_more_than_three(self):
        deep, inclusive, deep_cost = self.run_shape("deep")
        self.assertGreaterEqual(deep["burn/2"], 0.95 * sum(deep.values()))
        self.assert_all_of(inclusive["descend/2"], sum(deep.values()))
        self.assert_all_of(inclusive["burn/2"], deep["burn/2"])
        self.assertLessEqual(set(inclusive), {"descend/2", "burn/2"})

        nested, inclusive, nested_cost = self.run_shape("nested")
        total = sum(nested.values())
        self.assertGreaterEqual(nested["burn/2"], 0.99 * total)
        for name in ("outer/1", "middle/1", "inner/1"):
            self.assert_all_of(inclusive[name], total)
        self.assert_all_of(max(self.below.values()), total)
        self.assertLessEqual(set(inclusive), {"outer/1", "middle/1", "inner/1", "burn/2"})
        # Work bounded by a constant, not by the depth: 200,000 frames read each time would show.
        self.assertLessEqual(deep_cost, 4 * nested_cost + 0.8)

    def test_tail_calls_leave_no_frame(self):
        tail, inclusive, _ = self.run_shape("tail")
        total = sum(tail.values())
        self.assert_all_of(inclusive["tail_caller/1"], total)
        for name in ("ping/2", "pong/2"):
            self.assertGreater(tail[name], 0.3 * total)
            self.assertAlmostEqual(inclusive[name], tail[name], delta=0.01 * total)
        self.assertLessEqual(set(inclusive), {"tail_caller/1", "ping/2", "pong/2"})


if __name__ == "__main__":
    StackShapes.release, source, *emulator_flags = sys.argv[1:]
    StackShapes.vm_flags = ("+S", "1", *emulator_flags)
    StackShapes.flags = (f"--sampling.source={source}", "--sampling.frequency=999")
    unittest.main(argv=sys.argv[:1], verbosity=2)
