"""A VM and one of the exporter's tools that looks at it, for all tests of a class."""

import json
import unittest

from harness import exporter, requirements
from harness.beam_target import BeamTarget
from harness.erlang_runtime import named


class ToolTest(unittest.TestCase):
    """The attributes of a class of tests say which tool runs and how the VM is started."""

    release = "25"
    tool = None
    target, arguments, vm_flags = None, (), ()

    @classmethod
    def setUpClass(cls):
        requirements.may_sample()
        cls.vm = BeamTarget(named(cls.release), cls.target, *cls.arguments, flags=cls.vm_flags)
        cls.addClassCleanup(cls.vm.kill)

    def run_tool(self, *flags, code=0, **options):
        result = exporter.run(self.tool, f"--target.pid={self.vm.pid}", *flags, **options)
        print(result.stdout[:1500], result.stderr, sep="", end="")
        self.assertEqual(result.returncode, code, result.stderr)
        return result

    def told(self, *flags):
        return json.loads(self.run_tool("--format=json", *flags).stdout)
