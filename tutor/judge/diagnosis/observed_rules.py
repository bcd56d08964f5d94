"""Rules for mistakes that were seen to happen, such as a store that was stopped. Each returns a
`Diagnosis` or None; `OBSERVED` has them in order."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from msgspec import structs

from tutor.base.list_text import join_with_and
from tutor.judge.diagnosis.error_messages import translate
from tutor.judge.diagnosis.evidence import (
    CaseEvidence,
    CaseFacts,
    Rule,
    both_store_text,
    elements_text,
    line_text,
    meeting_text,
    program_texts,
)
from tutor.judge.diagnosis.rank_stops import describe_stop
from tutor.judge.diagnosis.source_rules import (
    Origins,
    dropped_keywords,
    find_definition,
    find_mask_line,
    find_origins,
    find_pointer_base,
    find_uses_of_type,
    is_class,
    is_in_helper,
    is_placed_elsewhere,
    precedence,
)
from tutor.judge.model.verdict import Diagnosis
from tutor.judge.processes.worker_messages.kernel_report import MaskedLanes, OutOfBoundsAccess
from tutor.judge.processes.worker_messages.records import LearnerError

Reason = tuple[object, ...]

_MOST_OF_MESSAGE = 160  # characters of an error's first line
_MADE_BEFORE = ("CheckpointError", "RecursionError")
_NO_ATTRIBUTE = re.compile(r"'(\w+)' object has no attribute '\w+'")
_MOST_PARTS = 3  # of an address, and lines of each
_MOST_SAID = 400  # characters about an access; what is longer names one place
_ARGUMENTS = re.compile(
    r"(?:[\w.<>]+\.)?(?P<name>\w+)\(\) takes (?P<takes>.+ positional arguments?) but (?P<given>\d+) "
    r"(?:was|were) given"
)


def exception(e: CaseEvidence) -> Diagnosis | None:
    """A case raised. An access out of bounds is left to its own rule, also where the interpreter saw it
    in another case than the one that a GPU stopped, which does not say whether it was a load."""
    seen = any(case.seen.out_of_bounds for case in e.cases)
    for case in e.failed:
        if case.raised and not case.seen.out_of_bounds:
            if seen and "illegal memory access" in case.raised.message:
                continue
            if called := _find_caller(e, case.raised):
                made = _makers_text(e, case.raised)
                error = structs.replace(case.raised, line=called)
                told = translate(_without_line(e, error), case.name)
                given = f"Line {case.raised.line}, which raised it, is of the starter."
                return replace(told, message=f"{told.message} {given}{made}")
            explained = _error_of_line(e, case) or explain_error(e, case.raised, case.name)
            if case.ranks and case.ranks.raised_on is not None:
                said = f"{explained.message} Rank {case.ranks.raised_on} raised it."
                return replace(explained, message=said)
            return explained
    return None


def stopped_ranks(e: CaseEvidence) -> Diagnosis | None:
    """The ranks of a case wait for each other, or one of them was lost."""
    for case in e.failed:
        if case.ranks and (found := describe_stop(case.ranks, case.name)):
            return found
    return None


def explain_error(e: CaseEvidence, error: LearnerError, case: str = "") -> Diagnosis:
    """Explain an error, and name its line where the fault may be in it; else the lines that lead to it,
    if any is seen."""
    told = translate(_without_line(e, error), case)
    return replace(told, message=told.message + _makers_text(e, error))


def _find_makers(e: CaseEvidence, error: LearnerError) -> list[int] | None:
    """Return the lines of the learner's that make objects of the type of one that has not the attribute
    which an error asks for; None for another error, and where the file neither has nor makes the type.

    What lacks the attribute was made before.
    """
    found = _NO_ATTRIBUTE.match(error.message) if error.type == "AttributeError" else None
    if not found:
        return None
    lines = [n for n in find_uses_of_type(e.source, found[1]) if n not in e.given]
    return lines if lines or is_class(e.source, found[1]) else None


def _makers_text(e: CaseEvidence, error: LearnerError) -> str:
    lines = _find_makers(e, error)
    return f" Look at what makes one: {_lines_text(lines)}." if lines else ""


def _without_line(e: CaseEvidence, error: LearnerError) -> LearnerError:
    """Return an error that names its line in words only, where that line runs what others have made:
    one of the starter's that runs the learner's graph, a backward pass that runs a part again, a check
    of the whole graph, any line of a circle of calls, or one that reads an attribute of what others
    have made."""
    if not error.line or error.place:
        return error
    if error.line in e.given:
        return structs.replace(
            error, line=None, place=f"in line {error.line}, which is the starter's"
        )
    made_before = error.type in _MADE_BEFORE or _find_makers(e, error) is not None
    if made_before or ".lint()" in e.code_at(error.line):
        return structs.replace(error, line=None, place=f"seen in line {error.line}")
    return error


def _find_caller(e: CaseEvidence, error: LearnerError) -> int | None:
    """Return the last line of the learner's own on the way to an error in a part that was given."""
    if error.line not in e.given:
        return None
    return next((line for line in reversed(error.lines) if line not in e.given), None)


def _error_of_line(e: CaseEvidence, case: CaseFacts) -> Diagnosis | None:
    """Explain an error by the line that raised it."""
    error = case.raised
    code = e.code_at(error.line) if error else ""
    if error is None or not code:
        return None
    wanted = _ARGUMENTS.match(error.message)
    if wanted and (defined := find_definition(e.source, wanted["name"])):
        says = (
            f"`{wanted['name']}` takes {wanted['takes']} and is given {wanted['given']}: it is defined "
            f"in line {defined} and called in line {error.line} (case “{case.name}”)."
        )
        return Diagnosis("crash", says, line=defined, detail=error.detail)
    launch = re.search(r"(\w+)\[", code)
    if launch and "'function' object is not subscriptable" in error.message:
        says = f"`{launch[1]}` is a plain Python function: put `@triton.jit` above it."
    elif error.type == "AssertionError" and "is_cuda" in code:
        says = "Your own `assert` asks for a GPU; without one the tensors lie on the CPU. Leave it out."
    else:
        return None
    says = f"{says} (Line {error.line}, case “{case.name}”.)"
    return Diagnosis("crash", says, line=error.line, detail=error.detail)


def wrong_rewrite(e: CaseEvidence) -> Diagnosis | None:
    """A program that a pass has made is not in order, computes something else, or is too long."""
    for case in e.failed:
        if fault := case.rewrite:
            of_program = fault.reason != "returned"
            said = f"“{case.name}”: {fault.sentence} {case.about}" if of_program else fault.sentence
            return Diagnosis(fault.code, said.rstrip())
    return None


def swallowed_error(e: CaseEvidence) -> Diagnosis | None:
    """A function of the starter caught an error of the learner's and went on."""
    for case in e.failed:
        if case.swallowed:
            error = case.swallowed.error
            first = error.message.strip().partition("\n")[0][:_MOST_OF_MESSAGE]
            return Diagnosis(
                "crash",
                f"`{case.swallowed.function}` raised {error.type}: {first} (line {error.line}, case "
                f"“{case.name}”). `{case.swallowed.handler}` caught it and went on.",
                line=error.line,
                detail=error.detail,
            )
    return None


def wrong_type(e: CaseEvidence) -> Diagnosis | None:
    """The function returned no tensor."""
    for case in e.failed:
        if case.returned and e.entry_given:
            return Diagnosis(
                "wrong-signature",
                f"`{e.entry}`, which is the starter's, returned {case.returned}, and it must be a "
                "tensor: what your own code gave it is no tensor either.",
            )
        if case.returned == "NoneType":
            return Diagnosis(
                "wrong-signature",
                f"`{e.entry}` returned None. Does it end with `return` and the output tensor?",
            )
        if case.returned:
            return Diagnosis(
                "wrong-signature", f"`{e.entry}` returned {case.returned}; it must be a tensor."
            )
    return None


def did_not_launch(e: CaseEvidence) -> Diagnosis | None:
    """No case launched a kernel, and none raised."""
    if e.kind == "kernel" and e.cases and all(c.launches == 0 and not c.raised for c in e.cases):
        return Diagnosis(
            "did-not-launch",
            "No kernel was launched: what came back was made by PyTorch alone. "
            "Launch yours over a grid, `kernel[grid](...)`, and return what it wrote.",
        )
    return None


def wrong_device(e: CaseEvidence) -> Diagnosis | None:
    """The output lies on another device than the inputs."""
    for case in e.failed:
        if case.device:
            got, want = case.device
            return Diagnosis("wrong-device", f"The output lies on {got}; the inputs are on {want}.")
    return None


def wrong_dtype(e: CaseEvidence) -> Diagnosis | None:
    """The output has another element type than is asked for."""
    for case in e.failed:
        if case.dtype:
            got, want = case.dtype
            return Diagnosis("wrong-dtype", f"The output is {got}; it must be {want}.")
    return None


def wrong_shape(e: CaseEvidence) -> Diagnosis | None:
    """The output has another shape than is asked for."""
    for case in e.failed:
        if case.shape:
            got, want = case.shape
            return Diagnosis(
                "wrong-shape",
                f"The output has shape {list(got)}; {list(want)} is asked for "
                f"(case “{case.name}”).",
            )
    return None


def only_compiled(e: CaseEvidence) -> Diagnosis | None:
    """The function is right when compiled and wrong without `torch.compile`."""
    for case in e.failed:
        if case.only_compiled:
            return Diagnosis(
                "wrong-values",
                f"Compiled, `{e.entry}` is right; called without `torch.compile` it returns other "
                f"numbers (case “{case.name}”). Does something ask whether it is being compiled?",
            )
    return None


def not_contiguous(e: CaseEvidence) -> Diagnosis | None:
    """The values are right, but the output is a view or has an input's strides."""
    scattered = [c for c in e.failed if c.scattered]
    if not scattered or len(scattered) < len(e.failed):
        return None
    return Diagnosis(
        "wrong-stride",
        f"The numbers are right, but the tensor is not contiguous (case “{scattered[0].name}”). It has "
        "the strides of an input, or is a view: make it by `torch.empty` with the shape asked for.",
    )


def strides(e: CaseEvidence) -> Diagnosis | None:
    """Contiguous inputs come out right, every wrong case has a view among its inputs, and one of them
    was right once its views were copied."""
    wrong = [c for c in e.failed if c.pattern or c.seen.out_of_bounds]
    contiguous_right = any(c.passed and c.contiguous and c.numel > 1 for c in e.cases)
    if not wrong or not contiguous_right or any(c.contiguous for c in wrong):
        return None
    if not any(c.copied_right for c in wrong):  # the views may have something else in common
        return None
    views_right = any(c.passed and not c.contiguous and c.output_contiguous for c in e.cases)
    if views_right and not any(c.output_contiguous for c in wrong):
        return Diagnosis(
            "wrong-stride",
            "Views come out right where the output is contiguous, wrong where it is not (case "
            f"“{wrong[0].name}”). `torch.empty_like` keeps a view's strides: allocate by "
            "`torch.empty(x.shape, …)`.",
        )
    if stored := _find_store_outside(wrong):
        return Diagnosis(
            "wrong-stride",
            f"Contiguous inputs come out right, views do not (case “{stored.name}”): the store goes "
            "past the end of the output. Its offsets are made with the strides of another tensor: use "
            "those of the output.",
            line=stored.seen.out_of_bounds[0].line,
        )
    returned = (
        " What you return is not contiguous there either, as `torch.empty_like` makes it of a view."
        if not any(c.output_contiguous for c in wrong)
        else ""
    )
    return Diagnosis(
        "wrong-stride",
        f"Contiguous inputs come out right, views do not (case “{wrong[0].name}”).{returned}",
    )


def _find_store_outside(wrong: list[CaseFacts]) -> CaseFacts | None:
    """Return a case with a contiguous output past whose end the kernel stores, as views make it."""
    for case in wrong:
        seen = case.seen.out_of_bounds
        if case.output_contiguous and seen and all(s.kind == "store" for s in seen):
            return case
    return None


def _elements(count: int) -> str:
    return "only 1 element" if count == 1 else f"{count} elements"


def out_of_bounds(e: CaseEvidence) -> Diagnosis | None:
    """An access reached past the end of a tensor, or no tensor at all.

    Which lanes were outside, and whether a mask let them through, is all that is known. Where the
    address or the mask comes from other lines the fault may lie there: the sentence leads to these, and
    says last where the access stands.
    """
    for case in e.failed:
        for seen in case.seen.out_of_bounds:
            program, shorter = seen.program, ""
            where = f"program {program_texts(program)[0]}{_lane_text(seen)}"
            code = "out-of-bounds-load" if seen.kind == "load" else "out-of-bounds-store"
            line, fact = seen.line, "Its mask is true there." if seen.masked else ""
            if seen.masked and not seen.place and (mask := find_mask_line(e.source, line)):
                line, fact = mask, f"Its mask (line {mask}) is true there."
            if _is_block_unchecked(e, seen):
                code = "missing-mask"
                fact = "The block reaches past the end, and `boundary_check=` names no axis."
            elif not seen.masked and seen.of > 1 and e.masks:
                # A mask alone would only hide a tile that lies elsewhere. Where right answers have
                # none, the address is at fault.
                inside = "No lane of it is inside the tensor. " if _is_idle(seen) else ""
                fact = f"{inside}The {seen.kind} has no `mask=`."
                if seen.first >= 0 and not _has_whole_tiles_only(e):
                    code = "missing-mask"
            reached = f"{_reached_text(e, case, seen)} ({where})."
            if seen.place:
                made = ""
            elif is_in_helper(e.source, seen.line):
                line, made = None, "What a helper accesses is made where it is called, too."
            elif code != "missing-mask" and is_placed_elsewhere(e.source, seen.line, seen.kind):
                line = None
                origins = find_origins(e.source, seen.line, seen.kind)
                made = _places_to_look(origins, seen.masked)
                shorter = _first_place_to_look(origins)
            else:
                made = _address_text(e, seen)
            last = ""
            if line is None and not seen.place:
                reached = f"{_reached_text(e, case, seen, named=False)} ({where})."
                last = f"The {seen.kind} is in line {seen.line}."
            said = [reached, fact, made, last]
            message, detail = _shorten(said, [reached, fact, shorter, last])
            return Diagnosis(code, message, line, program, detail)
    return None


def _reached_text(
    e: CaseEvidence, case: CaseFacts, seen: OutOfBoundsAccess, *, named: bool = True
) -> str:
    """Say which element an access reached, and from which tensor if that is another one. The line of
    the access is said first if it is `named`."""
    if not seen.tensor:
        what = _with_capital(seen.place) or f"`{e.code_at(seen.line)}`"
        what = what if named else "The program"
        return f"{what} {seen.kind}s through a pointer into no tensor"
    tensors = {
        name
        for launch in case.seen.kernels
        for name, argument in launch.args.items()
        if argument.kind == "tensor"
    }
    reached = f"element {seen.first} of `{seen.tensor}`, which has {_elements(seen.elements)}"
    if seen.place:
        return f"{_with_capital(seen.place)} {seen.kind}s {reached}"
    base = find_pointer_base(e.source, seen.line, tensors)
    who = f"Line {seen.line} {seen.kind}s" if named else f"A {seen.kind} reaches"
    if base not in ("", seen.tensor):
        base_text = f"`{base}`, from which its address is made"
        who = f"{who} {'outside' if named else 'past'} {base_text}"
        return f"{who}: memory beside the tensor, {reached}"
    return f"{who} {reached}"


def _address_text(e: CaseEvidence, seen: OutOfBoundsAccess) -> str:
    """Say where the parts of an address are set: its fault is seldom in the line of the access."""
    origins = find_origins(e.source, seen.line, seen.kind)
    if origins is None or not origins.address or origins.accesses > 1:
        return ""
    return f"Its address is made of {_names_text(origins.address)}."


def _places_to_look(origins: Origins | None, masked: bool) -> str:
    """Name what makes the address and the mask of an access, without a word on which is at fault."""
    if origins is None:
        return ""
    address, mask = _names_text(origins.address), _names_text(origins.mask)
    said = [f"its address, {address}" if address else "", f"its mask, {mask}" if mask else ""]
    text = f"Look at what makes {', and '.join(filter(None, said))}"
    own = ", and at the mask itself" if masked and not mask else ""
    return f"{text}{own}.{_further_text(origins)}"


def _first_place_to_look(origins: Origins | None) -> str:
    """Name one of the places that `_places_to_look` names."""
    if origins is None:
        return ""
    what, parts = ("address", origins.address) if origins.address else ("mask", origins.mask)
    first = dict(list(parts.items())[:1])
    return f"Look first at what makes its {what}, {_names_text(first)}." if first else ""


def _shorten(said: list[str], shorter: list[str]) -> tuple[str, str]:
    """Return these sentences on an access as one text, and no detail; where they are too long the
    shorter ones, and all of them as the detail."""
    whole, short = (" ".join(filter(None, sentences)) for sentences in (said, shorter))
    return (whole, "") if len(whole) <= _MOST_SAID else (short, whole)


def _further_text(origins: Origins) -> str:
    """Name the lines on the way to what makes an access, the launch last."""
    behind = [_ranges_text(origins.further)] if origins.further else []
    behind += [f"the launch (line {origins.launch})"] if origins.launch else []
    return f" That comes from {' and '.join(behind)}." if behind else ""


def _names_text(parts: dict[str, list[int]]) -> str:
    named = list(parts.items())[:_MOST_PARTS]
    return join_with_and([f"`{name}` ({_lines_text(lines)})" for name, lines in named])


def _ranges_text(lines: list[int]) -> str:
    """Return `line 4` or `lines 4, 6–8 and 10`."""
    ranges: list[list[int]] = []
    for line in lines:
        if ranges and line == ranges[-1][1] + 1:
            ranges[-1][1] = line
        else:
            ranges.append([line, line])
    said = [f"{first}–{last}" if first < last else f"{first}" for first, last in ranges]
    return f"line{'s' if len(lines) > 1 else ''} {join_with_and(said)}"


def _lines_text(lines: list[int]) -> str:
    return (
        f"line{'s' if len(lines) > 1 else ''} {join_with_and(list(map(str, lines[:_MOST_PARTS])))}"
    )


def _with_capital(place: str) -> str:
    return place[:1].upper() + place[1:]


def _is_block_unchecked(e: CaseEvidence, seen: OutOfBoundsAccess) -> bool:
    """Return True if the access is that of a block pointer that checks no axis."""
    code = e.code_at(seen.line)
    called = re.search(r"tl\.(?:load|store)\((\w+)\s*[,)]", code)
    made = called and re.search(rf"\b{called[1]}\s*=\s*tl\.(?:make_block_ptr|advance)\b", e.source)
    return bool(made) and "boundary_check=" not in code


def _is_idle(seen: OutOfBoundsAccess) -> bool:
    """Return True if no lane of the access is inside the tensor."""
    return seen.lanes == seen.of > 1


def _has_whole_tiles_only(e: CaseEvidence) -> bool:
    """Return True if each tensor that a program leaves has whole tiles, and the program has none of
    them: a mask would hide the wrong place."""
    seen = [s for case in e.failed for s in case.seen.out_of_bounds]
    return all(_is_idle(s) and s.tensor and s.elements % s.of == 0 for s in seen)


def _lane_text(seen: OutOfBoundsAccess) -> str:
    """Return the first lane outside the tensor and the number of such lanes, or "" for a scalar."""
    if seen.of < 2:
        return ""
    lane, tile = list(seen.lane), list(seen.tile)
    which = f"{lane[0]} of {tile[0]}" if len(tile) == 1 else f"{lane} of {tile}"
    alone = seen.lanes == 1
    return f", lane {which}" + ("" if alone else f", the first of {seen.lanes} lanes outside")


def also_out_of_bounds(e: CaseEvidence) -> Diagnosis | None:
    """Name the access that a missing mask led to."""
    first = out_of_bounds(e)
    if first is None or first.code != "missing-mask":
        return None
    kind = next(s.kind for c in e.failed for s in c.seen.out_of_bounds)
    code = "out-of-bounds-load" if kind == "load" else "out-of-bounds-store"
    return Diagnosis(
        code,
        f"The {kind} was stopped before it touched other memory; on a GPU it would have gone "
        "through or killed the context.",
        line=first.line,
        program_id=first.program_id,
    )


def guard_band(e: CaseEvidence) -> Diagnosis | None:
    """The guard bytes around a tensor were overwritten, seen after the call."""
    for case in e.failed:
        if case.guard_broken:
            return Diagnosis(
                "out-of-bounds-store",
                f"Something was written just outside `{case.guard_broken}` in the case "
                f"“{case.name}”: a store went past the end of a tensor.",
            )
    return None


def same_place(e: CaseEvidence) -> Diagnosis | None:
    """Find a launch whose programs all store to the same place and leave the rest unwritten.

    If the rest is written too, or if there is no rest, the programs share an output: that is a race.
    """
    for case in e.failed:
        for seen in case.seen.same_stores:
            if seen.programs > 1 and case.pattern and case.pattern.unwritten:
                return Diagnosis(
                    "wrong-program-id",
                    f"All {seen.programs} programs store to the same place in `{seen.tensor}`, "
                    f"{elements_text(seen.first, seen.last)} ({line_text(seen.line, seen.place)}), "
                    "and nothing writes the rest. The offsets must depend on `tl.program_id`, along the "
                    "axis of the grid.",
                    line=seen.line,
                )
    return None


def modified_input(e: CaseEvidence) -> Diagnosis | None:
    """A tensor of the caller's holds other values after the call."""
    for case in e.failed:
        if case.changed:
            back = " and returned" if case.alias == case.changed else ""
            return Diagnosis(
                "input-modified",
                f"`{case.changed}` was changed{back}: the caller's tensor no longer holds what it "
                "held. Write to a tensor of your own.",
            )
    return None


def counted_padding(e: CaseEvidence) -> Diagnosis | None:
    """Find masked lanes that enter the result: a rerun with a neutral value in them was right."""
    for case in e.failed:
        if case.neutral is None:
            continue
        loads = sorted(_masked_loads(case), key=lambda load: load.line or 0)
        # A load that fills its masked lanes with the very value that made the case right is not it.
        loads = [load for load in loads if load.fill != case.neutral] or loads
        seen = loads[0] if loads else MaskedLanes(None, 0)
        neutral = {float("inf"): "inf", float("-inf"): "-inf"}.get(
            case.neutral, f"{case.neutral:g}"
        )
        where = (
            f"the load in {line_text(seen.line, seen.place)} masks {seen.lanes} "
            f"lane{'s' if seen.lanes > 1 else ''}"
        )
        why = "What `other=` puts into the masked lanes is not neutral here"
        if seen in case.seen.undefined:
            why = "Without `other=` a masked lane holds anything"
        lines = list(dict.fromkeys(line_text(load.line, load.place) for load in loads if load.line))
        if len(lines) > 1:  # nothing says which of them it is
            where = f"the loads in {' and '.join(lines[:3])} mask lanes"
            why = "In one of them the masked lanes hold something that is not neutral"
        return Diagnosis(
            "missing-mask",
            f"Lanes outside the tensor take part in your result: {where} off, and all lanes are "
            f"counted. {why}; with {neutral} in them the case “{case.name}” is right.",
            line=seen.line,
        )
    return None


def _masked_loads(case: CaseFacts) -> list[MaskedLanes]:
    """Return one load of each line that masks lanes off, for each value that it fills them with."""
    loads = (*case.seen.undefined, *case.seen.padded)
    return list({(load.line, load.place, load.fill): load for load in loads}.values())


def race(e: CaseEvidence) -> Diagnosis | None:
    """Two programs of a launch touch the same element, and one of them stores."""
    for case in e.failed:
        for seen in case.seen.races:
            ordered = ""
            if case.seen.atomics:
                ordered = (
                    " They also use an atomic operation; the judge does not see whether it makes one "
                    "wait for the other, so it does not accept this."
                )
            said = f"Programs of a launch run at the same time and in no order.{ordered}"
            kind = "load" if seen.verb == "loads" else "store"
            placed = not seen.place and is_placed_elsewhere(e.source, seen.line, kind)
            origins = find_origins(e.source, seen.line, kind)
            if placed and origins and origins.address and (both := both_store_text(seen)):
                stands = f"The store is in line {seen.line}."
                names = _names_text(origins.address)
                comes = f"The address comes from {names}.{_further_text(origins)}"
                message, detail = _shorten(
                    [f"{both}. {said}", comes, stands],
                    [f"{both}. {said}", _first_place_to_look(origins), stands],
                )
                return Diagnosis("race", message, program_id=seen.program, detail=detail)
            return Diagnosis(
                "race",
                f"{meeting_text(seen)}. {said}",
                line=None if placed else seen.line,
                program_id=seen.program,
            )
    return None


def meeting_lanes(e: CaseEvidence) -> Diagnosis | None:
    """Two lanes of one store write different numbers to the same element."""
    for case in e.failed:
        for seen in case.seen.lanes:
            (program,) = program_texts(seen.program)
            one, other = (n[0] if len(n) == 1 else list(n) for n in (seen.lane, seen.other))
            return Diagnosis(
                "race",
                f"Lanes {one} and {other} of program {program} store different numbers to "
                f"`{seen.tensor}[{seen.element}]` ({line_text(seen.line, seen.place)}, case "
                f"“{case.name}”). Which of them stays there is not defined.",
                line=seen.line,
                program_id=seen.program,
            )
    return None


def order_dependence(e: CaseEvidence) -> Diagnosis | None:
    """Find a plain access that meets an atomic one where the order of programs changes the output."""
    for case in e.failed:
        for seen in case.seen.clashes if case.order_counts else ():
            return Diagnosis(
                "race",
                f"{meeting_text(seen)}. Programs run in no order, and another order gives another "
                f"result (case “{case.name}”). What comes first or last needs a launch alone.",
                line=seen.line,
                program_id=seen.program,
            )
    return None


@dataclass(frozen=True)
class Observation:
    """A rule, and what it sees in a case alone, if that has a smaller example.

    `same` is equal for two cases that are wrong for one reason, and () where the rule sees nothing;
    `says` is half a sentence about it. A rule without them compares cases, or is about something that no
    smaller arguments make plainer.
    """

    rule: Rule
    same: Callable[[CaseFacts], Reason] = lambda case: ()
    says: Callable[[CaseFacts], str] = lambda case: ""


def _same_error(case: CaseFacts) -> Reason:
    if not case.raised or case.seen.out_of_bounds:
        return ()
    return case.raised.type, case.raised.line


def _error_text(case: CaseFacts) -> str:
    assert case.raised
    where = f"line {case.raised.line} " if case.raised.line else ""
    return f"{where}raises {case.raised.type}"


def _shapes_text(case: CaseFacts) -> str:
    assert case.shape
    return f"the output has shape {list(case.shape[0])}, not {list(case.shape[1])}"


def _same_access(case: CaseFacts) -> Reason:
    seen = case.seen.out_of_bounds
    return (seen[0].line, seen[0].place, seen[0].kind) if seen else ()


def _access_text(case: CaseFacts) -> str:
    first = case.seen.out_of_bounds[0]
    what = first.place or f"a {first.kind}"
    verb = f"{first.kind}s" if first.place else "reaches"
    if not first.tensor:
        return f"{what} {verb if first.place else 'goes'} through a pointer into no tensor"
    return f"{what} {verb} element {first.first} of `{first.tensor}`, which has {first.elements}"


def _written_text(case: CaseFacts) -> str:
    return f"`{case.changed or case.guard_broken}` or memory beside it is written"


def _race_text(case: CaseFacts) -> str:
    text = both_store_text(case.seen.races[0]) or meeting_text(case.seen.races[0])
    return text[0].lower() + text[1:]


def _same_race(case: CaseFacts) -> Reason:
    races = case.seen.races
    return tuple(sorted((races[0].line or 0, races[0].other_line or 0))) if races else ()


OBSERVATIONS: tuple[Observation, ...] = (
    Observation(precedence),
    Observation(dropped_keywords),
    Observation(exception, _same_error, _error_text),
    Observation(stopped_ranks),
    Observation(
        wrong_rewrite,
        lambda case: (case.rewrite.reason,) if case.rewrite else (),
        lambda case: case.rewrite.sentence.rstrip(".") if case.rewrite else "",
    ),
    Observation(swallowed_error),
    Observation(wrong_type),
    Observation(did_not_launch),
    Observation(wrong_device),
    Observation(wrong_dtype),
    Observation(wrong_shape, lambda case: ("shape",) if case.shape else (), _shapes_text),
    Observation(only_compiled),
    Observation(not_contiguous),
    Observation(strides),
    Observation(out_of_bounds, _same_access, _access_text),
    Observation(also_out_of_bounds),
    Observation(
        guard_band, lambda case: (case.guard_broken,) * bool(case.guard_broken), _written_text
    ),
    Observation(same_place),
    Observation(modified_input, lambda case: (case.changed,) * bool(case.changed), _written_text),
    Observation(counted_padding),
    Observation(race, _same_race, _race_text),
    Observation(meeting_lanes),
    Observation(order_dependence),
)
OBSERVED: tuple[Rule, ...] = tuple(row.rule for row in OBSERVATIONS)


def find_reason(case: CaseFacts) -> tuple[Reason, str]:
    """Return why a case is wrong, such that two cases that are wrong for one reason compare equal, and
    half a sentence on it; "" for wrong numbers.

    () for a case that is right, or wrong by something that no smaller arguments make plainer. The order
    is that of the rules, so the reason is that of the finding that stands first.
    """
    if case.passed or case.returned or case.device or case.only_compiled:
        return (), ""
    for row in OBSERVATIONS:
        if same := row.same(case):
            return (row.rule.__name__, *same), row.says(case)
    return (("values",) if case.pattern else ()), ""
