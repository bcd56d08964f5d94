"""What the makers say their devices can do at most, and where they say it.

`bandwidth` in bytes per second, `fp32` in FLOP per second on the ordinary cores (no tensor cores),
dense. Names are matched against what the driver reports. No torch in here.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Device:
    name: str
    arch: str
    bandwidth: float
    fp32: float
    source: str


DEVICES: tuple[Device, ...] = (
    Device("H200", "sm_90", 4.8e12, 67e12, "NVIDIA H200 datasheet (SXM)"),
    Device("H100 NVL", "sm_90", 3.9e12, 60e12, "NVIDIA H100 datasheet (NVL)"),
    Device("H100 PCIe", "sm_90", 2.0e12, 51e12, "NVIDIA H100 datasheet (PCIe, 2022)"),
    Device("H100", "sm_90", 3.35e12, 67e12, "NVIDIA H100 datasheet (SXM)"),
    Device("A100-SXM4-80GB", "sm_80", 2.039e12, 19.5e12, "NVIDIA A100 datasheet (80 GB SXM)"),
    Device("A100 80GB PCIe", "sm_80", 1.935e12, 19.5e12, "NVIDIA A100 datasheet (80 GB PCIe)"),
    Device("A100", "sm_80", 1.555e12, 19.5e12, "NVIDIA A100 datasheet (40 GB)"),
    Device("B200", "sm_100", 7.7e12, 75e12, "NVIDIA DGX B200 datasheet, per GPU"),
    Device("V100", "sm_70", 0.9e12, 15.7e12, "NVIDIA V100 datasheet (SXM2)"),
    Device("L4", "sm_89", 0.3e12, 30.3e12, "NVIDIA L4 datasheet"),
    Device("T4", "sm_75", 0.32e12, 8.1e12, "NVIDIA T4 datasheet"),
    Device("RTX 4090", "sm_89", 1.008e12, 82.6e12, "NVIDIA Ada architecture whitepaper"),
    Device("RTX 3090", "sm_86", 0.936e12, 35.6e12, "NVIDIA GA102 whitepaper"),
    Device("MI300X", "gfx942", 5.3e12, 163.4e12, "AMD Instinct MI300X datasheet"),
)


def find(reported: str) -> Device | None:
    """The device a driver's name means: "NVIDIA H200" -> H200. The longest name that fits wins."""
    fits = [d for d in DEVICES if d.name.lower() in reported.lower()]
    return max(fits, key=lambda d: len(d.name), default=None)
