"""Peak figures of GPUs as their makers publish them, each with its source.

`bandwidth` in bytes per second; the others in FLOP per second, dense: `fp32` on the ordinary cores,
`tf32`, `fp16` and `bf16` on the tensor cores with float32 accumulation, 0 where a device has none.
Datasheets that only give figures "with sparsity" are halved. Names are matched against what the driver
reports. No torch in here.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Device:
    name: str
    arch: str
    bandwidth: float
    fp32: float
    source: str
    tf32: float = 0.0
    fp16: float = 0.0
    bf16: float = 0.0


DEVICES: tuple[Device, ...] = (
    Device("H200", "sm_90", 4.8e12, 67e12, "NVIDIA H200 datasheet (SXM)", 494.5e12, 989e12, 989e12),
    Device("H100 NVL", "sm_90", 3.9e12, 60e12, "NVIDIA H100 datasheet (NVL)",
           417.5e12, 835.5e12, 835.5e12),
    Device("H100 PCIe", "sm_90", 2.0e12, 51e12, "NVIDIA H100 datasheet (PCIe, 2022)",
           378e12, 756.5e12, 756.5e12),
    Device("H100", "sm_90", 3.35e12, 67e12, "NVIDIA H100 datasheet (SXM)",
           494.5e12, 989e12, 989e12),
    Device("A100-SXM4-80GB", "sm_80", 2.039e12, 19.5e12, "NVIDIA A100 datasheet (80 GB SXM)",
           156e12, 312e12, 312e12),
    Device("A100 80GB PCIe", "sm_80", 1.935e12, 19.5e12, "NVIDIA A100 datasheet (80 GB PCIe)",
           156e12, 312e12, 312e12),
    Device("A100", "sm_80", 1.555e12, 19.5e12, "NVIDIA A100 datasheet (40 GB)",
           156e12, 312e12, 312e12),
    Device("B200", "sm_100", 7.7e12, 75e12, "NVIDIA DGX B200 datasheet, per GPU",
           1.1e15, 2.25e15, 2.25e15),
    Device("V100", "sm_70", 0.9e12, 15.7e12, "NVIDIA V100 datasheet (SXM2)", fp16=125e12),
    Device("L4", "sm_89", 0.3e12, 30.3e12, "NVIDIA L4 datasheet", 60e12, 121e12, 121e12),
    Device("T4", "sm_75", 0.32e12, 8.1e12, "NVIDIA T4 datasheet", fp16=65e12),
    Device("RTX 4090", "sm_89", 1.008e12, 82.6e12, "NVIDIA Ada architecture whitepaper",
           82.6e12, 165.2e12, 165.2e12),
    Device("RTX 3090", "sm_86", 0.936e12, 35.6e12, "NVIDIA GA102 whitepaper",
           35.6e12, 71e12, 71e12),
    Device("MI300X", "gfx942", 5.3e12, 163.4e12, "AMD Instinct MI300X datasheet",
           653.7e12, 1307.4e12, 1307.4e12),
)  # fmt: skip


def find(reported: str) -> Device | None:
    """The device a driver's name means: "NVIDIA H200" -> H200. The longest name that fits wins."""
    fits = [d for d in DEVICES if d.name.lower() in reported.lower()]
    return max(fits, key=lambda d: len(d.name), default=None)
