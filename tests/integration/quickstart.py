"""deploy/quickstart.sh, started in another folder, prints a summary with the demo's functions and leaves nothing behind."""

import os
import pathlib
import re
import signal
import subprocess
import tempfile
import unittest

from harness.beam_target import BeamTarget
from harness.erlang_runtime import installed
from harness.processes import REPO, LineReader, reap, spawn, wait_for
from harness.prometheus_server import PrometheusApi

SCRIPT = REPO / "deploy" / "quickstart.sh"
# Shares of the demo's CPU time by design (deploy/demo/shop.erl): pricing 30 of 95, search 20 of 95.
PRICING = re.compile(r"^ *([\d.]+)% +[\d.]+  shop_pricing:quote/2$", re.MULTILINE)


def in_session(session):
    """The commands of the processes that still live in this session."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rsplit(")", 1)[1].split()
            if int(fields[3]) == session and fields[0] != "Z":
                found.append((folder / "comm").read_text().strip())
        except OSError:
            pass
    return found


class Quickstart(unittest.TestCase):
    def run_to_its_end(self, *arguments):
        with tempfile.TemporaryDirectory() as elsewhere:
            script = spawn([SCRIPT, *arguments], cwd=elsewhere, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True)
            self.addCleanup(reap, script)
            output, _ = script.communicate(timeout=400)
        print(output)
        self.assertEqual(in_session(script.pid), [])
        return script.returncode, output

    def test_demo_twice(self):
        for _ in range(2):
            code, output = self.run_to_its_end("--seconds", "8")
            self.assertEqual(code, 0)
            self.assertRegex(output, r"http://127\.0\.0\.1:\d+/metrics")
            self.assertAlmostEqual(float(PRICING.search(output)[1]), 100 * 30 / 95, delta=12)  # see demo.py
            for module in ("shop_search:", "shop_fraud:", "shop_sessions:|crypto:", "shop_events:"):
                self.assertRegex(output, module)

    def test_own_target(self):
        with BeamTarget(installed(), "three_functions", 1) as vm:
            vm.ask("run")
            code, output = self.run_to_its_end(f"--target.pid={vm.pid}", "--seconds=4")
            self.assertTrue(vm.alive())
        self.assertEqual(code, 0)
        self.assertRegex(output, "three_functions:f3/2")
        self.assertNotIn("shop_", output)

    def run_until(self, pattern, *arguments):
        """(the running script, the match of the first such line)"""
        script = spawn([SCRIPT, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                       text=True)
        self.addCleanup(reap, script)
        return script, LineReader(script.stdout).find(re.compile(pattern).search, timeout=400)[1]

    def interrupt(self, script):
        os.killpg(script.pid, signal.SIGINT)  # what Ctrl-C does
        self.assertEqual(script.wait(30), 130)
        wait_for("every process of the quickstart ended", lambda: not in_session(script.pid))

    def test_with_prometheus(self):
        script, found = self.run_until(r"Prometheus: (http://[\d.:]+)/.*alerts: (http://[\d.:]+)/", "--prometheus")
        prometheus = PrometheusApi(found[1])

        def rules():
            return [rule for group in prometheus.ask("rules")["groups"] for rule in group["rules"]]

        wait_for("the demo's functions have rates", lambda: prometheus.query(
            "rate(beam_function_cpu_seconds_total{module='shop_pricing'}[30s]) > 0"), timeout=60)
        self.assertEqual([one["url"] for one in prometheus.ask("alertmanagers")["activeAlertmanagers"]],
                         [found[2] + "/api/v2/alerts"])
        self.assertIn("BeamFragmentationHigh", [rule["name"] for rule in rules()])
        wait_for("each rule has been evaluated", lambda: all(rule["health"] == "ok" for rule in rules()), timeout=60)
        self.interrupt(script)

    def test_configurations_are_sound(self):
        for program, file in (("promtool", "prometheus.yml"), ("amtool", "alertmanager.yml")):
            check = ["check", "config"] if program == "promtool" else ["check-config"]
            subprocess.run([program, *check, REPO / "config" / file], check=True, stdout=subprocess.DEVNULL)

    def test_interrupt_cleans_up(self):
        self.interrupt(self.run_until("^top: .*shop_")[0])

    def test_wrong_arguments(self):
        for arguments in (("--seconds", "soon"), ("--no-such-thing",), ("--target.pid",)):
            code, output = self.run_to_its_end(*arguments)
            self.assertEqual(code, 2, output)


if __name__ == "__main__":
    unittest.main(verbosity=2)
