import torch

from tutor.judge.cases.fx_effects import draws, find_touched, is_call, memories, writes
from tutor.judge.cases.fx_graphs import drawn_cases, graph_case, graph_of
from tutor.judge.spec import Rewrite

REWRITE = Rewrite(unit="calls", only_read=True)


def most(program, x):
    """Count the calls that stay: each different value once, and what the output reads too.

    PyTorch's pass keeps the latter and the views that share its memory, and so may a learner's.
    """
    graph = graph_of(program)
    bad, numbers, number_of = find_touched(graph), {}, {}
    memory = memories(graph)
    returned = {memory[node] for node in graph.output_node().all_input_nodes}
    for node in graph.nodes:
        own = not is_call(node) or draws(node) or writes(node) or memory[node] in returned
        if own or bad.intersection((node, *node.all_input_nodes)):
            key = node
        else:
            read = torch.fx.node.map_arg((node.args, node.kwargs), lambda n: f"#{number_of[n]}")
            key = (node.op, str(node.target), repr(read))
        number_of[node] = numbers.setdefault(key, len(numbers))
    return len({number_of[node] for node in graph.nodes if is_call(node)})


NAMED = (  # the lines of a graph, and what it is about
    ("operands exchanged", "y = x + self.w\nreturn (x - y) * 3 - (y - x)",
     "A difference is another one with its operands exchanged."),
    ("twice the same", "return (x + 1) * (x + 1)", "The second x + 1 is the first one."),
    ("two steps deep", "return (x + 1).sin() * (x + 1).sin()",
     "The sines are equal once their inputs are one node."),
    ("six steps deep",
     "a = (x + 1).sin().cos().abs().exp().tanh()\n"
     "b = (x + 1).sin().cos().abs().exp().tanh()\nreturn a * b",
     "Each step is equal once the step before is one node."),
    ("a weight read twice", "return (x + self.w) - (x * self.w)", "A sum and a product are two."),
    ("other keywords", "a = torch.sum(x, dim=0)\nreturn a - torch.sum(x, dim=1)",
     "The two sums run along different dimensions."),
    ("an argument that is no node", "return x.reshape(9, 1)[1:3] - x.reshape(9, 1)[2:4]",
     "The slices differ; the two reshapes are equal."),
    ("1 and True in an index", "return x[1, :] - x[True, :]",
     "`x[1, :]` is a row, and `x[True, :]` is x with one more dimension."),
    ("0.0 and -0.0", "return 1 / (x.abs() * 0.0) - 1 / (x.abs() * -0.0)",
     "The two products are 0.0 and -0.0, and 1 over them is infinite with either sign."),
    ("inputs in a list",
     "a = torch.cat([x + 1, x]).sin()\nb = torch.cat([x + 1, x]).sin()\n"
     "return a * b - torch.cat([x, x + 1])",
     "Two joins read the same inputs in the same order, and the third reads them in another order."),
    ("inputs by keyword",
     "a = torch.sub(x, other=x + 1).sin()\nb = torch.sub(x, other=x + 1).sin()\n"
     "return a * b - torch.sub(x, other=x - 1)",
     "Two differences read the same inputs, one of them by keyword, and the third reads another."),
    ("read in a list before and after a write",
     "y = x + 1\na = torch.cat([y, x])\ny.add_(1)\nb = torch.cat([y, x])\nreturn a - b",
     "The two joins read y at different times."),
    ("read by keyword before and after a write",
     "y = x + 1\na = torch.sub(x, other=y)\ny.add_(1)\nb = torch.sub(x, other=y)\nreturn a * b",
     "The two differences read y at different times."),
    ("one of two is written", "a = x * 2\nb = x * 2\na.add_(1)\nreturn a - b",
     "The two have one value when they are made, and later not."),
    ("read before and after a write", "y = x + 1\na = y * 2\ny.add_(1)\nb = y * 2\nreturn a - b",
     "The two products read y at different times."),
    ("something else is written", "y = x * 3\ny.add_(1)\nreturn (x + 1) * (x + 1) + y",
     "Nothing writes x or x + 1."),
)  # fmt: skip
DRAWS = {
    "rand_like": "torch.rand_like(x)",
    "randn_like": "torch.randn_like(x)",
    "dropout": "F.dropout(x, 0.5)",
    "bernoulli": "x.bernoulli(0.5)",
}
VIEWS = {
    "t": "y.t()",
    "getitem": "y[:]",
    "view": "y.view(9)",
    "reshape": "y.reshape(9)",
    "transpose": "y.transpose(0, 1)",
    "expand": "y.expand(3, 3)",
}
WRITTEN = "y = x + 1\na = y.sin()\nv = {}\nv.add_(1)\nreturn a - y.sin()"

CASES = (
    graph_case(
        "2 and 2.0",
        "return x * 2 + 1 - x * 2.0",
        "For whole numbers `x * 2` is a whole number and `x * 2.0` is not.",
        torch.arange(9).reshape(3, 3),
    ),
    graph_case(
        "2 and 2.0 by keyword",
        "return torch.mul(x, other=2) + 1 - torch.mul(x, other=2.0)",
        "For whole numbers `x * 2` is a whole number and `x * 2.0` is not.",
        torch.arange(9).reshape(3, 3),
    ),
    *(graph_case(*named) for named in NAMED),
    *(
        graph_case(f"two draws by {name}", f"return {call} - {call}", "Two draws are two values.")
        for name, call in DRAWS.items()
    ),
    *(
        graph_case(
            f"written through {name}", WRITTEN.format(call), "The view shares the memory of y."
        )
        for name, call in VIEWS.items()
    ),
    *drawn_cases(),
)
