"""The tools beside a real application: each tells of RabbitMQ what the node tells of itself.

python3 -m integration.tools_on_rabbitmq
"""

import collections
import json
import pathlib
import re
import subprocess
import tempfile
import unittest

from harness import exporter, requirements
from harness.amqp_load import Load
from harness.rabbitmq_node import RabbitMQ

# As pstack prints a frame, without the place in the source.
STACKS = """[io:format("S~ts~n", [lists:join(";", [io_lib:format("~ts:~ts/~b", [M, F, if is_list(A) -> length(A); true -> A end])
    || {M, F, A, _} <- element(2, process_info(P, current_stacktrace))])]) || P <- processes(),
    {status, waiting} =:= process_info(P, status)], ok""".replace("\n", " ")
HEAPS = """[io:format("H~ts ~b~n", [pid_to_list(P), element(2, process_info(P, total_heap_size))]) || P <- processes(), is_process_alive(P)],
    ok""".replace("\n", " ")
# Of ets_alloc.
SIZES = {
    "carriers": "lists:sum([element(2, C) || {instance, _, Kinds} <- erlang:system_info({allocator_sizes, ets_alloc}), "
                "{_, Kind} <- Kinds, C <- Kind, element(1, C) =:= carriers_size])",
    "blocks": "lists:sum([S || {instance, _, Kinds} <- erlang:system_info({allocator_sizes, ets_alloc}), "
              "{_, Kind} <- Kinds, {blocks, Types} <- Kind, {_, Sizes} <- Types, Size <- Sizes, S <- [element(2, Size)]])",
}


# Where a BIF goes on after it has yielded: functions of the VM that no module exports (erts_init_trap_export in
# erts/emulator/beam, OTP 25).
TRAP = re.compile(r"(erlang|erts_internal|ets|maps|persistent_term):(\w+_(trap|continue|return|yield)(_\d)?|await_exit|length|reverse)/\d")


def is_the_vms(name, loaded):
    """Whether the node has a function of that name; $name is generated code."""
    return name in loaded or name.startswith("$") or bool(TRAP.fullmatch(name))


class ToolsOnRabbitMq(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        requirements.may_sample()
        cls.node = RabbitMQ()
        cls.addClassCleanup(cls.node.stop)

    def run_tool(self, tool, *flags):
        result = exporter.run(tool, f"--target.pid={self.node.pid}", *flags)
        print(result.stdout[:800], result.stderr, sep="", end="")
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def told(self, tool, *flags):
        return json.loads(self.run_tool(tool, "--format=json", *flags))

    def under_load(self, *arguments):
        load = Load(self.node.port)
        try:
            return self.told(*arguments)
        finally:
            load.stop()

    def test_pstack_tells_the_stacks_that_the_node_tells(self):
        # A process that hibernates has no stack.
        truth = collections.Counter(line[1:] for line in self.node.evaluate(STACKS).splitlines()
                                    if line.startswith("S") and line != "S")
        told = collections.Counter()
        for stack in self.told("pstack", "--processes", "--limit=10000")["stacks"]:
            told[";".join(frame.split(" (")[0] for frame in stack["frames"])] += stack["processes"]
        # current_stacktrace has at most 8 frames (backtrace_depth); pstack has all.
        cut = collections.Counter()
        for stack, processes in told.items():
            cut[";".join(stack.split(";")[:8])] += processes
        differing = {stack: (processes, cut[stack]) for stack, processes in truth.items() if cut[stack] != processes}
        print(sum(truth.values()), "waiting processes, different:", differing)
        # What answers rabbitmqctl, and a few that work from time to time.
        self.assertLess(sum(abs(ours - theirs) for theirs, ours in differing.values()), 0.05 * sum(truth.values()))
        self.assertGreater(sum(truth.values()), 200)

    def test_heap_tells_the_heaps_that_the_node_tells(self):
        truth = {}
        for line in self.node.evaluate(HEAPS).splitlines():
            if line.startswith("H"):
                pid, words = line[1:].split()
                truth[pid] = 8 * int(words)
        told = {row["process"]: row["heap_bytes"] for row in self.told("heap", "--limit=100000")["largest"]}
        equal = sum(told.get(pid) == heap for pid, heap in truth.items())
        print(equal, "of", len(truth), "equal")
        self.assertGreater(equal, 0.9 * len(truth))

    def test_profile_names_only_functions_that_the_node_has_and_go_reads_it(self):
        requirements.program("go")
        loaded = {f"{module}:{function}" for module, function in self.node.loaded_functions()}
        told = self.under_load("profile", "--duration=4", "--frequency=499", "--limit=1000")
        erlang = [row["function"] for row in told["functions"] if re.fullmatch(r"[^ \[\]]+:[^ ]+/\d+", row["function"])]
        self.assertEqual([name for name in erlang if not is_the_vms(name, loaded)], [])
        self.assertTrue(any(name.startswith("rabbit_channel:") for name in erlang), erlang[:40])
        with tempfile.NamedTemporaryFile(suffix=".pb.gz") as output:
            load = Load(self.node.port)
            try:
                self.run_tool("profile", "--duration=2", f"--output={output.name}")
            finally:
                load.stop()
            top = subprocess.run(["go", "tool", "pprof", "-top", output.name], capture_output=True, text=True, timeout=60)
        self.assertIn("rabbit_", top.stdout, top.stderr)

    def test_top_names_only_functions_that_the_node_has(self):
        loaded = {f"{module}:{function}" for module, function in self.node.loaded_functions()}
        rows = self.under_load("top", "--duration=2", "--interval=2", "--limit=1000")["functions"]
        erlang = {row["function"] for row in rows if row["kind"] == "erlang"}
        self.assertEqual({name for name in erlang if not is_the_vms(name, loaded)}, set())
        self.assertTrue(any(name.startswith("rabbit_channel:") for name in erlang), erlang)

    def test_coverage_sees_the_channel_and_not_what_is_never_called(self):
        sources = {row["source"].split("/")[-1]: row for row in self.under_load(
            "coverage", "--duration=3", "--frequency=999", "--module=rabbit_channel", "--module=mnesia_backup")["sources"]}
        self.assertGreater(sources["rabbit_channel.erl"]["lines_seen"], 5)
        self.assertGreater(sources["rabbit_channel.erl"]["lines"], sources["rabbit_channel.erl"]["lines_seen"])
        self.assertEqual(sources["mnesia_backup.erl"]["lines_seen"], 0)

    def test_memory_tells_what_the_node_tells(self):
        told = self.told("memory")
        self.assertEqual(told["not_readable"], [])
        self.assertAlmostEqual(sum(part["bytes"] for part in told["composition"]), told["resident_bytes"], delta=1)
        ets, = (one for one in told["allocators"] if one["allocator"] == "ets_alloc")
        carriers = sum(one["carriers_bytes"] for one in ets.values() if isinstance(one, dict))
        truth = {name: int(self.node.evaluate(expression)) for name, expression in SIZES.items()}
        print(f"ets_alloc: {carriers} bytes of carriers, {ets['blocks_bytes']} of blocks; the node: {truth}")
        self.assertEqual(carriers, truth["carriers"])
        # With the headers of carriers; rabbitmqctl makes a few blocks.
        self.assertAlmostEqual(ets["blocks_bytes"], truth["blocks"], delta=0.01 * truth["blocks"])

    def test_blame_finds_who_copies(self):
        native, = self.under_load("blame", "copy_struct", "--duration=4", "--frequency=499")["natives"]
        self.assertGreater(native["share"], 0)
        loaded = {f"{module}:{function}" for module, function in self.node.loaded_functions()}
        self.assertLessEqual({one["function"] for one in native["functions"] if ":" in one["function"]}, loaded)

    def test_the_map_for_perf_has_every_function(self):
        with tempfile.TemporaryDirectory() as folder:
            output = pathlib.Path(folder) / "node.map"
            self.run_tool("perf-map", f"--output={output}")
            mapped = {line.split(" ", 2)[2].removeprefix("$").removeprefix("Elixir.")
                      for line in output.read_text().splitlines()}
        missing = {f"{module}:{function}" for module, function in self.node.loaded_functions()} - mapped
        print(len(mapped), "functions; not in the map:", sorted(missing)[:10])
        # rabbitmqctl loads code into the node to evaluate.
        self.assertLess(len(missing), 0.01 * len(mapped))


if __name__ == "__main__":
    unittest.main(verbosity=2)
