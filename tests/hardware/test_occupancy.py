"""Occupancy from registers, shared memory and warps, without a GPU."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tutor.base.paths import course_root
from tutor.hardware import occupancy
from tutor.judge.cases import reference

ARCHS = st.sampled_from(sorted(occupancy.LIMITS))
REGISTERS = st.integers(0, 255)
SHARED = st.integers(0, 227 << 10)
WARPS = st.sampled_from([1, 2, 3, 4, 8, 16, 32])


@pytest.mark.parametrize(
    ("arch", "registers", "shared", "warps", "expected"),
    [
        # by hand: 255 registers are 8 192 a warp, 2 warps in each of the 4 parts of the file
        ("sm_90", 255, 0, 4, (2, 8, "registers")),
        ("sm_90", 32, 0, 4, (16, 64, "warps")),
        ("sm_90", 16, 0, 1, (32, 32, "blocks")),
        # 100 KiB and the 1 KiB that CUDA keeps: two fit in 228 KiB
        ("sm_90", 32, 100 << 10, 4, (2, 8, "shared memory")),
        ("sm_86", 32, 0, 8, (6, 48, "warps")),
        ("sm_75", 40, 33 << 10, 4, (1, 4, "shared memory")),
        ("sm_90", 255, 0, 16, (0, 0, "registers")),
    ],
)
def test_by_hand(arch, registers, shared, warps, expected):
    found = occupancy.of(arch, registers, shared, warps)
    assert found is not None
    assert (found.blocks, found.warps, found.limited_by) == expected


@given(ARCHS, REGISTERS, SHARED, WARPS)
def test_never_more_than_the_multiprocessor_has(arch, registers, shared, warps):
    found, limits = occupancy.of(arch, registers, shared, warps), occupancy.LIMITS[arch]
    assert found is not None
    assert 0 <= found.fraction <= 1
    assert found.blocks <= limits.blocks
    assert found.blocks * shared <= limits.shared
    assert found.warps * 32 * registers <= limits.registers
    assert found.warps == found.blocks * warps


@given(ARCHS, REGISTERS, SHARED, WARPS, st.integers(0, 64), st.integers(0, 4096))
def test_asking_for_more_never_fits_more(arch, registers, shared, warps, more, bytes_more):
    less = occupancy.of(arch, registers, shared, warps)
    greedy = occupancy.of(arch, registers + more, shared + bytes_more, warps)
    assert less is not None
    assert greedy is not None
    assert greedy.blocks <= less.blocks


def test_unknown_limits_are_not_guessed():
    assert occupancy.of("gfx942", 64, 0, 4) is None
    with pytest.raises(ValueError, match="0 warps"):
        occupancy.of("sm_90", 64, 0, 0)


def test_the_reference_of_the_exercise_agrees_with_the_calculator():
    path = course_root() / "kernels" / "occupancy" / "reference.py"
    exercise = reference.load_reference(path)
    for registers in range(16, 256, 3):
        for warps in (1, 2, 3, 4, 8, 16, 32):
            for shared in (0, 100, 12_700, 48 << 10, 227 << 10, 228 << 10):
                ours = occupancy.of("sm_90", registers, shared, warps)
                assert ours is not None
                assert exercise.truth(registers, shared, warps)[4] == ours.warps
