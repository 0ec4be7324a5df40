"""beam_ets_tables_limit is the VM's own limit, whatever +e asked for, also in a VM without symbols.

python3 -m integration.ets_limit OTP_RELEASE
"""

import sys
import unittest

from harness.processes import wait_for
from harness.watched_vm import WatchedVm

LIMIT = "beam_ets_tables_limit"


class Limit:
    target = "idle"

    def test_the_limit_is_the_vms_own(self):
        truth = self.vm.evaluate("erlang:system_info(ets_limit)")
        ours = wait_for("a limit", lambda: self.exporter.scrape().value(LIMIT), 10)
        print(f"the VM {truth}, ours {ours}")
        self.assertEqual(ours, int(truth))


class Default(Limit, WatchedVm):
    pass


class More(Limit, WatchedVm):
    vm_flags = ("+e", "100000")


class TooFew(Limit, WatchedVm):
    vm_flags = ("+e", "100")


if __name__ == "__main__":
    WatchedVm.release = sys.argv.pop()
    unittest.main(verbosity=2)
