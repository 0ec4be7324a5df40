"""Compiles the NIFs of the target programs for the VM that will load them."""

import subprocess

from harness import requirements
from harness.erlang_runtime import TARGETS


def compile_into(folder, name, *flags):
    """Compiles tests/targets/NAME.c to folder/NAME.so. The machine's erl_nif.h also works for later releases."""
    requirements.program("cc")
    folder.mkdir(parents=True, exist_ok=True)
    include = subprocess.run(
        ["erl", "-noshell", "-eval", 'io:put_chars([code:root_dir(), "/usr/include"]), halt().'],
        capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL).stdout
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", *flags, f"-I{include}", "-o", folder / f"{name}.so",
                    TARGETS / f"{name}.c"], check=True)
