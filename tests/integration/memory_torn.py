"""10,000 scans of a VM that allocates and frees all the time: no absurd value, and torn scans are counted.

python3 -m integration.memory_torn OTP_RELEASE
"""

import json
import os
import subprocess
import sys
import unittest

from harness.beam_target import BeamTarget
from harness.erlang_runtime import named
from harness.processes import BUILD

SCAN_COSTS = os.environ.get("SCAN_COSTS", BUILD / "release" / "tests" / "bench" / "scan_costs")
SCANS = 10000
# Memory that changes while the witness looks: the blocks of its own look, and blocks that one scheduler has freed
# for another, which wait until the other has time. In the worst case they keep one small carrier.
SLACK = {"blocks_bytes": 128 << 10, "carriers_bytes": 1 << 20}


class MemoryTorn(unittest.TestCase):
    release = "25"

    def test_scans_of_a_hammered_vm(self):
        with BeamTarget(named(self.release), "hammer", flags=("+S", "2")) as vm:
            vm.ask("on")
            output = subprocess.run([str(SCAN_COSTS), str(vm.pid), str(SCANS)], stdin=subprocess.DEVNULL,
                                    capture_output=True, text=True, timeout=500, check=True).stdout
            truth = vm.ask("off")
            self.assertTrue(vm.alive())
        result = json.loads(output)
        for reader in ("statistics", "carriers", "vitals", "processes"):
            print(reader, result[reader])
        print(truth["cycles"], "cycles")
        for allocator, sums in result["seen"].items():
            for name, (low, high) in sums.items():
                least, most = truth["seen"][allocator][name]
                print(f"{allocator} {name}: ours {low:.0f}..{high:.0f}, the VM's {least}..{most}")
                self.assertGreaterEqual(low, least - SLACK[name])
                self.assertLessEqual(high, most + SLACK[name])
        # The bounds prove something only if some scans were at the minimum and some at the maximum.
        self.assertGreaterEqual(truth["cycles"], 2)
        for allocator in ("eheap_alloc", "binary_alloc", "ets_alloc"):
            low, high = result["seen"][allocator]["blocks_bytes"]
            least, most = truth["seen"][allocator]["blocks_bytes"]
            self.assertLess(low, least + 0.1 * (most - least), allocator)
            self.assertGreater(high, most - 0.1 * (most - least), allocator)


if __name__ == "__main__":
    MemoryTorn.release = sys.argv.pop()
    unittest.main(verbosity=2)
