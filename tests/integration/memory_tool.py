"""`beam_exporter memory` on VMs that waste memory, each in one way, and on one that does not.

python3 -m integration.memory_tool OTP_RELEASE
"""

import json
import os
import pathlib
import re
import signal
import sys
import unittest

from harness import exporter, nif, proc, requirements
from harness.beam_target import BeamTarget
from harness.erlang_runtime import named
from harness.processes import wait_for
from harness.tool_test import ToolTest

MIB = 1 << 20
KINDS = ("mbcs", "sbcs", "mbcs_pool")
USES = ("nearly_empty", "small_holes", "large_holes", "well_used")  # of multi-block carriers


class MemoryTool(ToolTest):
    tool, target, vm_flags = "memory", "wasteful", ("+S", "2")

    def findings(self, told=None):
        return {finding["rule"]: finding for finding in (told or self.told())["findings"]}

    def free_in_vm(self, allocator, vm=None):
        """Free bytes of its multi-block carriers, as system_info({allocator, _}) says."""
        return sum(one[kind][1] - one[kind][3] for one in (vm or self.vm).ask("allocators")[allocator]
                   for kind in ("mbcs", "mbcs_pool"))

    def waste(self, work, allocator, least_mib):
        """The VM's account of the free bytes once the work is done: schedulers free each other's blocks later."""
        self.vm.ask(work)
        before = 0

        def settled():
            nonlocal before
            last, before = before, self.free_in_vm(allocator)
            return before > least_mib * MIB and abs(before - last) < MIB and before

        return wait_for(f"{least_mib} MiB stay free after {work}", settled, pause=0.5)

    def assert_wasted(self, rule, allocator, use, free):
        """The finding is there, and agrees with the VM's account of the free bytes of that allocator."""
        told = self.told()
        finding = self.findings(told).get(rule)
        self.assertIsNotNone(finding, [one["text"] for one in told["findings"]])
        one, = (one for one in told["allocators"] if one["allocator"] == allocator)
        ours = sum(one[name]["free_bytes"] for name in USES)
        print(f"{rule}: {finding['bytes'] / MIB:.1f} MiB of {ours / MIB:.1f} MiB free; the VM: {free / MIB:.1f} MiB")
        self.assertAlmostEqual(ours, free, delta=0.03 * free + 2 * MIB)
        if use:
            self.assertEqual(finding["bytes"], one[use]["wasted_bytes"])
        # Carriers have pages that were never touched, and some are of another kind.
        self.assertGreater(finding["bytes"], 0.5 * free)
        self.assertLessEqual(finding["bytes"], free + 2 * MIB)
        return finding


class Healthy(MemoryTool):
    def test_nothing_to_mend(self):
        self.assertIn("\nVerdict: nothing to mend.\n", self.run_tool().stdout)
        self.assertEqual(self.told()["findings"], [])

    def test_the_parts_add_up_to_the_resident_memory(self):
        told = self.told()
        self.assertAlmostEqual(sum(part["bytes"] for part in told["composition"]), told["resident_bytes"], delta=1)
        self.assertAlmostEqual(told["resident_bytes"], proc.resident_bytes(self.vm.pid), delta=2 * MIB)
        parts = {part["part"]: part["bytes"] for part in told["composition"]}
        files = inode = 0
        for line in pathlib.Path(f"/proc/{self.vm.pid}/smaps").read_text().splitlines():
            words = line.split()
            if "-" in words[0]:
                inode = int(words[4]) if not (words[5:] and words[5].startswith("/memfd:")) else 0
            elif words[0] == "Rss:" and inode:
                files += int(words[1]) * 1024
        self.assertAlmostEqual(parts["files"], files, delta=MIB)
        self.assertEqual(told["not_readable"], [])

    def test_blocks_are_those_of_the_vm(self):
        # Of allocators that did nothing between two accounts, calls included.
        before = self.vm.ask("allocators")
        told = {one["allocator"]: one for one in self.told()["allocators"]}
        after = self.vm.ask("allocators")
        compared = []
        for name, ours in told.items():
            if before[name] != after[name]:
                continue
            carriers, blocks = (sum(one[kind][k] for one in before[name] for kind in KINDS) for k in (1, 3))
            kinds = [ours[use] for use in (*USES, "single_block")]
            self.assertEqual(sum(kind["carriers_bytes"] for kind in kinds), carriers, name)
            # With the headers of the carriers, 440 bytes each at most.
            self.assertGreaterEqual(ours["blocks_bytes"], blocks, name)
            self.assertLessEqual(ours["blocks_bytes"], blocks + 440 * sum(kind["carriers"] for kind in kinds), name)
            compared.append(name)
        print("compared:", compared)
        self.assertGreaterEqual(len(compared), 4)

    def test_a_stopped_vm(self):
        self.vm.signal(signal.SIGSTOP)
        try:
            told = self.told()
        finally:
            self.vm.signal(signal.SIGCONT)
        self.assertEqual((told["findings"], told["not_readable"]), ([], []))
        # Our own reads bring pages of its executable into RAM.
        self.assertLess(told["resident_changed_bytes"], MIB)

    def test_help_and_mistakes(self):
        teaches = exporter.run("memory", "--help")
        self.assertEqual(teaches.returncode, 0)
        self.assertIn("fragmentation", teaches.stdout)
        self.assertIn("--format", self.run_tool("--format=xml", code=2).stderr)
        for pid in (os.getpid(), 1 << 22):  # no BEAM, no process
            result = exporter.run("memory", f"--target.pid={pid}")
            self.assertEqual((result.returncode, result.stdout, result.stderr.count("\n")), (1, "", 1), result.stderr)


class Waste(MemoryTool):
    """One way after the other; `release` ends each."""

    def tearDown(self):
        self.vm.ask("release")

    def test_binaries_of_the_past(self):
        free = self.waste("binaries 200 4000 1 10", "binary_alloc", 160)
        self.assert_wasted("idle_carriers_of_binaries", "binary_alloc", "nearly_empty", free)

    def test_heaps_of_the_past_are_gone_after_the_collections_that_the_advice_asks_for(self):
        free = self.waste("heaps 200 1500 1 10", "eheap_alloc", 160)
        finding = self.assert_wasted("idle_carriers_of_heaps", "eheap_alloc", "nearly_empty", free)
        self.assertIn("erlang:garbage_collect", finding["advice"])
        self.vm.ask("collect")
        left = wait_for("the carriers are free", lambda: (now := self.free_in_vm("eheap_alloc")) < free / 4 and now)
        print(f"free in heaps: {free / MIB:.0f} MiB before, {left / MIB:.0f} MiB after the collections")
        self.assertNotIn("idle_carriers_of_heaps", self.findings())

    def test_fragmented_binaries(self):
        free = self.waste("binaries 200 4000 1 2", "binary_alloc", 90)
        finding = self.assert_wasted("fragmented_binaries", "binary_alloc", "small_holes", free)
        self.assertIn("+MBas aoffcaobf", finding["advice"])
        self.assertNotIn("idle_carriers_of_binaries", self.findings())

    def test_fragmented_heaps(self):
        free = self.waste("heaps 200 1500 1 2", "eheap_alloc", 90)
        self.assert_wasted("fragmented_heaps", "eheap_alloc", "small_holes", free)

    def test_room_that_a_peak_has_left(self):
        # Runs of 4 MiB, about half a carrier: each carrier has one or two of them, or a part of one.
        self.waste("binaries 200 4000 1000 2000", "binary_alloc", 90)
        rules = self.findings()
        print({rule: finding["bytes"] for rule, finding in rules.items()})
        self.assertIn("unused_room", rules)
        self.assertNotIn("fragmented_binaries", rules)

    def test_a_large_process_and_a_long_mailbox_are_named(self):
        self.vm.ask("hoard hoarder 100")
        self.vm.ask("flood flooded 20000")
        pid = {name: self.vm.evaluate(f"list_to_binary(pid_to_list(whereis({name})))") for name in ("hoarder", "flooded")}
        heap = self.vm.evaluate("8 * element(2, process_info(whereis(hoarder), total_heap_size))")
        finding = self.findings()["one_process"]
        self.assertEqual((finding["subject"], finding["bytes"]), (f"{pid['hoarder']} hoarder", heap))
        finding = self.findings()["long_mailbox"]
        self.assertEqual((finding["subject"], finding["measure"]["value"]), (f"{pid['flooded']} flooded", 20000))
        self.vm.evaluate("exit(whereis(flooded), kill)")

    def test_many_binaries_beside_small_heaps_are_a_suspicion(self):
        self.vm.ask("parts 400")
        finding = self.findings()["binaries_beside_small_heaps"]
        self.assertAlmostEqual(finding["bytes"], self.vm.evaluate("erlang:memory(binary)"), delta=4 * MIB)
        self.assertIn("suspicion", finding["text"])


class LargeBlocks(MemoryTool):
    # About 320 KB each, under the default threshold of 512 KiB for carriers of their own.
    WORK = "heaps 300 40000 1 8"

    def test_the_advised_flag_ends_the_waste(self):
        free = self.waste(self.WORK, "eheap_alloc", 200)
        finding = self.assert_wasted("large_blocks_share_carriers", "eheap_alloc", None, free)
        flag, kib = re.search(r"(\+MHsbct) (\d+)", finding["advice"]).groups()
        with BeamTarget(named(self.release), self.target, flags=(*self.vm_flags, flag, kib)) as advised:
            advised.ask(self.WORK)
            left = wait_for("the carriers are free",
                            lambda: (now := self.free_in_vm("eheap_alloc", advised)) < free / 4 and now)
            result = exporter.run("memory", f"--target.pid={advised.pid}")
        print(result.stdout, f"{flag} {kib}: {free / MIB:.0f} MiB free in carriers without, {left / MIB:.0f} MiB with it")
        self.assertNotIn("large_blocks_share_carriers", result.stdout)


class OutsideCarriers(MemoryTool):
    @classmethod
    def setUpClass(cls):
        runtime = named(cls.release)
        cls.arguments = (runtime.inside,)
        runtime.prepare()
        nif.compile_into(runtime.outside(), "malloc_nif", runtime=runtime)
        super().setUpClass()

    def test_what_a_nif_has_from_malloc(self):
        before = sum(part["bytes"] for part in self.told()["composition"] if part["part"] in ("other", "c_heap"))
        self.vm.ask("malloc 150")
        finding = self.findings()["memory_outside_carriers"]
        # malloc adds 16 bytes to each piece, and uses first what was free of the memory that it had before.
        self.assertGreater(finding["bytes"], 150 * MIB)
        self.assertLess(finding["bytes"], before + 150 * MIB * 4112 / 4096 + MIB)

    def test_an_allocator_that_is_off(self):
        with BeamTarget(named(self.release), self.target, flags=("+S", "2", "+MBe", "false")) as vm:
            vm.ask("parts 150")
            result = exporter.run("memory", f"--target.pid={vm.pid}", "--format=json")
        finding, = json.loads(result.stdout)["findings"]
        print(finding)
        self.assertEqual(finding["rule"], "allocators_off")
        self.assertIn("malloc gives their memory: binary_alloc.", finding["text"])
        self.assertGreater(finding["bytes"], 150 * MIB)


class NearLimit(MemoryTool):
    """A real control group of version 1 or 2, whichever has the memory controller here."""

    def make_group(self):
        requirements.root_user()
        name = f"beam_exporter_test_{os.getpid()}"
        for root, file in (("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")):
            group = pathlib.Path(root) / name
            try:
                group.mkdir()
            except OSError:
                continue
            self.addCleanup(group.rmdir)
            if (group / file).exists():
                return group, group / file
        requirements.skip("needs a memory control group that it can make")

    def test_the_distance_to_the_limit(self):
        group, limit = self.make_group()
        vm = BeamTarget(named(self.release), self.target, flags=self.vm_flags)
        self.addCleanup(vm.kill)
        (group / "cgroup.procs").write_text(str(vm.pid))
        limit.write_text(str(400 * MIB))
        vm.ask("hoard hoarder 60")

        def look():
            result = exporter.run("memory", f"--target.pid={vm.pid}")
            print(result.stdout[:600], result.stderr)
            return result.stdout

        text = look()
        self.assertRegex(text, rf"control group /{group.name} \(v[12]\): [\d.]+ MiB of 400\.0 MiB held")
        self.assertNotIn("near_limit", text)
        used = int((group / ("memory.current" if limit.name == "memory.max" else "memory.usage_in_bytes")).read_text())
        limit.write_text(str(used * 21 // 20 // 4096 * 4096))
        # The most urgent comes first, whatever else is there.
        self.assertRegex(look(), r"\n1\. The control group /\S+ holds (.|\n)*\[near_limit\]")


if __name__ == "__main__":
    ToolTest.release = sys.argv.pop(1)
    unittest.main(verbosity=2)
