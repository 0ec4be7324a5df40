#!/usr/bin/python3
"""Fails when clang-tidy (the repository's .clang-tidy) finds a mistake in a folder of exporter/: tidy.py FOLDER BUILD.

BUILD is a tree that is built, for its compile_commands.json and the headers that it generates. Most of the time goes
into the standard library: so all sources of the folder are one for clang-tidy, and read it once.
"""

import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

import source_tree


def flags(folder, build):
    """Where the folder's sources look for headers, and what is defined for any of them."""
    found = []
    for entry in json.loads((build / "compile_commands.json").read_text()):
        if f" -o exporter/{folder}/" in entry["command"]:
            words = shlex.split(entry["command"])
            found += [word for word in words if word.startswith(("-I", "-D"))]
            found += [f"-isystem{words[at + 1]}" for at, word in enumerate(words) if word == "-isystem"]
    return list(dict.fromkeys(found))


def main():
    folder, build = sys.argv[1], pathlib.Path(sys.argv[2])
    sources = source_tree.files(".cpp", under=f"exporter/{folder}/")
    here = re.escape(str(source_tree.REPO))
    with tempfile.TemporaryDirectory() as scratch:
        together = pathlib.Path(scratch) / "together.cpp"
        together.write_text("".join(f'#include "{source}"\n' for source in sources))
        result = subprocess.run(
            ["clang-tidy", "--quiet", f"--config-file={source_tree.REPO}/.clang-tidy",
             f"--header-filter=^{here}/exporter/", "--checks=-bugprone-suspicious-include", str(together),
             "--", "-std=c++20", *flags(folder, build)], capture_output=True, text=True)
    complaints = [line.removeprefix(f"{source_tree.REPO}/") for line in result.stdout.splitlines()
                  if re.search(r": (error|warning): ", line)]
    if (result.returncode != 0 or not sources) and not complaints:
        complaints.append(result.stdout + result.stderr or f"no source in exporter/{folder}")
    source_tree.finish(f"clang-tidy of {len(sources)} sources", complaints)


if __name__ == "__main__":
    main()
