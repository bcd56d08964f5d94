"""Control codes of SASS: what is decoded has to agree with the code itself."""

import re
from types import ModuleType

import pytest

from tutor.hardware import gpus
from tutor.xray.model.control_codes import Control, describe_control, find_waits, format_controls
from tutor.xray.model.input_specs import Arguments, parse_inputs
from tutor.xray.model.stages import Event, Stage
from tutor.xray.triton_kernels import sass_encoding, specialization
from tutor.xray.triton_kernels.lowering import lower_kernels

INPUTS = {
    "softmax": ("f32[64,1000]", "f32[64,1000]", "1000", "1000", "1024"),
    "matmul": ("f16[512,512]", "f16[512,512]", "f16[512,512]", "512", "512", "512"),
}


def lower(kernels: ModuleType, name: str, target: str) -> Stage:
    events: list[Event] = []
    kernel = specialization.specialize_kernel(
        getattr(kernels, name), Arguments.of(parse_inputs(INPUTS[name]))
    )
    lower_kernels([kernel], gpus.target(target), events.append)
    return next(e for e in events if isinstance(e, Stage) and e.name == "sass")


@pytest.mark.parametrize("name", sorted(INPUTS))
@pytest.mark.parametrize("target", ["sm_75", "sm_80", "sm_90", "sm_100", "sm_120"])
def test_nothing_uses_what_a_load_delivers_before_one_has_waited(
    kernels: ModuleType, name: str, target: str
) -> None:
    stage = lower(kernels, name, target)
    lines = stage.text.split("\n")
    assert "/* 0x" not in stage.text
    instructions = [
        n for n, line in enumerate(lines, 1) if re.match(r"\s*/\*[0-9a-f]{4,}\*/", line)
    ]
    assert [control.line for control in stage.controls] == instructions
    waits = find_waits(stage.text, stage.controls)
    loads = 0
    for control in stage.controls:
        match = re.search(r"(?<!@)\b(?:LDG|LDS|LDL|S2R)[.\w]* (R\d+),", lines[control.line - 1])
        if match is None or control.result is None:
            continue
        users = _straight_on(lines, control.line, rf"\b{match[1]}\b")
        if users is None:
            continue
        loads += 1
        waiting = waits[control.line].for_result
        assert any(line <= users for line in waiting), (control, lines[control.line - 1])
    assert loads >= 2


def _straight_on(lines: list[str], line: int, pattern: str) -> int | None:
    """The first line after `line` that has the pattern, before any label or branch; None: none has."""
    for number in range(line + 1, len(lines) + 1):
        text = lines[number - 1]
        if ":" in text or re.search(r"\b(BRA|EXIT|RET)\b", text):
            return None
        if re.search(pattern, text):
            return number
    return None


LOOP = """\
.L_x_0:
        /*0000*/                   LDG.E R4, desc[UR4][R2.64] ;
        /*0010*/              @!P0 BRA `(.L_x_1) ;
        /*0020*/                   FADD R5, R4, R5 ;
        /*0030*/                   BRA `(.L_x_0) ;
.L_x_1:
        /*0040*/                   STG.E desc[UR4][R6.64], R4 ;
        /*0050*/                   EXIT ;
        /*0060*/                   FADD R9, R4, R5 ;
"""


def test_every_way_from_a_load_is_followed_to_its_first_wait() -> None:
    controls = (
        Control(2, 1, result=0, waits=(1,)),
        Control(3, 5),
        Control(4, 4, waits=(0,)),
        Control(5, 5),
        Control(7, 1, operands=1, waits=(0,)),
        Control(8, 5),
        Control(9, 4, waits=(0, 1)),
    )
    waits = find_waits(LOOP, controls)
    assert list(waits) == [2]
    assert waits[2].for_result == (4, 7)
    assert describe_control(controls[0], waits) == (
        "Waits for barrier 1. Lines 4 and 7 wait for its result. "
        "The warp's next instruction issues at least 1 cycle later."
    )
    assert describe_control(controls[4], waits).startswith("Waits for line 2. The warp's")
    assert format_controls(controls[:2]) == [" 1 →0 ←1", " 5      "]


def test_a_code_is_read_by_its_bits() -> None:
    """LDC at the beginning of a kernel for sm_90 sets barrier 0; the first that waits has its bit."""
    text = (
        "        /*0000*/   LDC R1, c[0x0][0x28] ;      /* 0x00000a00ff017b82 */\n"
        "                                               /* 0x000e220000000800 */\n"
        "        /*0080*/   UIMAD.WIDE.U32 UR4, UR7 ;   /* 0x0000000b070472a5 */\n"
        "                                               /* 0x004fe4000f8e003f */\n"
    )
    plain, upper = sass_encoding.split_encoding(text)
    assert [line.rstrip() for line in plain.splitlines()] == [
        "        /*0000*/   LDC R1, c[0x0][0x28] ;",
        "        /*0080*/   UIMAD.WIDE.U32 UR4, UR7 ;",
    ]
    assert sass_encoding.place_controls(plain, upper) == (
        Control(1, 1, result=0),
        Control(2, 2, waits=(2,)),
    )
    assert sass_encoding.place_controls(plain, upper[:1]) == ()
