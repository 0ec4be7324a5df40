"""`--include-kernel`: the functions of the kernel on top of the stacks that called it, against the kernel's own account.

python3 -m integration.kernel_frames OTP_RELEASE
"""

import collections
import json
import pathlib
import sys
import tempfile
import unittest

from harness import exporter, proc
from harness.tool_test import ToolTest

MARK = "_[k]"
CALLER = "reads_zeros:read/1"


class KernelFrames(ToolTest):
    tool, target = "profile", "reads_zeros"
    vm_flags = ("+S", "1", "+SDio", "1", "+sbwt", "none", "+sbwtdio", "none")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.vm.ask("run")

    def stacks(self, *flags, **options):
        output = self.folder / "stacks.folded"
        result = self.run_tool("--duration=5", "--frequency=999", f"--output={output}", *flags, **options)
        counted = [line.rsplit(" ", 1) for line in output.read_text().splitlines()]
        return [(stack.split(";"), int(count)) for stack, count in counted], result.stderr

    def share_of_kernel(self, stacks):
        return sum(n for stack, n in stacks if stack[-1].endswith(MARK)) / sum(n for _, n in stacks)

    def test_it_is_the_share_that_the_kernel_counts(self):
        for source in ("ebpf", "perf"):
            with self.subTest(source):
                before = proc.cpu_seconds(self.vm.pid)
                stacks, complaint = self.stacks("--include-kernel", f"--sampling.source={source}")
                user, system = (b - a for a, b in zip(before, proc.cpu_seconds(self.vm.pid)))
                ours, truth = self.share_of_kernel(stacks), system / (user + system)
                print(f"{source}: {100 * ours:.1f} % in the kernel, which says {100 * truth:.1f} %")
                # The kernel counts by ticks: some 1,000 of them.
                self.assertAlmostEqual(ours, truth, delta=0.08)
                self.assertEqual(complaint.count("\n"), 1, "only the summary")
                # With perf the Erlang stack is read later: most of these short calls are over then.
                self.names_are_the_kernels(stacks, least={"ebpf": 0.1, "perf": 0.03}[source])

    def names_are_the_kernels(self, stacks, least):
        theirs = {line.split()[2] for line in pathlib.Path("/proc/kallsyms").read_text().splitlines()}
        ours = {frame.removesuffix(MARK) for stack, _ in stacks for frame in stack if frame.endswith(MARK)}
        self.assertFalse(ours - theirs, "names that the kernel does not have")
        # The system call stands on the NIF of the Erlang function that reads; what makes the zeros is above it.
        makers = collections.Counter()
        for stack, count in stacks:
            kernel = [frame for frame in stack if frame.endswith(MARK)]
            self.assertEqual(stack[len(stack) - len(kernel):], kernel, "the kernel is on top")
            if CALLER in stack and any("vfs_read" in frame for frame in kernel):
                makers[kernel[-1]] += count
        print(makers.most_common(4))
        whole = sum(count for _, count in stacks)
        self.assertGreater(makers.total(), least * whole)
        self.assertRegex(makers.most_common(1)[0][0], "zero|clear")

    def test_without_the_flag_there_is_no_kernel(self):
        stacks, _ = self.stacks()
        self.assertEqual(self.share_of_kernel(stacks), 0)

    def test_without_the_right_to_names_it_is_one_frame(self):
        stacks, complaint = self.stacks("--include-kernel", prefix=("setpriv", "--bounding-set=-syslog",
                                                                    "--inh-caps=-syslog"))
        names = {frame for stack, _ in stacks for frame in stack if frame.endswith(MARK)}
        self.assertEqual(names, {"kernel" + MARK})
        self.assertGreater(self.share_of_kernel(stacks), 0.1)
        self.assertIn("CAP_SYSLOG", complaint)

    def test_top_has_rows_of_the_kernel(self):
        def rows(*flags):
            told = exporter.run("top", f"--target.pid={self.vm.pid}", "--duration=3", "--interval=3", "--format=json",
                                "--limit=1000", *flags, check=True).stdout
            return {row["function"]: row for row in json.loads(told)["functions"]}

        with_kernel, without = rows("--include-kernel"), rows()
        print(list(with_kernel)[:5], list(without)[:5])
        own = [row for row in with_kernel.values() if row["kind"] == "kernel"]
        self.assertGreater(sum(row["self"] for row in own), 0.2)
        self.assertFalse([row for row in without.values() if row["kind"] == "kernel"])
        only_erlang = rows("--include-kernel", "--only-erlang")
        self.assertFalse([row for row in only_erlang.values() if row["kind"] == "kernel"])


if __name__ == "__main__":
    KernelFrames.release = sys.argv.pop()
    unittest.main(verbosity=2)
