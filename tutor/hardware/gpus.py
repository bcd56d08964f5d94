"""GPUs: their peaks as the makers publish them, and the properties of those that code is generated for.

A peak is dense: where a datasheet gives figures "with sparsity" only, half of them stands here. Inductor
and Triton read fields of `cudaDeviceProp` (NVIDIA) and `hipDeviceProp_t`
(AMD). Limits that belong to a compute capability, not to a product (threads, registers, shared memory),
are in the CUDA C++ Programming Guide 13.0, "Compute Capabilities", table "Technical Specifications per
Compute Capability". Data only: no torch in here.
"""

import re
from dataclasses import dataclass
from typing import Literal

from tutor.base.errors import UsageError

_KIB, _MIB, _GIB = 1 << 10, 1 << 20, 1 << 30
_GUIDE = "CUDA C++ Programming Guide 13.0, Compute Capabilities"


@dataclass(frozen=True)
class Gpu:
    """A GPU's peaks: `bandwidth` in bytes a second, the others in FLOP a second, 0 if it has none.

    `fp32` is for the ordinary cores; `tf32`, `fp16` and `bf16` are for the tensor cores with float32
    accumulation.
    """

    name: str
    arch: str  # "sm_90", "gfx942"
    bandwidth: float
    fp32: float
    tf32: float
    fp16: float
    bf16: float
    source: str
    reported: str = ""  # the words for it in a driver's name of the device, if not `name`

    @property
    def vendor(self) -> Literal["nvidia", "amd"]:
        return "nvidia" if self.arch.startswith("sm_") else "amd"


@dataclass(frozen=True, kw_only=True)
class Target(Gpu):
    """A GPU that code is generated for, on machines that need not have it.

    Sizes are in bytes, clocks in kHz, the bus width in bits, as the driver reports them.
    """

    multiprocessors: int  # streaming multiprocessors; compute units on AMD
    warp_size: int = 32
    threads_per_block: int = 1024
    threads_per_multiprocessor: int = 2048
    registers_per_multiprocessor: int = 65_536  # of 32 bits
    shared_per_multiprocessor: int
    shared_per_block: int = 48 * _KIB  # without asking for more
    shared_per_block_optin: int
    l2: int
    memory: int
    clock: int
    memory_clock: int
    memory_bus: int
    properties_source: str

    @property
    def capability(self) -> tuple[int, int]:
        """(9, 0) for sm_90. For gfx942 (9, 4): that is what ROCm builds of torch report."""
        digits = self.arch.removeprefix("sm_").removeprefix("gfx")
        return (
            (int(digits[0]), int(digits[1]))
            if self.vendor == "amd"
            else (
                int(digits[:-1]),
                int(digits[-1]),
            )
        )

    @property
    def backend(self) -> str:
        """Triton's name for the maker: "cuda" or "hip"."""
        return "cuda" if self.vendor == "nvidia" else "hip"

    @property
    def triton_arch(self) -> int | str:
        """Return the `arch` of `triton.backends.compiler.GPUTarget`: 90, or "gfx942"."""
        major, minor = self.capability
        return 10 * major + minor if self.vendor == "nvidia" else self.arch


# Of two with one architecture, the first is the product that its compute capability came with.
TARGETS = (
    Target(
        "T4",
        "sm_75",
        0.32e12,
        8.1e12,
        0,
        65e12,
        0,
        "NVIDIA T4 datasheet",
        multiprocessors=40,
        threads_per_multiprocessor=1024,
        l2=4 * _MIB,
        memory=16 * _GIB,
        shared_per_multiprocessor=64 * _KIB,
        shared_per_block_optin=64 * _KIB,
        clock=1_590_000,
        memory_clock=5_001_000,
        memory_bus=256,
        properties_source=f"NVIDIA Turing GPU Architecture whitepaper, appendix A (T4); {_GUIDE}",
    ),
    Target(
        "A100",
        "sm_80",
        2.039e12,
        19.5e12,
        156e12,
        312e12,
        312e12,
        "NVIDIA A100 datasheet (80 GB SXM)",
        "A100-SXM4-80GB",
        multiprocessors=108,
        l2=40 * _MIB,
        memory=80 * _GIB,
        shared_per_multiprocessor=164 * _KIB,
        shared_per_block_optin=163 * _KIB,
        clock=1_410_000,
        memory_clock=1_593_000,
        memory_bus=5120,
        properties_source="NVIDIA A100 Tensor Core GPU Architecture whitepaper, table 4 "
        f"(SXM4, 80 GB); {_GUIDE}",
    ),
    Target(
        "RTX 3090",
        "sm_86",
        0.936e12,
        35.6e12,
        35.6e12,
        71e12,
        71e12,
        "NVIDIA GA102 whitepaper",
        multiprocessors=82,
        threads_per_multiprocessor=1536,
        l2=6 * _MIB,
        memory=24 * _GIB,
        shared_per_multiprocessor=100 * _KIB,
        shared_per_block_optin=99 * _KIB,
        clock=1_695_000,
        memory_clock=9_751_000,
        memory_bus=384,
        properties_source=f"NVIDIA Ampere GA102 GPU Architecture whitepaper, table 2; {_GUIDE}",
    ),
    Target(
        "RTX 4090",
        "sm_89",
        1.008e12,
        82.6e12,
        82.6e12,
        165.2e12,
        165.2e12,
        "NVIDIA Ada architecture whitepaper",
        multiprocessors=128,
        threads_per_multiprocessor=1536,
        l2=72 * _MIB,
        memory=24 * _GIB,
        shared_per_multiprocessor=100 * _KIB,
        shared_per_block_optin=99 * _KIB,
        clock=2_520_000,
        memory_clock=10_501_000,
        memory_bus=384,
        properties_source=f"NVIDIA Ada GPU Architecture whitepaper, appendix A; {_GUIDE}",
    ),
    Target(
        "H100",
        "sm_90",
        3.35e12,
        67e12,
        494.5e12,
        989e12,
        989e12,
        "NVIDIA H100 datasheet (SXM)",
        multiprocessors=132,
        l2=50 * _MIB,
        memory=80 * _GIB,
        shared_per_multiprocessor=228 * _KIB,
        shared_per_block_optin=227 * _KIB,
        clock=1_980_000,
        memory_clock=2_619_000,
        memory_bus=5120,
        properties_source="NVIDIA H100 Tensor Core GPU Architecture whitepaper, table 3 (SXM5); "
        f"{_GUIDE}",
    ),
    Target(
        "H200",
        "sm_90",
        4.8e12,
        67e12,
        494.5e12,
        989e12,
        989e12,
        "NVIDIA H200 datasheet (SXM)",
        multiprocessors=132,
        l2=60 * _MIB,
        memory=143_155 * _MIB,
        shared_per_multiprocessor=228 * _KIB,
        shared_per_block_optin=227 * _KIB,
        clock=1_980_000,
        memory_clock=3_201_000,
        memory_bus=6144,
        properties_source="NVIDIA H200 datasheet (SXM); what driver 580 reports of one (all but "
        f"the bus); {_GUIDE}",
    ),
    Target(
        "B200",
        "sm_100",
        7.7e12,
        75e12,
        1.1e15,
        2.25e15,
        2.25e15,
        "NVIDIA DGX B200 datasheet, per GPU",
        multiprocessors=148,
        l2=126 * _MIB,
        memory=180 * 10**9,
        shared_per_multiprocessor=228 * _KIB,
        shared_per_block_optin=227 * _KIB,
        clock=1_965_000,
        memory_clock=3_996_000,
        memory_bus=8192,
        properties_source="NVIDIA DGX B200 datasheet, per GPU (memory); Chips and Cheese, Nvidia's "
        f"B200 (2025), measured (multiprocessors, L2, clock); {_GUIDE}",
    ),
    Target(
        "RTX 5090",
        "sm_120",
        1.792e12,
        104.8e12,
        104.8e12,
        209.5e12,
        209.5e12,
        "NVIDIA RTX Blackwell GPU Architecture whitepaper, table 3",
        multiprocessors=170,
        threads_per_multiprocessor=1536,
        l2=96 * _MIB,
        memory=32 * _GIB,
        shared_per_multiprocessor=100 * _KIB,
        shared_per_block_optin=99 * _KIB,
        clock=2_407_000,
        memory_clock=14_001_000,
        memory_bus=512,
        properties_source=f"NVIDIA RTX Blackwell GPU Architecture whitepaper, table 3; {_GUIDE}",
    ),
    Target(
        "MI300X",
        "gfx942",
        5.3e12,
        163.4e12,
        653.7e12,
        1307.4e12,
        1307.4e12,
        "AMD Instinct MI300X datasheet",
        multiprocessors=304,
        warp_size=64,
        registers_per_multiprocessor=131_072,
        l2=4 * _MIB,
        memory=192 * _GIB,
        shared_per_multiprocessor=64 * _KIB,
        shared_per_block=64 * _KIB,
        shared_per_block_optin=64 * _KIB,
        clock=2_100_000,
        memory_clock=1_300_000,
        memory_bus=8192,
        properties_source="AMD Instinct MI300X datasheet; AMD CDNA 3 ISA reference (registers, "
        "LDS); ROCm documentation, GPU hardware specifications (L2 per die)",
    ),
)

GPUS: tuple[Gpu, ...] = (
    *TARGETS,
    Gpu(
        "H100 NVL",
        "sm_90",
        3.9e12,
        60e12,
        417.5e12,
        835.5e12,
        835.5e12,
        "NVIDIA H100 datasheet (NVL)",
    ),
    Gpu(
        "H100 PCIe",
        "sm_90",
        2.0e12,
        51e12,
        378e12,
        756.5e12,
        756.5e12,
        "NVIDIA H100 datasheet (PCIe, 2022)",
    ),
    Gpu(
        "A100 80GB PCIe",
        "sm_80",
        1.935e12,
        19.5e12,
        156e12,
        312e12,
        312e12,
        "NVIDIA A100 datasheet (80 GB PCIe)",
    ),
    Gpu(
        "A100 40GB",
        "sm_80",
        1.555e12,
        19.5e12,
        156e12,
        312e12,
        312e12,
        "NVIDIA A100 datasheet (40 GB)",
        "A100",
    ),
    Gpu("V100", "sm_70", 0.9e12, 15.7e12, 0, 125e12, 0, "NVIDIA V100 datasheet (SXM2)"),
    Gpu("L4", "sm_89", 0.3e12, 30.3e12, 60e12, 121e12, 121e12, "NVIDIA L4 datasheet"),
)


def find(name: str) -> Gpu | None:
    """Find the GPU of that name or architecture, else the one that a driver calls so.

    Spaces and case do not count in the first. In a driver's name ("NVIDIA H200") the words of a GPU
    must stand whole, and the longest that fit win: an L40 is no L4.
    """
    for gpu in GPUS:
        if _plain(name) in (_plain(gpu.name), _plain(gpu.arch)):
            return gpu
    fits = {gpu.reported or gpu.name: gpu for gpu in GPUS}
    names = [w for w in fits if re.search(rf"(?<!\w){re.escape(w)}(?!\w)", name, re.IGNORECASE)]
    return fits[max(names, key=len)] if names else None


def target(name: str) -> Target:
    """Return the target that `name` means, as in `find`. Raise UsageError if it means none."""
    gpu = find(name)
    if isinstance(gpu, Target):
        return gpu
    architectures = ", ".join(dict.fromkeys(known.arch for known in TARGETS))
    products = ", ".join(known.name for known in TARGETS)
    raise UsageError(f"no target {name[:40]!r}: take one of {architectures}, or {products}")


def _plain(name: str) -> str:
    return name.casefold().replace(" ", "").replace("_", "").replace("-", "")
