"""The allocator of Day 9 asks for what an H200's allocator asked for, by the recording of that day."""

import json
import re

from tutor.base.paths import course_root
from tutor.hardware.caching_allocator import CachingAllocator, MiB


def test_allocated_and_reserved_are_those_of_the_recording() -> None:
    recording = json.loads((course_root() / "lessons/recorded/gpu-day-09.json").read_text("utf-8"))
    printed = "".join(cell["printed"] for cell in recording["cells"].values())
    rows = re.findall(r"(a|b|c|c freed): allocated ([\d.]+) reserved (\d+) MiB", printed)
    assert [row[0] for row in rows] == ["a", "b", "c", "c freed"]
    cache, found = CachingAllocator(), []
    for owner, size in (("a", 100), ("b", 3 * MiB), ("c", 18 * MiB), ("c freed", 0)):
        cache.take(owner, size) if size else cache.give("c")
        found.append((owner, f"{cache.allocated:.4f}", f"{cache.reserved:.0f}"))
    assert found == rows


def test_a_segment_is_drawn_block_by_block() -> None:
    cache = CachingAllocator()
    for owner in ("x", "y"):
        cache.take(owner, 8 * MiB)
    cache.give("x")
    cache.take("z", 16 * MiB)
    assert cache.spans()["segment 1"] == [
        (8.0, 16.0, "in use"),
        (0.0, 8.0, "free"),
        (16.0, 20.0, "free"),
    ]
    assert cache.drawing() == "[........yyyyyyyy....] 20 MiB\n[zzzzzzzzzzzzzzzz] 16 MiB"
    assert cache.free_blocks == [8, 4]
