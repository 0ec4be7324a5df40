"""Debian's real Alertmanager, and a receiver for its notifications."""

import http.server
import json
import re
import subprocess
import tempfile
import threading

from harness import requirements
from harness.exposition import fetch
from harness.processes import LineReader, reap, spawn, wait_for

CONFIGURATION = """\
route:
  receiver: test
  group_by: [alertname, allocator]
  group_wait: 1s
receivers:
  - name: test
    webhook_configs:
      - url: "{url}"
"""


class Alertmanager:
    def __init__(self):
        requirements.program("prometheus-alertmanager", "amtool")
        self.received = received = []

        class Receiver(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                received.extend(json.loads(self.rfile.read(int(self.headers["Content-Length"])))["alerts"])
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_):
                pass

        self._receiver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
        threading.Thread(target=self._receiver.serve_forever, daemon=True).start()
        self._folder = tempfile.TemporaryDirectory(prefix="alertmanager-")
        config = f"{self._folder.name}/alertmanager.yml"
        with open(config, "w") as file:
            file.write(CONFIGURATION.format(url=f"http://127.0.0.1:{self._receiver.server_port}/"))
        subprocess.run(["amtool", "check-config", config], check=True, capture_output=True)
        self._process = spawn(
            ["prometheus-alertmanager", f"--config.file={config}", f"--storage.path={self._folder.name}/data",
             "--web.listen-address=127.0.0.1:0", "--cluster.listen-address="],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.log = LineReader(self._process.stderr)
        try:
            _, found = self.log.find(re.compile(r"[Ll]istening.*address=(127\.0\.0\.1:[1-9]\d*)").search)
            self.address = found[1]
            wait_for("Alertmanager is ready", lambda: fetch(f"http://{self.address}/-/ready")[0] == 200)
        except BaseException:
            self.stop()
            raise

    def query(self, *matchers):
        """Labels of the alerts that amtool sees."""
        answer = subprocess.run(["amtool", "alert", "query", "-o", "json",
                                 f"--alertmanager.url=http://{self.address}", *matchers],
                                check=True, capture_output=True, text=True).stdout
        return [alert["labels"] for alert in json.loads(answer)]

    def stop(self):
        reap(self._process)
        self._receiver.shutdown()
        self._receiver.server_close()
        self._folder.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
