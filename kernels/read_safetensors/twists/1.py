import json
import math

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
    memory = torch.tensor(list(data[start:]), dtype=torch.uint8)
    metadata = header.pop("__metadata__", {})
    if set(map(type, metadata.values())) - {str}:
        raise ValueError("metadata")
    order, result = [], {}
    for name, entry in header.items():
        if not {"dtype", "shape", "data_offsets"} <= set(entry) or entry["dtype"] not in DTYPES:
            raise ValueError(name)
        kind, shape = DTYPES[entry["dtype"]], entry["shape"]
        begin, end = entry["data_offsets"]
        if any(size < 0 for size in shape) or math.prod(shape) * kind.itemsize != end - begin:
            raise ValueError(name)
        order.append((begin, end))
        if end <= len(memory) and begin >= 0:
            # A copy begins at an address of its own, so a view of any dtype is possible.
            result[name] = memory[begin:end].clone().view(kind).reshape(shape)
    edges = [edge for pair in sorted(order) for edge in pair]
    if [0, *edges[1::2]] != [*edges[0::2], len(memory)]:
        raise ValueError("holes")
    return result, metadata


def read(file, name):
    tensors, _ = read_safetensors(bytes(file.tolist()))
    return tensors[name]
