import re

# Name, source, permutation, type of the source.
TRANSPOSE = re.compile(
    r"(%\w+) = stablehlo\.transpose (%\w+), "
    r"dims = \[(.*)\] : \((.*)\) ->"
)
# What stands before, left, right, batching axes of
# both (or None), contracted axes of both, types of
# both, what stands behind.
DOT = re.compile(
    r"(.* = stablehlo\.dot_general )(%\w+), (%\w+), "
    r"(?:batching_dims = \[(.*)\] x \[(.*)\], )?"
    r"contracting_dims = \[(.*)\] x \[(.*)\] : "
    r"\((\S+), (\S+)\)( -> .*)"
)


def numbers(text: str | None) -> list[int]:
    """Return the numbers of a list such as `0, 2`."""
    return [int(each) for each in (text or "").split(", ") if each]


def write_dot(begin, names, batching, contracting, types, end) -> str:
    """Return the line of a product; pairs are left, right."""
    batch = f"batching_dims = {batching[0]} x {batching[1]}, "
    return (
        f"{begin}{names[0]}, {names[1]}, "
        f"{batch if batching[0] else ''}"
        f"contracting_dims = {contracting[0]} x {contracting[1]}"
        f" : ({types[0]}, {types[1]}){end}"
    )


def look_through(name, kind, batch, contract, transposes):
    """Return name, type and axes of the earliest tensor that can stand for an operand."""
    best = (name, kind, batch, contract)
    place = list(range(kind.count("x")))  # axis d of the operand is axis place[d] of `name`
    while name in transposes:
        name, dims, kind = transposes[name]
        place = [dims[d] for d in place]
        free = [p for d, p in enumerate(place) if d not in batch + contract]
        # The result has the free axes in the order of the operand, so that order must stay.
        # If it does not, it may again after one more transposition: go on, and keep the best.
        if free == sorted(free):
            best = (name, kind, [place[d] for d in batch], [place[d] for d in contract])
    return best


def stablehlo_edit(text: str) -> str:
    """Return the text with products of untransposed tensors."""
    transposes, lines = {}, []
    for line in text.splitlines():
        if found := TRANSPOSE.search(line):
            name, source, dims, kind = found.groups()
            transposes[name] = (source, numbers(dims), kind)
        elif found := DOT.match(line):
            begin, left, right, *axes, a, b, end = found.groups()
            b0, b1, c0, c1 = map(numbers, axes)
            left = look_through(left, a, b0, c0, transposes)
            right = look_through(right, b, b1, c1, transposes)
            names, types, batching, contracting = zip(left, right, strict=True)
            line = write_dot(begin, names, batching, contracting, types, end)
        lines.append(line)
    # The last ones first: one transposition may have been the only reader of another.
    for line in reversed(list(lines)):
        found = TRANSPOSE.search(line)
        if found and len(re.findall(rf"{found[1]}\b", "\n".join(lines))) == 1:
            lines.remove(line)
    return "\n".join(lines) + "\n"
