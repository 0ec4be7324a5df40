"""A stripped library names its static functions by its debug file, which lies where gdb looks for it.

python3 -m integration.debug_files OTP_RELEASE
"""

import subprocess
import sys
import unittest

from harness import exporter, nif, requirements
from harness.beam_target import BeamTarget
from harness.erlang_runtime import named

STATIC = "wait_in_c"  # a static function of pinned_nif.c


class DebugFiles(unittest.TestCase):
    release = "25"

    def blame(self, vm, code):
        result = exporter.run("blame", f"--target.pid={vm.pid}", "--duration=1", STATIC)
        print(result.stdout, result.stderr)
        self.assertEqual(result.returncode, code, result.stderr)
        return result

    def test_static_functions_have_names_when_the_debug_file_is_there(self):
        requirements.may_sample()
        requirements.program("objcopy")
        runtime = named(self.release)
        inside = runtime.prepare() / "stripped"
        folder = runtime.outside() / "stripped"
        nif.compile_into(folder, "pinned_nif", "-g")
        kept = folder / "pinned_nif.debug"
        for arguments in (("--only-keep-debug", "pinned_nif.so", kept.name),
                          ("--strip-all", f"--add-gnu-debuglink={kept.name}", "pinned_nif.so")):
            subprocess.run(["objcopy", *arguments], cwd=folder, check=True)
        moved = kept.rename(folder / "elsewhere")
        vm = BeamTarget(runtime, "pinned", inside, flags=("+S", "2"))
        self.addCleanup(vm.kill)
        self.assertIn(f"no native function '{STATIC}'", self.blame(vm, 1).stderr)
        moved.rename(kept)
        self.assertIn(f"{STATIC}: ", self.blame(vm, 0).stdout)
        kept.write_bytes(b"not the debug file")
        self.assertIn(f"no native function '{STATIC}'", self.blame(vm, 1).stderr)


if __name__ == "__main__":
    DebugFiles.release = sys.argv.pop()
    unittest.main(verbosity=2)
