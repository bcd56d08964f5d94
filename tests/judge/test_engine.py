"""The machine that runs a target and a draft model over blocks, and the project's load on it."""

import runpy
from types import SimpleNamespace

import pytest
import torch

from tutor.base import paths
from tutor.judge.cases import engine, tiny_lm
from tutor.judge.cases.engine import END, HashPair, Machine, Refused, Request, Row, TinyPair

TEXT = [5, 9, 2, 44, 7, 30, 11]


def machine(pair=None, blocks=6, size=4, places=3) -> Machine:
    return Machine(pair or HashPair(3), blocks, size, places)


def file_of(slug: str, name: str) -> dict:
    return runpy.run_path(str(paths.course_root() / "kernels" / slug / name))


@pytest.mark.parametrize("model", ["target", "draft"])
def test_a_text_read_in_parts_through_any_table_says_what_the_whole_text_says(model):
    pair = HashPair(3, kept=50)
    want = [pair.says(model, TEXT[: n + 1]) for n in range(len(TEXT))]
    run = getattr(machine(pair), model)
    table = [4, 1]
    got = run([Row("r", TEXT[:3], 0, table)])[0]
    got += run([Row("r", TEXT[3:4], 3, table)])[0]
    got += run([("r", TEXT[4:], 4, table)])[0]
    assert got == want


def test_every_wrong_slot_changes_what_is_said():
    right = machine()
    want = right.target([Row("r", TEXT, 0, [0, 1])])[0][-1]
    for changed in range(len(TEXT) - 1):
        wrong = machine()
        text = [token + (place == changed) for place, token in enumerate(TEXT)]
        wrong.target([Row("r", text[:-1], 0, [0, 1])])
        assert wrong.target([Row("r", TEXT[-1:], len(TEXT) - 1, [0, 1])])[0] != [want]
    hole = machine()
    hole.target([Row("r", TEXT[:-1], 0, [0, 1])])
    assert hole.target([Row("r", TEXT[-1:], len(TEXT) - 1, [0, 2])])[0] != [want]


def test_the_draft_model_agrees_as_often_as_is_asked():
    for kept in (0, 60, 100):
        pair = HashPair(7, kept=kept)
        texts = [[1 + (a * 7 + b) % 49 for b in range(5)] for a in range(400)]
        same = sum(pair.says("target", text) == pair.says("draft", text) for text in texts)
        assert same / 4 == pytest.approx(kept, abs=8)


@pytest.mark.parametrize("ends", [20, 10**6, 10**9, 1 << 40])
def test_tokens_are_many_however_seldom_a_text_ends(ends):
    written = [token for key in range(40) for token in HashPair(key, ends=ends).write(TEXT, 40)]
    assert len(set(written) - {END}) == 49
    common = max(written.count(token) for token in range(1, 50))
    assert common < 3 * len(written) / 49


def test_a_text_ends_behind_end_or_at_its_limit():
    written = HashPair(3, ends=4).write(TEXT, 200)
    assert written.index(END) == len(written) - 1
    assert len(HashPair(3, ends=10**9).write(TEXT, 17)) == 17


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([], "it has no row"),
        ([Row(f"r{i}", [1], 0, [i]) for i in range(4)], "it has 4 rows, and 3 is the most"),
        ([Row("r", [], 0, [0])], "r has no new token: its row begins at place 0, and is empty"),
        ([Row("r", [1], -1, [0])], "r begins at place -1"),
        ([Row("r", [1] * 5, 0, [0])], "r needs room for 5 tokens, and its table has 1 block of 4"),
        ([Row("r", [1], 0, [6])], "the table of r names block 6, of 6"),
        ([Row("r", [1] * 5, 0, [2, 2])], "r writes a slot of block 2 twice"),
        (
            [Row("a", [1], 0, [1]), Row("b", [1], 0, [1])],
            "a and b write the same slot of block 1",
        ),
    ],
)
def test_a_rule_that_is_broken_is_said_with_call_and_request(rows, says):
    one = machine()
    one.draft([Row("r", [1], 0, [0])])
    with pytest.raises(Refused, match=f"Call 1, of the target: {says}"):
        one.target(rows)
    assert len(one.calls) == 1


def test_a_run_without_an_end_is_ended(monkeypatch):
    monkeypatch.setattr(engine, "MOST_CALLS", 2)
    one = machine()
    one.target([Row("r", [1], 0, [0])])
    one.target([Row("r", [1], 0, [0])])
    with pytest.raises(Refused, match="not ended after 2 calls"):
        one.target([Row("r", [1], 0, [0])])


def test_the_recorded_models_say_through_blocks_what_they_say_of_whole_texts():
    codes = tiny_lm.held_out()[200:260].tolist()
    for name in ("target", "draft"):
        with torch.no_grad():
            want = [
                tiny_lm.load(name)(torch.tensor([codes[a:b]]))[0].argmax(-1).tolist()
                for a, b in ((0, 31), (20, 60))
            ]
        run = getattr(Machine(TinyPair(), 30, 4, 2), name)
        tables = [[7, 3, 9, 1, 20, 21, 22, 4], [0, 2, 5, 6, 8, 10, 11, 12, 13, 14]]
        got = run([Row("a", codes[:5], 0, tables[0]), Row("b", codes[20:50], 0, tables[1])])
        more = run([Row("b", codes[50:60], 30, tables[1]), Row("a", codes[5:31], 5, tables[0])])
        assert [got[0] + more[1], got[1] + more[0]] == want


def test_the_project_has_texts_that_no_rounding_changes():
    for request, text in zip(engine.project_requests(), engine.project_texts(), strict=True):
        written, lead = engine.plain_tiny(request)
        assert written == text
        assert lead > 0.03
        assert len(request.prompt) + request.limit <= tiny_lm.LENGTH


def test_what_is_usual_is_what_the_solutions_take():
    whole, ablate = (file_of(slug, "reference.py") for slug in ("engine_whole", "engine_ablate"))
    loads = file_of("engine_whole", "probe.py")["LOADS"]
    serve = SimpleNamespace(**file_of("engine_whole", "solution.py"))
    found = file_of("engine_whole", "probe.py")["probe"](serve, "cpu")["loads"]
    count = whole["calls"]
    for (name, *_), (_, log) in zip(loads, found, strict=True):
        assert whole["USUAL"][name] == (count(log, "target"), count(log, "draft"))
    serve = SimpleNamespace(**file_of("engine_ablate", "solution.py"))
    runs = file_of("engine_ablate", "probe.py")["probe"](serve, "cpu")["runs"]
    for name, (_, log) in runs.items():
        assert ablate["USUAL"][name] == (count(log, "target"), count(log, "draft"))


def test_the_cost_of_a_draft_is_its_share_of_the_weights():
    count = {
        name: sum(each.numel() for each in tiny_lm.load(name).parameters())
        for name in ("target", "draft")
    }
    assert count["draft"] / count["target"] == pytest.approx(engine.DRAFT_COST, abs=0.005)


def test_requests_by_dice_come_again():
    assert engine.drawn(4, 3, (1, 5), (2, 9)) == engine.drawn(4, 3, (1, 5), (2, 9))
    assert all(isinstance(each, Request) for each in engine.drawn(1, 2, (1, 2), (1, 2)))
