"""The options that a function was given by `@torch.compile(…)`, read from what it returned."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

_DEEPEST = 8  # wrappers around a backend
_GRAPHS = "triton.cudagraphs"


@dataclass(frozen=True)
class CompileOptions:
    """`fullgraph`, `dynamic` and Inductor's settings (of `mode` and `options`); `backend` is another
    backend's name, "" for Inductor."""

    fullgraph: bool = False
    dynamic: bool | None = None
    config: dict[str, Any] = field(default_factory=dict)
    backend: str = ""

    @property
    def settings(self) -> dict[str, Any]:
        """Inductor's settings without CUDA graphs, which record launches and change no kernel."""
        return {name: value for name, value in self.config.items() if name != _GRAPHS}

    def notes(self) -> tuple[str, ...]:
        """Return sentences on what was asked for; none for plain `torch.compile`."""
        asked = [f"fullgraph={self.fullgraph}"] if self.fullgraph else []
        asked += [f"dynamic={self.dynamic}"] if self.dynamic is not None else []
        asked += [f"{name}={value}" for name, value in self.config.items()]
        notes: tuple[str, ...] = (
            (f"torch.compile was asked for {', '.join(asked)}.",) if asked else ()
        )
        if self.config.get(_GRAPHS):
            notes += ("The launches would be recorded once as a CUDA graph and replayed.",)
        if self.backend:
            notes += (f"torch.compile was given the backend {self.backend}; Inductor's is shown.",)
        return notes


def options_of(subject: Callable[..., Any]) -> tuple[Callable[..., Any], CompileOptions]:
    """Return the function or module inside `torch.compile`, and the options; without it, no options."""
    inner = getattr(subject, "_orig_mod", None) or getattr(
        subject, "_torchdynamo_orig_callable", None
    )
    if inner is None:
        return subject, CompileOptions()
    context = getattr(subject, "dynamo_ctx", None) or _in_closure(subject)
    backend = _backend(getattr(context, "callback", None))
    config = getattr(backend, "config", None)
    name = "" if isinstance(config, dict) else _name(backend)
    return inner, CompileOptions(
        fullgraph=bool(getattr(context, "fullgraph", False)),
        dynamic=getattr(context, "_dynamic", None),
        config=dict(config) if isinstance(config, dict) else {},
        backend=name,
    )


def _name(backend: Any) -> str:
    return str(getattr(backend, "compiler_name", None) or getattr(backend, "__name__", ""))


def _in_closure(subject: Any) -> Any:
    """Return the context that the compiled function's closure holds as `self`."""
    names = getattr(getattr(subject, "__code__", None), "co_freevars", ())
    cells = getattr(subject, "__closure__", None) or ()
    return next((c.cell_contents for n, c in zip(names, cells, strict=False) if n == "self"), None)


def _backend(wrapper: Any) -> Any:
    """Return the innermost of the wrappers around a backend."""
    for _ in range(_DEEPEST):
        inner = getattr(wrapper, "_torchdynamo_orig_backend", None)
        if inner is None:
            break
        wrapper = inner
    return wrapper
