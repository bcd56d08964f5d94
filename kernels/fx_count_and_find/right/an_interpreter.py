"""The module is run by an Interpreter on values that say how they came about."""

from dataclasses import dataclass

import torch

NODES = 7
APPLIES = "dce"

RANDOM = (torch.rand_like, torch.nn.functional.dropout)


@dataclass(frozen=True)
class Value:
    text: str  # what it is, written out
    constant: bool
    needs: frozenset  # nodes on the way to it, its own among them


class Survey(torch.fx.Interpreter):
    def run_node(self, n):
        args, kwargs = self.fetch_args_kwargs_from_env(n)
        inputs = []
        torch.fx.node.map_arg((n.args, n.kwargs), lambda each: inputs.append(self.env[each]))
        needs = frozenset([n]).union(*(each.needs for each in inputs))
        if n.op == "output":
            self.live = needs
            return None
        if n.op == "placeholder" or n.target in RANDOM:
            return Value(n.name, False, needs)
        text = f"{n.op} {n.target} {shown(args)} {shown(kwargs)}"
        constant = n.op == "get_attr" or (bool(inputs) and all(i.constant for i in inputs))
        value = Value(text, constant, needs)
        self.folded += constant and n.op != "get_attr"
        self.common += text in self.texts
        self.texts.add(text)
        return value

    def survey(self):
        self.folded, self.common, self.texts = 0, 0, set()
        self.garbage_collect_values = False
        self.env = {}
        nodes = list(self.module.graph.nodes)
        for node in nodes:
            self.env[node] = self.run_node(node)
        dead = sum(n not in self.live and n.op != "placeholder" for n in nodes)
        return [len(nodes), self.folded, dead, self.common]


def shown(value):
    if isinstance(value, Value):
        return f"<{value.text}>"
    if isinstance(value, tuple | list):
        return "[" + ", ".join(map(shown, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {shown(each)}" for key, each in value.items()) + "}"
    return repr(value)


def survey(source):
    names = {"torch": torch}
    exec(source, names)
    found = Survey(torch.fx.symbolic_trace(names["Net"]())).survey()
    return torch.tensor(found, dtype=torch.int64)
