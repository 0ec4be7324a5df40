"""The kernel's figures of a process, to compare with the exporter's."""

import contextlib
import os
import pathlib

TICK = os.sysconf("SC_CLK_TCK")


def _stat(path):
    text = pathlib.Path(path).read_text()
    return text[text.rindex(")") + 2:].split()  # fields from state (3) on


def cpu_seconds(pid):
    """(user, system)"""
    fields = _stat(f"/proc/{pid}/stat")
    return int(fields[11]) / TICK, int(fields[12]) / TICK


def start_time(pid):
    boot = next(int(line.split()[1]) for line in pathlib.Path("/proc/stat").read_text().splitlines()
                if line.startswith("btime"))
    return boot + int(_stat(f"/proc/{pid}/stat")[19]) / TICK


def threads(pid):
    """{tid: name}"""
    found = {}
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        found[int(task.name)] = (task / "comm").read_text().strip()
    return found


def _schedstat(pid, tid):
    """(seconds on a CPU, seconds waiting for a CPU), to the nanosecond; /proc/PID/stat only counts ticks."""
    return [int(field) / 1e9 for field in pathlib.Path(f"/proc/{pid}/task/{tid}/schedstat").read_text().split()[:2]]


def thread_cpu_seconds(pid, tid):
    return _schedstat(pid, tid)[0]


def thread_awake_seconds(pid, tid):
    """Time on a CPU plus time waiting for a CPU."""
    return sum(_schedstat(pid, tid))


def stolen_seconds():
    """Time of all CPUs that the hypervisor gave to other guests while something here wanted to run."""
    return int(pathlib.Path("/proc/stat").read_text().split()[8]) / TICK


def open_files(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def opened(pid):
    """[(number, file)] of its descriptors; one that it closes meanwhile is left out."""
    descriptors = []
    for fd in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            descriptors.append((fd.name, os.readlink(fd)))
    return descriptors


def resident_bytes(pid):
    return int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def executable(pid):
    return os.readlink(f"/proc/{pid}/exe")
