"""Runs the exporter and VMs as a user other than root."""

import os
import pathlib
import shutil
import tempfile

from harness import erlang_runtime, exporter

OWNER = 65534


def as_user(user):
    """The prefix of a command that runs as that user and group, without capabilities."""
    return ("setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--inh-caps=-all", "--ambient-caps=-all",
            "--bounding-set=-all")


class UsersRuntime(erlang_runtime.Runtime):
    """A release of OTP whose VMs run as that user; the user must be able to read `folder`."""

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
    """For the tests of that class, the exporter is a copy in the returned folder, which every user can read."""
    folder = tempfile.TemporaryDirectory()
    test_class.addClassCleanup(folder.cleanup)
    os.chmod(folder.name, 0o755)
    test_class.addClassCleanup(setattr, exporter, "BINARY", exporter.BINARY)
    exporter.BINARY = pathlib.Path(shutil.copy(exporter.BINARY, folder.name))
    return folder.name
