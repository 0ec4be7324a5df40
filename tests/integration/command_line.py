"""Flags, signals and reloads of the running exporter."""

import re
import signal
import tempfile
import time
import unittest
import urllib.request

from harness import exporter
from harness.beam_target import BeamTarget
from harness.erlang_runtime import installed
from harness.exporter import Exporter
from harness.exposition import Exposition
from harness.processes import REPO, wait_for


class CommandLine(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.vm = BeamTarget(installed(), "three_functions", 1, flags=("+S", "1"))
        cls.addClassCleanup(cls.vm.kill)
        cls.vm.ask("run")
        cls.target = f"--target.pid={cls.vm.pid}"

    def settings(self, text):
        file = tempfile.NamedTemporaryFile("w", suffix=".yaml")
        self.addCleanup(file.close)
        self.rewrite(file, text)
        return file

    @staticmethod
    def rewrite(file, text):
        file.seek(0)
        file.truncate()
        file.write(text)
        file.flush()

    def test_version(self):
        result = exporter.run("--version")
        self.assertEqual(result.returncode, 0)
        wanted = re.search(r"project\(beam_exporter VERSION (\S+)", (REPO / "CMakeLists.txt").read_text())[1]
        self.assertIn(wanted, result.stdout)

    def test_help_names_every_documented_flag(self):
        result = exporter.run("--help")
        self.assertEqual(result.returncode, 0)
        for flag in ("--target.pid", "--target.match", "--sampling.frequency", "--sampling.source", "--config.file",
                     "--check-config", "--once", "--version", "--web.listen-address", "--web.telemetry-path",
                     "--web.config.file", "--web.max-requests", "--web.disable-exporter-metrics", "--log.level",
                     "--log.format"):
            self.assertIn(flag, result.stdout)

    def test_shipped_settings_are_good(self):
        result = exporter.run("--check-config", f"--config.file={REPO}/config/beam_exporter.yaml")
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_once_prints_one_exposition(self):
        result = exporter.run("--once=2", self.target)
        self.assertEqual(result.returncode, 0, result.stderr)
        scrape = Exposition(result.stdout, openmetrics=result.stdout.endswith("# EOF\n"))
        self.assertEqual(scrape.value("beam_up"), 1)
        self.assertGreater(scrape.total("beam_function_cpu_seconds_total", module="three_functions"), 0.5)

    def test_terminates_cleanly(self):
        with Exporter(self.target) as running:
            running.await_up()
            began = time.monotonic()
            self.assertEqual(running.stop(), 0)
            self.assertLess(time.monotonic() - began, 5)

    def test_terminates_cleanly_without_a_vm(self):
        with Exporter("--target.match=no such vm at all") as running:
            self.assertEqual(running.scrape().value("beam_up"), 0)
            self.assertEqual(running.stop(), 0)

    @staticmethod
    def frequency(running):
        """Samples per second of CPU time, over at least one such second: equal to the setting at any load."""
        def counted(scrape):
            return scrape.value("beam_samples_total"), scrape.total("beam_vm_cpu_seconds_total")

        samples, used = counted(running.scrape())
        later = running.await_scrape("a second of CPU time", lambda scrape: counted(scrape)[1] > used + 1)
        return (counted(later)[0] - samples) / (counted(later)[1] - used)

    def test_reload_good_and_bad(self):
        settings = self.settings("sampling:\n  frequency: 50\n")
        with Exporter(self.target, f"--config.file={settings.name}") as running:
            running.await_up()
            self.assertLess(self.frequency(running), 100)

            self.rewrite(settings, "sampling:\n  frequency: 400\n")
            running.signal(signal.SIGHUP)
            wait_for("400 Hz after SIGHUP", lambda: self.frequency(running) > 250, timeout=60)

            mark = len(running.log.lines)
            self.rewrite(settings, "sampling:\n  frequency: 10\n  frequenzy: 50\n")
            running.signal(signal.SIGHUP)
            running.log.find(re.compile("frequenzy").search, after=mark)
            self.assertGreater(self.frequency(running), 250)
            self.assertEqual(self.reload(running)[0] // 100, 5)
            self.assertGreater(self.frequency(running), 250)

            self.rewrite(settings, "sampling:\n  frequency: 50\n")
            self.assertEqual(self.reload(running)[0], 200)
            wait_for("50 Hz after POST /-/reload", lambda: self.frequency(running) < 100, timeout=60)
            self.assertEqual(running.get("/-/reload")[0], 405)
            self.assertEqual(running.stop(), 0)

    @staticmethod
    def reload(running):
        request = urllib.request.Request(running.url + "/-/reload", method="POST")
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as answer:
            return answer.code, answer.read().decode()

    def test_pages_and_another_telemetry_path(self):
        with Exporter(self.target, "--web.telemetry-path=/else", "--web.disable-exporter-metrics") as running:
            self.assertEqual(running.get("/-/healthy")[0], 200)
            self.assertEqual(running.get("/metrics")[0], 404)
            status, _, body = running.get("/else")
            self.assertEqual(status, 200)
            self.assertNotIn("process_cpu_seconds_total", body)
            self.assertIn("/else", running.get("/", "text/html")[2])


if __name__ == "__main__":
    unittest.main(verbosity=2)
