import json
import runpy
from pathlib import Path

import torch

from tutor.judge.spec import Case, Work

PROBE = runpy.run_path(str(Path(__file__).with_name("probe.py")))
KINDS, GOOD, BAD = PROBE["KINDS"], list(PROBE["good_files"]()), list(PROBE["bad_files"]())


def parts(file):
    """The header of a good file, without its metadata, and the place at which the data begins."""
    data = bytes(int(byte) for byte in file.tolist())
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    return {name: one for name, one in header.items() if name != "__metadata__"}, data, start


def tensor_of(kind, shape, data):
    if not data:
        return torch.empty(shape, dtype=kind)
    return torch.tensor(list(data), dtype=torch.uint8).view(kind).reshape(shape)


def taken(
    file, name, *, base=None, turned=False, flat=False, big=False, elements=False, as_other=None
):
    """The tensor `name`; the options are mistakes."""
    header, data, start = parts(file)
    one = header[name]
    kind, shape = KINDS[(as_other or {}).get(one["dtype"], one["dtype"])], one["shape"]
    begin, end = one["data_offsets"]
    at = start if base is None else base
    if elements:
        begin *= kind.itemsize
        end = begin + one["data_offsets"][1] - one["data_offsets"][0]
    held = (data + bytes(len(data) * 8))[at + begin : at + end]
    if big:
        width = kind.itemsize
        held = b"".join(held[i : i + width][::-1] for i in range(0, len(held), width))
    return tensor_of(kind, [-1] if flat else shape[::-1] if turned else shape, held)


def reference(file, name):
    return taken(file, name)


eager = reference


def near(**change):
    return lambda file, name: taken(file, name, **change)


NEAR_MISSES = (
    ("offsets count from the begin of the file", near(base=0)),
    ("offsets count from byte 8, the begin of the header", near(base=8)),
    ("offsets count elements, and not bytes", near(elements=True)),
    ("the high byte of an element stands first", near(big=True)),
    ("BF16 is read as F16", near(as_other={"BF16": "F16"})),
    ("F16 is read as BF16", near(as_other={"F16": "BF16"})),
)


def work(file, name):
    return Work(bytes=file.numel() + 8, flops=0)


def scale(file, name):
    return 0.0


READS_ALL = False

WHY = {
    "ends early": "The file ends before its header does.",
    "header": "The header is no JSON object in UTF-8.",
    "twice": "A name stands twice.",
    "dtype": "The dtype is none of the ten.",
    "missing": "An entry of the tensor is missing.",
    "size": "Shape, dtype and bytes do not agree.",
    "negative": "A size is below 0.",
    "hole": "A byte of the data belongs to no tensor.",
    "overlap": "A byte of the data belongs to two tensors.",
    "tail": "The last tensor does not end with the file.",
    "metadata": "The metadata has a value that is no text.",
}


def check_found(found):
    """(code, sentence) for the first file that is not read, or not refused, as asked, else None."""
    for (name, data), got in zip(GOOD, found["good"], strict=True):
        if fault := fault_of(name, data, got):
            return "wrong-values", f"`read_safetensors` of the file “{name}”: {fault}"
    for (kind, name, _), how in zip(BAD, found["bad"], strict=True):
        if how != "ValueError":
            return "wrong-values", (
                f"`read_safetensors` has to refuse {name} with ValueError, and {how}. {WHY[kind]}"
            )
    return None


def fault_of(name, data, got):
    """Return what is wrong with the answer for a good file, or ""."""
    if got["fault"]:
        return f"{got['fault']}. The file is in order."
    header, _, _ = parts(torch.tensor(list(data), dtype=torch.uint8))
    names = [one[0] for one in got["tensors"]]
    if sorted(names) != sorted(header):
        return f"the tensors are {names}; the header names {list(header)}."
    if names != list(header):
        return f"the tensors come in the order {names}; the header has {list(header)}."
    for which, dtype, shape, held in got["tensors"]:
        file = torch.tensor(list(data), dtype=torch.uint8)
        want_dtype, want_shape, want = PROBE["described"](taken(file, which))
        if dtype != want_dtype:
            return f"{which!r} is of {dtype}, and not of {want_dtype}."
        if shape != want_shape:
            return f"{which!r} has the shape {shape}, and not {want_shape}."
        if held != want:
            return f"the bytes of {which!r} begin with {held[:16]}; the file has {want[:16]}, and so on."
    start = 8 + int.from_bytes(data[:8], "little")
    noted = json.loads(data[8:start]).get("__metadata__", {})
    if dict(got["metadata"]) != noted:
        return f"the metadata is {dict(got['metadata'])}, and not {noted}."
    if got["writes"]:
        return f"{got['writes']}."
    return ""


def figures(found):
    """Files for the verdict."""
    return {"files read": f"{len(GOOD)}", "bad files refused": f"{len(BAD)}"}


def drawn(g, count):
    return bytes(torch.randint(0, 256, (count,), generator=g, device=g.device).tolist())


def file_of(*rows, which, order=None, metadata=None, view=False):
    """A case: tensors with drawn bytes; the one at place `which` is asked for."""

    def make(g):
        entries = []
        for name, kind, shape in rows:
            data = drawn(g, PROBE["size_of"](kind, shape))
            if kind == "BOOL":
                data = bytes(byte & 1 for byte in data)
            if kind in NUMBERS:  # neither infinite nor NaN
                width, kept = NUMBERS[kind]
                data = b"".join(
                    data[i : i + width - 1] + bytes([data[i + width - 1] & kept])
                    for i in range(0, len(data), width)
                )
            entries.append((name, kind, shape, data))
        made = PROBE["packed"](entries, order=order, metadata=metadata)
        file = torch.tensor(list(made), dtype=torch.uint8)
        return file.repeat_interleave(2)[::2] if view else file, rows[which][0]

    return make


# Of these dtypes: bytes of an element, and which bits of its last byte are kept.
NUMBERS = {"F16": (2, 0xBF), "BF16": (2, 0xBF), "F32": (4, 0xBF), "F64": (8, 0xBF)}

TWO = (("w", "F32", [3, 5]), ("b", "F32", [5]))
MIXED = (
    ("scale", "F16", [4]),
    ("ids", "I64", [3]),
    ("codes", "I8", [2, 7]),
    ("near", "BF16", [2, 2, 3]),
    ("mask", "BOOL", [5]),
    ("bytes", "U8", [4, 2]),
    ("short", "I16", [6]),
    ("wide", "F64", [2, 3]),
    ("word", "I32", [3, 1]),
)
CASES = (
    Case("the first tensor", file_of(*TWO, which=0)),
    Case("the second tensor", file_of(*TWO, which=1)),
    Case("the data in another order", file_of(*TWO, which=0, order=[1, 0])),
    Case("with metadata", file_of(*TWO, which=1, metadata={"format": "pt"}, view=True)),
    *(
        Case(
            f"{row[1]} among others",
            file_of(*MIXED, which=place, order=[8, 2, 0, 5, 7, 4, 1, 3, 6]),
        )
        for place, row in enumerate(MIXED)
    ),
    Case("a scalar", file_of(("w", "F32", [2]), ("step", "I64", []), which=1)),
    Case("an empty tensor", file_of(("w", "F32", [2]), ("none", "F16", [0, 4]), which=1)),
)
