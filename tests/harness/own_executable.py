"""The machine's OTP (release 25) with a VM of our own making: a changed copy of its executable."""

import pathlib
import shutil
import subprocess

from harness.erlang_runtime import Runtime, installed
from harness.processes import BUILD


class OwnExecutable(Runtime):
    """`make(original, into)` writes the executable; `name` is that of its folder in build/."""

    def __init__(self, name, make):
        own = installed()
        super().__init__(own.release)
        tell = 'io:put_chars([code:root_dir(), "\\n", os:getenv("BINDIR")]), halt().'
        self._root, programs = output("erl", "-noshell", "-eval", tell).splitlines()
        self._programs = BUILD / name
        shutil.rmtree(self._programs, ignore_errors=True)
        self._programs.mkdir(parents=True)
        for program in pathlib.Path(programs).iterdir():
            if program.name != "beam.smp":
                (self._programs / program.name).symlink_to(program)
        make(pathlib.Path(programs) / "beam.smp", self._programs / "beam.smp")

    def command(self, argv):
        """`erl` is a shell script that gives erlexec its place; every step execs."""
        if argv[0] != "erl":
            return super().command(argv)
        told = [f"ROOTDIR={self._root}", f"BINDIR={self._programs}", "EMU=beam", "PROGNAME=erl"]
        return super().command(["env", *told, self._programs / "erlexec", *argv[1:]])


def output(*command):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL).stdout
