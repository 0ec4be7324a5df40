"""Scrapes all the time, on its own thread, and remembers every counter that ever fell."""

import threading


class MonotonicWatch:
    def __init__(self, exporter, interval=0.3):
        self._exporter = exporter
        self._interval = interval
        self._stop = threading.Event()
        self._last = {}
        self.scrapes = 0
        self.complaints = []
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        while not self._stop.wait(self._interval):
            try:
                self._compare(self._exporter.scrape())
            except Exception as failure:  # every scrape must be answered
                self.complaints.append(f"a scrape failed: {failure!r}")

    def _compare(self, scrape):
        self.scrapes += 1
        for name in scrape.names():
            if not name.endswith("_total"):
                continue
            for labels, value in scrape.samples(name):
                key = (name, *sorted(labels.items()))
                if value < self._last.get(key, 0.0):
                    self.complaints.append(f"{key} went back from {self._last[key]} to {value}")
                self._last[key] = value

    def stop(self):
        self._stop.set()
        self._thread.join(20)
