"""Without a --target flag the only visible VM is the target; the test runs in its own PID namespace."""

import subprocess
import tempfile
import unittest

from harness import requirements
from harness.exporter import BINARY
from harness.exposition import Exposition

SCRIPT = """\
mkfifo "$1/ready"
erl -noinput -eval "ok = file:write_file(\\"$1/ready\\", \\"ready\\\\n\\"), timer:sleep(infinity)." &
read word < "$1/ready"
exec "$2" --once=2
"""


class OnlyVm(unittest.TestCase):
    def test_found_without_a_flag(self):
        requirements.root_user()
        requirements.may_sample()
        requirements.program("unshare", "erl")
        with tempfile.TemporaryDirectory() as folder:
            result = subprocess.run(
                ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child", "sh", "-c", SCRIPT, "sh",
                 folder, str(BINARY)],
                stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=50)
        self.assertEqual(result.returncode, 0, result.stderr)
        scrape = Exposition(result.stdout, openmetrics=result.stdout.endswith("# EOF\n"))
        self.assertEqual(scrape.value("beam_up"), 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
