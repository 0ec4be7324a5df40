"""Starts programs so that none lives longer than the test, even when the test is killed."""

import ctypes
import os
import pathlib
import signal
import subprocess
import threading
import time

REPO = pathlib.Path(__file__).resolve().parents[2]
BUILD = REPO / "build"

PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True)


def _die_with_the_test():
    os.setsid()
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def spawn(argv, **options):
    return subprocess.Popen([str(word) for word in argv], preexec_fn=_die_with_the_test, **options)


def reap(process, timeout=20):
    """Ends a spawned program and everything in its session; returns its exit code."""
    if process.poll() is None:
        try:
            os.killpg(process.pid, signal.SIGCONT)
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    code = process.wait(timeout)
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream:
            stream.close()
    return code


def wait_for(what, condition, timeout=30, pause=0.05):
    """Polls until condition() is truthy and returns its value; a timeout is a failure that names `what`."""
    deadline = time.monotonic() + timeout
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {timeout} s: {what}")
        time.sleep(pause)


class LineReader:
    """Collects the lines of a stream on its own thread, so that no pipe ever fills."""

    def __init__(self, stream):
        self.lines = []
        self._arrived = threading.Condition()
        self._ended = False
        self._thread = threading.Thread(target=self._read, args=(stream,), daemon=True)
        self._thread.start()

    def _read(self, stream):
        for line in iter(stream.readline, ""):
            with self._arrived:
                self.lines.append(line.rstrip("\n"))
                self._arrived.notify_all()
        with self._arrived:
            self._ended = True
            self._arrived.notify_all()

    def find(self, match, after=0, timeout=30):
        """(index, match(line)) of the first line from `after` on for which match(line) is truthy."""
        deadline = time.monotonic() + timeout
        with self._arrived:
            while True:
                for index in range(after, len(self.lines)):
                    found = match(self.lines[index])
                    if found:
                        return index, found
                after = len(self.lines)
                left = deadline - time.monotonic()
                if self._ended or left <= 0:
                    why = "the stream ended" if self._ended else f"nothing in {timeout} s"
                    raise AssertionError(f"expected line did not come ({why}); last lines: {self.lines[-20:]}")
                self._arrived.wait(left)

    def text(self):
        return "\n".join(self.lines)

    def join(self):
        self._thread.join(10)
