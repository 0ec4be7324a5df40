"""Rights are removed one by one: which source then samples, which one line says so, and what is absent."""

import os
import pathlib
import shutil
import tempfile
import time
import unittest

from harness import exporter, requirements
from harness.beam_target import BeamTarget
from harness.erlang_runtime import Runtime, installed
from harness.exposition import Exposition
from harness.processes import wait_for
from harness.rights_checks import RightsChecks, number

OWNER, STRANGER = 65534, 65533
ALL = ("sys_ptrace", "perfmon", "bpf")


def as_user(user, *capabilities):
    """The prefix that runs a command as that user with only these capabilities."""
    sets = ",".join(("-all", *("+" + name for name in capabilities)))
    return ("setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups",
            f"--inh-caps={sets}", f"--ambient-caps={sets}", f"--bounding-set={sets}")


def as_user_of_a_container(user, *capabilities):
    """Like a container runtime for a user other than root: added capabilities have no effect."""
    sets = ",".join(("-all", *("+" + name for name in capabilities)))
    return ("setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--inh-caps=-all",
            f"--bounding-set={sets}")


class OwnersRuntime(Runtime):
    """The machine's own OTP, in a VM that runs as OWNER from a folder that OWNER can read."""

    def __init__(self, folder):
        super().__init__(installed().release)
        compiled = self.prepare()
        self.inside = pathlib.Path(shutil.copytree(compiled, f"{folder}/targets"))

    def prepare(self):
        return self.inside if self.inside.name == "targets" else super().prepare()

    def command(self, argv):
        command = super().command(argv)
        return [*as_user(OWNER), *command] if self.inside.name == "targets" else command


class NamespaceRuntime(Runtime):
    """The machine's own OTP, in a VM that is started through `scope`."""

    def __init__(self, scope):
        super().__init__(installed().release)
        self.scope = scope

    def command(self, argv):
        return [*self.scope, *super().command(argv)]


class Rights(RightsChecks, unittest.TestCase):
    module = "three_functions"

    @classmethod
    def setUpClass(cls):
        requirements.root_user()
        requirements.program("setpriv")
        status = pathlib.Path("/proc/self/status").read_text().splitlines()
        bounding = next(int(line.split()[1], 16) for line in status if line.startswith("CapBnd"))
        if not all(bounding >> bit & 1 for bit in (19, 38, 39)):
            requirements.skip("needs CAP_SYS_PTRACE, CAP_PERFMON and CAP_BPF, to give them up")
        if not os.path.exists("/sys/kernel/btf/vmlinux"):
            requirements.skip("needs a kernel with BTF")
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        os.chmod(cls.folder, 0o755)
        original = exporter.BINARY
        cls.addClassCleanup(setattr, exporter, "BINARY", original)
        exporter.BINARY = pathlib.Path(shutil.copy(original, cls.folder))
        cls.runtime = OwnersRuntime(cls.folder)
        cls.vm = BeamTarget(cls.runtime, "three_functions", 1, flags=("+S", "1"))
        cls.addClassCleanup(cls.vm.kill)
        cls.vm.ask("run")

    def once(self, prefix, *flags):
        """(scrape, log lines that complain) of a run of one second."""
        result = exporter.run("--once=1", f"--target.pid={self.vm.pid}", *flags, prefix=prefix)
        self.assertEqual(result.returncode, 0, result.stderr)
        complaints = [line for line in result.stderr.splitlines() if "level=info" not in line]
        print(f"{self.id().rpartition('.')[2]}: {complaints}")
        scrape = Exposition(result.stdout, openmetrics=result.stdout.endswith("# EOF\n"))
        self.assertEqual(scrape.value("beam_up"), 1)
        return scrape, complaints

    def test_all_of_them(self):
        scrape, complaints = self.once(as_user(STRANGER, *ALL))
        self.assertEqual(complaints, [])
        self.sampled_as(scrape, "ebpf")
        self.features(scrape, kernel_samples=1)

    def test_without_bpf(self):
        scrape, complaints = self.once(as_user(STRANGER, "sys_ptrace", "perfmon"))
        self.one_line(complaints, "warn", ["CAP_BPF", "perf events"], ["CAP_PERFMON", "CAP_SYS_PTRACE"])
        self.sampled_as(scrape, "perf")
        self.features(scrape, kernel_samples=1)

    def test_without_perfmon(self):
        scrape, complaints = self.once(as_user(STRANGER, "sys_ptrace", "bpf"))
        if number("/proc/sys/kernel/perf_event_paranoid") > 2:
            self.skipTest("perf_event_paranoid leaves nothing")
        self.one_line(complaints, "warn", ["CAP_PERFMON", "system calls"], ["CAP_BPF"])
        self.sampled_as(scrape, "perf")
        self.features(scrape, kernel_samples=0)

    def test_without_bpf_and_perfmon(self):
        self.blind_or_nothing(*self.once(as_user(STRANGER, "sys_ptrace")))

    def test_without_any_as_the_vms_user(self):
        if number("/proc/sys/kernel/yama/ptrace_scope") > 0:
            self.skipTest("Yama's ptrace_scope forbids it to the VM's own user")
        self.blind_or_nothing(*self.once(as_user(OWNER)))

    def test_capabilities_that_a_container_was_given_without_effect(self):
        if number("/proc/sys/kernel/yama/ptrace_scope") > 0:
            self.skipTest("Yama's ptrace_scope forbids it to the VM's own user")
        _, complaints = self.once(as_user_of_a_container(OWNER, *ALL), "--sampling.source=ebpf")
        self.one_line(complaints, "error", [
            "no CPU sampling", "run as user 0", f"was given CAP_BPF and CAP_PERFMON, but without effect for user {OWNER}"])

    def test_in_a_user_namespace(self):
        """All capabilities are held, but none has an effect."""
        requirements.program("nsenter")
        scope = ("unshare", "--user", "--map-root-user")
        if number("/proc/sys/user/max_user_namespaces", 1) == 0:
            self.skipTest("user namespaces are switched off")
        with BeamTarget(NamespaceRuntime(scope), "three_functions", 1, flags=("+S", "1")) as vm:
            result = exporter.run("--once=1", f"--target.pid={vm.pid}", "--sampling.source=ebpf",
                                  prefix=("nsenter", f"--target={vm.pid}", "--user", "--preserve-credentials"))
        complaints = [line for line in result.stderr.splitlines() if "level=info" not in line]
        print(f"in a user namespace: {complaints}")
        self.one_line(complaints, "error", ["though CAP_BPF and CAP_PERFMON are held", "initial user namespace"], ["add "])

    def test_the_wanted_source_is_refused(self):
        scrape, complaints = self.once(as_user(STRANGER, "sys_ptrace", "perfmon"), "--sampling.source=ebpf")
        self.one_line(complaints, "error", ["no CPU sampling", "CAP_BPF"], ["CAP_PERFMON"])
        self.not_sampled(scrape)
        # Figures from memory do not need it.
        self.assertGreater(scrape.value("beam_processes"), 0)
        self.assertGreater(scrape.total("beam_allocator_carriers_bytes"), 0)

    def test_the_tick_is_taken_where_it_is_wanted_or_the_line_says_what_refuses(self):
        scrape, complaints = self.once(as_user(STRANGER, *ALL), "--sampling.source=tick")
        if not complaints:
            return self.sampled_as(scrape, "tick")
        self.one_line(complaints, "error", ["no CPU sampling", "tracing programs"], ["add CAP_"])
        self.not_sampled(scrape)

    def test_without_ptrace_as_another_user(self):
        result = exporter.run("--once=1", f"--target.pid={self.vm.pid}",
                              prefix=as_user(STRANGER, "perfmon", "bpf"))
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        line, = result.stderr.splitlines()
        print(line)
        for word in ("CAP_SYS_PTRACE", str(self.vm.pid), "user"):
            self.assertIn(word, line)

    def test_without_ptrace_a_vm_that_comes_later_is_not_up(self):
        folder = shutil.copytree(self.runtime.inside, f"{self.folder}/later/targets")
        runtime = OwnersRuntime.__new__(OwnersRuntime)
        runtime.__dict__.update(self.runtime.__dict__, inside=pathlib.Path(folder))
        with exporter.Exporter(f"--target.match={self.folder}/later",
                               prefix=as_user(STRANGER, "perfmon", "bpf")) as running:
            with BeamTarget(runtime, "idle") as vm:
                def complaints():
                    return [line for line in running.log.lines if "level=error" in line]

                wait_for("the exporter says why", complaints)
                time.sleep(1.5)  # it tries four times a second, and logs the line once
                line, = complaints()
                print(line)
                for word in ("CAP_SYS_PTRACE", str(vm.pid)):
                    self.assertIn(word, line)
                scrape = running.scrape()
                self.assertEqual(scrape.value("beam_up"), 0)
                self.not_sampled(scrape)
                self.assertEqual(running.stop(), 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
