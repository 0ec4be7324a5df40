"""Programs as another user than root: the exporter, and VMs of it."""

import os
import pathlib
import shutil
import tempfile

from harness import erlang_runtime, exporter

OWNER = 65534


def as_user(user):
    """What to put before a command that runs as that user and group, with no capability."""
    return ("setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--inh-caps=-all", "--ambient-caps=-all",
            "--bounding-set=-all")


class UsersRuntime(erlang_runtime.Runtime):
    """A release of OTP whose VMs run as that user; `folder` is one that the user can read."""

    def __init__(self, release, user, folder):
        roots = erlang_runtime.named(release)
        compiled = roots.prepare()
        super().__init__(release, roots.root)
        self._user = user
        if self.root is None:
            self.inside = self._outside = pathlib.Path(shutil.copytree(compiled, f"{folder}/targets"))

    def prepare(self):
        return self.inside

    def command(self, argv):
        if self.root is None:
            return [*as_user(self._user), *super().command(argv)]
        chroot = f"chroot --userspec={self._user}:{self._user}"
        return [word.replace("exec chroot", f"exec {chroot}") for word in super().command(argv)]


def readable_exporter(test_class):
    """While that class's tests run, the exporter is a copy that any user can read, in the returned folder."""
    folder = tempfile.TemporaryDirectory()
    test_class.addClassCleanup(folder.cleanup)
    os.chmod(folder.name, 0o755)
    test_class.addClassCleanup(setattr, exporter, "BINARY", exporter.BINARY)
    exporter.BINARY = pathlib.Path(shutil.copy(exporter.BINARY, folder.name))
    return folder.name
