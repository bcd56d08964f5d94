# One writable copy of all the data; tensors are parts of it that do not meet.
import json
from math import prod

import torch

DTYPES = {
    "BOOL": torch.bool,
    "U8": torch.uint8,
    "I8": torch.int8,
    "I16": torch.int16,
    "I32": torch.int32,
    "I64": torch.int64,
    "F16": torch.float16,
    "BF16": torch.bfloat16,
    "F32": torch.float32,
    "F64": torch.float64,
}


def checked(pairs):
    if len({key for key, _ in pairs}) != len(pairs):
        raise ValueError("twice")
    return dict(pairs)


def read_safetensors(data):
    if len(data) < 8 or int.from_bytes(data[:8], "little") > len(data) - 8:
        raise ValueError("early")
    start = int.from_bytes(data[:8], "little") + 8
    header = json.loads(data[8:start].decode(), object_pairs_hook=checked)
    if not isinstance(header, dict):
        raise ValueError("object")
    memory = bytearray(data[start:])
    metadata = header.pop("__metadata__", {})
    if set(map(type, metadata.values())) - {str}:
        raise ValueError("metadata")
    order, result = [], {}
    for name, entry in header.items():
        try:
            kind, shape = DTYPES[entry["dtype"]], entry["shape"]
            begin, end = entry["data_offsets"]
        except KeyError as missing:
            raise ValueError(name) from missing
        if any(size < 0 for size in shape) or prod(shape) * kind.itemsize != end - begin:
            raise ValueError(name)
        if begin < 0 or end > len(memory):
            raise ValueError(name)
        order.append((begin, end))
        result[name] = torch.empty(shape, dtype=kind)
        if begin < end:
            part = torch.frombuffer(memory, dtype=kind, offset=begin, count=prod(shape))
            result[name] = part.reshape(shape)
    order.sort()
    edges = [edge for pair in order for edge in pair]
    if [0, *edges[1::2]] != [*edges[0::2], len(memory)]:
        raise ValueError("holes")
    return result, metadata


def read(file, name):
    tensors, _ = read_safetensors(bytes(file.tolist()))
    return tensors[name]
