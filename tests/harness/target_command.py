"""Prints, as a JSON list, the command that starts a VM of a release with a target program.

python3 -m harness.target_command RELEASE PROGRAM [FLAG ...], run from tests/: for tests in C++, so
that all tests start a VM in the same way.
"""

import json
import sys

from harness import erlang_runtime


def main():
    release, program, *flags = sys.argv[1:]
    runtime = erlang_runtime.named(release)
    folder = runtime.prepare()
    argv = ["erl", "-noshell", *flags, "-pa", folder, "-s", "puppet", "main", program]
    print(json.dumps(runtime.command(argv)))


if __name__ == "__main__":
    main()
