"""What Day 64 shows of NCCL has the form that its script writes, and holds what the page says."""

from record_all_reduce import ALGORITHMS, POWERS, WORLDS

from tutor.course.recordings import recorded


def test_each_size_has_its_times_in_order() -> None:
    said = recorded(64).said
    assert set(said) == set(ALGORITHMS)
    for by_world in said.values():
        assert set(by_world) == {str(world) for world in WORLDS}
        for rows in (each for kinds in by_world.values() for each in kinds.values()):
            assert [row[0] for row in rows] == [2**power for power in POWERS]
            assert all(low <= median <= high for _, median, low, high in rows)


def test_the_tree_is_faster_for_small_vectors_and_the_ring_for_large_ones() -> None:
    """On four GPUs, by more than the quartiles lie apart."""
    said = recorded(64).said
    pairs = zip(*(said[name]["4"]["all_reduce"] for name in ("Ring", "Tree")), strict=True)
    faster = {}
    for (size, _, ring_low, ring_high), (_, _, tree_low, tree_high) in pairs:
        if ring_high < tree_low:
            faster[size] = "Ring"
        elif tree_high < ring_low:
            faster[size] = "Tree"
    assert [faster[2**power] for power in (10, 20, 22, 26, 28, 30)] == ["Tree"] * 3 + ["Ring"] * 3
    assert 2**24 not in faster
