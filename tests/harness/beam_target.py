"""A real VM that runs one of the programs of tests/targets and answers questions about itself."""

import json
import subprocess

from harness.processes import LineReader, reap, spawn


class BeamTarget:
    """The VM is ready when the constructor returns: it waits for the VM's "ready" line."""

    def __init__(self, runtime, program, *arguments, flags=()):
        folder = runtime.prepare()
        # No +sbwt here: the tests watch a VM with its default settings.
        argv = ["erl", "-noshell", *flags, "-pa", folder, "-s", "puppet", "main", program, *arguments]
        self._process = spawn(runtime.command(argv), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        self.pid = self._process.pid
        self._output = LineReader(self._process.stdout)
        self._seen = 0
        try:
            self.ready = self.await_ready()
        except BaseException:
            self.kill()
            raise
        # Inside the chroot the VM sees the same process ids as we do, so the two must be equal.
        assert self.ready["pid"] == self.pid, f"the VM is {self.ready['pid']}, not {self.pid}"

    def await_ready(self, timeout=60):
        return self._next("ready", timeout)

    def _next(self, key, timeout):
        def match(line):
            try:
                return line.startswith("{") and (answer := json.loads(line)).get(key) is not None and [answer[key]]
            except json.JSONDecodeError:  # an Erlang term in a message of the VM
                return False

        index, found = self._output.find(match, self._seen, timeout)
        self._seen = index + 1
        return found[0]

    def send(self, line):
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def ask(self, line, timeout=120):
        self.send(line)
        return self._next("reply", timeout)

    def evaluate(self, expression, timeout=60):
        return self.ask(f"eval {expression}.", timeout)

    def loaded_functions(self):
        """{(module, "name/arity")} of everything that is loaded, from the VM itself."""
        listing = self.evaluate(
            "[[M, [iolist_to_binary(io_lib:format(\"~ts/~b\", [F, A])) || {F, A} <- M:module_info(functions)]]"
            " || {M, _} <- code:all_loaded()]")
        return {(module.removeprefix("Elixir."), function) for module, functions in listing for function in functions}

    def alive(self):
        return self._process.poll() is None

    def signal(self, number):
        self._process.send_signal(number)

    def wait(self, timeout=60):
        """Until it has ended of itself."""
        return self._process.wait(timeout)

    def kill(self):
        reap(self._process)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()
