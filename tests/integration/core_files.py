"""A VM of which only a core file is left: pstack and heap tell what the VM told before it ended.

python3 -m integration.core_files OTP_RELEASE
"""

import json
import os
import pathlib
import sys
import unittest

from harness import core_dump, exporter, requirements
from harness.core_dump import CoreDump
from harness.erlang_runtime import named
from harness.tool_test import ToolTest


def pstack_of(*flags):
    return json.loads(exporter.run("pstack", "--processes", "--format=json", "--limit=100000", *flags, check=True).stdout)

def held(key, *flags):
    """What each process has of it; all that the tool tells of a process but its name."""
    told = json.loads(exporter.run("heap", *flags, "--format=json", "--limit=100000", f"--sort={key}", check=True).stdout)
    return {row["process"]: {column: value for column, value in row.items() if column != "name"} for row in told["largest"]}


class CoreFiles(ToolTest):
    target, vm_flags = "waiting", ("+P", "262144")

    @classmethod
    def setUpClass(cls):
        if missing := core_dump.complaint():
            requirements.skip(missing)
        super().setUpClass()
        dump = CoreDump(cls, cls.vm, named(cls.release))
        cls.folder, cls.executable = dump.folder, dump.executable
        for kind, many in (("receive", 700), ("call", 20), ("deep", 7), ("hibernate", 50)):
            cls.vm.ask(f"spawn {kind} {many}")
        alive = f"--target.pid={cls.vm.pid}"
        cls.stacks = pstack_of(alive)
        cls.heaps = {key: held(key, alive) for key in ("heap", "memory", "binaries")}
        cls.core = dump.take()
        cls.given = (f"--core={cls.core}", f"--executable={cls.executable}")

    def refused(self, *flags, code=1):
        result = exporter.run(*flags)
        self.assertEqual((result.returncode, result.stdout, len(result.stderr.splitlines())), (code, "", 1), result)
        return result.stderr

    def test_pstack_tells_what_it_told_of_the_living_vm(self):
        told = pstack_of(*self.given)
        print(told["processes"], "processes,", told["stacks"][0])
        self.assertEqual(told["stacks"][0]["processes"], 700)
        self.assertIn("waiting:in_receive/1", told["stacks"][0]["frames"][0])
        differing = [one for one in told["stacks"] if one not in self.stacks["stacks"]]
        # Whoever ran or waited for the console when one of them looked.
        self.assertLessEqual(sum(one["processes"] for one in differing), 3, differing)
        self.assertEqual(told["not_read"], 0)

    def test_heap_tells_what_it_told_of_the_living_vm(self):
        for key, alive in self.heaps.items():
            ours = held(key, *self.given)
            differing = {pid: (alive[pid], ours.get(pid)) for pid in alive if ours.get(pid) != alive[pid]}
            print(key, len(ours), "processes, different:", differing)
            self.assertLessEqual(len(differing), 3)
            column = {"heap": "heap_bytes", "memory": "memory_bytes", "binaries": "binary_bytes"}[key]
            self.assertGreater(sum(one[column] for one in ours.values()), 0)

    def test_a_core_that_a_limit_has_cut_says_so(self):
        cut = self.folder / "cut"
        with open(self.core, "rb") as whole, open(cut, "wb") as part:
            part.write(whole.read(os.stat(self.core).st_size // 3))
        self.assertIn("is cut: ", self.refused("pstack", f"--core={cut}", f"--executable={self.executable}"))

    def test_mistakes(self):
        self.assertIn("not a core file", self.refused("pstack", f"--core={self.executable}"))
        self.assertIn("No such file", self.refused("heap", f"--core={self.folder}/none"))
        self.assertIn("no symbol etp_otp_release", self.refused("pstack", f"--core={self.core}", "--executable=/bin/ls"))
        self.assertIn("needs --core", self.refused("pstack", "--executable=/bin/ls", code=2))
        self.assertIn("nothing grows", self.refused("heap", f"--core={self.core}", "--diff=1", code=2))
        if self.release != "25":
            # Another build of the machine's own release has a path that is there, and holds another executable.
            self.assertRegex(self.refused("pstack", f"--core={self.core}"), "--executable|another build id")
            other = f"--executable={pathlib.Path('/usr/lib/erlang').resolve()}/erts-13.1.5/bin/beam.smp"
            self.assertIn("another build id", self.refused("pstack", f"--core={self.core}", other))


if __name__ == "__main__":
    CoreFiles.release = sys.argv.pop(1)
    unittest.main(verbosity=2)
