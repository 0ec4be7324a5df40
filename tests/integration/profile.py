"""`beam_exporter profile`: stacks of known work, against the VM's own clock, in formats that others read.

python3 -m integration.profile OTP_RELEASE
"""

import collections
import json
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

from harness import exporter, processes, requirements
from harness.beam_target import BeamTarget
from harness.erlang_runtime import named
from harness.tool_test import ToolTest

FREQUENCY = 999
KINDS = ("sorts", "maps", "copies", "collects", "calls_bifs")
# In the function itself or in a comprehension or fun of it, which may have been a tail call.
KIND = re.compile(rf"mixed_work:-?({'|'.join(KINDS)})/1")
NAMELESS = ("[code_changed]", "[no_function]", "[process_unreadable]", "[undecoded_module]", "[unknown_native_code]",
            "[process]", "[name not read]")
SOURCE = pathlib.Path(__file__).parent.parent / "targets" / "mixed_work.erl"


def stacks_of(text):
    """Of folded lines: [(functions, the bottom first)], count."""
    for line in text.splitlines():
        stack, count = line.rsplit(" ", 1)
        yield stack.split(";"), int(count)


def lines_of_functions():
    """{"sorts/1": range of its lines} as the source has them."""
    begins = [(number, match[1]) for number, line in enumerate(SOURCE.read_text().splitlines(), 1)
              if (match := re.match(r"([a-z_]+)\(.*\) ->", line))]
    ends = [number for number, _ in begins[1:]] + [10 ** 6]
    lines = collections.defaultdict(list)
    for (begin, name), end in zip(begins, ends):
        lines[name].append(range(begin, end))
    return lines


class Profile(ToolTest):
    tool, target, vm_flags = "profile", "mixed_work", ("+S", "1")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))

    def record(self, *flags, seconds=5):
        return self.run_tool(f"--duration={seconds}", f"--frequency={FREQUENCY}", *flags).stdout

    def test_every_stack_leads_to_the_work_and_shares_are_the_vms_own(self):
        output = self.folder / "shares.folded"
        self.vm.ask("run")
        self.record(f"--output={output}", seconds=10)
        times = self.vm.ask("pause")
        by_kind, bottoms, process, whole = collections.Counter(), collections.Counter(), 0, 0
        strange = collections.Counter()
        for stack, count in stacks_of(output.read_text()):
            whole += count
            bottoms[stack[0]] += count
            if stack[0].startswith("["):  # the scheduler's own, or the stack was not whole
                continue
            process += count
            kinds = {match[1] for function in stack if (match := KIND.match(function))}
            if len(kinds) == 1:
                by_kind[kinds.pop()] += count
            else:
                strange[";".join(stack)] += count
        print(by_kind, "of", process, "of", whole, "others:", strange.most_common(5))
        self.assertLessEqual(sum(bottoms[name] for name in NAMELESS), 0.001 * whole, bottoms)
        # A collection frees the old heap before it tells where the new stack is.
        self.assertLess(bottoms["[frames left out]"], 0.03 * whole, bottoms)
        # timer:tc, maps:update_with and the loop itself belong to no kind.
        self.assertLess(strange.total(), 0.01 * process)
        for kind in KINDS:
            share, truth = by_kind[kind] / process, times[kind] / sum(times.values())
            print(f"{kind}: {100 * share:.2f} %, the VM says {100 * truth:.2f} %")
            # 10 s of ~10,000 samples: 0.9 points by chance alone.
            self.assertAlmostEqual(share, truth, delta=0.025)

    def test_native_frames_stand_on_erlang_ones(self):
        self.vm.ask("run")
        self.record("--output=" + str(self.folder / "native.folded"), seconds=3)
        text = (self.folder / "native.folded").read_text()
        self.vm.ask("pause")
        over = collections.Counter()
        for stack, count in stacks_of(text):
            for below, function in zip(stack, stack[1:]):
                over[below, function] += count
        self.assertGreater(sum(count for (below, function), count in over.items()
                               if function == "ets:lookup/2" and KIND.match(below)), 0)
        self.assertTrue(any("copy_" in stack[-1] and "ets:lookup/2" in stack for stack, _ in stacks_of(text)))
        self.assertTrue(any("lists:member/2" in stack and stack[-1] != "lists:member/2" for stack, _ in stacks_of(text)))

    def test_a_reader_of_others_finds_the_same_samples_and_lines(self):
        requirements.program("go")
        output = self.folder / "profile.pb.gz"
        self.vm.ask("run")
        self.record(f"--output={output}", seconds=3)
        self.vm.ask("pause")

        def pprof(*flags):
            return subprocess.run(["go", "tool", "pprof", *flags, str(output)], capture_output=True, text=True,
                                  timeout=60, check=True).stdout

        raw = pprof("-raw")
        period = int(re.search(r"Period: (\d+)", raw)[1])
        self.assertEqual(period, 10 ** 9 // FREQUENCY)
        samples = [(int(match[1]), int(match[2]))
                   for match in re.finditer(r"^\s+(\d+)\s+(\d+): [\d ]+$", raw, re.MULTILINE)]
        self.assertGreater(sum(count for count, _ in samples), 1000)
        # Each sample stands for one period, and the kernel is late by little.
        self.assertAlmostEqual(sum(time for _, time in samples) / sum(count for count, _ in samples), period,
                               delta=0.1 * period)
        lines = lines_of_functions()
        placed = collections.Counter()
        for name, line in re.findall(r"mixed_work:([a-z_]+)/1 \S*mixed_work\.erl:(\d+)", raw):
            self.assertTrue(any(int(line) in place for place in lines[name]), (name, line))
            placed[name] += 1
        print(placed)
        self.assertTrue(set(placed) & set(KINDS), raw[:300])
        self.assertIn("process:[mixed_worker]", raw)
        self.assertIn("lists:fsplit", pprof("-top", "-nodecount=300"))
        self.assertIn("mixed_work:", pprof("-traces"))
        difference = subprocess.run(["go", "tool", "pprof", "-top", "-diff_base", str(output), str(output)],
                                    capture_output=True, text=True, timeout=60, check=True).stdout
        self.assertRegex(difference, r"Showing nodes accounting for 0, 0%")

    def test_what_grew_is_told_by_diff(self):
        before, after = self.folder / "before.pb.gz", self.folder / "after.pb.gz"
        with BeamTarget(named(self.release), "three_functions", 1, flags=("+S", "2")) as vm:
            def record(output, seconds):
                result = exporter.run("profile", f"--target.pid={vm.pid}", f"--duration={seconds}",
                                      f"--frequency={FREQUENCY}", f"--output={output}")
                self.assertEqual(result.returncode, 0, result.stderr)

            vm.ask("run")
            record(before, 6)
            vm.evaluate("spawn(fun F() -> three_functions:f1(1000000, 1), F() end), ok")
            record(after, 3)
        told = json.loads(exporter.run("diff", "--format=json", before, after).stdout)["functions"]
        print(told[:3], exporter.run("diff", "--limit=3", before, after).stdout)
        # A second busy loop on a scheduler of its own: a whole CPU second per second more, where there is one. Where
        # there is none, it takes half of what there is.
        f1, = (f for f in told if f["function"] == "three_functions:f1/2")
        self.assertEqual(f1, max(told, key=lambda f: f["self_after"] - f["self_before"]))
        self.assertGreater(f1["self_after"] - f1["self_before"], f1["error"])
        before_share, after_share = (f1[when] / sum(f[when] for f in told) for when in ("self_before", "self_after"))
        self.assertGreater(after_share, before_share + 0.2)
        self.assertTrue(all(f["error"] < 0.2 for f in told))
        picture = self.folder / "changed.svg"
        result = exporter.run("diff", f"--output={picture}", before, after)
        self.assertEqual((result.returncode, result.stdout), (0, ""), result.stderr)
        root = xml.etree.ElementTree.parse(picture).getroot()
        frames = [(frame.get("data-name"), frame.get("data-y"), float(frame.get("data-w")), frame[1].get("fill"),
                   frame[0].text) for frame in root.findall(".//{http://www.w3.org/2000/svg}g")]
        # The strongest colour is 90 %. A phase that was cut in two may be a little more than before.
        red = [frame for frame in frames if (match := re.match(r"hsl\(0 (\d+)%", frame[3])) and int(match[1]) > 50]
        print(red)
        self.assertEqual({frame[0] for frame in red}, {"three_functions:f1/2"})
        self.assertRegex(red[0][4], r"before [\d.]+, after [\d.]+ CPU ms per second; .* \(\+[\d.]+\)$")
        self.assertEqual([frame[2] for frame in frames if frame[1] == "0"], [1.0])
        self.assertAlmostEqual(sum(frame[2] for frame in frames if frame[1] == "1"), 1, places=4)
        for code, word, files in ((1, "/nowhere", ("/nowhere", after)), (1, "no pprof profile", (__file__, after)),
                                  (2, "x.pdf", ("--output=x.pdf", before, after)),
                                  (1, "/nowhere/x.svg", ("--output=/nowhere/x.svg", before, after)),
                                  (2, "two profiles", (before,)), (2, "two profiles", (before, after, after))):
            result = exporter.run("diff", *files)
            self.assertEqual((result.returncode, result.stdout), (code, ""))
            self.assertIn(word, result.stderr)

    def test_the_flame_graph_is_well_formed_and_whole(self):
        output = self.folder / "flame.svg"
        self.vm.ask("run")
        self.record(f"--output={output}", seconds=2)
        self.vm.ask("pause")
        root = xml.etree.ElementTree.parse(output).getroot()
        frames = root.findall(".//{http://www.w3.org/2000/svg}g")
        self.assertGreater(len(frames), 20)
        bottom = frames[0]
        self.assertEqual((bottom.get("data-name"), float(bottom.get("data-w"))), ("all", 1.0))
        first_row = sum(float(frame.get("data-w")) for frame in frames if frame.get("data-y") == "1")
        self.assertAlmostEqual(first_row, 1, places=4)

    def test_the_table_and_its_errors(self):
        self.vm.ask("run")
        table = self.record("--limit=5", seconds=2)
        told = json.loads(self.record("--format=json", seconds=2))
        self.vm.ask("pause")
        self.assertEqual(len(table.splitlines()), 7)
        self.assertIn("points", table)
        self.assertAlmostEqual(sum(f["self"] for f in told["functions"]), 1, delta=0.1)
        self.assertGreater(told["functions"][0]["self_error"], 0)
        self.assertEqual(told["samples_lost"], 0)

    def test_elixir_names_are_as_elixir_people_write_them(self):
        with BeamTarget(named(self.release), "idle", flags=("+S", "1")) as vm:
            vm.evaluate("{ok, M, B} = compile:forms([{attribute,1,module,'Elixir.MyApp.Foo'},"
                        "{attribute,1,export,[{spin,1}]},{function,1,spin,1,[{clause,1,[{var,1,'N'}],[],"
                        "[{call,1,{atom,1,spin},[{op,1,'bxor',{var,1,'N'},{integer,1,1}}]}]}]}]), "
                        "code:load_binary(M, \"foo.ex\", B), "
                        "register('Elixir.MyApp.Repo', spawn(M, spin, [1])), ok")
            output = self.folder / "elixir.pb.gz"
            result = exporter.run("profile", f"--target.pid={vm.pid}", "--duration=2", f"--output={output}")
            self.assertEqual(result.returncode, 0, result.stderr)
            table = exporter.run("profile", f"--target.pid={vm.pid}", "--duration=1", "--limit=1").stdout
        self.assertIn("MyApp.Foo.spin/1", table)
        raw = subprocess.run(["go", "tool", "pprof", "-raw", str(output)], capture_output=True, text=True, timeout=60,
                             check=True).stdout
        self.assertIn("process:[MyApp.Repo]", raw)
        self.assertIn("MyApp.Foo.spin/1", raw)
        self.assertNotIn("Elixir.MyApp.Repo", raw)

    def test_perf_samples_lead_to_the_same_stacks(self):
        output = self.folder / "perf.folded"
        self.vm.ask("run")
        self.record("--sampling.source=perf", f"--output={output}", seconds=3)
        self.vm.ask("pause")
        kinds, process = 0, 0
        for stack, count in stacks_of(output.read_text()):
            if not stack[0].startswith("["):
                process += count
                kinds += count * any(KIND.match(function) for function in stack)
        self.assertGreater(process, 500)
        self.assertGreater(kinds / process, 0.95)

    def test_ctrl_c_and_the_end_of_the_vm_keep_what_was_recorded(self):
        with BeamTarget(named(self.release), "mixed_work", flags=("+S", "1")) as vm:
            vm.ask("run")

            def begun(output):
                process = processes.spawn([exporter.BINARY, "profile", f"--target.pid={vm.pid}", "--duration=600",
                                           f"--output={output}"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                          text=True)
                self.addCleanup(processes.reap, process)
                time.sleep(3)  # what is waited for is time itself: samples
                return process

            stopped = begun(self.folder / "stopped.folded")
            stopped.send_signal(signal.SIGINT)
            self.assertEqual(stopped.wait(10), 0)
            widowed = begun(self.folder / "widowed.folded")
            vm.kill()
            self.assertEqual(widowed.wait(10), 1)
            said = widowed.stderr.read()
        self.assertIn("the VM ended after", said)
        for name in ("stopped", "widowed"):
            self.assertIn("mixed_work:", (self.folder / f"{name}.folded").read_text())

    def test_mistakes(self):
        with BeamTarget(named(self.release), "mixed_work", flags=("+S", "1")) as vm:
            own = f"--target.pid={vm.pid}"
            for code, word, flags in ((2, "--output", (own, "--output=x.pdf")), (2, "--duration", (own, "--duration=0")),
                                      (2, "--frequency", (own, "--frequency=x")), (2, "extra", (own, "extra")),
                                      (1, "4194304", ("--target.pid=4194304",)), (1, "cannot write", (
                                          own, "--duration=1", "--output=/nowhere/x.svg"))):
                result = exporter.run("profile", *flags)
                print(result.returncode, result.stderr.strip())
                self.assertEqual((result.returncode, result.stdout), (code, ""))
                self.assertIn(word, result.stderr.splitlines()[-1])


if __name__ == "__main__":
    Profile.release = sys.argv.pop(1)
    unittest.main(verbosity=2)
