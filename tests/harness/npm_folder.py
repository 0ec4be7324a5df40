"""Packages from npm, in a folder of the build, and the script that uses them."""

import shutil
import subprocess

from harness import requirements
from harness.processes import BUILD


def install(sources, folder_name, *scripts):
    """Installs the packages of sources/package.json once for each version of it; returns the folder."""
    requirements.program("node", "npm")
    folder = BUILD / folder_name
    folder.mkdir(parents=True, exist_ok=True)
    wanted, stamp = (sources / "package.json").read_text(), folder / ".installed"
    for script in scripts:
        shutil.copy(sources / script, folder)
    if stamp.exists() and stamp.read_text() == wanted:
        return folder
    stamp.unlink(missing_ok=True)
    shutil.copy(sources / "package.json", folder)
    run(folder, "npm", "install", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts", stdin=subprocess.DEVNULL)
    stamp.write_text(wanted)
    return folder


def run(folder, *argv, **options):
    done = subprocess.run([str(word) for word in argv], cwd=folder, capture_output=True, text=True, **options)
    assert done.returncode == 0, f"{argv}: {done.stdout}{done.stderr}"
    return done.stdout
