"""podman with its own store below build/, which is removed at the end with everything in it."""

import os
import pathlib
import shutil
import subprocess

from harness import erlang_runtime, exporter, requirements
from harness.processes import BUILD, REPO

# cgroupfs and few ulimits: no systemd is needed, nor CAP_SYS_RESOURCE. crun refuses hybrid cgroup mounts.
CONFIGURATION = """\
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
[engine]
cgroup_manager = "cgroupfs"
runtime = "runc"
"""
STORAGE = """\
[storage]
driver = "overlay"
graphroot = "{folder}/images"
runroot = "{folder}/run"
"""


class Containers:
    def __init__(self, folder=None):
        requirements.root_user()
        requirements.program("podman", "runc", "conmon")
        stores = BUILD / "containers"
        self.folder = folder or stores / str(os.getpid())
        self._environment = os.environ | {"CONTAINERS_CONF": f"{self.folder}/containers.conf",
                                          "CONTAINERS_STORAGE_CONF": f"{self.folder}/storage.conf",
                                          "BEAM_EXPORTER": str(exporter.BINARY.resolve())}
        if folder:
            return
        for left in stores.glob("*"):  # stores of tests that were killed
            if not os.path.exists(f"/proc/{left.name}"):
                Containers(left).remove()
        self.folder.mkdir(parents=True)
        (self.folder / "containers.conf").write_text(CONFIGURATION)
        (self.folder / "storage.conf").write_text(STORAGE.format(folder=self.folder))

    def run(self, *argv, check=True):
        """The program's output, stdout and stderr together."""
        done = subprocess.run([str(word) for word in argv], env=self._environment, text=True, cwd=REPO,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        assert done.returncode == 0 or not check, f"{argv}: {done.stdout}"
        return done.stdout

    def podman(self, *argv, check=True):
        return self.run("podman", *argv, check=check)

    def build_exporter(self):
        return self.run("deploy/container/build.sh").strip()

    def build_shop(self, release="27"):
        """Builds deploy/kubernetes/example/Containerfile with Debian's Erlang instead of a registry's image."""
        runtime = erlang_runtime.in_a_root(release)
        archive = self.folder / "root.tar"
        self.run("tar", "-C", runtime.root, "--exclude=./targets", "-cf", archive, ".")
        self.podman("import", archive, "erlang:root")
        archive.unlink()
        self.podman("build", "--network=host", "--build-arg=ERLANG=localhost/erlang:root", "--tag=beam_shop",
                    "--file=deploy/kubernetes/example/Containerfile", "deploy/demo")

    def remove(self):
        self.podman("pod", "rm", "--all", "--force", "--time=0", check=False)
        self.podman("rm", "--all", "--force", "--time=0", check=False)
        self.podman("image", "prune", "--all", "--force", check=False)
        for mount in pathlib.Path("/proc/self/mounts").read_text().splitlines():
            place = mount.split()[1]
            if place.startswith(f"{self.folder}/"):
                self.run("umount", "--lazy", place, check=False)
        shutil.rmtree(self.folder)
