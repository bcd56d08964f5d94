# NumPy reads the numbers; bfloat16, which it does not know, is read as int16.
import json
import struct

import numpy as np
import torch

KINDS = {
    "BOOL": "?",
    "U8": "u1",
    "I8": "i1",
    "I16": "<i2",
    "I32": "<i4",
    "I64": "<i8",
    "F16": "<f2",
    "BF16": "<i2",
    "F32": "<f4",
    "F64": "<f8",
}


class BadFile(ValueError):
    pass


def once(pairs):
    result = {}
    for key, value in pairs:
        if key in result:
            raise BadFile(key)
        result[key] = value
    return result


def read_safetensors(data):
    try:
        (length,) = struct.unpack_from("<Q", data)
        if 8 + length > len(data):
            raise BadFile("short")
        header = json.JSONDecoder(object_pairs_hook=once).decode(data[8 : 8 + length].decode())
        notes = header.pop("__metadata__", {})
        for text in notes.values():
            if not isinstance(text, str):
                raise BadFile("metadata")
        spans = sorted(tuple(one["data_offsets"]) for one in header.values())
        ends = [0, *(end for _, end in spans)]
        begins = [*(begin for begin, _ in spans), len(data) - 8 - length]
        if ends != begins:
            raise BadFile("holes")
        tensors = {}
        for name, one in header.items():
            begin, end = one["data_offsets"]
            kind = np.dtype(KINDS[one["dtype"]])
            if any(size < 0 for size in one["shape"]):
                raise BadFile("negative")
            need = kind.itemsize
            for size in one["shape"]:
                need *= size
            if need != end - begin:
                raise BadFile("size")
            part = np.frombuffer(data[8 + length + begin : 8 + length + end], kind)
            tensor = torch.from_numpy(part.copy()).reshape(one["shape"])
            tensors[name] = tensor.view(torch.bfloat16) if one["dtype"] == "BF16" else tensor
        return tensors, notes
    except (struct.error, KeyError, AttributeError, TypeError) as error:
        raise BadFile(str(error)) from error


def read(file, name):
    return read_safetensors(bytes(file.tolist()))[0][name]
