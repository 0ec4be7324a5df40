"""The tick source compared with the eBPF source, on a VM whose work begins with its timers.

python3 -m integration.tick OTP_RELEASE

It skips where the kernel allows no BPF programs of type tracing; tests/kernels.sh runs the same test in a guest.
"""

import sys
import time
import unittest

from harness import exporter, proc, requirements
from harness.beam_target import BeamTarget
from harness.erlang_runtime import named
from harness.exposition import growth

SECONDS = 60
SOURCES = ("ebpf", "tick")


class Tick(unittest.TestCase):
    release = "25"

    def watch(self, vm, source):
        running = self.enterContext(exporter.Exporter(f"--target.pid={vm.pid}", f"--sampling.source={source}",
                                                      "--sampling.frequency=499"))
        running.await_up()
        if any("no CPU sampling" in line for line in running.log.lines):
            requirements.skip(running.log.lines[-1])
        return running

    def test_it_sees_what_events_see_and_what_the_vm_did(self):
        vm = self.enterContext(BeamTarget(named(self.release), "wakes_by_timers", flags=("+S", "2")))
        watching = {source: self.watch(vm, source) for source in SOURCES}
        descriptors = {source: proc.open_files(one.pid) for source, one in watching.items()}
        print(f"open files: {descriptors}")
        self.assertLess(descriptors["tick"], descriptors["ebpf"] - len(proc.threads(vm.pid)) / 2)

        did, before = vm.ask("counts"), {source: one.scrape() for source, one in watching.items()}
        cpu = sum(proc.cpu_seconds(vm.pid))
        time.sleep(SECONDS)
        did = {name: count - did[name] for name, count in vm.ask("counts").items()}
        cpu = sum(proc.cpu_seconds(vm.pid)) - cpu
        after = {source: one.scrape() for source, one in watching.items()}
        gained = {source: growth(before[source].functions(), after[source].functions()) for source in SOURCES}

        def share(source, name):
            ours = {key: seconds for key, seconds in gained[source].items() if key[0] == "wakes_by_timers"}
            return ours.get(("wakes_by_timers", name), 0) / sum(ours.values())

        for name, count in did.items():
            truth = count / sum(did.values())
            print(f"{name}: tick {share('tick', name):.4f}, eBPF {share('ebpf', name):.4f}, the VM {truth:.4f}")
            self.assertAlmostEqual(share("tick", name), truth, delta=0.02, msg=name)
            self.assertAlmostEqual(share("tick", name), share("ebpf", name), delta=0.02, msg=name)
        seconds = sum(gained["tick"].values())
        print(f"CPU {cpu:.2f} s, sampled {seconds:.2f} s; eBPF {sum(gained['ebpf'].values()):.2f} s")
        self.assertAlmostEqual(seconds, sum(gained["ebpf"].values()), delta=0.05 * seconds)


if __name__ == "__main__":
    Tick.release = sys.argv.pop()
    unittest.main(verbosity=2)
