"""What Day 51 shows of an H200 has the form that its script writes, and holds what the page says."""

import torch
from record_two_of_four import two_four

from tutor.course.recordings import recorded


def test_each_way_has_its_times_in_order() -> None:
    for product in recorded(51).said["products"]:
        assert set(product["ways"]) == {
            "dense",
            "dense, half of it zeros",
            "cusparselt",
            "cusparselt, searched",
        }
        for way in product["ways"].values():
            median, low, high = way["us"]
            assert low <= median <= high
            assert way["times_as_fast"] == sorted(way["times_as_fast"])


def test_the_first_algorithm_is_slower_for_few_rows_and_the_searched_one_never() -> None:
    for product in recorded(51).said["products"]:
        ways = {name: way["times_as_fast"] for name, way in product["ways"].items()}
        assert ways["cusparselt, searched"][0] > 1.05
        assert ways["cusparselt, searched"][2] < 1.52
        assert ways["dense, half of it zeros"][0] > 0.98
        if product["rows"] <= 128:
            assert ways["cusparselt"][2] < 0.75


def test_values_come_first_and_indices_take_an_eighth() -> None:
    for stored in recorded(51).said["stored"]:
        assert stored["cusparselt"]["values_first"]
        assert not stored["cusparselt"]["indices_as_they_are"]
        assert stored["cusparselt"]["rest_bytes"] * 16 == stored["dense_bytes"]
        assert stored["cutlass"]["meta"][2] * 16 == stored["dense_bytes"]


def test_the_script_prunes_two_of_each_four() -> None:
    w = two_four(torch.tensor([[1.0, -3, 2, 0.5, 2, 2, -2, 2]]))
    assert w.tolist() == [[0, -3, 2, 0, 2, 2, 0, 0]]
