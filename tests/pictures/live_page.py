"""Takes the picture of the live page beside a busy VM: exporter/web/images/live_page.png.

cd tests && python3 -B -m pictures.live_page [SECONDS]
"""

import contextlib
import subprocess
import sys
import tempfile
import time

from harness import requirements
from harness.beam_target import BeamTarget
from harness.browser import Browser
from harness.erlang_runtime import installed
from harness.exporter import Exporter
from harness.processes import REPO
from harness.watched_shop import SETTINGS, compile_demo

IMAGE = REPO / "exporter" / "web" / "images" / "live_page.png"


def main(seconds):
    requirements.program("pngquant")
    IMAGE.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        compile_demo(folder)
        vm = stack.enter_context(BeamTarget(installed(), "busy_shop", flags=("-pa", folder)))
        watching = stack.enter_context(Exporter(f"--target.pid={vm.pid}", settings=SETTINGS))
        browser = stack.enter_context(Browser())
        watching.await_up()
        vm.ask("holes 100")
        browser.resize(width=1280, height=900)
        browser.goto(url=watching.url + "/")
        time.sleep(seconds)
        browser.screenshot(path=str(IMAGE))
    subprocess.run(["pngquant", "--force", "--ext=.png", "128", IMAGE], check=True)
    print(f"{IMAGE.name}: {IMAGE.stat().st_size / 1024:.0f} KiB")


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 90)
