"""In a running exporter, a reload changes at once every setting that it may change at once.

The settings file marks the settings that wait for the next start. Every other setting needs a row here.
"""

import tempfile
import time
import unittest
import urllib.request

import yaml

from harness.beam_target import BeamTarget
from harness.erlang_runtime import installed
from harness.exporter import LAST_SUCCESS, Exporter
from harness.processes import REPO, wait_for

FUNCTIONS, INCLUSIVE = "beam_function_cpu_seconds_total", "beam_function_inclusive_cpu_seconds_total"
BLAME, PROCESSES = "beam_blame_cpu_seconds_total", "beam_process_cpu_seconds_total"
GROWTH = "beam_allocator_growth_bytes_total"
ONE_AND_OTHER = 2
# Longer than the test: a collector that runs again has taken the new interval.
SELDOM = "1h"


def is_one_and_other(name, **labels):
    return lambda test: test.count(name, **labels) == ONE_AND_OTHER


def is_absent(name):
    return lambda test: test.count(name) == 0


def runs_often(collector):
    """The collector has run between three looks within 1.4 s: far more often than each SELDOM."""
    def see(test):
        looks = []
        for _ in range(3):
            looks.append(test.exporter.scrape().value(LAST_SUCCESS, collector=collector))
            time.sleep(0.7)
        return len(set(looks)) == 3
    return see


# Key: its first value, its second value, and a condition that is true only with the second one.
ROWS = {
    "sampling.frequency": (20, 999, lambda test: test.frequency() > 300),
    "functions.top": (50, 1, is_one_and_other(FUNCTIONS)),
    "functions.inclusive_top": (50, 1, is_one_and_other(INCLUSIVE)),
    "blame.functions": (["copy_struct"], ["copy_struct", "copy_struct_x"],
                        lambda test: test.count(BLAME, native="copy_struct_x") > 0),
    "blame.top": (50, 1, is_one_and_other(BLAME, native="copy_struct")),
    "processes.top": (50, 1, is_one_and_other(PROCESSES)),
    "growth.top": (50, 1, is_one_and_other(GROWTH, allocator="eheap_alloc")),
    "memory.enabled": (True, False, is_absent("beam_memory_resident_bytes")),
    "memory.interval": (SELDOM, "100ms", runs_often("allocators")),
    "memory.instances": (True, False, is_absent("beam_allocator_instance_free_bytes")),
    "memory.carriers": (True, False, is_absent("beam_carrier_utilization_ratio_bucket")),
    "memory.carrier_interval": (SELDOM, "100ms", runs_often("carriers")),
    "process_scan.enabled": (True, False, is_absent("beam_process_messages_unmeasured")),
    "process_scan.interval": (SELDOM, "100ms", runs_often("processes")),
    "process_scan.top": (10, 0, is_absent("beam_process_heap_bytes_top")),
    "vitals.enabled": (True, False, is_absent("beam_processes")),
    "vitals.interval": (SELDOM, "100ms", runs_often("vitals")),
    "log.level": ("info", "error", lambda test: test.reload_line() is None),
    "log.format": ("logfmt", "json", lambda test: (test.reload_line() or "").startswith("{")),
}
BASE = {"snapshot": {"interval": "100ms"}, "growth": {"enabled": True}, "sampling": {"frequency": 499},
        "memory": {"interval": "300ms", "carrier_interval": "300ms"}, "process_scan": {"interval": "300ms"},
        "vitals": {"interval": "300ms"}}


def live_keys():
    """The settings of the shipped file whose comment does not say (restart)."""
    keys, section, comment = [], "", ""
    for line in (REPO / "config" / "beam_exporter.yaml").read_text().splitlines():
        word = line.strip()
        if word.startswith("#"):
            comment += word
            continue
        if word and not line.startswith(" "):
            section = word.partition(":")[0]
        elif word and "(restart)" not in comment:
            keys.append(f"{section}.{word.partition(':')[0]}")
        comment = ""
    return keys


class LiveSettings(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        vm = BeamTarget(installed(), "copying", flags=("+S", "2"))
        cls.addClassCleanup(vm.kill)
        cls.file = tempfile.NamedTemporaryFile("w", suffix=".yaml")
        cls.addClassCleanup(cls.file.close)
        cls.write({})
        cls.exporter = Exporter(f"--target.pid={vm.pid}", f"--config.file={cls.file.name}")
        cls.addClassCleanup(cls.exporter.__exit__, None)
        cls.exporter.await_up()
        # Functions and processes to choose from, of each family.
        for kind in ("send", "spawn", "insert", "collect"):
            vm.ask(f"run {kind}")
            if kind != "collect":
                time.sleep(1)
                vm.ask("stop")

    @classmethod
    def write(cls, changed):
        settings = {section: dict(values) for section, values in BASE.items()}
        for key, value in changed.items():
            section, name = key.split(".")
            settings.setdefault(section, {})[name] = value
        cls.file.seek(0)
        cls.file.truncate()
        yaml.safe_dump(settings, cls.file)
        cls.file.flush()

    def reload(self):
        request = urllib.request.Request(self.exporter.url + "/-/reload", method="POST")
        with urllib.request.urlopen(request, timeout=10) as answer:
            self.assertEqual(answer.status, 200)

    def reload_line(self):
        """The log line about a reload within half a second; None: there is none."""
        mark = len(self.exporter.log.lines)
        self.reload()
        time.sleep(0.5)
        return next((line for line in self.exporter.log.lines[mark:] if "configuration reloaded" in line), None)

    def count(self, name, **labels):
        return len(self.exporter.scrape().samples(name, **labels))

    def frequency(self):
        """Samples per second of CPU time, over half a second of it."""
        def counted(scrape):
            return scrape.value("beam_samples_total"), scrape.total("beam_vm_cpu_seconds_total")

        samples, used = counted(self.exporter.scrape())
        later = self.exporter.await_scrape("CPU time", lambda scrape: counted(scrape)[1] > used + 0.5)
        return (counted(later)[0] - samples) / (counted(later)[1] - used)

    def test_every_live_setting_has_a_row(self):
        self.assertEqual(sorted(live_keys()), sorted(ROWS))

    def test_each_reaches_its_reader(self):
        for key, (before, after, seen) in ROWS.items():
            with self.subTest(key):
                self.write({key: before})
                self.reload()
                wait_for(f"{key} {before}", lambda: not seen(self))
                self.write({key: after})
                self.reload()
                wait_for(f"{key} {after}", lambda: seen(self))


if __name__ == "__main__":
    unittest.main(verbosity=2)
