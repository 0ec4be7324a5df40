"""The machine's VM (release 25) under the number of another release: its etp_otp_release says so. It runs as before."""

import re

from harness.own_executable import OwnExecutable, output

SECTION = re.compile(r"\.rodata\s+PROGBITS\s+([0-9a-f]+)\s+([0-9a-f]+)")
SYMBOL = re.compile(r":\s+([0-9a-f]+)\s.*\setp_otp_release\b")


class RenamedRelease(OwnExecutable):
    def __init__(self, release):
        super().__init__(f"renamed_{release}", lambda original, into: rename(original, into, release))


def rename(original, into, release):
    section, offset = (int(number, 16) for number in
                       SECTION.search(output("readelf", "-W", "-S", original)).groups())
    symbol = int(SYMBOL.search(output("readelf", "-W", "--dyn-syms", original)).group(1), 16)
    place = symbol - section + offset
    image = bytearray(original.read_bytes())
    assert image[place:place + 3].endswith(b"\0") and len(release) == 2
    image[place:place + 2] = release.encode()
    into.write_bytes(image)
    into.chmod(0o755)
