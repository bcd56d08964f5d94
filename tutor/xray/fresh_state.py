"""The state of a process that decides what an X-ray shows, set for each request and put back after it.

A file may ask for TF32, another dtype, a seed or an option of Inductor. That holds for its own X-ray,
and neither what ran before nor what runs next in this process sees it. Nothing is done before torch
is imported: its state is that of a new process then.
"""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from operator import attrgetter
from pathlib import Path
from typing import Any

_SEED = 0
# Parts of `torch.backends`, each before the parts of it, and how exact torch's import leaves them.
_PRECISIONS = {
    "": "none",
    "cudnn": "none",
    "mkldnn": "none",
    "cuda.matmul": "ieee",
    "cudnn.conv": "tf32",
    "cudnn.rnn": "tf32",
    "mkldnn.matmul": "ieee",
    "mkldnn.conv": "none",
    "mkldnn.rnn": "none",
}
_CONFIGS = ("torch._dynamo.config", "torch._inductor.config", "torch._functorch.config")


@contextmanager
def set_for_request(path: str) -> Iterator[None]:
    """Inside, torch is set as after its import, and what the code inside sets is undone at the end.

    `path` is the learner's file: modules of its folder are forgotten, as another file's may have the
    same names.
    """
    environment, modules = dict(os.environ), set(sys.modules)
    with ExitStack() as stack:
        if "torch" in sys.modules:
            _set_torch(stack)
            _keep_configs(stack)
        try:
            yield
        finally:
            if os.environ != environment:
                os.environ.clear()
                os.environ.update(environment)
            _forget_modules(str(Path(path).parent), set(sys.modules) - modules)


@contextmanager
def in_folder_of(path: str) -> Iterator[None]:
    """Work in the folder of the learner's file while its code runs, as `python FILE` does there.

    What torch starts works elsewhere: a program that looks into its folder first would find a `torch.py`
    of the learner's. A bare name of no file says nothing of a folder.
    """
    file = Path(path)
    folder = file.absolute().parent
    if not (file.is_file() or (file.is_absolute() and folder.is_dir())):
        yield
        return
    before = os.open(".", os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.chdir(folder)
        yield
    finally:
        os.fchdir(before)
        os.close(before)


def _set_torch(stack: ExitStack) -> None:
    """Set what torch's import sets, and have the stack put back what was there."""
    import torch

    set_fast_path = torch.backends.mha.set_fastpath_enabled
    device = torch.get_default_device()
    put_back: list[tuple[Callable[..., Any], Any]] = [
        (random.setstate, random.getstate()),
        (torch.set_rng_state, torch.get_rng_state()),
        (torch.set_default_device, None if device.type == "cpu" else device),
        (torch.set_default_dtype, torch.get_default_dtype()),
        (torch.set_grad_enabled, torch.is_grad_enabled()),
        (torch.use_deterministic_algorithms, torch.are_deterministic_algorithms_enabled()),
        (set_fast_path, torch.backends.mha.get_fastpath_enabled()),
        (_set_precisions, _find_precisions()),
    ]
    for setter, value in put_back:
        stack.callback(setter, value)
    random.seed(_SEED)
    torch.manual_seed(_SEED)
    torch.set_default_device(None)
    torch.set_default_dtype(torch.float32)
    torch.set_grad_enabled(True)
    torch.use_deterministic_algorithms(False)
    set_fast_path(True)
    _set_precisions({})


def _find_precisions() -> dict[str, str]:
    """Return the `fp32_precision` of each part of `torch.backends`."""
    return {path: _part(path).fp32_precision for path in _PRECISIONS}


def _set_precisions(precisions: dict[str, str]) -> None:
    """Set each part's `fp32_precision`; those that are not given as torch's import does.

    Torch has an older and a newer way to say it, and raises where they contradict each other: the older
    one is set first, and then the newer one is made to agree.
    """
    import torch

    precisions = _PRECISIONS | precisions
    product = "highest"
    if precisions["cuda.matmul"] == "tf32":
        product = "medium" if precisions["mkldnn.matmul"] == "bf16" else "high"
    torch.set_float32_matmul_precision(product)
    torch.backends.cudnn.allow_tf32 = precisions["cudnn.conv"] == "tf32"
    for path, precision in precisions.items():
        _part(path).fp32_precision = precision


def _part(path: str) -> Any:
    import torch

    return attrgetter(path)(torch.backends) if path else torch.backends


def _keep_configs(stack: ExitStack) -> None:
    """Have the stack put back the options of the compilers that are imported."""
    for name in _CONFIGS:
        config: Any = sys.modules.get(name)
        if config is not None:
            stack.callback(_put_back, config, config.get_config_copy())


def _put_back(config: Any, before: dict[str, Any]) -> None:
    for name, value in config.get_config_copy().items():
        if name in before and value != before[name]:
            setattr(config, name, before[name])


def _forget_modules(folder: str, names: set[str]) -> None:
    for name in names:
        file = getattr(sys.modules.get(name), "__file__", None)
        if isinstance(file, str) and os.path.dirname(file) == folder:
            del sys.modules[name]
