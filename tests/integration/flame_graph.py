"""Flame graphs in a real Chromium, as page and as file: what is drawn, in which colour and how wide, against what the
samples of the profile say.

python3 -m integration.flame_graph OTP_RELEASE
"""

import collections
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import urllib.parse
import xml.etree.ElementTree

from harness import exporter, requirements
from harness.beam_target import BeamTarget
from harness.browser import Browser
from harness.erlang_runtime import named
from harness.exposition import get
from harness.processes import wait_for

FREQUENCY = 999
SHOWN = "[...document.querySelectorAll('g.f')].filter((one) => one.style.display !== 'none')"
# [[name, x, width, y, colour, title]] of what is drawn.
DRAWN = (SHOWN + ".map((one) => [one.dataset.name, ...['x', 'width', 'y'].map((key) => +one.querySelector('rect').getAttribute(key)),"
         " one.querySelector('rect').getAttribute('fill'), one.querySelector('title').textContent])")
WIDTH = "svg.viewBox.baseVal.width"
MAPS = 'g.f[data-name^="mixed_work:-maps/1"]'


class Box:
    """One box of the file, with the microseconds of its own by state."""

    def __init__(self, element):
        self.name, self.level, self.width = element.get("data-name"), int(element.get("data-y")), float(element.get("data-w"))
        self.app, self.kind, self.title = element.get("data-app"), element.get("data-kind"), element[0].text
        self.own, self.samples = collections.Counter(), 0
        for part in (element.get("data-own") or "").split():
            state, time, samples = part.split(":")
            self.own[state] += int(time)
            self.samples += int(samples)


def boxes_of(path):
    return [Box(element) for element in xml.etree.ElementTree.parse(path).getroot().findall(".//{http://www.w3.org/2000/svg}g")]


def states_of_pprof(path):
    """Microseconds by state, as `go tool pprof` reads them."""
    raw = subprocess.run(["go", "tool", "pprof", "-raw", str(path)], capture_output=True, text=True, timeout=60, check=True).stdout
    times = collections.Counter()
    for match in re.finditer(r"^\s+\d+\s+(\d+): [\d ]+\n(?:\s+\S.*\n)*?.*state:\[(\w+)\]", raw, re.MULTILINE):
        times[match[2]] += int(match[1]) / 1000
    return times


class FlameGraph(unittest.TestCase):
    release = "25"

    @classmethod
    def setUpClass(cls):
        requirements.may_sample()
        requirements.program("go")
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.vm = cls.enterClassContext(BeamTarget(named(cls.release), "mixed_work", flags=("+S", "1")))
        cls.browser = cls.enterClassContext(Browser())
        cls.exporter = cls.enterClassContext(exporter.Exporter(f"--target.pid={cls.vm.pid}", f"--sampling.frequency={FREQUENCY}"))
        cls.exporter.await_up()
        cls.vm.ask("run")
        cls.svg, cls.pprof = cls.folder / "flame.svg", cls.folder / "flame.pb.gz"
        with concurrent.futures.ThreadPoolExecutor(2) as pool:  # of the same samples, but for those of some milliseconds
            answers = list(pool.map(lambda path: get(cls.exporter.url + path),
                                    ["/flamegraph?seconds=4&format=svg", "/debug/pprof/profile?seconds=4"]))
        for path, (status, body) in zip((cls.svg, cls.pprof), answers):
            assert status == 200, body
            path.write_bytes(body)
        cls.boxes = boxes_of(cls.svg)
        cls.whole = sum(box.own.total() for box in cls.boxes)

    def open(self, url):
        self.browser.goto(url="about:blank")
        self.browser.goto(url=url)
        self.browser.complaints()

    def evaluate(self, expression):
        return self.browser.evaluate(expression=expression)

    def drawn(self):
        return self.evaluate(DRAWN)

    def fragment(self):
        return self.evaluate("location.hash")

    def click(self, selector):
        self.evaluate(f"document.querySelector({selector!r}).dispatchEvent(new MouseEvent('click', {{bubbles: true}}))")

    def test_1_the_page_zooms_searches_and_tells(self):
        self.assertEqual(self.browser.goto(url=self.exporter.url + "/flamegraph?seconds=3"), 200)
        self.assertIn(f"pid {self.vm.pid}", self.evaluate("document.title"))
        whole = self.evaluate(SHOWN + ".length")
        self.assertGreater(whole, 20)
        self.browser.hover(selector=MAPS)
        self.assertRegex(self.browser.text("#said"), r"^mixed_work:-maps/1.*: \d[\d.]* %, [\d.]+ s of CPU time, \d+ samples; \w+ \d+ %")
        # Zoomed, it is as wide as the picture, and what is beside it is not shown.
        self.click(MAPS)
        self.assertLess(self.evaluate(SHOWN + ".length"), whole)
        self.assertGreater(self.evaluate(f"+document.querySelector('{MAPS} rect').getAttribute('width')"),
                           0.99 * self.evaluate(WIDTH) - 1)
        self.browser.press(key="Escape")
        self.assertEqual(self.evaluate(SHOWN + ".length"), whole)
        # Every stack has the worker's own loop.
        self.evaluate("search('mixed_work:work/1')")
        self.assertGreater(float(self.browser.text("#found").split()[0]), 95)
        # Its text keeps its size in every window.
        for width in (700, 1280):
            self.browser.resize(width=width, height=800)
            wait_for("a picture for the window", lambda: (abs(self.evaluate("svg.getScreenCTM().a") - 1) < 0.01 and
                                                          abs(self.evaluate(WIDTH) - width) < 20), 20, 0.1)
        self.assertEqual(self.browser.axe(), [])
        self.assertEqual(self.browser.complaints(), [])

    def test_2_the_file_has_the_states_of_the_samples(self):
        truth = states_of_pprof(self.pprof)
        ours = collections.Counter()
        for box in self.boxes:
            ours.update(box.own)
        print(dict(ours), dict(truth))
        self.assertGreater(truth["gc"] + truth["gc_full"], 0.05 * truth.total())
        for state in truth | ours:
            self.assertAlmostEqual(ours[state] / ours.total(), truth[state] / truth.total(), delta=0.03, msg=state)
        told = re.search(r", (\d+) samples; (.*)", self.boxes[0].title)
        self.assertEqual(int(told[1]), sum(box.samples for box in self.boxes))
        split = {state: int(percent) for state, percent in re.findall(r"(\w+) (\d+) %", told[2])}
        self.assertEqual(split, {state: round(100 * time / ours.total()) for state, time in ours.items() if time / ours.total() >= 0.005})

    def test_3_colours_of_states_and_applications(self):
        self.open(self.svg.as_uri())
        by_kind = {tuple(row[:4]): row[4] for row in self.drawn()}
        self.browser.press(key="c")
        self.assertIn("colours=state", self.fragment())
        colours = collections.defaultdict(lambda: self.evaluate("unknownColour"), self.evaluate("stateColours"))
        rows = self.drawn()
        self.assertGreater(len({row[4] for row in rows}), 2)
        for name, *_, colour, title in rows:  # the title begins the split with the largest
            split = re.findall(r"(\w+) (\d+) %", title.split("samples; ")[1])
            near = {state for state, percent in split if int(percent) >= int(split[0][1])}
            self.assertIn(colour, {colours[state] for state in near}, (name, title))
        # A collection is nothing but that; the few instructions before it are the emulator's.
        collecting = {row[4] for row in rows if row[0] == "erts_internal:garbage_collect/1" and row[2] > 20}
        self.assertLessEqual(collecting, {colours["gc"], colours["gc_full"]})
        self.assertTrue(collecting)
        legend = self.browser.text("#legend")
        self.assertIn(max(colours, key=lambda state: sum(box.own[state] for box in self.boxes)), legend)
        self.browser.press(key="c")
        self.assertIn("by the first part of the module's name", self.browser.text("#legend"))
        applications = collections.defaultdict(set)
        for name, _, _, _, colour, _ in self.drawn():
            if name.startswith(("mixed_work:", "lists:")) and not any(box.name == name and box.kind != "erlang" for box in self.boxes):
                applications[name.split(":")[0]].add(colour)
        print(dict(applications))
        self.assertEqual([len(applications[module]) for module in ("mixed_work", "lists")], [1, 1])
        self.assertNotEqual(applications["mixed_work"], applications["lists"])
        self.assertEqual({box.app for box in self.boxes if box.name.startswith("mixed_work:")}, {"mixed"})
        self.browser.press(key="c")
        self.assertEqual({tuple(row[:4]): row[4] for row in self.drawn()}, by_kind)
        self.assertEqual((self.fragment(), self.browser.complaints()), ("", []))

    def test_4_inverted_it_stands_on_the_functions_that_ran(self):
        truth, callers = collections.Counter(), collections.Counter()
        path = []
        for box in self.boxes:
            path[box.level:] = [box.name]
            if box.own:
                truth[box.name] += box.own.total() / self.whole
                callers[box.name, path[-2]] += box.own.total() / self.whole
        self.open(self.svg.as_uri())
        self.browser.press(key="i")
        rows, width = self.drawn(), self.evaluate(WIDTH)
        levels = sorted({row[3] for row in rows}, reverse=True)
        on_root = {row[0]: row[2] / width for row in rows if row[3] == levels[1]}
        for name, share in truth.items():
            if share * width > 1:
                self.assertAlmostEqual(on_root[name], share, delta=1 / width, msg=name)
        hottest, share = truth.most_common(1)[0]
        print(f"{hottest}: {100 * share:.1f} %", truth.most_common(4))
        self.assertEqual([row[0] for row in rows if row[3] == levels[1] and row[1] == 0], [hottest])
        # Its callers stand on it, as wide as the time that it worked for each.
        on_hottest = {row[0]: row[2] / width for row in rows if row[3] == levels[2] and row[1] < share * width - 0.5}
        wide = {caller: part for (name, caller), part in callers.items() if name == hottest and part * width > 1}
        self.assertTrue(wide)
        for caller, part in wide.items():
            self.assertAlmostEqual(on_hottest[caller], part, delta=1 / width, msg=caller)
        title = next(row[5] for row in rows if row[0] == hottest)
        self.assertTrue(title.startswith(f"{hottest}: {100 * share:.2f} %, "), title)
        self.assertEqual(self.browser.complaints(), [])

    def test_5_a_link_shows_the_same_again(self):
        page = self.folder / "flame.html"
        result = exporter.run("profile", f"--target.pid={self.vm.pid}", "--duration=2", f"--frequency={FREQUENCY}", f"--output={page}")
        self.assertEqual(result.returncode, 0, result.stderr)
        for keys in ("", "i"):
            self.open(page.as_uri())
            for key in keys + "c":
                self.browser.press(key=key)
            self.evaluate("search('lists:')")
            self.click(f"g.f[data-name='{self.second_level()}']" if keys == "" else "#inverted g.f:nth-child(2)")
            seen, link, found = self.drawn(), self.evaluate("location.href"), self.browser.text("#found")
            hits = self.evaluate("document.querySelectorAll('.hit').length")
            print(link)
            self.assertGreater(hits, 0)
            for word in ("colours=state", "search=lists%3A", "zoom=", *(["invert=1"] if keys else [])):
                self.assertIn(word, link)
            self.open(link)
            self.assertEqual((self.drawn(), self.browser.text("#found")), (seen, found))
            self.assertEqual(self.evaluate(SHOWN + ".filter((one) => one.matches('.hit')).length"),
                             self.evaluate(SHOWN + ".filter((one) => /lists:/.test(one.dataset.name)).length"))
        self.assertEqual(self.browser.complaints(), [])

    def second_level(self):
        """A box that is not as wide as the picture."""
        return self.evaluate(SHOWN + ".map((one) => one.box).filter((box) => box.size < 0.9 && box.size > 0.05 && "
                                     "!box.name.includes(\"'\"))[0].name")

    def test_6_a_hostile_link_does_nothing(self):
        self.open(self.svg.as_uri())
        whole = self.drawn()
        hostile = "<img src=x onerror=alert(1)>"
        for fragment in ("zoom=" + urllib.parse.quote(hostile), "colours=__proto__&zoom=__proto__", "colours=constructor",
                         "search=" + urllib.parse.quote("(.*)*x"), "search=" + urllib.parse.quote("(.|.)" * 40 + "~"),
                         "search=%5B", "search=" + "a*" * 50, "search=a{9999}", "%", "%E0%A4%A&zoom=%ff", "&&==&zoom", "invert=true",
                         "zoom=" + "x" * 100000, "javascript:alert(1)", urllib.parse.quote(hostile), hostile):
            self.open(self.svg.as_uri() + "#" + fragment)
            self.assertEqual(self.drawn(), whole, fragment[:60])
            self.assertEqual(self.evaluate("document.querySelectorAll('img, script').length"), 1)
            self.assertEqual(self.browser.complaints(), [], fragment[:60])
        self.open(self.svg.as_uri() + "#search=" + urllib.parse.quote("<script>'\"</text>"))
        self.assertEqual(self.browser.text("#found"), "0.00 % matches")
        self.assertEqual((self.drawn(), self.browser.complaints()), (whole, []))

    def test_7_what_changed_keeps_its_colours(self):
        page = self.folder / "changed.html"
        result = exporter.run("diff", f"--output={page}", self.pprof, self.pprof)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.open(page.as_uri() + "#colours=state&invert=1")
        rows = self.drawn()
        self.assertEqual({row[4] for row in rows}, {"hsl(0 0% 86%)"})
        self.assertGreater(len(rows), 20)
        for key in "ci":
            self.browser.press(key=key)
        self.assertEqual(self.drawn(), rows)
        self.assertEqual(self.browser.text("#controls").split()[0], "searchclick,")
        self.browser.hover(selector=MAPS)
        self.assertIn("CPU ms per second", self.browser.text("#said"))
        self.assertEqual(self.browser.complaints(), [])


if __name__ == "__main__":
    FlameGraph.release = sys.argv.pop(1)
    unittest.main(verbosity=2)
