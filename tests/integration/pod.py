"""podman runs the example pod of deploy/kubernetes: an unchanged VM and the exporter as its sidecar.

harness/example_pod.py replaces what podman 4.3 cannot do; everything else is the shipped manifest.
"""

import json
import os
import pathlib
import time
import unittest

from harness import proc
from harness.containers import Containers
from harness.example_pod import PROBES, ExamplePod, manifest, sidecar_of, with_our_profile, with_profile
from harness.exposition import growth

SECONDS = 8
WORK = "beam_function_cpu_seconds_total"
UNNAMED = "beam_samples_unattributed_total"
QUANTITY = {"Mi": 2**20, "Gi": 2**30}
# The demo's functions, by the design of deploy/demo/shop.erl the ones with the most time.
HOT = {("shop_pricing", "quote/2"), ("shop_search", "place/2"), ("shop_fraud", "score/2"), ("crypto", "hash/4")}


def mebibytes(count):
    return f"{count / 2**20:.1f} MiB"


class Pod(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.containers = Containers()
        cls.addClassCleanup(cls.containers.remove)
        print(cls.containers.build_exporter())
        cls.containers.build_shop()

    def play(self, pod, **options):
        return self.enterContext(ExamplePod(self.containers, pod, **options))

    def test_the_image_is_the_binary_and_what_it_links_to(self):
        image = f"localhost/{sidecar_of(manifest())['image']}"
        described, = json.loads(self.containers.podman("image", "inspect", image))
        self.assertLess(described["Size"], 16e6)
        self.assertEqual(described["Config"]["User"], "65532:65532")
        self.assertEqual(self.containers.podman("run", "--rm", "--network=none", image, *sidecar_of(manifest())["args"],
                                                "--check-config"), "configuration is good\n")
        files = self.containers.podman("run", "--rm", "--network=none", "--entrypoint=/bin/sh", image, check=False)
        self.assertIn("no such file or directory", files)

    def test_functions_are_named_across_the_container_boundary(self):
        pod = self.play(with_our_profile(manifest()))
        before = pod.await_scrape("the shop works", lambda scrape: scrape.total(WORK, module="shop_fraud") > 0)
        self.assertEqual(pod.complaints(), [])
        ours, vms = pod.pid("beam-exporter"), pod.pid("shop")
        for namespace, shared in (("mnt", False), ("pid", True)):
            self.assertEqual(os.readlink(f"/proc/{ours}/ns/{namespace}") == os.readlink(f"/proc/{vms}/ns/{namespace}"),
                             shared, namespace)
        self.assertFalse(os.path.exists(f"/proc/{ours}/root{proc.executable(vms)}"), "the VM's files are its own")

        used, since = sum(proc.cpu_seconds(ours)), time.monotonic()
        time.sleep(SECONDS)
        after = pod.scrape()
        share = (sum(proc.cpu_seconds(ours)) - used) / (time.monotonic() - since)
        for feature in ("ebpf", "kernel_samples"):
            self.assertEqual(after.value("beam_exporter_feature_enabled", feature=feature), 1, feature)
        functions = growth(before.functions(), after.functions())
        hottest = sorted(functions, key=functions.get, reverse=True)
        print(f"hottest: {[':'.join(key) for key in hottest[:5]]}")
        self.assertEqual(set(hottest[:4]), HOT)
        print(f"while the VM boots: {before.value('beam_samples_total'):.0f} samples, without a name "
              f"{ {own['reason']: value for own, value in before.samples(UNNAMED) if value} }")

        def gained(name):
            return after.total(name) - before.total(name)

        samples, nameless = gained("beam_samples_total"), gained(UNNAMED)
        print(f"then {samples:.0f} samples, {nameless:.0f} without a name")
        self.assertGreater(samples, 100)
        self.assertLessEqual(nameless, 0.001 * samples)
        self.assertGreater(after.value("beam_nif_cpu_seconds_total", module="crypto", function="hash_nif/2"), 0)

        resources = sidecar_of(manifest())["resources"]
        resident, series = proc.resident_bytes(ours), sum(len(after.samples(name)) for name in after.names())
        print(f"the sidecar: {mebibytes(resident)} resident, {share:.1%} of a CPU, {series} series")
        self.assertLess(resident, self.quantity(resources["requests"]["memory"]))
        self.assertLess(1000 * share, int(resources["requests"]["cpu"].removesuffix("m")))

    def quantity(self, text):
        return int(text[:-2]) * QUANTITY[text[-2:]]

    def test_rights_are_those_of_the_manifest(self):
        pod = self.play(with_our_profile(manifest()))
        status = pod.status("beam-exporter")
        wanted = sum(1 << bit for bit in (19, 38, 39))  # SYS_PTRACE, PERFMON, BPF
        for held in ("CapPrm", "CapEff", "CapBnd"):
            self.assertEqual(int(status[held], 16), wanted, held)
        self.assertEqual((status["NoNewPrivs"], status["Seccomp"]), ("1", "2"))
        self.assertEqual(int(pod.status("shop")["CapPrm"], 16), 0)
        self.assertEqual(pod.status("shop")["Uid"].split(), ["1000"] * 4)
        with open(f"/proc/{pod.pid('beam-exporter')}/mountinfo") as mounts:
            root = next(line.split() for line in mounts if line.split()[4] == "/")
        self.assertIn("ro", root[5].split(","))
        limit = self.quantity(sidecar_of(manifest())["resources"]["limits"]["memory"])
        self.assertEqual(pod.inspect("beam-exporter")["HostConfig"]["Memory"], limit)

    def test_the_vm_restarts_beside_it(self):
        pod = self.play(with_our_profile(manifest()))
        sidecar = sidecar_of(manifest())
        pod.await_scrape("beam_up 1", lambda scrape: scrape.value("beam_up") == 1)
        pod.podman("stop", "shop", "--time=0")
        pod.await_scrape("beam_up 0", lambda scrape: scrape.value("beam_up") == 0)
        # Kubernetes starts the VM after these answer: they must not wait for it.
        for probe in PROBES:
            self.assertEqual(pod.get(sidecar[probe]["httpGet"]["path"])[0], 200, probe)
        pod.podman("start", "shop")
        again = pod.await_scrape("beam_up 1 again", lambda scrape: scrape.value("beam_up") == 1)
        self.assertEqual(again.value("beam_target_restarts_total"), 1)

    def test_runtime_default_of_a_newer_runtime(self):
        """The profile of this runtime, with the conditions that newer profiles have for these two calls."""
        profile = json.loads(pathlib.Path("/usr/share/containers/seccomp.json").read_text())
        for call, capability in (("bpf", "CAP_BPF"), ("perf_event_open", "CAP_PERFMON")):
            for rule in profile["syscalls"]:
                rule["names"] = [name for name in rule["names"] if name != call]
            profile["syscalls"] += [
                {"names": [call], "action": "SCMP_ACT_ALLOW", "includes": {"caps": [capability]}},
                {"names": [call], "action": "SCMP_ACT_ERRNO", "errnoRet": 1, "excludes": {"caps": [capability]}}]
        (self.containers.folder / "newer.json").write_text(json.dumps(profile))
        pod = self.play(with_profile(manifest(), "newer.json"), profiles=self.containers.folder)
        scrape = pod.await_scrape("functions", lambda scrape: scrape.total(WORK, module="shop_fraud") > 0)
        self.assertEqual(pod.complaints(), [])
        self.assertEqual(scrape.value("beam_exporter_feature_enabled", feature="ebpf"), 1)

    def test_runtime_default_of_an_older_runtime(self):
        pod = self.play(manifest())
        scrape = pod.await_scrape("memory is read", lambda scrape: scrape.total("beam_allocator_carriers_bytes") > 0)
        line, = pod.complaints()
        print(line)
        for word in ("level=error", "no CPU sampling", "though CAP_PERFMON is held", "seccomp profile"):
            self.assertIn(word, line)
        self.assertNotIn("add CAP_", line)
        self.assertEqual(scrape.samples(WORK), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
