"""The packages beside PyTorch and Triton that compilers, exercises and cells may need, with their pins.

`pyproject.toml` lists the same packages as extras. Nothing here imports them.
"""

import importlib.util
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Extra:
    """Packages that are installed together.

    `name` is the extra of `pyproject.toml` that has them, "" for what PyTorch brings; `modules` tell
    whether they are there, `packages` are what pip installs.
    """

    name: str
    title: str
    modules: tuple[str, ...]
    packages: tuple[str, ...] = ()

    def is_here(self) -> bool:
        """Return True if its modules can be found."""
        return all(map(is_module, self.modules))

    def say_missing(self) -> str:
        """Return the sentence for a machine without it, with the line that installs it."""
        packages = " ".join(f"'{name}'" for name in self.packages)
        return f"{self.title} is not installed here: python -m pip install {packages}"

    @property
    def package_names(self) -> tuple[str, ...]:
        """Its packages without their versions."""
        return tuple(package.partition("==")[0] for package in self.packages)


def is_module(name: str) -> bool:
    """Return True if the module can be found."""
    try:
        return importlib.util.find_spec(name) is not None
    except (ModuleNotFoundError, ValueError):  # its package is missing, or is None in sys.modules
        return False


# By the names of `needs` in an exercise, and of compilers.
EXTRAS = {
    "tvm": Extra(
        "tvm", "TVM", ("tvm",), ("apache-tvm==0.27.0.post1", "apache-tvm-ffi==0.1.14.post1")
    ),
    "mlir": Extra("mlir", "torch-mlir", ("torch_mlir",), ("torch-mlir==20261001",)),
    "xla": Extra(
        "xla",
        "XLA",
        ("jax", "jaxlib", "torch_mlir"),
        ("jax==0.10.2", "jaxlib==0.10.2", "torch-mlir==20261001"),
    ),
    "iree": Extra(
        "iree",
        "IREE",
        ("iree.compiler", "iree.runtime"),
        ("iree-base-compiler==3.13.0", "iree-base-runtime==3.13.0"),
    ),
    "onnx": Extra(
        "onnx",
        "ONNX Runtime",
        ("onnx", "onnxscript", "onnxruntime"),
        ("onnx==1.23.2", "onnxscript==0.7.2", "onnxruntime==1.32.0"),
    ),
    "xdsl": Extra("mlir", "xDSL", ("xdsl",), ("xdsl==0.75.0",)),
    "torchao": Extra("quant", "torchao", ("torchao",), ("torchao==0.18.0",)),
    "safetensors": Extra("inference", "safetensors", ("safetensors",), ("safetensors==0.8.0",)),
    "gguf": Extra("inference", "gguf", ("gguf",), ("gguf==0.19.0",)),
}


def say_missing(needs: Iterable[str]) -> str:
    """Return the sentence on the first of these extras that is missing, with the line that installs it;
    "" if none is. `needs` are those of an exercise: other names are left out."""
    asked = (EXTRAS[name] for name in needs if name in EXTRAS)
    return next((extra.say_missing() for extra in asked if not extra.is_here()), "")


def extra_of_module(module: str) -> Extra:
    """Return the extra whose packages have the module. Raises `KeyError` for one that none has."""
    found = (extra for extra in EXTRAS.values() if module in extra.modules)
    if extra := next(found, None):
        return extra
    raise KeyError(module)
