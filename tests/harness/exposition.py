"""One scrape, parsed by the reference parsers, with the queries that tests need."""

import urllib.error
import urllib.request

from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_openmetrics
from prometheus_client.parser import text_string_to_metric_families as parse_text

OPENMETRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8"
TEXT = "text/plain; version=0.0.4; charset=utf-8"

# Pseudo functions: in place of a function, without a module (exporter/attribution/README.md).
PSEUDO_FUNCTIONS = ("exit", "scheduling", "signals")


def get(url, timeout=60):
    """(status, bytes), also of a refusal."""
    try:
        with urllib.request.urlopen(url, timeout=timeout) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as answer:
        return answer.code, answer.read()


def fetch(url, accept=OPENMETRICS, timeout=10):
    """(status, headers, body) of a GET; an HTTP error is no exception."""
    request = urllib.request.Request(url, headers={"Accept": accept})
    try:
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            return answer.status, answer.headers, answer.read().decode()
    except urllib.error.HTTPError as answer:
        return answer.code, answer.headers, answer.read().decode()


class Exposition:
    def __init__(self, text, openmetrics=True):
        self.text = text
        self.families = list((parse_openmetrics if openmetrics else parse_text)(text))
        self._samples = {}
        for family in self.families:
            for sample in family.samples:
                self._samples.setdefault(sample.name, []).append((sample.labels, sample.value))

    def names(self):
        return set(self._samples)

    def samples(self, name, **labels):
        """[(labels, value)] of the samples that carry at least these labels."""
        return [(own, value) for own, value in self._samples.get(name, [])
                if all(own.get(key) == wanted for key, wanted in labels.items())]

    def value(self, name, **labels):
        """The one sample with these labels; None when the scrape does not have it."""
        found = self.samples(name, **labels)
        assert len(found) < 2, f"{name}{labels} is not one series: {found}"
        return found[0][1] if found else None

    def total(self, name, **labels):
        return sum(value for _, value in self.samples(name, **labels))

    def functions(self, name="beam_function_cpu_seconds_total"):
        """{(module, "name/arity"): seconds}; ("", "other") holds all functions beyond the top K."""
        return {(labels["module"], labels["function"]): value for labels, value in self.samples(name)}


def growth(before, after):
    """The growth of each function between two `functions()`; a new series started at 0."""
    return {key: value - before.get(key, 0.0) for key, value in after.items() if value > before.get(key, 0.0)}
