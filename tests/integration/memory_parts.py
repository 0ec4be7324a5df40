"""What lies beside the carriers: cached segments and literals, against the VM's own account.

python3 -m integration.memory_parts OTP_RELEASE
"""

import sys
import unittest

from harness.watched_vm import WatchedVm

SETTINGS = """
snapshot: {interval: 100ms}
memory: {interval: 100ms, carrier_interval: 100ms}
"""
# [bytes the VM's mapper has taken, bytes of all segments in use, bytes of literal carriers]
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


class MemoryParts(WatchedVm):
    target, settings = "memory", SETTINGS

    def look(self):
        """(the VM's account, a scrape read while it was true)"""
        while True:
            before = self.vm.evaluate(ACCOUNT)
            scrape = self.exporter.fresh("allocators", "carriers")
            if self.vm.evaluate(ACCOUNT) == before:
                return before, scrape

    def part(self, scrape, name):
        return scrape.value("beam_memory_resident_part_bytes", part=name)

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
        # Apart only as far as the moments are at which they were read.
        self.assertAlmostEqual(sum(parts.values()), scrape.value("beam_memory_resident_bytes"), delta=1 << 20)


if __name__ == "__main__":
    MemoryParts.release = sys.argv.pop()
    unittest.main(verbosity=2)
