import runpy
from pathlib import Path

import torch

from tutor.judge.spec import Case, Work

PROBE = runpy.run_path(str(Path(__file__).with_name("probe.py")))
HEAD, RIGHT, WRONG = PROBE["HEAD"], PROBE["RIGHT"], PROBE["WRONG"]
WRONG_TEXTS = {HEAD + text for text in WRONG.values()}


def reference(passes, seed):
    return torch.tensor([text in WRONG_TEXTS for text in passes]).long()


eager = reference


def name_of(text):
    return next(name for name, one in PROBE["PASSES"].items() if HEAD + one == text)


def explain_wrong(got, passes, seed):
    """Name the first pass with another answer."""
    if len(got) != len(passes):
        return None
    for answer, text in zip(got.tolist(), passes, strict=True):
        if answer != (text in WRONG_TEXTS):
            return (
                f"A pass that {name_of(text)} is wrong, and nothing was found."
                if text in WRONG_TEXTS
                else f"A pass that {name_of(text)} is right, and something was reported."
            )
    return None


def work(passes, seed):
    return Work(bytes=sum(map(len, passes)) + 16, flops=0)


def scale(passes, seed):
    return 0.0


def check_found(found):
    """(code, sentence) for the first pass of which a wrong thing is said, else None."""
    for name, answer, calls, fault in found["found"]:
        if sentence := PROBE["told"](name, answer, calls, fault):
            return "wrong-values", sentence
    name, first, second = found["again"]
    if first != second:
        return "wrong-values", (
            f"For the pass that {name}, two calls with the same seed return {said(first)} and "
            f"{said(second)}."
        )
    return None


def said(answer):
    if answer is None or isinstance(answer, str):
        return str(answer)
    return f"{PROBE['shown'](answer[0])} with {answer[1]} and {answer[2]}"


def figures(found):
    """Calls and rows of the wrong passes, for the verdict."""
    wrong = [one for one in found["found"] if one[0] in WRONG]
    names = {one[0] for one in wrong}
    rows = [len(answer[0]) - 1 for _, answer, _, _ in wrong]
    calls = [calls for _, _, calls, _ in wrong]
    return {
        "wrong passes found": f"{len(names)}, false alarms on {len(RIGHT)} right ones: 0",
        "rows before `return`, least and most": f"{min(rows)} and {max(rows)}",
        "calls for a wrong pass, most": str(max(calls)),
    }


def some(*names, seed=0):
    texts = [
        next(HEAD + text for name, text in PROBE["PASSES"].items() if part in name)
        for part in names
    ]
    return lambda g: (texts, seed)


CASES = (
    Case("a - a", some("makes a - a the number")),
    Case("a quotient that rounds down, and one that does not",
         some("and rounds down", "and rounds to zero", seed=1)),
    Case("a constant that changes places", some("moves a constant", seed=2)),
    Case("a pass that fails", some("fails where a constant", "forgets `sub`", seed=3)),
    Case("a result that is not defined", some("the quotient a / 0", "a / (b * c)", seed=4)),
    Case("a / a, which is defined or 1", some("makes a / a", "forgets `shr`", seed=5)),
    Case("in the list that it gets", some("number a, in the list", seed=6)),
    Case("rows that nobody reads", some("that nobody reads", "forgets `mul`", seed=7)),
)
