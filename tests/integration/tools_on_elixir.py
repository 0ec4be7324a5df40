"""The tools beside an Elixir program: names are as its authors write them.

python3 -m integration.tools_on_elixir
"""

import json
import pathlib
import subprocess
import tempfile
import unittest

from harness import exporter, requirements
from harness.erlang_runtime import TARGETS
from harness.exporter import Exporter
from harness.processes import LineReader, reap, spawn
from harness.watched_vm import FAST_SNAPSHOTS


class ToolsOnElixir(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        requirements.may_sample()
        requirements.program("elixir")
        process = spawn(["elixir", TARGETS / "elixir_shop.exs"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        cls.addClassCleanup(reap, process)
        _, pid = LineReader(process.stdout).find(lambda line: line.startswith("ready ") and line.split()[1], 0, 60)
        cls.pid = int(pid)

    def told(self, tool, *flags):
        result = exporter.run(tool, f"--target.pid={self.pid}", "--format=json", *flags)
        print(result.stdout[:800], result.stderr, sep="", end="")
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def test_profile_names_functions_as_elixir_does(self):
        rows = {row["function"]: row for row in self.told("profile", "--duration=3", "--frequency=499", "--limit=1000")["functions"]}
        self.assertGreater(rows["Shop.Worker.loop!/1"]["inclusive"], 0.5)
        self.assertGreater(rows["Enum.reduce_range/5"]["self"], 0.3)
        self.assertFalse([name for name in rows if "Elixir." in name])

    def test_flame_graph_and_pprof_have_the_same_names(self):
        with tempfile.TemporaryDirectory() as folder:
            for kind in ("svg", "folded"):
                result = exporter.run("profile", f"--target.pid={self.pid}", "--duration=1", f"--output={folder}/x.{kind}")
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertIn("Shop.Worker.loop!/1", pathlib.Path(folder, f"x.{kind}").read_text())
            self.assertIn('data-name="Shop.Worker.loop!/1" data-kind="erlang" data-app="Shop"', pathlib.Path(folder, "x.svg").read_text())

    def test_pstack_shows_where_the_idle_process_waits_with_its_line(self):
        stacks = self.told("pstack", "--processes", "--limit=1000")["stacks"]
        self.assertTrue(any("elixir_shop.exs:" in frame for stack in stacks for frame in stack["frames"]), stacks)
        self.assertTrue(any(stack["frames"][0].startswith("gen_server:loop/7") for stack in stacks), stacks)

    def test_heap_tells_the_process_by_its_module(self):
        rows = {row["name"]: row for row in self.told("heap", "--limit=1000")["largest"]}
        self.assertIn("Shop.Idle", rows)
        self.assertIn("busy_worker", rows)
        # 20,000 lists of 10 elements, each of two words.
        self.assertGreater(rows["Shop.Stock"]["heap_bytes"], 8 * 20_000 * 20)

    def test_top_and_coverage_have_the_same_names(self):
        rows = self.told("top", "--duration=2", "--interval=2", "--inclusive")["functions"]
        self.assertIn("Shop.Worker.loop!/1", [row["function"] for row in rows[:10]])
        source, = self.told("coverage", "--duration=2", "--module=Shop.Worker")["sources"]
        self.assertTrue(source["source"].endswith("elixir_shop.exs"))
        self.assertGreater(source["lines_seen"], 0)

    def test_metrics_have_the_same_names(self):
        with Exporter(f"--target.pid={self.pid}", settings=FAST_SNAPSHOTS) as watching:
            watching.await_up()
            watching.await_scrape("the worker", lambda scrape: ("Shop.Worker", "loop!/1") in scrape.functions(
                "beam_function_inclusive_cpu_seconds_total"))
            watching.await_scrape("the stock", lambda scrape: scrape.value("beam_process_heap_bytes_top", process="Shop.Stock"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
