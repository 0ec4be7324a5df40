"""A VM that does one kind of work after another, and the states that the exporter shows of it."""

import time

from harness.watched_vm import FAST_SNAPSHOTS, SNAPSHOT, WatchedVm

STATE = "beam_scheduler_state_seconds_total"
FREQUENCY, SECONDS = 1999, 1.2


class StateWork(WatchedVm):
    target, vm_flags = "state_work", ("+S", "1", "+SDcpu", "1", "+SDio", "1")
    settings, flags = FAST_SNAPSHOTS, (f"--sampling.frequency={FREQUENCY}",)

    def watch(self, work, seconds=SECONDS):
        """The scrapes (before, after) while that work runs."""
        self.vm.ask(f"run {work}")
        time.sleep(2 * SNAPSHOT)
        before = self.exporter.scrape()
        time.sleep(seconds)
        after = self.exporter.scrape()
        self.vm.ask("stop")
        return before, after

    @staticmethod
    def work(before, after, **kind):
        """{state: seconds} of the states that are work"""
        gained = {}
        for labels, value in after.samples(STATE, **kind):
            if labels["state"] not in ("sleep", "busy_wait"):
                gained[labels["state"]] = gained.get(labels["state"], 0) + value - (before.value(STATE, **labels) or 0)
        return gained

    def shares(self, work, kind="normal", seconds=SECONDS):
        """{state: share of the time in which there was work}"""
        gained = self.work(*self.watch(work, seconds), kind=kind)
        total = sum(gained.values())
        shares = {state: round(value / total, 4) for state, value in gained.items() if value / total > 0.001}
        print(f"{work}: {total:.2f} s of work: {shares}")
        return shares

    def assert_dominates(self, shares, *states, least=0.5):
        self.assertGreaterEqual(sum(shares.get(state, 0) for state in states), least, shares)
