"""Graph breaks: what Dynamo could not trace, on which line, and what torch's registry advises."""

from __future__ import annotations

import functools
import json
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from tutor.xray.dynamo.source_text import SourceText
from tutor.xray.fake_gpu import host_answers, launch_recorder

_ID = re.compile(r"/gb/gb(\d+)\.html")
_HINT = re.compile(r"^\s*Hint: (.+)$", re.MULTILINE)
_EXPLANATION = re.compile(r"^\s*Explanation: (.+)$", re.MULTILINE)
# Reasons that come without an id, and their entries.
_WITHOUT_ID = (("generic_jump", "GB0170"),)
# What the registry leaves open: its hints for these are put together while tracing.
_OWN_ADVICE = {
    "GB0170": "compute both sides and choose with torch.where, or write the branch as torch.cond, "
    "which is traced as one operation with two subgraphs",
}


_LIBRARY = str(Path(torch.__file__).parent)
_ASKED_FOR = "GB0025"  # a call of torch._dynamo.graph_break
_RAISED = "GB0088"  # an exception left a function while Dynamo traced it
_RAISES = re.compile(r"context: raised exception (\w.*)$", re.MULTILINE)
_GRID = (
    "in the grid of a launch, take only what stands among the launch's arguments: torch.compile does "
    "not give it the defaults of the kernel's parameters"
)
_ONLY_A_GPU = "a call that only a GPU can answer"
# A launch is noted by a function of ours, which Dynamo sees only where it takes the kernel for Python.
_UNSEEN_LAUNCH = (
    "a launch that Dynamo does not take over",
    "It knows a kernel of @triton.jit, and one with @triton.autotune outermost; around this one stands "
    "something else, such as @triton.heuristics",
    "give the kernel what its heuristics compute, as arguments",
)


_REFUSES = re.compile(
    r"raised exception CannotHere\((['\"])(.*?), and there is none here", re.DOTALL
)
_ASKS_FOR_TIME = f"function `<function {host_answers.refuse_elapsed_time.__name__} at "


@dataclass(frozen=True)
class GraphBreak:
    """`line` is the line of the learner's file, 0 where none of its lines is on the stack.

    If that line calls a function that is traced along with it, `called` is its name, and `inside` the
    place of the break there: "line 9", or "blocks.py, line 9".
    """

    reason: str
    line: int
    id: str
    explanation: str
    advice: tuple[str, ...]
    called: str = ""
    inside: str = ""
    library: tuple[str, str] = ("", "")  # torch's function around the break, and the file it is in

    def __str__(self) -> str:
        where = f"line {self.line}: " if self.line else ""
        if self.called:
            return f"{where}graph break in `{self.called}`, at {self.inside}, {self._cause}"
        at = f"in {self.inside}: " if self.inside else where
        return f"{at}graph break, {self._cause}"

    @property
    def _cause(self) -> str:
        known = f" ({self.id})" if self.id else ""
        why = f": {self.explanation}" if self.explanation else ""
        advice = f" What helps: {'; '.join(self.advice)}." if self.advice else ""
        return f"{self.reason}{known}{why}.{advice}".replace("..", ".")


def break_of(reason: Any, source: SourceText | None) -> GraphBreak:
    """From a `GraphCompileReason`: its text, and the registry's entry where the text names one."""
    said = str(reason.reason)
    number = _ID.search(said)
    known = (
        f"GB{number[1]}"
        if number
        else next((id_ for start, id_ in _WITHOUT_ID if said.startswith(start)), "")
    )
    entry = registry().get(known, {})
    explanation = _EXPLANATION.search(said)
    advice = [hint.strip().rstrip(".") for hint in _HINT.findall(said)]
    if not advice:
        advice = [str(hint).strip().rstrip(".") for hint in entry.get("Hints", ())]
    if own := _OWN_ADVICE.get(known):
        advice.insert(0, own)
    found = GraphBreak(
        reason=str(entry.get("Gb_type") or said.splitlines()[0])[:300],
        id=known,
        explanation=_tidy(explanation[1] if explanation else str(entry.get("Explanation", ""))),
        advice=tuple(hint for hint in advice if "report an issue" not in hint.lower()),
        library=_library_of(reason.user_stack),
        **_place_of(reason.user_stack, source),
    )
    last = reason.user_stack[-1] if reason.user_stack else None
    refuses = _REFUSES.search(said)
    if refuses or _ASKS_FOR_TIME in said:
        why = refuses[2].strip() if refuses else "`torch.cuda.Event.elapsed_time` asks for a time"
        return replace(found, reason=_ONLY_A_GPU, id="", explanation=why, advice=())
    if known == _RAISED and (raised := _RAISES.search(said)):
        in_grid = raised[1].startswith("KeyError") and last is not None and last.name == "<lambda>"
        advice = [_GRID] if in_grid else advice
        what = f"an exception that nothing catches, {raised[1]}"
        return replace(found, reason=what, advice=tuple(advice[:1]))
    if known == _ASKED_FOR and last is not None and last.filename.startswith(_LIBRARY):
        asks = f"`{last.name}` of torch asks for it"
        return replace(
            found,
            reason="one that torch makes itself",
            explanation=asks,
            advice=(),
            library=("", ""),
        )
    if any(frame.filename == launch_recorder.__file__ for frame in reason.user_stack):
        what, why, helps = _UNSEEN_LAUNCH
        return replace(found, reason=what, id="", explanation=why, advice=(helps,))
    return found


def _library_of(stack: Any) -> tuple[str, str]:
    """Return the function of torch's Python, and its file, that the learner's innermost frame calls."""
    inner: tuple[str, str] = ("", "")
    for frame in reversed(stack or ()):
        if not frame.filename.startswith(_LIBRARY):
            return inner
        inner = f"{Path(frame.filename).stem}.{frame.name}", frame.filename
    return "", ""


def _place_of(stack: Any, source: SourceText | None) -> dict[str, Any]:
    """Return `line`, `called` and `inside` of a break, from the outermost frame to the innermost."""
    ours = launch_recorder.__file__, host_answers.__file__
    frames = [f for f in stack if not f.filename.startswith((_LIBRARY, *ours))]
    if source is None or not frames:
        return {"line": 0}
    last = frames[-1]
    inside = f"line {last.lineno}"
    if last.filename != source.path:
        inside = f"{Path(last.filename).name}, {inside}"
    lines = [frame.lineno for frame in frames if frame.filename == source.path]
    if len(frames) > 1 and frames[0].filename == source.path:
        return {"line": frames[0].lineno, "called": frames[1].name, "inside": inside}
    return {"line": lines[-1] if lines else 0, "inside": inside if not lines else ""}


@functools.cache
def registry() -> dict[str, dict[str, Any]]:
    """Id -> newest entry of torch's own list of graph breaks; empty where a version ships none."""
    path = Path(torch.__file__).parent / "_dynamo" / "graph_break_registry.json"
    try:
        entries = json.loads(path.read_text("utf-8"))
        return {id_: versions[0] for id_, versions in entries.items() if versions}
    except (OSError, ValueError, AttributeError, TypeError, KeyError, IndexError):
        return {}


def _tidy(text: str) -> str:
    """Entries are cut from source code: quotes and joins are left in some."""
    plain = re.sub(r'"\s*\+ \w+$|"\s+"|^"|"$', " ", text)
    return " ".join(plain.split()).rstrip(".")[:400]
