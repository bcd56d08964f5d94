"""The GPU drivers of this machine, found by their device files: nothing is opened or imported.

A driver may be there without a GPU that torch can use; `torch.cuda.is_available` answers that.
"""

import os

NVIDIA_CONTROL = "/dev/nvidiactl"


def has_nvidia() -> bool:
    """Return True if Linux has NVIDIA's driver and `CUDA_VISIBLE_DEVICES` does not hide every GPU."""
    hidden = os.environ.get("CUDA_VISIBLE_DEVICES", "0").strip() in ("", "-1")
    return not hidden and has_nvidia_driver()


def has_nvidia_driver() -> bool:
    """Return True if Linux has NVIDIA's driver, whose GPUs may be hidden.

    Torch asks it for its GPUs even then. The driver maps more memory than it uses, so a process with
    a limit on its address space is ended by SIGABRT, and a fork after a backward pass cannot run
    another (torch 2.11 with an H100 that was hidden).
    """
    return os.path.exists(NVIDIA_CONTROL)


def has_amd() -> bool:
    """Return True if AMD's compute driver is loaded."""
    return os.path.exists("/dev/kfd")


def is_wsl() -> bool:
    """Return True if this is WSL with the bridge to the GPU of Windows."""
    return os.path.exists("/dev/dxg")
