"""What it costs to see a carrier come: a VM that makes and drops one each turn, with growth.enabled and without.

cd tests && /usr/bin/python3 -B -m bench.growth_bench [OTP_RELEASE]; needs build/release.
"""

import sys
import time

from harness.beam_target import BeamTarget
from harness.erlang_runtime import named
from harness.exporter import Exporter

TURNS = 3000


def watched(vm, enabled):
    """(microseconds a turn, least of five; runs and seconds of the programs in the kernel)"""
    settings = f"growth: {{enabled: {str(enabled).lower()}}}\n"
    with Exporter(f"--target.pid={vm.pid}", settings=settings) as exporter:
        exporter.await_up()
        time.sleep(1)
        took = min(vm.ask(f"turns {TURNS}") for _ in range(5)) / TURNS
        time.sleep(1.5)
        scrape = exporter.scrape()
        return (took, scrape.value("beam_exporter_sampling_runs_total"),
                scrape.value("beam_exporter_sampling_seconds_total"))


def main(release="25"):
    with BeamTarget(named(release), "grower", flags=("+S", "1")) as vm:
        vm.ask(f"turns {TURNS}")
        for _ in range(3):
            off, _, _ = watched(vm, False)
            on, runs, seconds = watched(vm, True)
            print(f"OTP {release}: {off:.1f} us a turn, {on:.1f} us with growth: {on - off:.2f} us for each carrier, "
                  f"{1e6 * seconds / runs:.2f} of them in the program")


if __name__ == "__main__":
    main(*sys.argv[1:])
