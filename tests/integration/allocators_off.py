"""beam_allocator_enabled, on VMs that were started without some of their allocators.

python3 -m integration.allocators_off OTP_RELEASE
"""

import sys
import unittest

from harness.beam_target import BeamTarget
from harness.erlang_runtime import named
from harness.exporter import Exporter

SETTINGS = "snapshot: {interval: 100ms}\nmemory: {interval: 200ms, carrier_interval: 300ms}\n"
# The alloc_util allocators of OTP 25 and 27 (erts_alloc(3)).
ALLOCATORS = ("temp_alloc", "sl_alloc", "std_alloc", "ll_alloc", "eheap_alloc", "ets_alloc", "fix_alloc", "literal_alloc",
              "binary_alloc", "driver_alloc")


class AllocatorsOff(unittest.TestCase):
    release = "25"

    def compare(self, *flags):
        with BeamTarget(named(self.release), "memory", flags=("+S", "2", *flags)) as vm, \
                Exporter(f"--target.pid={vm.pid}", settings=SETTINGS) as exporter:
            exporter.await_up()
            scrape = exporter.fresh("allocators", "carriers")
            off = set(vm.evaluate(f"[A || A <- [{', '.join(ALLOCATORS)}], false =:= erlang:system_info({{allocator, A}})]"))
        enabled = {labels["allocator"]: value for labels, value in scrape.samples("beam_allocator_enabled")}
        print(f"{flags}: {enabled}")
        used = set(ALLOCATORS) - off
        self.assertEqual(enabled, {name: name in used for name in ALLOCATORS})
        carriers = {labels["allocator"] for labels, _ in scrape.samples("beam_allocator_carriers_bytes")}
        self.assertEqual(carriers, used)
        return off

    def test_all_are_used(self):
        self.assertEqual(self.compare(), set())

    def test_one_is_off(self):
        self.assertEqual(self.compare("+MBe", "false"), {"binary_alloc"})

    def test_as_few_as_can_be(self):
        self.assertIn("eheap_alloc", self.compare("+Mea", "min"))


if __name__ == "__main__":
    AllocatorsOff.release = sys.argv.pop()
    unittest.main(verbosity=2)
