"""Allocators, carriers, processes and vitals, compared with the VM's own account.

python3 -m integration.memory_figures OTP_RELEASE
"""

import pathlib
import signal
import sys
import time
import unittest

from harness import proc
from harness.erlang_runtime import number_of
from harness.exporter import LAST_SUCCESS, Exporter
from harness.watched_vm import WatchedVm

SETTINGS = """
snapshot: {interval: 100ms}
memory: {interval: 200ms, carrier_interval: 300ms}
process_scan: {interval: 300ms}
vitals: {interval: 100ms}
"""
KINDS = ("mbcs", "sbcs", "mbcs_pool")
# sizeof(AOFF_Carrier_t) and, for best fit (literal_alloc), sizeof(Carrier_t), OTP 25 and 27; 8 less in OTP 24.
MULTI_BLOCK_HEADER, BEST_FIT_HEADER = 440, 368


def slot_bounds(release, slot):
    """Sizes of free blocks that instrument:carriers/1 counts in that slot with histogram_start 1
    (blockscan's histograms, erl_alloc_util.c: OTP 25 halves first, 27 counts bits)."""
    if number_of(release) < 27:
        return 2 * (2 ** slot - 1), 2 * (2 ** (slot + 1) - 1) - 1
    return (2 ** (slot - 1) if slot else 0), 2 ** slot - 1


class MemoryFigures(WatchedVm):
    target, settings = "memory", SETTINGS

    def around(self, *collectors):
        """(the VM's account before, a scrape read in between, the account after)"""
        before = self.vm.ask("allocators")
        scrape = self.exporter.fresh(*collectors)
        return before, scrape, self.vm.ask("allocators")

    def quiet(self, before, after):
        """{(allocator, instance)} without an allocation or release between the two accounts."""
        return {(allocator, one["instance"])
                for allocator, instances in before.items()
                for one, other in zip(instances, after[allocator]) if one == other}

    def still(self, before, after):
        """Allocators with the same carriers and blocks in both accounts, whatever happened between them."""
        return {allocator for allocator, instances in before.items()
                if allocator not in ("sys_alloc", "temp_alloc")
                and all(one[kind] == other[kind] for kind in KINDS
                        for one, other in zip(instances, after[allocator]))}

    def test_allocators(self):
        time.sleep(1)
        before, scrape, after = self.around("allocators", "carriers")
        quiet = self.quiet(before, after)
        every = {(allocator, one["instance"]) for allocator in before for one in before[allocator]}
        compared = 0
        for allocator, instances in before.items():
            if allocator == "sys_alloc":
                continue
            for one, other in zip(instances, after[allocator]):
                if (allocator, one["instance"]) not in quiet:
                    continue
                labels = dict(allocator=allocator, index=str(one["instance"]))
                carriers = one["mbcs"][1] + one["sbcs"][1]
                blocks = one["mbcs"][3] + one["sbcs"][3]
                self.assertEqual(scrape.value("beam_allocator_instance_carriers_bytes", **labels), carriers, labels)
                self.assertEqual(scrape.value("beam_allocator_instance_blocks_bytes", **labels), blocks, labels)
                compared += 2
            for kind in KINDS:
                low, high = ([sum(one[kind][k] for one in account[allocator]) for k in range(4)]
                             for account in (before, after))
                ours = [scrape.value(f"beam_allocator_{name}", allocator=allocator, carrier=kind)
                        for name in ("carriers", "carriers_bytes", "blocks", "blocks_bytes")]
                still = all((allocator, one["instance"]) in quiet for one in instances)
                for name, value, least, most in zip(("carriers", "bytes", "blocks", "bytes"), ours, low, high):
                    least, most = min(least, most), max(least, most)
                    # The process that makes the accounts lives in the VM as well.
                    slack = 0 if still else most // 2 + (1 << 20 if name == "bytes" else 100)
                    self.assertGreaterEqual(value, least - slack, (allocator, kind, ours, low, high))
                    self.assertLessEqual(value, most + slack, (allocator, kind, ours, low, high))
                    compared += still
        print(f"{len(quiet)} of {len(every)} instances quiet, {compared} values identical")
        self.assertGreater(len(quiet), len(every) // 2)

    def carriers_of(self, account, allocator):
        """[(size, free, histogram)] of the multi-block carriers of an allocator."""
        found = []
        header = BEST_FIT_HEADER if allocator == "literal_alloc" else MULTI_BLOCK_HEADER
        header -= 0 if number_of(self.release) > 24 else 8
        for name, _, size, used, histogram in account["carriers"]:
            # A single-block carrier is shown as one block of its whole size.
            if name == allocator and used < size:
                found.append((size, size - header - used, histogram))
        return found

    def test_carriers(self):
        # Our own questions allocate and free memory between two equal accounts, so an allocator gets eight
        # rounds. Five numbers that agree to the byte do not agree by chance.
        stood_still, agreed, differences = set(), set(), {}
        for _ in range(8):
            before = self.vm.ask("allocators")
            account = self.vm.ask("carriers")
            scrape = self.exporter.fresh("allocators", "carriers")
            for allocator in self.still(before, self.vm.ask("allocators")):
                stood_still.add(allocator)
                theirs, ours = self.carrier_figures(allocator, self.carriers_of(account, allocator), scrape)
                if theirs == ours:
                    agreed.add(allocator)
                else:
                    differences[allocator] = (theirs, ours)
        print(f"carriers as instrument:carriers/1 says: {sorted(agreed)}")
        # These two hold the questions and answers themselves.
        self.assertEqual(agreed | {"binary_alloc", "eheap_alloc"}, stood_still | {"binary_alloc", "eheap_alloc"},
                         differences)
        self.assertGreaterEqual(len(agreed), 4)

    def carrier_figures(self, allocator, account, scrape):
        """(the VM's, ours): carriers, observations, free bytes, slot of the largest free block."""
        histogram = [sum(counts) for counts in zip(*(h for _, _, h in account))] or [0]
        slot = max((k for k, n in enumerate(histogram) if n), default=None)
        low, high = slot_bounds(self.release, slot) if slot is not None else (0, 0)
        largest = scrape.value("beam_allocator_largest_free_block_bytes", allocator=allocator)
        theirs = (len(account), len(account), sum(free for _, free, _ in account), True)
        ours = (sum(scrape.value("beam_allocator_carriers", allocator=allocator, carrier=kind) or 0
                    for kind in ("mbcs", "mbcs_pool")),
                scrape.value("beam_carrier_utilization_ratio_gcount", allocator=allocator),
                scrape.value("beam_allocator_free_bytes", allocator=allocator), low <= largest <= high)
        return theirs, ours

    def fragmentation(self, allocator):
        scrape = self.exporter.fresh("allocators", "carriers")
        return {name: scrape.value(f"beam_allocator_{name}", allocator=allocator)
                for name in ("free_bytes", "fragmentation_ratio", "carrier_fragmentation_ratio")} | {
                    "utilization": scrape.value("beam_allocator_blocks_bytes", allocator=allocator, carrier="mbcs")}

    def check_fragmentation(self, allocator):
        first = self.fragmentation(allocator)
        self.vm.ask(f"fragment {allocator} 64", timeout=120)
        then = self.fragmentation(allocator)
        account = self.carriers_of(self.vm.ask("carriers"), allocator)
        free = sum(carrier[1] for carrier in account)
        # The VM tells the largest block of a carrier to a power of two.
        bounds = [slot_bounds(self.release, max((k for k, n in enumerate(h) if n), default=0)) for _, _, h in account]
        low = sum(least for least, _ in bounds)
        high = sum(min(most, carrier[1]) for (_, most), carrier in zip(bounds, account))
        print(f"{allocator}: {first} -> {then}; free {free}, largest by carrier {low}..{high} of {len(account)}")
        self.assertAlmostEqual(then["free_bytes"], free, delta=0.05 * free + (1 << 20))
        self.assertGreater(then["free_bytes"], first["free_bytes"] + (20 << 20))
        self.assertGreater(then["carrier_fragmentation_ratio"], 1 - high / free - 0.05)
        self.assertLess(then["carrier_fragmentation_ratio"], 1 - low / free + 0.05)
        self.assertGreater(then["carrier_fragmentation_ratio"], 0.5)
        self.vm.ask("release", timeout=120)

        def back(scrape):
            free_now = scrape.value("beam_allocator_free_bytes", allocator=allocator)
            return free_now is not None and free_now < first["free_bytes"] + (then["free_bytes"] - first["free_bytes"]) / 4

        self.exporter.await_scrape(f"{allocator} comes back", back)
        last = self.fragmentation(allocator)
        print(f"{allocator} released: {last}")
        self.assertLess(last["carrier_fragmentation_ratio"], then["carrier_fragmentation_ratio"])

    def test_fragmentation_of_binaries(self):
        self.check_fragmentation("binary_alloc")

    def test_fragmentation_of_heaps(self):
        self.check_fragmentation("eheap_alloc")

    def test_resident_memory(self):
        # The VM still gives back cached segments of the tests before: wait until both look at the same.
        def agrees(scrape):
            rollup = pathlib.Path(f"/proc/{self.vm.pid}/smaps_rollup").read_text()
            self.kernel = {words[0]: int(words[1]) * 1024 for words in map(str.split, rollup.splitlines()[1:])}
            self.parts = {labels["part"]: value
                          for labels, value in scrape.samples("beam_memory_resident_part_bytes")}
            return (abs(scrape.value("beam_memory_resident_bytes") - proc.resident_bytes(self.vm.pid)) < 1 << 20
                    and abs(sum(self.parts.values()) - self.kernel["Rss:"]) < 1 << 20
                    and abs(scrape.value("beam_memory_anonymous_bytes") - self.kernel["Anonymous:"]) < 1 << 20)

        self.exporter.fresh("allocators", "carriers")
        scrape = self.exporter.await_scrape("resident memory as the kernel says", agrees)
        print(self.parts)
        # Carriers hold the blocks in use, and cannot have more pages than bytes.
        self.assertLess(self.parts["carriers"], scrape.value("beam_memory_carriers_bytes") + 1)
        self.assertGreater(self.parts["carriers"], 0.5 * scrape.value("beam_memory_blocks_bytes"))
        self.assertAlmostEqual(scrape.value("beam_memory_outside_carriers_bytes"),
                               sum(self.parts.values()) - self.parts["carriers"] - self.parts["literal_area"],
                               delta=1)

    def test_vitals(self):
        # Collections that dirty schedulers do are counted apart in the VM.
        self.vm.evaluate("begin L = lists:seq(1, 2000000), erlang:garbage_collect(), length(L) end")
        before = self.vm.ask("vitals")
        scrape = self.exporter.fresh("vitals")
        after = self.vm.ask("vitals")
        ours = {name: scrape.value(f"beam_{name}") for name in (
            "processes", "processes_limit", "ports", "ports_limit", "atoms", "atoms_limit", "ets_tables",
            "ets_tables_limit", "reductions_total", "context_switches_total", "garbage_collections_total")}
        for direction in ("input", "output"):
            ours[direction] = scrape.value("beam_io_bytes_total", direction=direction)
        for name, value in ours.items():
            name = name.removesuffix("_total")
            print(f"{name}: {before[name]} <= {value} <= {after[name]}")
            self.assertIsNotNone(value, name)
            self.assertGreaterEqual(value, min(before[name], after[name]), name)
            self.assertLessEqual(value, max(before[name], after[name]), name)
        queues = scrape.samples("beam_run_queue_length")
        self.assertEqual(len(queues), len(before["run_queues"]))
        self.assertTrue(all(0 <= value < 100 for _, value in queues), queues)

    def test_every_process(self):
        self.vm.ask("spawn 1000")
        truth = self.vm.evaluate(
            "begin I = [process_info(P, [total_heap_size, message_queue_len]) || P <- processes()],"
            " [length(I), 8 * lists:sum([H || [{_, H}, _] <- I]), lists:sum([Q || [_, {_, Q}] <- I])] end")
        scrape = self.exporter.fresh("processes")
        self.assertEqual(scrape.value("beam_process_heap_bytes_gcount"), truth[0])
        self.assertAlmostEqual(scrape.value("beam_process_heap_bytes_gsum"), truth[1], delta=0.25 * truth[1])
        self.assertEqual(scrape.value("beam_process_message_queue_length_gcount"), truth[0])

    def test_names(self):
        self.vm.evaluate(
            "begin S = self(), P = proc_lib:spawn(fun() -> L = lists:seq(1, 300000), S ! ready,"
            " receive stop -> L end end), receive ready -> ok end, ok end")
        scrape = self.exporter.fresh("processes")
        names = {labels["process"]: value for labels, value in scrape.samples("beam_process_heap_bytes_top")}
        print(names)
        self.assertIn("code_server", names)
        # The initial call that proc_lib put into the dictionary, not proc_lib:init_p/5.
        self.assertTrue(any(name.startswith("erl_eval:") for name in names), names)
        self.assertNotIn("proc_lib:init_p/5", names)
        self.vm.ask("label checkout")
        self.vm.ask("literal_label")
        scrape = self.exporter.fresh("processes")
        for label in ("checkout", "of the module"):
            self.assertTrue(scrape.samples("beam_process_heap_bytes_top", process=label), label)
        self.vm.ask("release")
        if number_of(self.release) < 27:
            return
        self.vm.evaluate(
            "begin S = self(), proc_lib:spawn(fun() -> proc_lib:set_label({cart, 7}), L = lists:seq(1, 300000),"
            " S ! ready, receive stop -> L end end), receive ready -> ok end, ok end")
        scrape = self.exporter.fresh("processes")
        self.assertTrue(scrape.samples("beam_process_heap_bytes_top", process="{cart,7}"))
        self.vm.evaluate(
            "begin S = self(), proc_lib:spawn(fun() -> proc_lib:set_label(list_to_binary(\"blue\")),"
            " L = lists:seq(1, 300000), S ! ready, receive stop -> L end end), receive ready -> ok end, ok end")
        scrape = self.exporter.fresh("processes")
        self.assertTrue(scrape.samples("beam_process_heap_bytes_top", process="blue"))

    def test_z_a_flooded_process_even_when_the_vm_is_stopped(self):
        self.assertEqual(self.vm.ask("flood hoarder 1000000", timeout=120), 1000000)
        scrape = self.exporter.fresh("processes")
        self.assertEqual(scrape.value("beam_process_message_queue_length_top", process="hoarder"), 1000000)
        self.vm.signal(signal.SIGSTOP)
        try:
            with Exporter(f"--target.pid={self.vm.pid}", settings=self.settings) as second:
                stopped = second.await_scrape(
                    "all collectors", lambda s: len(s.samples(LAST_SUCCESS)) == 4)
                self.assertEqual(stopped.value("beam_process_message_queue_length_top", process="hoarder"), 1000000)
                for name in ("beam_allocator_free_bytes", "beam_processes", "beam_memory_resident_part_bytes"):
                    self.assertIn(name, stopped.names())
        finally:
            self.vm.signal(signal.SIGCONT)


if __name__ == "__main__":
    MemoryFigures.release = sys.argv.pop()
    unittest.main(verbosity=2)
