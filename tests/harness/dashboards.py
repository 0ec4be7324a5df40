"""The files of dashboards/, and their queries in the form that Grafana and the evaluation of an alert use."""

import json
import re

import yaml

from harness.processes import REPO

FOLDER = REPO / "dashboards"
RULES = FOLDER / "rules"
SCRAPE_SECONDS = 1  # of harness/prometheus_server.py


def dashboards():
    """{name: dashboard}"""
    return {path.stem: json.loads(path.read_text()) for path in sorted(FOLDER.glob("*.json"))}


def panels(dashboard):
    return [panel for panel in dashboard["panels"] if panel["type"] != "row"]


def variables(dashboard):
    return [variable for variable in dashboard["templating"]["list"] if variable["type"] == "query"]


def queries():
    """[(where, expression)] of all panels."""
    return [(f"{name}: {panel['title']} {target['refId']}", target["expr"])
            for name, dashboard in dashboards().items() for panel in panels(dashboard) for target in panel["targets"]]


def rules():
    for path in sorted(RULES.glob("*.yaml")):
        for group in yaml.safe_load(path.read_text())["groups"]:
            yield from group["rules"]


def recorded():
    return {rule["record"] for rule in rules() if "record" in rule}


def provisioned_rules():
    """The alert rules that Grafana itself evaluates."""
    return [rule for path in (FOLDER / "grafana" / "provisioning" / "alerting").glob("*.yaml")
            for group in yaml.safe_load(path.read_text())["groups"] for rule in group["rules"]]


def without_recording_rules(expression):
    """Replaces the names that recording rules make by their expressions; with a time range, by a subquery."""
    made = {rule["record"]: rule["expr"] for rule in rules() if "record" in rule}
    name = re.compile("(" + "|".join(map(re.escape, made)) + r")(?:\[(\w+)\])?")
    while name.search(expression):
        expression = name.sub(lambda m: f"({made[m[1]]})" + (f"[{m[2]}:1m]" if m[2] else ""), expression)
    return expression


def filled_in(expression, values, range_seconds, step=1, scrape=SCRAPE_SECONDS):
    """Replaces the variables of an expression as Grafana does; `values`: {variable: [chosen, ...]}."""
    interval = max(step + scrape, 4 * scrape)
    expression = expression.replace("$__rate_interval", f"{interval}s").replace("$__range", f"{range_seconds}s")
    for name, chosen in values.items():
        text = chosen[0] if len(chosen) == 1 and chosen[0] == ".*" else \
            "(" + "|".join(re.escape(one).replace("\\", "\\\\") for one in chosen) + ")"
        expression = re.sub(rf"\${name}\b", lambda _: text, expression)
    assert "$" not in expression, f"a variable is left: {expression}"
    return expression


def parts_without_threshold(expression):
    """The alternatives (`or`) of an alert, with comparisons that return 0 or 1.

    An alert that does not fire returns no series, and so does one with wrong labels or metrics. With `bool` only the
    latter returns no series, and `and` still needs the same labels on both sides.
    """
    compared = re.sub(r"(\{[^}]*\})|(>=|<=|==|!=|>|<)", lambda m: m[1] or m[2] + " bool", expression)
    return re.split(r"\s+or\s+", compared)
