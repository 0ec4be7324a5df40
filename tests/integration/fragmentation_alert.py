"""An alert on fragmentation reaches its receiver: with a real VM, exporter, Prometheus and Alertmanager.

python3 -m integration.fragmentation_alert

The rules are the shipped ones, but the condition need not last so long; the exporter looks at the carriers every second.
"""

import pathlib
import re
import tempfile
import unittest

from harness.alertmanager_server import Alertmanager
from harness.beam_target import BeamTarget
from harness.erlang_runtime import installed
from harness.exporter import Exporter
from harness.processes import REPO, wait_for
from harness.prometheus_server import Prometheus

SETTINGS = "memory: {interval: 500ms, carrier_interval: 1s}\n"
ALERT = "BeamFragmentationHigh"
MIB = 400


class FragmentationAlert(unittest.TestCase):
    def hasty_rules(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        for path in (REPO / "dashboards" / "rules").glob("*.yaml"):
            (folder / path.name).write_text(re.sub(r"for: \d+m", "for: 2s", path.read_text()))
        return folder

    def test_holes_reach_the_receiver_and_so_does_their_end(self):
        with BeamTarget(installed(), "memory", flags=("+S", "2")) as vm, \
                Exporter(f"--target.pid={vm.pid}", settings=SETTINGS) as exporter, \
                Alertmanager() as manager:
            exporter.await_up()
            address = exporter.url.removeprefix("http://")
            with Prometheus(address, self.hasty_rules(), manager.address) as prometheus:
                wait_for("the recording rules answer", lambda: prometheus.query(
                    "instance_allocator:beam_allocator_free:ratio{allocator='binary_alloc'}"), timeout=60)
                self.assertEqual(manager.query(f"alertname={ALERT}"), [])

                vm.ask(f"fragment binary_alloc {MIB}")
                fired = wait_for("the alert is received", lambda: [
                    alert for alert in manager.received if alert["labels"]["alertname"] == ALERT], timeout=90)[0]
                self.assertEqual(fired["status"], "firing")
                self.assertEqual(fired["labels"], {"alertname": ALERT, "severity": "warning", "job": "beam",
                                                   "instance": address, "allocator": "binary_alloc"})
                self.assertRegex(fired["annotations"]["description"], r"^binary_alloc of .* has been [\d.]+% free")
                self.assertIn(fired["labels"], manager.query(f"alertname={ALERT}"))
                # The alert has the same numbers as the VM.
                free, = [value for _, value in prometheus.query("beam_allocator_free_bytes{allocator='binary_alloc'}")]
                truth = sum(instance[kind][1] - instance[kind][3] for instance in vm.ask("allocators")["binary_alloc"]
                            for kind in ("mbcs", "mbcs_pool"))
                print(f"{fired['annotations']['description']} {free / 2**20:.0f} MiB, the VM: {truth / 2**20:.0f} MiB")
                self.assertAlmostEqual(free, truth, delta=0.05 * truth)

                vm.ask("release")
                wait_for("the alert ends", lambda: not prometheus.query(f"ALERTS{{alertname='{ALERT}'}}"), timeout=60)


if __name__ == "__main__":
    unittest.main(verbosity=2)
