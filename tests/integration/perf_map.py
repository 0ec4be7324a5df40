"""`beam_exporter perf-map`: the real perf names Erlang functions of a VM that was started without +JPperf.

python3 -m integration.perf_map OTP_RELEASE
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from harness import exporter, processes, requirements
from harness.beam_target import BeamTarget
from harness.erlang_runtime import named
from harness.processes import wait_for
from harness.tool_test import ToolTest


class PerfMap(ToolTest):
    tool, target, arguments, vm_flags = "perf-map", "three_functions", (1,), ("+S", "1")

    @classmethod
    def setUpClass(cls):
        requirements.program("perf")
        super().setUpClass()
        # perf looks in the /tmp of the mount namespace, which for a VM in a chroot is not its own.
        cls.path = pathlib.Path(f"/tmp/perf-{cls.vm.pid}.map")
        cls.addClassCleanup(cls.path.unlink, missing_ok=True)

    def test_the_map_is_the_vms_own_list_of_functions(self):
        self.vm.loaded_functions()  # what tells the list is loaded by telling it
        self.run_tool(f"--output={self.path}")
        mapped, places = set(), []
        for line in self.path.read_text().splitlines():
            begin, size, name = line.split(" ", 2)
            places.append((int(begin, 16), int(size, 16)))
            module, function = name.removeprefix("$").split(":", 1)
            mapped.add((module.removeprefix("Elixir."), function))
        self.assertEqual(mapped ^ self.vm.loaded_functions(), set())
        places.sort()
        self.assertTrue(all(begin + size <= after for (begin, size), (after, _) in zip(places, places[1:])))

    def test_perf_report_and_script_show_erlang_names(self):
        data = self.path.with_suffix(".data")
        self.addCleanup(data.unlink, missing_ok=True)
        self.vm.ask("run")
        subprocess.run(["perf", "record", "-q", "-e", "cpu-clock", "-F", "499", "-p", str(self.vm.pid), "-o", data,
                        "--", "sleep", "3"], check=True, timeout=60)
        timing = self.vm.ask("pause") and self.vm.ask("timing")
        self.run_tool(f"--output={self.path}", f"--recording={data}")
        self.assertIn("already", self.run_tool(f"--output={self.path}", f"--recording={data}").stderr)
        report = subprocess.run(["perf", "report", "-i", data, "--stdio", "--sort", "symbol"], check=True,
                                capture_output=True, text=True, timeout=60, env={**os.environ, "PAGER": "cat"}).stdout
        shares = {name: float(share) for share, name in
                  re.findall(r"^\s+([\d.]+)%\s+\[\.\] \$three_functions:(f\d/2)", report, re.MULTILINE)}
        print(shares, timing)
        whole = sum(timing.values())
        self.assertEqual(set(shares), set(timing))
        for name, share in shares.items():
            # 3 s of a phase of half a second: when they begin and end is what differs.
            self.assertAlmostEqual(share / sum(shares.values()), timing[name] / whole, delta=0.15)
        self.assertGreater(sum(shares.values()), 80)
        script = subprocess.run(["perf", "script", "-i", data], check=True, capture_output=True, text=True,
                                timeout=60).stdout
        self.assertIn("$three_functions:f3/2", script)

    def test_it_is_found_in_the_vms_own_tmp(self):
        said = self.run_tool().stdout
        path = pathlib.Path(said.rsplit(": ", 1)[0])
        self.addCleanup(path.unlink, missing_ok=True)
        self.assertEqual(path, pathlib.Path(f"/proc/{self.vm.pid}/root/tmp/perf-{self.vm.pid}.map"))
        self.assertIn("$three_functions:f1/2", path.read_text())

    def test_follow_names_code_that_is_loaded_later_and_ends_with_the_vm(self):
        with BeamTarget(named(self.release), "idle") as vm:
            folder = tempfile.TemporaryDirectory()
            self.addCleanup(folder.cleanup)
            path = pathlib.Path(folder.name) / "vm.map"
            process = processes.spawn([exporter.BINARY, "perf-map", f"--target.pid={vm.pid}", "--follow",
                                       f"--output={path}"])
            self.addCleanup(processes.reap, process)
            wait_for("the map", path.exists)
            self.assertNotIn("$shop_loaded_later:", path.read_text())
            vm.evaluate('{ok, M, B} = compile:forms([{attribute,1,module,shop_loaded_later},'
                        '{attribute,1,export,[{f,0}]},{function,1,f,0,[{clause,1,[],[],[{atom,1,ok}]}]}]), '
                        'code:load_binary(M, "", B), ok')
            wait_for("the new module", lambda: "$shop_loaded_later:f/0" in path.read_text())
            vm.kill()
            self.assertEqual(process.wait(10), 0)

    def test_mistakes(self):
        result = self.run_tool("--output=/nowhere/x.map", code=1)
        self.assertIn("/nowhere/x.map", result.stderr)
        for name, what in ((__file__, "not a file of perf record"), ("/nowhere", "No such file")):
            self.assertIn(what, self.run_tool(f"--recording={name}", code=1).stderr)
        result = exporter.run("perf-map", f"--target.pid={os.getpid()}")
        self.assertEqual((result.returncode, len(result.stderr.splitlines())), (1, 1), result.stderr)


if __name__ == "__main__":
    PerfMap.release = sys.argv.pop(1)
    unittest.main(verbosity=2)
