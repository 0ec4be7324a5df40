"""`beam_exporter report` of a VM that hangs in a NIF and is stopped, and of its core file: what the VM told before.

python3 -m integration.report OTP_RELEASE
"""

import json
import os
import pathlib
import re
import signal
import stat
import sys
import time
import unittest

from harness import core_dump, exporter, nif, requirements
from harness.beam_target import BeamTarget
from harness.core_dump import CoreDump
from harness.erlang_runtime import named, number_of

WAITING = 815
# The kinds of the first 100 messages; those behind them are integers.
CLOGGED = {"{'$gen_call',...}/3": 70, "{tick}/1": 25, "'go on'": 5}
MIXED = {"<integer>": 2, "<list>": 1, "[]": 1, "<binary>": 1, "<map>": 1, "<pid>": 1, "<reference>": 1, "<float>": 1,
         "<fun>": 1, "{}": 1, "{<pid>,...}/2": 1, "{<tuple>,...}/3": 1, "{<reference>,...}/2": 1, "'end'": 1}
FILL = """begin Start = fun(Name, Data, Messages) ->
    P = spawn_opt(fun() -> receive stop -> ok end end, [{message_queue_data, Data}]),
    register(Name, P), [P ! M || M <- Messages], P end,
  Call = fun(N) -> {'$gen_call', {self(), make_ref()}, N} end,
  P = Start(clogged, on_heap, [Call(N) || N <- lists:seq(1, 70)] ++ [{tick} || _ <- lists:seq(1, 25)]
    ++ ['go on' || _ <- lists:seq(1, 5)] ++ lists:seq(1, 715)),
  Start(mixed, off_heap, [5, 1 bsl 70, [1], [], <<1, 2>>, #{a => 1}, self(), make_ref(), 1.5, fun() -> ok end, {},
    {self(), 1}, {{a}, 1, 2}, {make_ref(), ok}, 'end']),
  [element(2, process_info(P, message_queue_len)), list_to_binary(pid_to_list(P)), list_to_binary(pid_to_list(self())),
   erlang:system_info(dirty_cpu_schedulers), erlang:system_info(dirty_io_schedulers)] end""".replace("\n", " ")


def sections(text):
    """{"1. The VM": its lines}."""
    parts = re.split(r"\n(\d\. .*)\n=+\n", text)
    return {heading: body.splitlines() for heading, body in zip(parts[1::2], parts[2::2])}


class Report(unittest.TestCase):
    release = "25"

    @classmethod
    def setUpClass(cls):
        requirements.may_sample()
        runtime = named(cls.release)
        inside = runtime.prepare()
        nif.compile_into(runtime.outside(), "hold_nif", runtime=runtime)
        cls.vm = BeamTarget(runtime, "stuck", inside, flags=("+S", "2:1"))
        cls.addClassCleanup(cls.vm.kill)
        cls.dump = CoreDump(cls, cls.vm, runtime)
        cls.folder = cls.dump.folder
        cls.messages, cls.clogged, cls.puppet, cls.dirty_cpu, cls.dirty_io = cls.vm.evaluate(FILL)
        # What these need is loaded before it is counted.
        cls.vm.evaluate("[stuck:hold(1)]")
        cls.vm.ask("vitals")
        cls.vitals = cls.vm.ask("vitals")
        cls.vm.send("eval [stuck:hold(600000)].")
        while "stuck:hold/1" not in cls.report_text(f"--target.pid={cls.vm.pid}"):
            assert cls.vm.alive()
        cls.vm.signal(signal.SIGSTOP)
        while " T " not in pathlib.Path(f"/proc/{cls.vm.pid}/stat").read_text():
            time.sleep(0.01)
        began = time.monotonic()
        cls.text = cls.report_text(f"--target.pid={cls.vm.pid}")
        print(cls.text, f"{time.monotonic() - began:.2f} s", sep="\n")
        cls.parts = sections(cls.text)
        cls.pstack = exporter.run("pstack", f"--target.pid={cls.vm.pid}", "--processes", "--limit=10", check=True).stdout
        cls.memory = exporter.run("memory", f"--target.pid={cls.vm.pid}", check=True).stdout

    @staticmethod
    def report_text(*flags):
        return exporter.run("report", *flags, check=True).stdout

    def refused(self, *flags, code):
        result = exporter.run("report", *flags)
        self.assertEqual((result.returncode, result.stdout, len(result.stderr.splitlines())), (code, "", 1), result)
        return result.stderr

    def queue(self, parts, name):
        """The number of messages, and the kinds of the first ones, of the process of this name."""
        lines = parts["4. Processes"]
        at = next(k for k, line in enumerate(lines) if re.search(rf"<0\.\d+\.\d+> {name}$", line))
        kinds = {}
        for line in lines[at + 1:]:
            if not (found := re.fullmatch(r" {12}(.+) x (\d+)", line)):
                return lines[at].split()[:2], kinds, line.strip()
            kinds[found[1]] = int(found[2])

    def check_queues(self, parts):
        self.assertEqual(self.messages, WAITING)
        self.assertEqual(self.queue(parts, "clogged"),
                         ([str(WAITING), self.clogged], CLOGGED, f"(the first 100 of {WAITING})"))
        self.assertEqual(self.queue(parts, "mixed")[1], MIXED)

    def check_schedulers(self, parts):
        lines = parts["2. Schedulers"]
        heads = [line for line in lines if re.match(r"(normal|dirty_cpu|dirty_io) \d+: ", line)]
        self.assertEqual([head.split(":")[0] for head in heads],
                         ["normal 1", "normal 2"] + [f"dirty_cpu {k + 1}" for k in range(self.dirty_cpu)]
                         + [f"dirty_io {k + 1}" for k in range(self.dirty_io)])
        self.assertIn("normal 1: awake; run queue ", heads[0])
        self.assertRegex(heads[1], "normal 2: .*suspended; run queue 0")
        runs = [line for line in lines if line.startswith("  runs ")]
        self.assertEqual(len(runs), 1, runs)
        self.assertTrue(runs[0].startswith(f"  runs {self.puppet} "), runs)
        self.assertTrue(runs[0].endswith(", running"), runs)
        self.assertEqual(lines[lines.index(heads[0]) + 1], runs[0], "it is scheduler 1 that runs it")
        self.assertIn("    last seen in: stuck:hold/1", lines)
        # The caller of the NIF, and what called it.
        self.assertTrue(any(line.startswith("    erl_eval:do_apply/") for line in lines), lines)
        self.assertTrue(any(line.startswith("    puppet:") for line in lines), lines)

    def check_counts(self, parts):
        found = {re.split(r" {2,}|\d", line)[0].strip(): [int(word) for word in re.findall(r"\b\d+\b", line)[:2]]
                 for line in parts["3. Counts and limits"] if " of " in line}
        for name, key in (("processes", "processes"), ("ports", "ports"), ("atoms", "atoms"), ("ETS tables", "ets_tables")):
            self.assertAlmostEqual(found[name][0], self.vitals[key], delta=2, msg=name)
            self.assertEqual(found[name][1], self.vitals[f"{key}_limit"], name)
        self.assertIn("normal schedulers: 2, 1 online", parts["3. Counts and limits"])

    def test_1_the_vm_is_that_of_proc(self):
        self.assertEqual(list(self.parts), ["1. The VM", "2. Schedulers", "3. Counts and limits", "4. Processes",
                                            "5. Stacks of all processes", "6. Memory", "7. ETS tables"])
        for heading in list(self.parts)[:5]:
            self.assertFalse([line for line in self.parts[heading] if "not readable" in line], heading)
        told = {line.split(":")[0]: line.split(":", 1)[1].strip() for line in self.parts["1. The VM"]}
        proc = pathlib.Path(f"/proc/{self.vm.pid}")
        self.assertEqual(told["command line"], (proc / "cmdline").read_text().rstrip("\0").replace("\0", " "))
        self.assertEqual(told["kernel"], os.uname().release)
        self.assertIn(f"OTP {number_of(self.release)} ", told["VM"])
        self.assertTrue(told["VM"].endswith(f", pid {self.vm.pid}"), told["VM"])
        threads = len(list((proc / "task").iterdir()))
        self.assertTrue(told["threads"].startswith(f"{threads} ({threads} T;"), told["threads"])
        self.assertEqual(told["open files"].split()[0], str(len(list((proc / "fd").iterdir()))))

    def test_2_schedulers_counts_and_queues_are_what_the_vm_told(self):
        self.check_schedulers(self.parts)
        self.check_counts(self.parts)
        self.check_queues(self.parts)
        states = [line for line in self.parts["2. Schedulers"] if "; thread " in line]
        self.assertEqual(len(states), 2 + self.dirty_cpu + self.dirty_io)
        for line in states:
            self.assertRegex(line, r"; thread \d+ T( in \w+)?$")

    def test_3_stacks_and_memory_are_those_of_the_other_tools(self):
        self.assertEqual("\n".join(self.parts["5. Stacks of all processes"]).strip(), self.pstack.strip())
        ours, theirs = self.parts["6. Memory"], self.memory.splitlines()
        self.assertEqual(ours[0].split(" resident")[0].split(",")[:3], theirs[0].split(" resident")[0].split(",")[:3])
        self.assertIn("What the resident memory is made of", ours)
        self.assertEqual([line for line in ours if line.startswith("Verdict")],
                         [line for line in theirs if line.startswith("Verdict")])

    def check_running(self, seen_by, *flags):
        """pstack tells the same of the scheduler that is held."""
        result = exporter.run("pstack", "--format=json", *flags, check=True)
        print(result.stdout, result.stderr)
        one, = json.loads(result.stdout)["schedulers"]
        self.assertEqual((one["kind"], one["number"], one["seen_by"]), ("normal", 1, seen_by))
        self.assertEqual((one["process"]["id"], one["process"]["status"]), (self.puppet, "running"))
        frames = [frame["frame"].split("/")[0] for frame in one["frames"]]
        self.assertIn("erl_eval:do_apply", frames)
        return one, frames

    def test_3_pstack_tells_where_the_stopped_nif_is(self):
        one, frames = self.check_running("blocked", f"--target.pid={self.vm.pid}")
        self.assertEqual((one["state"], one["kernel_state"]), ("nif", "T"))
        # The vdso, in which it asks for the time, needs more registers than the kernel tells.
        self.assertTrue({"hold", "... frames left out ..."} & set(frames[:frames.index("stuck:hold")]), frames)

    def test_4_the_file_is_for_its_owner_only(self):
        for before in (None, 0o644):
            path = self.folder / f"hang-{before}.txt"
            if before:
                path.write_text("older and longer than the report" * 10000)
                path.chmod(before)
            result = exporter.run("report", f"--target.pid={self.vm.pid}", f"--output={path}", check=True)
            self.assertEqual(result.stdout, "")
            self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)
            self.check_queues(sections(path.read_text()))

    def test_5_limit_is_for_each_list(self):
        parts = sections(self.report_text(f"--target.pid={self.vm.pid}", "--limit=1"))
        lists = "\n".join(parts["4. Processes"]).split("\n\n")
        self.assertEqual(len([line for line in lists[1].splitlines() if "> " in line and "<0." in line]), 1, lists[1])
        self.assertEqual(len(lists[2].splitlines()), 2, lists[2])

    def test_6_mistakes(self):
        self.assertIn("--format=json", self.refused(f"--target.pid={self.vm.pid}", "--format=json", code=2))
        self.assertIn("needs --core", self.refused("--executable=/bin/ls", code=2))
        self.assertIn("cannot write", self.refused(f"--target.pid={self.vm.pid}", "--output=/proc/no/such", code=1))

    def test_7_the_core_file_tells_the_same(self):
        if missing := core_dump.complaint():
            self.skipTest(missing)
        core = self.dump.take()
        text = self.report_text(f"--core={core}", f"--executable={self.dump.executable}")
        print(text)
        parts = sections(text)
        self.assertEqual(list(parts), list(self.parts))
        self.check_schedulers(parts)
        self.check_counts(parts)
        self.check_queues(parts)
        for heading in ("3. Counts and limits", "4. Processes", "5. Stacks of all processes"):
            self.assertEqual(parts[heading], self.parts[heading])
        self.assertIn(f"from a core:  {core}", parts["1. The VM"])
        for heading in ("1. The VM", "2. Schedulers", "6. Memory"):
            self.assertTrue(any(line.startswith("not readable: ") for line in parts[heading]), heading)
        one, _ = self.check_running("memory", f"--core={core}", f"--executable={self.dump.executable}")
        self.assertEqual(one["last_seen_in"], "stuck:hold/1")
        self.assertFalse({"tid", "kernel_state", "seconds_ago", "state"} & set(one), one)
        self.assertNotIn("; thread ", text)
        self.assertNotIn("Verdict", text)


class RunningProcess(unittest.TestCase):
    """A process that runs while it is read, and does not take its messages."""

    def test_its_queue_is_in_every_report(self):
        with BeamTarget(named(Report.release), "waiting") as vm:
            messages = vm.evaluate("begin Spin = fun(F) -> integer_to_list(erlang:unique_integer()), F(F) end, "
                                   "P = spawn(fun() -> Spin(Spin) end), register(spinner, P), "
                                   "[P ! {tick, N} || N <- lists:seq(1, 50)], "
                                   "element(2, process_info(P, message_queue_len)) end")
            self.assertEqual(messages, 50)
            for _ in range(30):
                text = exporter.run("report", f"--target.pid={vm.pid}", check=True).stdout
                self.assertRegex(text, r"\n {8}50  <0\.\d+\.\d+> spinner\n {12}{tick,\.\.\.}/2 x 50\n", text)


if __name__ == "__main__":
    Report.release = sys.argv.pop(1)
    unittest.main(verbosity=2)
