"""`beam_exporter top`: the hottest functions, interval by interval, against the VM's own clock.

python3 -m integration.top OTP_RELEASE
"""

import collections
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import unittest

from harness import exporter
from harness.beam_target import BeamTarget
from harness.erlang_runtime import named, number_of
from harness.processes import LineReader, reap, spawn
from harness.terminal import Terminal
from harness.tool_test import ToolTest

FREQUENCY = 999
FUNCTIONS = ("f1/2", "f2/2", "f3/2")


class Top(ToolTest):
    tool, target, vm_flags = "top", "mixed_work", ("+S", "2")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.vm.ask("run")

    def intervals(self, *flags):
        """The JSON object of each interval."""
        return [json.loads(line) for line in self.run_tool("--format=json", *flags).stdout.splitlines()]

    def rows(self, *flags, rows="functions"):
        told, = self.intervals("--duration=2", "--interval=2", f"--frequency={FREQUENCY}", "--limit=100", *flags)
        self.assertGreater(told["samples"], 100)
        return told[rows]

    def begun(self, vm, *flags):
        top = spawn([exporter.BINARY, "top", f"--target.pid={vm.pid}", "--interval=1", "--format=json", *flags],
                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(reap, top)
        return top, LineReader(top.stdout)

    def test_the_shares_of_the_intervals_are_the_vms_own(self):
        with BeamTarget(named(self.release), "three_functions", 1, flags=("+S", "1")) as vm:
            vm.ask("run")
            told = [json.loads(line) for line in exporter.run(
                "top", f"--target.pid={vm.pid}", "--format=json", "--duration=9", "--interval=2",
                f"--frequency={FREQUENCY}").stdout.splitlines()]
            vm.ask("pause")
            times = vm.ask("timing")
        self.assertEqual(len(told), 5)  # the last is shorter
        ours = collections.Counter()
        for interval in told:
            self.assertGreater(interval["samples"], 0)
            for row in interval["functions"]:
                module, _, function = row["function"].partition(":")
                if module == "three_functions" and function in FUNCTIONS:
                    ours[function] += row["self"] * interval["samples"]
                    self.assertEqual((row["kind"], row["state"]), ("erlang", "emulator"))
                    self.assertEqual(row["self"], row["inclusive"])
        self.assertGreater(ours.total(), 0.9 * sum(interval["samples"] for interval in told))
        for function in FUNCTIONS:
            share, truth = ours[function] / ours.total(), times[function] / sum(times.values())
            print(f"{function}: {100 * share:.2f} %, the VM says {100 * truth:.2f} %")
            # About 9,000 samples: 1 point by chance; a cycle is 0.4 s long, and one is cut at each end.
            self.assertAlmostEqual(share, truth, delta=0.05)

    def test_only_erlang_gives_the_time_of_bifs_to_their_callers(self):
        with_bifs = {(row["function"], row["kind"]): row["self"] for row in self.rows()}
        without = {(row["function"], row["kind"]): row["self"] for row in self.rows("--only-erlang")}
        lookup = with_bifs["ets:lookup/2", "bif"]
        self.assertNotIn("ets:lookup/2", [function for function, _ in without])
        self.assertEqual({kind for _, kind in without} - {"erlang", "other"}, set())
        # Only the few instructions that lead into the BIF are its own.
        self.assertGreater(with_bifs["erts_internal:garbage_collect/1", "bif"], 0.05)
        self.assertLess(without.get(("erts_internal:garbage_collect/1", "erlang"), 0), 0.02)
        # All of ets:lookup/2 is called by the function that copies.
        copies, others = (sum(share for (function, _), share in told.items() if "copies/1" in function)
                          for told in (without, with_bifs))
        self.assertAlmostEqual(copies, others + lookup, delta=0.1)

    def test_views_sorting_and_filter(self):
        called = self.rows("--view=called")
        self.assertEqual({row["kind"] for row in called}, {"bif"})
        self.assertLess({"ets:lookup/2", "lists:member/2"}, {row["function"] for row in called})
        first = self.rows("--view=processes", rows="processes")[0]
        self.assertEqual(first["process"], "mixed_worker")
        self.assertGreater(first["self"], 0.9)
        told, = self.intervals("--view=states", "--duration=3", "--interval=3", f"--frequency={FREQUENCY}")
        self.assertEqual({row["state"]: round(row["self"], 6) for row in told["by_state"]},
                         {state: round(share, 6) for state, share in told["states"].items()})
        self.assertIn("ets:lookup/2", [row["function"] for row in told["by_state"] if row["state"] == "ets"])
        inclusive = self.rows("--inclusive", "--module=mixed_w")
        self.assertTrue(all(row["function"].startswith("mixed_work:") for row in inclusive))
        self.assertIn("mixed_work:work/1", {row["function"] for row in inclusive[:2]})
        shares = [row["inclusive"] for row in inclusive]
        self.assertEqual(shares, sorted(shares, reverse=True))
        self.assertGreater(shares[0], 0.9)

    def test_one_thread_or_scheduler(self):
        tid = next(task.name for task in pathlib.Path(f"/proc/{self.vm.pid}/task").iterdir()
                   if (task / "comm").read_text().strip() in ("erts_sched_1", "1_scheduler"))
        for flag in ("--scheduler=1", f"--thread={tid}"):
            told, = self.intervals(flag, "--duration=1")
            of_first = sum(thread["cpus"] for thread in told["threads"]
                           if (thread["kind"], thread["number"]) == ("normal", 1))
            self.assertAlmostEqual(told["samples_shown"] / told["samples"], of_first / told["cpus"], delta=0.05)
            self.assertIn("of the thread normal 1", self.run_tool(flag, "--duration=1").stdout)

    def test_tables_for_people(self):
        tables = self.run_tool("--duration=3", "--interval=1", "--limit=4").stdout.split("\n\n")
        self.assertEqual((len(tables), tables.pop()), (4, ""))
        for table in tables:
            head, load, states, titles, *rows = table.splitlines()
            self.assertRegex(head, rf"OTP {number_of(self.release)} .*, pid {self.vm.pid}: [1-9]\d* samples in .*lost")
            self.assertRegex(load, r"^\d\.\d\d CPUs: normal [12] \d+ %")
            self.assertRegex(states, r"^states: (\w+ \d+ %,? ?)+$")
            self.assertEqual(titles.split(), ["self", "+-", "incl", "kind", "state", "function"])
            self.assertEqual(len(rows), 4)
            for row in rows:
                self.assertRegex(row, r"^ *[\d.]+ % +[\d.]+ +[\d.]+ %  (erlang|bif|other) +\w*  +\S+$")

    def test_ctrl_c_and_the_end_of_the_vm(self):
        with BeamTarget(named(self.release), "mixed_work", flags=("+S", "1")) as vm:
            vm.ask("run")
            top, lines = self.begun(vm)
            lines.find(lambda line: "mixed_work:" in line, 1)  # of the second interval
            top.send_signal(signal.SIGINT)
            self.assertEqual((top.wait(20), top.stderr.read()), (0, ""))
            top, lines = self.begun(vm)
            lines.find(lambda line: "mixed_work:" in line)
            vm.kill()
            self.assertEqual((top.wait(20), top.stderr.read()), (1, "beam_exporter: the VM has ended\n"))
        lines.join()
        for line in lines.lines:
            self.assertIn("functions", json.loads(line))

    def test_names_cannot_steer_a_terminal(self):
        with BeamTarget(named(self.release), "idle", flags=("+S", "1")) as vm:
            # The compiler refuses them in names of modules.
            vm.evaluate("F = 'spin\\e[2J\\e]0;title\\x07', {ok, M, B} = compile:forms([{attribute,1,module,evil},"
                        "{attribute,1,export,[{F,1}]},{function,1,F,1,[{clause,1,[{var,1,'N'}],[],"
                        "[{call,1,{atom,1,F},[{op,1,'bxor',{var,1,'N'},{integer,1,1}}]}]}]}]), "
                        "code:load_binary(M, \"evil.erl\", B), "
                        "register('\\e[31mred', spawn(M, F, [1])), ok")
            evil = r"evil:spin\x1B[2J\x1B]0;title\x07/1"
            own = f"--target.pid={vm.pid}"
            for flags in ((), ("--view=processes",)):
                table = exporter.run("top", own, "--duration=1", *flags).stdout
                self.assertIn(evil, table)
                self.assertNotIn("\x1b", table)
            self.assertIn(r"\x1B[31mred", table)
            told = json.loads(exporter.run("top", own, "--duration=1", "--format=json").stdout)
            self.assertEqual(told["functions"][0]["function"], "evil:spin\x1b[2J\x1b]0;title\x07/1")
            with self.on_screen(vm) as terminal:  # which refuses what it does not know
                terminal.await_text(evil)

    def on_screen(self, vm, *flags, interval=1, **options):
        return Terminal([exporter.BINARY, "top", f"--target.pid={vm.pid}", f"--interval={interval}", *flags], **options)

    def test_keys_change_what_is_on_the_screen(self):
        with self.on_screen(self.vm, f"--frequency={FREQUENCY}") as terminal:
            terminal.await_text("ets:lookup/2", "mixed_work:", f"OTP {number_of(self.release)} ", "all functions, by self time")
            terminal.type("i")
            terminal.await_screen("the loop is the first row", lambda lines: (
                "all functions, by inclusive time" in lines and
                any(name in lines[lines.index("all functions, by inclusive time") + 2]
                    for name in ("mixed_work:work/1", "mixed_work:phase/2", "lists:foldl_1/3", "timer:tc"))))
            terminal.type("sb")
            terminal.await_screen("BIFs alone", lambda lines: (
                any("ets:lookup/2" in line for line in lines) and not any("mixed_work:" in line for line in lines)))
            terminal.type("p")
            terminal.await_screen("processes", lambda lines: any(
                "mixed_worker" in line and "100.00 %" not in lines[3] for line in lines) and "processes" in lines)
            terminal.type("pm")
            terminal.await_text("part of the name: _")
            terminal.type("mixeX\x7fd_w\r")
            terminal.await_screen("one module", lambda lines: (
                "all functions, by self time, with 'mixed_w' in the name" in lines and
                any("mixed_work:" in line for line in lines) and not any("ets:lookup" in line for line in lines)))
            terminal.type("?")
            terminal.await_text("quit; Ctrl-C too")
            terminal.type("x e")
            terminal.await_text("FROZEN: all functions, by self time, BIFs and NIFs count for their callers")
            self.vm.evaluate("timer:sleep(1200)")  # the rest of that picture comes
            terminal.await_text("FROZEN")
            frozen = terminal.lines()
            self.vm.evaluate("timer:sleep(2500)")  # two intervals pass
            terminal.await_screen("nothing moves", lambda lines: lines == frozen)
            terminal.type(" ")
            terminal.await_screen("it goes on", lambda lines: lines[0] != frozen[0])
            terminal.resize(9, 70)
            terminal.await_screen("less space is used", lambda lines: (
                len(lines) == 9 and lines[8].startswith("q quit") and any("mixed_work:" in line for line in lines)))
            self.assertFalse(terminal.restored())
            terminal.type("q")
            self.assertEqual(terminal.wait(), 0)
            self.assertTrue(terminal.restored(), terminal.modes())

    def test_f_draws_a_live_flame_graph_as_wide_as_the_terminal(self):
        with BeamTarget(named(self.release), "three_functions", 1, flags=("+S", "1")) as vm:
            vm.ask("run")
            with self.on_screen(vm, f"--frequency={FREQUENCY}", interval=4, columns=150) as terminal:
                terminal.type("f")

                def box(lines, name):
                    """(row, column, columns, per cent) of a box that has room for all of that."""
                    for row, line in enumerate(lines):
                        if match := re.search(rf"\[{re.escape(name)} (\d+) % *\]", line):
                            return row, match.start(), match.end() - match.start(), int(match[1])
                    return None

                lines = terminal.await_screen("f3/2 in the graph", lambda lines: box(lines, "three_functions:f3/2") and lines)
                root = box(lines, "all")
                self.assertEqual((lines[root[0] - 2], root[1:]), ("flame graph", (0, 150, 100)))
                for row, column, columns, percent in (box(lines, "three_functions:f3/2"), box(lines, "three_functions:f2/2")):
                    self.assertAlmostEqual(columns / 150, percent / 100, delta=0.015)
                    self.assertEqual({terminal.background(row, column + k) for k in range(columns)}, {"brown"})  # as pyte calls it
                row, _, columns, _ = box(lines, "three_functions:f3/2")
                # It stands below its caller.
                self.assertIn("[timer:tc/", lines[row - 1])
                vm.ask("pause")
                times = vm.ask("timing")
                truth = times["f3/2"] / sum(times.values())
                print("\n".join(lines), f"\nthe VM says {100 * truth:.1f} %")
                # The worker's cycle is 0.4 s of CPU time: on a busy machine some cycles are in an interval, one of them cut.
                self.assertAlmostEqual(columns / 150, truth, delta=0.2)
                vm.ask("run")
                terminal.resize(12, 60)
                terminal.await_screen("a smaller one", lambda lines: (
                    any(line.startswith("[all 100 %") and len(line) == 60 for line in lines) and
                    any("deeper level" in line or "narrower" in line for line in lines)))
                terminal.type("f")
                terminal.await_text("all functions, by self time")

    def test_a_flame_graph_as_lines_and_its_stacks(self):
        lines = self.run_tool("--view=flame", "--duration=2", "--interval=2", "--limit=3", f"--frequency={FREQUENCY}").stdout.splitlines()
        titles, root, *rest = lines[3:6]
        self.assertRegex(titles, r"^each box stands below its caller; not shown: (\d+ boxes narrower .* samples\), )?\d+ deeper levels$")
        self.assertRegex(root, r"^\[all 100 % +\]$")
        self.assertEqual((len(root), {len(row) <= 120 for row in rest}), (120, {True}))
        told, = self.intervals("--view=flame", "--duration=2", "--interval=2", "--limit=1000", f"--frequency={FREQUENCY}")
        self.assertGreater(sum(row["self"] for row in told["stacks"] if "mixed_work:work/1" in row["stack"]), 0.9)
        self.assertTrue(any(row["stack"][-1].startswith("copy_") and "ets:lookup/2" in row["stack"] for row in told["stacks"]))
        copies, = self.intervals("--view=flame", "--module=ets", "--duration=2", "--interval=2", f"--frequency={FREQUENCY}")
        self.assertTrue(copies["stacks"])
        self.assertTrue(all(any(name.startswith("ets:") for name in row["stack"]) for row in copies["stacks"]))

    def test_the_screen_is_restored_by_ctrl_c_and_by_the_end_of_the_vm(self):
        with BeamTarget(named(self.release), "mixed_work", flags=("+S", "1")) as vm:
            vm.ask("run")
            with self.on_screen(vm) as terminal:
                terminal.await_text("mixed_work:")
                terminal.type("\x03")
                self.assertEqual(terminal.wait(), 0)
                self.assertTrue(terminal.restored(), terminal.modes())
            with self.on_screen(vm) as terminal:
                terminal.await_text("mixed_work:")
                vm.kill()
                self.assertEqual(terminal.wait(), 1)
                self.assertTrue(terminal.restored(), terminal.modes())
                terminal.await_text("beam_exporter: the VM has ended")

    def test_a_terminal_that_cannot_place_its_cursor_gets_lines(self):
        for term in ("dumb", "", "no-such-terminal"):
            with self.on_screen(self.vm, "--duration=1", TERM=term) as terminal:
                self.assertEqual(terminal.wait(), 0)
                self.assertTrue(terminal.restored())
                terminal.await_text("self  +-", "mixed_work:")

    def test_mistakes(self):
        own = f"--target.pid={self.vm.pid}"
        for code, word, flags in ((2, "--interval", (own, "--interval=0")), (2, "--view", (own, "--view=x")),
                                  (2, "--limit", (own, "--limit=0")), (2, "extra", (own, "extra")),
                                  (2, "not both", (own, "--scheduler=1", "--thread=1")),
                                  (1, "no scheduler 900; it has 2", (own, "--scheduler=900")),
                                  (1, "no thread 1 ", (own, "--thread=1")),
                                  (1, "4194304", ("--target.pid=4194304",)),
                                  (1, "not an Erlang VM", (f"--target.pid={os.getpid()}",))):
            result = exporter.run("top", *flags)
            print(result.returncode, result.stderr.strip())
            self.assertEqual((result.returncode, result.stdout, len(result.stderr.splitlines())), (code, "", 1))
            self.assertIn(word, result.stderr)


if __name__ == "__main__":
    Top.release = sys.argv.pop(1)
    unittest.main(verbosity=2)
