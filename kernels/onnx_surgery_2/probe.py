"""Has the learner's `splice` change graphs, and describes what came back. Plain values leave it."""

import copy
import random


def node(op, inputs, outputs, *graphs, domain=""):
    return {
        "op": op,
        "domain": domain,
        "inputs": inputs.split(" ") if inputs else [],
        "outputs": outputs.split(" "),
        "graphs": list(graphs),
    }


def graph(outputs, *nodes, inputs="", initializers=""):
    return {
        "inputs": inputs.split(),
        "initializers": initializers.split(),
        "nodes": list(nodes),
        "outputs": outputs.split(),
    }


def whole(outputs, *nodes):
    return graph(outputs, *nodes, inputs="x", initializers="w")


def special_graphs():
    """Yield name and graph."""
    yield "one identity", whole("y", node("Identity", "x", "a"), node("Relu", "a", "y"))
    yield (
        "two readers",
        whole(
            "y",
            node("Neg", "x", "a"),
            node("Identity", "a", "b"),
            node("Relu", "b", "c"),
            node("Add", "b c", "y"),
        ),
    )
    yield (
        "one reader reads it twice",
        whole("y", node("Neg", "x", "a"), node("Identity", "a", "b"), node("Add", "b b", "y")),
    )
    yield (
        "three in a row",
        whole(
            "y",
            node("Neg", "x", "a"),
            node("Identity", "a", "b"),
            node("Dropout", "b", "c"),
            node("Identity", "c", "d"),
            node("Relu", "d", "y"),
        ),
    )
    yield "an output", whole("y", node("Relu", "x", "a"), node("Identity", "a", "y"))
    yield (
        "an output behind two",
        whole("y", node("Relu", "x", "a"), node("Identity", "a", "b"), node("Identity", "b", "y")),
    )
    yield (
        "an output whose value others read",
        whole(
            "y z",
            node("Relu", "x", "a"),
            node("Neg", "a", "z"),
            node("Identity", "a", "y"),
            node("Relu", "y", "unread"),
            node("Add", "a z", "more"),
        ),
    )
    yield (
        "an input is an output",
        whole("y", node("Identity", "x", "y"), node("Neg", "x", "unread")),
    )
    yield "a constant is an output", whole("y z", node("Identity", "w", "y"), node("Neg", "x", "z"))
    yield (
        "a value under two names",
        whole(
            "y z", node("Relu", "x", "a"), node("Identity", "a", "y"), node("Identity", "a", "z")
        ),
    )
    yield (
        "a value under its own name and another one",
        whole(
            "a y", node("Relu", "x", "a"), node("Identity", "a", "y"), node("Neg", "y", "unread")
        ),
    )
    yield (
        "three names, one behind the other",
        whole(
            "z y v",
            node("Relu", "x", "a"),
            node("Identity", "a", "v"),
            node("Identity", "v", "y"),
            node("Identity", "y", "z"),
        ),
    )
    yield (
        "an output that is read on",
        whole("y z", node("Relu", "x", "a"), node("Identity", "a", "y"), node("Neg", "y", "z")),
    )
    yield "dropout with a ratio", whole("y", node("Dropout", "x w", "a"), node("Relu", "a", "y"))
    yield (
        "dropout whose third input is absent",
        whole("y", node("Dropout", "x  ", "a"), node("Relu", "a", "y")),
    )
    yield "dropout in training", whole("y", node("Dropout", "x w w", "a"), node("Relu", "a", "y"))
    yield (
        "a mask that nobody reads",
        whole("y", node("Dropout", "x", "a m"), node("Relu", "a", "y")),
    )
    yield "a mask that is read", whole("y", node("Dropout", "x", "a m"), node("Add", "a m", "y"))
    yield (
        "a mask that is an output",
        whole("y m", node("Dropout", "x", "a m"), node("Relu", "a", "y")),
    )
    yield (
        "a mask that an inner graph reads",
        whole(
            "y",
            node("Dropout", "x", "a m"),
            node(
                "If",
                "a",
                "y",
                graph("r", node("Neg", "m", "r")),
                graph("r", node("Relu", "a", "r")),
            ),
        ),
    )
    yield "dropout is an output", whole("y", node("Relu", "x", "a"), node("Dropout", "a", "y"))
    yield (
        "an Identity of somebody else's",
        whole(
            "y",
            node("Identity", "x", "a", domain="acme"),
            node("Identity", "a", "b"),
            node("Relu", "b", "y"),
        ),
    )
    yield "nothing to do", whole("y", node("Neg", "x", "a"), node("Relu", "a", "y"))
    yield (
        "nobody reads it",
        whole("y", node("Relu", "x", "y"), node("Identity", "y", "a"), node("Neg", "x", "unread")),
    )
    yield (
        "an absent input in the middle",
        whole(
            "y",
            node("Identity", "x", "a"),
            node("Clip", "a  w", "b", domain="acme"),
            node("Identity", "b", "y"),
        ),
    )
    yield (
        "an inner graph reads it",
        whole(
            "y",
            node("Relu", "x", "a"),
            node("Identity", "a", "b"),
            node(
                "If",
                "x",
                "y",
                graph("r", node("Neg", "b", "r")),
                graph("r", node("Add", "b x", "r")),
            ),
        ),
    )
    yield (
        "an inner graph has one",
        whole(
            "y",
            node("Relu", "x", "a"),
            node(
                "If",
                "x",
                "y",
                graph(
                    "r", node("Neg", "a", "q"), node("Identity", "q", "p"), node("Relu", "p", "r")
                ),
                graph("r", node("Add", "a x", "q"), node("Identity", "q", "r")),
            ),
        ),
    )
    yield (
        "two branches with the same names",
        whole(
            "y",
            node("Relu", "x", "a"),
            node(
                "If",
                "x",
                "y",
                graph("r", node("Identity", "a", "t"), node("Neg", "t", "r")),
                graph("r", node("Neg", "a", "t"), node("Add", "t a", "r")),
            ),
            node(
                "If",
                "a",
                "z",
                graph("r", node("Add", "a a", "t"), node("Relu", "t", "r")),
                graph(
                    "r", node("Neg", "x", "q"), node("Identity", "q", "t"), node("Add", "t q", "r")
                ),
            ),
        ),
    )
    yield (
        "a branch returns a value from outside",
        whole(
            "y",
            node("Relu", "x", "a"),
            node(
                "If",
                "x",
                "y",
                graph("r", node("Identity", "a", "r")),
                graph("s", node("Neg", "a", "s")),
            ),
        ),
    )
    yield (
        "a branch returns what an outer identity made",
        whole(
            "y",
            node("Relu", "x", "a"),
            node("Identity", "a", "b"),
            node(
                "If",
                "x",
                "y",
                graph("r", node("Identity", "b", "r")),
                graph("s", node("Dropout", "b", "s")),
            ),
        ),
    )
    yield (
        "a branch returns a value twice",
        whole(
            "y z",
            node(
                "If",
                "x",
                "y z",
                graph(
                    "r s",
                    node("Neg", "x", "a"),
                    node("Identity", "a", "r"),
                    node("Identity", "a", "s"),
                ),
                graph("r s", node("Relu", "x", "r"), node("Identity", "r", "s")),
            ),
        ),
    )
    yield (
        "an inner graph reads a value that gets the output's name",
        whole(
            "y z",
            node("Relu", "x", "a"),
            node(
                "If",
                "x",
                "z",
                graph("r", node("Neg", "a", "r")),
                graph("r", node("Add", "a a", "r")),
            ),
            node("Identity", "a", "y"),
        ),
    )
    deep = graph("q", node("Identity", "b", "p"), node("Add", "p a", "q"))
    yield (
        "an inner graph of an inner graph",
        whole(
            "y",
            node("Neg", "x", "a"),
            node("Identity", "a", "b"),
            node(
                "If",
                "x",
                "y",
                graph("r", node("If", "b", "r", deep, graph("q", node("Identity", "a", "q")))),
                graph("r", node("Identity", "b", "n"), node("Relu", "n", "r")),
            ),
        ),
    )
    yield (
        "the If's value is renamed",
        whole(
            "y",
            node(
                "If",
                "x",
                "c",
                graph("r", node("Neg", "x", "r")),
                graph("r", node("Relu", "x", "r")),
            ),
            node("Identity", "c", "y"),
            node("Neg", "c", "unread"),
        ),
    )
    yield (
        "readers between maker and identity",
        whole(
            "z y",
            node("Relu", "x", "a"),
            node("Neg", "a", "b"),
            node("Add", "a b", "c"),
            node("Identity", "a", "y"),
            node("Add", "c y", "z"),
        ),
    )
    yield (
        "an output that is made by a node with two outputs",
        whole(
            "y m",
            node("Split", "x", "p q", domain="acme"),
            node("Identity", "q", "y"),
            node("Dropout", "p", "m n"),
        ),
    )
    yield (
        "nothing but identities",
        whole("y", node("Identity", "x", "a"), node("Dropout", "a", "y")),
    )
    yield "no node", whole("x")


def drawn_graphs():
    for number in range(24):
        dice = random.Random(f"splice {number}")
        yield f"drawn {number}", drawn(dice, ["x", "w"], 0, dice.randint(4, 12))


def drawn(dice, seen, depth, count):
    """A graph of nodes that read what was seen. Graphs of one depth make the same names."""
    seen, own, nodes, masks = list(seen), [], [], []
    for _ in range(count):
        name = f"{'abc'[depth]}{len(nodes)}"
        kind = dice.random()
        recent = seen[-5:]
        if kind < 0.35:
            nodes.append(node("Identity", dice.choice(recent), name))
        elif kind < 0.5:
            form = dice.choice(["{}", "{}", "{} w", "{} w ", "{} w w"])
            mask = f" m{name}" if dice.random() < 0.5 else ""
            nodes.append(node("Dropout", form.format(dice.choice(recent)), name + mask))
            masks += [mask.strip()] * bool(mask)
        elif kind < 0.62 and depth < 2:
            outputs = dice.choice((1, 1, 2))
            inner = [drawn(dice, seen, depth + 1, dice.randint(2, 5)) for _ in range(2)]
            for one in inner:
                made = [n for each in one["nodes"] for n in each["outputs"][:1]]
                one["outputs"] = dice.sample(made, min(outputs, len(made)))
            least = min(len(one["outputs"]) for one in inner)
            for one in inner:
                one["outputs"] = one["outputs"][:least]
            names = [name, f"{name}s"][:least]
            nodes.append(node("If", dice.choice(recent), " ".join(names), *inner))
            seen += names[1:]
            own += names[1:]
        elif kind < 0.8:
            nodes.append(
                node("Add", f"{dice.choice(recent)} {dice.choice(seen + masks[-1:])}", name)
            )
        else:
            domain = dice.choice(["", "", "acme"])
            op = dice.choice(["Neg", "Relu", "Identity"] if domain else ["Neg", "Relu"])
            nodes.append(node(op, dice.choice(recent), name, domain=domain))
        seen.append(name)
        own.append(name)
    return {
        "inputs": [] if depth else ["x"],
        "initializers": [] if depth else ["w"],
        "nodes": nodes,
        "outputs": dice.sample(own, min(len(own), dice.choice((1, 2, 3)))),
    }


def all_graphs():
    yield from special_graphs()
    yield from drawn_graphs()


def probe(module, device):
    return {"graphs": [_spliced(module, given) for _, given in all_graphs()]}


def _spliced(module, given):
    mine = copy.deepcopy(given)
    try:
        result = module.splice(mine)
    except Exception as error:
        return {"fault": f"it raises {type(error).__name__}: {error}", "graph": None}
    if mine != given:
        return {"fault": "the graph that was given is another one afterwards", "graph": None}
    return {
        "fault": "" if _is_graph(result) else "it returns no graph of such records",
        "graph": _plain(result),
    }


def _is_graph(one):
    return (
        isinstance(one, dict)
        and set(one) == {"inputs", "initializers", "nodes", "outputs"}
        and all(_are_names(one[key]) for key in ("inputs", "initializers", "outputs"))
        and isinstance(one["nodes"], (list, tuple))
        and all(_is_node(each) for each in one["nodes"])
    )


def _is_node(each):
    return (
        isinstance(each, dict)
        and set(each) == {"op", "domain", "inputs", "outputs", "graphs"}
        and isinstance(each["op"], str)
        and isinstance(each["domain"], str)
        and _are_names(each["inputs"])
        and _are_names(each["outputs"])
        and all(_is_graph(inner) for inner in each["graphs"])
    )


def _are_names(names):
    return isinstance(names, (list, tuple)) and all(isinstance(name, str) for name in names)


def _plain(one):
    """The graph as lists and dicts, or None for what is none."""
    if not _is_graph(one):
        return None
    return {
        "inputs": list(one["inputs"]),
        "initializers": list(one["initializers"]),
        "outputs": list(one["outputs"]),
        "nodes": [
            {
                "op": each["op"],
                "domain": each["domain"],
                "inputs": list(each["inputs"]),
                "outputs": list(each["outputs"]),
                "graphs": [_plain(inner) for inner in each["graphs"]],
            }
            for each in one["nodes"]
        ],
    }
