"""The recorded language models: what they are worth, and that a cache changes nothing."""

import math
from pathlib import Path

import numpy as np
import pytest
import torch

from tutor.base import paths
from tutor.base.errors import UsageError
from tutor.judge.cases import tiny_lm


def test_the_file_is_small_and_says_how_it_was_made() -> None:
    assert tiny_lm.recording_file(paths.course_root()).stat().st_size < 1 << 20
    recording = tiny_lm.read_recording()
    assert recording.made["text"].startswith("pydoc_data.topics of Python 3")
    assert recording.made["versions"].startswith("torch 2.")
    kinds = {array.dtype for weights in recording.weights.values() for array in weights.values()}
    assert kinds == {np.dtype("float16")}


@pytest.mark.parametrize(
    ("name", "parameters", "least", "most"),
    [
        ("target", 314_016, 3.22, 3.28),
        ("draft", 43_200, 4.28, 4.37),
        ("distilled", 43_200, 4.05, 4.13),
    ],
)
def test_perplexity_of_text_that_no_model_has_read(
    name: str, parameters: int, least: float, most: float
) -> None:
    model = tiny_lm.load(name)
    assert sum(each.numel() for each in model.parameters()) == parameters
    assert least < tiny_lm.perplexity(model) < most


def test_a_distilled_draft_agrees_more_with_its_target() -> None:
    target, draft, distilled = map(tiny_lm.load, ("target", "draft", "distilled"))
    own, taught = tiny_lm.overlap(target, draft), tiny_lm.overlap(target, distilled)
    assert own == pytest.approx(0.711, abs=0.005)
    assert taught == pytest.approx(0.738, abs=0.005)


@pytest.mark.parametrize("name", list(tiny_lm.SHAPES))
def test_a_cache_changes_nothing(name: str) -> None:
    """Prefill in two parts, then one character at a time, of two rows of text."""
    model = tiny_lm.load(name)
    codes = tiny_lm.held_out()[:96].view(2, 48)
    whole = model(codes)
    caches = model.new_caches()
    parts = [model(codes[:, a:b], caches) for a, b in ((0, 20), (20, 32))]
    parts += [model(codes[:, at : at + 1], caches) for at in range(32, 48)]
    assert torch.allclose(torch.cat(parts, 1), whole, atol=1e-4)
    shape = model.shape
    assert caches[0].tokens == 48
    assert caches[-1].keys is not None
    assert caches[-1].keys.shape == (2, shape.kv_heads, 48, shape.head)


def test_a_later_character_changes_no_earlier_logit() -> None:
    model = tiny_lm.load("draft")
    codes = tiny_lm.held_out()[:32][None].clone()
    before = model(codes)
    codes[0, 20] = tiny_lm.encode("~")[0]
    after = model(codes)
    assert torch.equal(before[:, :20], after[:, :20])
    assert not torch.allclose(before[:, 20:], after[:, 20:])


def test_a_rotation_keeps_lengths_and_depends_on_the_distance_alone() -> None:
    generator = torch.Generator().manual_seed(0)
    q, k = torch.randn(2, 24, generator=generator)
    where = torch.arange(40.0)
    turned_q = tiny_lm.rotate(q.expand(40, 24), where)
    turned_k = tiny_lm.rotate(k.expand(40, 24), where)
    assert torch.allclose(turned_q.norm(dim=1), q.norm().expand(40), atol=1e-5)
    products = turned_q @ turned_k.T
    for distance in range(-20, 21):
        diagonal = products.diagonal(distance)
        assert torch.allclose(diagonal, diagonal[0].expand_as(diagonal), atol=1e-4)


def test_text_goes_to_codes_and_back() -> None:
    text = "def f(x):\n    return x"
    assert tiny_lm.decode(tiny_lm.encode(text)) == text
    with pytest.raises(UsageError, match="do not know the character 'é'"):
        tiny_lm.encode("é")
    with pytest.raises(UsageError, match="no recorded model; take one of target, draft"):
        tiny_lm.load("huge")


@pytest.mark.parametrize("content", [None, b"no archive"])
def test_a_missing_or_damaged_file_is_one_sentence(
    content: bytes | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "lessons" / "recorded"
    folder.mkdir(parents=True)
    if content:
        (folder / "tiny_lm.npz").write_bytes(content)
    monkeypatch.setattr(tiny_lm, "course_root", lambda: tmp_path)
    with pytest.raises(UsageError, match=r"tiny_lm\.npz: (no model is recorded|expected recorded)"):
        tiny_lm.load("draft")


def test_a_model_that_knows_nothing_is_as_good_as_a_guess() -> None:
    torch.manual_seed(0)
    model = tiny_lm.TinyLM(tiny_lm.SHAPES["draft"])
    torch.nn.init.zeros_(model.embedding.weight)
    assert math.isclose(tiny_lm.perplexity(model), len(tiny_lm.CHARACTERS), rel_tol=1e-4)


def test_the_file_is_read_once_for_all_models_of_a_page(monkeypatch: pytest.MonkeyPatch) -> None:
    before = tiny_lm.read_recording()
    monkeypatch.setattr(np, "load", lambda *_, **__: pytest.fail("read again"))
    tiny_lm.load("draft")
    tiny_lm.held_out()
    assert tiny_lm.read_recording() is before
