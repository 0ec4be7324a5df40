"""Debian's Prometheus scrapes the exporter for a minute; promtool and the OpenMetrics parser read the page too."""

import subprocess
import time
import unittest

from harness import proc
from harness.beam_target import BeamTarget
from harness.erlang_runtime import installed
from harness.exporter import Exporter
from harness.exposition import OPENMETRICS, TEXT, Exposition
from harness.processes import wait_for
from harness.prometheus_server import Prometheus

RATE = 'sum by (function) (rate(beam_function_cpu_seconds_total{module="three_functions"}[30s]))'


class RealPrometheus(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.vm = BeamTarget(installed(), "three_functions", 1, flags=("+S", "1"))
        cls.addClassCleanup(cls.vm.kill)
        cls.exporter = Exporter(f"--target.pid={cls.vm.pid}")
        cls.addClassCleanup(cls.exporter.__exit__, None)
        cls.exporter.await_up()
        cls.vm.ask("run")

    def test_a_minute_of_scrapes_answers_rate(self):
        with Prometheus(self.exporter.url.removeprefix("http://")) as prometheus:
            wait_for("the first scrape", lambda: prometheus.query("up == 1"))
            time.sleep(30)
            cpu, began = sum(proc.cpu_seconds(self.vm.pid)), time.monotonic()
            time.sleep(30)
            cores = (sum(proc.cpu_seconds(self.vm.pid)) - cpu) / (time.monotonic() - began)
            self.assertEqual(prometheus.query("min_over_time(up[55s])")[0][1], 1)
            target, = prometheus.targets()
            self.assertEqual((target["health"], target["lastError"]), ("up", ""))
            rates = {labels["function"]: value for labels, value in prometheus.query(RATE)}
            plain = prometheus.query("rate(beam_function_cpu_seconds_total[30s])")
            self.assertGreater(len(plain), 2)
        print(f"{rates}; the kernel says {cores:.3f} cores")
        self.assertEqual(set(rates), {"f1/2", "f2/2", "f3/2"})
        self.assertTrue(all(value > 0 for value in rates.values()))
        self.assertAlmostEqual(sum(rates.values()), cores, delta=0.1 * cores)

    def test_promtool_has_no_complaint(self):
        status, headers, body = self.exporter.get("/metrics", TEXT)
        self.assertEqual(status, 200)
        self.assertTrue(headers["Content-Type"].startswith("text/plain; version=0.0.4"), headers["Content-Type"])
        checked = subprocess.run(["promtool", "check", "metrics"], input=body, capture_output=True, text=True)
        self.assertEqual((checked.returncode, checked.stdout, checked.stderr), (0, "", ""))

    def test_both_formats_say_the_same(self):
        _, headers, openmetrics = self.exporter.get("/metrics", OPENMETRICS)
        self.assertTrue(headers["Content-Type"].startswith("application/openmetrics-text; version=1.0.0"),
                        headers["Content-Type"])
        self.assertTrue(openmetrics.endswith("# EOF\n"))
        _, _, text = self.exporter.get("/metrics", TEXT)
        strict, plain = Exposition(openmetrics), Exposition(text, openmetrics=False)
        for name in ("beam_up", "beam_vm_info", "beam_function_cpu_seconds_total",
                     "beam_function_inclusive_cpu_seconds_total", "beam_scheduler_state_seconds_total",
                     "beam_samples_total", "beam_samples_lost_total", "beam_samples_unattributed_total",
                     "beam_sample_skid_seconds_bucket", "beam_target_restarts_total", "beam_vm_cpu_seconds_total",
                     "beam_exporter_build_info", "process_cpu_seconds_total", "process_resident_memory_bytes"):
            self.assertTrue(strict.samples(name), f"{name} is missing from OpenMetrics")
            self.assertTrue(plain.samples(name), f"{name} is missing from text 0.0.4")


if __name__ == "__main__":
    unittest.main(verbosity=2)
