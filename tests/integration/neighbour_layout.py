"""A VM of a release for which there is no layout: that of another release is taken if every check holds, and only then."""

import json
import unittest

from harness import exporter, requirements
from harness.beam_target import BeamTarget
from harness.exporter import Exporter
from harness.renamed_release import RenamedRelease


class NeighbourLayout(unittest.TestCase):
    def vm(self, release):
        requirements.may_sample()
        vm = BeamTarget(RenamedRelease(release), "three_functions", 1)
        self.addCleanup(vm.kill)
        return vm

    def test_a_neighbour_that_fits_is_taken_with_a_warning(self):
        vm = self.vm("23")
        target = f"--target.pid={vm.pid}"
        report = json.loads(exporter.run("check", target, "--format=json").stdout)
        self.assertEqual((report["otp_release"], report["layout"], report["ok"]), ("23", "otp-25-jit", True))
        self.assertIn("no layout for OTP 23", report["note"])
        vm.ask("run")
        with Exporter(target) as served:
            served.await_up()
            served.log.find(lambda line: [line] if "no layout for OTP 23" in line and "otp-25-jit" in line else None)
            served.await_scrape("functions are named", lambda scrape: any(
                module == "three_functions" for module, _ in scrape.functions()))
        profile = exporter.run("profile", target, "--duration=1")
        self.assertIn("three_functions", profile.stdout)
        self.assertIn("no layout for OTP 23", profile.stderr)

    def test_neighbours_that_do_not_fit_are_refused_by_name(self):
        vm = self.vm("30")
        result = exporter.run("check", f"--target.pid={vm.pid}")
        print(result.returncode, result.stderr)
        self.assertEqual(result.returncode, 1)
        for words in ("no layout for OTP 30", "otp-29-jit: ", "otp-28-jit: "):
            self.assertIn(words, result.stderr)
        self.assertEqual(len(result.stderr.splitlines()), 1)

    def test_a_known_release_is_never_read_by_another(self):
        vm = self.vm("27")
        result = exporter.run("check", f"--target.pid={vm.pid}")
        print(result.returncode, result.stdout, result.stderr)
        self.assertEqual(result.returncode, 1)
        self.assertNotIn("otp-25", result.stdout + result.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
