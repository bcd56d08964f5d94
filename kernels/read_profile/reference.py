import torch

from tutor.judge.spec import Case, Work

TIME, BYTES = "gpu__time_duration.sum", "dram__bytes.sum"
OPS = {
    op: f"smsp__sass_thread_inst_executed_op_{op}_pred_on.sum" for op in ("fadd", "fmul", "ffma")
}
WARPS = "sm__warps_active.avg.per_cycle_active"
REQUESTS = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"
SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
MIB = 1 << 20


def reference(counters, peak, bandwidth):
    seen = {name: torch.tensor(float(value), dtype=torch.float64) for name, value in counters}
    rates = torch.stack(
        [
            seen[BYTES] / bandwidth,
            (seen[OPS["fadd"]] + seen[OPS["fmul"]] + 2 * seen[OPS["ffma"]]) / peak,
        ]
    )
    percent = rates / (seen[TIME] * 1e-9) * 100
    low = bool((percent < 60).all())
    limit = torch.tensor(2.0 if low else float(percent[1] >= percent[0]), dtype=torch.float64)
    each = seen[SECTORS] / seen[REQUESTS].clamp(min=1)
    return torch.stack([*percent, seen[WARPS] / 64 * 100, each, limit])


eager = reference


def scale(counters, peak, bandwidth):
    return reference(counters, peak, bandwidth).abs()


def work(counters, peak, bandwidth):
    return Work(bytes=40, flops=0)


def check_module(constants):
    """Return one sentence where MEMORY_PERCENT or USED_SHARE is wrong, else None."""
    percent, share = (constants.get(name) for name in ("MEMORY_PERCENT", "USED_SHARE"))
    for name, value in (("MEMORY_PERCENT", percent), ("USED_SHARE", share)):
        if isinstance(value, bool) or not isinstance(value, int | float):
            return f"{name} is {value!r}; expected a number."
    if not 39 < percent < 41:
        return (
            f"MEMORY_PERCENT is {percent!r}; expected 192 MB / 100 µs over 4.8 TB/s, in per cent."
        )
    if 3.9 < share < 4.1 or 15 < share < 17:
        return "USED_SHARE is a share: the bytes asked for over the bytes fetched, at most 1."
    if not 0.24 < share < 0.26:
        return (
            f"USED_SHARE is {share!r}; a warp asked for 32 × 4 bytes and fetched 16 sectors of 32."
        )
    return None


def explain_wrong(got, counters, peak, bandwidth):
    """The sentence for the first wrong number, where it is that of one known mistake, else None."""
    want = reference(counters, peak, bandwidth)
    wrong = [at for at in range(5) if not torch.allclose(got[at], want[at])]
    if not wrong:
        return None
    said, right = got[wrong[0]].item(), want[wrong[0]].item()
    fitting = [
        sentence
        for sentence, made in mistakes(wrong[0], right, want.tolist(), dict(counters), peak)
        if made is not None and abs(said - made) <= 1e-5 * abs(made)
    ]
    return fitting[0] if len(fitting) == 1 else None


def mistakes(at, right, want, seen, peak):
    """Numbers as mistakes make them, each after its sentence; None where a case cannot show one."""
    units = [
        (
            f"Element {at} is a hundredth of what belongs there. The task wants per cent.",
            right / 100,
        ),
        (
            f"Element {at} is a thousandth of what belongs there, as if the time were in microseconds. "
            "The counter is in nanoseconds.",
            right * 1e-3,
        ),
        (
            f"Element {at} is 1e-9 of what belongs there, as if the time were in seconds. The counter "
            "is in nanoseconds.",
            right * 1e-9,
        ),
    ]
    if at == 0:
        sectors = seen[SECTORS] * 32 / seen[BYTES]
        return [*units, ("Element 0 is the number for the sectors of loads. HBM's bytes have their own "
                         "counter.", right * sectors)]  # fmt: skip
    if at == 1:
        once = sum(seen[OPS[op]] for op in OPS)
        twice = once + seen[OPS["ffma"]]
        return [
            *units,
            ("Element 1 is the number with one FLOP for a multiply-add. It is two.",
             right * once / max(1, twice)),
        ]
    if at == 2:
        return [units[0], ("Element 2 is 64 times what belongs there: it is a part of 64 warps.",
                           right * 64),
                ("Element 2 is the number for room for 48 warps. This multiprocessor has room for 64.",
                           right * 64 / 48)]  # fmt: skip
    if at == 3:
        whole = [float(round(right)), float(int(right)), float(-int(-right // 1))]
        return [
            ("Element 3 is upside down: sectors for each request.", 1 / right if right else None),
            *(
                (f"Element 3 is the whole number {each:g}. Requests of a kernel may differ, and what "
                 "they take on average is a fraction.", each)
                for each in sorted(set(whole))
            ),
        ]  # fmt: skip
    memory, compute = want[:2]
    plain = float(compute >= memory)
    return [
        ("Both are below 60 %: that is latency, 2.", plain if max(memory, compute) < 60 else None),
        ("Latency is where both are below 60 %. Here one of them is not.",
         2.0 if min(memory, compute) < 60 <= max(memory, compute) else None),
        (
            f"Element 4 is {1 - plain:g}, but the two per cents are equal: that is 1, too."
            if memory == compute
            else f"Element 4 is {1 - plain:g}, but the larger of the two per cents is "
            f"{'arithmetic' if plain else 'memory'}: that is {plain:g}.",
            1 - plain if max(memory, compute) >= 60 else None,
        ),
    ]  # fmt: skip


def draw(g, low, high):
    return int(torch.randint(low, high, (1,), generator=g, device=g.device))


def profile(g, memory, compute, *, each=4, warps=None, gpu=(67e12, 4.8e12)):
    """Counters of a kernel that uses about these per cent of bandwidth and peak."""
    peak, bandwidth = gpu
    ns = draw(g, 5_000, 900_000)
    flops = int(peak * ns * 1e-9 * compute / 100)
    ffma = flops * draw(g, 10, 40) // 100
    fadd = (flops - 2 * ffma) * draw(g, 10, 90) // 100
    requests = draw(g, 1000, 10**6) if each else 0
    pairs = [
        [TIME, ns],
        [BYTES, int(bandwidth * ns * 1e-9 * memory / 100)],
        [OPS["fadd"], fadd],
        [OPS["fmul"], flops - 2 * ffma - fadd],
        [OPS["ffma"], ffma],
        [WARPS, draw(g, 100, 6300) / 100 if warps is None else warps],
        [REQUESTS, requests],
        [SECTORS, int(requests * each)],
        [REQUESTS.replace("_ld.", "_st."), draw(g, 1000, 10**6)],  # of stores
        [SECTORS.replace("_ld.", "_st."), draw(g, 10**6, 10**7)],
        ["sm__cycles_active.avg", ns * 2],
        ["launch__registers_per_thread", draw(g, 16, 255)],
        # Names that begin as others do, or differ in a letter.
        ["dram__bytes_read.sum", draw(g, 10**6, 10**8)],
        ["sm__warps_active.avg.pct_of_peak_sustained_active", draw(g, 100, 9900) / 100],
        [OPS["fadd"].replace("fadd", "dadd"), draw(g, 10**6, 10**8)],
        [OPS["ffma"].replace("ffma", "dfma"), draw(g, 10**6, 10**8)],
    ]
    return [pairs[i] for i in torch.randperm(len(pairs), generator=g).tolist()], peak, bandwidth


def both_the_same(g):
    """A second at three quarters of either: all powers of two, so that no order of terms rounds."""
    pairs, _, _ = profile(g, 75, 75, gpu=(2.0**45, 2.0**42))
    exact = {TIME: 10**9, BYTES: 3 * 2**40, OPS["fadd"]: 2**43, OPS["fmul"]: 0, OPS["ffma"]: 2**43}
    return [[name, exact.get(name, value)] for name, value in pairs], 2.0**45, 2.0**42


def exactly_sixty(memory, flops):
    """A second at `memory` and `flops` of 5e12 a second each: whole numbers, so that no order of terms
    rounds 60 %."""

    def make(g):
        pairs, _, _ = profile(g, 60, 20, gpu=(5e12, 5e12))
        exact = {TIME: 10**9, BYTES: memory, OPS["fadd"]: flops, OPS["fmul"]: 0, OPS["ffma"]: 0}
        return [[name, exact.get(name, value)] for name, value in pairs], 5e12, 5e12

    return make


def kernel(memory, compute, **more):
    return lambda g: profile(g, memory + draw(g, 0, 3), compute + draw(g, 0, 3), **more)


A100 = (19.5e12, 2.039e12)
CASES = (
    Case("a copy near the roof", kernel(88, 1)),
    Case("a product near its peak", kernel(20, 90)),
    Case("a strided copy", kernel(85, 2, each=32)),
    Case("few warps, little in flight", kernel(18, 3, warps=4.0)),
    Case("neither roof is near", kernel(45, 50)),
    Case("both just below 60", lambda g: profile(g, 59.8, 59.7)),
    Case("full of warps and slow", kernel(30, 12, warps=63.5)),
    Case("both near, memory nearer", kernel(82, 70)),
    Case("both near, arithmetic nearer", kernel(65, 88, gpu=A100)),
    Case("arithmetic nearer by a fraction", lambda g: profile(g, 80.1, 80.4)),
    Case("memory nearer by a fraction", lambda g: profile(g, 80.4, 80.1)),
    Case("both the same", both_the_same),
    Case("only just above", kernel(61, 5, gpu=A100)),
    Case("memory at exactly 60", exactly_sixty(3 * 10**12, 10**12)),
    Case("arithmetic at exactly 60", exactly_sixty(2 * 10**12, 3 * 10**12)),
    Case("requests of two kinds", kernel(70, 5, each=6.61)),
    Case("no loads at all", kernel(75, 1, each=0)),
    Case("drawn", lambda g: profile(g, draw(g, 1, 95), draw(g, 1, 95), each=draw(g, 1, 33))),
    Case("drawn again", lambda g: profile(g, draw(g, 1, 95), draw(g, 1, 95), gpu=A100)),
)
