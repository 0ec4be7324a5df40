"""A layout that is wrong about one group of members only, as those of another patch release are: the figures of
that group are missing and named, and all others are there.

python3 -m integration.moved_members OTP_RELEASE
"""

import json
import pathlib
import re
import sys
import tempfile
import unittest

from harness import exporter
from harness.beam_target import BeamTarget
from harness.erlang_runtime import named
from harness.exporter import Exporter

LAYOUTS = pathlib.Path(__file__).parents[2] / "config" / "layouts"
FEATURE = "beam_exporter_feature_enabled"
FAST = "vitals:\n  interval: 200ms\nmemory:\n  interval: 1s\n  carrier_interval: 1s\n"
# Members that move by so many bytes, and what cannot be told then: features, and the families of each.
COUNTERS = {"io": ["beam_io_bytes_total"],
            "reductions": ["beam_reductions_total", "beam_context_switches_total"],
            "collections": ["beam_garbage_collections_total"],
            "ets_tables": ["beam_ets_tables"]}
ALLOCATORS = {"allocators": ["beam_allocator_carriers_bytes", "beam_memory_carriers_bytes"],
              "carriers": ["beam_allocator_fragmentation_ratio"]}
FAMILIES = COUNTERS | ALLOCATORS
MOVES = [(["io.in", "io.out"], -8, {"io"}),
         (["reductions"], 8, {"reductions", "collections"}),
         (["u?.?ets_tables.count.counter", "u?.?ets_tables.clist"], -16, {"ets_tables", "collections"}),
         (["cpool.total_blocks_size"], -8, {"carriers"}),
         (["mbcs.blocks.curr.no", "mbcs.blocks.curr.size"], 8, {"allocators", "carriers"})]
# The same of what `heap` measures: what it can no longer sort by, and what that is called in `check`.
HELD = [(["common.u.alive.links"], 16, "memory"), (["node.tree.left"], 16, "memory"), (["orig_size"], 8, "binaries")]


class MovedMembers(unittest.TestCase):
    release = "25"

    def layout(self, members, by):
        text = (LAYOUTS / f"otp-{self.release}-jit.yaml").read_text()
        for member in members:
            text, found = re.subn(rf"(?m)^(    {member}: \[)(\d+)", lambda m: m[1] + str(int(m[2]) + by), text)
            self.assertEqual(found, 1, member)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        (pathlib.Path(folder.name) / f"otp-{self.release}-jit.yaml").write_text(text)
        return f"--layouts.directory={folder.name}"

    def parts_off(self, *flags):
        report = json.loads(exporter.run("check", f"--target.pid={self.vm.pid}", "--format=json", *flags).stdout)
        self.assertEqual((report["ok"], len(report["parts"]) >= 4), (True, True), report)
        return {part["name"] for part in report["parts"] if not part["ok"]}

    def told(self, scrape):
        return {feature for feature in FAMILIES if scrape.value(FEATURE, feature=feature) == 1}

    def look(self, missing, *flags):
        """A scrape in which these features are missing and all others are there, and stay so."""
        wanted = set(FAMILIES) - missing
        with Exporter(f"--target.pid={self.vm.pid}", *flags, settings=FAST) as served:
            served.await_up()
            served.await_scrape(f"{wanted} and no others", lambda scrape: self.told(scrape) == wanted)
            for group in missing & {"io", "reductions", "ets_tables"}:
                served.log.find(lambda line, group=group: [line] if f"group={group} " in line else None)
            scrape = served.fresh("vitals")
            self.assertEqual(self.told(scrape), wanted)
            self.assertGreater(scrape.value("beam_processes"), 0)
            return scrape

    def setUp(self):
        self.vm = BeamTarget(named(self.release), "three_functions", 1)
        self.addCleanup(self.vm.kill)

    def heap(self, key, *flags):
        return exporter.run("heap", f"--target.pid={self.vm.pid}", f"--sort={key}", "--format=json", *flags)

    def test_what_processes_hold_is_not_told_by_a_layout_that_is_wrong_about_it(self):
        keys = {"memory", "binaries"}
        for key in keys:
            self.assertGreater(json.loads(self.heap(key).stdout)["processes"], 0, key)
        for members, by, wrong in HELD:
            with self.subTest(members=members):
                flag = self.layout(members, by)
                self.assertEqual(self.parts_off(flag), {f"held_{wrong}"})
                refused = self.heap(wrong, flag)
                print(refused.stderr)
                self.assertEqual((refused.returncode, refused.stdout), (1, ""))
                self.assertRegex(refused.stderr, r"^beam_exporter: .*does not keep it where the layout .* says \(.*contradict")
                for key in keys - {wrong}:
                    self.assertGreater(json.loads(self.heap(key, flag).stdout)["processes"], 0, key)

    def test_what_moved_is_left_out_and_nothing_else(self):
        self.assertEqual(self.parts_off(), set())
        whole = self.look(set())
        for members, by, missing in MOVES:
            with self.subTest(members=members):
                flag = self.layout(members, by)
                off = self.parts_off(flag)
                print(members, off)
                self.assertEqual(off, missing - {"collections"} - ({"carriers"} if "allocators" in missing else set()))
                scrape = self.look(missing, flag)
                for feature, families in FAMILIES.items():
                    for family in families:
                        self.assertTrue(whole.samples(family), family)
                        self.assertEqual(scrape.samples(family) == [], feature in missing, family)


if __name__ == "__main__":
    MovedMembers.release = sys.argv.pop()
    unittest.main(verbosity=2)
