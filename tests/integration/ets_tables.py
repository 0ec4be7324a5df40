"""The section of `report` about tables of ETS, against ets:all/0 and ets:info/1 of the VM.

python3 -m integration.ets_tables OTP_RELEASE
"""

import re
import sys
import unittest

from harness.tool_test import ToolTest

ROW = re.compile(r"^ *(\S+ \S+) +(\d+)  (.+) \((\w+), (\w+)\), of (<[\d.]+>)$", re.MULTILINE)
UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
MAKE = """begin
    Keep = fun(Name, Options, N) -> spawn(fun() ->
        T = ets:new(Name, Options), [ets:insert(T, {K, lists:seq(1, K rem 50)}) || K <- lists:seq(1, N)],
        receive stop -> ok end end) end,
    [Keep(list_to_atom("shop_" ++ integer_to_list(K)), [Kind, Protection], 1000 * K)
     || {K, Kind, Protection} <- [{1, set, public}, {2, ordered_set, protected}, {3, bag, private}, {4, duplicate_bag, public}]],
    Keep(spread, [set, public, {write_concurrency, true}, {decentralized_counters, true}], 5000),
    [Keep(same_name, [set], K) || K <- lists:seq(1, 40)],
    Dead = Keep(dead, [set, public], 20000), timer:sleep(300), exit(Dead, kill), timer:sleep(300), ok end"""
TRUTH = ("[[atom_to_binary(ets:info(T, name)), 8 * ets:info(T, memory), ets:info(T, size), ets:info(T, type),"
         " ets:info(T, protection), list_to_binary(pid_to_list(ets:info(T, owner)))] || T <- ets:all()]")


class EtsTables(ToolTest):
    tool, target, vm_flags = "report", "idle", ("+S", "2:2")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.vm.evaluate(" ".join(MAKE.split()))

    def section(self, *flags):
        return self.run_tool(*flags).stdout.split("\n7. ETS tables\n")[1]

    def test_each_table_is_as_the_vm_tells(self):
        truth = self.vm.evaluate(TRUTH)
        text = self.section("--limit=1000")
        print(text[:1500])
        rows = ROW.findall(text)
        spread = [table for table in truth if table[0] == "spread"]
        measured = [table for table in truth if table[0] != "spread"]
        self.assertEqual(len(spread), 1)
        self.assertIn(f"{len(truth)} tables; {len(measured)} of them have ", text)
        self.assertIn("1 count for each scheduler apart (decentralized_counters): not measured", text)
        self.assertGreater(len(measured), 50)
        self.assertEqual(sorted((name, int(objects), kind, protection, owner)
                                for _, objects, name, kind, protection, owner in rows),
                         sorted((name, objects, kind, protection, owner)
                                for name, _, objects, kind, protection, owner in measured))
        self.assertEqual([table[0] for table in sorted(measured, key=lambda table: -table[1])][:4],
                         [name for _, _, name, *_ in rows][:4], "the largest first")
        for told, (_, memory, *_) in zip(rows, sorted(measured, key=lambda table: -table[1])):
            number, unit = told[0].split()
            self.assertAlmostEqual(float(number) * UNITS[unit], memory, delta=0.06 * UNITS[unit])

    def test_the_limit_cuts_the_list(self):
        self.assertEqual(len(ROW.findall(self.section("--limit=3"))), 3)

    def test_tables_that_come_and_go(self):
        """Lists that change while they are read: what is told is a table that the VM had, or said to be missing."""
        self.vm.evaluate("spawn(fun F() -> receive stop -> ok after 0 -> Ts = [ets:new(brief, []) || _ <- lists:seq(1, 100)],"
                         " [ets:delete(T) || T <- Ts], F() end end), ok")
        lasting = {(table[0], table[5]) for table in self.vm.evaluate(TRUTH.replace("ets:all()", (
            "[T || T <- ets:all(), catch ets:info(T, name) =/= brief, is_list(ets:info(T))]"))) if table[0] != "spread"}
        for _ in range(10):
            text = self.section("--limit=100000")
            told = {(name, owner) for _, _, name, _, _, owner in ROW.findall(text)}
            if "some are missing here" not in text:
                self.assertLessEqual(lasting, told)
            self.assertLessEqual({name for name, _ in told - lasting}, {"brief"})


if __name__ == "__main__":
    EtsTables.release = sys.argv.pop()
    unittest.main(verbosity=2)
