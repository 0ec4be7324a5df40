"""python3 refused_calls.py CALL... -- PROGRAM ...: runs the program where the kernel answers EPERM to these
system calls, as under a container runtime's seccomp profile."""

import ctypes
import errno
import os
import struct
import sys

# x86-64 (arch/x86/entry/syscalls/syscall_64.tbl).
NUMBERS = {"perf_event_open": 298, "process_vm_readv": 310, "bpf": 321, "pidfd_open": 434}

# linux/seccomp.h, linux/bpf_common.h, linux/prctl.h
LOAD_NUMBER, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
REFUSE, ALLOW = 0x00050000 | errno.EPERM, 0x7fff0000
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, FILTER = 38, 22, 2


def prefix(*calls):
    """The prefix of a command that may not make these calls."""
    return (sys.executable, "-B", __file__, *calls, "--")


def filter_out(calls):
    rules = [(LOAD_NUMBER, 0, 0, 0)]
    for call in calls:
        rules += [(JUMP_IF_EQUAL, 0, 1, NUMBERS[call]), (RETURN, 0, 0, REFUSE)]
    rules.append((RETURN, 0, 0, ALLOW))
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *rule) for rule in rules))
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(rules), ctypes.addressof(code)))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl.argtypes = [ctypes.c_int, *[ctypes.c_ulong] * 4]
    for arguments in ((PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), (PR_SET_SECCOMP, FILTER, ctypes.addressof(program), 0, 0)):
        if libc.prctl(*arguments) != 0:
            raise OSError(ctypes.get_errno(), f"prctl{arguments}")


if __name__ == "__main__":
    end = sys.argv.index("--")
    filter_out(sys.argv[1:end])
    os.execvp(sys.argv[end + 1], sys.argv[end + 1:])
