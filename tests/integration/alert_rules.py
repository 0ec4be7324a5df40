"""promtool accepts the recording and alerting rules, and they use only metrics that the exporter publishes.

python3 -m integration.alert_rules
"""

import re
import subprocess
import unittest

from harness import catalogue, requirements
from harness.dashboards import RULES, recorded, rules
from harness.processes import REPO


class AlertRules(unittest.TestCase):
    def promtool(self, *arguments):
        requirements.program("promtool")
        done = subprocess.run(["promtool", *map(str, arguments)], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=60)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_promtool_accepts_them(self):
        self.promtool("check", "rules", *sorted(RULES.glob("*.yaml")))

    def test_each_alert_fires_when_it_should_and_not_beside_that(self):
        self.promtool("test", "rules", *sorted((RULES / "tests").glob("*.yaml")))

    def test_each_alert_has_a_test_a_severity_and_a_chapter(self):
        tests = "".join(path.read_text() for path in (RULES / "tests").glob("*.yaml"))
        chapters = re.findall(r"^## (\w+)$", (REPO / "dashboards" / "runbook.md").read_text(), re.MULTILINE)
        alerts = [rule for rule in rules() if "alert" in rule]
        self.assertGreater(len(alerts), 8)
        self.assertEqual(sorted(chapters), sorted(rule["alert"] for rule in alerts))
        for rule in alerts:
            self.assertIn(rule["labels"]["severity"], ("critical", "warning", "info"))
            self.assertTrue(rule["annotations"]["summary"] and rule["annotations"]["description"])
            self.assertTrue(rule["annotations"]["runbook_url"].endswith("#" + rule["alert"].lower()))
            self.assertRegex(tests, rf"alertname: {rule['alert']}\b")

    def test_they_ask_for_what_we_publish(self):
        self.assertGreater(len(catalogue.families()), 50)
        made = recorded()
        for rule in rules():
            self.assertEqual(catalogue.complaints(rule["expr"], made), [], rule)


if __name__ == "__main__":
    unittest.main(verbosity=2)
