"""/api/v1/memory of a serving exporter: what `beam_exporter memory` tells, made when somebody asks.

python3 -m integration.memory_page OTP_RELEASE
"""

import collections
import concurrent.futures
import json
import sys
import unittest

from harness import exporter
from harness.exposition import fetch, get
from harness.processes import wait_for
from harness.tool_test import ToolTest

MIB = 1 << 20


def figures(told, path=""):
    """{path: value} of all that is no list or object."""
    if isinstance(told, dict):
        return {key: value for name, one in told.items() for key, value in figures(one, f"{path}.{name}").items()}
    if isinstance(told, list):
        return {key: value for k, one in enumerate(told) for key, value in figures(one, f"{path}[{k}]").items()}
    return {path: told}


class MemoryPage(ToolTest):
    tool, target, vm_flags = "memory", "wasteful", ("+S", "2")

    def setUp(self):
        self.watching = self.enterContext(exporter.Exporter(f"--target.pid={self.vm.pid}"))
        self.watching.await_up()

    def page(self):
        status, headers, body = fetch(self.watching.url + "/api/v1/memory", "application/json")
        self.assertEqual((status, headers["Content-Type"], headers["Cache-Control"]), (200, "application/json", "no-store"),
                         body[:200])
        return json.loads(body)

    def findings(self):
        found = self.page()["findings"]
        print([(one["rule"], one["subject"], one["bytes"] // MIB) for one in found])
        return found

    def the_idle_carriers(self):
        found = self.findings()
        if [(one["rule"], one["subject"]) for one in found] == [("idle_carriers_of_binaries", "binary_alloc")]:
            return found[0]

    def test_1_it_tells_what_the_tool_tells(self):
        looks = [self.page(), self.told(), self.page()]
        before, tool, after = map(figures, looks)
        self.assertEqual([list(one) for one in looks], [list(looks[1])] * 3)
        still = {path for path in before if after.get(path) == before[path]}
        differing = {path: (before[path], tool.get(path)) for path in still if tool.get(path) != before[path]}
        print(len(tool), "figures,", len(still), "stood still; different:", differing)
        self.assertGreater(len(still), 0.8 * len(before))
        # A figure may move and come back.
        self.assertLessEqual(len(differing), 0.02 * len(still))
        self.assertEqual(tool[".target"], before[".target"])

    def test_2_the_rule_that_must_fire_fires(self):
        self.assertEqual(self.findings(), [])
        self.vm.ask("binaries 200 4000 1 10")
        # While the VM makes and frees them, it may have others for a moment.
        finding = wait_for("the one finding", self.the_idle_carriers, 60, 0.5)
        self.assertGreater(finding["bytes"], 80 * MIB)
        self.assertNotEqual(finding["advice"], "")
        # Looks do not take the place of samples.
        scrape = self.watching.fresh("vitals")
        self.assertEqual(scrape.value("beam_up"), 1)

    def test_3_many_at_once_and_beside_looks_at_processes(self):
        statuses = collections.Counter()

        def answer(path):
            """Asks until there is room."""
            def asked():
                status, body = get(self.watching.url + path)
                statuses[path, status] += 1
                return status != 429 and (status, body)
            return wait_for(f"an answer of {path}", asked, 60, 0.05)

        paths = ["/api/v1/memory", "/debug/pprof/heap?debug=1"] * 20
        with concurrent.futures.ThreadPoolExecutor(12) as pool:
            answers = list(pool.map(answer, paths))
        print(dict(statuses))
        for (status, body), path in zip(answers, paths):
            self.assertEqual(status, 200, body)
            # Nobody gets the result of another kind of look.
            self.assertEqual(body.startswith(b"{"), path == "/api/v1/memory", body[:60])

    def test_4_without_a_vm_there_is_none(self):
        self.vm.kill()
        self.watching.await_up(0)
        status, body = get(self.watching.url + "/api/v1/memory")
        self.assertEqual(status, 503)
        self.assertIn(b"no VM", body)


if __name__ == "__main__":
    MemoryPage.release = sys.argv.pop(1)
    unittest.main(verbosity=2)
