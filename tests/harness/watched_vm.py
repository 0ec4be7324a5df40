"""A VM with an exporter beside it, for all tests of a class."""

import unittest

from harness.beam_target import BeamTarget
from harness.erlang_runtime import named
from harness.exporter import Exporter


SNAPSHOT = 0.2  # seconds; so short that a scrape is nearly as new as the VM's answer
FAST_SNAPSHOTS = f"snapshot: {{interval: {SNAPSHOT * 1000:g}ms}}\n"


class WatchedVm(unittest.TestCase):
    """The attributes of a class of tests say how both are started."""

    release = "25"
    target, arguments, vm_flags = None, (), ("+S", "2")
    settings, flags = "", ()
    prefix = ()  # before the exporter's command

    @classmethod
    def setUpClass(cls):
        cls.vm = cls.start_vm(named(cls.release))
        cls.addClassCleanup(cls.vm.kill)
        cls.exporter = Exporter(f"--target.pid={cls.vm.pid}", *cls.flags, settings=cls.settings, prefix=cls.prefix)
        cls.addClassCleanup(cls.exporter.__exit__, None)
        cls.exporter.await_up()

    @classmethod
    def start_vm(cls, runtime):
        return BeamTarget(runtime, cls.target, *cls.arguments, flags=cls.vm_flags)
