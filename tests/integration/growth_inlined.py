"""A VM whose compiler has put the functions that get carriers into their callers: growth is refused, with the reason.

python3 -m integration.growth_inlined OTP_RELEASE
"""

import sys
import unittest

from harness.watched_vm import WatchedVm


class GrowthInlined(WatchedVm):
    target, settings = "grower", "snapshot: {interval: 100ms}\ngrowth: {enabled: true}\n"

    def test_the_feature_is_off_and_one_line_says_why(self):
        self.vm.ask("binaries 100 1000000")
        scrape = self.exporter.scrape()
        self.assertEqual(scrape.value("beam_exporter_feature_enabled", feature="growth"), 0)
        self.assertFalse(scrape.samples("beam_allocator_growth_bytes_total"))
        lines = [line for line in self.exporter.log.lines if "growth" in line]
        self.assertEqual(len(lines), 1, lines)
        self.assertIn("into their callers", lines[0])


if __name__ == "__main__":
    GrowthInlined.release = sys.argv.pop()
    unittest.main(verbosity=2)
