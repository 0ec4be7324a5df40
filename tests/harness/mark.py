"""Tells the VMs of one test from those of tests that run beside it."""

import itertools
import os

_count = itertools.count()


class Mark:
    def __init__(self):
        # The last letter keeps mark 1 from matching mark 10.
        name = f"test-{os.getpid()}-{next(_count)}-vm"
        self.flags = ("-mark", name)  # of a VM; erl ignores it
        self.match = f"--target.match=-mark {name}"  # of the exporter
