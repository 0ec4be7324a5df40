"""A VM that exports none of its functions: its states are told, and what is told is right.

python3 -m integration.hidden_symbols OTP_RELEASE
"""

import subprocess
import sys
import unittest

from harness.exposition import growth
from harness.state_work import STATE, StateWork

FEATURE = "beam_exporter_feature_enabled"
NAMED = {"alloc", "aux", "bif", "check_io", "gc", "gc_full", "port", "send", "timers"}


class HiddenSymbols(StateWork):
    def test_the_vm_is_such_a_one(self):
        exported = subprocess.run(["nm", "-D", "--defined-only", f"/proc/{self.vm.pid}/exe"], capture_output=True,
                                  text=True, check=True).stdout
        self.assertNotIn(" erts_schedule", exported)
        self.assertIn("enif_make_atom", exported)

    def test_every_state_can_be_told(self):
        _, scrape = self.watch("port")
        for state in NAMED:
            self.assertEqual(scrape.value(FEATURE, feature="state_" + state), 1, state)
        shown = {labels["state"] for labels, _ in scrape.samples(STATE, kind="normal")}
        self.assertLessEqual(NAMED | {"emulator", "ets", "nif", "sleep", "busy_wait", "other"}, shown)

    def test_work_of_bifs_and_nifs_is_told(self):
        for work, state, least in (("emulator", "emulator", 0.95), ("ets", "ets", 0.5), ("bif", "bif", 0.5)):
            self.assert_dominates(self.shares(work), state, least=least)

    def test_collections_are_told(self):
        self.assert_dominates(self.shares("gc", "dirty_cpu"), "gc", "alloc")

    def test_memory_that_is_asked_for_is_told(self):
        # Each object that goes into a table is a block; a loop over small integers needs none.
        self.assertGreater(self.shares("ets").get("alloc", 0), 0.005)
        self.assertLess(self.shares("emulator").get("alloc", 0), 0.002)

    def test_bifs_have_their_names(self):
        before, after = self.watch("ets", 1.5)
        gained = growth(before.functions("beam_bif_cpu_seconds_total"), after.functions("beam_bif_cpu_seconds_total"))
        print(gained)
        tables = sum(seconds for (module, _), seconds in gained.items() if module == "ets")
        self.assertGreater(tables, 0.9 * sum(gained.values()))

    def test_allocators_and_processes_are_read(self):
        scrape = self.exporter.fresh("allocators", "processes")
        count = self.vm.evaluate("length(processes())")
        self.assertAlmostEqual(scrape.value("beam_processes"), int(count), delta=3)
        self.assertGreater(sum(value for _, value in scrape.samples("beam_allocator_carriers_bytes")), 1 << 20)

    def test_time_leads_to_erlang_names(self):
        before, after = self.watch("emulator", 1.5)
        gained = growth(before.functions(), after.functions())
        # The rest is `scheduling`: 1 to 2 % also where the VM exports its functions (OTP 27).
        self.assertLess(gained.get(("", "none"), 0), 0.001 * sum(gained.values()))
        # Enough samples to judge by, also beside other work: how much CPU time a VM gets is not what this test is about.
        self.assertGreater(sum(gained.values()), 0.3)
        self.assertGreater(gained[("state_work", "emulator/1")], 0.95 * sum(gained.values()))


if __name__ == "__main__":
    HiddenSymbols.release = sys.argv.pop()
    unittest.main(verbosity=2)
