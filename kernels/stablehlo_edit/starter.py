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


def stablehlo_edit(text: str) -> str:
    """Return the text with products of untransposed tensors."""
    transposes, lines = {}, []
    for line in text.splitlines():
        if found := TRANSPOSE.search(line):
            name, source, dims, kind = found.groups()
            transposes[name] = (source, numbers(dims), kind)
        elif found := DOT.match(line):
            begin, left, right, *axes, a, b, end = found.groups()
            # Write the line again, with sources.
        lines.append(line)
    return "\n".join(lines) + "\n"
