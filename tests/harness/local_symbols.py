"""An installed VM that is not stripped, as `make` leaves one: Debian's VM with an added local symbol for each static
function. Their bounds come from .eh_frame. Their real names are unknown, and nothing depends on them."""

import re

from harness.own_executable import OwnExecutable, output

FRAME = re.compile(r"FDE cie=\S+ pc=([0-9a-f]+)\.\.")
TEXT = re.compile(r"\.text\s+PROGBITS\s+([0-9a-f]+)\s+[0-9a-f]+\s+([0-9a-f]+)")


class WithLocalSymbols(OwnExecutable):
    def __init__(self):
        super().__init__("local_symbols", add_symbols)


def add_symbols(stripped, into):
    begins = {int(begin, 16) for begin in FRAME.findall(output("readelf", "--debug-dump=frames", stripped))}
    exported = {int(line.split()[1], 16) for line in output("readelf", "-W", "--dyn-syms", stripped).splitlines()
                if " FUNC " in line}
    text, size = (int(number, 16) for number in TEXT.search(output("readelf", "-W", "-S", stripped)).groups())
    options = into.with_suffix(".symbols")
    options.write_text("\n".join(f"--add-symbol static_{begin:x}=.text:{begin - text},function,local"
                                 for begin in sorted(begins - exported) if text <= begin < text + size))
    output("objcopy", f"@{options}", stripped, into)
