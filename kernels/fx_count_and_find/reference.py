import torch

from tutor.judge.spec import Case, Work

DRAWS = {"rand_like", "dropout"}


def graph_of(source):
    names = {"torch": torch}
    exec(source, names)
    return torch.fx.symbolic_trace(names["Net"]()).graph


def name_of(node):
    return getattr(node.target, "__name__", str(node.target))


def expression(node, memo):
    """Return what a node computes, written out down to arguments, attributes and draws."""
    if node not in memo:
        if node.op == "placeholder" or name_of(node) in DRAWS:
            memo[node] = node.name
        else:
            args = torch.fx.node.map_arg(node.args, lambda n: Text(expression(n, memo)))
            kwargs = torch.fx.node.map_arg(node.kwargs, lambda n: Text(expression(n, memo)))
            memo[node] = f"{node.op}:{node.target}({args!r}, {kwargs!r})"
    return memo[node]


class Text(str):
    def __repr__(self):
        return str(self)


def is_constant(node):
    """A call or an attribute that depends on no argument and on no draw."""
    if node.op == "get_attr":
        return True
    if node.op == "placeholder" or name_of(node) in DRAWS:
        return False
    return all(is_constant(each) for each in node.all_input_nodes)


def needed(graph):
    """Nodes from which a path leads to the output."""
    open_ones = [node for node in graph.nodes if node.op == "output"]
    found = set(open_ones)
    while open_ones:
        for node in open_ones.pop().all_input_nodes:
            if node not in found:
                found.add(node)
                open_ones.append(node)
    return found


def reference(source):
    graph = graph_of(source)
    nodes = list(graph.nodes)
    calls = [n for n in nodes if n.op.startswith("call")]
    folded = sum(is_constant(n) for n in calls if n.all_input_nodes)
    live = needed(graph)
    dead = sum(n not in live and n.op != "placeholder" for n in nodes)
    memo = {}
    plain = [n for n in nodes if n.op not in ("placeholder", "output")]
    common = len(plain) - len({expression(n, memo) for n in plain})
    return torch.tensor([len(nodes), folded, dead, common])


eager = reference


def work(source):
    return Work(bytes=len(source), flops=0)


def check_module(constants):
    """Return one sentence on the learner's NODES and APPLIES where they are wrong, else None."""
    nodes = constants.get("NODES")
    if nodes == 5:
        return "NODES is 5: those are the calls. The argument and the output are nodes as well."
    if isinstance(nodes, bool) or nodes != 7:
        return f"NODES is {nodes!r}; print Leftover's graph and count its nodes, all of them."
    said = constants.get("APPLIES")
    if not isinstance(said, str):
        return "The file must say which passes apply to Leftover: APPLIES = … at its top level."
    names = {word.strip().lower() for word in said.split(",")} - {""}
    if not names or names - {"none", "folding", "dce", "cse"}:
        return f'APPLIES is {said!r}; expected names among folding, dce, cse, or "none".'
    if "cse" in names:
        return (
            "APPLIES names cse, but no operation of Leftover stands there twice with the same "
            "inputs: `double` is one node with two users, which is what CSE leaves, not what it seeks."
        )
    if "folding" in names:
        return "APPLIES names folding, but every call of Leftover depends on x."
    if "dce" not in names:
        return "APPLIES leaves dce out, and one node of Leftover does not lead to its output."
    return None


def net(forward, setup=""):
    """The text of a `Net`: lines of `__init__`, then lines of `forward`."""
    lines = ["class Net(torch.nn.Module):"]
    if setup:
        lines += ["    def __init__(self):", "        super().__init__()"]
        lines += [f"        {line}" for line in setup.strip().splitlines()]
    lines += ["    def forward(self, x):"]
    lines += [f"        {line.strip()}" for line in forward.strip().splitlines()]
    return "\n".join(lines) + "\n"


def draw(g, low, high):
    return int(torch.randint(low, high, (1,), generator=g, device=g.device))


def fixed(text, setup=""):
    """A case of one text; K in it becomes a number that nobody knows before."""
    return lambda g: (net(text, setup).replace("K", str(draw(g, 2, 90))),)


def written_by_dice(g):
    """A straight line of additions and products of what came before, most of it returned."""
    names, lines = ["x", "self.w"], []
    for i in range(24):
        left, right = (names[draw(g, 0, len(names))] for _ in "ab")
        if draw(g, 0, 3) == 0:
            right = str(draw(g, 1, 3))
        lines.append(f"t{i} = {left} {'+*'[draw(g, 0, 2)]} {right}")
        names.append(f"t{i}")
    lines.append(f"return {names[-1]} - {names[-draw(g, 2, 12)]} - x")
    return (net("\n".join(lines), WEIGHT),)


WEIGHT = "self.w = torch.nn.Parameter(torch.ones(3))"
BUFFER = "self.register_buffer('s', torch.ones(3))"

CASES = (
    Case("Reuse", fixed("u = x * 2\nreturn (u + 1) * 3 - u")),
    Case("one node does nothing", fixed("y = x * K\nz = x + K\nreturn y")),
    Case("a dead node stands there twice", fixed(
        "y = self.w * K\nz = self.w * K\nreturn x + y", WEIGHT)),
    Case("dead code that feeds dead code", fixed("y = (x.exp() + K).sum()\nreturn x * 2")),
    Case("nobody reads x", fixed("u = self.w * K\nreturn u + self.w", WEIGHT)),
    Case("the same product twice", fixed("return x * x + x * x - K")),
    Case("twice the same, two steps deep", fixed("return (x * x + K).relu() * (x * x + K).relu()")),
    Case("the operands exchanged", fixed("return (x + K) * (K + x)")),
    Case("the same but for a keyword", fixed(
        "a = torch.sum(x, dim=-1, keepdim=True)\nb = torch.sum(x, dim=-1, keepdim=False)\n"
        "return a * K + b + torch.sum(x, dim=-1, keepdim=True)")),
    Case("weights only", fixed("return x @ (self.w * K + self.w).relu()", WEIGHT)),
    Case("weights and input", fixed("return (x + self.w) * (self.w * K)", WEIGHT)),
    Case("a buffer read twice", fixed("return x * self.s + (x - K) * self.s", BUFFER)),
    Case("two draws", fixed(
        "a = torch.rand_like(x)\nb = torch.rand_like(x)\nreturn a * b + a * b + K")),
    Case("dropout twice", fixed(
        "f = torch.nn.functional.dropout\nreturn f(x, 0.5) - f(x, 0.5) + K")),
    Case("draws as large as a weight", fixed("return torch.rand_like(self.w) * K * x", WEIGHT)),
    Case("all three", fixed(
        "u = self.w * K + 1\nv = self.w * K + 1\ndead = (u - v).exp()\nreturn x * u + x * v",
        WEIGHT)),
    Case("inputs in a list", fixed(
        "a = torch.cat([x * K, x])\nb = torch.cat([x * K, x])\nreturn a + b * torch.cat([x, x * K])")),
    Case("weights in a list", fixed(
        "u = torch.cat([self.w, self.w * K])\n"
        "return u + torch.cat([self.w, x]) + torch.stack([x, x])[0]",
        WEIGHT)),
    Case("inputs by keyword", fixed(
        "a = torch.add(x, other=x * K)\nb = torch.add(x, other=x * K)\n"
        "return a * b * torch.add(self.w, other=self.w * K) - torch.add(self.w, other=x.exp())",
        WEIGHT)),
    Case("several results", fixed(
        "a = x * K\nb = x + K\nc = a.exp()\nreturn [b, (b - x, {'a': a})], x")),
    Case("a weight that nobody needs", fixed("w = self.w\nreturn x * K", WEIGHT)),
    Case("written by dice", written_by_dice),
    Case("written by dice again", written_by_dice),
)  # fmt: skip
