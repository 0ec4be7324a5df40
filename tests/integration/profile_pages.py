"""/debug/pprof/profile and /flamegraph of a serving exporter: many callers, too many, a VM that ends.

python3 -m integration.profile_pages OTP_RELEASE
"""

import concurrent.futures
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

from harness import exporter, requirements
from harness.beam_target import BeamTarget
from harness.erlang_runtime import named
from harness.exposition import get

FREQUENCY = 999


class ProfilePages(unittest.TestCase):
    release = "25"

    @classmethod
    def setUpClass(cls):
        requirements.may_sample()
        requirements.program("go")
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))

    def test_pages_give_the_same_to_many_at_once_and_refuse_too_many(self):
        def page(path):
            return get(watching.url + path)

        with BeamTarget(named(self.release), "mixed_work", flags=("+S", "1")) as vm, \
                exporter.Exporter(f"--target.pid={vm.pid}", f"--sampling.frequency={FREQUENCY}") as watching, \
                concurrent.futures.ThreadPoolExecutor(8) as pool:
            watching.await_up()
            vm.ask("run")
            answers = list(pool.map(page, ["/debug/pprof/profile?seconds=3"] * 3 + ["/flamegraph?seconds=3&format=svg"] * 3))
            statuses = sorted(status for status, _ in answers)
            self.assertEqual(statuses, [200] * 4 + [429] * 2)
            output = self.folder / "page.pb.gz"
            for status, body in answers[:3]:
                if status == 200:
                    output.write_bytes(body)
            top = subprocess.run(["go", "tool", "pprof", "-top", "-cum", str(output)], capture_output=True, text=True,
                                 timeout=60, check=True).stdout
            self.assertIn("mixed_work:work/1", top)
            for status, body in answers[3:]:
                if status == 200:
                    xml.etree.ElementTree.fromstring(body)
            for query in ("seconds=0", "seconds=1&format=png"):
                self.assertEqual(page("/flamegraph?" + query)[0], 400)
            # Who waits when the VM ends gets what there is, and the next one is told.
            waiting = pool.submit(page, "/debug/pprof/profile?seconds=60")
            time.sleep(2)  # samples take time
            vm.kill()
            self.assertEqual(waiting.result(10)[0], 200)
            watching.await_up(0)
            self.assertEqual(page("/flamegraph?seconds=1")[0], 503)


if __name__ == "__main__":
    ProfilePages.release = sys.argv.pop(1)
    unittest.main(verbosity=2)
