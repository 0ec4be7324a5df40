"""beam_schedulers and beam_schedulers_online equal the VM's own numbers, while these change.

python3 -m integration.schedulers_online OTP_RELEASE
"""

import sys
import unittest

from harness.processes import wait_for
from harness.watched_vm import WatchedVm

TRUTH = """{K, erlang:system_info(A), erlang:system_info(O)} || {K, A, O} <- [
    {normal, schedulers, schedulers_online}, {dirty_cpu, dirty_cpu_schedulers, dirty_cpu_schedulers_online},
    {dirty_io, dirty_io_schedulers, dirty_io_schedulers}]""".replace("\n", " ")


class SchedulersOnline(WatchedVm):
    target, vm_flags = "idle", ("+S", "4:2", "+SDcpu", "4:2", "+SDio", "3")
    settings = "snapshot: {interval: 100ms}\nvitals: {interval: 100ms}\n"

    def assert_both_say(self, normal, dirty_cpu):
        expected = {"normal": (4, normal), "dirty_cpu": (4, dirty_cpu), "dirty_io": (3, 3)}

        def truth():
            return {kind: (count, online) for kind, count, online in self.vm.evaluate(f"[{TRUTH}]")}

        # A dirty scheduler counts itself out when it next runs, after system_flag has returned
        # (suspend_scheduler, erl_process.c, OTP 25 and 27): the VM's own number may come late.
        wait_for(f"the VM says {expected}", lambda: truth() == expected)
        scrape = self.exporter.fresh("vitals")
        self.assertEqual({kind: (scrape.value("beam_schedulers", kind=kind),
                                 scrape.value("beam_schedulers_online", kind=kind)) for kind in expected}, expected)

    def test_each_change_is_seen(self):
        self.assert_both_say(normal=2, dirty_cpu=2)
        # schedulers_online takes the dirty CPU schedulers with it, in proportion.
        for flag, number, normal, dirty_cpu in (("schedulers_online", 1, 1, 1), ("schedulers_online", 4, 4, 4),
                                                ("dirty_cpu_schedulers_online", 3, 4, 3),
                                                ("dirty_cpu_schedulers_online", 1, 4, 1),
                                                ("schedulers_online", 3, 3, 1)):
            with self.subTest(flag=flag, number=number):
                self.vm.evaluate(f"erlang:system_flag({flag}, {number})")
                self.assert_both_say(normal, dirty_cpu)


if __name__ == "__main__":
    SchedulersOnline.release = sys.argv.pop()
    unittest.main(verbosity=2)
