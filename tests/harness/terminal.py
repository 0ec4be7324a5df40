"""A program on a terminal of its own, and what stands on that terminal's screen, by pyte."""

import fcntl
import os
import pathlib
import pty
import select
import struct
import subprocess
import tempfile
import termios
import time

import pyte

from harness.processes import reap

PRIVATE = 5  # pyte keeps the private modes, of `CSI ? N h`, moved by so many bits


def _terminfo(folder):
    """The terminal `screen` without what pyte does not know: to scroll by several lines at once."""
    known = subprocess.run(["infocmp", "-1", "screen"], capture_output=True, text=True, check=True).stdout
    kept = [line for line in known.splitlines() if not line.strip().startswith(("indn=", "rin=", "rep="))]
    source = pathlib.Path(folder) / "screen.ti"
    source.write_text("\n".join(kept) + "\n")
    subprocess.run(["tic", "-o", folder, source], check=True, capture_output=True)


class Terminal:
    """Runs a program with this terminal as its stdin, stdout and stderr, and as its controlling terminal."""

    def __init__(self, argv, rows=30, columns=120, **environment):
        self._master, slave = pty.openpty()
        self._slave = slave  # stays open: what the terminal is like after the program has ended
        self._terminfo = tempfile.TemporaryDirectory()
        _terminfo(self._terminfo.name)
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        self._modes = self.modes()
        self._size(rows, columns)
        self.before = termios.tcgetattr(slave)
        self.process = subprocess.Popen(
            [str(word) for word in argv], stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(slave, termios.TIOCSCTTY, 0),
            env={**os.environ, "TERM": "screen", "TERMINFO": self._terminfo.name, "LANG": "C.UTF-8", **environment})

    def _size(self, rows, columns):
        fcntl.ioctl(self._slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def modes(self):
        """The numbers of the private modes that are on."""
        return {mode >> PRIVATE for mode in self._screen.mode if mode % (1 << PRIVATE) == 0}

    def lines(self):
        return [line.rstrip() for line in self._screen.display]

    def background(self, row, column):
        """The name of the colour behind a character."""
        return self._screen.buffer[row][column].bg

    def resize(self, rows, columns):
        self._read()
        self._screen.resize(rows, columns)
        self._size(rows, columns)

    def type(self, keys):
        os.write(self._master, keys.encode())

    def _read(self, wait=0.0):
        while select.select([self._master], [], [], wait)[0]:
            self._stream.feed(os.read(self._master, 65536))
            wait = 0

    def await_screen(self, what, condition, timeout=30):
        """Reads until condition(lines) is truthy; returns its value."""
        deadline = time.monotonic() + timeout
        while True:
            self._read(0.1)
            if found := condition(self.lines()):
                return found
            if time.monotonic() > deadline:
                raise AssertionError(f"not within {timeout} s: {what}\n" + "\n".join(self.lines()))

    def await_text(self, *texts):
        return self.await_screen(f"{texts} on the screen", lambda lines: all(
            any(text in line for line in lines) for text in texts))

    def wait(self, timeout=20):
        """The exit code."""
        deadline = time.monotonic() + timeout
        while self.process.poll() is None and time.monotonic() < deadline:
            self._read(0.1)
        self._read(0.1)
        return self.process.wait(0)

    def restored(self):
        """Whether the terminal is as it was: the cursor is seen, keys are read as before, and no other mode is on."""
        return termios.tcgetattr(self._slave) == self.before and self.modes() == self._modes

    def close(self):
        reap(self.process)
        os.close(self._master)
        os.close(self._slave)
        self._terminfo.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
