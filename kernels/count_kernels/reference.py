import torch

from tutor.judge.spec import Case, Work

FUNCTIONS = "ABCDEFGH"
WHY = {
    "A": "All three operators are elementwise, and `b` broadcasts: the kernel loads one more number.",
    "B": "Both read x, and one block holds a whole row. One kernel reads x once.",
    "C": "They read and write nothing in common, so one kernel would save no traffic.",
    "D": "One block holds a whole row: it computes mean and variance and goes on to the gelu.",
    "E": "The product is a library call. Bias and gelu share one kernel after it.",
    "F": "`addmm` of the library reads a third matrix and adds it. No kernel is left for the sum.",
    "G": "A column is long, and many blocks share it: partial sums, the final sum, the division.",
    "H": "Nothing moves into a library call: a product, the relu between, a product.",
}


def eager(chain):
    """Inductor's counts as a rule. tests/kernels/test_fusion_rules.py compares it with Inductor."""
    pieces = [piece.split() for piece in chain.split("matmul")]
    kernels = sum(3 if "whole" in piece else 1 for piece in pieces if piece)
    return torch.tensor([kernels, len(pieces) - 1])


def reference(chain):
    return eager(chain)


def counted(count):
    """Return the near miss of this count of kernels, with the right count of library calls. `count` gets
    the steps between two products, as lists of names."""

    def function(chain):
        pieces = [piece.split() for piece in chain.split("matmul")]
        return torch.tensor([count(pieces), len(pieces) - 1])

    return function


def launches(pieces, *, rows=0, beside=0, gaps=0):
    """Count the kernels, with more for each `rows`, each neighbour of a `whole`, each empty piece."""
    steps = [piece for piece in pieces if piece]
    count = sum(3 if "whole" in piece else 1 for piece in steps)
    for piece in (piece for piece in steps if "whole" in piece):
        count += beside * ((piece[0] != "whole") + (piece[-1] != "whole"))
    return count + rows * sum(piece.count("rows") for piece in steps) + gaps * (
        len(pieces) - len(steps)
    )  # fmt: skip


NEAR_MISSES = (
    ("each step has a kernel, as in eager mode", counted(lambda pieces: sum(map(len, pieces)))),
    ("a kernel goes through a library call", counted(
        lambda pieces: 1 + 2 * sum(piece.count("whole") for piece in pieces))),
    ("a sum over everything shares one kernel with its neighbours", counted(
        lambda pieces: sum(map(bool, pieces)))),
    ("two products with nothing between them have a kernel there, or a product at an end has one",
     counted(lambda pieces: launches(pieces, gaps=1))),
    ("`rows` ends a kernel", counted(lambda pieces: launches(pieces, rows=2))),
    ("`rows` before a sum over everything has a kernel of its own", counted(
        lambda pieces: launches(pieces) + sum(
            "rows" in piece[: piece.index("whole")] for piece in pieces if "whole" in piece))),
    ("the neighbours of a sum over everything have kernels of their own", counted(
        lambda pieces: launches(pieces, beside=1))),
)  # fmt: skip


def work(chain):
    return Work(bytes=16, flops=len(chain))


def check_module(constants):
    """Return one sentence where a prediction is missing, else None."""
    for name in FUNCTIONS:
        value = constants.get(name)
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            return f"{name} must be a number of launches, 1 or more: say what you expect before you ask."
    return None


def check_found(found):
    """(code, sentence) for the first prediction that Inductor does not confirm, else None."""
    wrong = [name for name in FUNCTIONS if found["said"][name] != found["written"][name]]
    if not wrong:
        return None
    name = wrong[0]
    more = f" ({len(wrong)} of your 8 predictions are off.)" if len(wrong) > 1 else ""
    return "wrong-values", (
        f"You predict {found['said'][name]} for {name}. On this machine Inductor wrote "
        f"{found['written'][name]}. {WHY[name]}{more}"
    )


def fixed(*words):
    return lambda g: (" ".join(words),)


def drawn(g):
    """A chain by dice, with at most one `whole` between two products."""
    words, seen = [], False
    for _ in range(12):
        word = ("relu", "relu", "rows", "whole", "matmul")[
            int(torch.randint(0, 5, (1,), generator=g, device=g.device))
        ]
        if word == "whole" and seen:
            continue
        seen = word == "whole" or (seen and word != "matmul")
        words.append(word)
    return (" ".join(words or ["relu"]),)


CASES = (
    Case("one operator", fixed("relu")),
    Case("five in a row", fixed("relu", "relu", "relu", "relu", "relu")),
    Case("no step at all", fixed()),
    Case("forty in a row", fixed(*20 * ["relu", "rows"])),
    Case("a sum of everything in a long piece", fixed(*8 * ["relu"], "whole", *8 * ["relu"])),
    Case("rows among others", fixed("relu", "rows", "relu", "rows")),
    Case("a product alone", fixed("matmul")),
    Case("two products, nothing between", fixed("matmul", "matmul")),
    Case("around a product", fixed("relu", "matmul", "relu")),
    Case("rows before and after a product", fixed("rows", "relu", "matmul", "rows")),
    Case("one sum over everything", fixed("whole")),
    Case("its neighbours ride along", fixed("relu", "rows", "whole", "relu", "rows")),
    Case("a sum right after a product", fixed("matmul", "whole")),
    Case("a sum right before a product", fixed("relu", "whole", "matmul")),
    Case("two sums, a product between", fixed("whole", "relu", "matmul", "relu", "whole", "relu")),
    Case("begins and ends with products", fixed("matmul", "relu", "rows", "matmul")),
    Case("drawn by dice", drawn),
    Case("drawn again", drawn),
)
