"""The ladder of privileges in deploy/kubernetes/README.md, row by row in containers: what works, what is absent, and
what the log and `beam_exporter_feature_enabled` say. Each pod is the example pod with other rights.
"""

import json
import pathlib
import re
import unittest

from harness.containers import Containers
from harness.example_pod import (KUBERNETES, ExamplePod, complaints_of, manifest, restricted, sidecar_of,
                                 with_our_profile, with_profile)
from harness.processes import wait_for
from harness.rights_checks import RightsChecks, number

ROOT, VMS_USER, STRANGER = 0, 1000, 1001


class PrivilegeLadder(RightsChecks, unittest.TestCase):
    module = "shop_pricing"

    @classmethod
    def setUpClass(cls):
        cls.containers = Containers()
        cls.addClassCleanup(cls.containers.remove)
        cls.containers.build_exporter()
        cls.containers.build_shop()

    def climb(self, user, *capabilities, runtime_default=False):
        """(scrape, complaints) once the sidecar has attached, and samples or says why it does not."""
        pod = manifest() if runtime_default else with_our_profile(manifest())
        context = sidecar_of(pod)["securityContext"]
        context |= {"runAsUser": user, "runAsGroup": user}
        context["capabilities"] = {"drop": ["ALL"], "add": list(capabilities)}
        return self.seen_in(self.enterContext(ExamplePod(self.containers, pod)), user)

    def seen_in(self, playing, user):

        def settled(scrape):
            return scrape.value("beam_processes") and (
                scrape.total("beam_function_cpu_seconds_total", module=self.module) > 0 or
                any("no CPU sampling" in line for line in playing.complaints()))

        scrape = playing.await_scrape("samples, or the line that says why there are none", settled)
        complaints = playing.complaints()
        print(f"{self.id().rpartition('.')[2]}: {complaints}")
        # Figures from memory need no other right.
        self.assertGreater(scrape.value("beam_processes"), 0)
        self.assertGreater(scrape.total("beam_allocator_carriers_bytes"), 0)
        # Only the VM's user may read /proc/PID/fd.
        self.assertEqual(scrape.value("beam_vm_open_fds") is not None, user == VMS_USER)
        return scrape, complaints

    def documented(self, complaints):
        """The table of the README contains exactly this line."""
        message = re.search(r'msg="(.*)"', complaints[0])[1]
        self.assertIn(re.sub(r"\b\d+\b", "N", message), (KUBERNETES / "README.md").read_text())

    def blind_or_nothing(self, scrape, complaints):
        super().blind_or_nothing(scrape, complaints)
        if "level=warn" in complaints[0]:
            self.documented(complaints)

    def test_none_as_another_user(self):
        pod = with_our_profile(manifest())
        context = sidecar_of(pod)["securityContext"]
        context |= {"runAsUser": STRANGER, "runAsGroup": STRANGER, "capabilities": {"drop": ["ALL"]}}
        playing = self.enterContext(ExamplePod(self.containers, pod))
        # As in Kubernetes: the sidecar first. One that starts when the VM is there ends with 1 instead.
        playing.podman("stop", "shop", "--time=0")
        playing.podman("stop", "beam-exporter", "--time=0")
        before = len(playing.log())
        playing.podman("start", "beam-exporter")
        wait_for("the sidecar listens", lambda: any("listening" in line for line in playing.log()[before:]))
        playing.podman("start", "shop")
        complaints = wait_for("the line that says why", lambda: complaints_of(playing.log()[before:]))
        self.one_line(complaints, "error", ["cannot attach", "run as the VM's user", "CAP_SYS_PTRACE"])
        print(f"test_none_as_another_user: {complaints}")
        self.documented(complaints)
        scrape = playing.scrape()
        self.assertEqual(scrape.value("beam_up"), 0)
        self.not_sampled(scrape)

    def test_none_as_the_vms_user(self):
        if number("/proc/sys/kernel/yama/ptrace_scope") > 0:
            self.skipTest("Yama's ptrace_scope forbids it to the VM's own user")
        self.blind_or_nothing(*self.climb(VMS_USER))

    def test_sys_ptrace(self):
        self.blind_or_nothing(*self.climb(ROOT, "SYS_PTRACE"))

    def test_sys_ptrace_and_perfmon(self):
        scrape, complaints = self.climb(ROOT, "SYS_PTRACE", "PERFMON")
        self.one_line(complaints, "warn", ["samples come from perf events", "add CAP_BPF"], ["CAP_PERFMON"])
        self.documented(complaints)
        self.sampled_as(scrape, "perf")
        self.features(scrape, kernel_samples=1)

    def test_all_three(self):
        scrape, complaints = self.climb(ROOT, "SYS_PTRACE", "PERFMON", "BPF")
        self.assertEqual(complaints, [])
        self.sampled_as(scrape, "ebpf")
        self.features(scrape, kernel_samples=1)

    def test_runtime_default_samples_nothing_without_perfmon(self):
        scrape, complaints = self.climb(ROOT, "SYS_PTRACE", runtime_default=True)
        self.one_line(complaints, "error", ["no CPU sampling", "CAP_BPF", "add CAP_PERFMON", "seccomp profile"])
        self.not_sampled(scrape)

    def test_restricted(self):
        """The component deploy/kubernetes/restricted, under a profile that allows process_vm_readv only with SYS_PTRACE."""
        if number("/proc/sys/kernel/yama/ptrace_scope") > 0:
            self.skipTest("Yama's ptrace_scope forbids it to the VM's own user")
        profile = json.loads(pathlib.Path("/usr/share/containers/seccomp.json").read_text())
        for rule in profile["syscalls"]:
            rule["names"] = [name for name in rule["names"] if name != "process_vm_readv"]
        (self.containers.folder / "restricted.json").write_text(json.dumps(profile))
        pod = with_profile(restricted(manifest()), "restricted.json")
        playing = self.enterContext(ExamplePod(self.containers, pod, profiles=self.containers.folder))
        scrape, complaints = self.seen_in(playing, VMS_USER)
        self.one_line(complaints, "error", ["no CPU sampling", "CAP_BPF", "CAP_PERFMON", "seccomp profile"])
        self.not_sampled(scrape)
        self.assertEqual(scrape.value("beam_up"), 1)
        line, = (line for line in playing.log() if "/proc/PID/mem" in line)
        print(line)
        self.assertIn('reason="a seccomp filter refuses process_vm_readv"', line)
        status = playing.status("beam-exporter")
        self.assertEqual(status["Uid"].split(), [str(VMS_USER)] * 4)
        self.assertEqual([int(status[held], 16) for held in ("CapPrm", "CapBnd")], [0, 0])


if __name__ == "__main__":
    unittest.main(verbosity=2)
