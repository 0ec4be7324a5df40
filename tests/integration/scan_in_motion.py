"""Every process is counted exactly once, on a VM whose processes start and end all the time.

python3 -m integration.scan_in_motion OTP_RELEASE
"""

import sys
import time
import unittest

from harness.beam_target import BeamTarget
from harness.erlang_runtime import named
from harness.exporter import DURATION, LAST_SUCCESS, Exporter
from harness.processes import wait_for

SETTINGS = "snapshot: {interval: 100ms}\nprocess_scan: {interval: 200ms}\nvitals: {interval: 200ms}\n"
CROWD = 20000
SCANS = 8
OTHERS = 100  # processes of a VM that does nothing, and of the target program


class ScanInMotion(unittest.TestCase):
    release = "25"

    def check(self, crowd, passing, *motions):
        """`passing`: at most so many short-lived processes exist at the same time."""
        with BeamTarget(named(self.release), "motion", flags=("+S", "2")) as vm:
            vm.ask(f"on crowd {crowd}")
            for motion in motions:
                vm.ask(f"on {motion}")
            with Exporter(f"--target.pid={vm.pid}", settings=SETTINGS) as exporter:
                exporter.await_up()
                for _ in range(SCANS):
                    vm.ask("counts")
                    scrape = self.fresh(exporter)
                    least, most = vm.ask("counts")
                    counted = scrape.value("beam_processes")
                    heaps = scrape.value("beam_process_heap_bytes_gcount")
                    queues = scrape.value("beam_process_message_queue_length_gcount")
                    print(f"the VM counts {least} to {most}, we {counted:.0f}; heaps {heaps:.0f}", flush=True)
                    self.assertEqual(heaps, queues)
                    for ours in (counted, heaps):
                        self.assertGreaterEqual(ours, crowd)
                        self.assertLessEqual(ours, crowd + OTHERS + passing)
                torn = scrape.value("beam_exporter_torn_reads_total", collector="processes")
                print(f"torn: {torn:.0f}")

    def fresh(self, exporter):
        """A scrape whose figures were read after now; no run of the collector has failed until then."""
        since = time.time()

        def is_fresh(scrape):
            self.assertIn(scrape.value("beam_exporter_collector_success", collector="processes"), (None, 1))
            return all((scrape.value(LAST_SUCCESS, collector=name) or 0)
                       - (scrape.value(DURATION, collector=name) or 0) > since for name in ("processes", "vitals"))

        return wait_for("fresh figures", lambda: is_fresh(scrape := exporter.scrape()) and scrape)

    def test_waves(self):
        self.check(20, 2000, "waves 2000")

    def test_spawns(self):
        self.check(20, 10000, "spawns 100000")

    def test_spawns_beside_a_crowd(self):
        self.check(CROWD, 10000, "spawns 100000")

    def test_collections(self):
        self.check(CROWD, 1000, "collections", "spawns 1000")


if __name__ == "__main__":
    ScanInMotion.release = sys.argv.pop()
    unittest.main(verbosity=2)
