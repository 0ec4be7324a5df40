"""The exporter under test, on a free port, with its log and its exit code."""

import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time

from harness import requirements
from harness.exposition import OPENMETRICS, Exposition, fetch
from harness.processes import BUILD, LineReader, reap, spawn, wait_for

BINARY = pathlib.Path(os.environ.get("BEAM_EXPORTER", BUILD / "release" / "beam_exporter"))
LAST_SUCCESS = "beam_exporter_collector_last_success_timestamp_seconds"
DURATION = "beam_exporter_collector_duration_seconds"
ADDRESS = re.compile(r"127\.0\.0\.1:([1-9]\d*)")


class Exporter:
    """It serves when the constructor returns: the address comes from its log, readiness from /-/ready."""

    def __init__(self, *flags, settings="", prefix=()):
        """`settings`: the text of a settings file."""
        requirements.may_sample()
        argv = [*prefix, BINARY, "--web.listen-address=127.0.0.1:0", *flags]
        if settings:
            self._settings = tempfile.NamedTemporaryFile("w", suffix=".yaml")
            self._settings.write(settings)
            self._settings.flush()
            os.chmod(self._settings.name, 0o644)  # the exporter may run as another user
            argv.append(f"--config.file={self._settings.name}")
        self._process = spawn(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True)
        self.log = LineReader(self._process.stderr)
        self.pid = self._process.pid
        try:
            _, address = self.log.find(ADDRESS.search)
            self.url = "http://" + address[0]
            wait_for("/-/ready answers 200", lambda: self.get("/-/ready")[0] == 200)
        except BaseException:
            reap(self._process)
            raise

    def get(self, path, accept=OPENMETRICS):
        return fetch(self.url + path, accept)

    def scrape(self):
        status, _, body = self.get("/metrics")
        assert status == 200, f"/metrics answered {status}"
        return Exposition(body)

    def await_up(self, up=1, timeout=30):
        return wait_for(f"beam_up {up}", lambda: (scrape := self.scrape()).value("beam_up") == up and scrape, timeout)

    def await_scrape(self, what, condition, timeout=30):
        return wait_for(what, lambda: condition(scrape := self.scrape()) and scrape, timeout, 0.2)

    def fresh(self, *collectors, since=None):
        """A scrape whose figures were all read after that moment (default: now)."""
        since = since or time.time()
        return self.await_scrape(f"fresh {collectors}", lambda scrape: all(
            (scrape.value(LAST_SUCCESS, collector=name) or 0) - (scrape.value(DURATION, collector=name) or 0) > since
            for name in collectors))

    def settled(self, modules, snapshot=1.0, timeout=30):
        """The first scrape after which the times of these modules stay the same for three snapshots, so many
        seconds apart."""
        last, since = None, 0

        def still():
            nonlocal last, since
            scrape = self.scrape()
            now = {key: value for key, value in scrape.functions().items() if key[0] in modules}
            since = since + 1 if now == last else 0
            last = now
            return since >= 3 and scrape

        return wait_for("the totals stand still", still, timeout, snapshot)

    def running(self):
        return self._process.poll() is None

    def signal(self, number):
        self._process.send_signal(number)

    def stop(self, timeout=20):
        """SIGTERM; returns the exit code."""
        self.signal(signal.SIGTERM)
        return self.wait(timeout)

    def wait(self, timeout=20):
        code = self._process.wait(timeout)
        self.log.join()
        reap(self._process)
        return code

    def __enter__(self):
        return self

    def __exit__(self, failure, *_):
        if failure:
            print("---- the exporter's log ----\n" + "\n".join(self.log.lines[-40:]))
        reap(self._process)


def run(*flags, prefix=(), timeout=60, **options):
    """Runs the exporter until it ends; returns a CompletedProcess with exit code, stdout and stderr."""
    return subprocess.run([str(word) for word in (*prefix, BINARY, *flags)], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=timeout, **options)
