"""The cache of Day 19: which lines miss, what makes room, and what a matrix refuses."""

import pytest

from tutor.hardware.cache_simulator import Cache, Matrix, matrices


def test_a_line_misses_once_and_its_neighbours_hit() -> None:
    cache = Cache(size=256, line=64)
    assert [cache.touch(address) for address in (0, 8, 63, 64, 0)] == [
        True,
        False,
        False,
        True,
        False,
    ]
    assert (cache.misses, cache.accesses) == (2, 5)


def test_the_line_used_longest_ago_makes_room() -> None:
    cache = Cache(size=128, line=64)  # two lines
    for address in (0, 64, 0, 128):  # 64 is older than 0
        cache.touch(address)
    assert not cache.touch(0)
    assert cache.touch(64)


def test_a_watched_cache_knows_when_lines_came_and_went() -> None:
    cache = Cache(size=128, line=64, watch=True)
    for line in (0, 1, 0, 2, 1):
        cache.touch(line * 64)
    assert cache.stays == {0: [(0, 4)], 1: [(1, 3), (4, 5)], 2: [(3, 5)]}
    assert Cache(size=128, line=64).stays == {}


def test_addresses_of_one_set_push_each_other_out() -> None:
    apart = Cache(size=1024, line=64, ways=2)  # 8 sets: 512 bytes apart is the same set
    whole = Cache(size=1024, line=64)
    for _ in range(2):
        for k in range(4):
            apart.touch(512 * k)
            whole.touch(512 * k)
    assert (apart.misses, whole.misses) == (8, 4)


def test_sets_must_divide_the_lines() -> None:
    with pytest.raises(ValueError, match="4 lines cannot be divided into sets of 3"):
        Cache(size=256, line=64, ways=3)


def test_matrices_begin_with_a_line_and_count_for_themselves() -> None:
    cache = Cache(size=2048, line=64)
    a, b = matrices(cache, ((3, 3), (2, 8)), padding=1)
    assert (a.pitch, b.base) == (4, 128)  # 3 rows of 4 numbers are 96 bytes: two lines
    a[2, 2] = 5.0
    assert a[2, 2] == 5.0
    b[0, 0] += 1.0
    assert (a.misses, b.misses, cache.misses, cache.accesses) == (1, 1, 2, 4)


@pytest.mark.parametrize(
    ("index", "error"),
    [((3, 0), IndexError), ((-1, 0), IndexError), ((slice(2), 0), TypeError), (1, TypeError)],
)
def test_a_matrix_takes_two_whole_numbers_within_it(index: object, error: type) -> None:
    with pytest.raises(error):
        Matrix(Cache(), (3, 4))[index]  # type: ignore[index]
