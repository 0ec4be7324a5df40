"""`beam_exporter blame`: for whom a native function works, where the VM's program leaves no doubt.

python3 -m integration.blame_tool OTP_RELEASE
"""

import sys
import unittest

from harness.tool_test import ToolTest


class BlameTool(ToolTest):
    tool, target, vm_flags = "blame", "copying", ("+S", "2")

    def blame(self, *words, code=0):
        return self.run_tool("--duration=4", "--frequency=499", *words, code=code)

    def natives(self, *words):
        return {native["native"]: native
                for native in self.told("--duration=4", "--frequency=499", *words)["natives"]}

    def test_copies_are_blamed_on_the_one_function_that_asks_for_them(self):
        for kind, function in (("lookup", "copying:lookup/1"), ("insert", "copying:insert/1"),
                               ("send", "copying:send/1")):
            with self.subTest(kind):
                self.vm.ask(f"run {kind}")
                native = self.natives("copy_struct")["copy_struct"]
                self.vm.ask("stop")
                self.assertGreater(native["share"], 0.1)
                self.assertEqual(native["functions"][0]["function"], function)
                self.assertGreater(native["functions"][0]["share"] / native["share"], 0.99)
                self.assertTrue(all(function in stack["stack"] for stack in native["stacks"]), native["stacks"])
                self.assertTrue(any("copy_" in stack["stack"].split(";")[-1] or "size_object" in stack["stack"]
                                    for stack in native["stacks"]), native["stacks"])

    def test_several_at_once_and_as_text(self):
        self.vm.ask("run collect")
        natives = self.natives("garbage_collect", "copy_struct")
        text = self.blame("garbage_collect").stdout
        self.vm.ask("stop")
        self.assertGreater(natives["garbage_collect"]["share"], 0.1)
        self.assertEqual(natives["garbage_collect"]["functions"][0]["function"], "copying:garbage/2")
        self.assertLess(natives["copy_struct"]["share"], 0.01)
        self.assertRegex(text, r"garbage_collect: +[1-9][\d.]+ % \+- ")
        self.assertIn("copying:collects/1;copying:garbage/2;", text.split("whole stacks:")[1])

    def test_a_name_that_is_not_there_is_told_with_those_like_it(self):
        line, = self.blame("copy_strct", code=1).stderr.splitlines()
        self.assertIn("no native function 'copy_strct'", line)
        self.assertIn("copy_struct", line.replace("copy_strct", ""))
        line, = self.blame(code=2).stderr.splitlines()
        self.assertIn("native functions", line)


if __name__ == "__main__":
    BlameTool.release = sys.argv.pop(1)
    unittest.main(verbosity=2)
