"""What a scrape and the log must contain with each set of rights, in containers and without."""

import os
import pathlib

# Families that need samples.
SAMPLED = ("beam_samples_total", "beam_samples_lost_total", "beam_samples_unattributed_total",
           "beam_function_cpu_seconds_total", "beam_function_inclusive_cpu_seconds_total",
           "beam_process_cpu_seconds_total", "beam_blame_cpu_seconds_total", "beam_nif_cpu_seconds_total",
           "beam_scheduler_state_seconds_total", "beam_scheduler_utilization_ratio",
           "beam_sample_skid_seconds_count", "beam_exporter_sampling_seconds_total")


def number(path, missing=0):
    return int(pathlib.Path(path).read_text()) if os.path.exists(path) else missing


class RightsChecks:
    """For a TestCase whose `module` names the module of the VM that must appear in the samples."""

    def one_line(self, complaints, level, names, not_names=()):
        self.assertEqual(len(complaints), 1, complaints)
        self.assertIn(f"level={level}", complaints[0])
        for name in names:
            self.assertIn(name, complaints[0])
        for name in not_names:
            self.assertNotIn(name, complaints[0])

    def features(self, scrape, **wanted):
        found = {labels["feature"]: value for labels, value in scrape.samples("beam_exporter_feature_enabled")}
        for feature, value in wanted.items():
            self.assertEqual(found[feature], value, feature)

    def sampled_as(self, scrape, source):
        self.features(scrape, **{name: name == source for name in ("ebpf", "tick", "perf")})
        self.assertGreater(scrape.value("beam_samples_total"), 0)
        self.assertGreater(scrape.total("beam_function_cpu_seconds_total", module=self.module), 0)
        # Only the eBPF program can measure the cost of a sample in the sampled thread.
        self.assertEqual(scrape.value("beam_exporter_sampling_runs_total") is not None, source != "perf")
        skid = scrape.value("beam_sample_skid_seconds_sum")
        self.assertEqual(skid > 0, source == "perf", f"skid {skid}")

    def not_sampled(self, scrape):
        self.features(scrape, ebpf=0, tick=0, perf=0, kernel_samples=0)
        for name in SAMPLED:
            self.assertEqual(scrape.samples(name), [], "absent, not 0")

    def blind_or_nothing(self, scrape, complaints):
        """Without CAP_PERFMON: what kernel.perf_event_paranoid allows the VM's own user."""
        if number("/proc/sys/kernel/perf_event_paranoid") <= 2:
            self.one_line(complaints, "warn", ["CAP_BPF", "CAP_PERFMON", "system calls"])
            self.sampled_as(scrape, "perf")
            self.features(scrape, kernel_samples=0)
        else:
            self.one_line(complaints, "error", ["no CPU sampling", "CAP_BPF", "CAP_PERFMON", "perf_event_paranoid"])
            self.not_sampled(scrape)
