"""How many schedulers there are and are online, as the VM says, while that changes.

python3 -m integration.schedulers_online OTP_RELEASE
"""

import sys
import unittest

from harness.watched_vm import WatchedVm

TRUTH = """{K, erlang:system_info(A), erlang:system_info(O)} || {K, A, O} <- [
    {normal, schedulers, schedulers_online}, {dirty_cpu, dirty_cpu_schedulers, dirty_cpu_schedulers_online},
    {dirty_io, dirty_io_schedulers, dirty_io_schedulers}]""".replace("\n", " ")


class SchedulersOnline(WatchedVm):
    target, vm_flags = "idle", ("+S", "4:2", "+SDcpu", "4:2", "+SDio", "3")
    settings = "snapshot: {interval: 100ms}\nvitals: {interval: 100ms}\n"

    def assert_as_the_vm_says(self):
        truth = {kind: (count, online) for kind, count, online in self.vm.evaluate(f"[{TRUTH}]")}

        def ours(scrape):
            return {kind: (scrape.value("beam_schedulers", kind=kind), scrape.value("beam_schedulers_online", kind=kind))
                    for kind in truth}

        scrape = self.exporter.fresh("vitals")
        self.assertEqual(ours(scrape), truth)
        return truth

    def test_each_change_is_seen(self):
        begun = self.assert_as_the_vm_says()
        self.assertEqual(begun["normal"], (4, 2))
        for flag, number in (("schedulers_online", 1), ("schedulers_online", 4), ("dirty_cpu_schedulers_online", 3),
                             ("dirty_cpu_schedulers_online", 1), ("schedulers_online", 3)):
            self.vm.evaluate(f"erlang:system_flag({flag}, {number})")
            print(flag, number, self.assert_as_the_vm_says())


if __name__ == "__main__":
    SchedulersOnline.release = sys.argv.pop()
    unittest.main(verbosity=2)
