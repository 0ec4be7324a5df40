"""beam_allocator_growth_bytes_total counts new carriers for the functions that made them, as the VM's own account does.

python3 -m integration.growth OTP_RELEASE
"""

import sys
import time
import unittest

from harness.exporter import Exporter
from harness.exposition import growth
from harness.watched_vm import WatchedVm

FAMILY = "beam_allocator_growth_bytes_total"
SETTINGS = "snapshot: {interval: 100ms}\ngrowth: {enabled: true, top: 50}\n"
# A cached segment that becomes a carrier may be larger than the request. The VM's account also contains small
# carriers that others made.
TOLERANCE, SLACK = 0.05, 2 << 20


class Growth(WatchedVm):
    target, settings = "grower", SETTINGS

    def seen(self, allocator):
        """{(module, function): bytes} once the numbers no longer change."""
        last, same = None, 0
        while same < 4:
            time.sleep(0.15)  # longer than the interval of snapshots
            samples = self.exporter.scrape().samples(FAMILY, allocator=allocator)
            now = {(labels["module"], labels["function"]): value for labels, value in samples}
            same = same + 1 if now == last else 0
            last = now
        return now

    def grow(self, allocator, function, *requests):
        before, account = self.seen(allocator), self.vm.ask("account")[allocator]
        for request in requests:
            self.vm.ask(request)
        truth = self.vm.ask("account")[allocator] - account
        ours = growth(before, self.seen(allocator))
        total = sum(ours.values())
        print(f"{allocator}: carriers grew by {truth}, ours {total:.0f}: {ours}")
        self.assertAlmostEqual(total, truth, delta=TOLERANCE * truth + SLACK)
        self.assertGreater(ours[function], 0.95 * total)

    def test_large_binaries(self):
        self.grow("binary_alloc", ("grower", "grow_binaries/2"), "binaries 100 1000000")

    def test_more_binaries_than_segments(self):
        # A carrier that holds one block is a segment only while its allocator has less than 256 of them (+M<S>mmsbc).
        self.grow("binary_alloc", ("grower", "grow_binaries/2"), "binaries 600 600000")

    def test_small_binaries(self):
        self.grow("binary_alloc", ("grower", "grow_binaries/2"), "binaries 20000 4000")

    def test_heaps_of_new_processes(self):
        # In the VM that is an Erlang function of its own.
        self.grow("eheap_alloc", ("erlang", "spawn_opt/2"), "heaps 40 200000", "heaps 2000 3000")

    def test_a_heap_that_is_collected(self):
        # To grow it, the VM makes a larger one for a moment. Growth shows new carriers, not released ones.
        before = self.seen("eheap_alloc")
        self.vm.ask("lists 3000000")
        ours = growth(before, self.seen("eheap_alloc"))
        print(f"a list: {ours}")
        self.assertGreater(ours[("grower", "build_list/1")], 0.95 * sum(ours.values()))
        self.assertGreater(sum(ours.values()), 3000000 * 40)

    def refusal(self, settings, *flags):
        with Exporter(f"--target.pid={self.vm.pid}", *flags, settings=settings) as other:
            scrape = other.await_up()
            self.assertEqual(scrape.value("beam_exporter_feature_enabled", feature="growth"), 0)
            self.assertFalse(scrape.samples(FAMILY))
            return [line for line in other.log.lines if "growth" in line]

    def test_off_by_default_and_refused_with_one_line(self):
        self.assertEqual(self.refusal("snapshot: {interval: 100ms}\n"), [])
        self.assertEqual(len(self.refusal(SETTINGS, "--sampling.source=perf")), 1)


if __name__ == "__main__":
    Growth.release = sys.argv.pop()
    unittest.main(verbosity=2)
