"""A real application under load: nearly every busy sample has a name, and the node has loaded every named function.

python3 -m integration.rabbitmq SAMPLING_SOURCE
"""

import sys
import time
import unittest

from harness.amqp_load import Load
from harness.exporter import Exporter
from harness.exposition import PSEUDO_FUNCTIONS, growth
from harness.rabbitmq_node import RabbitMQ

SECONDS = 20
# A series for every function: so each name is checked, and no series disappears during the sum.
SETTINGS = "functions: {top: 10000, inclusive_top: 10000}\nsampling: {frequency: 499}\n"
STATE = "beam_scheduler_state_seconds_total"


# The perf source reads the Erlang stack of C code late: the stack may have moved on
# (exporter/sampling/README.md). Such samples have no name; none may have a wrong one.
NAMED = {"auto": 0.999, "perf": 0.99}


class RabbitMqUnderLoad(unittest.TestCase):
    source = "auto"

    def test_busy_samples_are_named_and_names_are_real(self):
        with RabbitMQ() as node, \
                Exporter(f"--target.pid={node.pid}", f"--sampling.source={self.source}", settings=SETTINGS) as exporter:
            exporter.await_up()
            load = Load(node.port)
            try:
                exporter.await_scrape("the load is seen", lambda s: any(
                    module.startswith("rabbit") for module, _ in s.functions()))
                before = exporter.scrape()
                time.sleep(SECONDS)
                after = exporter.scrape()
            finally:
                load.stop()
            self.assertEqual(load.failures, [])
            loaded = node.loaded_functions()

        def gained(name, **labels):
            return after.total(name, **labels) - before.total(name, **labels)

        print(f"{load.delivered} messages delivered")
        self.assertGreater(load.delivered, 10000)
        functions = growth(before.functions(), after.functions())
        for (module, function), seconds in sorted(functions.items(), key=lambda item: -item[1])[:15]:
            print(f"  {seconds:6.2f} s {module}:{function}")

        in_processes = gained(STATE, state="emulator")
        nameless = gained("beam_samples_unattributed_total")
        samples = gained("beam_samples_total")
        reasons = {labels["reason"]: gained("beam_samples_unattributed_total", **labels)
                   for labels, _ in after.samples("beam_samples_unattributed_total")}
        print(f"unattributed: {reasons}")
        print(f"{samples:.0f} samples, {nameless:.0f} unattributed; {in_processes:.2f} s in processes,"
              f" {sum(functions.values()):.2f} s with a function")
        self.assertGreater(in_processes, 0.2 * SECONDS)
        self.assertGreaterEqual(sum(functions.values()), NAMED[self.source] * in_processes)
        self.assertLessEqual(nameless, (1 - NAMED[self.source]) * samples)

        names = set(after.functions()) | set(after.functions("beam_function_inclusive_cpu_seconds_total"))
        self.assertGreater(len(names), 20)
        self.assertEqual(names - {("", name) for name in ("other", *PSEUDO_FUNCTIONS)} - loaded, set())


if __name__ == "__main__":
    RabbitMqUnderLoad.source = sys.argv.pop()
    unittest.main(verbosity=2)
