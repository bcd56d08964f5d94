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


def read_safetensors(
    data: bytes,
) -> tuple[dict[str, torch.Tensor], dict[str, str]]:
    """Return the tensors by name, and the metadata."""
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length].decode())
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        # From where do they count? Which dtype, which
        # shape, and which key is no tensor?
        part = bytearray(data[begin:end])
        tensors[name] = torch.frombuffer(part, dtype=torch.uint8)
    # Before you return: what has to be refused?
    return tensors, {}


def read(file: torch.Tensor, name: str) -> torch.Tensor:
    """Return one tensor of the file. Leave it as it is."""
    tensors, _ = read_safetensors(bytes(file.tolist()))
    return tensors[name]
