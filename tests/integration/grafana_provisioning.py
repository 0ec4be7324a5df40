"""Grafana's provisioning and the mixin have the same alerts, thresholds and dashboards as the other files.

python3 -m integration.grafana_provisioning
"""

import json
import math
import re
import subprocess
import unittest

import yaml

from harness import dashboards, requirements


def one_line(text):
    return " ".join(text.split())


class GrafanaProvisioning(unittest.TestCase):
    def test_alerts_are_those_of_prometheus(self):
        ours = {rule["alert"]: rule for rule in dashboards.rules() if "alert" in rule}
        given = dashboards.provisioned_rules()
        self.assertEqual({rule["title"] for rule in given},
                         {name for name in ours if re.search("Fragmentation|Carriers|Waste", name)})
        for rule in given:
            with self.subTest(rule=rule["title"]):
                own = ours[rule["title"]]
                threshold = rule["data"][2]["model"]["conditions"][0]["evaluator"]
                self.assertEqual(threshold["type"], "gt")
                # C has the first comparison of the alert, A has the rest.
                first, limit, rest = re.fullmatch(r"(.+?) > ([\d.* ]+?) (and .+)",
                                                  one_line(dashboards.without_recording_rules(own["expr"]))).groups()
                self.assertEqual(math.prod(map(float, limit.split("*"))), threshold["params"][0])
                first = first[1:-1] if first.startswith("(") else first  # those put around a recording rule
                self.assertEqual(one_line(rule["data"][0]["model"]["expr"]), f"{first} {rest}")
                self.assertEqual((rule["for"], rule["labels"]), (own["for"], own["labels"]))
                # $ would be an environment variable to the provisioning of older Grafanas.
                said = {key: text.replace(".Labels", "$labels").replace(".Values.B.Value", "$value")
                        for key, text in rule["annotations"].items()}
                self.assertEqual(said, own["annotations"])

    def test_alerts_are_whole(self):
        panels = {panel["id"]: panel["title"] for panel in dashboards.dashboards()["memory"]["panels"]
                  if panel["type"] != "row"}
        source, = self.provisioning("datasources")["datasources"]
        uids = set()
        for rule in dashboards.provisioned_rules():
            asked, reduced, compared = rule["data"]
            self.assertEqual([part["refId"] for part in rule["data"]], ["A", "B", "C"])
            self.assertTrue(all(part["refId"] == part["model"]["refId"] for part in rule["data"]))
            self.assertEqual(asked["datasourceUid"], source["uid"])
            self.assertEqual((reduced["datasourceUid"], compared["datasourceUid"]), ("__expr__", "__expr__"))
            self.assertEqual((reduced["model"]["type"], reduced["model"]["expression"]), ("reduce", "A"))
            self.assertEqual((compared["model"]["type"], compared["model"]["expression"]), ("threshold", "B"))
            self.assertEqual((rule["condition"], rule["dashboardUid"]), ("C", "beam-memory"))
            self.assertIn(rule["panelId"], panels)
            self.assertLessEqual(len(rule["uid"]), 40)
            uids.add(rule["uid"])
            print(f"{rule['title']}: panel {panels[rule['panelId']]!r}")
        self.assertEqual(len(uids), 3)

    def test_providers_are_whole(self):
        source, = self.provisioning("datasources")["datasources"]
        self.assertEqual((source["type"], source["access"]), ("prometheus", "proxy"))
        provider, = self.provisioning("dashboards")["providers"]
        self.assertEqual(provider["type"], "file")
        self.assertTrue(provider["options"]["path"].startswith("/"))

    def provisioning(self, kind):
        path, = (dashboards.FOLDER / "grafana" / "provisioning" / kind).glob("*.yaml")
        content = yaml.safe_load(path.read_text())
        self.assertEqual(content["apiVersion"], 1)
        return content

    def test_the_mixin_is_the_files(self):
        requirements.program("jsonnet")
        made = subprocess.run(["jsonnet", "-e", "local m = import 'mixin.libsonnet'; "
                               "{ dashboards: m.grafanaDashboards, alerts: m.prometheusAlerts, rules: m.prometheusRules }"],
                              cwd=dashboards.FOLDER, check=True, capture_output=True, text=True).stdout
        mixin = json.loads(made)
        self.assertEqual(mixin["dashboards"], {f"beam-{name}.json": dashboard
                                               for name, dashboard in dashboards.dashboards().items()})
        for kind, file in (("alerts", "beam_alerts"), ("rules", "beam_recording")):
            self.assertEqual(mixin[kind], yaml.safe_load((dashboards.RULES / f"{file}.yaml").read_text()))


if __name__ == "__main__":
    unittest.main(verbosity=2)
