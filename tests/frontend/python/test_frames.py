# SPDX-License-Identifier: GPL-2.0-or-later
"""Results as pandas frames; the code shown on the package's page."""
import pathlib
import re
import unittest

import planar

SHORT = {"seconds": 0.05, "sizes": [1024, 4096]}


class Frames(unittest.TestCase):
    def test_a_matrix(self):
        frame = planar.to_frame(planar.compare(["model56sx"], ["ne2", "3c529"], jobs=1, **SHORT))
        self.assertEqual(sorted(frame["packet_bytes"]), [1024, 1024, 4096, 4096])
        table = frame.pivot(index="card", columns="packet_bytes", values="kb_per_s")
        self.assertGreater(table.loc["3c529", 4096], table.loc["ne2", 4096])
        parts = [name for name in frame.columns if name.endswith("_us") and name != "frame_us"]
        self.assertLess(abs(frame[parts].sum(axis=1) - frame["frame_us"]).max(), 0.1)

    def test_a_flood_and_the_published_table(self):
        flood = planar.to_frame(planar.flood("model56sx", "ne2", seconds=0.05, rates=[1000, 14880]))
        self.assertEqual(list(flood["rate"]), [1000, 14880])
        self.assertIn("lost_ring", flood.columns)
        table = planar.to_frame(planar.published(["model56sx"], ["ne2"], placements=1, jobs=1, **SHORT))
        self.assertEqual(set(table["packet_bytes"]), {1024, 4096})

    def test_the_code_of_the_page_runs(self):
        page = pathlib.Path(__file__).resolve().parents[3] / "frontend/python/README.md"
        blocks = re.findall(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), re.S | re.M)
        self.assertEqual(len(blocks), 2)
        names = {}
        for block in blocks:
            exec(re.sub(r"seconds=[\d.]+", "seconds=0.05", block), names)  # the page's own lines
        self.assertEqual(names["slow"].frame_time.limited_by, "stack")
        self.assertEqual(len(names["cells"]), 6)
        self.assertEqual(names["result"].card, "ne2")


if __name__ == "__main__":
    unittest.main()
