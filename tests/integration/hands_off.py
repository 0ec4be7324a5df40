"""strace shows that the exporter never traces, signals or writes to the target in a whole run.

python3 -m integration.hands_off SAMPLING_SOURCE
"""

import os
import pathlib
import re
import signal
import sys
import tempfile
import unittest

from harness import requirements
from harness.beam_target import BeamTarget
from harness.erlang_runtime import installed
from harness.exporter import Exporter

# Every way to stop, disturb or write to another process, and every way to open its files.
WATCHED = ("ptrace,kill,tkill,tgkill,rt_sigqueueinfo,rt_tgsigqueueinfo,pidfd_send_signal,process_vm_writev,"
           "process_madvise,pidfd_getfd,sched_setaffinity,sched_setscheduler,setpriority,prlimit64,kcmp,"
           "process_vm_readv,perf_event_open,open,openat,openat2,creat")
CALL = re.compile(r"^\d+\s+(\w+)\((.*)$")


class HandsOff(unittest.TestCase):
    source = "auto"

    def test_only_reads(self):
        requirements.program("strace")
        with tempfile.NamedTemporaryFile("r") as trace, BeamTarget(installed(), "three_functions", 1) as vm:
            vm.ask("run")
            strace = ("strace", "-f", "--seccomp-bpf", "-e", f"trace={WATCHED}", "-e", "signal=none", "-s", "200",
                      "-o", trace.name)
            with Exporter(f"--target.pid={vm.pid}", f"--sampling.source={self.source}", prefix=strace) as exporter:
                exporter.await_up()
                exporter.await_scrape("samples are named",
                                      lambda s: s.total("beam_function_cpu_seconds_total") > 3)
                # strace hands the signal on only to its child, so the exporter itself must be told.
                children = pathlib.Path(f"/proc/{exporter.pid}/task/{exporter.pid}/children").read_text()
                child, = map(int, children.split())
                os.kill(child, signal.SIGTERM)
                self.assertEqual(exporter.wait(), 0)
            self.assertTrue(vm.alive())
            calls = [match.groups() for match in map(CALL.match, trace.read().splitlines()) if match]

        seen = {name for name, _ in calls}
        print(f"{len(calls)} calls: {sorted(seen)}")
        self.assertIn("process_vm_readv", seen)
        self.assertIn("perf_event_open", seen)
        for name, arguments in calls:
            if name in ("process_vm_readv", "perf_event_open"):
                continue
            if name in ("open", "openat", "openat2", "creat"):
                if "/proc/" in arguments:
                    self.assertNotRegex(arguments, "O_WRONLY|O_RDWR|O_TRUNC|O_CREAT", f"{name}({arguments}")
                continue
            if name == "prlimit64":
                self.assertRegex(arguments, r"^(0|%d), \w+, NULL|^0," % child, f"{name}({arguments}")
                continue
            self.fail(f"the exporter called {name}({arguments}")


if __name__ == "__main__":
    HandsOff.source = sys.argv.pop()
    unittest.main(verbosity=2)
