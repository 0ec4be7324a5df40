"""An installed VM that is not stripped, as `make` leaves one: Debian's, with a local symbol added for each static
function. Their bounds stand in .eh_frame; what they are called is nowhere, and nothing depends on it."""

import pathlib
import re
import shutil
import subprocess

from harness.erlang_runtime import Runtime, installed
from harness.processes import BUILD

FRAME = re.compile(r"FDE cie=\S+ pc=([0-9a-f]+)\.\.")
TEXT = re.compile(r"\.text\s+PROGBITS\s+([0-9a-f]+)\s+[0-9a-f]+\s+([0-9a-f]+)")


class WithLocalSymbols(Runtime):
    """Only for release 25, which is the machine's own."""

    def __init__(self):
        own = installed()
        super().__init__(own.release)
        tell = 'io:put_chars([code:root_dir(), "\\n", os:getenv("BINDIR")]), halt().'
        self._root, programs = _output("erl", "-noshell", "-eval", tell).splitlines()
        self._programs = BUILD / "local_symbols"
        shutil.rmtree(self._programs, ignore_errors=True)
        self._programs.mkdir(parents=True)
        for program in pathlib.Path(programs).iterdir():
            if program.name != "beam.smp":
                (self._programs / program.name).symlink_to(program)
        add_symbols(pathlib.Path(programs) / "beam.smp", self._programs / "beam.smp")

    def command(self, argv):
        """`erl` is a shell script that tells erlexec where it is; every step execs."""
        if argv[0] != "erl":
            return super().command(argv)
        told = [f"ROOTDIR={self._root}", f"BINDIR={self._programs}", "EMU=beam", "PROGNAME=erl"]
        return super().command(["env", *told, self._programs / "erlexec", *argv[1:]])


def add_symbols(stripped, into):
    begins = {int(begin, 16) for begin in FRAME.findall(_output("readelf", "--debug-dump=frames", stripped))}
    exported = {int(line.split()[1], 16) for line in _output("readelf", "-W", "--dyn-syms", stripped).splitlines()
                if " FUNC " in line}
    text, size = (int(number, 16) for number in TEXT.search(_output("readelf", "-W", "-S", stripped)).groups())
    options = into.with_suffix(".symbols")
    options.write_text("\n".join(f"--add-symbol static_{begin:x}=.text:{begin - text},function,local"
                                 for begin in sorted(begins - exported) if text <= begin < text + size))
    _output("objcopy", f"@{options}", stripped, into)


def _output(*command):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL).stdout
