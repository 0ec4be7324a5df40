"""The state that dominates in a VM also dominates in the exporter's figures; NIF shares are right to one point.

python3 -m integration.states OTP_RELEASE [local_symbols]

With local_symbols the VM is not stripped. live.states compares with the VM's own accounting, which knows only the
basic states. So this test uses work whose extended state is known beforehand.
"""

import sys
import time
import unittest

from harness.beam_target import BeamTarget
from harness.erlang_runtime import number_of
from harness.exposition import growth
from harness.local_symbols import WithLocalSymbols
from harness.processes import wait_for
from harness.state_work import StateWork
from harness.watched_vm import SNAPSHOT

NIFS, BIFS = "beam_nif_cpu_seconds_total", "beam_bif_cpu_seconds_total"


class States(StateWork):
    def test_erlang_code(self):
        # The rest is scheduling, and polling meanwhile: 2 to 3 % where system calls are slow.
        self.assert_dominates(self.shares("emulator"), "emulator", least=0.95)

    def test_collections(self):
        # Of a large heap they are done by a dirty scheduler. OTP 24 does so for the old generation only, and so does an
        # interpreter here: the heap that it gives to the young one stays just below the limit.
        flavor = self.vm.evaluate("try erlang:system_info(emu_flavor) catch error:badarg -> emu end")
        if number_of(self.release) > 24 and flavor != "emu":
            # A collection gives back the old heap. What that takes is gc or alloc, as the compiler has made calls jumps.
            # A dirty scheduler has work in a fifteenth of the time.
            shares = self.shares("gc", "dirty_cpu", seconds=5)
            self.assert_dominates(shares, "gc", "alloc", least=0.6)
            self.assertEqual(max(shares, key=shares.get), "gc")
        self.assert_dominates(self.shares("gc_full", "dirty_cpu"), "gc_full", least=0.6)

    def test_tables(self):
        self.assert_dominates(self.shares("ets"), "ets")

    def test_binaries(self):
        self.assert_dominates(self.shares("binary"), "bif", least=0.8)

    def test_bifs_that_leave_no_frame_have_their_names(self):
        before, after = self.watch("short_binary")
        gained = growth(before.functions(BIFS), after.functions(BIFS))
        print(f"short_binary: {gained}")
        self.assertGreater(sum(gained.values()), 0)
        self.assertGreaterEqual(gained.get(("binary", "matches/2"), 0), 0.98 * sum(gained.values()))

    def test_bifs(self):
        self.assert_dominates(self.shares("bif"), "bif")

    def test_ports(self):
        shares = self.shares("port")
        self.assert_dominates(shares, "port", "check_io")
        self.assertEqual(max(shares, key=shares.get), "port")

    def test_timers(self):
        self.vm.ask("run timers")
        wait_for("timers run out", lambda: self.vm.evaluate("persistent_term:get(timers_run_out, false)"), 60)
        shares = self.shares("ticks")
        # Nothing but timers asks for memory here. How much of the time that takes depends on the processor.
        self.assert_dominates(shares, "timers", "alloc", least=0.8)
        self.assertGreater(shares.get("timers", 0), 0.1)

    def test_dirty_nifs(self):
        self.assert_dominates(self.shares("dirty_nif", "dirty_cpu"), "nif", least=0.95)

    def test_share_of_nifs(self):
        self.vm.ask("run nif")
        wait_for("a first round", lambda: self.vm.ask("hashing")[0] > 0)
        hashing, counting = self.vm.ask("hashing")
        # 20,000 samples: then one point is three standard deviations.
        before, ratios, ends = self.exporter.scrape(), [], time.monotonic() + 10
        while time.monotonic() < ends:
            time.sleep(SNAPSHOT)
            ratios.append(self.exporter.scrape().value("beam_nif_time_ratio"))
        after = self.exporter.scrape()
        hashed, counted = self.vm.ask("hashing")
        self.vm.ask("stop")
        truth = (hashed - hashing) / (hashed - hashing + counted - counting)
        nifs = growth(before.functions(NIFS), after.functions(NIFS))
        functions = growth(before.functions(), after.functions())
        share = sum(nifs.values()) / sum(functions.values())
        # The ratio is of all that schedulers do, whereas timer:tc only knows the process that it is in.
        work = self.work(before, after, kind="normal")
        scheduling = sum(work.get(state, 0) for state in ("other", "check_io", "aux", "timers", "port"))
        ratio = sum(ratios) / len(ratios) / (1 - scheduling / sum(work.values()))
        print(f"hashing: the VM {truth:.4f}, NIF seconds {share:.4f}, ratio {ratio:.4f}; {nifs}")
        self.assertAlmostEqual(share, truth, delta=0.01)
        self.assertAlmostEqual(ratio, truth, delta=0.01)
        self.assertGreater(nifs.get(("crypto", "hash_nif/2"), 0), 0.99 * sum(nifs.values()))

    def test_long_calls_of_nifs(self):
        def seen(scrape):
            return {labels["le"]: value for labels, value in scrape.samples("beam_nif_hold_seconds_bucket")}

        before = self.exporter.scrape()
        self.vm.ask("run long_nif")
        held = [us / 1e6 for us in wait_for("the calls", lambda: self.vm.ask("held"), 60)]
        self.vm.ask("stop")
        # The last call ends with the next sample of that scheduler.
        self.watch("emulator", 2 * SNAPSHOT)
        after = self.exporter.scrape()
        total = after.value("beam_nif_hold_seconds_sum") - before.value("beam_nif_hold_seconds_sum")
        print(f"calls of {held} s; sum of what was seen {total:.3f} s, of theirs {sum(held):.3f} s")
        # A lower bound: from the first to the last sample of each call.
        self.assertLess(total, sum(held))
        self.assertGreater(total, 0.95 * sum(held))
        gained = {bound: value - seen(before)[bound] for bound, value in seen(after).items()}
        long_calls = gained["+Inf"] - gained["0.01"]
        self.assertEqual(long_calls, len(held), gained)


if __name__ == "__main__":
    if sys.argv[-1] == "local_symbols":
        sys.argv.pop()
        States.start_vm = classmethod(lambda cls, _: BeamTarget(WithLocalSymbols(), cls.target, flags=cls.vm_flags))
    States.release = sys.argv.pop()
    unittest.main(verbosity=2)
