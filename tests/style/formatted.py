#!/usr/bin/python3
"""Fails when clang-format (the repository's .clang-format) would change a C++ file."""

import subprocess

import source_tree


def main():
    paths = source_tree.files(".h", ".cpp", ".c", under="exporter/") + source_tree.files(".h", ".cpp", under="tests/")
    result = subprocess.run(["clang-format", "--dry-run", "-Werror", *map(str, paths)],
                            capture_output=True, text=True)
    wrong = {line.split(":")[0] for line in result.stderr.splitlines() if "error:" in line}
    complaints = [f"{name.removeprefix(str(source_tree.REPO) + '/')}: run clang-format -i on it"
                  for name in sorted(wrong)]
    if result.returncode != 0 and not complaints:
        complaints.append(result.stderr.strip() or "clang-format failed")
    source_tree.finish("clang-format", complaints)


if __name__ == "__main__":
    main()
