"""A VM with many threads has at most the series that exporter/metrics/README.md states, and Prometheus takes them all."""

import re
import unittest

import yaml

from harness.beam_target import BeamTarget
from harness.erlang_runtime import installed, named
from harness.exporter import Exporter
from harness.processes import REPO

ROW = re.compile(r"\| (the VM and the exporter|each [\w ]+) \| (\d+) \|")
# The words in the README for each `kind` of thread.
KINDS = {"each normal scheduler": ("normal",), "each dirty CPU scheduler": ("dirty_cpu",),
         "each dirty IO scheduler": ("dirty_io",), "each async thread": ("async",), "each other thread": ("aux", "poll")}
UTILIZATION, STATES = "beam_scheduler_utilization_ratio", "beam_scheduler_state_seconds_total"
# Series that a young VM does not have yet: functions, blame and processes up to their limits.
UNUSED = 1100


class SeriesBudget(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.allowed = {row: int(series) for row, series in
                       ROW.findall((REPO / "exporter" / "metrics" / "README.md").read_text())}
        cls.assertEqual(cls(), set(cls.allowed), {"the VM and the exporter", *KINDS})
        monitor = yaml.safe_load((REPO / "deploy" / "kubernetes" / "podmonitor.yaml").read_text())
        cls.limit = monitor["spec"]["sampleLimit"]

    def budget(self, threads):
        return self.allowed["the VM and the exporter"] + sum(
            self.allowed[row] * threads[kind] for row, kinds in KINDS.items() for kind in kinds)

    def count(self, runtime, *flags):
        with BeamTarget(runtime, "three_functions", 1, flags=flags) as vm, Exporter(f"--target.pid={vm.pid}") as exporter:
            vm.ask("run")
            scrape = exporter.await_scrape("all there is to see", lambda scrape: all(
                scrape.samples(name) for name in ("beam_carrier_utilization_ratio_bucket", "beam_processes",
                                                  "beam_allocator_instance_free_bytes", "beam_process_heap_bytes_top",
                                                  "beam_memory_resident_part_bytes", UTILIZATION)))
            threads = {kind: len(scrape.samples(UTILIZATION, kind=kind)) for kinds in KINDS.values() for kind in kinds}
            for kind, number in threads.items():
                states = len(scrape.samples(STATES, kind=kind))
                print(f"{kind}: {number} threads, {states / max(number, 1):g} states each")
            series = sum(len(scrape.samples(name)) for name in scrape.names())
            print(f"{' '.join(flags)}: {series} series of {self.budget(threads)}, {len(scrape.text)} bytes")
            self.assertEqual(exporter.stop(), 0)
            return series, threads

    def within(self, release, *flags):
        runtime = named(release)
        series, threads = self.count(runtime, *flags)
        self.assertLessEqual(series, self.budget(threads))
        # A budget that is far larger than the number of series proves nothing.
        self.assertGreater(series, self.budget(threads) - UNUSED)
        self.assertLessEqual(self.budget(threads), self.limit)
        return threads

    def test_64_of_each(self):
        threads = self.within(installed().release, "+S", "64:64", "+SDcpu", "64:64", "+SDio", "64", "+A", "64")
        self.assertEqual([threads[kind] for kind in ("normal", "dirty_cpu", "dirty_io", "async")], [64] * 4)

    def test_a_vm_of_a_large_host(self):
        self.within("27", "+S", "128:128", "+SDcpu", "128:128")


if __name__ == "__main__":
    unittest.main(verbosity=2)
