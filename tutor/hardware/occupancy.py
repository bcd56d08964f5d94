"""Occupancy: the warps of a kernel that a multiprocessor holds at once, and what limits them.

Rules, granularities and blocks a multiprocessor are those of NVIDIA's `cuda_occupancy.h` (CUDA 13.1, as
Triton 3.7.1 ships it), warps and shared memory those of the CUDA Programming Guide 13.0, "Compute
Capabilities". `tests/hardware/test_occupancy_header.py` holds the result against that header, and
`test_occupancy_on_a_gpu.py` against the driver (`cuOccupancyMaxActiveBlocksPerMultiprocessor`).
No torch in here.
"""

from dataclasses import dataclass

_WARP = 32  # threads
_KIB = 1 << 10
_RESERVED = 1 << 10  # bytes of shared memory a block that CUDA keeps for itself, from 8.0 on


@dataclass(frozen=True)
class OccupancyLimits:
    """Of one multiprocessor. Registers are of 32 bits, shared memory is in bytes."""

    warps: int
    blocks: int
    shared: int
    reserved: int = _RESERVED
    registers: int = 65_536
    register_unit: int = 256  # registers are given to a warp in pieces of this many
    warp_unit: int = 4  # the register file is in this many parts; a warp has its registers in one
    shared_unit: int = 128  # shared memory is given to a block in pieces of this many


LIMITS: dict[str, OccupancyLimits] = {
    "sm_75": OccupancyLimits(32, 16, 64 * _KIB, reserved=0, shared_unit=256),
    "sm_80": OccupancyLimits(64, 32, 164 * _KIB),
    "sm_86": OccupancyLimits(48, 16, 100 * _KIB),
    "sm_89": OccupancyLimits(48, 24, 100 * _KIB),
    "sm_90": OccupancyLimits(64, 32, 228 * _KIB),
    "sm_100": OccupancyLimits(64, 32, 228 * _KIB),
    "sm_120": OccupancyLimits(48, 24, 100 * _KIB),
}


@dataclass(frozen=True)
class Occupancy:
    """`warps` of `most` warps at once; `limited_by` is "registers", "shared memory", "blocks" or
    "warps" (of more than one the first). 0 warps: a block does not fit at all."""

    blocks: int
    warps: int
    most: int
    limited_by: str

    @property
    def fraction(self) -> float:
        return self.warps / self.most


def of(arch: str, registers: int, shared: int, warps: int) -> Occupancy | None:
    """Occupancy of a kernel with `registers` a thread, `shared` bytes and `warps` a block on `arch`
    ("sm_90"); None for an architecture whose limits are not in `LIMITS`.

    Raises `ValueError` where `warps` is not positive or a number is negative.
    """
    if warps < 1 or registers < 0 or shared < 0:
        raise ValueError(f"no kernel has {registers} registers, {shared} bytes and {warps} warps")
    limits = LIMITS.get(arch)
    if limits is None:
        return None
    fits = {
        "registers": _by_registers(limits, registers, warps),
        "shared memory": limits.shared // max(1, _round_shared(limits, shared)),
        "blocks": limits.blocks,
        "warps": limits.warps // warps,
    }
    blocks = min(fits.values())
    # Where the warps or the blocks themselves are the end, nothing else is to blame.
    order = ("warps", "blocks", "registers", "shared memory")
    limited = next(name for name in order if fits[name] == blocks)
    return Occupancy(blocks, blocks * warps, limits.warps, limited)


def _by_registers(limits: OccupancyLimits, registers: int, warps: int) -> int:
    if not registers:
        return limits.blocks
    warp = _round_up(registers * _WARP, limits.register_unit)
    part = limits.registers // limits.warp_unit // warp  # warps in one part of the register file
    return part * limits.warp_unit // warps


def _round_shared(limits: OccupancyLimits, shared: int) -> int:
    return _round_up(shared + limits.reserved, limits.shared_unit)


def _round_up(number: int, unit: int) -> int:
    return -(-number // unit) * unit
