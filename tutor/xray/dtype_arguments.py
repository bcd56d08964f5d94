"""Dtypes among the inputs of a call: the packages' own objects in the place of their names."""

from __future__ import annotations

import importlib
from typing import Any

from tutor.xray.model.input_specs import Arguments, DtypeSpec

_MODULES = {"torch": "torch", "tl": "triton.language"}


def with_dtypes(arguments: Arguments) -> Arguments:
    """Return the arguments with each `DtypeSpec` as what it names. Imports only what is named."""
    return Arguments(
        tuple(map(_resolve, arguments.positional)),
        {name: _resolve(value) for name, value in arguments.named.items()},
    )


def _resolve(value: Any) -> Any:
    if isinstance(value, DtypeSpec):
        return getattr(importlib.import_module(_MODULES[value.package]), value.name)
    if type(value) in (tuple, list):
        return type(value)(map(_resolve, value))
    return value
