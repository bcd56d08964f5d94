import functools

import torch

from tutor.judge.spec import Case, Work

GIGA = 10**9
PROMISED = (
    ("R is odd", lambda times, *_: times.shape[1] % 2 == 1),
    (
        "numbers of threads that were tried, all different",
        lambda times, threads, *_: len(set(threads.tolist())) == len(threads) == len(times),
    ),
    (
        "All integers are 1 or more.",
        lambda times, threads, machine, moved, limit: (
            min(*machine, moved, limit, int(times.min()), int(threads.min())) >= 1
        ),
    ),
    (
        "up to 128 cores and 12 rows",
        lambda times, threads, machine, *_: machine[0] <= 128 and len(times) <= 12,
    ),
)


def of_row(row, change):
    if change == "mean":
        return sum(row) // len(row)
    if change == "fastest":
        return min(row)
    if change == "first":
        return row[0]
    return sorted(row)[len(row) // 2]


def plan(times, threads, machine, moved, limit, change=""):
    """Streams and threads of the best plan. Times are multiplied by the bandwidth: all are integers."""
    cores, bandwidth = map(int, machine)
    moved, limit = int(moved), int(limit) * bandwidth
    best = None

    def better(one, other):
        """Whether plan `one`, (streams, time, threads), comes before `other`."""
        s, time, t = one
        s2, time2, t2 = other
        if change == "time" and time != time2:
            return time < time2
        if change == "streams" and s != s2:
            return s > s2
        if s * time2 != s2 * time:
            return s * time2 > s2 * time
        if change == "threads first" and t != t2:
            return t < t2
        if time != time2:
            return (time > time2) if change == "more" else (time < time2)
        return t > t2 if change == "most" else t < t2

    every = []
    for t, row in zip(threads.long().tolist(), times.long().tolist(), strict=True):
        alone = of_row(row, change) * bandwidth
        most = cores // t + (change == "too many")
        for s in range(1, most + 1):
            if change == "all" and s != most:
                continue
            if change == "alone" and s > 1:
                break
            memory = moved * GIGA * (1 if change == "not shared" else s)
            time = max(alone, memory)
            if change == "added":
                time = alone + memory
            if change == "no memory":
                time = alone
            asked = alone if change == "limit alone" else time
            every.append((s, time, t))
            late = asked > limit or (change == "less" and asked == limit)
            if late and change != "no limit":
                continue
            if best is None or better((s, time, t), best):
                best = (s, time, t)
    if best is None:
        best = (0, 0, 0)
        if change == "none" and every:
            best = min(every, key=lambda each: (each[1], each[0], each[2]))
    s, _, t = best
    return torch.tensor([t, s] if change == "exchanged" else [s, t])


def reference(times, threads, machine, moved, limit):
    return plan(times, threads, machine, moved, limit)


eager = reference


def work(times, threads, machine, moved, limit):
    return Work(bytes=8 * (times.numel() + threads.numel() + 2) + 40, flops=0)


def by_mistake(change):
    return functools.partial(plan, change=change)


NEAR_MISSES = (
    ("the mean of a row counts, and not its median", by_mistake("mean")),
    ("the fastest time of a row counts, and not its median", by_mistake("fastest")),
    ("the first time of a row counts, and not its median", by_mistake("first")),
    ("the plan has the least time, and not the highest rate", by_mistake("time")),
    ("the plan has the most streams, and not the highest rate", by_mistake("streams")),
    ("of equal rates the one with more streams is taken", by_mistake("more")),
    (
        "of equal rates the one with fewer threads is taken before time is asked",
        by_mistake("threads first"),
    ),
    ("of equal rates and times the one with more threads is taken", by_mistake("most")),
    ("a stream more than the cores allow may run", by_mistake("too many")),
    ("as many streams as the cores allow always run", by_mistake("all")),
    ("one stream runs alone", by_mistake("alone")),
    ("the memory delivers each stream's bytes as if it were alone", by_mistake("not shared")),
    ("the memory's time is added to the threads' time", by_mistake("added")),
    ("the memory's time is left out", by_mistake("no memory")),
    ("the limit is asked of a request that runs alone", by_mistake("limit alone")),
    ("the limit is not asked", by_mistake("no limit")),
    ("a request that takes just the limit is refused", by_mistake("less")),
    ("the fastest plan is returned where none keeps the limit", by_mistake("none")),
    ("threads stand first, and streams behind them", by_mistake("exchanged")),
)


def whole(g, low, high):
    return int(torch.randint(low, high + 1, (), generator=g))


def measured(g, middles, repeats):
    """Rows of times in any order, with the given medians. What lies above them may lie far above."""
    rows = []
    for middle in middles:
        half = repeats // 2
        below = [max(1, middle - whole(g, 0, middle // 20)) for _ in range(half)]
        above = [middle + whole(g, 0, middle // (1, 30, 30)[whole(g, 0, 2)]) for _ in range(half)]
        row = [*below, middle, *above]
        order = torch.randperm(repeats, generator=g).tolist()
        rows.append([row[i] for i in order])
    return torch.tensor(rows)


def sweep(g, counts, work_ns, serial, repeats=5):
    """A table of a request that has `work_ns` of work, of which a part in a thousand is serial."""
    order = torch.randperm(len(counts), generator=g).tolist()
    counts = [counts[i] for i in order]
    middles = [
        max(
            1,
            work_ns * serial // 1000
            + work_ns * (1000 - serial) // (1000 * t)
            + whole(g, 0, work_ns // 200),
        )
        for t in counts
    ]
    return measured(g, middles, repeats), torch.tensor(counts)


def drawn(counts, cores, serial, memory, limit, repeats=5):
    """Work of milliseconds. `memory`: per cent of a lone thread's time that one request's bytes take.
    `limit`: per cent of a lone thread's time."""

    def make(g):
        work_ns = whole(g, 5_000_000, 90_000_000)
        times, threads = sweep(g, counts, work_ns, serial, repeats)
        bandwidth = whole(g, 17, 480) * GIGA + whole(g, 0, 9_999)
        moved = max(1, work_ns * memory * bandwidth // (100 * GIGA))
        return times, threads, (cores, bandwidth), moved, max(1, work_ns * limit // 100)

    return make


def floats(machine, moved, alone, t):
    """Rates and times of plans as float64 has them, by two ways to write them."""
    cores, bandwidth = machine
    rows = []
    for s in range(1, cores // t + 1):
        time = max(float(alone), s * moved / bandwidth * 1e9)
        rows.append((s, s / time, time / s))
    return rows


def equal_rates(g):
    """Memory limits most plans, and their rates are equal; in float64 they are not."""
    while True:
        times, threads = sweep(g, [1, 2, 4], whole(g, 20_000_000, 40_000_000), 20)
        cores, bandwidth = 24, whole(g, 20, 90) * GIGA + 7
        alone = sorted(times[threads.tolist().index(1)].tolist())[2]
        moved = alone * bandwidth // (5 * GIGA)
        rows = floats((cores, bandwidth), moved, alone, 1)
        tied = [row for row in rows if row[0] >= 7]
        if max(tied, key=lambda row: row[1])[0] > 7 and min(tied, key=lambda row: row[2])[0] > 7:
            return times, threads, (cores, bandwidth), moved, 400 * alone


def nearly_equal(change):
    """Two plans whose rates differ by a part in 10 ** 16: one stream, and two of half the threads."""

    def make(g):
        one = whole(g, 3 * 10**15, 4 * 10**15)
        times = measured(g, [one, 2 * one + change], 3)
        return times, torch.tensor([8, 4]), (16, 100 * GIGA), 1, 10**17

    return make


def at_the_limit(g):
    """The best plan takes just the limit."""
    times, threads = sweep(g, [1, 2, 3, 6], whole(g, 9_000_000, 70_000_000), 60, 7)
    alone = sorted(times[threads.tolist().index(2)].tolist())[3]
    return times, threads, (12, 300 * GIGA), whole(g, 1_000, 9_000_000), alone


def shared_limit(g):
    """A request keeps the limit alone, and not beside a second one: the memory is too slow for both."""
    times, threads = sweep(g, [1, 2, 4, 8, 16], whole(g, 40_000_000, 90_000_000), 600)
    alone = sorted(times[threads.tolist().index(1)].tolist())[2]
    bandwidth = 20 * GIGA + whole(g, 0, 99)
    moved = alone * bandwidth * 6 // (10 * GIGA)
    return times, threads, (16, bandwidth), moved, alone * 11 // 10


def beyond_by_a_part(g):
    """Let six streams take a part of a nanosecond more than the limit, where float64 has no such parts.
    The first row of the table is for more cores than there are."""
    # Even, so that 6 * whole_ns is a float64, to which a part of a nanosecond more is rounded.
    whole_ns = 2 * whole(g, 15 * 10**14, 2 * 10**15)
    times = measured(g, [whole_ns, 5 * whole_ns + whole_ns // 2], 3)
    machine = 16, 7 * GIGA
    return times, torch.tensor([32, 1]), machine, 7 * whole_ns + 1, 6 * whole_ns


def impossible(g):
    times, threads = sweep(g, [1, 4, 8], 50_000_000, 100)
    return times, threads, (8, 50 * GIGA), 1_000_000, int(times.min()) // 2


def one_fast_time(g):
    """A single time of one row is far below the row's others."""
    times, threads = sweep(g, [1, 2, 4, 8], whole(g, 20_000_000, 90_000_000), 50, 7)
    row = times[threads.tolist().index(4)]
    row[int(row.argmin())] = int(row.min()) // 6
    return times, threads, (16, 400 * GIGA), whole(g, 1_000, 900_000), 10**10


def too_few_cores(g):
    """Each measured number of threads is more than there are cores."""
    times, threads = sweep(g, [6, 12], 50_000_000, 100)
    return times, threads, (5, 50 * GIGA), 1_000_000, 10**12


def large_numbers(g):
    """Products beyond 64 bits."""
    times, threads = sweep(g, [1, 5, 10, 20], whole(g, 10**14, 9 * 10**14), 30)
    bandwidth = whole(g, 10**12, 9 * 10**12)
    moved = int(times.min()) * bandwidth // GIGA // 3
    return times, threads, (61, bandwidth), moved, 10**16


def viewed(g):
    times, threads, machine, moved, limit = drawn([1, 2, 3, 4, 6, 12], 12, 80, 6, 90)(g)
    wide = torch.stack((times.T, times.T + 3), 1)
    return wide[:, 0].T, threads.repeat_interleave(3)[::3], machine, moved, limit


CASES = (
    Case("one row", drawn([1], 1, 0, 30, 300)),
    Case("arithmetic decides", drawn([1, 2, 4, 8, 16], 16, 60, 1, 400)),
    Case("arithmetic decides, and the limit is short", drawn([1, 2, 4, 8, 16], 16, 60, 1, 30)),
    Case("memory decides", drawn([1, 2, 4, 8, 16], 16, 30, 20, 400)),
    Case("memory decides, and the limit is short", drawn([1, 2, 4, 8], 16, 30, 9, 40)),
    Case("threads that do not divide the cores", drawn([3, 5, 7], 23, 20, 3, 500, 9)),
    Case("more threads are slower", drawn([1, 2, 4, 8, 16, 32], 32, 700, 2, 800)),
    Case("one time is very short", one_fast_time),
    Case("rates that are equal", equal_rates),
    Case("rates that are equal, others", equal_rates),
    Case("one stream is better by very little", nearly_equal(1)),
    Case("two streams are better by very little", nearly_equal(-1)),
    Case("just the limit", at_the_limit),
    Case("two streams break the limit", shared_limit),
    Case("beyond the limit by a part of a nanosecond", beyond_by_a_part),
    Case("no plan keeps the limit", impossible),
    Case("fewer cores than threads", too_few_cores),
    Case("large numbers", large_numbers),
    Case("views", viewed),
    Case("128 cores", drawn([1, 2, 4, 8, 16, 32, 64, 128], 128, 15, 3, 60, 3)),
)
TIMING = Case("128 cores, memory decides", drawn([1, 2, 4, 8, 16, 32, 64, 128], 128, 15, 8, 900, 3))
