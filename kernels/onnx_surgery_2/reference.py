import json
import runpy
from pathlib import Path

import torch

from tutor.judge.spec import Case, Work

PROBE = runpy.run_path(str(Path(__file__).with_name("probe.py")))
GRAPHS = list(PROBE["all_graphs"]())
WHOLE, NODE, INNER = PROBE["whole"], PROBE["node"], PROBE["graph"]


def compute(graph, values):
    """The values of the outputs."""
    values = dict(values)
    for node in graph["nodes"]:
        read = [values[name] for name in node["inputs"] if name]
        made = {
            "Add": lambda read=read: [read[0] + read[1]],
            "Neg": lambda read=read: [-read[0]],
            "Relu": lambda read=read: [read[0].clamp(min=0)],
            "Identity": lambda read=read: [read[0]],
            "Dropout": lambda read=read: [read[0], torch.ones_like(read[0])],
        }.get(node["op"], lambda read=read: [3 * read[0] + 1])
        if node["domain"]:
            made = [3 * read[0] + 1]
        elif node["op"] == "If":
            made = compute(node["graphs"][int(read[0].sum() <= 0)], values)
        else:
            made = made()
        values.update(zip(node["outputs"], made, strict=False))
    return [values[name] for name in graph["outputs"]]


def reference(x, text):
    return torch.stack(compute(json.loads(text), {"x": x, "w": x + 1}))


eager = reference


def work(x, text):
    return Work(bytes=8 * x.numel() * 4, flops=0)


def scale(x, text):
    return 0.0


def names_read(graph):
    names = set(graph["outputs"])
    for node in graph["nodes"]:
        names.update(node["inputs"])
        for inner in node["graphs"]:
            names |= names_read(inner)
    return names


def does_nothing(node, read):
    """Say if a node's first output is its first input, and nobody needs more of it."""
    if node["domain"] or node["op"] not in ("Identity", "Dropout"):
        return False
    absent = not any(node["inputs"][2:])
    return node["op"] == "Identity" or (absent and not any(n in read for n in node["outputs"][1:]))


class Described:
    """Name each value of a graph by how it was made, through all that does nothing."""

    def __init__(self, graph, around=None):
        read = names_read(graph)
        values = dict(around or {})
        own = [*graph["inputs"], *graph["initializers"]]
        values.update({name: name for name in own})
        self.fault, self.nodes, self.idle = "", [], 0
        made_here, makers = set(own), {}
        for node in graph["nodes"]:
            for name in node["inputs"]:
                if name and name not in values:
                    self.fault = self.fault or (
                        f"{words(node)} reads {name!r}, which nobody has made by then"
                    )
                    return
            sees = tuple(values[name] if name else None for name in node["inputs"])
            inner = [Described(each, values) for each in node["graphs"]]
            for each in inner:
                self.fault = self.fault or (
                    each.fault and f"in a graph of {words(node)} {each.fault}"
                )
            if self.fault:
                return
            idle = does_nothing(node, read)
            said = (node["op"], node["domain"], sees, tuple(each.said for each in inner))
            for place, name in enumerate(node["outputs"]):
                if not name:
                    continue
                if name in values:
                    self.fault = f"{name!r} is made twice"
                    return
                values[name] = (
                    sees[0] if idle and place == 0 else hash((said, place, len(self.nodes)))
                )
                made_here.add(name)
                makers[name] = idle
            if idle:
                self.idle += 1
            else:
                self.nodes.append((said, len(node["outputs"]), inner, words(node)))
        for name in graph["outputs"]:
            if name not in made_here:
                self.fault = f"the output {name!r} is made by no node of its graph"
                return
        self.outputs = tuple(values[name] for name in graph["outputs"])
        self.said = hash((tuple(each[0] for each in self.nodes), self.outputs))
        # As few as possible: of the names of one value, the maker gives one.
        given = {values[name] for name, idle in makers.items() if not idle}
        self.least, once = 0, set(own) & set(graph["outputs"])
        for value in set(self.outputs):
            names = [name for name in graph["outputs"] if values[name] == value]
            at_hand = value in given or any(name in once for name in names)
            self.least += len(names) - at_hand


def words(node):
    name = f"`{node['op']}`" if not node["domain"] else f"`{node['op']}` of {node['domain']!r}"
    return f"{name} ({', '.join(filter(None, node['outputs']))})"


def check_found(found):
    """(code, sentence) for the first graph that is not as asked, else None."""
    for (name, given), got in zip(GRAPHS, found["graphs"], strict=True):
        fault = got["fault"] or fault_of(given, got["graph"])
        if fault:
            return "wrong-graph", f"`splice` of the graph “{name}”: {fault}."
    return None


def fault_of(given, got, where=""):
    """Return what is wrong with the graph that came back, or ""."""
    want, have = Described(given), Described(got)
    if have.fault:
        return have.fault
    return difference(given, got, want, have, "")


def difference(given, got, want, have, where):
    for key in ("outputs", "inputs", "initializers"):
        if got[key] != given[key]:
            return f"{where}its {key} are {got[key]}, and they were {given[key]}"
    for (one, count, inner, said), (other, others, outer, says) in zip(
        want.nodes, have.nodes, strict=False
    ):
        if one[:2] != other[:2]:
            return f"{where}{says} stands where {said} stood"
        if one[2] != other[2]:
            return f"{where}{says} reads other values than before"
        if count != others:
            return f"{where}{says} has {others} outputs, and had {count}"
        before = [n for n in given["nodes"] if words(n) == said]
        after = [n for n in got["nodes"] if words(n) == says]
        for k, (a, b) in enumerate(zip(inner, outer, strict=False)):
            inside = f"in graph {k} of {says} "
            if fault := difference(
                before[0]["graphs"][k], after[0]["graphs"][k], a, b, f"{where}{inside}"
            ):
                return fault
    if len(want.nodes) != len(have.nodes):
        more = "more" if len(have.nodes) > len(want.nodes) else "fewer"
        return (
            f"{where}{len(have.nodes)} nodes are left beside those that do nothing, "
            f"{more} than {len(want.nodes)}"
        )
    if want.outputs != have.outputs:
        return f"{where}the outputs {got['outputs']} are other values than before"
    if have.idle > want.least:
        return (
            f"{where}{have.idle} nodes that do nothing are left; "
            f"for its outputs {got['outputs']} {want.least} are enough"
        )
    return ""


def figures(found):
    """Nodes for the verdict."""

    def count(graph):
        return len(graph["nodes"]) + sum(count(g) for n in graph["nodes"] for g in n["graphs"])

    before = sum(count(given) for _, given in GRAPHS)
    after = sum(count(got["graph"]) for got in found["graphs"])
    return {"nodes of all graphs": f"{before} before, {after} after"}


def case(name):
    text = json.dumps(dict(GRAPHS)[name])

    def make(g):
        x = torch.randint(-9, 10, (12,), generator=g, device=g.device)
        return x[::2] if name == "one identity" else x[:6].clone(), text

    return Case(name, make)


CASES = tuple(
    map(
        case,
        (
            "one identity",
            "three in a row",
            "an output",
            "a value under two names",
            "a mask that is read",
            "an Identity of somebody else's",
            "two branches with the same names",
            "readers between maker and identity",
        ),
    )
)
