"""deploy/kubernetes/example/pod.yaml, run by podman: the shipped manifest except for the changes in `played`."""

import copy
import json
import pathlib
import re

import yaml

from harness.exposition import Exposition, fetch
from harness.processes import REPO, wait_for

KUBERNETES = REPO / "deploy" / "kubernetes"
PROBES = ("startupProbe", "livenessProbe")
LISTENING = re.compile(r'msg="listening" address=(\S+)')


def manifest():
    return yaml.safe_load((KUBERNETES / "example" / "pod.yaml").read_text())


def sidecar_of(pod):
    return next(one for one in pod["spec"]["initContainers"] if one["name"] == "beam-exporter")


def with_profile(pod, name):
    sidecar_of(pod)["securityContext"]["seccompProfile"] = {"type": "Localhost", "localhostProfile": name}
    return pod


def with_our_profile(pod):
    """The pod with the kustomize component deploy/kubernetes/seccomp."""
    return with_profile(pod, "beam_exporter.json")


def restricted(pod, user=1000):
    """The pod with the kustomize component deploy/kubernetes/restricted, run as that user."""
    pod["spec"]["securityContext"] |= {"runAsUser": user, "runAsGroup": user}
    context = sidecar_of(pod)["securityContext"]
    for field in ("runAsUser", "runAsGroup"):
        del context[field]
    context |= {"runAsNonRoot": True, "capabilities": {"drop": ["ALL"]}}
    return pod


def played(pod):
    """The manifest without the parts that podman 4.3 cannot do."""
    pod = copy.deepcopy(pod)
    spec = pod["spec"]
    # It waits for the end of each init container: so the native sidecar becomes the first container.
    sidecar = sidecar_of(pod)
    spec["initContainers"].remove(sidecar)
    spec["containers"].insert(0, sidecar)
    del sidecar["restartPolicy"]
    # It runs probes as commands in the container, which has no commands: the test itself asks those paths.
    for probe in PROBES:
        del sidecar[probe]
    # It does not know seccompProfile, but it knows the older annotation.
    profile = sidecar["securityContext"].pop("seccompProfile")
    if profile["type"] == "Localhost":
        pod["metadata"]["annotations"] = {"container.seccomp.security.alpha.kubernetes.io/beam-exporter":
                                          "localhost/" + profile["localhostProfile"]}
    # No container network and no registry: the host's network, a free port, local images.
    spec["hostNetwork"] = True
    del sidecar["ports"]
    sidecar["args"].append("--web.listen-address=127.0.0.1:0")
    for container in spec["containers"]:
        container["image"] = "localhost/" + container["image"]
    return pod


def complaints_of(log):
    return [line for line in log if "level=info" not in line]


class ExamplePod:
    """Both containers run when the constructor returns; the sidecar's address comes from its log."""

    def __init__(self, containers, pod, profiles=KUBERNETES / "seccomp"):
        self._containers = containers
        self.name = pod["metadata"]["name"]
        self._file = containers.folder / f"{self.name}.yaml"
        self._file.write_text(yaml.safe_dump(played(pod)))
        try:
            containers.podman("kube", "play", f"--seccomp-profile-root={profiles}", self._file)
        except BaseException:
            self.remove()
            raise

    def podman(self, verb, container, *argv):
        return self._containers.podman(verb, *argv, f"{self.name}-{container}")

    def pid(self, container):
        return self.inspect(container)["State"]["Pid"]

    def inspect(self, container):
        return json.loads(self.podman("inspect", container))[0]

    def status(self, container):
        """/proc/PID/status of its first process."""
        lines = pathlib.Path(f"/proc/{self.pid(container)}/status").read_text().splitlines()
        return {key: value.strip() for key, _, value in (line.partition(":") for line in lines)}

    def log(self):
        return self.podman("logs", "beam-exporter").splitlines()

    def complaints(self):
        return complaints_of(self.log())

    def get(self, path):
        addresses = wait_for("the sidecar listens", lambda: LISTENING.findall("\n".join(self.log())))
        return fetch(f"http://{addresses[-1]}{path}")

    def scrape(self):
        return Exposition(self.get("/metrics")[2])

    def await_scrape(self, what, condition, timeout=30):
        return wait_for(what, lambda: condition(scrape := self.scrape()) and scrape, timeout, 0.2)

    def remove(self):
        self._containers.podman("pod", "stop", "--ignore", "--time=0", self.name)
        self._containers.podman("pod", "rm", "--force", "--ignore", "--time=0", self.name)

    def __enter__(self):
        return self

    def __exit__(self, failure, *_):
        if failure:
            print("---- the sidecar's log ----\n" + "\n".join(self.log()[-20:]))
        self.remove()
