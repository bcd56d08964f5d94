from tutor.judge.cases.fx_effects import draws, find_touched, is_call, memories, writes
from tutor.judge.cases.fx_graphs import drawn_cases, graph_case, graph_of
from tutor.judge.spec import Rewrite

REWRITE = Rewrite(unit="calls", only_read=True)


def most(program, x):
    """Count the calls that may stay: those not constant, and of the rest those that are returned."""
    graph = graph_of(program)
    bad, known = find_touched(graph), set()
    memory = memories(graph)
    returned = {memory[node] for node in graph.output_node().all_input_nodes}
    for node in graph.nodes:
        pure = is_call(node) and not draws(node) and not writes(node)
        if node in bad or (is_call(node) and memory[node] in returned):
            continue
        if node.op == "get_attr" or (pure and known.issuperset(node.all_input_nodes)):
            known.add(node)
    return sum(is_call(node) and node not in known for node in graph.nodes)


def check_rewrite(program, before, after):
    unread = [node.name for node in after if node.kind == "get_attr" and not node.users]
    if unread and sum(node.kind.startswith("call") for node in after) <= most(program, None):
        return f"`{unread[0]}` is fetched, and nobody reads it any more."
    return None


NAMED = (  # the lines of a graph, and what it is about
    ("one product", "return self.w * 2 + x", "The product reads a weight and a number."),
    ("three in a row", "return (self.w * 2 + self.s).sin() + x",
     "What reads a folded call is constant as well."),
    ("weights and input", "return (self.w + x) * self.s", "Every call here depends on x."),
    ("x as a keyword", "return torch.add(self.w, other=x) * self.s",
     "What a keyword gives is read as well."),
    ("a constant that is written", "y = self.w * 2\ny.add_(x)\nreturn y + 1",
     "The buffer would keep what the first call has added."),
    ("a weight that is written", "y = self.w * 2\nself.w.add_(1)\nreturn y + self.w + x",
     "At the second call w is another one."),
    ("one of two weights is written", "self.w.add_(1)\nreturn (self.s * 2).sin() + self.w + x",
     "Nothing writes s, so what reads it alone is constant."),
    ("a view is folded", "return self.w.t() + x", "A view of a weight that nobody writes is constant."),
    ("a method with keywords", "return self.w.sum(dim=0, keepdim=True) + x",
     "A method has keyword arguments as a function has."),
    ("what remains is dead", "y = self.w * 2\nreturn y.sin() + x",
     "The product has been read only by what is folded."),
)  # fmt: skip
DRAWS = {
    "rand_like": "torch.rand_like(self.w)",
    "randn_like": "torch.randn_like(self.w)",
    "dropout": "F.dropout(self.w, 0.5)",
    "bernoulli": "self.w.bernoulli(0.5)",
}
VIEWS = {
    "t": "y.t()",
    "getitem": "y[:]",
    "view": "y.view(3, 3)",
    "reshape": "y.reshape(3, 3)",
    "transpose": "y.transpose(0, 1)",
    "expand": "y.expand(3, 3)",
}
WRITTEN = "y = self.w * 2\nv = {}\nv.add_(x)\nreturn y + 1"

CASES = (
    *(graph_case(*named) for named in NAMED),
    *(
        graph_case(
            f"a draw by {name}", f"return {call} * self.s + x", "Each call draws other numbers."
        )
        for name, call in DRAWS.items()
    ),
    *(
        graph_case(
            f"a constant is written through {name}",
            WRITTEN.format(call),
            "The view shares memory with the product.",
        )
        for name, call in VIEWS.items()
    ),
    *drawn_cases(),
)
