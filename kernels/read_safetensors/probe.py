"""Has the learner's reader read whole files, good and bad ones. Plain values leave it."""

import json

import torch

KINDS = {
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


def size_of(kind, shape):
    count = 1
    for size in shape:
        count *= size
    return count * KINDS[kind].itemsize


def numbers(count, seed=1):
    """Bytes that look like nothing in particular."""
    return bytes((seed * 83 + 37 * at + at * at // 7) % 251 for at in range(count))


def packed(entries, *, order=None, metadata=None, blanks=0):
    """The bytes of a file. `entries`: name, dtype, shape and bytes, in the order of the header; `order`
    has their places in the order of the data."""
    order = range(len(entries)) if order is None else order
    places, at = {}, 0
    for place in order:
        places[place] = at
        at += len(entries[place][3])
    header = {} if metadata is None else {"__metadata__": metadata}
    for place, (name, kind, shape, data) in enumerate(entries):
        begin = places[place]
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [begin, begin + len(data)]}
    data = b"".join(entries[place][3] for place in order)
    return framed(json.dumps(header, ensure_ascii=False).encode() + b" " * blanks, data)


def framed(header, data, length=None):
    return (len(header) if length is None else length).to_bytes(8, "little") + header + data


def entry(kind, shape, begin, end):
    return {"dtype": kind, "shape": shape, "data_offsets": [begin, end]}


def with_header(header, data, length=None):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return framed(text, data, length)


def every_kind():
    shapes = {"BOOL": [5], "I8": [3], "BF16": [1, 3]}
    entries = []
    for seed, kind in enumerate(
        ("F32", "BOOL", "I64", "U8", "BF16", "I16", "F64", "I8", "F16", "I32")
    ):
        shape = shapes.get(kind, [2, 2])
        data = numbers(size_of(kind, shape), seed)
        if kind == "BOOL":
            data = bytes([1, 0, 0, 1, 1])
        entries.append((f"layer.{seed}", kind, shape, data))
    return entries


NANS = {  # patterns that are no number, and their bytes, low byte first
    "F16": "007c01fe017d",
    "BF16": "817f01ffc07f",
    "F32": "0100807f0100a07f0000c0ff",
    "F64": "010000000000f07f0000000000000080",
}


def good_files():
    """Yield name and bytes of files that are as they should be."""
    yield "every dtype", packed(every_kind())
    yield (
        "every dtype, the data in another order",
        packed(every_kind(), order=[4, 9, 1, 0, 7, 3, 8, 2, 6, 5]),
    )
    yield (
        "patterns that are no number",
        packed(
            [
                (
                    kind,
                    kind,
                    [len(bytes.fromhex(text)) // KINDS[kind].itemsize],
                    bytes.fromhex(text),
                )
                for kind, text in NANS.items()
            ]
        ),
    )
    yield (
        "large integers",
        packed(
            [
                (
                    "count",
                    "I64",
                    [2],
                    (2**62 + 1).to_bytes(8, "little") + (2**53 + 1).to_bytes(8, "little"),
                )
            ]
        ),
    )
    yield (
        "empty tensors and scalars",
        packed(
            [
                ("none", "F32", [0], b""),
                ("step", "I64", [], numbers(8)),
                ("no_rows", "F16", [0, 3], b""),
                ("rate", "F32", [], numbers(4, 2)),
                ("no_columns", "I32", [2, 0, 4], b""),
            ],
            order=[1, 0, 3, 2, 4],
        ),
    )
    yield (
        "an empty tensor that begins where another one does",
        packed([("w", "F32", [2], numbers(8)), ("none", "F32", [0], b"")], order=[1, 0]),
    )
    yield "one empty tensor and no data", packed([("none", "BF16", [3, 0], b"")])
    yield "no tensor", packed([])
    yield "no tensor, but metadata", packed([], metadata={"format": "pt"})
    yield (
        "metadata",
        packed(
            [("w", "F32", [2], numbers(8))], metadata={"format": "pt", "author": "Åsa", "empty": ""}
        ),
    )
    yield (
        "names of any text",
        packed(
            [
                (name, "U8", [3], numbers(3, at))
                for at, name in enumerate(("z", "größe.β", 'a "b"', "", "метадата"))
            ]
        ),
    )
    yield (
        "tensors at odd bytes",
        packed(
            [
                ("mask", "BOOL", [3], b"\1\0\1"),
                ("w", "F32", [2, 3], numbers(24)),
                ("n", "I64", [1], numbers(8)),
            ]
        ),
    )
    yield "a header that ends in blanks", packed([("w", "F32", [3], numbers(12))], blanks=5)
    yield "four axes", packed([("k", "I16", [2, 1, 3, 2], numbers(24))])


def bad_files():
    """Yield the kind of fault, name and bytes of files that must be refused."""
    four = {"w": entry("U8", [4], 0, 4)}
    text = json.dumps(four).encode()
    yield "ends early", "an empty file", b""
    yield "ends early", "7 bytes", bytes(7)
    yield "ends early", "a header that is longer than the file", with_header(four, bytes(4), 1000)
    yield (
        "ends early",
        "a length whose higher four bytes are not 0",
        with_header(four, bytes(4), 2**32 + len(text)),
    )
    yield "ends early", "a length of nearly 2 ** 64", with_header(four, bytes(4), 2**64 - 8)
    yield "ends early", "an object, and the blanks behind it cut off", with_header(b"{}", b"", 12)
    yield "header", "a list in the place of the header", with_header(b"[1, 2]", b"")
    yield "header", "a text in the place of the header", with_header(b'"w"', b"")
    yield "header", "a header that is no JSON", with_header(b"w U8 4", bytes(4))
    yield "header", "a header that is not UTF-8", with_header(text.replace(b"w", b"\xff"), bytes(4))
    yield "header", "a header in UTF-16", with_header(text.decode().encode("utf-16-le"), bytes(4))
    yield "header", "a header without its last bracket", with_header(text[:-1], bytes(4))
    yield (
        "twice",
        "one name for two parts of the data",
        with_header(
            text.replace(b"4", b"2")[:-1]
            + b", "
            + json.dumps({"w": entry("U8", [2], 2, 4)}).encode()[1:],
            bytes(4),
        ),
    )
    yield (
        "twice",
        "one name twice, with the same part",
        with_header(text[:-1] + b", " + text[1:], bytes(4)),
    )
    yield "dtype", "the dtype F7", with_header({"w": entry("F7", [4], 0, 4)}, bytes(4))
    yield "dtype", "the dtype u8", with_header({"w": entry("u8", [4], 0, 4)}, bytes(4))
    for left in ("dtype", "shape", "data_offsets"):
        less = {key: value for key, value in four["w"].items() if key != left}
        yield "missing", f"a tensor without {left}", with_header({"w": less}, bytes(4))
    yield (
        "size",
        "4 bytes for 3 elements of a byte",
        with_header({"w": entry("U8", [3], 0, 4)}, bytes(4)),
    )
    yield (
        "size",
        "4 bytes for 8 elements of a byte",
        with_header({"w": entry("U8", [2, 4], 0, 4)}, bytes(4)),
    )
    yield (
        "size",
        "4 bytes for 4 elements of two bytes",
        with_header({"w": entry("I16", [4], 0, 4)}, bytes(4)),
    )
    yield "size", "4 bytes for no element", with_header({"w": entry("U8", [0, 4], 0, 4)}, bytes(4))
    yield "size", "4 bytes for a scalar of 8", with_header({"w": entry("F64", [], 0, 4)}, bytes(4))
    yield "size", "an end before the begin", with_header({"w": entry("U8", [4], 4, 0)}, bytes(4))
    yield (
        "negative",
        "the sizes -2 and -2",
        with_header({"w": entry("U8", [-2, -2], 0, 4)}, bytes(4)),
    )
    yield (
        "negative",
        "the sizes -1 and 0",
        with_header({"v": entry("U8", [-1, 0], 4, 4), **four}, bytes(4)),
    )
    two = ("U8", [2])
    yield (
        "hole",
        "a byte between two tensors that belongs to none",
        with_header({"v": entry(*two, 0, 2), "w": entry(*two, 3, 5)}, bytes(5)),
    )
    yield "hole", "a byte before the first tensor", with_header({"w": entry(*two, 1, 3)}, bytes(3))
    yield "hole", "offsets below 0", with_header({"w": entry("U8", [4], -4, 0)}, b"")
    yield (
        "overlap",
        "two tensors that share a byte",
        with_header({"v": entry(*two, 1, 3), "w": entry(*two, 0, 2)}, bytes(3)),
    )
    yield (
        "overlap",
        "two tensors that share all their bytes",
        with_header({"v": entry(*two, 0, 2), "w": entry(*two, 0, 2)}, bytes(2)),
    )
    yield (
        "overlap",
        "a hole as long as an overlap",
        with_header(
            {"u": entry(*two, 0, 2), "v": entry(*two, 1, 3), "w": entry(*two, 4, 6)}, bytes(6)
        ),
    )
    yield "tail", "a byte behind the last tensor", with_header(four, bytes(5))
    yield "tail", "bytes and no tensor", with_header({}, bytes(2))
    yield (
        "tail",
        "an end behind the end of the file",
        with_header({"w": entry("U8", [6], 0, 6)}, bytes(4)),
    )
    yield (
        "metadata",
        "a number in the metadata",
        with_header({"__metadata__": {"step": 7}, **four}, bytes(4)),
    )
    yield (
        "metadata",
        "a list in the metadata",
        with_header({"__metadata__": {"of": ["w"]}, **four}, bytes(4)),
    )


def described(tensor):
    """Dtype, shape and bytes of a tensor, or what it is in its place."""
    if not isinstance(tensor, torch.Tensor):
        return [type(tensor).__name__, [], ""]
    flat = tensor.detach().clone().reshape(-1)
    held = bytes(flat.view(torch.uint8).tolist()) if flat.numel() else b""
    return [str(tensor.dtype).removeprefix("torch."), list(tensor.shape), held.hex()]


def probe(module, device):
    return {
        "good": [_read(module, data) for _, data in good_files()],
        "bad": [_refused(module, data) for _, _, data in bad_files()],
    }


def _fresh(data):
    return bytes(bytearray(data))


def _read(module, data):
    """What the reader makes of a good file: a fault, or tensors, metadata, and who shares memory."""
    given = _fresh(data)
    try:
        result = module.read_safetensors(given)
    except Exception as error:
        return {"fault": f"it raises {type(error).__name__}: {error}"}
    if not isinstance(result, tuple) or len(result) != 2:
        return {"fault": f"it returns {type(result).__name__} {result!r:.60}, and not two dicts"}
    tensors, metadata = result
    if not isinstance(tensors, dict) or not isinstance(metadata, dict):
        kinds = f"{type(tensors).__name__} and {type(metadata).__name__}"
        return {"fault": f"it returns {kinds}, and not two dicts"}
    found = [[str(name), *described(tensor)] for name, tensor in tensors.items()]
    return {
        "fault": "",
        "tensors": found,
        "metadata": [[str(key), str(value)] for key, value in metadata.items()],
        "writes": _written(tensors, given, data),
    }


def _written(tensors, given, data):
    """Write to each tensor; say what else changed, or ""."""
    for name, tensor in tensors.items():
        if not isinstance(tensor, torch.Tensor) or not tensor.numel():
            continue
        before = {other: described(each) for other, each in tensors.items() if other != name}
        try:
            turned = ~tensor if tensor.dtype == torch.bool else _turned(tensor)
            tensor.copy_(turned)
        except Exception as error:
            return f"{name!r} cannot be written to: {type(error).__name__}"
        if given != data:
            return f"when {name!r} is written to, `data` changes"
        for other, each in before.items():
            if described(tensors[other]) != each:
                return f"when {name!r} is written to, {other!r} changes"
    return ""


def _turned(tensor):
    """Each bit of the tensor the other way round."""
    flat = tensor.clone().reshape(-1)
    return (~flat.view(torch.uint8)).view(tensor.dtype).reshape(tensor.shape)


def _refused(module, data):
    """How the reader ends for a bad file: "ValueError", or in words."""
    try:
        module.read_safetensors(_fresh(data))
    except ValueError:
        return "ValueError"
    except Exception as error:
        return f"it raises {type(error).__name__}"
    return "it returns"
