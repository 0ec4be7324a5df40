"""The repository's own files, for every style check: what git tracks, or would track if added."""

import pathlib
import subprocess

REPO = pathlib.Path(__file__).resolve().parents[2]


def files(*suffixes, under=""):
    listing = subprocess.run(
        ["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=REPO, capture_output=True, text=True)
    if listing.returncode == 0:
        names = [name for name in listing.stdout.split("\0") if name]
    else:  # an unpacked archive has no git
        names = [str(path.relative_to(REPO)) for path in REPO.rglob("*")
                 if path.is_file() and path.relative_to(REPO).parts[0] not in ("build", ".git", ".cache")]
    chosen = (REPO / name for name in sorted(set(names)) if name.startswith(under))
    return [path for path in chosen if path.is_file() and (not suffixes or path.suffix in suffixes)]


def relative(path):
    return path.relative_to(REPO).as_posix()


def finish(what, complaints):
    """Prints the complaints one per line and ends the process: 0 when there are none."""
    for complaint in complaints:
        print(complaint)
    print(f"{what}: {len(complaints)} complaint(s)")
    raise SystemExit(1 if complaints else 0)
