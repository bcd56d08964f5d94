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


def explain_wrong(got, chain):
    """Name the rule that a wrong count comes from, if it is a known one."""
    pieces = [piece.split() for piece in chain.split("matmul")]
    counts = tuple(got.tolist())
    right = tuple(eager(chain).tolist())
    if counts[1] != right[1]:
        return "Each `matmul` is one library call, wherever it stands in the chain."
    steps = [piece for piece in pieces if piece]
    beside = sum(
        (piece[0] != "whole") + (piece[-1] != "whole") for piece in steps if "whole" in piece
    )
    known = {
        sum(map(len, pieces)): "Each step has a kernel there, as in eager mode.",
        2 * chain.count("whole") + 1: "A kernel goes through a library call there.",
        len(
            steps
        ): "There a sum over everything shares one kernel with its neighbours, though many "
        "blocks have to meet for it.",
        right[0] + len(pieces) - len(steps): "There two products with nothing between them, or a "
        "product at an end, have a kernel beside them.",
        right[0]
        + 2 * chain.count("rows"): "There `rows` ends a kernel. One block holds the row, so "
        "it can divide as well.",
        right[0]
        + beside: "There the neighbours of a sum over everything have kernels of their own. "
        "The first and the last of its three launches can do their work.",
    }
    return known.get(counts[0]) if counts[0] != right[0] else None


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
    Case("twenty in a row", fixed(*20 * ["relu"])),
    Case("a sum of everything in a long piece", fixed(*8 * ["relu"], "whole", *8 * ["relu"])),
    Case("rows among others", fixed("relu", "rows", "relu", "rows")),
    Case("a product alone", fixed("matmul")),
    Case("two products, nothing between", fixed("matmul", "matmul")),
    Case("around a product", fixed("relu", "matmul", "relu")),
    Case("rows before and after a product", fixed("rows", "relu", "matmul", "rows")),
    Case("one sum over everything", fixed("whole")),
    Case("its neighbours ride along", fixed("relu", "relu", "whole", "relu", "rows")),
    Case("a sum right after a product", fixed("matmul", "whole")),
    Case("a sum right before a product", fixed("relu", "whole", "matmul")),
    Case("two sums, a product between", fixed("whole", "relu", "matmul", "relu", "whole", "relu")),
    Case("begins and ends with products", fixed("matmul", "relu", "rows", "matmul")),
    Case("drawn by dice", drawn),
    Case("drawn again", drawn),
)
