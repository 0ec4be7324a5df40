"""A real Chromium with one page."""

import json
import subprocess

from harness import npm_folder, requirements
from harness.processes import REPO, reap, spawn


class Browser:
    def __init__(self):
        requirements.program("chromium")
        folder = npm_folder.install(REPO / "tests" / "harness" / "browser", "browser", "browse.mjs")
        self._process = spawn(["node", folder / "browse.mjs"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.stdin.close()  # the script closes Chromium, which has a session of its own
        self._process.wait(30)
        reap(self._process)

    def __getattr__(self, call):
        """browser.click(role="button", name="Freeze"): the calls of browser/browse.mjs."""
        return lambda **rest: self._ask(call, rest)

    def _ask(self, call, rest):
        self._process.stdin.write(json.dumps({"call": call, **rest}) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline() or '{"error": "the browser has ended"}')
        assert "error" not in answer, f"{call} {rest}: {answer}"
        return answer["result"]

    def text(self, selector):
        return self.evaluate(expression=f"document.querySelector({json.dumps(selector)})?.textContent ?? ''")

    def rows(self, selector):
        """The texts of the cells of each row of a table's body."""
        return self.evaluate(expression=f"[...document.querySelectorAll({json.dumps(selector + ' tbody tr')})]"
                                        ".map((row) => [...row.children].map((cell) => cell.innerText))")
