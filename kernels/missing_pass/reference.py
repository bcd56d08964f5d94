import json
from pathlib import Path

import torch

from tutor.judge.spec import Case, Work

# Recorded by tests/content/record_listings.py, which says how.
LISTINGS = json.loads((Path(__file__).parent / "listings.json").read_text("utf-8"))["listings"]
NONE, COALESCE, LAYOUTS, LOCALITY, PIPELINE = range(5)
BITS = {"128": 128, "64": 64, "U16": 16, "S16": 16, "U8": 8, "S8": 8}


def reference(whole, without):
    before, after = evidence(whole), evidence(without)
    signs = (
        (COALESCE, after[0] < before[0]),
        (PIPELINE, before[1] > 0 == after[1]),
        (LAYOUTS, after[2] > before[2]),
        (LOCALITY, after[3] > before[3]),
        (NONE, True),
    )
    verdict = next(name for name, holds in signs if holds)
    return torch.tensor([[*before, NONE], [*after, verdict]])


def evidence(listing):
    """Count in one walk. A branch back to a label makes a loop of what stands between them."""
    label_at, families, inside = {}, [], []
    width = 0
    for line in listing.splitlines():
        if line.endswith(":"):
            label_at[line[:-1]] = len(families)
            continue
        words = line.split()
        family, *parts = words[words[0].startswith("@")].split(".")
        families.append(family)
        inside.append(False)
        if family in ("LDG", "LDGSTS"):
            width = max(width, next((BITS[part] for part in parts if part in BITS), 32))
        if family == "BRA" and (begin := label_at.get(words[-1].strip("`()"))) is not None:
            inside[begin:] = [True] * (len(inside) - begin)
    shuffles = sum(f == "SHFL" and looped for f, looped in zip(families, inside, strict=True))
    return [width, families.count("LDGSTS"), families.count("STS"), shuffles]


eager = reference


def work(whole, without):
    return Work(bytes=len(whole) + len(without) + 80, flops=0)


def recorded(kernel, name):
    """A case of two listings of Triton's: with all passes, and without the named one."""
    rows = LISTINGS[kernel]
    what = name or "any pass left out twice"
    return Case(f"{kernel}: {what}", lambda g: (rows[""], rows[name]))


def written(name, before, after):
    """A case of two short listings of our own; `/` begins a new line."""
    texts = tuple("\n".join(text.strip() for text in each.split("/")) for each in (before, after))
    return Case(name, lambda g: texts)


CASES = (
    written(
        "five instructions",
        "S2R R0, SR_TID.X / LDG.E.64 R2, desc[UR4][R4.64] / FADD R2, R2, R3 / "
        "STG.E.64 desc[UR4][R6.64], R2 / EXIT",
        "S2R R0, SR_TID.X / LDG.E R2, desc[UR4][R4.64] / FADD R2, R2, R3 / "
        "STG.E desc[UR4][R6.64], R2 / EXIT",
    ),
    written(
        "nothing is read, though LDGDEPBAR begins like a read",
        "LDGDEPBAR / STG.E.128 desc[UR4][R6.64], R8 / EXIT",
        "STG.E desc[UR4][R6.64], R8 / LDGDEPBAR / EXIT",
    ),
    written(
        "bytes",
        "@P0 LDG.E R2, desc[UR4][R4.64] / EXIT",
        "@P0 LDG.E.U8 R2, desc[UR4][R4.64] / @P1 LDG.E.S8 R3, desc[UR4][R6.64] / EXIT",
    ),
    written(
        "halves with a sign",
        "LDG.E.U16 R2, desc[UR4][R4.64] / LDG.E.S16 R3, desc[UR4][R6.64] / EXIT",
        "@P0 LDG.E.S16.CONSTANT R2, desc[UR4][R4.64] / EXIT",
    ),
    written(
        "fewer copies are copies still",
        "LDGSTS.E.BYPASS.LTC128B.128 [R3], [R4.64] / LDGSTS.E.BYPASS.LTC128B.128 [R5], [R6.64] / EXIT",
        "LDGSTS.E.BYPASS.LTC128B.128 [R3], [R4.64] / EXIT",
    ),
    written(
        "one copy, and then none",
        "LDGSTS.E.BYPASS.LTC128B.128 [R3], [R4.64] / EXIT",
        "LDG.E.128 R4, [R4.64] / STS.128 [R3], R4 / EXIT",
    ),
    written(
        "narrow copies",
        "LDGSTS.E.LTC128B.64 [R3], [R4.64] / EXIT",
        "LDGSTS.E.LTC128B [R3], [R4.64] / LDG.E.S16 R2, [R6.64] / EXIT",
    ),
    written(
        "wider than before",
        "LDG.E.64 R2, [R4.64] / EXIT",
        "LDG.E.128 R4, [R4.64] / LDS R3, [R0] / EXIT",
    ),
    written(
        "more shuffles, but none in a loop",
        ".L_x_0: / SHFL.BFLY PT, R3, R2, 0x10, 0x1f / @P0 BRA `(.L_x_0) / EXIT",
        ".L_x_0: / SHFL.BFLY PT, R3, R2, 0x10, 0x1f / @P0 BRA `(.L_x_0) / "
        "SHFL.BFLY PT, R3, R2, 0x8, 0x1f / SHFL.BFLY PT, R3, R2, 0x4, 0x1f / EXIT",
    ),
    written(
        "a shuffle that is no butterfly",
        ".L_x_0: / SHFL.BFLY PT, R3, R2, 0x10, 0x1f / @P0 BRA `(.L_x_0) / EXIT",
        ".L_x_0: / SHFL.BFLY PT, R3, R2, 0x10, 0x1f / SHFL.IDX PT, R3, R3, RZ, 0x1f / "
        "@P0 BRA `(.L_x_0) / EXIT",
    ),
    written(
        "more instructions, nothing else",
        "LDG.E R2, [R4.64] / STS [R0], R2 / EXIT",
        "LDG.E R2, [R4.64] / STS [R0], R2 / LDS R2, [R0] / BAR.SYNC 0x0 / FADD R2, R2, R2 / EXIT",
    ),
    written(
        "fewer stores, and fewer shuffles in the loop",
        ".L_x_0: / SHFL.BFLY PT, R3, R2, 0x10, 0x1f / STS [R0], R2 / STS [R0+0x4], R3 / "
        "@P0 BRA `(.L_x_0) / EXIT",
        ".L_x_0: / STS [R0], R2 / @P0 BRA `(.L_x_0) / EXIT",
    ),
    written(
        "as many stores, and fewer shuffles in the loop",
        ".L_x_0: / SHFL.BFLY PT, R3, R2, 0x10, 0x1f / STS [R0], R2 / @P0 BRA `(.L_x_0) / EXIT",
        ".L_x_0: / STS [R0], R2 / @P0 BRA `(.L_x_0) / EXIT",
    ),
    written(
        "one store more",
        "LDG.E R2, [R4.64] / STS [R0], R2 / STS [R0+0x4], R2 / EXIT",
        "LDG.E R2, [R4.64] / STS [R0], R2 / STS [R0+0x4], R2 / STS [R0+0x8], R2 / EXIT",
    ),
    *(recorded(kernel, name) for kernel in LISTINGS for name in LISTINGS[kernel] if name),
    recorded("add for sm_90", ""),
)
TIMING = recorded("product for sm_80", "remove_layout_conversions")
