"""An error of torch's as one sentence for a person."""

from __future__ import annotations

import os
import re
import traceback

_LONGEST = 300
# Parts of messages that speak to torch's own developers.
_INNER = re.compile(r"\bgot (\w+(?:Error|Exception))\((['\"])(.+?)\2\)", re.DOTALL)
_CUT = re.compile(
    r"\s*(Set TORCHDYNAMO_VERBOSE|Use tlparse|While executing|Original traceback|"
    r"from user code|Developer debug context|You can suppress|For more details|"
    r"(\\n)?If you're using torch\.compile/export)",
)
_ADDRESS = re.compile(r"<(?:function|method) ([\w.]+) at 0x[0-9a-f]+>")
# An operation that runs while Dynamo traces, on a device that is not here.
_NO_GPU = re.compile(
    r"Could not run 'aten::[\w.]+' with arguments from the 'CUDA' backend|"
    r"Found no NVIDIA driver|CUDA driver version is insufficient|No CUDA GPUs are available"
)
_NO_GRADIENT = re.compile(r"does not require grad and does not have a grad_fn")
_MARKED = re.compile(r"(?<=forbidden callable )`mark_\w+`")


def sentence_of(error: BaseException) -> str:
    """`TypeName: what it says`, on one line and of bounded length; the line that raised it if it says
    nothing, as an `assert` does."""
    cause = error
    while type(cause).__name__ in _WRAPPERS and cause.__cause__ is not None:
        cause = cause.__cause__
    wrapped = getattr(cause, "inner_exception", None)
    if isinstance(wrapped, Exception) and not str(wrapped).strip():
        return type(wrapped).__name__ + _place_of(cause)
    said = str(cause).strip()
    if inner := _INNER.search(said):  # Dynamo has its own words for a shape that does not fit
        return _cut(f"{inner[1]}: {' '.join(_CUT.split(inner[3], maxsplit=1)[0].split())}")
    if match := _CUT.search(said):
        said = said[: match.start()]
    line = _ADDRESS.sub(r"`\1`", " ".join(said.split()))
    if marked := _MARKED.search(line):
        return (
            f"{marked[0]} inside the function: it is called before it, on its input. Here a size that "
            "is a symbol is asked for by the input `f32[s0,32]`"
        )
    if _NO_GPU.search(line):
        return (
            "an error: a tensor is made on a GPU, and there is none here that this PyTorch can use. "
            "Make modules and tensors before the function is called, or give them to it"
        )
    if _NO_GRADIENT.search(line):
        return _cut(f"{line}. No gradient is kept unless the backward pass is asked for")
    name = type(cause).__name__
    if name in _WRAPPERS and re.match(r"[A-Z]\w+(Error|Exception|Warning): ", line):
        name, line = line.split(": ", 1)
    return _cut(f"{name}: {line}") if line else name + _place_of(cause)


def _place_of(error: BaseException) -> str:
    """Return the line that raised an error without words, as its text and its place."""
    frames = traceback.extract_tb(error.__traceback__, -1)
    if not frames:
        return ""
    code = f" of `{_cut(frames[0].line)}`" if frames[0].line else ""
    return f"{code} ({os.path.basename(frames[0].filename)}, line {frames[0].lineno})"


def _cut(line: str) -> str:
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


_WRAPPERS = (
    "BackendCompilerFailed",
    "InductorError",
    "InternalTorchDynamoError",
    "LoweringException",
)
