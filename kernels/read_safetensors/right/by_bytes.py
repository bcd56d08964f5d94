# Bytes become a tensor of uint8, which `view` gives its dtype; marks in place of a sort.
import json
import math

import torch

SIZES = {
    "BOOL": 1,
    "U8": 1,
    "I8": 1,
    "I16": 2,
    "I32": 4,
    "I64": 8,
    "F16": 2,
    "BF16": 2,
    "F32": 4,
    "F64": 8,
}
NAMES = {"U": "uint", "I": "int", "F": "float", "B": "bfloat"}


def kind_of(name):
    if name == "BOOL":
        return torch.bool
    return getattr(torch, NAMES[name[0]] + name.lstrip("UIBF"))


def refuse(wrong, why):
    if wrong:
        raise ValueError(why)


def pairs_once(pairs):
    keys = [key for key, _ in pairs]
    refuse(len(set(keys)) != len(keys), "a key twice")
    return dict(pairs)


def read_safetensors(data):
    refuse(len(data) < 8, "no length")
    length = sum(byte << (8 * place) for place, byte in enumerate(data[:8]))
    refuse(length > len(data) - 8, "no header")
    header = json.loads(str(data[8 : 8 + length], "utf-8"), object_pairs_hook=pairs_once)
    refuse(type(header) is not dict, "no object")
    body = data[8 + length :]
    marks = bytearray(len(body))
    tensors, notes = {}, {}
    for name in header:
        if name == "__metadata__":
            notes = header[name]
            refuse(any(type(text) is not str for text in notes.values()), "no text")
            continue
        one = header[name]
        for key in ("dtype", "shape", "data_offsets"):
            refuse(key not in one, f"no {key}")
        refuse(one["dtype"] not in SIZES, "dtype")
        refuse(min(one["shape"], default=0) < 0, "negative")
        begin, end = one["data_offsets"]
        refuse(end - begin != SIZES[one["dtype"]] * math.prod(one["shape"]), "size")
        refuse(begin < 0 or end > len(body), "outside")
        for at in range(begin, end):
            refuse(marks[at], "overlap")
            marks[at] = 1
        kind = kind_of(one["dtype"])
        raw = torch.tensor(list(body[begin:end]), dtype=torch.uint8)
        tensors[name] = raw.view(kind).reshape(one["shape"])
    refuse(0 in marks, "hole")
    return tensors, dict(notes)


def read(file, name):
    tensors, _ = read_safetensors(bytes(file.tolist()))
    return tensors[name]
