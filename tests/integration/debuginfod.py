"""Symbols of a stripped library come from a debuginfod server, which is elfutils' own.

python3 -m integration.debuginfod OTP_RELEASE
"""

import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import unittest
import urllib.error
import urllib.request

from harness import exporter, nif, requirements
from harness.beam_target import BeamTarget
from harness.erlang_runtime import named
from harness.exporter import Exporter
from harness.processes import reap, spawn, wait_for
from harness.rabbitmq_node import free_port

STATIC = "wait_in_c"  # a static function of pinned_nif.c
BLAMED = f"blame: {{functions: [{STATIC}]}}\n"
UNNAMED = "the VM has no native function of that name to blame"
UNKNOWN = f"no native function '{STATIC}'"


class Server:
    """debuginfod, which has the debug files of one folder."""

    def __init__(self, folder, build_id):
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        self._process = spawn(["debuginfod", "--fdcache-mbs=1", "-d", folder / "index", "-p", str(port), "-F", folder],
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            wait_for("debuginfod has the file", lambda: self._has(build_id), 60)
        except BaseException:
            self.end()
            raise

    def _has(self, build_id):
        try:
            with urllib.request.urlopen(f"{self.url}/buildid/{build_id}/debuginfo", timeout=5) as answer:
                return answer.status == 200
        except (urllib.error.URLError, OSError):
            return False

    def end(self):
        reap(self._process)


class Debuginfod(unittest.TestCase):
    release = "25"

    @classmethod
    def setUpClass(cls):
        requirements.may_sample()
        requirements.program("objcopy", "debuginfod", "readelf")
        runtime = named(cls.release)
        inside = runtime.prepare() / "served"
        folder = runtime.outside() / "served"
        nif.compile_into(folder, "pinned_nif", "-g")
        library = folder / "pinned_nif.so"
        cls.files = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.files.cleanup)
        shelf = pathlib.Path(cls.files.name)
        subprocess.run(["objcopy", "--only-keep-debug", library, shelf / "kept.debug"], check=True)
        subprocess.run(["objcopy", "--strip-all", library], check=True)
        notes = subprocess.run(["readelf", "-n", library], capture_output=True, text=True, check=True).stdout
        cls.server = Server(shelf, re.search("Build ID: ([0-9a-f]+)", notes)[1])
        cls.addClassCleanup(cls.server.end)
        cls.vm = BeamTarget(runtime, "pinned", inside, flags=("+S", "2"))
        cls.addClassCleanup(cls.vm.kill)

    def setUp(self):
        cache = tempfile.TemporaryDirectory()
        self.addCleanup(cache.cleanup)
        self.addCleanup(os.environ.pop, "DEBUGINFOD_CACHE_PATH", None)
        os.environ["DEBUGINFOD_CACHE_PATH"] = cache.name
        self.target = f"--target.pid={self.vm.pid}"

    def blame(self, *flags):
        result = exporter.run("blame", self.target, "--duration=1", *flags, STATIC)
        print(result.stdout, result.stderr)
        return result

    def test_a_tool_waits_for_them(self):
        self.assertIn(UNKNOWN, self.blame().stderr)
        found = self.blame(f"--builds.debuginfod-urls={self.server.url}")
        self.assertEqual(found.returncode, 0, found.stderr)
        self.assertIn(f"{STATIC}: ", found.stdout)

    def test_serving_does_not_wait_and_has_them_later(self):
        flags = (self.target, f"--builds.debuginfod-urls={self.server.url}")
        with Exporter(*flags, settings=BLAMED) as served:
            served.log.find(lambda line: "debug file fetched" in line and "pinned_nif.so" in line)
            first, _ = served.log.find(lambda line: "attached to the VM" in line)
            again, _ = served.log.find(lambda line: "attached to the VM" in line, after=first + 1)
            served.log.find(lambda line: 'msg="sampling"' in line, after=again)
            self.assertEqual(served.await_up().value("beam_target_restarts_total"), 0)
            self.assertEqual(served.stop(), 0)
            self.assertNotIn(UNNAMED, "\n".join(served.log.lines[again:]))

    def test_a_server_that_is_not_there_is_named_and_harms_nothing(self):
        flag = f"--builds.debuginfod-urls=http://127.0.0.1:{free_port()}"
        refused = self.blame(flag)
        self.assertIn(UNKNOWN, refused.stderr)
        self.assertEqual(refused.stderr.count("debuginfod: "), 1, refused.stderr)
        with Exporter(self.target, flag, settings=BLAMED) as served:
            served.await_up()
            served.log.find(lambda line: "debuginfod: " in line)
            served.log.find(lambda line: UNNAMED in line)

    def test_a_server_that_does_not_answer_holds_up_nothing(self):
        with socket.socket() as silent:
            silent.bind(("127.0.0.1", 0))
            silent.listen()
            with Exporter(self.target, f"--builds.debuginfod-urls=http://127.0.0.1:{silent.getsockname()[1]}") as served:
                served.await_up(timeout=10)
                self.assertEqual(served.stop(timeout=10), 0)

    def test_the_library_that_is_missing_is_named(self):
        requirements.program("unshare")
        library = subprocess.run("ldconfig -p | sed -n 's/.*libdebuginfod.so.1 .*=> //p' | head -n 1", shell=True,
                                 capture_output=True, text=True, check=True).stdout.strip()
        hidden = ("unshare", "--mount", "sh", "-c", f'mount --bind /dev/null "$(readlink -f {library})" && exec "$@"', "sh")
        result = exporter.run("check", self.target, f"--builds.debuginfod-urls={self.server.url}", prefix=hidden)
        print(result.stderr)
        self.assertEqual(result.returncode, 2)
        self.assertRegex(result.stderr, "^beam_exporter: builds.debuginfod_urls: .*install libdebuginfod")


if __name__ == "__main__":
    Debuginfod.release = sys.argv.pop()
    unittest.main(verbosity=2)
