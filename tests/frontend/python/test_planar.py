# SPDX-License-Identifier: GPL-2.0-or-later
"""The installed Python package, with only Python's standard library: results, exceptions, the debugger."""
import os
import pathlib
import tempfile
import unittest
from unittest import mock

import planar

SHORT = {"seconds": 0.05, "sizes": [1024]}
CELL = {"machine": "model56sx", "card": "ne2", **SHORT}


class Runs(unittest.TestCase):
    def test_a_cell_repeats_and_its_parts_add_up(self):
        first, second = planar.netio(**CELL), planar.netio(**CELL)
        self.assertEqual(first.state_hash, second.state_hash)
        self.assertEqual([row.packet_bytes for row in first.rows], [1024])
        self.assertGreater(first.rows[0].kb_per_s, 100)
        self.assertAlmostEqual(sum(first.frame_time.parts_us.values()), first.frame_time.us, delta=0.1)
        self.assertIn(first.frame_time.limited_by, first.frame_time.parts_us)
        self.assertFalse(planar.diff(first, second))

    def test_runs_have_a_confidence_interval(self):
        self.assertGreater(planar.netio(**CELL, runs=3).rows[0].ci95, 0)

    def test_a_changed_value_is_named_as_the_cause(self):
        slow = planar.netio(**CELL, set={"ne2.data_port.ready_delay": "1us"})
        found = planar.diff(planar.netio(**CELL), slow)
        self.assertTrue(found)
        self.assertEqual(found.causes["timing.ne2.data_port.ready_delay"], ("0 ns", "1us"))
        self.assertIn("rows.1024.kb_per_s", found.figures)

    def test_a_matrix_has_its_cells(self):
        cells = planar.compare(["model56sx", "model95"], ["ne2", "sknet"], jobs=1, **SHORT)
        self.assertEqual({(cell.machine, cell.card) for cell in cells},
                         {(machine, card) for machine in ("model56sx", "model95") for card in ("ne2", "sknet")})
        self.assertTrue(all(isinstance(cell, planar.Netio) for cell in cells))

    def test_a_flood_says_where_frames_are_lost(self):
        flood = planar.flood("model56sx", "ne2", seconds=0.05, rates=[1000, 14880])
        self.assertEqual([row.rate for row in flood.rows], [1000, 14880])
        self.assertGreater(sum(flood.rows[1].lost.values()), 0)
        self.assertEqual(flood.knee_per_s, 1000)

    def test_the_published_table_has_residuals(self):
        table = planar.published(["model56sx"], ["ne2"], placements=1, jobs=1, **SHORT)
        self.assertEqual([(cell.machine, cell.card, cell.packet_bytes) for cell in table.cells], [("model56sx", "ne2", 1024)])
        self.assertAlmostEqual(table.cells[0].residual_percent,
                               100 * (table.cells[0].planar / table.cells[0].published - 1), delta=0.01)

    def test_cards_machines_and_screens(self):
        self.assertTrue(any(value["name"] == "chip.remote_handshake" for value in planar.show("ne2")["timing"]))
        devices = planar.describe("model95", "ne2", card="ne2", until="1 s")["machines"][0]["devices"]
        self.assertEqual(devices[0]["fields"]["adapter ID"], 0x7154)
        self.assertIn("planar", planar.run("model95", until="3 s", screen="text").lower())

    def test_the_version_is_the_programs(self):
        from importlib.metadata import version
        self.assertEqual(version("planar"), planar.Program().version())


class ExitCodes(unittest.TestCase):
    def test_each_is_an_exception_with_the_programs_words(self):
        with self.assertRaisesRegex(planar.UsageError, "did you mean 'model95'") as caught:
            planar.netio("model96")
        self.assertEqual(caught.exception.code, 2)
        self.assertIn("model96", caught.exception.command)
        with self.assertRaisesRegex(planar.FileProblem, "no such diskette image"):
            planar.run("model95", image="missing.img")
        with self.assertRaises(planar.ScenarioFailed):
            planar.netio(**CELL, port=5)
        with tempfile.TemporaryDirectory() as folder, self.assertRaises(planar.VirtualTimeout):
            planar.run("model95", do='wait screen "login:" within 1 s', result=pathlib.Path(folder) / "evidence")
        with self.assertRaises(planar.UsageError):
            planar.debug("netio", card="no-such-card")

    def test_without_the_program(self):
        with mock.patch.dict(os.environ, {"PLANAR": "/nowhere/planar"}), self.assertRaises(planar.ProgramNotFound):
            planar.netio()


class Debugging(unittest.TestCase):
    def test_a_run_that_was_looked_into_ends_with_the_same_hash(self):
        with planar.debug("netio", **CELL) as machine:
            stop = machine.next_frame("slot1.ne2")
            self.assertEqual(stop.reason, "breakpoint")
            self.assertIn("slot1.ne2.port has sent", stop.text)
            here = machine.registers()
            self.assertGreater(here["eip"], 0xC0000000)
            self.assertEqual(len(machine.peek(here["eip"], 6000)), 6000)
            self.assertIn("adapter ID", machine.describe("ne2"))
            self.assertEqual(machine.step(3).reason, "step")
            self.assertNotEqual(machine.registers()["eip"], here["eip"])
            machine.reverse_step(3)
            self.assertEqual(machine.registers(), here)
            self.assertRegex(machine.command("time"), r"^\d+\.\d+ s, \d+ clocks")
            self.assertNotEqual(machine.command("why"), "")
            result = machine.finish()
        self.assertEqual(result.state_hash, planar.netio(**CELL).state_hash)

    def test_breakpoints_and_watchpoints(self):
        with planar.debug("netio", **CELL) as machine:
            machine.break_frame("slot1.ne2")
            self.assertEqual(machine.resume().reason, "breakpoint")
            machine.clear()
            address = machine.registers()["eip"]
            machine.break_at(address)
            self.assertEqual(machine.resume().reason, "breakpoint")
            self.assertEqual(machine.registers()["eip"], address)
            machine.clear()
            machine.watch(machine.registers()["stack"] - 64, 64)
            self.assertEqual(machine.resume().reason, "watchpoint")
            with self.assertRaisesRegex(planar.PlanarError, "nonsense"):
                machine.command("nonsense")
            machine.clear()
            self.assertEqual(machine.reverse_resume().reason, "beginning")

    def test_a_run_that_came_to_its_end_has_a_result(self):
        with planar.debug("netio", **CELL) as machine:
            self.assertEqual(machine.resume().reason, "ended")
            with self.assertRaisesRegex(planar.PlanarError, "the run has ended"):
                machine.registers()
            machine.clear()
            self.assertEqual(machine.finish().state_hash, planar.netio(**CELL).state_hash)
        with planar.debug("netperf", **CELL) as machine:
            self.assertEqual(machine.finish().raw["rows"][0]["packet_bytes"], 1024)

    def test_it_ends_with_its_block(self):
        with planar.debug("netio", **CELL) as machine:
            process = machine._process
        self.assertIsNotNone(process.poll())


if __name__ == "__main__":
    unittest.main()
