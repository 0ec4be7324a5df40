"""`beam_exporter coverage`: lines that run are seen, lines that do not are 0, and lcov's own program reads the result.

python3 -m integration.coverage OTP_RELEASE
"""

import collections
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from harness import exporter, requirements
from harness.tool_test import ToolTest

TARGETS = pathlib.Path(__file__).parent.parent / "targets"
SOURCE = TARGETS / "covered.erl"
# How many different lines a module has in its line table ("Line" chunk), of modules without a second file.
NUMBER_OF_LINES = ("[begin {ok, {_, [{_, <<_:12/binary, N:32, _/binary>>}]}} = beam_lib:chunks(code:which(M), [\"Line\"]),"
                   " [M, N] end || M <- [covered, lists, maps, queue]]")


class Tracefile:
    def __init__(self, text):
        self.first = text.splitlines()[0]
        self.sources = {}
        for record in text.split("end_of_record\n")[:-1]:
            name = re.search(r"^SF:(.*)$", record, re.MULTILINE)[1]
            source = self.sources[name] = collections.defaultdict(dict)
            for kind, number, rest in re.findall(r"^(DA|FN|FNDA):(\d+),(.*)$", record, re.MULTILINE):
                if kind == "DA":
                    source["lines"][int(number)] = int(rest)
                else:
                    source[kind][rest] = int(number)
            totals = dict(re.findall(r"^(LF|LH|FNF|FNH):(\d+)$", record, re.MULTILINE))
            assert int(totals["LF"]) == len(source["lines"])
            assert int(totals["LH"]) == sum(count > 0 for count in source["lines"].values())
            assert int(totals["FNF"]) == len(source["FN"]) == len(source["FNDA"])
            assert int(totals["FNH"]) == sum(count > 0 for count in source["FNDA"].values())


def marked(mark):
    return {number for number, line in enumerate(SOURCE.read_text().splitlines(), 1) if line.endswith("% " + mark)}


class Coverage(ToolTest):
    tool, target, vm_flags = "coverage", "covered", ("+S", "1")

    @classmethod
    def setUpClass(cls):
        requirements.program("genhtml")
        super().setUpClass()
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))

    def trace(self, *flags):
        output = self.folder / "x.info"
        said = self.run_tool("--duration=4", "--frequency=999", f"--output={output}", *flags).stderr
        self.assertIn("0 means never seen", said)
        return Tracefile(output.read_text()), int(re.search(r": (\d+) samples in", said)[1]), output

    def test_known_lines_are_seen_and_what_never_runs_is_zero(self):
        trace, samples, output = self.trace("--module=covered", f"--source-root={TARGETS}")
        self.assertIn("never seen", trace.first)
        self.assertEqual(list(trace.sources), [str(SOURCE)])
        source = trace.sources[str(SOURCE)]
        lines, seen = source["lines"], source["FNDA"]
        print(dict(lines), seen)
        self.assertEqual(len(marked("seen")), 4)
        for line in marked("seen"):
            self.assertGreater(lines[line], 0, line)
        self.assertEqual(len(marked("never")), 3)
        for line in marked("never"):
            self.assertEqual(lines[line], 0, line)
        self.assertEqual(seen["covered:not_called/1"], 0)
        text = SOURCE.read_text().splitlines()
        for name, line in source["FN"].items():
            if not name.startswith("covered:-"):
                self.assertTrue(text[line - 1].startswith(name.split(":")[1].split("/")[0] + "("), (name, line))
        # Both are on a stack once at most: what their lines have together is what they have.
        heads = sorted(source["FN"].values()) + [10 ** 6]
        for name in ("covered:loop/1", "covered:adds_up/2"):
            begin = source["FN"][name]
            end = heads[heads.index(begin) + 1]
            self.assertEqual(sum(count for line, count in lines.items() if begin <= line < end), seen[name])
        # The VM does nothing else, so it is on nearly all.
        self.assertLessEqual(seen["covered:loop/1"], samples)
        self.assertGreater(seen["covered:loop/1"], 0.8 * samples)
        self.assertGreater(seen["covered:loop/1"], seen["covered:adds_up/2"] + seen["covered:builds/1"] - 1)

        html = self.folder / "html"
        made = subprocess.run(["genhtml", "--output-directory", html, output], capture_output=True, text=True,
                              timeout=60)
        print(made.stdout[-300:], made.stderr)
        self.assertEqual(made.returncode, 0, made.stderr)
        hit = sum(count > 0 for count in lines.values())
        self.assertRegex(made.stdout, rf"lines\.+: [\d.]+% \({hit} of {len(lines)} lines\)")
        page, = html.rglob("covered.erl.gcov.html")
        self.assertIn("lineNoCov", page.read_text())

    def test_all_lines_of_the_line_tables_are_there(self):
        trace, _, _ = self.trace()
        self.assertGreater(len(trace.sources), 50)
        for module, number in self.vm.evaluate(NUMBER_OF_LINES):
            source, = (source for name, source in trace.sources.items() if name.endswith(f"/{module}.erl")
                       or name == f"{module}.erl")
            # The loader leaves out a line whose instructions it replaces: one in maps, two in queue.
            print(module, len(source["lines"]), "of", number)
            self.assertLessEqual(len(source["lines"]), number)
            self.assertGreaterEqual(len(source["lines"]), number if module in ("covered", "lists") else 0.98 * number)
        self.assertGreater(trace.sources["lists.erl"]["FNDA"]["lists:map/2"], 0)

    def test_the_table_and_json(self):
        table = self.run_tool("--duration=1", "--module=covered").stdout
        self.assertIn("0 means never seen", table)
        self.assertRegex(table, r"\n +\d+ +\d+ +\d+ +\d+  \S*covered\.erl\n")
        told = self.told("--duration=1", "--module=covered", "--module=lists")
        self.assertEqual(sorted(pathlib.Path(source["source"]).name for source in told["sources"]),
                         ["covered.erl", "lists.erl"])
        self.assertTrue(all(0 < source["lines_seen"] < source["lines"] for source in told["sources"]))
        self.assertIn("0 means never seen", told["remark"])

    def test_mistakes(self):
        for code, word, flags in ((1, "no module 'nowhere'", ("--module=nowhere",)),
                                  (1, "/nowhere", ("--source-root=/nowhere",)), (1, "/nowhere", ("--output=/nowhere/x",)),
                                  (2, "extra", ("--module=covered", "extra"))):
            result = exporter.run("coverage", f"--target.pid={self.vm.pid}", "--duration=1", *flags)
            self.assertEqual((result.returncode, result.stdout), (code, ""), flags)
            self.assertIn(word, result.stderr)
        said = self.run_tool("--duration=1", f"--source-root={self.folder}", f"--output={self.folder / 'y'}").stderr
        self.assertIn("left out", said)


if __name__ == "__main__":
    Coverage.release = sys.argv.pop(1)
    unittest.main(verbosity=2)
