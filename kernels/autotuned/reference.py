import torch

from tutor.judge.near_misses import PRODUCT
from tutor.judge.spec import Case, Work

CONTIGUOUS = True


def reference(a, b):
    return (a.double() @ b.double()).to(torch.int32)


def eager(a, b):
    return (a.double() @ b.double()).to(torch.int32)


def work(a, b):
    (m, k), n = a.shape, b.shape[1]
    return Work(bytes=m * k + k * n + 4 * m * n, flops=2 * m * n * k, units="fp16")


def check_found(found):
    if found.get("trouble"):
        return "wrong-values", found["trouble"]
    if found["configs"] < 3:
        return (
            "wrong-values",
            f"The autotuner has {found['configs']} different configuration"
            f"{'' if found['configs'] == 1 else 's'} to choose from; at least 3 are asked for.",
        )
    if found["tiles"] < 3:
        return (
            "wrong-values",
            f"The autotuner has {found['configs']} configurations with {found['tiles']} different "
            f"tile{'' if found['tiles'] == 1 else 's'}; at least 3 tiles are asked for.",
        )
    if found["left"] == 1:
        return (
            "wrong-values",
            "For a product of 128 by 130 by 128 all configurations but one are left out before any is "
            "tried, so there is nothing to choose.",
        )
    if found["beside"]:
        return (
            "wrong-values",
            "The result is right without the kernel under `@triton.autotune`: another kernel computes "
            "it, whose tile nobody chooses.",
        )
    if found["same"]:
        names = " or ".join(f"`{name}`" for name in found["same"])
        return (
            "wrong-values",
            f"When only {names} changes, the autotuner keeps the choice that it made for another "
            "size. Is every size that the best tile depends on in `key`?",
        )
    return None


def numbers(g, *shape, low=-128, high=128):
    return torch.randint(low, high, shape, generator=g, device=g.device, dtype=torch.int8)


def sizes(m, k, n, **law):
    return lambda g: (numbers(g, m, k, **law), numbers(g, k, n, **law))


def of_wide(function):
    """The same function of the factors in 64 bits, where no sum wraps round."""
    return lambda a, b: function(a.long(), b.long())


NEAR_MISSES = (
    *((phrase, of_wide(function)) for phrase, function in PRODUCT),
    ("the sum wraps round in int8", of_wide(lambda a, b: (a @ b + 128) % 256 - 128)),
)


CASES = (
    Case("one element", sizes(1, 1, 1)),
    Case("two by three by four", sizes(2, 3, 4)),
    Case("one short of 32", sizes(31, 31, 31)),
    Case("exactly 32", sizes(32, 32, 32)),
    Case("one past 32", sizes(33, 33, 33)),
    Case("K exactly 64", sizes(9, 64, 20)),
    Case("K one past 128", sizes(9, 129, 20)),
    Case("K = 190", sizes(17, 190, 40)),
    Case("wide", sizes(5, 40, 70)),
    Case("tall", sizes(70, 40, 5)),
    Case("the same sizes again", sizes(17, 190, 40)),
    Case("nothing but -128", sizes(20, 200, 20, low=-128, high=-127)),
    Case("a nothing but zeros", lambda g: (0 * numbers(g, 9, 70), numbers(g, 70, 30))),
)
TIMING = Case("512 by 32,768 by 512", sizes(512, 32_768, 512))
