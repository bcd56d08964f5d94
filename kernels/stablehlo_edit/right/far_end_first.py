import re


def types(line):
    return re.findall(r"tensor<[^>]*>", line)


def stablehlo_edit(text):
    """Each name has a list of what it can be made of: source, its type, and where its axes are."""
    made_of, program = {}, []
    for line in text.split("\n"):
        names = re.findall(r"%\w+", line)
        if "stablehlo.transpose" in line:
            dims = eval(re.search(r"dims = (\[.*?\])", line)[1])
            steps = [(names[1], types(line)[0], dims)]
            for source, kind, earlier in made_of.get(names[1], ()):
                steps.append((source, kind, [earlier[d] for d in dims]))
            made_of[names[0]] = steps
        if "stablehlo.dot_general" in line:
            lists = [eval(each) for each in re.findall(r"\[[\d, ]*\]", line)]
            batching, contracting = (lists[:2], lists[2:]) if len(lists) == 4 else ([[], []], lists)
            operands, kinds, end = names[1:], types(line)[:2], line.split(" -> ")[1]
            for side in (0, 1):
                taken = batching[side] + contracting[side]
                for source, kind, place in reversed(made_of.get(operands[side], ())):
                    free = [place[d] for d in range(len(place)) if d not in taken]
                    if free == sorted(free):
                        operands[side], kinds[side] = source, kind
                        batching[side] = [place[d] for d in batching[side]]
                        contracting[side] = [place[d] for d in contracting[side]]
                        break
            batch = f"batching_dims = {batching[0]} x {batching[1]}, " if batching[0] else ""
            line = (
                f"    {names[0]} = stablehlo.dot_general {operands[0]}, {operands[1]}, {batch}"
                f"contracting_dims = {contracting[0]} x {contracting[1]} : ({', '.join(kinds)}) -> {end}"
            )
        program.append(line)
    read, kept = set(), []
    for line in reversed(program):
        names = re.findall(r"%\w+", line)
        if "stablehlo.transpose" not in line or names[0] in read:
            kept.append(line)
            read.update(names[1:] if " = stablehlo" in line else names)
    return "\n".join(reversed(kept))
