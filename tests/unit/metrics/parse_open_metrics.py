"""Reads OpenMetrics text from standard input with the reference parser and prints every sample as
`family type unit sample {labels} value`, one per line; exits non-zero when the parser refuses."""
import json
import sys

from prometheus_client.openmetrics.parser import text_string_to_metric_families

for family in text_string_to_metric_families(sys.stdin.buffer.read().decode("utf-8")):
    for sample in family.samples:
        labels = json.dumps(sample.labels, sort_keys=True)
        print(family.name, family.type, family.unit or "-", sample.name, labels, float(sample.value))
