#!/usr/bin/python3
"""Fails on a shell script that does not parse, is not executable, or goes on after an error."""

import os
import subprocess

import source_tree


def main():
    complaints = []
    scripts = source_tree.files(".sh") + [source_tree.REPO / ".ci/run"]
    for path in scripts:
        name = source_tree.relative(path)
        text = path.read_text()
        shell = "bash" if text.startswith("#!/bin/bash") else "sh"
        parsed = subprocess.run([shell, "-n", str(path)], capture_output=True, text=True)
        if parsed.returncode != 0:
            complaints.append(f"{name}: {parsed.stderr.strip()}")
        if not os.access(path, os.X_OK):
            complaints.append(f"{name}: not executable")
        if shell == "bash" and "set -euo pipefail" not in text:
            complaints.append(f"{name}: does not say set -euo pipefail")
    source_tree.finish("shell scripts", complaints)


if __name__ == "__main__":
    main()
