#!/usr/bin/python3
"""Fails on a source file of more than 300 lines that gives no reason, and reports the longest ones.

A file is one topic; the first to touch the ceiling is a design question.
"""

import source_tree

CEILING = 300
REASONS = {  # path -> why it may be longer
    "exporter/metrics/families/catalogue.cpp": "plain data: every family, two lines each",
}


def main():
    lengths = {}
    for path in source_tree.files(".h", ".cpp", ".c", ".py", ".sh", ".erl", ".cmake"):
        lengths[source_tree.relative(path)] = len(path.read_text().splitlines())
    complaints = [f"{name}: {length} lines, the ceiling is {CEILING}"
                  for name, length in sorted(lengths.items())
                  if length > CEILING and name not in REASONS]
    complaints += [f"{name}: has a reason to be long, but is gone" for name in REASONS if name not in lengths]
    for name, length in sorted(lengths.items(), key=lambda item: -item[1])[:10]:
        print(f"{length:5d} {name}")
    source_tree.finish("file length", complaints)


if __name__ == "__main__":
    main()
