"""A VM that runs no Erlang code still gives all figures: stuck in a NIF on every scheduler, or suspended.

python3 -m integration.stuck_vm OTP_RELEASE
"""

import contextlib
import signal
import sys
import tempfile
import time
import unittest

from support import nif
from support.beam_target import BeamTarget
from support.erlang_runtime import named
from support.exporter import Exporter

# Scans so seldom that what a scrape shows a second after an event is of the first scan after it.
SETTINGS = """
snapshot: {interval: 100ms}
memory: {interval: 200ms, carrier_interval: 200ms}
process_scan: {interval: 1s}
vitals: {interval: 200ms}
"""
COLLECTORS = ("allocators", "carriers", "processes", "vitals")
LAST = "beam_exporter_collector_last_success_timestamp_seconds"
DURATION = "beam_exporter_collector_duration_seconds"
MESSAGES = 1000000
HOLD_SECONDS = 5


class StuckVm(unittest.TestCase):
    release = "25"

    @classmethod
    def setUpClass(cls):
        cls.settings = tempfile.NamedTemporaryFile("w", suffix=".yaml")
        cls.settings.write(SETTINGS)
        cls.settings.flush()
        runtime = named(cls.release)
        folder = runtime.prepare()
        nif.compile_into(runtime.outside(), "hold_nif")
        cls.vm = BeamTarget(runtime, "stuck", folder, flags=("+S", "2"))
        cls.addClassCleanup(cls.vm.kill)
        cls.exporter = Exporter(f"--target.pid={cls.vm.pid}", f"--config.file={cls.settings.name}")
        cls.addClassCleanup(cls.exporter.__exit__, None)
        cls.exporter.await_up()
        # What these need is loaded before it is counted.
        for request in ("hold 1", "vitals", "allocators", "eval ok."):
            cls.vm.ask(request)
        cls.vm.ask(f"flood hoarder {MESSAGES}")
        cls.flooded = time.time()

    def fresh(self, since, collectors=COLLECTORS):
        """A scrape whose figures were all read after that moment."""
        return self.exporter.await_scrape("fresh figures", lambda scrape: all(
            (scrape.value(LAST, collector=name) or 0) - (scrape.value(DURATION, collector=name) or 0) > since
            for name in collectors))

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
        scrape = self.fresh(self.flooded, ("processes",))
        self.assertLess(scrape.value(LAST, collector="processes") - self.flooded, 2.5)
        self.assertEqual(scrape.value("beam_process_message_queue_length_top", process="hoarder"), MESSAGES)

    def test_suspended(self):
        account = self.vm.ask("vitals"), self.vm.ask("allocators")
        with self.suspended():
            since = time.time()
            self.check(self.fresh(since), *account)
        self.assertEqual(self.vm.evaluate("ok"), "ok")

    def test_stuck_in_a_nif_on_every_scheduler(self):
        account = self.vm.ask("vitals"), self.vm.ask("allocators")
        self.vm.ask(f"hold {1000 * HOLD_SECONDS}")
        asked = time.monotonic()
        time.sleep(1)
        self.vm.send("eval ok.")
        since = time.time()
        scrape = self.fresh(since)
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
