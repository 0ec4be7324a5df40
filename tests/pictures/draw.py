"""Draws every dashboard from its JSON with the data of a real VM: dashboards/images/*.png.

cd tests && python3 -m pictures.draw [MINUTES]

It is not Grafana: a page of ours lays the panels out as the JSON says, draws time series with uPlot as Grafana does, and
headless Chromium takes the picture. deploy/install-dependencies.sh --pictures installs what it needs, npm the drawing itself.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import time

from harness import dashboards, requirements
from harness.beam_target import BeamTarget
from harness.dashboards import filled_in
from harness.erlang_runtime import installed
from harness.exporter import Exporter
from harness.watched_shop import watched_shop

HERE = pathlib.Path(__file__).parent
IMAGES = dashboards.FOLDER / "images"
UPLOT = HERE / "node_modules" / "uplot" / "dist"
WIDTH, ABOVE, LINE = 1500, 108, 38
SCRAPE = 5  # seconds; what $__rate_interval is made of
VALUES = {"job": ["beam"], "pod": [".*"], "instance": ["shop-1"], "allocator": [".*"]}
PAGE = """\
<!doctype html><meta charset="utf-8"><link rel="stylesheet" href="{uplot}/uPlot.min.css"><link rel="stylesheet" href="{here}/page.css">
<body><h1></h1><nav></nav><main></main>
<script src="{uplot}/uPlot.iife.min.js"></script><script src="{here}/format.js"></script><script src="{here}/charts.js"></script>
<script>const DASHBOARD = {data};</script><script src="{here}/page.js"></script>
"""


def jobs(*addresses):
    return {"beam": [{"targets": [address], "labels": {"instance": f"shop-{number}"}}
                     for number, address in enumerate(addresses, 1)]}


def answered(name, dashboard, prometheus, start, end):
    values = {**VALUES, "instance": [".*"]} if name == "overview" else VALUES
    for panel in dashboards.panels(dashboard):
        for target in panel["targets"]:
            expression = filled_in(target["expr"], values, int(end - start), SCRAPE, SCRAPE)
            if target.get("instant"):
                answer = [(labels, [end], [value]) for labels, value in prometheus.query(expression)]
            else:
                answer = [(labels, *zip(*points)) for labels, points
                          in prometheus.query_range(expression, start, end, SCRAPE)]
            target["answer"] = [(labels, times, [None if value != value else value for value in values])
                                for labels, times, values in answer]
    for variable in dashboard["templating"]["list"]:
        variable["shown"] = values.get(variable["name"], ["Prometheus"])[0].replace(".*", "All")
    return dashboard


def picture(name, dashboard, folder):
    page = folder / f"{name}.html"
    page.write_text(PAGE.format(uplot=UPLOT.as_uri(), here=HERE.resolve().as_uri(), data=json.dumps(dashboard)))
    height = ABOVE + LINE * max(panel["gridPos"]["y"] + panel["gridPos"]["h"] for panel in dashboard["panels"])
    image = IMAGES / f"{name}.png"
    subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--allow-file-access-from-files",
                    f"--user-data-dir={folder}/profile", f"--window-size={WIDTH},{height}", "--virtual-time-budget=4000",
                    f"--screenshot={image}", page.as_uri()], check=True, capture_output=True, timeout=120)
    subprocess.run(["pngquant", "--force", "--ext=.png", "128", image], check=True)
    print(f"{image.name}: {image.stat().st_size / 1024:.0f} KiB")


def main(minutes):
    requirements.program("chromium", "pngquant")
    if not UPLOT.exists():
        subprocess.run(["npm", "install", "--no-audit", "--no-fund"], cwd=HERE, check=True)
    IMAGES.mkdir(exist_ok=True)
    with BeamTarget(installed(), "idle") as idle, Exporter(f"--target.pid={idle.pid}") as beside, \
            watched_shop(lambda address: jobs(address, beside.url.removeprefix("http://"))) as (vm, prometheus):
        time.sleep(4 * SCRAPE)  # what the first rate() looks back on
        start = time.time()
        while time.time() < start + minutes * 60:
            time.sleep(30)
            vm.ask("holes 20")
        everything = {name: answered(name, dashboard, prometheus, start, time.time())
                      for name, dashboard in dashboards.dashboards().items()}
    titles = [dashboard["title"].removeprefix("BEAM / ") for dashboard in everything.values()]
    with tempfile.TemporaryDirectory() as folder:
        for name, dashboard in everything.items():
            picture(name, {**dashboard, "others": titles}, pathlib.Path(folder))


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 8)
