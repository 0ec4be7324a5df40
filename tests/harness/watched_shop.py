"""A VM that fills every metric, the exporter with every feature on, and a Prometheus that scrapes it."""

import contextlib
import pathlib
import subprocess
import tempfile

from harness.beam_target import BeamTarget
from harness.dashboards import RULES
from harness.erlang_runtime import installed
from harness.exporter import Exporter
from harness.processes import REPO, wait_for
from harness.prometheus_server import Prometheus

SETTINGS = """\
growth: {enabled: true}
memory: {interval: 1s, carrier_interval: 2s}
process_scan: {interval: 1s}
vitals: {interval: 1s}
"""
# The same VM twice: with the labels of a plain scrape job, and with those of a PodMonitor.
JOBS = {"beam": {},
        "shop/beam": {"namespace": "shop", "pod": "shop-0", "container": "beam-exporter", "instance": "shop-0"}}


def both_jobs(address):
    return {job: [{"targets": [address], "labels": labels}] for job, labels in JOBS.items()}


def compile_demo(folder):
    subprocess.run(["erlc", "-o", folder, *(REPO / "deploy" / "demo").glob("*.erl")], check=True)


@contextlib.contextmanager
def shop():
    """(vm, exporter) once the exporter has attached."""
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()))
        compile_demo(folder)
        vm = stack.enter_context(BeamTarget(installed(), "busy_shop", flags=("-pa", folder)))
        exporter = stack.enter_context(Exporter(f"--target.pid={vm.pid}", settings=SETTINGS))
        exporter.await_up()
        yield vm, exporter


@contextlib.contextmanager
def watched_shop(jobs=both_jobs):
    """(vm, prometheus) once every family has been scraped."""
    with contextlib.ExitStack() as stack:
        vm, exporter = stack.enter_context(shop())
        address = exporter.url.removeprefix("http://")
        prometheus = stack.enter_context(Prometheus(address, RULES, jobs=jobs(address)))
        vm.ask("holes 300")
        wait_for("the last kinds of data", lambda: prometheus.query("beam_allocator_growth_bytes_total")
                 and prometheus.query("beam_nif_hold_seconds_count > 0"), timeout=60)
        yield vm, prometheus
