"""The manifests of deploy/kubernetes fit the Kubernetes schemas and each other, and kustomize builds them."""

import copy
import json
import re
import unittest

import yaml

from harness import exporter, kubernetes_tools
from harness.example_pod import KUBERNETES, manifest, restricted, sidecar_of
from harness.processes import REPO

STATEFUL_SET = yaml.safe_load("""
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: shop, labels: {beam-exporter: sidecar}}
spec:
  serviceName: shop
  selector: {matchLabels: {app: shop}}
  template:
    metadata: {labels: {app: shop}}
    spec:
      initContainers: [{name: migrate, image: "shop:1"}]
      containers: [{name: shop, image: "shop:1"}]
""")


def deployment(kind="Deployment", **labels):
    spec = copy.deepcopy(STATEFUL_SET["spec"])
    del spec["serviceName"]
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": "other", "labels": labels}, "spec": spec}


def shipped():
    """{file: objects}, without the files that only kustomize reads."""
    found = {}
    for path in sorted(KUBERNETES.rglob("*.yaml")):
        if path.name not in ("kustomization.yaml", "patch.yaml"):
            found[path.relative_to(KUBERNETES).as_posix()] = list(yaml.safe_load_all(path.read_text()))
    return found


class Manifests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        kubernetes_tools.install()

    def test_shipped_files_are_valid(self):
        for file, objects in shipped().items():
            print(f"{file}: {[one['kind'] for one in objects]}")
            self.assertEqual(kubernetes_tools.complaints(objects), [], file)

    def test_mistakes_are_found(self):
        def mistaken(change):
            pod = manifest()
            change(pod, sidecar_of(pod))
            return kubernetes_tools.complaints([pod])

        for what, change in {
                "readOnlyRootFilesytem": lambda pod, sidecar: sidecar["securityContext"].update(readOnlyRootFilesytem=True),
                "memory": lambda pod, sidecar: sidecar["resources"]["limits"].update(memory="128MB"),
                "name": lambda pod, sidecar: sidecar.pop("name"),
                "containerPort": lambda pod, sidecar: sidecar["ports"][0].update(containerPort="x"),
                "shareProcessNamespaces": lambda pod, sidecar: pod["spec"].update(shareProcessNamespaces=True)}.items():
            found = mistaken(change)
            self.assertTrue(any(what in line for line in found), f"{what}: {found}")

    def test_the_component_adds_the_sidecar_of_the_example(self):
        kinds = [STATEFUL_SET, *(deployment(kind, **{"beam-exporter": "sidecar"}) for kind in ("Deployment", "DaemonSet"))]
        for workload in kinds:
            built, = kubernetes_tools.kustomize([workload], ["sidecar"])
            self.assertEqual(kubernetes_tools.complaints([built]), [], built["kind"])
            template, example = built["spec"]["template"], manifest()
            self.assertEqual(sidecar_of(template), sidecar_of(example))
            self.assertEqual(template["metadata"]["labels"], {"app": "shop", "beam-exporter": "sidecar"})
            self.assertIs(template["spec"]["shareProcessNamespace"], True)
            self.assertIs(example["spec"]["shareProcessNamespace"], True)
            # Before the pod's own init containers, so that it is there for all of them.
            self.assertEqual([one["name"] for one in template["spec"]["initContainers"]], ["beam-exporter", "migrate"])
            self.assertEqual(template["spec"]["containers"], workload["spec"]["template"]["spec"]["containers"])

    def test_the_image_is_the_users_to_name(self):
        image = {"name": "beam_exporter", "newName": "registry.example/beam_exporter", "newTag": "1"}
        built, = kubernetes_tools.kustomize([STATEFUL_SET], ["sidecar"], images=[image])
        self.assertEqual(sidecar_of(built["spec"]["template"])["image"], "registry.example/beam_exporter:1")

    def test_the_component_leaves_others_alone(self):
        other = deployment()
        self.assertEqual(kubernetes_tools.kustomize([other], ["sidecar", "seccomp", "restricted"]), [other])

    def test_the_seccomp_component(self):
        built, = kubernetes_tools.kustomize([STATEFUL_SET], ["sidecar", "seccomp"])
        self.assertEqual(kubernetes_tools.complaints([built]), [])
        context = sidecar_of(built["spec"]["template"])["securityContext"]
        self.assertEqual(context.pop("seccompProfile"), {"type": "Localhost", "localhostProfile": "beam_exporter.json"})
        example = sidecar_of(manifest())["securityContext"]
        self.assertEqual(example.pop("seccompProfile"), {"type": "RuntimeDefault"})
        self.assertEqual(context, example)

    def test_the_restricted_component(self):
        built, = kubernetes_tools.kustomize([STATEFUL_SET], ["sidecar", "restricted"])
        self.assertEqual(kubernetes_tools.complaints([built]), [])
        sidecar = sidecar_of(built["spec"]["template"])
        self.assertEqual(sidecar, sidecar_of(restricted(manifest())))
        # Everything that Pod Security's level `restricted` demands of a container.
        self.assertEqual(sidecar["securityContext"], {
            "runAsNonRoot": True, "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]}, "seccompProfile": {"type": "RuntimeDefault"}})
        self.assertNotIn("volumeMounts", sidecar)

    def test_the_profile_keeps_the_promise_to_the_vm(self):
        profile = json.loads((KUBERNETES / "seccomp" / "beam_exporter.json").read_text())
        # The form that a node's runtime reads: that of OCI, without the conditions of container engines' own profiles.
        self.assertLessEqual(set(profile), {"defaultAction", "defaultErrnoRet", "architectures", "syscalls"})
        allowed = []
        for rule in profile["syscalls"]:
            self.assertLessEqual(set(rule), {"names", "action", "errnoRet", "args"})
            allowed += rule["names"] if rule["action"] == "SCMP_ACT_ALLOW" else []
        self.assertEqual(profile["defaultAction"], "SCMP_ACT_ERRNO")
        self.assertEqual(len(allowed), len(set(allowed)))
        self.assertLessEqual({"perf_event_open", "bpf", "process_vm_readv"}, set(allowed))
        self.assertFalse({"ptrace", "process_vm_writev", "kill", "tkill", "pidfd_send_signal", "mount", "setns",
                          "unshare", "init_module"} & set(allowed))

    def test_they_agree_with_each_other_and_with_the_exporter(self):
        pod = manifest()
        sidecar, monitor = sidecar_of(pod), shipped()["podmonitor.yaml"][0]["spec"]
        self.assertLessEqual(monitor["selector"]["matchLabels"].items(), pod["metadata"]["labels"].items())
        port, = sidecar["ports"]
        self.assertEqual([one["port"] for one in monitor["podMetricsEndpoints"]], [port["name"]])
        settings = yaml.safe_load((REPO / "config" / "beam_exporter.yaml").read_text())
        self.assertEqual(settings["web"]["listen_addresses"], [f":{port['containerPort']}"])
        self.assertEqual(monitor["podMetricsEndpoints"][0]["path"], settings["web"]["telemetry_path"])
        version = re.search(r"version (\S+)", exporter.run("--version").stdout)[1]
        self.assertEqual(sidecar["image"], f"beam_exporter:{version}")


if __name__ == "__main__":
    unittest.main(verbosity=2)
