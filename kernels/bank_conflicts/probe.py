"""Asks the learner's swizzle for every place of a tile. Plain values only leave the process."""


def probe(module, device):
    if not callable(getattr(module, "swizzle", None)):
        return {"trouble": "The file has no function `swizzle(row, column)`."}
    tile = [[0] * 16 for _ in range(32)]
    for row in range(32):
        for column in range(16):
            place = module.swizzle(row, column)
            if isinstance(place, bool) or not isinstance(place, int):
                kind = type(place).__name__
                return {"trouble": f"swizzle({row}, {column}) is a {kind}; expected an int."}
            tile[row][column] = max(-1, min(place, 1 << 20))
    return {"tile": tile}
