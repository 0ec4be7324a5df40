"""What the tools and pages cost: a profile that somebody records beside none, and looks at VMs with many processes.

cd tests && /usr/bin/python3 -B -m bench.tools_bench [OTP_RELEASE]; needs build/release and an idle machine.
"""

import statistics
import sys
import threading
import time
import urllib.request

from harness import exporter, proc
from harness.beam_target import BeamTarget
from harness.erlang_runtime import named
from harness.exporter import Exporter

WINDOW = 10  # seconds


def ask(running, path):
    with urllib.request.urlopen(running.url + path, timeout=60) as answer:
        return answer.read()


def peak_bytes(pid):
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))


def costs(running, vm, seconds):
    """(the exporter's CPU time, that of the BPF program for each sample in us) over so many seconds."""
    def look():
        scrape = running.scrape()
        return (sum(proc.cpu_seconds(running.pid)), scrape.value("beam_exporter_sampling_seconds_total"),
                scrape.value("beam_exporter_sampling_runs_total"))

    before = look()
    time.sleep(seconds)
    after = look()
    runs = after[2] - before[2]
    return after[0] - before[0], 1e6 * (after[1] - before[1]) / runs if runs else float("nan")


def profile_beside_none(release):
    with BeamTarget(named(release), "mixed_work", flags=("+S", "1")) as vm, \
            Exporter(f"--target.pid={vm.pid}") as running:
        vm.ask("run")
        running.await_up()
        time.sleep(2)
        rows = {"nobody records": [], "a profile is recorded": []}
        for _ in range(3):
            rows["nobody records"].append(costs(running, vm, WINDOW))
            asking = threading.Thread(target=ask, args=(running, f"/debug/pprof/profile?seconds={WINDOW + 2}"))
            asking.start()
            time.sleep(1)
            rows["a profile is recorded"].append(costs(running, vm, WINDOW))
            asking.join()
        for name, pairs in rows.items():
            cpu, sample = (statistics.median(values) for values in zip(*pairs))
            print(f"{name}: exporter {100 * cpu / WINDOW:.2f} % of a CPU, {sample:.2f} us in the VM's thread for a sample "
                  f"(three times {WINDOW} s: {[f'{100 * c / WINDOW:.2f} %, {s:.2f} us' for c, s in pairs]})")
        print(f"resident memory of the exporter: {proc.resident_bytes(running.pid) / 2 ** 20:.1f} MiB, "
              f"{peak_bytes(running.pid) / 2 ** 20:.1f} at its peak")


def seconds_of(work, times=5):
    def once():
        began = time.monotonic()
        work()
        return time.monotonic() - began

    return statistics.median(once() for _ in range(times))


def looks_at_many(release, processes):
    with BeamTarget(named(release), "memory", flags=("+S", "2")) as vm:
        vm.ask(f"spawn {processes}", timeout=300)
        with Exporter(f"--target.pid={vm.pid}") as running:
            running.await_up()
            for path in ("/debug/pprof/processes", "/debug/pprof/heap"):
                print(f"{processes} processes, {path}: {1000 * seconds_of(lambda: ask(running, path)):.0f} ms")
        own = vm.evaluate("element(1, timer:tc(fun() -> [process_info(P, current_stacktrace) || P <- processes()] end))",
                          timeout=300) / 1000
        print(f"{processes} processes, current_stacktrace of all inside the VM: {own:.0f} ms")
        for tool in ("heap", "report"):
            taken = seconds_of(lambda: exporter.run(tool, f"--target.pid={vm.pid}", check=True))
            print(f"{processes} processes, {tool} as a program, with attaching: {taken:.2f} s")


def main(release="25"):
    print(f"OTP {release}")
    profile_beside_none(release)
    for processes in (10_000, 100_000):
        looks_at_many(release, processes)


if __name__ == "__main__":
    main(*sys.argv[1:])
