"""What Day 54 says of its sweep stands in the recording, and its script measures the same things."""

from record_cpu_sweep import ISAS, large_layer, product, small_layer

from tutor.course.recordings import recorded

COUNTS = [1, 2, 3, 4, 6, 8, 12, 16, 32]


def test_the_recording_has_every_workload_by_threads():
    sweep = recorded(54).said["sweep"]
    assert set(sweep) == {*small_layer(), *product(), *large_layer(8, 64)}
    for rows in sweep.values():
        assert [row[0] for row in rows] == COUNTS
        assert all(low <= median <= high for _, median, low, high in rows)


def test_only_sets_with_vnni_are_exact():
    sets = recorded(54).said["sets"]
    assert tuple(sets) == ISAS
    exact = [name for name, row in sets.items() if row["added"] == 64 * 255 * 127]
    assert exact == ["AVX512_CORE_VNNI", "AVX512_CORE_BF16", "AVX512_CORE_AMX"]
    assert {row["added"] for name, row in sets.items() if name not in exact} == {32 * 32767}


def test_streams_share_all_cores():
    said = recorded(54).said
    assert said["machine"]["CPU(s)"] == "16"
    for rows in said["streams"].values():
        assert [row[:2] for row in rows] == [[1, 16], [2, 8], [4, 4], [8, 2], [16, 1]]
