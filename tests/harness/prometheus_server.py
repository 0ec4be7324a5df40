"""Debian's real Prometheus, which scrapes one address every second, in a temporary folder."""

import json
import re
import subprocess
import tempfile
import urllib.parse

from harness import requirements
from harness.exposition import fetch
from harness.processes import LineReader, reap, spawn, wait_for

CONFIGURATION = """\
global:
  scrape_interval: 1s
  scrape_timeout: 1s
  evaluation_interval: 1s
scrape_configs:
"""
JOB = """\
  - job_name: {job}
    static_configs: {static_configs}
"""
ALERTING = """\
alerting:
  alertmanagers:
    - static_configs:
        - targets: ["{address}"]
"""


class PrometheusApi:
    """The API of a Prometheus at this address."""

    def __init__(self, url):
        self.url = url

    def query(self, expression):
        """[(labels, value)] of an instant query."""
        result = self.ask("query", query=expression)["result"]
        return [(row["metric"], float(row["value"][1])) for row in result]

    def query_range(self, expression, start, end, step):
        """[(labels, [(time, value)])]"""
        result = self.ask("query_range", query=expression, start=start, end=end, step=step)["result"]
        return [(row["metric"], [(time, float(value)) for time, value in row["values"]]) for row in result]

    def label_values(self, selector, label):
        return self.ask(f"label/{label}/values", **{"match[]": selector})

    def ask(self, path, **parameters):
        _, _, body = fetch(f"{self.url}/api/v1/{path}?" + urllib.parse.urlencode(parameters))
        answer = json.loads(body)
        assert answer["status"] == "success", body
        return answer["data"]

    def targets(self):
        return self.ask("targets")["activeTargets"]


class Prometheus(PrometheusApi):
    def __init__(self, address, rules="", alertmanager="", jobs=None):
        """`rules`: a folder of rule files; `alertmanager`: the address that receives the alerts; `jobs`: the static
        configurations of each job, instead of this one address."""
        requirements.program("prometheus", "promtool")
        self._folder = tempfile.TemporaryDirectory(prefix="prometheus-")
        config = f"{self._folder.name}/prometheus.yml"
        with open(config, "w") as file:
            file.write(CONFIGURATION)
            for job, static_configs in (jobs or {"beam": [{"targets": [address]}]}).items():
                file.write(JOB.format(job=job, static_configs=json.dumps(static_configs)))
            if rules:
                file.write(f"rule_files: ['{rules}/*.yaml']\n")
            if alertmanager:
                file.write(ALERTING.format(address=alertmanager))
        self._process = spawn(
            ["prometheus", f"--config.file={config}", f"--storage.tsdb.path={self._folder.name}/data",
             "--web.listen-address=127.0.0.1:0"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.log = LineReader(self._process.stderr)
        try:
            _, found = self.log.find(re.compile(r"[Ll]istening.*address=(127\.0\.0\.1:[1-9]\d*)").search)
            super().__init__("http://" + found[1])
            wait_for("Prometheus is ready", lambda: fetch(self.url + "/-/ready")[0] == 200)
        except BaseException:
            self.stop()
            raise

    def stop(self):
        reap(self._process)
        self._folder.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
