"""The demo VM of quickstart: everything has a name, and the shares are those of deploy/demo/shop.erl.

python3 -m integration.demo
"""

import os
import pathlib
import subprocess
import tempfile
import time
import unittest

from harness import watched_shop
from harness.exporter import Exporter
from harness.processes import reap, spawn

SECONDS = 15
# Share of the VM's work by process; the receiver's cost of the messages belongs to the archive.
PROCESSES = {"shop_pricing_1": 30, "shop_search_1": 20, "shop_fraud_1": 15, "shop_sessions_1": 15,
             "shop_events_1": 10, "shop_images_1": 5}


class Demo(unittest.TestCase):
    def demo_vm(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        watched_shop.compile_demo(folder)
        os.mkfifo(folder / "ready")
        vm = spawn(["erl", "-noinput", "-pa", folder, "-s", "shop", "main", folder / "ready"],
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        self.addCleanup(reap, vm)
        self.assertEqual((folder / "ready").read_text(), "ready\n")
        return vm.pid

    def test_everything_has_a_name(self):
        with Exporter(f"--target.pid={self.demo_vm()}", "--sampling.frequency=999") as exporter:
            before = exporter.await_up()
            time.sleep(SECONDS)
            after = exporter.scrape()

        def gained(name, **labels):
            return after.total(name, **labels) - before.total(name, **labels)

        samples, nameless = gained("beam_samples_total"), gained("beam_samples_unattributed_total")
        print(f"{samples:.0f} samples, {nameless:.0f} unattributed")
        self.assertGreater(samples, 0.2 * SECONDS * 999)
        self.assertLessEqual(nameless, 0.001 * samples)

        times = {name: gained("beam_process_cpu_seconds_total", process=name) for name in PROCESSES}
        for name, share in PROCESSES.items():
            ours = times[name] / sum(times.values())
            print(f"{name}: {ours:.1%} of the workers' time, {share / sum(PROCESSES.values()):.1%} by design")
            # How much work that is was measured before, when the machine was faster for one kind of work than now.
            self.assertAlmostEqual(ours, share / sum(PROCESSES.values()), delta=0.08)
        hashing = gained("beam_nif_cpu_seconds_total", module="crypto")
        print(f"crypto's NIFs: {hashing:.2f} s of shop_sessions_1's {times['shop_sessions_1']:.2f} s")
        self.assertGreater(hashing, 0.4 * times["shop_sessions_1"])
        self.assertLess(hashing, 1.01 * times["shop_sessions_1"] + 0.1)
        copies = {(labels["module"], labels["function"]): seconds for labels, seconds
                  in after.samples("beam_blame_cpu_seconds_total", native="copy_struct")}
        print(f"copy_struct: {copies}")
        self.assertEqual(max(copies, key=copies.get), ("shop_events", "publish/1"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
