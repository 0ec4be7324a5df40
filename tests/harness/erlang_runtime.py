"""An installed Erlang/OTP: that of the machine, or one in a root folder under build/otp."""

import fcntl
import pathlib
import shutil
import subprocess

from harness import requirements
from harness.processes import BUILD, REPO

TARGETS = REPO / "tests" / "targets"

# A new mount namespace with /proc. Every step execs, so the process id that we start is that of the VM.
ENTER = ('mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && '
         'exec chroot "$0" /usr/bin/env HOME=/ PATH=/usr/bin:/bin LANG=C.UTF-8 "$@"')


def number_of(release):
    """27 of "27", and of "27emu": a root of another build of that release has a longer name."""
    return int(release[:2])


class Runtime:
    def __init__(self, release, root=None):
        self.release = release
        self.root = root
        self.inside = pathlib.PurePosixPath("/targets") if root else BUILD / "targets" / release
        self._outside = pathlib.Path(root / "targets") if root else self.inside

    def command(self, argv):
        if self.root is None:
            return [str(word) for word in argv]
        return ["unshare", "--mount", "sh", "-c", ENTER, str(self.root), *map(str, argv)]

    def outside(self):
        """The path outside the root folder of the folder that prepare() returns."""
        return self._outside

    def include(self):
        """The folder of erl_nif.h in the root folder; None where it has none."""
        folder = self.root / "usr/lib/erlang/usr/include" if self.root else None
        return folder if folder and (folder / "erl_nif.h").exists() else None

    def prepare(self):
        """Compiles the target programs once, with the compiler of this release."""
        BUILD.mkdir(exist_ok=True)
        with open(BUILD / f"targets-{self.release}.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            sources = sorted(TARGETS.glob("*.erl"))
            stamp = self._outside / ".compiled"
            if stamp.exists() and all(s.stat().st_mtime < stamp.stat().st_mtime for s in sources):
                return self.inside
            shutil.rmtree(self._outside, ignore_errors=True)
            self._outside.mkdir(parents=True)
            for source in sources:
                shutil.copy(source, self._outside)
            modules = [self.inside / source.name for source in sources]
            subprocess.run(self.command(["erlc", "+debug_info", "-o", self.inside, *modules]), check=True,
                           stdin=subprocess.DEVNULL)
            stamp.touch()
        return self.inside


def installed():
    requirements.program("erl", "erlc")
    release = subprocess.run(
        ["erl", "-noshell", "-eval", 'io:put_chars(erlang:system_info(otp_release)), halt().'],
        capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL).stdout
    return Runtime(release)


def in_a_root(release):
    requirements.root_user()
    root = BUILD / "otp" / release
    if not (root / ".complete").exists():
        requirements.skip(f"needs OTP {release} in build/otp/{release}: tests/harness/otp_root.sh {release}")
    return Runtime(release, root)


def named(release):
    """The machine's OTP when it is that release, else the prepared root folder."""
    own = installed()
    return own if own.release == release else in_a_root(release)
