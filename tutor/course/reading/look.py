"""What a live cell or a question asks of the lowering ladder: in a fence's words, or a TOML table."""

from collections.abc import Iterable

from tutor.course.model import Look
from tutor.course.reading.toml_table import Table

# The stages of docs/contract.md that a cell may show; a test holds them against tutor.xray's own.
STAGES = (
    "source", "bytecode", "dynamo", "guards", "joint", "forward", "backward", "lowered",
    "ir_pre_fusion", "ir_post_fusion", "wrapper",
    "triton", "ttir", "ttgir", "llir", "ptx", "sass", "amdgcn",
)  # fmt: skip
WORDS = ("xray", "target", "input", "name")  # of a fence, each `word=value`


def look_of_words(words: Iterable[str]) -> tuple[Look | None, str]:
    """The look that `xray=ptx target=sm_90 input=f32[8] backward` asks for, and what is wrong with
    it ("" where nothing is). None where no word is about the ladder."""
    named: dict[str, list[str]] = {}
    backward = False
    for word in words:
        key, equals, value = word.partition("=")
        if word == "backward":
            backward = True
        elif not equals or key not in WORDS:
            return None, f"{word!r} is no word of a cell"
        elif not value:
            return None, f"{key}= without a value"
        elif key != "input" and key in named:
            return None, f"{key}= twice"
        else:
            named.setdefault(key, []).append(value)
    if not named and not backward:
        return None, ""
    if "xray" not in named:
        return None, "a target or an input, but no xray=STAGE"
    stage = named["xray"][0]
    if stage not in STAGES:
        return None, f"xray={stage}, which is none of {', '.join(STAGES)}"
    target = named.get("target", ["sm_90"])[0]
    name = named.get("name", [""])[0]
    return Look(tuple(named.get("input", ())), target, stage, name, backward), ""


def look_of_table(table: Table) -> Look:
    """The look of a question's `xray = { input = [...], target = "sm_90" }`."""
    look = Look(
        inputs=table.texts("input"),
        target=table.text("target", default="sm_90"),
        stage=table.one_of("stage", STAGES, default=""),
        name=table.text("name", default=""),
        backward=table.flag("backward"),
    )
    table.finish("xray")
    return look
