import dataclasses
import re

import torch

NONE, COALESCE, LAYOUTS, LOCALITY, PIPELINE = range(5)


@dataclasses.dataclass
class Listing:
    width: int = 0
    copies: int = 0
    stores: int = 0
    shuffles: int = 0

    @classmethod
    def read(cls, text):
        seen = cls()
        lines = text.split("\n")
        for i, line in enumerate(lines):
            opcode = re.sub(r"^@\S+\s+", "", line).split(" ")[0]
            family = opcode.split(".")[0]
            if family in ("LDG", "LDGSTS"):
                seen.width = max(seen.width, seen.bits(opcode))
            seen.copies += family == "LDGSTS"
            seen.stores += family == "STS"
            if family == "SHFL":
                above = {each[:-1] for each in lines[:i] if each.endswith(":")}
                jumps = (re.search(r"BRA.*`\((.*?)\)", each) for each in lines[i + 1 :])
                seen.shuffles += any(jump is not None and jump[1] in above for jump in jumps)
        return seen

    @staticmethod
    def bits(opcode):
        parts = set(opcode.split("."))
        for size in (128, 64):
            if str(size) in parts:
                return size
        if parts & {"U16", "S16"}:
            return 16
        return 8 if parts & {"U8", "S8"} else 32


def missing_pass(whole, without):
    a, b = Listing.read(whole), Listing.read(without)
    if a.width > b.width:
        verdict = COALESCE
    elif a.copies != 0 == b.copies:
        verdict = PIPELINE
    elif a.stores < b.stores:
        verdict = LAYOUTS
    else:
        verdict = LOCALITY if a.shuffles < b.shuffles else NONE
    rows = [(*dataclasses.astuple(a), NONE), (*dataclasses.astuple(b), verdict)]
    return torch.tensor(rows, dtype=torch.long)
