"""Compiles the NIFs of the target programs for the VM that will load them."""

import subprocess

from harness import requirements
from harness.erlang_runtime import TARGETS


def compile_into(folder, name, *flags, runtime=None):
    """Compiles tests/targets/NAME.c to folder/NAME.so.

    With the erl_nif.h of `runtime` where its root has one: a VM refuses what was compiled for a later one. The machine's
    own also works for later releases.
    """
    requirements.program("cc")
    folder.mkdir(parents=True, exist_ok=True)
    include = runtime.include() if runtime else None
    if include is None:
        include = subprocess.run(
            ["erl", "-noshell", "-eval", 'io:put_chars([code:root_dir(), "/usr/include"]), halt().'],
            capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL).stdout
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", *flags, f"-I{include}", "-o", folder / f"{name}.so",
                    TARGETS / f"{name}.c"], check=True)
