"""Explain what TVM says when it refuses a step of a schedule. Pure.

TVM's message shows the whole program, with marks, and names loops as `tirx.For#0`. `shorten_refusal`
keeps the step and the reason, with the names that loops and blocks have in the program. The messages
are those of TVM 0.27; `tests/judge/diagnosis/test_tvm_errors.py` provokes each.
"""

import re

from tutor.judge.diagnosis.error_pattern import ErrorPattern as Row

REFUSED = "ScheduleError"  # the type of an error that `shorten_refusal` has made

_STEP = re.compile(r"in the schedule primitive '([\w-]+)'")
_MARK = re.compile(
    r"^\s*# (?:s_)?tirx?\.(For#\d+|SBlock#\d+)\n(?:\s*\^+\n)?"
    r"\s*(?:for (\w+) in|with T\.sblock\(\"(\w+)\")",
    re.MULTILINE,
)
_OBJECT = re.compile(r"\b(?:s_)?tirx?\.(For#\d+|SBlock#\d+)")
_STEPS = {"get-block": "get_sblock", "get-loops": "get_loops"}  # others: with `_` for `-`


def shorten_refusal(said: str) -> str:
    """Return `split: reason` for the text of a `ScheduleError`, with the program's own names."""
    names = {mark: loop or block for mark, loop, block in _MARK.findall(said)}
    step = _STEP.search(said)
    reason = said.rpartition("Error message: ")[2].removeprefix("ScheduleError: ")
    reason = _OBJECT.sub(
        lambda found: f"`{names.get(found[1], found[1])}`", " ".join(reason.split())
    )
    if step is None:
        return reason
    return f"{_STEPS.get(step[1], step[1].replace('-', '_'))}: {reason}"


_NAME = "`([^`]+)`"
TVM: tuple[Row, ...] = (
    Row(
        REFUSED,
        rf'^bind: The "bind" cannot be fulfilled with regard to block {_NAME}',
        "refused-step",
        "TVM refuses `bind`: in the block `{0}` that loop takes part in a sum, and different blocks of "
        "threads would add to the same cell. Take a loop over the cells of the result",
    ),
    Row(
        REFUSED,
        rf"^(parallel|vectorize): .* block {_NAME} because some block iter whose block binding "
        r"contains the loop var is not a data parallel",
        "refused-step",
        "TVM refuses `{0}`: in the block `{1}` several turns of that loop add to the same cell, so they "
        "cannot run at the same time. Take a loop over the cells of the result",
    ),
    Row(
        REFUSED,
        rf"^(\w+): The queried subtree root {_NAME} in SRef tree does not have compact dataflow, "
        rf"because its child block {_NAME}",
        "refused-step",
        "TVM refuses `{0}`: inside loop `{1}` stands the block `{2}`, which neither computes its cells "
        "in one turn nor is a whole reduction with its first value, as after `decompose_reduction`",
    ),
    Row(
        REFUSED,
        rf"^split: The product of factors is not larger than or equal to the extent of loop {_NAME}",
        "refused-step",
        "TVM refuses `split`: the factors multiplied are fewer than the turns of loop `{0}`. With None "
        "for one factor TVM computes it",
    ),
    Row(
        REFUSED,
        r"^split: Only one factor can be specified as -1 or none",
        "refused-step",
        "TVM refuses `split`: more than one factor is None, so nothing says how large they are",
    ),
    Row(
        REFUSED,
        rf"^fuse: The loops can't be fused because the outer loop {_NAME} is not the parent of the "
        rf"inner loop {_NAME}",
        "refused-step",
        "TVM refuses `fuse`: loop `{1}` does not stand directly inside loop `{0}`. Reorder them first",
    ),
    Row(
        REFUSED,
        rf"^reorder: Loop {_NAME} appears in the input array for multiple times",
        "refused-step",
        "TVM refuses `reorder`: loop `{0}` is named twice",
    ),
    Row(
        REFUSED,
        r"^reorder: The loops are not in a chain",
        "refused-step",
        "TVM refuses `reorder`: the loops are not all around one block, each inside the one before",
    ),
    Row(
        REFUSED,
        rf"^(\w+): Expected the block {_NAME} and loop {_NAME} to be under the same block scope",
        "refused-step",
        "TVM refuses `{0}`: loop `{2}` stands around the block `{1}` already, or in another scope. A "
        "block is moved into a loop of another block",
    ),
    Row(
        REFUSED,
        rf"^compute_at: The block {_NAME} is an output block",
        "refused-step",
        "TVM refuses `compute_at`: the block `{0}` makes the result, and nothing after it could use it "
        "there. `reverse_compute_at` moves a block to one that comes before it",
    ),
    Row(
        REFUSED,
        rf"^(\w+): The block has init statement: {_NAME}",
        "refused-step",
        "TVM refuses `{0}`: the block `{1}` is a reduction, which needs its buffer until the last turn",
    ),
    Row(
        REFUSED,
        rf"^decompose_reduction: decompose_reduction expect the loop {_NAME} to be higher than all the "
        rf"loops related to reduce block var of block {_NAME}",
        "refused-step",
        "TVM refuses `decompose_reduction`: loop `{0}` stands inside a loop of the sum of `{1}`, so the "
        "first value would be set again during the sum. Take a loop outside the whole sum, or its "
        "outermost loop",
    ),
    Row(
        REFUSED,
        rf"^decompose_reduction: The block {_NAME} is not a reduction block",
        "refused-step",
        "TVM refuses `decompose_reduction`: the block `{0}` is no sum that begins with a first value",
    ),
    Row(
        REFUSED,
        r"^get_sblock: Cannot find a block with the name: (.+)",
        "refused-step",
        "There is no block `{0}`. `print(schedule.mod.script())` shows the blocks' names",
    ),
    Row(
        REFUSED,
        rf"^(\w+): The block {_NAME} has (\d+) (\w+) regions?, so `buffer_index`",
        "refused-step",
        "TVM refuses `{0}`: the block `{1}` has {2} buffers that it {3}s, numbered from 0",
    ),
    Row(
        REFUSED,
        rf"^rfactor: The loop to be applied rfactor is {_NAME}, which is required not to be touched",
        "refused-step",
        "TVM refuses `rfactor`: loop `{0}` chooses a cell of the result. It takes a loop of the "
        "reduction",
    ),
    Row(
        REFUSED,
        r'^(\w+): The input storage scope "(.*)" is invalid',
        "refused-step",
        'TVM refuses `{0}`: "{1}" is no kind of memory. There are "global", "shared" and "local"',
    ),
    Row(
        "ValueError",
        r"^The loop no longer exists in the IRModule",
        "refused-step",
        "This loop is gone: a step before, such as `split` or `fuse`, has put others in its place. Use "
        "what that step returned",
    ),
    Row(
        "TypeError",
        r'^In "Schedule\.(\w+)", "\w+" has wrong type\. Expected "(LoopRV|SBlockRV)", but gets: "(\w+)"',
        "refused-step",
        "`{0}` was given a `{2}`. It takes what `get_loops`, `get_sblock` or a step returned ({1})",
    ),
    Row(REFUSED, r"^(\w+): (.{1,240}(?=\. |$)|.{1,240})", "refused-step", "TVM refuses `{0}`: {1}"),
)
