"""deploy/kubernetes/sidecar with restricted/ on a real cluster, in a namespace of Pod Security level `restricted`.

It is run by hand: tests/kubernetes.sh runs it and says what it needs.
"""

import contextlib
import json
import os
import re
import shutil
import subprocess
import time
import unittest

import yaml

from harness import requirements
from harness.containers import Containers
from harness.example_pod import KUBERNETES, complaints_of, manifest, sidecar_of
from harness.exporter import DURATION, LAST_SUCCESS
from harness.exposition import Exposition, fetch
from harness.processes import BUILD, LineReader, reap, spawn, wait_for
from harness.rights_checks import RightsChecks

NAMESPACE = "beam-exporter-restricted"
FORWARDING = re.compile(r"Forwarding from 127\.0\.0\.1:(\d+)")
# The VM's own account of itself, a line of JSON three times a second.
ACCOUNT = r"""
F = fun F() ->
    I = fun(Item) -> erlang:system_info(Item) end, {R, _} = erlang:statistics(reductions),
    io:format("{\"processes\":~b,\"processes_limit\":~b,\"ports\":~b,\"atoms\":~b,\"ets_tables\":~b,\"reductions_total\":~b}~n",
        [I(process_count), I(process_limit), I(port_count), I(atom_count), I(ets_count), R]),
    timer:sleep(300), F() end, F().
"""
# What the level demands of every container.
RESTRICTED = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}, "runAsNonRoot": True,
              "seccompProfile": {"type": "RuntimeDefault"}}


def shop(name, pods_context, containers_context):
    """A Deployment with the label for the sidecar."""
    labels = {"app": name}
    container = {"name": "shop", "image": "beam_shop:latest", "imagePullPolicy": "IfNotPresent",
                 "args": ["-eval", " ".join(ACCOUNT.split())], "securityContext": RESTRICTED | containers_context}
    return {"apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": {"name": name, "namespace": NAMESPACE, "labels": {"beam-exporter": "sidecar"}},
            "spec": {"selector": {"matchLabels": labels}, "template": {
                "metadata": {"labels": labels}, "spec": {"securityContext": pods_context, "containers": [container]}}}}


def kubectl(*argv, check=True, **options):
    done = subprocess.run(["kubectl", "--namespace", NAMESPACE, *map(str, argv)], capture_output=True, text=True, **options)
    assert done.returncode == 0 or not check, f"{argv}: {done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def import_images(containers):
    archive = containers.folder / "images.tar"
    names = ("beam_shop:latest", sidecar_of(manifest())["image"])
    containers.podman("save", "--multi-image-archive", f"--output={archive}", *(f"localhost/{name}" for name in names))
    containers.run("ctr", "--namespace=k8s.io", "images", "import", archive)
    for name in names:
        containers.run("ctr", "--namespace=k8s.io", "images", "tag", "--force", f"localhost/{name}",
                       f"docker.io/library/{name}")


class RestrictedNamespace(RightsChecks, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        requirements.program("kubectl", "ctr", "podman")
        containers = Containers()
        cls.addClassCleanup(containers.remove)
        print(containers.build_exporter())
        containers.build_shop()
        import_images(containers)
        cls.addClassCleanup(kubectl, "delete", "namespace", NAMESPACE, check=False)
        kubectl("apply", "--filename=-", input=json.dumps({
            "apiVersion": "v1", "kind": "Namespace", "metadata": {
                "name": NAMESPACE, "labels": {"pod-security.kubernetes.io/enforce": "restricted"}}}))
        print(kubectl("version"))

    def deploy(self, deployment):
        """Applies the Deployment with both components; returns once its pod is ready."""
        overlay = BUILD / "kubernetes" / NAMESPACE
        shutil.rmtree(overlay, ignore_errors=True)
        overlay.mkdir(parents=True)
        (overlay / "shop.yaml").write_text(yaml.safe_dump(deployment))
        (overlay / "kustomization.yaml").write_text(yaml.safe_dump({
            "resources": ["shop.yaml"],
            "components": [os.path.relpath(KUBERNETES / name, overlay) for name in ("sidecar", "restricted")]}))
        self.assertNotIn("would violate", kubectl("apply", "--kustomize", overlay))
        self.name = f"deployment/{deployment['metadata']['name']}"
        kubectl("rollout", "status", self.name, "--timeout=180s")

    def log(self, container):
        return kubectl("logs", self.name, f"--container={container}").splitlines()

    @contextlib.contextmanager
    def metrics(self):
        forward = spawn(["kubectl", "--namespace", NAMESPACE, "port-forward", self.name, ":10125"],
                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        try:
            _, port = LineReader(forward.stdout).find(FORWARDING.search)
            yield lambda: Exposition(fetch(f"http://127.0.0.1:{port[1]}/metrics")[2])
        finally:
            reap(forward)

    def account(self, after=0):
        """(lines so far, the VM's last account), once there are more lines than `after`."""
        def accounts():
            lines = [json.loads(line) for line in self.log("shop") if line.startswith("{")]
            return len(lines) > after and (len(lines), lines[-1])

        return wait_for("the VM's own account", accounts)

    def test_the_level_refuses_the_ordinary_sidecar(self):
        refused = kubectl("create", "--dry-run=server", f"--filename={KUBERNETES / 'example' / 'pod.yaml'}", check=False)
        self.assertIn("violates PodSecurity", refused)

    def test_memory_is_read(self):
        self.deploy(shop("as-the-pods-user", {"runAsUser": 1000, "runAsGroup": 1000}, {}))
        wait_for("it attaches", lambda: any("attached to the VM" in line for line in self.log("beam-exporter")))
        with self.metrics() as scrape:
            count, before = self.account()
            since = time.time()

            def fresh():
                now = scrape()
                return all((now.value(LAST_SUCCESS, collector=name) or 0) - (now.value(DURATION, collector=name) or 0) >
                           since for name in ("vitals", "processes", "allocators", "carriers")) and now

            seen = wait_for("fresh figures", fresh, pause=0.3)
            _, after = self.account(count + 1)
        self.assertEqual(seen.value("beam_up"), 1)
        for name, low in before.items():
            value = seen.value(f"beam_{name}")
            print(f"{name}: {low} <= {value} <= {after[name]}")
            self.assertGreaterEqual(value, min(low, after[name]), name)
            self.assertLessEqual(value, max(low, after[name]), name)
        self.assertEqual(seen.value("beam_process_heap_bytes_gcount"), seen.value("beam_processes"))
        for name in ("beam_allocator_carriers_bytes", "beam_allocator_free_bytes", "beam_memory_resident_part_bytes",
                     "beam_vm_open_fds", "beam_run_queue_length", "beam_process_heap_bytes_top"):
            self.assertIn(name, seen.names())
        self.not_sampled(seen)
        for line in self.log("beam-exporter"):
            print(line)
        self.assertEqual(len([line for line in self.log("beam-exporter") if "read from /proc/PID/mem" in line]), 1)
        self.one_line(complaints_of(self.log("beam-exporter")), "error", ["no CPU sampling"])

    def test_another_user_is_named(self):
        self.deploy(shop("as-its-own-user", {}, {"runAsUser": 1000, "runAsGroup": 1000}))
        complaints = wait_for("the line that says why", lambda: complaints_of(self.log("beam-exporter")))
        print(complaints)
        self.one_line(complaints, "error", ["it runs as user 1000, group 1000, the exporter as user 65532, group 65532",
                                            "run as the VM's user and group"])
        with self.metrics() as scrape:
            self.assertEqual(scrape().value("beam_up"), 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
