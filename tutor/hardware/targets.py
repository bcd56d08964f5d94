"""GPUs that code is generated for, on machines that need not have them. Data only: no torch in here.

What Inductor and Triton ask of a device are the fields of `cudaDeviceProp` (NVIDIA) and
`hipDeviceProp_t` (AMD). `source` says where the figures stand; limits that belong to a compute
capability, not to a product (threads, registers, shared memory), are in the CUDA C++ Programming
Guide 13.0, "Compute Capabilities", table "Technical Specifications per Compute Capability".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tutor.base.errors import UsageError

_KIB, _MIB, _GIB = 1 << 10, 1 << 20, 1 << 30
_GUIDE = "CUDA C++ Programming Guide 13.0, Compute Capabilities"


@dataclass(frozen=True)
class Target:
    """A GPU. Sizes in bytes, clocks in kHz, bus width in bits, as the driver reports them."""

    name: str
    arch: str  # "sm_90", "gfx942"
    vendor: Literal["nvidia", "amd"]
    multiprocessors: int  # streaming multiprocessors; compute units on AMD
    warp_size: int
    threads_per_multiprocessor: int
    registers_per_multiprocessor: int  # of 32 bits
    shared_per_multiprocessor: int
    shared_per_block: int  # without asking for more
    shared_per_block_optin: int
    l2: int
    memory: int
    clock: int
    memory_clock: int
    memory_bus: int
    source: str
    threads_per_block: int = 1024

    @property
    def capability(self) -> tuple[int, int]:
        """(9, 0) for sm_90. For gfx942 (9, 4): that is what ROCm builds of torch report."""
        digits = self.arch.removeprefix("sm_").removeprefix("gfx")
        return (int(digits[0]), int(digits[1])) if self.vendor == "amd" else (
            int(digits[:-1]), int(digits[-1]),
        )  # fmt: skip

    @property
    def backend(self) -> str:
        """Triton's name for the maker: "cuda" or "hip"."""
        return "cuda" if self.vendor == "nvidia" else "hip"

    @property
    def triton_arch(self) -> int | str:
        """Return the architecture as `triton.backends.compiler.GPUTarget` takes it: 90, or "gfx942"."""
        major, minor = self.capability
        return 10 * major + minor if self.vendor == "nvidia" else self.arch


A100 = Target(
    "A100", "sm_80", "nvidia", 108, 32, 2048, 65536, 164 * _KIB, 48 * _KIB, 163 * _KIB,
    40 * _MIB, 80 * _GIB, 1_410_000, 1_593_000, 5120,
    f"NVIDIA A100 Tensor Core GPU Architecture whitepaper, table 4 (SXM4, 80 GB); {_GUIDE}",
)  # fmt: skip
RTX_4090 = Target(
    "RTX 4090", "sm_89", "nvidia", 128, 32, 1536, 65536, 100 * _KIB, 48 * _KIB, 99 * _KIB,
    72 * _MIB, 24 * _GIB, 2_520_000, 10_501_000, 384,
    f"NVIDIA Ada GPU Architecture whitepaper, appendix A; {_GUIDE}",
)  # fmt: skip
H100 = Target(
    "H100", "sm_90", "nvidia", 132, 32, 2048, 65536, 228 * _KIB, 48 * _KIB, 227 * _KIB,
    50 * _MIB, 80 * _GIB, 1_980_000, 2_619_000, 5120,
    f"NVIDIA H100 Tensor Core GPU Architecture whitepaper, table 3 (SXM5); {_GUIDE}",
)  # fmt: skip
H200 = Target(
    "H200", "sm_90", "nvidia", 132, 32, 2048, 65536, 228 * _KIB, 48 * _KIB, 227 * _KIB,
    60 * _MIB, 143_155 * _MIB, 1_980_000, 3_201_000, 6144,
    f"NVIDIA H200 datasheet (SXM); what driver 580 reports of one (all but the bus); {_GUIDE}",
)  # fmt: skip
B200 = Target(
    "B200", "sm_100", "nvidia", 148, 32, 2048, 65536, 228 * _KIB, 48 * _KIB, 227 * _KIB,
    126 * _MIB, 180 * 10**9, 1_965_000, 3_996_000, 8192,
    "NVIDIA DGX B200 datasheet, per GPU (memory); Chips and Cheese, Nvidia's B200 (2025), "
    f"measured (multiprocessors, L2, clock); {_GUIDE}",
)  # fmt: skip
MI300X = Target(
    "MI300X", "gfx942", "amd", 304, 64, 2048, 131072, 64 * _KIB, 64 * _KIB, 64 * _KIB,
    4 * _MIB, 192 * _GIB, 2_100_000, 1_300_000, 8192,
    "AMD Instinct MI300X datasheet; AMD CDNA 3 ISA reference (registers, LDS); "
    "ROCm documentation, GPU hardware specifications (L2 per die)",
)  # fmt: skip

TARGETS = (A100, RTX_4090, H100, H200, B200, MI300X)


def target(name: str) -> Target:
    """The device that `name` means: a product ("H200", "rtx 4090") or an architecture ("sm_90").

    An architecture with several products gives the one that its compute capability came with.
    Raises UsageError for any other name.
    """
    wanted = _plain(name)
    for known in TARGETS:
        if wanted in (_plain(known.arch), _plain(known.name)):
            return known
    architectures = ", ".join(dict.fromkeys(known.arch for known in TARGETS))
    products = ", ".join(known.name for known in TARGETS)
    raise UsageError(f"no target {name[:40]!r}: take one of {architectures}, or {products}")


def _plain(name: str) -> str:
    return name.casefold().replace(" ", "").replace("_", "").replace("-", "")
