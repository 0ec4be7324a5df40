"""Takes the picture of the live page beside a busy VM: exporter/web/images/live_page.png.

cd tests && python3 -B -m pictures.live_page [SECONDS]
"""

import subprocess
import sys
import time

from harness import requirements
from harness.browser import Browser
from harness.processes import REPO
from harness.watched_shop import shop

IMAGE = REPO / "exporter" / "web" / "images" / "live_page.png"


def main(seconds):
    requirements.program("pngquant")
    IMAGE.parent.mkdir(exist_ok=True)
    with shop() as (vm, watching), Browser() as browser:
        vm.ask("holes 100")
        browser.resize(width=1280, height=900)
        browser.goto(url=watching.url + "/")
        time.sleep(seconds)
        browser.screenshot(path=str(IMAGE))
    subprocess.run(["pngquant", "--force", "--ext=.png", "128", IMAGE], check=True)
    print(f"{IMAGE.name}: {IMAGE.stat().st_size / 1024:.0f} KiB")


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 90)
