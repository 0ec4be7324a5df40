"""Every query of every dashboard and rule returns data from a real Prometheus that scrapes a real VM.

python3 -m integration.dashboards

Each query runs twice, for two jobs that scrape the same VM: without a pod, and with the labels that a PodMonitor adds.
"""

import math
import re
import time
import unittest

from harness import dashboards
from harness.dashboards import filled_in
from harness.watched_shop import JOBS, watched_shop

SECONDS = 20


class Dashboards(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.vm, cls.prometheus = cls.enterClassContext(watched_shop())
        time.sleep(SECONDS)  # rate() and delta() need this much history
        cls.end = time.time()
        cls.chosen = {job: cls.choose(job) for job in JOBS}

    @classmethod
    def choose(cls, job):
        """{variable: [value, ...]} for this job and All of the other variables, in the order in which Grafana asks."""
        values = {"job": [job]}
        for dashboard in dashboards.dashboards().values():
            for variable in dashboards.variables(dashboard):
                if variable["name"] != "job":
                    found = cls.values_of(variable, values)
                    values[variable["name"]] = [variable["allValue"]] if variable.get("allValue") else found
        return values

    @classmethod
    def values_of(cls, variable, values):
        selector, label = re.fullmatch(r"label_values\((.+), (\w+)\)", variable["query"]["query"]).groups()
        return cls.prometheus.label_values(filled_in(selector, values, SECONDS), label)

    def ask(self, target, values):
        expression = filled_in(target["expr"], values, SECONDS)
        if target.get("instant"):
            return [(labels, [value]) for labels, value in self.prometheus.query(expression)]
        return [(labels, [value for _, value in points]) for labels, points
                in self.prometheus.query_range(expression, self.end - SECONDS, self.end, 1)]

    def test_every_panel_has_data(self):
        asked, series = 0, 0
        for job, values in self.chosen.items():
            for name, dashboard in dashboards.dashboards().items():
                for panel in dashboards.panels(dashboard):
                    for target in panel["targets"]:
                        with self.subTest(job=job, dashboard=name, panel=panel["title"], query=target["expr"]):
                            answer = self.ask(target, values)
                            self.assertTrue(any(math.isfinite(value) for _, points in answer for value in points))
                            for label in re.findall(r"\{\{(\w+)\}\}", target["legendFormat"]):
                                # Some lack it: an empty label is no label.
                                self.assertTrue(any(label in labels for labels, _ in answer), label)
                            asked, series = asked + 1, series + len(answer)
        print(f"panels: {asked} queries answered with {series} series")
        self.assertGreater(asked, 200)

    def test_every_variable_has_values(self):
        for job, values in self.chosen.items():
            for name, dashboard in dashboards.dashboards().items():
                for variable in dashboards.variables(dashboard):
                    with self.subTest(job=job, dashboard=name, variable=variable["name"]):
                        found = self.values_of(variable, values)
                        if variable["name"] == "pod":  # none outside Kubernetes
                            self.assertEqual(found, [JOBS[job]["pod"]] if "pod" in JOBS[job] else [])
                        else:
                            self.assertTrue(found)

    def test_every_rule_has_data(self):
        """Alerts without their thresholds: `parts_without_threshold` says how."""
        asked = 0
        expressions = [(rule.get("alert") or rule["record"], rule["expr"]) for rule in dashboards.rules()]
        # A subquery by the minute needs minutes.
        expressions += [(f"{rule['title']} of Grafana", rule["data"][0]["model"]["expr"].replace(":1m]", ":1s]"))
                        for rule in dashboards.provisioned_rules()]
        for name, expression in expressions:
            for part in dashboards.parts_without_threshold(expression):
                with self.subTest(rule=name, query=part):
                    answer = self.prometheus.query(part)
                    self.assertTrue(any(math.isfinite(value) for _, value in answer))
                    self.assertEqual({labels["job"] for labels, _ in answer}, set(JOBS))
                    asked += 1
        print(f"rules: {asked} expressions answered")


if __name__ == "__main__":
    unittest.main(verbosity=2)
