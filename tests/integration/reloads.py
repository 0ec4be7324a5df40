"""A hot module is reloaded 1,000 times in a minute, and no name is ever wrong (tests/targets/reloader.erl)."""

import re
import unittest

from harness import proc
from harness.beam_target import BeamTarget
from harness.erlang_runtime import installed
from harness.exporter import Exporter
from harness.exposition import growth

COUNT, EVERY_MS = 1000, 60
FREQUENCY = 499
# Every version must have its own series, otherwise a wrong name could hide in `other`.
SETTINGS = "functions:\n  top: 3000\n"
RAN = re.compile(r"v(\d+)_(work|burst)/2")


class Reloads(unittest.TestCase):
    def test_no_wrong_name(self):
        with BeamTarget(installed(), "reloader", flags=("+S", "2")) as vm, \
                Exporter(f"--target.pid={vm.pid}", f"--sampling.frequency={FREQUENCY}", settings=SETTINGS) as exporter:
            exporter.await_up()
            before = exporter.settled({"hot"})
            cpu = sum(proc.cpu_seconds(vm.pid))
            vm.ask(f"reload {COUNT} {EVERY_MS}", timeout=150)
            cpu = sum(proc.cpu_seconds(vm.pid)) - cpu
            after = exporter.settled({"hot"})
            self.assertTrue(exporter.running())
            self.assertEqual(after.value("beam_up"), 1)
            loaded = vm.loaded_functions()
            truth = {version: us / 1e6 for version, us in vm.ask("versions")}
            self.assertEqual(exporter.stop(), 0)

        self.assertEqual(len(truth), COUNT)
        gained = growth(before.functions(), after.functions())
        named = {function: seconds for (module, function), seconds in gained.items() if module == "hot"}
        sampled = {}
        for function, seconds in named.items():
            match = RAN.fullmatch(function)
            self.assertTrue(match, f"hot:{function} never ran")
            version = int(match[1])
            self.assertIn(version, truth, f"hot:{function} never existed")
            self.assertGreater(truth[version], 0, f"hot:{function} was loaded but never ran")
            sampled[version] = sampled.get(version, 0.0) + seconds
        for version, seconds in sampled.items():
            self.assertLessEqual(seconds, truth[version] + 4 / FREQUENCY, f"version {version} got too much")
        strangers = {key for key in after.functions() if key[0] not in ("hot", "")} - loaded
        self.assertEqual(strangers, set())
        samples = after.value("beam_samples_total") - before.value("beam_samples_total")
        nameless = (after.total("beam_samples_unattributed_total")
                    - before.total("beam_samples_unattributed_total"))
        print(f"{len(sampled)} of {COUNT // 2} versions sampled: {sum(sampled.values()):.2f} s of"
              f" {sum(truth.values()):.2f} s that they ran; {sum(gained.values()):.2f} s of all {cpu:.2f} s of"
              f" CPU time named; {nameless:.0f} of {samples:.0f} samples without a name")
        # "No wrong name" must not mean "no name": nearly all that ran has a name, and so does nearly every version.
        self.assertGreater(len(sampled), 0.95 * COUNT / 2)
        self.assertGreater(sum(gained.values()), 0.95 * cpu)
        self.assertLess(nameless, 0.02 * samples)


if __name__ == "__main__":
    unittest.main(verbosity=2)
