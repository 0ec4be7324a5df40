"""deploy/kubernetes/example/pod.yaml, played by podman: the shipped manifest but for what `played` says."""

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
    """As the kustomize component deploy/kubernetes/seccomp has it."""
    return with_profile(pod, "beam_exporter.json")


def restricted(pod, user=1000):
    """As the kustomize component deploy/kubernetes/restricted has it, in a pod that runs as that user."""
    pod["spec"]["securityContext"] |= {"runAsUser": user, "runAsGroup": user}
    context = sidecar_of(pod)["securityContext"]
    for field in ("runAsUser", "runAsGroup"):
        del context[field]
    context |= {"runAsNonRoot": True, "capabilities": {"drop": ["ALL"]}}
    return pod


def played(pod):
    """The manifest with what podman 4.3 cannot do replaced."""
    pod = copy.deepcopy(pod)
    spec = pod["spec"]
    # It runs init containers to their end: a native sidecar becomes the first of the containers.
    sidecar = sidecar_of(pod)
    spec["initContainers"].remove(sidecar)
    spec["containers"].insert(0, sidecar)
    del sidecar["restartPolicy"]
    # It runs probes as commands inside the container, which has none: the test asks those paths itself.
    for probe in PROBES:
        del sidecar[probe]
    # It knows no seccompProfile, but the annotation that came before it.
    profile = sidecar["securityContext"].pop("seccompProfile")
    if profile["type"] == "Localhost":
        pod["metadata"]["annotations"] = {"container.seccomp.security.alpha.kubernetes.io/beam-exporter":
                                          "localhost/" + profile["localhostProfile"]}
    # No container network and no registry are asked for: the host's network, a free port, images as built.
    spec["hostNetwork"] = True
    del sidecar["ports"]
    sidecar["args"].append("--web.listen-address=127.0.0.1:0")
    for container in spec["containers"]:
        container["image"] = "localhost/" + container["image"]
    return pod


def complaints_of(log):
    return [line for line in log if "level=info" not in line]


class ExamplePod:
    """Playing when made, both containers running; the sidecar's address comes from its log."""

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
