"""Checks of a `reference.py` by running it: cases that come again, a bound that measures.

`tutor content check` runs them in a process of the judge.
"""

from pathlib import Path

import tomli
import torch

from tutor.base.errors import UsageError
from tutor.judge.cases.reference import Args, Reference, load_reference
from tutor.judge.comparison.compare import compare_output
from tutor.judge.spec import Case

LEAST_CASES = 6
MOST_PASSED_BY_ZEROS = 1 / 4  # of the cases


def reference_fault(path: Path) -> str:
    """Return the first fault of a `reference.py` as a sentence; "" for none."""
    try:
        known = load_reference(path)
        fault = _cases_fault(known) or _promise_fault(known, path)
        return fault or ("" if known.rewrite else _bound_fault(known))
    except UsageError as error:
        return str(error)
    except Exception as error:
        return f"it raises {type(error).__name__}: {error}; call it as the judge does"


def _cases_fault(known: Reference) -> str:
    names = [case.name for case in known.cases]
    if len(names) < LEAST_CASES:
        return f"CASES has {len(names)} cases; write {LEAST_CASES} or more"
    if again := [name for name in names if names.count(name) > 1]:
        return f"two cases are named “{again[0]}”; name what is special about each"
    for case in known.cases:
        made = [_made(case, 7) for _ in range(2)]
        texts, again = ([a for a in args if isinstance(a, str)] for args in made)
        pairs = zip(*map(_tensors, made), strict=True)
        same = all(a.stride() == b.stride() and _equal(a, b) for a, b in pairs)
        if not same or texts != again:
            return f"case “{case.name}” differs with the same seed; draw everything from `g`"
    return ""


def _promise_fault(known: Reference, path: Path) -> str:
    """Words of `PROMISED` stand in the task, and each case keeps them."""
    if not known.promised:
        return ""
    task = tomli.loads((path.parent / "exercise.toml").read_text(encoding="utf-8"))["task"]
    words_of_task = " ".join(task.replace("**", "").split())
    for words, holds in known.promised:
        if words not in words_of_task:
            return f"PROMISED quotes “{words}”, which the task does not say"
        for case in known.cases:
            if not holds(*_made(case, 7)):
                return f"case “{case.name}” breaks “{words}” of PROMISED"
    return ""


def _bound_fault(known: Reference) -> str:
    """PyTorch passes without help from its own error, zeros do not, and work counts the inputs."""
    passed_by_zeros = 0
    for seed, case in enumerate(known.cases):
        args = _made(case, seed)
        want, eager = known.want(args), known.eager(*args)
        if eager.shape != want.shape:
            return f"case “{case.name}”: eager returns {[*eager.shape]}, reference {[*want.shape]}"
        # torch 2.13's GELU gives NaN for +inf where it uses AVX-512 (and inf where it does not).
        eager = torch.where(torch.isnan(eager) & torch.isinf(want), want.to(eager.dtype), eager)
        scale = known.magnitude(args, want, eager.dtype)
        if not compare_output(eager, want, scale, None).passed:
            return f"case “{case.name}”: eager itself is over the bound; set `scale` or `PRECISION`"
        passed_by_zeros += compare_output(torch.zeros_like(eager), want, scale, eager).passed
        read = sum(t.numel() * t.element_size() for t in _tensors(args))
        if known.reads_all and known.work(*args).bytes <= read:
            return f"case “{case.name}”: work counts no more bytes than its inputs have"
    if passed_by_zeros >= MOST_PASSED_BY_ZEROS * len(known.cases):
        cases = f"{passed_by_zeros} of {len(known.cases)} cases"
        return f"zeros pass {cases}; draw larger results, or set a smaller `scale`"
    return ""


def _made(case: Case, seed: int) -> Args:
    return case.make(torch.Generator().manual_seed(seed))


def _tensors(args: Args) -> list[torch.Tensor]:
    return [a for a in args if isinstance(a, torch.Tensor)]


def _equal(a: torch.Tensor, b: torch.Tensor) -> bool:
    return torch.equal(a.nan_to_num(1e30), b.nan_to_num(1e30))
