"""The stage of the ladder that a cell printed: coloured, and without the settings of a kernel. Pure."""

from textual.content import Content

from tutor.base.number_text import plural
from tutor.ui.kit.text import highlight
from tutor.xray.model.compiler import INDUCTOR


def stage_content(text: str, stage: str, ladder_key: str) -> Content:
    """The printed text of a stage. `ladder_key` shows what is folded away."""
    lines = text.split("\n")
    folded = _settings(lines) if stage == "triton" else 0
    kind = INDUCTOR.stage(stage)
    language = kind.language if kind else ""
    shown = [highlight.colour_line(line, language) for line in lines[folded:]]
    if folded:
        words = (
            f"… {plural(folded, 'line')} of settings folded; {ladder_key} shows them on the ladder"
        )
        shown.insert(0, Content.styled(words, "$foreground 70%"))
    return Content("\n").join(shown)


def _settings(lines: list[str]) -> int:
    """Count the lines before a kernel of Inductor's: imports and its heuristics, with triton_meta."""
    kernel = next((at for at, line in enumerate(lines) if line.startswith("@triton.jit")), 0)
    wrote = any(line.startswith("@triton_heuristics") for line in lines[:kernel])
    return kernel if wrote else 0
