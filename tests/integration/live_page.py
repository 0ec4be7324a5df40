"""The live page in a real Chromium: it shows what /metrics says, works by keyboard and on a phone, and tells when the
VM or the exporter ends.

python3 -m integration.live_page OTP_RELEASE
"""

import json
import sys
import time
import unittest

from harness.browser import Browser
from harness.exposition import fetch
from harness.processes import BUILD, REPO, wait_for
from harness.watched_vm import FAST_SNAPSHOTS, WatchedVm

LIVE = REPO / "exporter" / "web" / "live"
LARGEST = 200 * 1024  # bytes of the whole page
SHOWN = 15  # functions


class LivePage(WatchedVm):
    target, vm_flags = "mixed_work", ("+S", "2", "+SDcpu", "1")
    settings = FAST_SNAPSHOTS

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.__exit__)
        cls.vm.ask("run")

    def open(self):
        self.browser.resize(width=1280, height=900)
        self.assertEqual(self.browser.goto(url=self.exporter.url + "/"), 200)
        wait_for("functions on the page", self.functions, 60, 0.3)

    def functions(self):
        return [row[0] for row in self.browser.rows("#functions") if len(row) > 1]

    def overview(self):
        return json.loads(fetch(self.exporter.url + "/api/v1/overview", "application/json")[2])

    def assert_clean(self):
        self.assertEqual(self.browser.complaints(), [])
        self.assertEqual(self.browser.axe(), [])

    def test_1_the_page_shows_the_functions_that_metrics_names(self):
        self.open()
        self.assertIn("up", self.browser.text("#vm .state"))
        self.assertIn(f"OTP {self.release} ", self.browser.text("#vm"))
        self.assertIn(f"pid {self.vm.pid}", self.browser.text("#vm"))
        scrape = self.exporter.scrape()
        known = {f"{module}:{function}" if module else function for module, function in scrape.functions()}
        self.assertLessEqual(set(self.functions()), known | {"other"})
        # With callees, its own loop is first: everything runs below it.
        self.browser.click(role="button", name="with callees")
        wait_for("the loop", lambda: "mixed_work:phase/2" in self.functions()[:3], 30, 0.3)
        share = next(row[1] for row in self.browser.rows("#functions") if row[0] == "mixed_work:phase/2")
        self.assertGreater(float(share.rstrip(" %")), 10)
        self.assertIn("copy_struct", str(self.browser.rows("#native")))
        self.assertIn("eheap_alloc", str(self.browser.rows("#memory")))
        limit = self.vm.evaluate("erlang:system_info(process_limit)")
        self.assertIn(["processes", f"{limit:,}"], [[row[0], row[2]] for row in self.browser.rows("#limits")])
        self.assert_clean()

    def test_2_schedulers_have_a_bar_each_and_charts_are_drawn(self):
        self.open()
        labels = self.browser.evaluate(expression="[...document.querySelectorAll('#schedulers .bar')].map((one) => one.ariaLabel)")
        self.assertEqual([label.split(":")[0] for label in labels[:2]], ["Schedulers 1", "Schedulers 2"])
        self.assertTrue(any("emulator" in label for label in labels), labels)
        wait_for("a chart with lines", lambda: self.browser.evaluate(
            expression="document.querySelectorAll('#schedulers canvas, #memory canvas').length === 2"), 30, 0.3)
        self.assertGreater(self.browser.evaluate(expression="document.querySelectorAll('#functions canvas').length"), 3)
        time.sleep(6)  # for the picture only: some points more
        self.browser.screenshot(path=str(BUILD / f"live_page_{self.release}.png"))

    def test_3_it_fits_a_phone_and_works_by_keyboard_in_the_dark(self):
        self.open()
        self.browser.resize(width=360, height=740)
        self.browser.scheme(colors="dark")
        wait_for("no page wider than the screen",
                 lambda: self.browser.evaluate(expression="document.documentElement.scrollWidth <= innerWidth"), 20, 0.3)
        self.assert_clean()
        for _ in range(40):
            self.browser.press(key="Tab")
            if self.browser.evaluate(expression="document.activeElement.textContent") == "Freeze":
                break
        self.browser.press(key="Enter")
        self.assertEqual(self.browser.evaluate(expression="document.activeElement.getAttribute('aria-pressed')"), "true")
        self.browser.screenshot(path=str(BUILD / f"live_page_phone_{self.release}.png"))
        self.browser.scheme(colors="light")

    def test_4_it_is_small_and_loads_nothing_from_elsewhere(self):
        self.open()
        urls = {url for url, _ in self.browser.answers() if not url.startswith("data:")}
        self.assertEqual({url for url in urls if not url.startswith(self.exporter.url)}, set())
        page = [path for path in {url.removeprefix(self.exporter.url) for url in urls} if not path.startswith("/api/")]
        bodies = {path: fetch(self.exporter.url + path, "*/*")[2] for path in page}
        print({path: len(body) for path, body in bodies.items()})
        self.assertIn("/assets/uplot.iife.min.js", bodies)
        self.assertLess(sum(map(len, bodies.values())), LARGEST)
        for file in (*LIVE.glob("*.js"), *LIVE.glob("*.css")):
            self.assertEqual(bodies[f"/assets/{file.name}"], file.read_text(), file.name)

    def test_5_the_overview_is_what_metrics_says(self):
        scrape = self.exporter.fresh("vitals", "allocators")
        told = self.overview()
        self.assertEqual((told["version"], told["up"], told["vm"]["pid"]), (1, True, self.vm.pid))
        self.assertEqual(told["vitals"]["process_limit"], scrape.value("beam_processes_limit"))
        self.assertEqual({one["allocator"] for one in told["allocators"]},
                         {labels["allocator"] for labels, _ in scrape.samples("beam_allocator_carriers_bytes")})

    def test_6_a_verdict_on_the_memory_appears_when_somebody_asks(self):
        self.open()
        self.vm.evaluate("register('<b>shop', spawn(fun() -> receive stop -> lists:seq(1, 9) end end)),"
                         "[whereis('<b>shop') ! {order, N} || N <- lists:seq(1, 30000)], ok")
        self.assertEqual(self.browser.text("#verdict [role=status]"), "Nobody has looked yet.")

        def parts():
            """Of a look. Carriers of a busy VM may change during each of its tries: then it tells no parts."""
            self.browser.click(role="button", name="Look now")
            wait_for("the verdict", lambda: " resident, " in self.browser.text("#verdict [role=status]"), 60, 0.1)
            rows = self.browser.rows("#verdict")
            return rows if len(rows) > 5 else print(self.browser.text("#verdict .problem"))

        def told():
            return json.loads(fetch(self.exporter.url + "/api/v1/memory", "application/json")[2])["composition"]

        rows = wait_for("the parts of the memory", parts, 60, 0.3)
        text = self.browser.text("#verdict")
        print(text[:800])
        # The name of a process is text, whatever stands in it.
        self.assertRegex(text, r"<b>shop(.|\n)*\[long_mailbox\]")
        self.assertIn("Do:", text)
        known = {f"{one['part']} of {one['allocator']}" if "allocator" in one else one["part"]
                 for one in wait_for("the parts as JSON", told, 60, 0.3)}
        self.assertLessEqual({row[0] for row in rows}, known | {"parts of less than 1 %"})
        # Each with a figure in bytes, its share, and how far it may be off.
        self.assertAlmostEqual(sum(float(row[2].rstrip(" %")) for row in rows), 100, delta=len(rows) / 2)
        self.assert_clean()
        self.browser.resize(width=360, height=740)
        self.browser.scheme(colors="dark")
        wait_for("no page wider than the screen",
                 lambda: self.browser.evaluate(expression="document.documentElement.scrollWidth <= innerWidth"), 20, 0.3)
        self.assert_clean()
        self.browser.screenshot(path=str(BUILD / f"live_page_verdict_{self.release}.png"))
        self.browser.scheme(colors="light")
        self.vm.evaluate("exit(whereis('<b>shop'), kill)")

    def test_7_a_vm_that_ends_and_an_exporter_that_ends_are_told(self):
        self.open()
        self.vm.kill()
        wait_for("the page tells that there is no VM", lambda: "no VM" in self.browser.text("#vm .state"), 60, 0.3)
        self.assertNotEqual(self.browser.text("#vm .problem"), "")
        self.browser.click(role="button", name="Look now")
        wait_for("why there is no verdict", lambda: "No look: no VM" in self.browser.text("#verdict [role=status]"), 30, 0.3)
        # Chromium tells of the answer 503 by itself.
        self.assertEqual([one for one in self.browser.complaints() if "503" not in one], [])
        self.assertEqual(self.browser.axe(), [])
        self.assertEqual(self.exporter.stop(), 0)
        wait_for("the page tells that no one answers", lambda: "no answer" in self.browser.text("#vm .state"), 60, 0.3)


if __name__ == "__main__":
    LivePage.release = sys.argv.pop(1)
    unittest.main(verbosity=2)
