"""Memory outside the carriers, cached segments and literals, compared with the VM's own account.

python3 -m integration.memory_parts OTP_RELEASE
"""

import sys
import unittest

from harness.watched_vm import WatchedVm

SETTINGS = """
snapshot: {interval: 100ms}
memory: {interval: 100ms, carrier_interval: 100ms}
"""
# [bytes that the VM has mapped, bytes of all segments in use, bytes of literal carriers]
ACCOUNT = """
begin
    Of = fun(Keys, Info) -> lists:foldl(fun(Key, L) -> proplists:get_value(Key, L, []) end, Info, Keys) end,
    Used = Of([default_mmap, os, sizes, used], erlang:system_info({allocator, erts_mmap})),
    Segments = [element(2, lists:keyfind(segments_size, 1, Of([memkind, status], Info)))
                || {instance, _, Info} <- erlang:system_info({allocator, mseg_alloc})],
    Literals = [element(2, lists:keyfind(carriers_size, 1, Of([Kind], Info)))
                || {instance, _, Info} <- erlang:system_info({allocator, literal_alloc}), Kind <- [mbcs, sbcs]],
    [Used, lists:sum(Segments), lists:sum(Literals)]
end
""".replace("\n", " ").strip()


class Looks(WatchedVm):
    target, settings = "memory", SETTINGS

    def look(self):
        """(the VM's account, a scrape that was read while the account did not change)"""
        while True:
            before = self.vm.evaluate(ACCOUNT)
            scrape = self.exporter.fresh("allocators", "carriers")
            if self.vm.evaluate(ACCOUNT) == before:
                return before, scrape

    def part(self, scrape, name):
        return scrape.value("beam_memory_resident_part_bytes", part=name)


class MemoryParts(Looks):
    def test_segment_cache(self):
        # Segments come and go, some stay in the cache, and it shrinks by itself again.
        seen = {}
        for mib in (0, 8, 24):
            if mib:
                self.vm.ask(f"fragment binary_alloc {mib}")
                self.vm.ask("release")
            (taken, segments, _), scrape = self.look()
            cached = scrape.value("beam_memory_mseg_cache_bytes")
            resident = self.part(scrape, "mseg_cache")
            print(f"taken {taken}, in segments {segments}, ours: cached {cached}, of these resident {resident}")
            self.assertEqual(cached, taken - segments)
            self.assertLessEqual(resident, cached)
            seen[cached] = resident
        # What was fragmented has been written to.
        self.assertGreater(max(seen), 4 << 20)
        self.assertGreater(seen[max(seen)], 0.5 * max(seen))

    def test_literals(self):
        # Constants of a module that is made here: 100 tuples of 10,000 words, at least 8 MB.
        (_, _, before), scrape = self.look()
        earlier = self.part(scrape, "literal_area")
        self.vm.evaluate(
            'persistent_term:put(constants, [list_to_tuple([{N, K} || N <- lists:seq(1, 2000)]) || K <- lists:seq(1, 200)])')
        (_, _, carriers), scrape = self.look()
        now = self.part(scrape, "literal_area")
        print(f"literal carriers {before} -> {carriers}, resident literal area {earlier} -> {now}")
        self.assertGreater(carriers - before, 8 << 20)
        # Every word of these was written. A carrier's end may never have been.
        self.assertGreater(now - earlier, 200 * 2000 * 32)
        self.assertLessEqual(now, carriers + (1 << 20))
        parts = {labels["part"]: value for labels, value in scrape.samples("beam_memory_resident_part_bytes")}
        # They differ only because they were read at different moments.
        self.assertAlmostEqual(sum(parts.values()), scrape.value("beam_memory_resident_bytes"), delta=1 << 20)


class CarriersFromMalloc(Looks):
    # All carriers of binaries except one for each scheduler are from malloc.
    vm_flags = ("+S", "2", "+MBmmmbc", "1")

    def cached(self):
        (taken, segments, _), scrape = self.look()
        pool = scrape.value("beam_allocator_carriers_bytes", allocator="binary_alloc", carrier="mbcs_pool")
        cached = scrape.value("beam_memory_mseg_cache_bytes")
        print(f"taken {taken}, in segments {segments}, abandoned carriers of binaries {pool}, cached {cached}")
        return pool, cached, taken - segments

    def test_the_cache_is_untold_while_such_carriers_are_abandoned(self):
        # Segments for the cache, more than the abandoned carriers have: then nothing but their kind is wrong.
        self.vm.ask("fragment eheap_alloc 64")
        self.vm.ask("release")
        pool, cached, truth = self.cached()
        self.assertEqual((pool, cached), (0, truth))
        self.vm.ask("fragment binary_alloc 16")
        pool, cached, truth = self.cached()
        self.assertGreater(pool, 1 << 20)
        self.assertGreater(truth, pool)
        self.assertIsNone(cached)
        self.vm.ask("release")
        pool, cached, truth = self.cached()
        self.assertEqual((pool, cached), (0, truth))


if __name__ == "__main__":
    WatchedVm.release = sys.argv.pop()
    unittest.main(verbosity=2)
