"""The memory of the exporter depends on the number of processes that exist, not on the number that `+P` allows."""

import re
import unittest

from harness.beam_target import BeamTarget
from harness.erlang_runtime import installed
from harness.exporter import Exporter

LARGE = 1 << 24  # slots, 128 MiB of them
CROWD = 200000
SETTINGS = "process_scan: {interval: 500ms}\n"
MIB = 1 << 10  # KiB


def kib(pid, name):
    with open(f"/proc/{pid}/status") as status:
        return int(re.search(rf"^{name}:\s+(\d+) kB", status.read(), re.MULTILINE)[1])


class TableSizes(unittest.TestCase):
    def peak(self, *vm_flags, crowd=0):
        """Resident KiB of the exporter at most, from before it attached until it had scanned all processes twice."""
        with BeamTarget(installed(), "motion", flags=("+S", "2", *vm_flags)) as vm:
            vm.ask(f"on crowd {crowd}")
            page_tables = kib(vm.pid, "VmPTE")
            with Exporter(f"--target.pid={vm.pid}", settings=SETTINGS) as exporter:
                exporter.await_up()
                exporter.fresh("processes")
                scrape = exporter.fresh("processes")
                processes = vm.evaluate("erlang:system_info(process_count)")
                self.assertAlmostEqual(scrape.value("beam_process_heap_bytes_gcount"), processes, delta=3)
                peak = kib(exporter.pid, "VmHWM")
            # Reading must not make pages where the VM has none: a table's page tables are 8 bytes per page.
            self.assertLess(kib(vm.pid, "VmPTE") - page_tables, 64)
            print(f"{vm_flags}, {processes} processes: at most {peak / MIB:.1f} MiB", flush=True)
            return peak

    def test_a_large_table(self):
        usual = self.peak()
        self.assertLess(self.peak("+P", str(LARGE)), usual + 4 * MIB)
        self.assertLess(self.peak("+P", str(2 * CROWD), crowd=CROWD), usual + 16 * MIB)


if __name__ == "__main__":
    unittest.main(verbosity=2)
