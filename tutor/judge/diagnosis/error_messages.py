"""Turn the text of an error into a sentence on what the learner did. The tables are in `*_errors`.

Pure; the original text stays in `Diagnosis.detail`.
"""

import re

from tutor.judge.diagnosis.error_pattern import ErrorPattern
from tutor.judge.diagnosis.onnx_errors import ONNX
from tutor.judge.diagnosis.python_errors import PYTHON
from tutor.judge.diagnosis.torch_errors import CUDA, DYNAMO, INDUCTOR, PYTORCH
from tutor.judge.diagnosis.triton_errors import LAUNCHED, TRITON
from tutor.judge.diagnosis.tvm_errors import TVM
from tutor.judge.model.verdict import Diagnosis
from tutor.judge.processes.worker_messages.records import LearnerError

# `PYTHON` stands before `TRITON`, whose pattern for an undefined name also matches Python's message.
TABLE: tuple[ErrorPattern, ...] = (*PYTHON, *TRITON, *DYNAMO, *INDUCTOR, *CUDA, *PYTORCH)

_LONGEST = 300  # characters of a compiler's sentence


def match_error(kind: str, text: str, launched: bool = False) -> tuple[str, str] | None:
    """Return code and sentence of the first pattern that matches an error of type `kind`, or None.

    `launched`: Triton raised the error, or a kernel that Triton ran.
    """
    for pattern in (*LAUNCHED, *TABLE) if launched else (*TVM, *ONNX, *TABLE):
        match = re.search(pattern.text, text) if re.fullmatch(pattern.type, kind) else None
        if match:
            return pattern.code, pattern.says.format(*(g or "" for g in match.groups()))
    return None


def translate(report: LearnerError, case: str = "", fallback: str = "crash") -> Diagnosis:
    """Return the diagnosis for an error as `learner_module.describe` reports it.

    `fallback` is the code for an error that no pattern matches.
    """
    kind, text, line = report.type, report.message, report.line
    if match := match_error(kind, text, report.launched):
        code, sentence = match
    else:
        first = _find_reason(text)
        compiling = report.compiling or kind == "InterpreterError"
        code = "compile-error" if compiling or fallback == "compile-error" else fallback
        sentence = f"Your code raised {kind}: {first}" if first else f"Your code raised {kind}."
        if not kind:  # the message is a sentence already
            sentence = first or "Your code raised an error"
    where = f" ({report.place or f'line {line}'})" if report.place or line else ""
    when = f" It happened in the case “{case}”." if case and kind else ""
    message = f"{sentence.rstrip().removesuffix('.')}{where}.{when}"
    return Diagnosis(code, message, line=line, detail=report.detail)


def _find_reason(text: str) -> str:
    """Return the line of an error's text that says why: the first one; where a compiler begins with
    the place and the code there, what follows the mark below that code."""
    lines = [line.strip() for line in text.strip().splitlines()]
    if lines and re.fullmatch(r"at \d+:\d+:", lines[0]):
        marks = [number for number, line in enumerate(lines) if line == "^"]
        lines = [line for line in lines[marks[-1] + 1 :] if line] if marks else lines[-1:]
        # Triton writes the error that it met as Python does: ValueError('…')
        lines = [re.sub(r"^(\w+)\((['\"])(.*)\2\)$", r"\3", line) for line in lines]
    return lines[0][:_LONGEST] if lines else ""


def graph_break(reason: str) -> str:
    """Return one clause on why a graph breaks; the reason's first line if no pattern matches it."""
    match = match_error("Unsupported", reason)
    first = next((line.strip() for line in reason.splitlines() if line.strip()), "")
    return (match[1] if match else first or "an untraceable call").rstrip(".")
