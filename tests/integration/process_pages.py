"""/debug/pprof/processes and /debug/pprof/heap of a serving exporter, against the VM's own account of each process.

python3 -m integration.process_pages OTP_RELEASE
"""

import collections
import concurrent.futures
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import unittest

from harness import exporter, requirements
from harness.beam_target import BeamTarget
from harness.erlang_runtime import named
from harness.exposition import get
from harness.processes import wait_for
from harness.tool_test import ToolTest

# Status, bytes of heap, registered name and stack of each process but the one that answers.
ACCOUNT = ("[begin [{_, S}, {_, T}, {_, H}, N] = process_info(P, [status, current_stacktrace, total_heap_size,"
           " registered_name]), [S, 8 * H, case N of {_, []} -> <<>>; {_, A} -> atom_to_binary(A) end,"
           " [iolist_to_binary(io_lib:format(\"~ts:~ts/~b\", [M, F, X])) || {M, F, X, _} <- T]]"
           " end || P <- processes(), P =/= self()]")


class Figures:
    """Of a profile as `go tool pprof -raw` prints it: {(status, name, stack): [values]}, with unlike depth in one."""

    def __init__(self, raw):
        locations = {}
        for line in raw.split("\nLocations\n")[1].splitlines():
            if match := re.match(r"\s+(\d+): 0x0 (?:M=\d+ )?(\S+) ", line):
                locations[match[1]] = match[2]
        head, samples = raw.split("\nLocations\n")[0].split("\nSamples:\n")
        self.head = head
        lines = samples.splitlines()
        self.types = lines[0].split()
        self.samples = []
        for line in lines[1:]:
            if match := re.match(r"\s+([\d ]+): ([\d ]*)$", line):
                values = [int(value) for value in match[1].split()]
                self.samples.append([values, tuple(locations[one] for one in match[2].split()), {}])
            else:
                self.samples[-1][2].update(re.findall(r"(\w+):\[([^\]]*)\]", line))

    def total(self, place):
        return sum(values[place] for values, _, _ in self.samples)

    def by_group(self):
        """As the VM's account: 8 frames at most, and no frame that we make up."""
        groups = collections.defaultdict(collections.Counter)
        for values, stack, labels in self.samples:
            if "[frames" in stack:
                stack = stack[:stack.index("[frames")]
            stack = () if stack and stack[0] == "[hibernating]" else stack[:8]
            group = groups[labels["status"], labels.get("process", ""), stack]
            group.update(dict(enumerate(values)))
        return groups


class ProcessPages(ToolTest):
    target, vm_flags = "waiting", ("+S", "1")

    @classmethod
    def setUpClass(cls):
        requirements.program("go")
        super().setUpClass()
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        for kind, many in (("receive", 300), ("call", 20), ("deep", 7), ("hibernate", 50), ("suspended", 5)):
            cls.vm.ask(f"spawn {kind} {many}")
        # Messages in heap fragments, and a large heap.
        cls.vm.evaluate("register(shop, spawn(fun() -> waiting:in_receive(lists:seq(1, 100000)) end)),"
                        "[shop ! lists:seq(1, 50) || _ <- lists:seq(1, 400)], ok")
        watching = exporter.Exporter(f"--target.pid={cls.vm.pid}")
        cls.watching = cls.enterClassContext(watching)
        watching.await_up()

    def page(self, path):
        status, body = get(self.watching.url + path)
        self.assertEqual(status, 200, body)
        return body

    def pprof(self, body, *flags):
        output = self.folder / "page.pb.gz"
        output.write_bytes(body)
        return subprocess.run(["go", "tool", "pprof", *flags, str(output)], capture_output=True, text=True, timeout=60,
                              check=True).stdout

    def figures(self, path):
        return Figures(self.pprof(self.page(path), "-raw"))

    def test_both_pages_are_the_vms_own_account(self):
        truth = collections.defaultdict(collections.Counter)
        for status, heap, name, stack in self.vm.evaluate(ACCOUNT):
            truth[status, name, tuple(stack)].update({0: 1, 1: heap})
        for path, values in (("/debug/pprof/processes", 1), ("/debug/pprof/heap", 2)):
            figures = self.figures(path)
            self.assertEqual(figures.types[0].split("[")[0], "processes/count")
            self.assertEqual(len(figures.types), values)
            ours, differing = figures.by_group(), 0
            for group, theirs in truth.items():
                expected = {place: theirs[place] for place in range(values)}
                if dict(ours[group]) == expected:
                    continue
                print(path, "differs:", group, expected, dict(ours[group]))
                # All that stands still must be the same.
                self.assertFalse(any("waiting:" in frame for frame in group[2]) or group[1] == "shop")
                differing += theirs[0]
            self.assertLessEqual(differing, 4)
            self.assertAlmostEqual(figures.total(0), sum(theirs[0] for theirs in truth.values()), delta=2)
            statuses = collections.Counter()
            for (status, _, _), ours in ours.items():
                statuses[status] += ours[0]
            self.assertEqual(statuses["suspended"], 5)
        self.assertGreater(self.figures("/debug/pprof/heap").by_group()["waiting", "shop", ("waiting:in_receive/1",)][1],
                           100000 * 16)

    def test_readers_of_others_and_the_text_have_the_same_totals(self):
        for path, shown in (("/debug/pprof/processes", "processes"), ("/debug/pprof/heap", "heap")):
            body = self.page(path)
            figures = Figures(self.pprof(body, "-raw"))
            top = self.pprof(body, "-top", "-cum", f"-sample_index={shown}", "-nodecount=100")
            print(top[:600])
            self.assertIn("waiting:in_receive/1", top)
            self.assertIn(f"Type: {shown}", self.pprof(body, "-top"), "shown without being asked for")
            self.assertRegex(self.pprof(body, "-tags"), "status: ")
            self.assertIn("waiting:in_receive/1", self.pprof(body, "-traces"))
            text = self.page(path + "?debug=1").decode()
            whole = int(re.match(r"(\d+) processes, ", text)[1])
            self.assertAlmostEqual(whole, figures.total(0), delta=2)
            groups = [int(number) for number in re.findall(r"^(\d+) processes", text, re.MULTILINE)[1:]]
            hidden = sum(int(number) for number in re.findall(r"(\d+) (?:running|without)", text.splitlines()[0]))
            self.assertEqual(sum(groups) + hidden, whole)
            if shown == "processes":
                self.assertEqual(groups, sorted(groups, reverse=True))
                self.assertIn("\n306 processes\n    waiting:in_receive/1 (", text)
            else:
                heaps = [int(number) for number in re.findall(r"^\d+ processes, (\d+) bytes of heap", text, re.MULTILINE)]
                self.assertEqual(heaps, sorted(heaps, reverse=True))
                self.assertEqual(len(heaps), len(groups))
        index = self.page("/debug/pprof/").decode()
        for line in ("processes ", "heap ", "profile?seconds=N"):
            self.assertIn(line, index)

    def test_who_waits_for_the_scheduler_is_runnable(self):
        with BeamTarget(named(self.release), "waiting", flags=("+S", "1")) as vm, \
                exporter.Exporter(f"--target.pid={vm.pid}") as watching:
            watching.await_up()
            vm.ask("spawn spin 3")
            found = collections.Counter()

            def one_waits():
                # One that is scheduled while it is read is left out.
                status, body = get(watching.url + "/debug/pprof/processes")
                self.assertEqual(status, 200, body)
                for values, stack, labels in Figures(self.pprof(body, "-raw")).samples:
                    if stack[-1] == "waiting:spin/1" or stack == ("[running]",):
                        found[labels["status"]] += values[0]
                return found["runnable"]

            wait_for("a process that waits for the scheduler", one_waits)
            print(found)
            self.assertLessEqual(set(found), {"running", "runnable"})
            # Stopped, it is read as well.
            vm.signal(signal.SIGSTOP)
            self.assertEqual(get(watching.url + "/debug/pprof/heap")[0], 200)
            vm.signal(signal.SIGCONT)
            vm.kill()
            watching.await_up(0)
            self.assertEqual(get(watching.url + "/debug/pprof/heap")[0], 503)

    def test_many_at_once(self):
        with concurrent.futures.ThreadPoolExecutor(12) as pool:
            answers = list(pool.map(get, [self.watching.url + "/debug/pprof/processes"] * 60))
        statuses = collections.Counter(status for status, _ in answers)
        print(statuses)
        self.assertGreater(statuses[200], 0)
        self.assertLessEqual(set(statuses), {200, 429})
        self.assertEqual(get(self.watching.url + "/debug/pprof/heap?debug=7")[0], 400)


if __name__ == "__main__":
    ProcessPages.release = sys.argv.pop(1)
    unittest.main(verbosity=2)
