"""A VM with more threads than the exporter has descriptors for: it samples the important ones and reports the rest.

python3 -m integration.many_threads OTP_RELEASE SOURCE
"""

import contextlib
import re
import socket
import sys
import unittest

from harness import proc
from harness.beam_target import BeamTarget
from harness.erlang_runtime import named
from harness.exporter import Exporter

RELEASE, SOURCE = "25", "auto"
LIMIT, DIRTY_IO = 1024, 1000
ROLES = {"normal": r"\d+_scheduler|erts_sched_\d+", "dirty_cpu": r"\d+_dirty_cpu_.*|erts_dcpus_\d+",
         "dirty_io": r"\d+_dirty_io_.*|erts_dios_\d+", "aux": r"\d*_?aux|erts_aux_\d+",
         "poll": r"\d+_poller|erts_poll_\d+", "async": r"(erts_)?async_\d+"}
UNWATCHED, UTILIZATION = "beam_exporter_unwatched_threads", "beam_scheduler_utilization_ratio"
STATES, SCRAPES = "beam_scheduler_state_seconds_total", 25


class ManyThreads(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.vm = BeamTarget(named(RELEASE), "three_functions", 1, flags=("+S", "2:2", "+SDio", DIRTY_IO))
        cls.addClassCleanup(cls.vm.kill)
        cls.vm.ask("run")
        names = proc.threads(cls.vm.pid).values()
        cls.there = {kind: len({name for name in names if re.fullmatch(form, name)}) for kind, form in ROLES.items()}
        print(cls.there)

    def exporter(self, soft, hard):
        return self.enterContext(Exporter(f"--target.pid={self.vm.pid}", f"--sampling.source={SOURCE}",
                                          prefix=("prlimit", f"--nofile={soft}:{hard}")))

    def test_what_matters_is_sampled_and_the_rest_is_told(self):
        exporter = self.exporter(LIMIT, LIMIT)
        exporter.await_up(timeout=60)
        exporter.await_scrape("the busy function is named", lambda scrape: any(
            module == "three_functions" for module, _ in scrape.functions()), timeout=60)
        if SOURCE == "auto" and exporter.scrape().value("beam_exporter_feature_enabled", feature="tick") == 1:
            return self.check_tick(exporter)  # tests/kernels.sh tries the same where this machine's kernel refuses it
        # As many open connections as the web server takes, besides ours.
        with contextlib.ExitStack() as held:
            host, port = exporter.url.removeprefix("http://").split(":")
            for _ in range(40):
                held.enter_context(socket.create_connection((host, int(port))))
            stamps = set()
            while len(stamps) < SCRAPES:
                scrape = exporter.scrape()
                stamps.add(scrape.value("beam_exporter_snapshot_timestamp_seconds"))
                self.assertEqual(scrape.value("beam_up"), 1)
                self.assertEqual(scrape.value("beam_target_restarts_total"), 0)
                self.assertLess(scrape.value("process_open_fds"), LIMIT)
        unwatched = {kind: scrape.value(UNWATCHED, kind=kind) for kind in ROLES}
        sampled = {kind: len(scrape.samples(UTILIZATION, kind=kind)) for kind in ROLES}
        print(f"sampled {sampled}, not sampled {unwatched}, {scrape.value('process_open_fds')} descriptors")
        self.assertEqual({kind: sampled[kind] + unwatched[kind] for kind in ROLES}, self.there)
        for kind in ("normal", "dirty_cpu", "aux", "poll"):
            self.assertEqual(unwatched[kind], 0)
        self.assertGreater(unwatched["dirty_io"], 0)
        self.assertGreater(sampled["dirty_io"], 100)
        states = {labels["scheduler"] for labels, _ in scrape.samples(STATES, kind="dirty_io")}
        self.assertLessEqual(len(states), sampled["dirty_io"] + 5)  # a thread that lost its place keeps its counters
        line, = [line for line in exporter.log.lines if "level=warn" in line or "level=error" in line]
        print(line)
        for word in ("not all threads", str(LIMIT), "LimitNOFILE", "not_sampled="):
            self.assertIn(word, line)
        self.assertEqual(exporter.stop(), 0)

    def check_tick(self, exporter):
        scrape = exporter.await_scrape("all are sampled", lambda scrape: len(
            scrape.samples(UTILIZATION)) == sum(self.there.values()), timeout=60)
        self.assertEqual(scrape.total(UNWATCHED), 0)
        self.assertTrue([line for line in exporter.log.lines if "since eBPF would take" in line])
        self.assertFalse([line for line in exporter.log.lines if "level=warn" in line or "level=error" in line])
        self.assertEqual(exporter.stop(), 0)

    def test_a_soft_limit_is_raised(self):
        exporter = self.exporter(LIMIT, 8192)
        exporter.await_up(timeout=60)
        scrape = exporter.await_scrape("all are sampled", lambda scrape: len(
            scrape.samples(UTILIZATION)) == sum(self.there.values()), timeout=60)
        self.assertEqual(scrape.total(UNWATCHED), 0)
        self.assertEqual(scrape.value("process_max_fds"), 8192)
        self.assertFalse([line for line in exporter.log.lines if "not all threads" in line])
        self.assertEqual(exporter.stop(), 0)


if __name__ == "__main__":
    SOURCE = sys.argv.pop()
    RELEASE = sys.argv.pop()
    unittest.main(verbosity=2)
