import torch


def parse(graph):
    sizes, nodes = {}, []
    for line in graph.splitlines():
        name, _, rest = line.partition(": ")
        mib, _, formula = rest.partition(", ")
        sizes[name] = int(mib)
        if formula:
            loop, _, reads = formula.partition(" = ")
            nodes.append((name, loop, reads.split()))
    return sizes, nodes


def kernels(graph):
    sizes, nodes = parse(graph)
    n, names = len(nodes), list(sizes)
    touch = torch.zeros(n, len(names), dtype=torch.bool)
    edge = torch.zeros(n, n)
    place = {name: i for i, (name, _, _) in enumerate(nodes)}
    for i, (name, _, reads) in enumerate(nodes):
        for each in (name, *reads):
            touch[i, names.index(each)] = True
        for each in reads:
            if each in place:
                edge[place[each], i] = 1
    mib = torch.tensor([float(sizes[name]) for name in names])
    home = torch.arange(n)
    while True:
        member = (home[None, :] == torch.arange(n)[:, None]).float()
        arrows = ((member @ edge @ member.T) > 0).float()
        arrows.fill_diagonal_(0)
        reach, step = arrows.clone(), arrows.clone()
        far = torch.zeros_like(arrows)
        for _ in range(n):
            step = ((step @ arrows) > 0).float()
            far = far + step
            reach = reach + step
        held = (member @ touch.float()) > 0
        best = None
        for p in range(n):
            for q in range(p + 1, n):
                if (
                    home[p] != p
                    or home[q] != q
                    or nodes[p][1] != nodes[q][1]
                    or nodes[p][1] == "call"
                ):
                    continue
                score = float((mib * (held[p] & held[q])).sum())
                if score and not far[p, q] and not far[q, p] and (best is None or score > best[0]):
                    best = (score, p, q)
        if best is None:
            return home
        home = torch.where(home == best[2], best[1], home)
