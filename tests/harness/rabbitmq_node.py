"""Debian's RabbitMQ as a real application: a separate node in a temporary folder."""

import os
import pathlib
import shutil
import socket
import subprocess
import tempfile

from harness import requirements
from harness.processes import LineReader, reap, spawn, wait_for

BIN = pathlib.Path("/usr/lib/rabbitmq/bin")  # the scripts that Debian's wrappers call; they need no service user


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


class RabbitMQ:
    def __init__(self):
        if not (BIN / "rabbitmq-server").exists():
            requirements.skip("needs rabbitmq-server: deploy/install-dependencies.sh --tests")
        self._folder = tempfile.mkdtemp(prefix="rabbitmq-")
        home = pathlib.Path(self._folder)
        self.port = free_port()
        (home / "rabbitmq.conf").write_text("loopback_users.guest = true\nlog.console = false\n")
        (home / "enabled_plugins").write_text("[].\n")
        # The machine may already run a node. So this one shares nothing with it: it has its own name, ports, cookie
        # and epmd.
        self.environment = {
            "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "HOME": self._folder,
            "ERL_EPMD_PORT": str(free_port()), "ERL_EPMD_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODENAME": "load@localhost", "RABBITMQ_NODE_PORT": str(self.port),
            "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1", "RABBITMQ_DIST_PORT": str(free_port()),
            "RABBITMQ_HOME": "/usr/lib/rabbitmq", "RABBITMQ_MNESIA_BASE": f"{home}/mnesia",
            "RABBITMQ_LOG_BASE": f"{home}/log", "RABBITMQ_CONFIG_FILE": f"{home}/rabbitmq",
            "RABBITMQ_CONF_ENV_FILE": f"{home}/none", "RABBITMQ_PID_FILE": f"{home}/pid",
            "RABBITMQ_ENABLED_PLUGINS_FILE": f"{home}/enabled_plugins",
        }
        self._process = spawn([BIN / "rabbitmq-server"], env=self.environment, cwd=home,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.output = LineReader(self._process.stdout)
        try:
            wait_for("RabbitMQ listens", self._listens, timeout=90, pause=0.2)
            self.pid = int(self.evaluate("list_to_integer(os:getpid())"))
        except BaseException:
            print(self.output.text())
            self.stop()
            raise

    def _listens(self):
        assert self._process.poll() is None, "RabbitMQ ended"
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
            return True
        except OSError:
            return False

    def evaluate(self, expression):
        """The output of `rabbitmqctl eval`."""
        return subprocess.run([BIN / "rabbitmqctl", "--quiet", "eval", expression + "."], env=self.environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True, timeout=60).stdout

    def loaded_functions(self):
        """{(module, "name/arity")} of everything that is loaded, from the node itself."""
        listing = self.evaluate(
            '[io:format("~ts ~ts/~b~n", [M, F, A]) || {M, _} <- code:all_loaded(), {F, A} <- M:module_info(functions)], ok')
        pairs = (line.split(" ", 1) for line in listing.splitlines() if " " in line)
        return {(module.removeprefix("Elixir."), function) for module, function in pairs}

    def stop(self):
        reap(self._process)
        subprocess.run(["epmd", "-port", self.environment["ERL_EPMD_PORT"], "-kill"], env=self.environment,
                       stdin=subprocess.DEVNULL, capture_output=True, timeout=20)
        shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
