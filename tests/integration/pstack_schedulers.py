"""`beam_exporter pstack`: what each scheduler runs is what the VM was told to run there.

python3 -m integration.pstack_schedulers OTP_RELEASE
"""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import unittest

from harness import exporter, nif, proc, refused_calls, requirements
from harness.beam_target import BeamTarget
from harness.erlang_runtime import named, number_of
from harness.processes import reap, spawn, wait_for
from harness.tool_test import ToolTest

SCHEDULERS = 4
# KIND: the scheduler (0: the VM chooses a dirty one), its kind, the state, the frames on top, innermost first.
WORK = {
    "erlang": (2, "normal", "emulator", ["pinned:spin/1"]),
    "bif": (3, "normal", "bif", ["lists_member_2", "lists:member/2", "pinned:search/1"]),
    "dirty_burn": (0, "dirty_cpu", "nif", ["burn_for_ever", "pinned:dirty_burn/0"]),
    "dirty_wait": (0, "dirty_io", "nif", ["sleep_for_ever", "pinned:dirty_wait/0"]),
    "wait": (4, "normal", "nif", ["sleep_for_ever", "pinned:wait/0"]),
}
OFF_CPU = {"wait", "dirty_wait"}
SAMPLING = ("perf_event_open", "bpf")


class Pinned(ToolTest):
    """A VM whose schedulers do known work for ever."""

    tool, target = "pstack", "pinned"
    # Of two dirty CPU schedulers one is held, and the other collects the large heap of the work with a BIF.
    vm_flags = ("+S", f"{SCHEDULERS}:{SCHEDULERS}", "+SDcpu", "2:2")

    @classmethod
    def setUpClass(cls):
        runtime = named(cls.release)
        cls.arguments = (runtime.prepare(),)
        nif.compile_into(runtime.outside(), "pinned_nif", runtime=runtime)
        super().setUpClass()

    def schedulers(self, *flags, **options):
        return json.loads(self.run_tool("--format=json", *flags, **options).stdout)["schedulers"]


def name_of(scheduler):
    return scheduler.get("process", {}).get("name")


def functions(scheduler):
    return [frame["frame"].split(" (")[0] for frame in scheduler["frames"]]


class KnownWork(Pinned):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.pids = {kind: cls.vm.ask(f"start {kind} {at[0]} {kind}_worker") for kind, at in WORK.items()}
        cls.vm.send("go")

    def working(self, *flags, wanted=lambda kind, scheduler: True, **options):
        """{KIND: scheduler} as soon as one look saw all the work and nothing else, and each as it is wanted. The VM
        has a little work of its own from time to time, and a sample may be of the moment between two slices."""

        def seen():
            workers = {name_of(scheduler): scheduler for scheduler in self.schedulers(*flags, **options) if scheduler["runs"]}
            return set(workers) == {f"{kind}_worker" for kind in WORK} and all(
                wanted(kind, workers[f"{kind}_worker"]) for kind in WORK) and workers

        workers = wait_for("exactly the work that was begun", seen, 60)
        return {kind: workers[f"{kind}_worker"] for kind in WORK}

    def has_frames(self, kind, scheduler):
        frames, places = functions(scheduler), []
        for frame in WORK[kind][3]:
            if frame not in frames:
                return False
            places.append(frames.index(frame))
        return places == sorted(places)

    def check(self, kind, scheduler, off_cpu=OFF_CPU):
        number, thread, state, _ = WORK[kind]
        self.assertEqual((scheduler["kind"], scheduler["state"]), (thread, state))
        if number:
            self.assertEqual(scheduler["number"], number)
        self.assertEqual(scheduler["process"], {"id": self.pids[kind], "name": f"{kind}_worker", "status": "running"})
        self.assertEqual(scheduler["seen_by"], "blocked" if kind in off_cpu else "sample")
        names = pathlib.Path(f"/proc/{self.vm.pid}/task/{scheduler['tid']}/comm").read_text().strip()
        word = {"normal": "scheduler|erts_sched", "dirty_cpu": "dirty_cpu|dcpu", "dirty_io": "dirty_io|dios"}[thread]
        self.assertRegex(names, word)
        self.assertRegex(names, rf"(^|_){scheduler['number']}(_|$)")
        self.assertEqual(functions(scheduler)[-1], "pinned:outer/2")
        self.assertRegex(scheduler["frames"][-1]["frame"], r"^pinned:outer/2 \(.*pinned\.erl:\d+\)$")

    def test_each_scheduler_tells_its_work(self):
        for kind, scheduler in self.working(wanted=self.has_frames).items():
            self.check(kind, scheduler)
            # The work is there as long as the look lasts.
            self.assertGreater(scheduler["for_seconds"], 0)
            kinds = [frame["kind"] for frame in scheduler["frames"]]
            self.assertEqual(kinds, sorted(kinds, key=["native", "bif", "nif", "erlang"].index))
        line = next(number for number, text in enumerate(
            (pathlib.Path(__file__).parents[1] / "targets/pinned.erl").read_text().splitlines(), 1) if "    work(Kind)," in text)
        self.assertIn(f"pinned.erl:{line})", scheduler["frames"][-1]["frame"])

    def test_as_text(self):
        def complete():
            text = self.run_tool().stdout
            return f": 3 of {SCHEDULERS} normal, 1 of " in text and "spin/1" in text and text

        text = wait_for("exactly three normal schedulers at work", complete, 60)
        self.assertRegex(text, rf"(?m)^normal 2 \(thread \d+\): {self.pids['erlang']} erlang_worker, running, state emulator")
        self.assertRegex(text, rf"(?m)^normal 4 \(thread \d+\): {self.pids['wait']} wait_worker, running, state nif, off the CPU \(S")
        self.assertRegex(text, r"(?m)^    sleep_for_ever\n")
        self.assertRegex(text, r"(?m)^    pinned:outer/2 \(.*pinned\.erl:\d+\)$")
        self.assertNotIn("idle", text)

    def test_only_erlang_has_no_c_function(self):
        for kind, scheduler in self.working("--only-erlang").items():
            self.assertLessEqual({frame["kind"] for frame in scheduler["frames"]}, {"erlang", "bif", "nif"})
            self.assertEqual(functions(scheduler)[-1], "pinned:outer/2")

    def test_idle_schedulers_are_idle(self):
        def first_is_idle():
            told = {(one["kind"], one["number"]): one for one in self.schedulers("--all-schedulers")}
            one = told["normal", 1]
            # It may just have been woken, and wait for a CPU; or wake and sleep again while its stack is read.
            return (not one["runs"] and "waiting" in one["sleep_flags"] and one["kernel_state"] == "S" and one["frames"]
                    and told)

        told = wait_for("scheduler 1 sleeps", first_is_idle, 60)
        dirty_cpu = {number for kind, number in told if kind == "dirty_cpu"}
        self.assertEqual(sorted(number for kind, number in told if kind == "normal"), [1, 2, 3, 4])
        self.assertEqual(sum(told["dirty_cpu", number]["runs"] for number in dirty_cpu), 1)
        idle = told["normal", 1]
        self.assertNotIn("process", idle)
        self.assertEqual(idle["seen_by"], "none")
        self.assertIn("erts_schedule", functions(idle))

    def test_a_stopped_vm_tells_the_same(self):
        def stopped():
            self.vm.signal(signal.SIGSTOP)
            try:
                wait_for("it is stopped", lambda: all(
                    (task / "stat").read_text().rsplit(")", 1)[1].split()[0] == "T"
                    for task in pathlib.Path(f"/proc/{self.vm.pid}/task").iterdir()))
                told = {name_of(one): one for one in self.schedulers()}
            finally:
                self.vm.signal(signal.SIGCONT)
            # It may have stopped between two slices of a process, or where the stack pointer is in no known register.
            return all(f"{kind}_worker" in told and functions(told[f"{kind}_worker"])[-1] == "pinned:outer/2"
                       for kind in WORK) and told

        told = wait_for("all work in a VM that was stopped", stopped, 60)
        for kind in WORK:
            scheduler = told[f"{kind}_worker"]
            self.assertEqual((scheduler["process"]["id"], scheduler["seen_by"]), (self.pids[kind], "blocked"))
            self.assertEqual(scheduler["kernel_state"], "T")
        for kind in ("dirty_burn", "dirty_wait", "wait"):
            self.assertTrue(self.has_frames(kind, told[f"{kind}_worker"]), kind)

    def test_without_the_right_to_sample_memory_tells(self):
        prefix = refused_calls.prefix(*SAMPLING)
        result = self.run_tool("--format=json", prefix=prefix)
        line, = result.stderr.splitlines()
        self.assertIn("no CPU sampling: ", line)
        self.assertIn("seccomp", line)
        told = json.loads(result.stdout)
        self.assertFalse(told["sampled"])
        # While it waits for its next slice it was last seen in the function that gave the scheduler up.
        seen = self.working(prefix=prefix, wanted=lambda kind, scheduler: kind != "bif" or
                            scheduler.get("last_seen_in") == "lists:member/2")
        for kind, scheduler in seen.items():
            self.assertEqual(scheduler["process"]["id"], self.pids[kind])
            self.assertEqual(scheduler["seen_by"], "blocked" if kind in OFF_CPU else "memory")
        self.assertEqual(seen["dirty_burn"]["last_seen_in"], "pinned:dirty_burn/0")
        self.assertTrue(self.has_frames("wait", seen["wait"]))
        self.assertIn("No samples", self.run_tool(prefix=prefix).stdout)

    def test_wait_ends_with_what_was_seen(self):
        """Scheduler 1 has hardly any work: the wait for it ends by its bound, by Ctrl-C, or because the VM did some."""
        result = self.run_tool("--wait", "--duration=1", "--format=json")
        told = json.loads(result.stdout)["schedulers"]
        self.assertLessEqual({f"{kind}_worker" for kind in WORK}, {name_of(one) for one in told})
        all_seen = any((one["kind"], one["number"]) == ("normal", 1) and one["seen_by"] != "memory" for one in told)
        self.assertEqual(result.stderr == "", all_seen, result.stderr)


class Labels(Pinned):
    def test_a_process_without_a_name_has_its_label_or_its_first_function(self):
        pid = self.vm.ask("label erlang 2 a_label")
        self.vm.send("go")

        def seen():
            return next((one["process"] for one in self.schedulers()
                         if (one["kind"], one["number"]) == ("normal", 2) and one.get("process", {}).get("id") == pid), None)

        name = "erlang:apply/2" if number_of(self.release) < 27 else "a_label"
        self.assertEqual(wait_for("scheduler 2 works", seen), {"id": pid, "name": name, "status": "running"})


class Wait(Pinned):
    def test_wait_sees_a_load_that_moves_between_schedulers(self):
        self.vm.ask("tour")
        told = {one["number"]: one for one in self.schedulers("--wait") if one["kind"] == "normal" and one["runs"]}
        self.assertEqual(sorted(told), [1, 2, 3, 4])
        # The VM's own processes may have worked on one of them last.
        on_tour = [number for number in told if "pinned:stop_of_tour/2" in functions(told[number])]
        self.assertGreaterEqual(len(on_tour), 3, told)


class Ends(Pinned):
    # More than the VM's own work wakes while a test waits.
    vm_flags = ("+S", "8:8")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.pid = cls.vm.ask("start burn 2 burner")
        cls.vm.send("go")

    def begun(self, *flags):
        """Waits for a scheduler that never works: it has samples of the others when this returns."""
        tool = spawn([exporter.BINARY, "pstack", f"--target.pid={self.vm.pid}", "--format=json", "--wait", *flags],
                     stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(reap, tool)
        wait_for("it samples", lambda: any(re.search("perf_event|bpf", file) for _, file in proc.opened(tool.pid)), 60)
        self.await_cpu_time(1.0)
        return tool

    def await_cpu_time(self, seconds):
        def used():
            times = pathlib.Path(f"/proc/{self.vm.pid}/stat").read_text().rsplit(")", 1)[1].split()
            return (int(times[11]) + int(times[12])) / os.sysconf("SC_CLK_TCK")

        began = used()
        wait_for("the VM works", lambda: used() - began >= seconds, 60)

    def check(self, tool, code, complaints):
        out, err = tool.communicate(timeout=60)
        print(out[:1500], err)
        self.assertEqual((tool.returncode, len(err.splitlines())), (code, complaints), err)
        told = json.loads(out)
        burning = next(one for one in told["schedulers"] if (one["kind"], one["number"]) == ("normal", 2))
        self.assertEqual(burning["process"], {"id": self.pid, "name": "burner", "status": "running"})
        self.assertEqual(functions(burning)[0], "burn_for_ever")
        self.assertEqual(functions(burning)[-2:], ["pinned:burn/0", "pinned:outer/2"])
        return told, err

    def test_1_ctrl_c_ends_it_with_what_was_seen(self):
        tool = self.begun()
        tool.send_signal(signal.SIGINT)
        told, err = self.check(tool, 0, 1)
        self.assertFalse(told["ended_early"])
        self.assertIn("not every scheduler", err)

    def test_2_the_end_of_the_vm_ends_it_with_what_was_seen(self):
        tool = self.begun()
        self.vm.kill()
        told, err = self.check(tool, 1, 1)
        self.assertTrue(told["ended_early"])
        self.assertIn("the VM ended meanwhile", err)

    def test_3_mistakes(self):
        for code, flags in ((2, ("--processes", "--process=init")), (2, ("--processes", "--wait")), (2, ("--duration=5",)),
                            (2, ("--process=init", "--all-schedulers")), (2, ("--wait", "--core=none")),
                            (1, ("--target.pid=4194304",))):
            result = exporter.run("pstack", *flags)
            self.assertEqual((result.returncode, result.stdout, len(result.stderr.splitlines())), (code, "", 1), result)


if __name__ == "__main__":
    Pinned.release = sys.argv.pop(1)
    unittest.main(verbosity=2)
