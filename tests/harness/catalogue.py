"""The metric catalogue, read from the exporter's source, and the metrics that a PromQL expression uses."""

import re

from harness.processes import REPO

SOURCE = REPO / "exporter" / "metrics" / "families" / "catalogue.cpp"
FAMILY = re.compile(r'\{"((?:beam|process)_\w+)",\s*(\w+),\s*"(\w*)",\s*\{([^}]*)\}')
NAME = re.compile(r"\b(?:[a-z_]+:)?(beam_\w+|process_\w+)(?::\w+)?")
STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
GROUPING = re.compile(r"\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)")
TARGET_LABELS = {"job", "instance", "namespace", "pod", "container"}  # labels that scraping adds
SUFFIXES = {"histogram": {"bucket", "count", "sum"}, "gaugehistogram": {"bucket", "gcount", "gsum"}}


def families():
    """{name: labels}"""
    found = FAMILY.findall(SOURCE.read_text())
    return {name: set(re.findall(r"\w+", labels)) for name, _, _, labels in found}


def sample_names():
    """{name of a sample: name of its family}"""
    names = {}
    for family, kind, _, _ in FAMILY.findall(SOURCE.read_text()):
        names.update({f"{family}_{suffix}": family for suffix in SUFFIXES.get(kind, ())} or {family: family})
    return names


def names(expression):
    """Names in an expression: [(as written, without the parts that recording rules add)]."""
    return [(found[0], found[1]) for found in NAME.finditer(STRING.sub('""', expression))]


def families_of(expression):
    known = sample_names()
    return {known[name] for _, name in names(expression) if name in known}


def labels(expression):
    """Labels that an expression selects or groups by."""
    bare = STRING.sub('""', expression)
    selected = re.findall(r"(\w+)\s*(?:=~|!~|!=|=)\s*\"\"", bare)
    grouped = [label for group in GROUPING.findall(bare) for label in re.findall(r"\w+", group)]
    return set(selected) | set(grouped)


def complaints(expression, recorded=()):
    """Names and labels in an expression that the exporter does not publish; `recorded`: names that recording rules make."""
    known, own = sample_names(), families()
    wrong = [f"{written}: no such metric" for written, name in names(expression)
             if written not in recorded and name not in known]
    allowed = TARGET_LABELS | {"le"} | set().union(*(own[family] for family in families_of(expression)), set())
    if families_of(expression):
        wrong += [f"{label}: no such label" for label in sorted(labels(expression) - allowed)]
    return wrong
