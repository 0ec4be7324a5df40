#!/usr/bin/python3
"""Fails on an include that runs uphill between layers, or that leaves a library's home folder.

The linker only notices an uphill *symbol*; a header-only uphill include would compile.
"""

import re

import source_tree

# The one order of the folders: a folder may include itself and what stands above it here. The
# folders of a layer are in the order in which they may include each other; "" is the layer's own.
ORDER = {
    "os": ["", "process", "rights", "perf", "memory"],
    "text": [""],
    "yaml": [""],
    "log": [""],
    "elf": [""],
    "beam": ["layout", "terms", "code", "schedulers", "allocators", "processes", "hidden", "held", ""],
    "sampling": ["", "perf", "ebpf", "tick"],
    "attribution": [""],
    "profile": ["", "formats"],
    "totals": [""],
    "verdict": [""],
    "settings": [""],
    "collectors": [""],
    "metrics": ["families", "exposition"],
    "web": ["", "live", "pages", "server"],
    "session": ["", "views"],
    "commands": ["tools", "tools/heap", "tools/top", "tools/report", "tools/pstack", ""],
    "app": [""],
}
LAYERS = list(ORDER)
# What is served knows a Snapshot, and neither who made it nor from what.
SEPARATE = {"metrics": {"settings", "collectors"}, "web": {"settings", "collectors"}}

# Third-party headers by pattern, and the only folders that may include them.
HOMES = [
    (r"yaml-cpp/", {"yaml"}),
    (r"(libelf|gelf|nlist|dwarf)\.h|elfutils/", {"elf"}),
    (r"sys/capability\.h|linux/perf_event\.h", {"os"}),
    (r"prometheus/", {"metrics", "web"}),
    (r"(civetweb|CivetServer)\.h", {"web"}),
    (r"zlib\.h", {"text"}),
    (r"protozero/", {"profile"}),
    (r"bpf/|linux/bpf\.h", {"sampling"}),
    (r"spdlog/", {"log"}),
    (r"CLI/", {"commands"}),
    (r"curses\.h", {"commands"}),
    (r"re2/", {"text"}),
    (r"nlohmann/", {"log", "verdict", "web", "commands"}),
]
SYSTEM = re.compile(r"[a-z0-9_]+(\.h)?|cxxabi\.h|(sys|linux|asm|net|netinet|arpa|bits)/[a-z0-9_]+\.h")
INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]')


def place(name):
    """Its layer, and its folder in that layer."""
    folders = name.split("/")[:-1]
    return folders[0], "/".join(folders[1:])


def quoted(name, included):
    layer, folder = place(name)
    if included.endswith(".skel.h"):  # generated beside the objects, from a program in bpf/
        return None if layer == "sampling" else f'"{included}" is a kernel program: only sampling loads it'
    if "/" not in included:
        return f'"{included}" is not written from exporter/ ("<folder>/<file>")'
    other, other_folder = place(included)
    if other not in ORDER:
        return f'"{included}" is in no layer'
    if LAYERS.index(other) > LAYERS.index(layer) or other in SEPARATE.get(layer, ()):
        return f'"{included}" runs uphill: {layer} must not know {other}'
    if other != layer or other_folder == "bpf":
        return None
    folders = ORDER[layer]
    if other_folder not in folders:
        return f'"{included}" is in no folder of {layer} that tests/style/include_order.py knows'
    if folders.index(other_folder) > folders.index(folder):
        return f'"{included}" runs uphill: {layer}/{folder} must not know {layer}/{other_folder}'
    return None


def angled(layer, included):
    for pattern, homes in HOMES:
        if re.match(pattern, included):
            if layer in homes:
                return None
            return f"<{included}> has its home in {', '.join(sorted(homes))}, not in {layer}"
    if SYSTEM.fullmatch(included):
        return None
    return f"<{included}> is a library without a home: give it one in tests/style/include_order.py"


def main():
    complaints = []
    for path in source_tree.files(".h", ".cpp", ".c", under="exporter/"):
        name = source_tree.relative(path)
        layer, folder = place(name.removeprefix("exporter/"))
        if "/bpf/" in name:  # runs in the kernel: another compiler, no layer of ours
            continue
        if folder not in ORDER.get(layer, ()):
            complaints.append(f"{name}: its folder is none that tests/style/include_order.py knows")
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            wrong = quoted(name.removeprefix("exporter/"), match[2]) if match[1] == '"' else angled(layer, match[2])
            if wrong:
                complaints.append(f"{name}:{number}: {wrong}")
    source_tree.finish("include order", complaints)


if __name__ == "__main__":
    main()
