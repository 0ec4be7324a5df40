"""The dashboards belong together, use published metrics, and show all of them; generated files are up to date.

python3 -m integration.dashboard_files
"""

import pathlib
import re
import subprocess
import tempfile
import unittest

import yaml

from harness import catalogue, dashboards, requirements
from harness.processes import REPO


class DashboardFiles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.dashboards = dashboards.dashboards()

    def each_panel(self):
        for name, dashboard in self.dashboards.items():
            for panel in dashboards.panels(dashboard):
                with self.subTest(dashboard=name, panel=panel["title"]):
                    yield name, panel

    def test_they_are_what_their_sources_make(self):
        requirements.program("jsonnet")
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([REPO / "dashboards" / "build.sh", folder], check=True)
            made = [path.relative_to(folder) for path in pathlib.Path(folder).rglob("*") if path.is_file()]
            self.assertEqual(len(made), len(self.dashboards) + 1)
            for path in made:
                self.assertEqual((folder / path).read_text(), (REPO / path).read_text(), f"{path}: run dashboards/build.sh")

    def test_the_prometheus_rule_holds_the_rules(self):
        manifest = yaml.safe_load((REPO / "deploy" / "kubernetes" / "prometheus-rule.yaml").read_text())
        self.assertEqual((manifest["apiVersion"], manifest["kind"]), ("monitoring.coreos.com/v1", "PrometheusRule"))
        held = [rule for group in manifest["spec"]["groups"] for rule in group["rules"]]
        self.assertCountEqual(held, list(dashboards.rules()))

    def test_they_are_one_set(self):
        self.assertEqual(len(self.dashboards), 6)
        first, *others = self.dashboards.values()
        for name, dashboard in self.dashboards.items():
            with self.subTest(dashboard=name):
                self.assertEqual(dashboard["uid"], f"beam-{name}")
                self.assertGreaterEqual(dashboard["schemaVersion"], 39)
                self.assertTrue(dashboard["description"])
                self.assertEqual([variable["name"] for variable in dashboard["templating"]["list"]][:4],
                                 ["datasource", "job", "pod", "instance"])
                for shared in ("tags", "links", "graphTooltip", "refresh", "time"):
                    self.assertEqual(dashboard[shared], first[shared])
                self.assertEqual(dashboard["templating"]["list"][:4], first["templating"]["list"][:4])
        titles = [dashboard["title"] for dashboard in self.dashboards.values()]
        self.assertEqual(len(set(titles)), len(titles))

    def test_every_panel_states_its_question(self):
        for _, panel in self.each_panel():
            self.assertIn("?", panel["description"])
            self.assertTrue(panel["fieldConfig"]["defaults"]["unit"])
            self.assertEqual(panel["datasource"], {"type": "prometheus", "uid": "${datasource}"})
            for target in panel["targets"]:
                if "ALERTS" not in target["expr"]:
                    self.assertIn('{job=~"$job", instance=~"$instance"', target["expr"])
                self.assertIsNone(re.search(r"\[\d", target["expr"]), "a fixed window; take $__rate_interval")

    def test_links_lead_somewhere(self):
        reached = set()
        for name, panel in self.each_panel():
            overrides = [one["value"] for rule in panel["fieldConfig"]["overrides"] for one in rule["properties"]
                         if one["id"] == "links"]
            for link in sum(overrides, panel["fieldConfig"]["defaults"]["links"]):
                target = re.match(r"/d/beam-(\w+)\?", link["url"])[1]
                self.assertIn(target, self.dashboards)
                self.assertIn("${__url_time_range}", link["url"])
                if name == "overview":
                    reached.add(target)
        self.assertEqual(reached, {"exporter", "functions", "memory", "processes", "schedulers"}, "from the overview")

    def test_no_panel_lies_on_another(self):
        for name, dashboard in self.dashboards.items():
            taken = {}
            for panel in dashboard["panels"]:
                at = panel["gridPos"]
                self.assertLessEqual(at["x"] + at["w"], 24, panel["title"])
                for cell in ((x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])):
                    self.assertNotIn(cell, taken, f"{name}: {panel['title']} lies on {taken.get(cell)}")
                    taken[cell] = panel["title"]
            ids = [panel["id"] for panel in dashboard["panels"]]
            self.assertEqual(len(set(ids)), len(ids))

    def test_they_ask_for_what_we_publish(self):
        for where, expression in dashboards.queries():
            with self.subTest(where=where):
                self.assertEqual(catalogue.complaints(expression), [])

    def test_every_metric_has_a_panel_or_a_reason(self):
        shown = set().union(*(catalogue.families_of(expression) for _, expression in dashboards.queries()))
        unshown = yaml.safe_load((dashboards.FOLDER / "unshown.yaml").read_text())
        self.assertTrue(all(len(reason) > 10 for reason in unshown.values()))
        self.assertEqual(set(catalogue.families()) - shown, set(unshown))
        print(f"{len(shown)} families on panels, {len(unshown)} with a reason not to be")


if __name__ == "__main__":
    unittest.main(verbosity=2)
