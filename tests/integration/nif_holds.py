"""No NIF call is shown longer than it was: what two samples prove about one call, and what they do not.

python3 -m integration.nif_holds OTP_RELEASE

The NIFs measure each of their calls. beam_nif_hold_seconds is a lower bound of these times.
"""

import sys
import time
import unittest

from harness.beam_target import BeamTarget
from harness.erlang_runtime import named
from harness.exporter import Exporter
from harness.nif import compile_into
from harness.watched_vm import FAST_SNAPSHOTS, SNAPSHOT

HOLDS = "beam_nif_hold_seconds"
SLOW, FAST = 99, 1999  # Hz


class NifHolds(unittest.TestCase):
    release = "25"

    @classmethod
    def setUpClass(cls):
        runtime = named(cls.release)
        runtime.prepare()
        compile_into(runtime.outside(), "short_nif", runtime=runtime)
        cls.vm = BeamTarget(runtime, "short_nif", runtime.inside, flags=("+S", "2:2"))
        cls.addClassCleanup(cls.vm.kill)

    def seen(self, work, *flags):
        """(calls, their seconds, the longest) from the NIF; (seconds, {bucket: holds}) from the exporter."""
        with Exporter(f"--target.pid={self.vm.pid}", *flags, settings=FAST_SNAPSHOTS) as exporter:
            exporter.await_up()
            calls, microseconds, longest = self.vm.ask(work)
            # The last call ends with the next sample of that scheduler that is in no NIF, or with the VM.
            self.vm.evaluate("lists:foldl(fun(N, S) -> N + S end, 0, lists:seq(1, 3000000))")
            time.sleep(2 * SNAPSHOT)
            scrape = exporter.scrape()
        buckets = {float(labels["le"]): value for labels, value in scrape.samples(f"{HOLDS}_bucket")}
        truth, told = microseconds / 1e6, scrape.value(f"{HOLDS}_sum")
        print(f"{work} {flags}: {calls:.0f} calls, {truth:.3f} s, longest {longest / 1e3:.2f} ms; "
              f"told {scrape.value(f'{HOLDS}_count'):.0f}, {told:.3f} s, {buckets}")
        return truth, longest / 1e6, told, buckets

    def assert_lower_bound(self, work, *flags, least=0.0):
        truth, longest, told, buckets = self.seen(work, *flags)
        first = min(bound for bound in buckets if bound >= longest)
        self.assertEqual(buckets[float("inf")], buckets[first], f"none was longer than {longest} s")
        self.assertLessEqual(told, truth)
        self.assertGreaterEqual(told, least * truth)

    def test_calls_apart(self):
        self.assert_lower_bound("hold 12000 100 30", f"--sampling.frequency={SLOW}")
        self.assert_lower_bound("hold 12000 20 60", f"--sampling.frequency={FAST}", least=0.75)
        self.assert_lower_bound("hold 12000 20 60", f"--sampling.frequency={FAST}", "--sampling.source=perf", least=0.5)

    def test_slices_that_say_what_they_took(self):
        for frequency in SLOW, FAST:
            self.assert_lower_bound("slices 900 50 90 20", f"--sampling.frequency={frequency}")
        self.assert_lower_bound("slices 900 50 100 20", f"--sampling.frequency={SLOW}")

    def test_slices_that_say_nothing(self):
        for frequency in SLOW, FAST:
            self.assert_lower_bound("slices 900 50 0 20", f"--sampling.frequency={frequency}")
        self.assert_lower_bound("slices 900 50 0 20", f"--sampling.frequency={FAST}", "--sampling.source=perf")


if __name__ == "__main__":
    NifHolds.release = sys.argv.pop()
    unittest.main(verbosity=2)
