"""beam_blame_cpu_seconds_total names the Erlang function that causes the copying or collecting.

python3 -m integration.blame OTP_RELEASE
"""

import sys
import time
import unittest

from harness.exposition import growth
from harness.watched_vm import FAST_SNAPSHOTS, SNAPSHOT, WatchedVm

BLAME = "beam_blame_cpu_seconds_total"
FREQUENCY, SECONDS = 1999, 2
NO_SUCH = "no_such_function"
ONE_OF_THEM = "copy_struct_x"


class Blame(WatchedVm):
    target, vm_flags = "copying", ("+S", "1")
    settings = (f"blame: {{functions: [copy_struct, garbage_collect, {ONE_OF_THEM}, {NO_SUCH}]}}\n"
                + FAST_SNAPSHOTS)
    flags = (f"--sampling.frequency={FREQUENCY}",)

    def blamed(self, scrape, native):
        return {f"{labels['module']}:{labels['function']}": value
                for labels, value in scrape.samples(BLAME, native=native)}

    def while_running(self, kind, native, seconds=SECONDS, least=0.3):
        """{function: share} of the time under `native` that was added during that work."""
        before = self.exporter.scrape()
        self.vm.ask(f"run {kind}")
        time.sleep(seconds)
        self.vm.ask("stop")
        time.sleep(3 * SNAPSHOT)
        after = self.exporter.scrape()
        gained = growth(self.blamed(before, native), self.blamed(after, native))
        total = sum(gained.values())
        shares = {name: seconds / total for name, seconds in gained.items()}
        print(f"{kind}: {total:.2f} s of {native}: {shares}")
        self.assertGreater(total, least)
        return shares

    def test_copies_for_a_message_are_the_senders(self):
        shares = self.while_running("send", "copy_struct")
        self.assertGreaterEqual(shares.get("copying:send/1", 0), 0.99)
        # The receiver works too, and copies nothing.
        self.assertNotIn("copying:receives/2", shares)
        self.assertNotIn("copying:busy/2", shares)

    def test_copies_of_arguments_are_the_parents(self):
        self.assertGreaterEqual(self.while_running("spawn", "copy_struct").get("copying:spawns/1", 0), 0.99)

    def test_copies_into_tables(self):
        self.assertGreaterEqual(self.while_running("insert", "copy_struct").get("copying:insert/1", 0), 0.99)

    def test_copies_out_of_tables(self):
        self.assertGreaterEqual(self.while_running("lookup", "copy_struct").get("copying:lookup/1", 0), 0.99)

    def test_one_function_of_the_family_is_part_of_it(self):
        family = self.blamed(self.exporter.scrape(), "copy_struct")
        one = self.blamed(self.exporter.scrape(), ONE_OF_THEM)
        self.assertLessEqual(sum(one.values()), sum(family.values()))
        self.assertGreater(sum(one.values()), 0)

    def test_a_collection_is_whose_garbage_it_is(self):
        # An interpreter needs longer to make the garbage.
        shares = self.while_running("collect", "garbage_collect", seconds=2 * SECONDS)
        ours = shares.get("copying:garbage/2", 0) + shares.get("copying:collects/1", 0)
        self.assertGreaterEqual(ours, 0.99)

    def test_a_function_that_does_not_exist_is_reported_by_name(self):
        self.exporter.log.find(lambda line: "level=warn" in line and f"native={NO_SUCH}" in line)
        scrape = self.exporter.scrape()
        name = "beam_exporter_feature_enabled"
        self.assertEqual(scrape.value(name, feature=f"blame_{NO_SUCH}"), 0)
        self.assertEqual(scrape.value(name, feature="blame_copy_struct"), 1)
        self.assertEqual(sum(self.blamed(scrape, NO_SUCH).values()), 0)


if __name__ == "__main__":
    Blame.release = sys.argv.pop()
    unittest.main(verbosity=2)
