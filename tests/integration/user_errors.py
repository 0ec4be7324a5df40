"""Each mistake a user can make gets one clear line and the right exit code."""

import contextlib
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import unittest

from harness import exporter, requirements
from harness.beam_target import BeamTarget
from harness.erlang_runtime import installed
from harness.processes import reap, spawn

USAGE, FAILED = 2, 1
NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all", "--bounding-set=-all")


class UserErrors(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        requirements.may_sample()
        cls.vm = BeamTarget(installed(), "idle")
        cls.addClassCleanup(cls.vm.kill)

    def refuse(self, code, words, *flags, prefix=()):
        """The exporter ends with this code and writes one line that contains all these words."""
        result = exporter.run(*flags, "--log.level=error", "--web.listen-address=127.0.0.1:0", prefix=prefix)
        lines = [line for line in result.stderr.splitlines() if line.strip()]
        print(result.returncode, lines)
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertEqual(len(lines), 1, result.stderr)
        for word in words:
            self.assertIn(word.lower(), lines[0].lower())
        return result

    def settings(self, text):
        file = tempfile.NamedTemporaryFile("w", suffix=".yaml")
        self.addCleanup(file.close)
        file.write(text)
        file.flush()
        return file.name

    def test_no_capability(self):
        requirements.root_user()
        requirements.program("setpriv")
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            binary = pathlib.Path(shutil.copy(exporter.BINARY, folder))
            result = subprocess.run(
                [*NOBODY, binary, "--once=1", f"--target.pid={self.vm.pid}", "--log.level=error"],
                stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        lines = [line for line in result.stderr.splitlines() if line.strip()]
        print(result.returncode, lines)
        self.assertEqual(result.returncode, FAILED, result.stderr)
        self.assertEqual(len(lines), 1)
        self.assertIn(str(self.vm.pid), lines[0])
        self.assertRegex(lines[0], "CAP_(SYS_PTRACE|PERFMON|SYS_ADMIN)")

    def test_wrong_pid(self):
        gone = spawn(["true"])
        gone.wait()
        self.refuse(FAILED, [str(gone.pid)], "--once=1", f"--target.pid={gone.pid}")

    def test_not_a_beam(self):
        other = spawn(["sleep", "100"])
        self.addCleanup(reap, other)
        self.refuse(FAILED, [str(other.pid), "sleep"], "--once=1", f"--target.pid={other.pid}")

    def test_two_vms_and_no_choice(self):
        with BeamTarget(installed(), "idle") as second:
            self.refuse(FAILED, [str(self.vm.pid), str(second.pid), "--target.pid"], "--once=1")

    def test_match_of_two(self):
        with BeamTarget(installed(), "idle"):
            self.refuse(FAILED, ["--target"], "--once=1", "--target.match=puppet main idle")

    def test_bad_regular_expression(self):
        self.refuse(USAGE, ["--target.match"], "--target.match=(")

    def test_unknown_flag(self):
        self.refuse(USAGE, ["--no-such-flag"], "--no-such-flag")

    def test_frequency_out_of_range(self):
        for wrong in ("0", "-5", "99999999", "often"):
            with self.subTest(wrong):
                self.refuse(USAGE, ["--sampling.frequency"], f"--sampling.frequency={wrong}")

    def test_settings_with_an_unknown_key(self):
        name = self.settings("sampling:\n  frequency: 99\n  frequenzy: 100\n")
        self.refuse(USAGE, [f"{name}:3", "frequenzy"], f"--config.file={name}")
        self.refuse(USAGE, [f"{name}:3", "frequenzy"], f"--config.file={name}", "--check-config")

    def test_settings_that_are_no_yaml(self):
        name = self.settings("sampling: {frequency: 99\n")
        self.refuse(USAGE, [name], f"--config.file={name}")

    def test_settings_file_that_is_not_there(self):
        self.refuse(USAGE, ["no-such-file.yaml"], "--config.file=no-such-file.yaml")

    def test_what_serve_refuses_check_config_refuses(self):
        """Every command refuses the settings with the same line and the same code."""
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "bad.yaml").write_text("not: a layout\n")
            for words, flag in (
                    (["--web.telemetry-path", "/-/x", "health and reload"], "--web.telemetry-path=/-/x"),
                    (["--web.config.file", "not supported yet"], "--web.config.file=web.yaml"),
                    (["layouts.directory", "no-such-folder"], "--layouts.directory=no-such-folder"),
                    (["layouts.directory", "bad.yaml"], f"--layouts.directory={folder}"),
                    (["builds.directory", "no-such-folder"], "--builds.directory=no-such-folder"),
                    (["builds.directory", "bad.yaml"], f"--builds.directory={folder}"),
                    (["--builds.debuginfod-urls", "debuginfod.example"], "--builds.debuginfod-urls=debuginfod.example")):
                with self.subTest(flag):
                    said = {self.refuse(USAGE, words, flag, *command).stderr
                            for command in ([], ["--once=1"], ["--check-config"])}
                    self.assertEqual(len(said), 1, said)
        for text, words in (("web:\n  telemetry_path: /-/x\n", [":2", "web.telemetry_path"]),
                            ("web:\n  config_file: web.yaml\n", [":2", "web.config_file"])):
            with self.subTest(text):
                self.refuse(USAGE, words, f"--config.file={self.settings(text)}", "--check-config")

    def test_ipv6_is_judged_as_it_is_served(self):
        address = "--web.listen-address=[::1]:0"
        result = exporter.run(address, "--check-config")
        if result.returncode == 0:  # this civetweb has IPv6
            return
        for command in ([], ["--once=1"], ["--check-config"]):
            self.refuse(USAGE, ["[::1]:0", "IPv6"], address, *command)

    def test_port_in_use(self):
        with contextlib.closing(socket.create_server(("127.0.0.1", 0))) as taken:
            port = taken.getsockname()[1]
            result = exporter.run(f"--web.listen-address=127.0.0.1:{port}", f"--target.pid={self.vm.pid}",
                                  "--log.level=error")
        lines = result.stderr.splitlines()
        print(result.returncode, lines)
        self.assertEqual((result.returncode, len(lines)), (FAILED, 1), result.stderr)
        self.assertIn(str(port), lines[0])

    def test_address_that_is_none(self):
        result = exporter.run("--web.listen-address=nowhere", "--log.level=error")
        self.assertEqual((result.returncode, len(result.stderr.splitlines())), (USAGE, 1), result.stderr)
        self.assertIn("nowhere", result.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
