"""Heap sizes include the messages on the heap, to the byte, as total_heap_size of process_info does.

python3 -m integration.mailboxes OTP_RELEASE
"""

import sys
import unittest

from harness.watched_vm import WatchedVm

SETTINGS = "snapshot: {interval: 100ms}\nprocess_scan: {interval: 300ms}\n"
TOP, QUEUES = "beam_process_heap_bytes_top", "beam_process_message_queue_length_top"


class Mailboxes(WatchedVm):
    target, settings = "mailboxes", SETTINGS

    def compare(self, name, *filled):
        self.vm.ask(" ".join(map(str, ("fill", name, *filled))))
        scrape = self.exporter.fresh("processes")
        truth, messages = self.vm.ask(f"total {name}")
        ours = scrape.value(TOP, process=name)
        print(f"{name} {filled}: total_heap_size {truth}, {messages} messages; ours {ours}")
        self.assertEqual(scrape.value(QUEUES, process=name), messages)
        return ours, truth, scrape

    def test_messages_on_the_heap(self):
        for name, *filled in (("long_lists", "on_heap", "list", 20000, 500), ("small", "on_heap", "list", 3000, 4),
                              ("few_large", "on_heap", "list", 3, 2000000), ("binaries", "on_heap", "binary", 5000, 300)):
            with self.subTest(name):
                ours, truth, scrape = self.compare(name, *filled)
                self.assertEqual(ours, truth)
                self.assertEqual(scrape.value("beam_process_messages_unmeasured"), 0)

    def test_messages_off_the_heap_do_not_belong_to_it(self):
        # So small a heap is not among the largest: all heaps together do not grow by the messages.
        before = self.exporter.fresh("processes").value("beam_process_heap_bytes_gsum")
        truth, _ = self.vm.ask("fill off_heap off_heap list 5000 500")
        after = self.exporter.fresh("processes").value("beam_process_heap_bytes_gsum")
        self.assertLess(truth, 1000000)
        self.assertLess(after - before, 5000 * 500 * 8 / 4)

    def test_what_one_scan_does_not_follow_is_counted(self):
        self.vm.ask("fill flooded on_heap list 100000 10")
        scrape = self.exporter.fresh("processes")
        unmeasured = scrape.value("beam_process_messages_unmeasured")
        truth, messages = self.vm.ask("total flooded")
        ours = scrape.value(TOP, process="flooded")
        print(f"flooded: {ours} of {truth}, {unmeasured} of {messages} messages not looked at")
        self.assertEqual(unmeasured, messages - 65536)
        self.assertLess(ours, truth)
        self.assertGreater(ours, 65536 * 10 * 8)
        self.vm.evaluate("exit(whereis(flooded), kill)")


if __name__ == "__main__":
    Mailboxes.release = sys.argv.pop()
    unittest.main(verbosity=2)
