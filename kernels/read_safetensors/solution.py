import json

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


def unique(pairs: list) -> dict:
    """Return the pairs as a dict. Raises `ValueError` for a key that comes twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands twice in the header")
    return found


def read_safetensors(data: bytes) -> tuple[dict[str, torch.Tensor], dict[str, str]]:
    """Return the tensors by name, and the metadata. Raises `ValueError` for a bad file."""
    begin_of_data = 8 + int.from_bytes(data[:8], "little")
    if len(data) < 8 or begin_of_data > len(data):
        raise ValueError("the file ends before its header does")
    # Python's JSON keeps the last of two equal keys, and says nothing: so they are counted.
    header = json.loads(data[8:begin_of_data].decode("utf-8"), object_pairs_hook=unique)
    if not isinstance(header, dict):
        raise ValueError("the header is no object")
    metadata = header.pop("__metadata__", {})
    if not all(isinstance(text, str) for text in metadata.values()):
        raise ValueError("metadata that is no text")
    tensors, taken = {}, []
    for name, entry in header.items():
        if not {"dtype", "shape", "data_offsets"} <= set(entry) or entry["dtype"] not in DTYPES:
            raise ValueError(f"{name}: an entry is missing, or its dtype is unknown")
        dtype, shape = DTYPES[entry["dtype"]], entry["shape"]
        begin, end = entry["data_offsets"]
        count = 1
        for size in shape:
            if size < 0:
                raise ValueError(f"{name}: a size below 0")
            count *= size
        if end - begin != count * dtype.itemsize:
            raise ValueError(f"{name}: its shape and its bytes do not agree")
        if begin < 0 or begin_of_data + end > len(data):
            raise ValueError(f"{name}: its bytes are not in the file")
        taken.append((begin, end))
        # A copy: `bytes` may not be written to, and an empty buffer is refused by `frombuffer`.
        part = bytearray(data[begin_of_data + begin : begin_of_data + end])
        flat = torch.frombuffer(part, dtype=dtype) if part else torch.empty(0, dtype=dtype)
        tensors[name] = flat.reshape(shape)
    at = 0
    # What no tensor names could hide anything, and what two of them name belongs to neither.
    for begin, end in sorted(taken):
        if begin != at:
            raise ValueError(f"a hole or an overlap at byte {at} of the data")
        at = end
    if begin_of_data + at != len(data):
        raise ValueError("the data does not end with the last tensor")
    return tensors, metadata


def read(file: torch.Tensor, name: str) -> torch.Tensor:
    """Return one tensor of the file whose bytes `file` holds. Leave it as it is."""
    tensors, _ = read_safetensors(bytes(file.tolist()))
    return tensors[name]
