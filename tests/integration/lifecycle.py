"""One exporter, while its target starts late, is frozen, killed or replaced, or executes another release."""

import shutil
import signal
import time
import unittest

from harness import nif
from harness.beam_target import BeamTarget
from harness.erlang_runtime import ENTER, in_a_root, installed
from harness.exporter import Exporter
from harness.mark import Mark
from harness.monotonic_watch import MonotonicWatch
from harness.processes import BUILD

BURNER = {"module": "idle", "function": "burn/2"}
FUNCTION_SECONDS = "beam_function_cpu_seconds_total"
MARK = Mark()


def compile_exec_nif():
    folder = BUILD / "targets" / "nif"
    nif.compile_into(folder, "exec_nif")
    return folder


class Lifecycle(unittest.TestCase):
    def seconds(self):
        return self.exporter.scrape().total(FUNCTION_SECONDS, **BURNER)

    def start_vm(self, *arguments):
        vm = BeamTarget(installed(), "idle", *arguments, flags=("+S", "1", *MARK.flags))
        self.addCleanup(vm.kill)
        return vm

    def assert_burning_is_counted(self, vm, why):
        before = self.exporter.scrape().total(FUNCTION_SECONDS)
        vm.ask("burn 1500")
        self.exporter.await_scrape(f"CPU time is counted {why}",
                                   lambda scrape: scrape.total(FUNCTION_SECONDS) > before + 1.0)

    def restarts(self):
        return self.exporter.scrape().value("beam_target_restarts_total")

    def test_the_whole_life(self):
        new_release = in_a_root("27")
        new_folder = new_release.prepare()
        with Exporter(MARK.match) as self.exporter:
            watch = MonotonicWatch(self.exporter)
            self.addCleanup(watch.stop)

            scrape = self.exporter.scrape()
            self.assertEqual(scrape.value("beam_up"), 0)
            self.assertFalse(scrape.samples("beam_vm_info"))
            self.assertEqual(self.exporter.get("/-/ready")[0], 200)
            self.assertEqual(self.exporter.get("/-/healthy")[0], 200)

            first = self.start_vm()
            self.assertEqual(self.exporter.await_up().value("beam_target_restarts_total"), 0)
            self.assert_burning_is_counted(first, "after a late start")

            first.signal(signal.SIGSTOP)
            time.sleep(3)  # this tests the freeze itself; there is no event to wait for
            self.assertEqual(self.exporter.get("/-/healthy")[0], 200)
            self.assertEqual(self.restarts(), 0)
            first.signal(signal.SIGCONT)
            self.exporter.await_up()
            self.assert_burning_is_counted(first, "after SIGCONT")

            first.kill()
            self.exporter.await_up(0)
            counted = self.seconds()
            self.assertGreater(counted, 2.0)

            second = self.start_vm(compile_exec_nif())
            self.exporter.await_up()
            self.assertEqual(self.restarts(), 1)
            self.assertGreaterEqual(self.seconds(), counted)
            self.assert_burning_is_counted(second, "after a restart")

            sh = shutil.which("sh")
            unshare = shutil.which("unshare")
            script = BUILD / "targets" / "nif" / "other-release.sh"
            script.write_text(f"exec {unshare} --mount {sh} -c '{ENTER}' {new_release.root} erl -noshell +S 1 "
                              f"{' '.join(MARK.flags)} -pa {new_folder} -s puppet main idle\n")
            second.send(f"exec {sh} {script}")
            self.assertEqual(second.await_ready()["otp_release"], "27")
            scrape = self.exporter.await_scrape(
                "the new release is seen", lambda s: s.samples("beam_vm_info", otp_release="27"))
            self.assertEqual(scrape.value("beam_target_restarts_total"), 2)
            self.assert_burning_is_counted(second, "after an exec of another release")

            watch.stop()
            print(f"{watch.scrapes} scrapes")
            self.assertEqual(watch.complaints, [])
            self.assertGreater(watch.scrapes, 20)
            self.assertEqual(self.exporter.stop(), 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
