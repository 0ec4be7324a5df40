"""What sampling costs a saturated VM: turns of work done beside each profiler, in interleaved rounds.

cd tests && /usr/bin/python3 -B -m bench.sampling_bench [OTP_RELEASE] [ROUNDS]; needs build/release and Debian's linux-perf.

Each round runs every profiler once at each rate, right after a run with none; what is printed is the
median over the rounds of the share of turns lost. The VM with +JPperf true is a second one, compared
with itself. CPU per sample: what the program in the sampled threads took plus what the exporter used.
"""

import shutil
import signal
import statistics
import subprocess
import sys
import tempfile

from harness import proc
from harness.beam_target import BeamTarget
from harness.erlang_runtime import named
from harness.exporter import Exporter

MS = 3000
RATES = (99, 4999)


def turns(vm):
    return vm.ask(f"turns {MS}")


class Ours:
    def __init__(self, source):
        self.source, self.costs, self.resident = source, {}, 0

    def beside(self, vm, rate):
        with Exporter(f"--target.pid={vm.pid}", f"--sampling.source={self.source}",
                      f"--sampling.frequency={rate}") as exporter:
            exporter.await_up()
            vm.ask("turns 1000")  # until it has seen the VM's code
            before, used = exporter.scrape(), sum(proc.cpu_seconds(exporter.pid))
            done = turns(vm)
            used = sum(proc.cpu_seconds(exporter.pid)) - used
            after = exporter.scrape()
            self.resident = max(self.resident, after.value("process_resident_memory_bytes"))
        samples = after.value("beam_samples_total") - before.value("beam_samples_total")
        in_kernel = (after.total("beam_exporter_sampling_seconds_total")
                     - before.total("beam_exporter_sampling_seconds_total"))
        self.costs.setdefault(rate, []).append((in_kernel / samples * 1e6, used / samples * 1e6))
        return done


class PerfRecord:
    def __init__(self, *call_graph):
        self.call_graph = call_graph

    def beside(self, vm, rate):
        with tempfile.NamedTemporaryFile() as data:
            # The clock's own event: hardware counters are not there in every virtual machine.
            perf = subprocess.Popen(["perf", "record", "-q", "-e", "cpu-clock", "-F", str(rate), *self.call_graph,
                                     "-o", data.name, "-p", str(vm.pid)],
                                    stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                vm.ask("turns 300")  # until it has attached
                return turns(vm)
            finally:
                perf.send_signal(signal.SIGINT)
                perf.wait(120)


def main(release="25", rounds="7"):
    if shutil.which("perf") is None:
        sys.exit("sampling_bench: no perf to compare with: apt-get install linux-perf")
    ours = {"eBPF source": Ours("ebpf"), "perf source": Ours("perf")}
    with BeamTarget(named(release), "saturated", flags=("+S", "1")) as plain, \
            BeamTarget(named(release), "saturated", flags=("+S", "1", "+JPperf", "true")) as mapped:
        profilers = [(name, profiler, plain) for name, profiler in ours.items()]
        profilers += [("perf record -g, VM with +JPperf true", PerfRecord("-g"), mapped),
                      ("perf record --call-graph dwarf", PerfRecord("--call-graph", "dwarf"), plain)]
        lost = {(name, rate): [] for name, _, _ in profilers for rate in RATES}
        nothing = []
        for _ in range(int(rounds)):
            for rate in RATES:
                for name, profiler, vm in profilers:
                    alone = turns(vm)
                    lost[name, rate].append(1 - profiler.beside(vm, rate) / alone)
                nothing.append(1 - turns(plain) / turns(plain))
    print(f"OTP {release}, median of {rounds} rounds of {MS / 1000:g} s; turns lost")
    print(f"{'nothing against nothing (the noise)':40} {statistics.median(nothing):8.2%}"
          f"   least {min(nothing):.2%}, most {max(nothing):.2%}")
    for (name, rate), shares in lost.items():
        print(f"{name:40} {statistics.median(shares):8.2%}   least {min(shares):.2%}, most {max(shares):.2%}"
              f"   at {rate} Hz")
    for name, profiler in ours.items():
        for rate, costs in profiler.costs.items():
            program, exporter = (statistics.median(part) for part in zip(*costs))
            print(f"{name} at {rate} Hz: {program:.1f} us in the sampled thread + {exporter:.1f} us in the exporter"
                  " per sample")
        print(f"{name}: {profiler.resident / 2**20:.1f} MiB resident")


if __name__ == "__main__":
    main(*sys.argv[1:])
