"""The stack of a NIF leads from the assembly of libcrypto to the Erlang function that called it.

python3 -m integration.assembly_frames OTP_RELEASE
"""

import collections
import pathlib
import re
import sys
import tempfile
import unittest

from harness.tool_test import ToolTest

KIND = re.compile(r"ciphers:(?!work)(\w+)/1")
IN_CRYPTO = "libcrypto.so"  # a function of it that is not exported


class AssemblyFrames(ToolTest):
    tool, target, vm_flags = "profile", "ciphers", ("+S", "1", "+SDcpu", "1")

    def test_each_stack_in_libcrypto_is_of_the_function_that_asked_for_it(self):
        self.vm.ask("run")
        with tempfile.TemporaryDirectory() as folder:
            output = pathlib.Path(folder) / "stacks.folded"
            self.run_tool("--duration=5", "--frequency=999", "--sampling.source=ebpf", f"--output={output}")
            counted = [line.rsplit(" ", 1) for line in output.read_text().splitlines()]
        self.vm.ask("pause")
        kinds, astray = collections.Counter(), collections.Counter()
        for stack, count in counted:
            if IN_CRYPTO not in stack:
                continue
            kind = KIND.search(stack)
            kinds[kind and kind[1]] += int(count)
            # These wait for work, and call nothing of libcrypto.
            if not kind or "scheduler_wait" in stack or "erts_schedule" in stack:
                astray[stack] += int(count)
        print(kinds, astray.most_common(3))
        self.assertGreater(kinds.total(), 1000)
        self.assertLess(astray.total(), 0.002 * kinds.total())
        self.assertGreaterEqual(set(kinds), {"pair", "rsa", "curve", "point", "digest", "authenticated", "stream"})


if __name__ == "__main__":
    AssemblyFrames.release = sys.argv.pop()
    unittest.main(verbosity=2)
