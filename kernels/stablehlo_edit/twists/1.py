import re


def earlier(name, place, moves):
    """Yield what a tensor is made of, the nearest first: name, type and where its axes are."""
    if name in moves:
        source, kind, dims = moves[name]
        place = [dims[axis] for axis in place]
        yield source, kind, place
        yield from earlier(source, place, moves)


def pick(name, kind, batch, contract, moves):
    found = (name, kind, batch, contract)
    for source, type_, place in earlier(name, range(kind.count("x")), moves):
        free = [axis for d, axis in enumerate(place) if d not in [*batch, *contract]]
        if sorted(free) == free:
            found = source, type_, [place[d] for d in batch], [place[d] for d in contract]
    return found


def stablehlo_edit(text):
    moves, out = {}, ""
    for line in text.splitlines(keepends=True):
        m = re.search(r"(%\w+) = stablehlo.transpose (%\w+), dims = \[(.*)\] : \((\S+)\)", line)
        if m:
            moves[m[1]] = (m[2], m[4], [int(d) for d in m[3].split(", ")])
        m = re.search(r"dot_general (%\w+), (%\w+), (.*) : \((\S+), (\S+)\) ->", line)
        if m:
            lists = [list(map(int, each.split(", "))) for each in re.findall(r"\[(.*?)\]", m[3])]
            lists = lists if len(lists) == 4 else [[], [], *lists]
            left = pick(m[1], m[4], lists[0], lists[2], moves)
            right = pick(m[2], m[5], lists[1], lists[3], moves)
            said = f"batching_dims = {left[2]} x {right[2]}, " if left[2] else ""
            said += f"contracting_dims = {left[3]} x {right[3]} : ({left[1]}, {right[1]}) ->"
            line = line[: m.start()] + f"dot_general {left[0]}, {right[0]}, {said}" + line[m.end() :]
        out += line
    for name in reversed(moves):
        if len(re.findall(name + r"\b", out)) == 1:
            out = re.sub(rf".*{name} = .*\n", "", out)
    return out
