"""A NIF on a dirty scheduler keeps its own name, although the VM writes others over it when it ends.

python3 -m integration.nif_names OTP_RELEASE
"""

import sys
import unittest

from harness.watched_vm import FAST_SNAPSHOTS, WatchedVm

NIFS = "beam_nif_cpu_seconds_total"


class NifNames(WatchedVm):
    target, settings = "reads_zeros", FAST_SNAPSHOTS + "sampling: {source: ebpf, frequency: 999}\n"
    vm_flags = ("+S", "1", "+SDio", "1")

    def test_all_time_of_nifs_is_that_of_the_call_that_reads(self):
        self.vm.ask("run")
        scrape = self.exporter.await_scrape("two seconds of NIFs", lambda scrape: scrape.total(NIFS) > 2)
        self.vm.ask("pause")
        seconds = {f"{labels['module']}:{labels['function']}": value for labels, value in scrape.samples(NIFS) if value}
        print(seconds)
        # The finalizer is a NIF too, a short one. It had two thirds of the time when its name was taken for the call's.
        finalizers = sum(value for name, value in seconds.items() if name.startswith("erts_internal:dirty_nif"))
        self.assertLess(finalizers, 0.01 * sum(seconds.values()))
        # The rest is what the VM does before and after the call, when the name is not there.
        self.assertGreater(seconds.get("prim_file:read_nif/2", 0), 0.95 * sum(seconds.values()))


if __name__ == "__main__":
    NifNames.release = sys.argv.pop()
    unittest.main(verbosity=2)
