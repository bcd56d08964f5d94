"""The wrong results that exercises know: each is one, and its phrase completes a sentence."""

import pytest
import torch

from tutor.base.paths import course_root
from tutor.judge.cases.reference import Reference, load_reference, make_inputs, to_double
from tutor.judge.near_misses import matching

KNOWING = [
    path.parent.name
    for path in sorted((course_root() / "kernels").glob("*/reference.py"))
    if "NEAR_MISSES" in path.read_text("utf-8")
]


def is_ordinary(value: object) -> bool:
    return not isinstance(value, torch.Tensor) or value.numel() <= 5000


def telling(reference: Reference) -> list[tuple[torch.Tensor, tuple]]:
    """The truth of each case where it is finite, and its arguments."""
    given = [to_double(make_inputs(case, 7 + i)) for i, case in enumerate(reference.cases)]
    given = [args for args in given if all(map(is_ordinary, args))]
    truths = [(reference.truth(*args), args) for args in given]
    return [(want, args) for want, args in truths if want.isfinite().all()]


@pytest.mark.parametrize("slug", KNOWING)
def test_each_near_miss_is_wrong_and_is_found_again(slug: str) -> None:
    reference = load_reference(course_root() / "kernels" / slug / "reference.py")
    assert reference.near_misses
    unseen = dict(reference.near_misses)
    for want, args in telling(reference):
        if not unseen:
            break
        for phrase, function in list(unseen.items()):
            found = function(*args)
            for result in [found] if isinstance(found, torch.Tensor) else found:
                if phrase in matching([(phrase, function)], result, want, args):
                    unseen.pop(phrase, None)
        assert matching(reference.near_misses, want, want, args) == ()
    assert list(unseen) == []
    assert not [phrase for phrase in dict(reference.near_misses) if phrase[-1] in ".?!"]
