"""A function becomes hot while Prometheus scrapes: increase() shows all of its seconds.

python3 -m integration.series_begin
"""

import time
import unittest

from harness import proc
from harness.beam_target import BeamTarget
from harness.erlang_runtime import installed
from harness.exporter import Exporter
from harness.processes import wait_for
from harness.prometheus_server import Prometheus

SECONDS = 6
WORK = '{module="three_functions", function=~"f[123]/2"}'
FAMILIES = ("beam_function_cpu_seconds_total", "beam_function_inclusive_cpu_seconds_total")


class SeriesBegin(unittest.TestCase):
    def test_increase_has_all_seconds_of_a_function_that_becomes_hot(self):
        with BeamTarget(installed(), "three_functions", 1, flags=("+S", "1")) as vm, \
                Exporter(f"--target.pid={vm.pid}", "--sampling.frequency=999") as exporter, \
                Prometheus(exporter.url.removeprefix("http://")) as prometheus:
            exporter.settled({"three_functions"})
            wait_for("a scrape", lambda: prometheus.query("beam_up == 1"))
            began, used = time.time(), sum(proc.cpu_seconds(vm.pid))
            vm.ask("run")
            time.sleep(SECONDS)
            vm.ask("pause")
            used = sum(proc.cpu_seconds(vm.pid)) - used
            last = exporter.settled({"three_functions"})
            series = {}
            for family in FAMILIES:
                wait_for(f"the last of {family}", lambda: sum(
                    value for _, value in prometheus.query(family + WORK)) == sum(
                        last.value(family, module="three_functions", function=f"f{k}/2") for k in (1, 2, 3)))
                series[family] = prometheus.query_range(family + WORK, began - 5, time.time(), 1)
            seen, = prometheus.query(f"sum(increase({FAMILIES[0]}{WORK}[{time.time() - began + 5:.0f}s]))")
        for family, all_values in series.items():
            gained = 0
            for labels, values in all_values:
                print(family, labels["function"], values[0][1], values[-1][1])
                self.assertEqual(values[0][1], 0, "a series is first seen at 0")
                gained += values[-1][1]
            print(f"{family}: {gained:.2f} s, the kernel says {used:.2f} s, increase() {seen[1]:.2f} s")
            # The VM does a little else, and each function is off by a sample.
            self.assertAlmostEqual(gained, used, delta=0.05 * used + 0.1)
        self.assertAlmostEqual(seen[1], used, delta=0.15 * used + 0.1)

    def test_who_polls_first_sees_0_and_then_all(self):
        with BeamTarget(installed(), "three_functions", 1, flags=("+S", "1")) as vm, \
                Exporter(f"--target.pid={vm.pid}") as exporter:
            exporter.scrape()
            vm.ask("run")
            first = exporter.await_scrape("a first sight", lambda s: s.samples(FAMILIES[0], function="f1/2"))
            self.assertEqual(first.value(FAMILIES[0], module="three_functions", function="f1/2"), 0)
            exporter.await_scrape("its value", lambda s: s.value(
                FAMILIES[0], module="three_functions", function="f1/2") > 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
