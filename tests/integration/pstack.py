"""`beam_exporter pstack --processes` and `--process`: the stacks of all processes are what current_stacktrace tells of them.

python3 -m integration.pstack OTP_RELEASE
"""

import collections
import re
import signal
import sys
import time
import unittest

from harness import exporter
from harness.tool_test import ToolTest


LEFT_OUT = "... frames left out ..."


class Pstack(ToolTest):
    tool, target, vm_flags = "pstack", "waiting", ("+P", "262144")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for kind, many in (("receive", 700), ("call", 20), ("deep", 7), ("hibernate", 50)):
            cls.vm.ask(f"spawn {kind} {many}")

    def stacks(self, *flags):
        began = time.monotonic()
        told = self.told("--processes", "--limit=100000", *flags)
        print(f"{time.monotonic() - began:.2f} s")
        return told

    @staticmethod
    def counted(told):
        """{("lists:sort/1", ...): processes}, without places in the source."""
        counts = collections.Counter()
        for stack in told["stacks"]:
            counts[tuple(frame.split(" (")[0] for frame in stack["frames"])] += stack["processes"]
        return counts

    def test_every_stack_is_the_vms_own_account(self):
        truth = collections.Counter()
        for stack, processes in self.vm.ask("truth"):
            truth[tuple(stack.split(";"))] += processes
        told = self.stacks()
        ours = self.counted(told)
        missing = 0
        # One that hibernates has no stack.
        hibernating = truth.pop(("",))
        self.assertAlmostEqual(told["without_stack"], hibernating, delta=1)
        self.assertGreaterEqual(hibernating, 50)
        for stack, processes in truth.items():
            # current_stacktrace ends after 8 frames (erlang:system_flag(backtrace_depth)).
            found = sum(many for frames, many in ours.items()
                        if frames == stack or (len(stack) == 8 and frames[:8] == stack)
                        or (LEFT_OUT in frames and frames[:frames.index(LEFT_OUT)] == stack))
            if found != processes:
                print("differs:", stack, processes, found)
                missing += abs(processes - found)
        # The process that answers `truth` waits when we look, and one or two others live on.
        self.assertLessEqual(missing, 3)
        self.assertGreaterEqual(sum(truth.values()), 727)
        self.assertEqual(told["processes"], sum(ours.values()) + told["running"] + told["without_stack"])

    def test_deep_stacks_say_that_frames_are_left_out(self):
        deep, = (stack for stack in self.stacks()["stacks"] if any("waiting:deep/2" in f for f in stack["frames"]))
        self.assertEqual(deep["processes"], 7)
        self.assertTrue(LEFT_OUT in deep["frames"])
        self.assertRegex(deep["frames"][0], r"^waiting:in_receive/1 \(.*waiting\.erl:\d+\)$")

    def test_a_stopped_vm_is_read_as_well(self):
        self.vm.signal(signal.SIGSTOP)
        try:
            told = self.stacks()
        finally:
            self.vm.signal(signal.SIGCONT)
        self.assertEqual(self.counted(told)[("waiting:in_receive/1",)], 700)
        self.assertEqual(told["not_read"], 0)

    def test_many_processes_on_one_screen(self):
        self.vm.ask("spawn receive 100000")
        result = exporter.run("pstack", f"--target.pid={self.vm.pid}", "--processes", "--limit=3")
        print(result.stdout[:600])
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertLess(len(result.stdout.splitlines()), 60)
        first = re.search(r"^(\d+) processes\n    waiting:in_receive/1", result.stdout, re.MULTILINE)
        self.assertGreaterEqual(int(first[1]), 100700)

    def test_one_process_is_the_vms_own_account(self):
        pids = self.vm.evaluate(
            "register(a_shop, spawn(fun() -> waiting:in_receive(lists:seq(1, 1000)) end)),"
            "register('Elixir.MyApp.Repo', spawn(fun() -> waiting:in_call(1) end)),"
            "register(sleeper, spawn(fun() -> erlang:hibernate(waiting, in_receive, [1]) end)),"
            "Settle = fun F(N) -> case process_info(whereis(N), status) of {_, waiting} -> ok; _ -> F(N) end end,"
            "[Settle(N) || N <- [a_shop, 'Elixir.MyApp.Repo', sleeper]],"
            "[begin [whereis(N) ! {message, K} || K <- lists:seq(1, 30)], Settle(N),"
            " list_to_binary(pid_to_list(whereis(N))) end || N <- [a_shop, 'Elixir.MyApp.Repo']]"
            " ++ [list_to_binary(pid_to_list(whereis(N))) || N <- [sleeper, init]]")
        for name, pid in zip(("a_shop", "MyApp.Repo", "sleeper", "init"), pids):
            by_name, by_pid = self.told(f"--process={name}"), self.told(f"--process={pid}")
            self.assertEqual(by_name, by_pid)
            status, words, messages, stack = self.vm.evaluate(
                f"begin [{{_, S}}, {{_, H}}, {{_, L}}, {{_, T}}] = process_info(list_to_pid(\"{pid}\"), [status,"
                " total_heap_size, message_queue_len, current_stacktrace]), [S, H, L, [iolist_to_binary(io_lib:format("
                "\"~ts:~ts/~b\", [M, F, A])) || {M, F, A, _} <- T]] end")
            self.assertEqual(status, "waiting")
            told = {"process": pid, "name": name, "status": status, "heap_bytes": 8 * words, "messages": messages,
                    "frames": stack}
            self.assertEqual({**by_name, "frames": [frame.split(" (")[0] for frame in by_name["frames"]]}, told)
        self.assertEqual(self.told("--process=Elixir.MyApp.Repo")["name"], "MyApp.Repo")
        text = self.run_tool("--process=a_shop").stdout
        self.assertRegex(text, r"^<0\.\d+\.\d+> a_shop: waiting, \d+ bytes of heap, 30 messages\n    waiting:in_receive/1 \(")
        self.assertIn("no stack", self.run_tool("--process=sleeper").stdout)
        for nobody in ("nobody", "<0.999999.77>", "<0.0"):
            self.assertIn(f"process '{nobody}'", self.run_tool(f"--process={nobody}", code=1).stderr)

    def test_mistakes(self):
        for code, flags in ((2, ("--limit=0",)), (2, ("extra",)), (1, ("--target.pid=4194304",))):
            result = exporter.run("pstack", *flags)
            self.assertEqual((result.returncode, result.stdout, len(result.stderr.splitlines())), (code, "", 1))


if __name__ == "__main__":
    Pstack.release = sys.argv.pop(1)
    unittest.main(verbosity=2)
