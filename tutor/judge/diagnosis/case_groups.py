"""What tells the wrong cases of a submission from the right ones: the value of an argument, one
dimension, or lanes that are masked off. Pure. A sentence holds for every case that is compared, or is
not said."""

import math
from collections.abc import Sequence

from tutor.judge.diagnosis.evidence import CaseEvidence, CaseFacts

# Of the lanes that programs take at a time, the largest first.
_BLOCKS = (4096, 2048, 1024, 512, 256, 128, 64, 32, 16, 8)
_FEWEST = 2  # sizes on each side; one size may differ from the others in anything
_LIKELY = 1 / 50  # the chance from which on wrong cases may share a value by accident
_MOST_NAMED = 2  # dimensions; where more tell the cases apart, none of them does


def describe_groups(e: CaseEvidence) -> str:
    """Say in one sentence what every wrong case has and no right one has, or few have; "" if nothing is
    found.

    Arguments' values are asked before dimensions, because a case with another value often has other
    sizes too.
    """
    wrong = [c for c in e.failed if c.pattern]
    # A wrong formula is often right by chance: where all numbers are zero, or one is expected.
    right = [c for c in e.cases if c.passed and c.largest > 0 and c.numel > 1 and not c.constant]
    if not wrong or len(wrong) < len(e.failed) or not right:
        return ""
    return (
        _describe_values(wrong, right)
        or _describe_sizes(wrong, right)
        or _describe_masked_lanes(wrong, right)
        or _describe_common_value(wrong, right)
    )


def _describe_values(wrong: Sequence[CaseFacts], right: Sequence[CaseFacts]) -> str:
    """Name an argument with one value in all wrong cases and other values in all right ones."""
    for name, value in wrong[0].options.items():
        others = {c.options.get(name, "") for c in right}
        if value in others or any(c.options.get(name) != value for c in wrong):
            continue
        if len(wrong) < _FEWEST and len(others) > 1:  # each case may have a value of its own
            continue
        instead = f"`{name}={others.pop()}`" if len(others) == 1 else f"other values of `{name}`"
        return f"Right for {instead}, wrong for `{name}={value}`."
    return ""


def _describe_common_value(wrong: Sequence[CaseFacts], right: Sequence[CaseFacts]) -> str:
    """Name an argument with one value in all wrong cases and also in some right ones, where so many
    cases are right for its other values that this is hardly an accident."""
    for name, value in wrong[0].options.items():
        if any(c.options.get(name) != value for c in wrong):
            continue
        others = [c.options.get(name, "") for c in right if c.options.get(name) != value]
        share = len(wrong) + len(right) - len(others)
        chance = math.comb(share, len(wrong)) / math.comb(len(wrong) + len(right), len(wrong))
        if others and chance < _LIKELY:
            instead = (
                f"`{name}={others[0]}`" if len(set(others)) == 1 else f"other values of `{name}`"
            )
            return f"All {len(wrong)} wrong cases have `{name}={value}`; those with {instead} are right."
    return ""


def _describe_sizes(wrong: Sequence[CaseFacts], right: Sequence[CaseFacts]) -> str:
    """Name the dimension that tells the cases apart, or two where either does."""
    found: dict[tuple[int, ...], str] = {}  # by the sizes: dimensions that are always equal are one
    for name in right[0].sizes:
        if not all(name in c.sizes for c in (*wrong, *right)):
            continue
        bad, good = [c.sizes[name] for c in wrong], [c.sizes[name] for c in right]
        if text := _describe_limit(name, bad, good) or _describe_multiple(name, bad, good):
            found.setdefault((*bad, *good), text)
    if not 1 <= len(found) <= _MOST_NAMED:
        return ""
    return " And: ".join(found.values())


def _describe_limit(name: str, bad: Sequence[int], good: Sequence[int]) -> str:
    """Name the size that separates small from large. Size 1 does not count as a right one."""
    if len(set(bad)) < _FEWEST:
        return ""
    if 1 < max(good) < min(bad):
        return f"Right while `{name}` is at most {max(good)}, wrong from {min(bad)} on."
    if max(bad) < min(good) and len(set(good)) >= _FEWEST:
        return f"Wrong while `{name}` is at most {max(bad)}, right from {min(good)} on."
    return ""


def _describe_multiple(name: str, bad: Sequence[int], good: Sequence[int]) -> str:
    """Name the number of which all right sizes are multiples, and no wrong one is."""
    for block in _BLOCKS if len(set(good)) >= _FEWEST <= len(set(bad)) else ():
        if all(n % block == 0 for n in good) and all(n % block for n in bad):
            return f"Right where `{name}` is a multiple of {block}, wrong where it is not."
    return ""


def _describe_masked_lanes(wrong: Sequence[CaseFacts], right: Sequence[CaseFacts]) -> str:
    """Say that loads mask lanes off in all wrong cases, and in no right one."""
    masked = [[bool(c.seen.padded or c.seen.undefined) for c in cases] for cases in (wrong, right)]
    if min(map(len, masked)) < _FEWEST or not all(masked[0]) or any(masked[1]):
        return ""
    return "Right where every lane has an element, wrong where a load masks lanes off."
