"""What it costs to look at 100,000 processes and 1,000 carriers from outside, beside the VM's own ways.

cd tests && /usr/bin/python3 -B -m bench.memory_bench [OTP_RELEASE] [PROCESSES]; needs build/release.
"""

import json
import os
import subprocess
import sys
import time

from harness.beam_target import BeamTarget
from harness.erlang_runtime import named
from harness.exporter import Exporter
from harness.processes import BUILD

SCAN_COSTS = os.environ.get("SCAN_COSTS", BUILD / "release" / "tests" / "bench" / "scan_costs")


def scan(pid, times, *way):
    output = subprocess.run([str(SCAN_COSTS), str(pid), str(times), *way], capture_output=True, text=True, check=True,
                            stdin=subprocess.DEVNULL).stdout
    return json.loads(output)


def inside(vm, expression):
    """Microseconds, least of three."""
    return min(vm.evaluate(f"element(1, timer:tc(fun() -> {expression} end))", timeout=300) for _ in range(3))


def throughput(vm):
    """Turns of an allocating loop in 5 s of the VM."""
    return vm.evaluate("begin F = fun F(End, N) -> lists:seq(1, 200), case erlang:monotonic_time(millisecond) > End"
                       " of true -> N; false -> F(End, N + 1) end end,"
                       " F(erlang:monotonic_time(millisecond) + 5000, 0) end", timeout=60)


def main(release="25", processes="100000"):
    with BeamTarget(named(release), "memory", flags=("+S", "2", "+MBlmbcs", "512", "+MBsmbcs", "256")) as vm:
        vm.ask(f"spawn {processes}", timeout=120)
        # Small carriers, so that there are many.
        for _ in range(4):
            vm.ask("fragment binary_alloc 512", timeout=300)
        ours, by_file = scan(vm.pid, 20), scan(vm.pid, 20, "mem")
        print(f"OTP {release}, {ours['processes']['items']} processes, {ours['carriers']['items']} carriers, "
              f"{ours['statistics']['items']} instances; load {os.getloadavg()[0]:.1f}")
        theirs = {
            "statistics": ("system_info({allocator, _}) of all", inside(
                vm, "[erlang:system_info({allocator, A}) || A <- erlang:system_info(alloc_util_allocators)]")),
            "carriers": ("instrument:carriers()", inside(vm, "instrument:carriers()")),
            "processes": ("process_info(P, [...]) of all", inside(
                vm, "[process_info(P, [total_heap_size, message_queue_len]) || P <- processes()]")),
        }
        for reader in ("statistics", "carriers", "processes", "vitals"):
            cost = ours[reader]
            name, own = theirs.get(reader, ("", None))
            beside = f"; inside the VM {name}: {own} us, {own / cost['median_us']:.1f} times ours" if own else ""
            print(f"{reader}: least {cost['least_us']:.0f} us, median {cost['median_us']:.0f} us, "
                  f"{cost['pieces']} pieces, {cost['bytes']} bytes{beside}")
            print(f"    from /proc/PID/mem: least {by_file[reader]['least_us']:.0f} us, "
                  f"{by_file[reader]['least_us'] / cost['least_us']:.2f} times that")
        alone = [throughput(vm)]
        with Exporter(f"--target.pid={vm.pid}") as exporter:
            exporter.await_up()
            time.sleep(2)
            watched = throughput(vm)
        alone.append(throughput(vm))
        print(f"throughput of a loop in the VM: {alone} alone, {watched} watched at the defaults "
              f"({100 * (watched / (sum(alone) / 2) - 1):+.2f} %)")


if __name__ == "__main__":
    main(*sys.argv[1:])
