"""The exporter shows all figures of a VM that runs no Erlang code: stuck in a NIF on every scheduler, or suspended.

python3 -m integration.stuck_vm OTP_RELEASE
"""

import contextlib
import signal
import sys
import time
import unittest

from harness import nif
from harness.exporter import LAST_SUCCESS
from harness.watched_vm import WatchedVm

# Scans are so rare that a scrape one second after an event shows the first scan after it.
SETTINGS = """
snapshot: {interval: 100ms}
memory: {interval: 200ms, carrier_interval: 200ms}
process_scan: {interval: 1s}
vitals: {interval: 200ms}
"""
COLLECTORS = ("allocators", "carriers", "processes", "vitals")
MESSAGES = 1000000
HOLD_SECONDS = 5


class StuckVm(WatchedVm):
    target, settings = "stuck", SETTINGS

    @classmethod
    def start_vm(cls, runtime):
        cls.arguments = (runtime.prepare(),)
        nif.compile_into(runtime.outside(), "hold_nif", runtime=runtime)
        return super().start_vm(runtime)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # What these need is loaded before it is counted.
        for request in ("hold 1", "vitals", "allocators", "eval ok."):
            cls.vm.ask(request)
        cls.vm.ask(f"flood hoarder {MESSAGES}")
        cls.flooded = time.time()

    @contextlib.contextmanager
    def suspended(self):
        self.vm.signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.vm.signal(signal.SIGCONT)

    def check(self, scrape, vitals, allocators):
        for name in ("processes", "ports", "atoms", "ets_tables"):
            # The holders are processes as well.
            self.assertAlmostEqual(scrape.value(f"beam_{name}"), vitals[name], delta=2, msg=name)
            self.assertEqual(scrape.value(f"beam_{name}_limit"), vitals[f"{name}_limit"], name)
        self.assertEqual(scrape.value("beam_process_message_queue_length_top", process="hoarder"), MESSAGES)
        self.assertAlmostEqual(scrape.value("beam_process_heap_bytes_gcount"), vitals["processes"], delta=3)
        for allocator in ("eheap_alloc", "binary_alloc", "ets_alloc"):
            inside = sum(instance[kind][1] for instance in allocators[allocator] for kind in ("mbcs", "sbcs", "mbcs_pool"))
            ours = scrape.total("beam_allocator_carriers_bytes", allocator=allocator)
            self.assertAlmostEqual(ours, inside, delta=0.1 * inside + (1 << 20), msg=allocator)
            self.assertTrue(scrape.samples("beam_carrier_utilization_ratio_gcount", allocator=allocator))
        for name in ("beam_allocator_free_bytes", "beam_memory_resident_part_bytes", "beam_run_queue_length",
                     "beam_reductions_total", "beam_context_switches_total", "beam_garbage_collections_total"):
            self.assertTrue(scrape.samples(name), name)

    def test_0_the_first_scan_finds_a_million_messages(self):
        scrape = self.exporter.fresh("processes", since=self.flooded)
        self.assertLess(scrape.value(LAST_SUCCESS, collector="processes") - self.flooded, 2.5)
        self.assertEqual(scrape.value("beam_process_message_queue_length_top", process="hoarder"), MESSAGES)

    def test_suspended(self):
        account = self.vm.ask("vitals"), self.vm.ask("allocators")
        with self.suspended():
            self.check(self.exporter.fresh(*COLLECTORS), *account)
        self.assertEqual(self.vm.evaluate("ok"), "ok")

    def test_stuck_in_a_nif_on_every_scheduler(self):
        account = self.vm.ask("vitals"), self.vm.ask("allocators")
        self.vm.ask(f"hold {1000 * HOLD_SECONDS}")
        asked = time.monotonic()
        time.sleep(1)
        self.vm.send("eval ok.")
        scrape = self.exporter.fresh(*COLLECTORS)
        took = time.monotonic() - asked
        self.assertEqual(self.vm._next("reply", 30), "ok")
        stuck = time.monotonic() - asked
        print(f"figures after {took:.1f} s, the VM's own answer after {stuck:.1f} s")
        self.assertGreater(stuck, HOLD_SECONDS - 0.5, "the VM was not stuck")
        self.assertLess(took, HOLD_SECONDS)
        self.check(scrape, *account)


if __name__ == "__main__":
    StuckVm.release = sys.argv.pop()
    unittest.main(verbosity=2)
