#!/usr/bin/python3
"""Fails on an include that runs uphill between layers, or that leaves a library's home folder.

The linker only notices an uphill *symbol*; a header-only uphill include would compile.
"""

import re

import source_tree

# A layer may include itself and what its entry names.
LAYERS = {
    "os": set(),
    "yaml": {"os"},
    "elf": {"os", "yaml"},
    "beam": {"os", "yaml", "elf"},
    "sampling": {"os", "yaml", "elf", "beam"},
    "attribution": {"os", "yaml", "elf", "beam", "sampling"},
    "metrics": {"os", "yaml", "elf", "beam", "sampling", "attribution"},
}
LAYERS["web"] = LAYERS["tools"] = set(LAYERS)
LAYERS["app"] = set(LAYERS)

# Third-party headers by pattern, and the only folders that may include them.
HOMES = [
    (r"yaml-cpp/", {"yaml"}),
    (r"(libelf|gelf|nlist|dwarf)\.h|elfutils/", {"elf"}),
    (r"sys/capability\.h|linux/perf_event\.h", {"os"}),
    (r"prometheus/", {"metrics", "web"}),
    (r"(civetweb|CivetServer|zlib)\.h", {"web"}),
    (r"bpf/|linux/bpf\.h", {"sampling"}),
    (r"spdlog/", {"sampling", "app"}),
    (r"CLI/", {"app"}),
    (r"nlohmann/", {"metrics", "web", "tools"}),
]
SYSTEM = re.compile(r"[a-z0-9_]+(\.h)?|cxxabi\.h|(sys|linux|asm|net|netinet|arpa|bits)/[a-z0-9_]+\.h")
INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]')


def quoted(layer, included):
    other = included.split("/")[0]
    if included.endswith(".skel.h"):  # generated beside the objects, from a program in bpf/
        return None if layer == "sampling" else f'"{included}" is a kernel program: only sampling loads it'
    if "/" not in included:
        return f'"{included}" is not written from exporter/ ("<folder>/<file>")'
    if other not in LAYERS:
        return f'"{included}" is in no layer'
    if other != layer and other not in LAYERS[layer]:
        return f'"{included}" runs uphill: {layer} must not know {other}'
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
        layer = name.split("/")[1]
        if "/bpf/" in name:  # runs in the kernel: another compiler, no layer of ours
            continue
        if layer not in LAYERS:
            complaints.append(f"{name}: exporter/{layer} is no layer")
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            wrong = (quoted if match[1] == '"' else angled)(layer, match[2])
            if wrong:
                complaints.append(f"{name}:{number}: {wrong}")
    source_tree.finish("include order", complaints)


if __name__ == "__main__":
    main()
