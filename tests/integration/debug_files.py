"""A stripped library names its static functions by its debug file, which lies where gdb looks for it, or by a symbol
file of its unstripped twin.

python3 -m integration.debug_files OTP_RELEASE
"""

import re
import subprocess
import sys
import unittest

from harness import exporter, nif, requirements
from harness.beam_target import BeamTarget
from harness.erlang_runtime import named

STATIC = "wait_in_c"  # a static function of pinned_nif.c


class DebugFiles(unittest.TestCase):
    release = "25"

    def blame(self, vm, code, *flags):
        result = exporter.run("blame", f"--target.pid={vm.pid}", "--duration=1", *flags, STATIC)
        print(result.stdout, result.stderr)
        self.assertEqual(result.returncode, code, result.stderr)
        return result

    def compile(self, name):
        """Returns the folder of the unstripped library, and the same as the VM sees it."""
        requirements.may_sample()
        requirements.program("objcopy")
        runtime = named(self.release)
        inside = runtime.prepare() / name
        folder = runtime.outside() / name
        nif.compile_into(folder, "pinned_nif", "-g")
        return folder, inside

    def start(self, inside):
        vm = BeamTarget(named(self.release), "pinned", inside, flags=("+S", "2"))
        self.addCleanup(vm.kill)
        return vm

    def objcopy(self, folder, *arguments):
        subprocess.run(["objcopy", *arguments], cwd=folder, check=True)

    def test_static_functions_have_names_by_a_symbol_file(self):
        folder, inside = self.compile("symbols_stripped")
        builds = folder / "builds"
        builds.mkdir(exist_ok=True)
        symbols = builds / "pinned.yaml"
        flag = f"--builds.directory={builds}"
        written = exporter.run("layout", "--symbols", f"--output={symbols}", str(folder / "pinned_nif.so"))
        self.assertEqual(written.returncode, 0, written.stderr)
        self.objcopy(folder, "--strip-all", "pinned_nif.so")
        vm = self.start(inside)
        self.assertIn(f"no native function '{STATIC}'", self.blame(vm, 1).stderr)
        self.assertIn(f"{STATIC}: ", self.blame(vm, 0, flag).stdout)
        text = symbols.read_text()
        build_id = re.search('build_id: "([0-9a-f]+)"', text)[1]
        symbols.write_text(text.replace(build_id, build_id[::-1]))
        self.assertIn(f"no native function '{STATIC}'", self.blame(vm, 1, flag).stderr)
        symbols.write_text("static_functions: []\n")
        self.assertRegex(self.blame(vm, 2, flag).stderr, "^beam_exporter: builds.directory: .*pinned.yaml:1: ")
        refused = exporter.run("layout", "--symbols", str(folder / "pinned_nif.so"))
        self.assertEqual(refused.returncode, 1)
        self.assertIn("stripped, and no debug file of it was found", refused.stderr)

    def test_static_functions_have_names_when_the_debug_file_is_there(self):
        folder, inside = self.compile("stripped")
        kept = folder / "pinned_nif.debug"
        self.objcopy(folder, "--only-keep-debug", "pinned_nif.so", kept.name)
        self.objcopy(folder, "--strip-all", f"--add-gnu-debuglink={kept.name}", "pinned_nif.so")
        moved = kept.rename(folder / "elsewhere")
        vm = self.start(inside)
        self.assertIn(f"no native function '{STATIC}'", self.blame(vm, 1).stderr)
        moved.rename(kept)
        self.assertIn(f"{STATIC}: ", self.blame(vm, 0).stdout)
        kept.write_bytes(b"not the debug file")
        self.assertIn(f"no native function '{STATIC}'", self.blame(vm, 1).stderr)


if __name__ == "__main__":
    DebugFiles.release = sys.argv.pop()
    unittest.main(verbosity=2)
