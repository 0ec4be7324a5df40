#!/usr/bin/python3
"""Fails when a tracked file names a path or host that exists only on somebody's machine."""

import re

import source_tree

# Written so that this file does not match itself.
PATTERNS = [
    (r"(?<![\w.$}])/(work|workspace)/[a-z]", "a work folder"),
    (r"(?<![\w.$}])/home/[a-z]", "a home folder"),
    (r"(?<![\w.$}])/root/[a-zA-Z.]", "a home folder"),
    (r"(?<![\w.$}])/tmp/(?!perf-PID|perf-{)[a-zA-Z]", "a fixed temporary path (make one with mktemp)"),
    (r"\b(10|192\.168|172\.(1[6-9]|2\d|3[01]))(\.\d{1,3}){2,3}\b", "a private address"),
]
# Files whose job is to hold such text, each with its reason.
ALLOWED = {}


def main():
    complaints = []
    for path in source_tree.files():
        name = source_tree.relative(path)
        if name in ALLOWED:
            continue
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue  # a recording or an image
        for number, line in enumerate(text.splitlines(), 1):
            for pattern, what in PATTERNS:
                match = re.search(pattern, line)
                if match:
                    complaints.append(f"{name}:{number}: {what}: {match[0]}")
    source_tree.finish("machine paths", complaints)


if __name__ == "__main__":
    main()
