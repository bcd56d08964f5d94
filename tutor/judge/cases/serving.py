"""A simulator of a server for language models, and what a policy does to its requests. Pure.

Time passes in steps. A step runs the model once, for tokens of several requests together: a request
first has its prompt read, and each step that ends with nothing left to read writes a token. Keys and
values of what was read lie in blocks of the cache. A policy says what a step does; `run_steps` and
`serve` carry it out, hold it to the server's rules and measure. `Refused` names step and request where
it breaks a rule. How many tokens a request will write is known to nobody before they are written.
"""

import contextlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from tutor.base.number_text import plural

MOST_STEPS = 20_000
Span = tuple[str, float, float, str]  # row, start, end, label: of a Gantt chart


class Refused(Exception):
    """The policy breaks a rule of the server; one sentence with step and request."""


@dataclass(frozen=True)
class Request:
    """A prompt of `prompt` tokens that arrives at a time, and gets `output` tokens (1 or more)."""

    name: str
    arrives: float
    prompt: int
    output: int


@dataclass(frozen=True)
class Server:
    """The limits of a server. The cache has `blocks` of `block` tokens each; a step takes at most
    `budget` tokens of at most `places` requests, and `fixed + per_token * tokens` of time."""

    budget: int
    blocks: int = 1 << 40
    block: int = 16
    places: int = 1 << 40
    fixed: float = 1.0
    per_token: float = 0.0

    def blocks_for(self, tokens: int) -> int:
        """Return the blocks that hold so many tokens."""
        return -(-tokens // self.block)


@dataclass(frozen=True)
class Seen:
    """What a policy sees of a request: the tokens of its prompt, those written so far, those whose keys
    and values are in the cache, and the blocks that these take."""

    name: str
    arrived: float
    prompt: int
    written: int
    cached: int
    blocks: int

    @property
    def left(self) -> int:
        """Tokens to read before it writes the next one: 1 while it decodes."""
        return self.prompt + self.written - self.cached


@dataclass(frozen=True)
class Answered:
    """A request that is done: when it arrived, and when each of its tokens was written."""

    name: str
    arrives: float
    times: tuple[float, ...]

    @property
    def ttft(self) -> float:
        """Return the time to the first token."""
        return self.times[0] - self.arrives

    @property
    def tpot(self) -> float:
        """Return the mean time of a token after the first; 0 where there is one token."""
        return (self.times[-1] - self.times[0]) / max(1, len(self.times) - 1)

    @property
    def longest_gap(self) -> float:
        """Return the longest time between two of its tokens; 0 where there is one token."""
        return max((later - one for one, later in pairwise(self.times)), default=0.0)

    @property
    def end(self) -> float:
        """Return when its last token was written."""
        return self.times[-1]


@dataclass(frozen=True)
class Run:
    """What a policy did: requests in the order in which they arrived, steps of the model, the time of
    all of them, evictions from the cache, and spans for a chart with a row a request."""

    requests: tuple[Answered, ...]
    steps: int
    time: float
    evictions: int
    spans: tuple[Span, ...]

    @property
    def longest_wait(self) -> float:
        """Return the longest time to a first token."""
        return max(each.ttft for each in self.requests)

    @property
    def longest_gap(self) -> float:
        """Return the longest time between two tokens of a request."""
        return max(each.longest_gap for each in self.requests)

    @property
    def tokens(self) -> int:
        """Return how many tokens were written."""
        return sum(len(each.times) for each in self.requests)

    def on_time(self, first: float, gap: float) -> int:
        """Return how many requests had their first token, and each later one, within these times."""
        return sum(each.ttft <= first and each.longest_gap <= gap for each in self.requests)


Admit = Callable[[list[Seen], list[Seen], int, Server], Any]  # -> names
Plan = Callable[[list[Seen], list[Seen], int, Server], Any]  # -> tokens by name


def serve(admit: Admit, requests: Iterable[Request], server: Server) -> Run:
    """Serve requests whose admission a policy decides.

    In each step every running request gets its next token. `admit(waiting, running, free, server)`
    returns the names of waiting requests, in the order in which they begin to run; their whole prompts
    are read in the same step. `free` are the blocks that the running ones leave. Raises `Refused`.
    """

    def plan(
        waiting: list[Seen], running: list[Seen], free: int, server: Server
    ) -> dict[str, int] | None:
        names = admit(list(waiting), list(running), free, server)
        if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
            raise _Wrong(f"the policy returns {_short(names)}; expected a list of names")
        taken = {each.name: 1 for each in running}
        left = {each.name: each.left for each in waiting}
        for name in names:
            if name in taken:
                running_ = any(each.name == name for each in running)
                raise _Wrong(f"{name} is admitted " + ("and runs already" if running_ else "twice"))
            if name not in left:
                raise _Wrong(f"{_short(name)} is admitted, and no such request waits")
            taken[name] = left[name]
        return taken or None

    return _Engine(requests, server).run(plan)


def run_steps(policy: Plan, requests: Iterable[Request], server: Server) -> Run:
    """Serve requests by a policy that plans each step.

    `policy(waiting, running, free, server)` returns how many tokens of which request the step takes, by
    name: at most as many as the request has left. Those that wait have nothing in the cache. Raises
    `Refused`.
    """

    def plan(waiting: list[Seen], running: list[Seen], free: int, server: Server) -> dict[str, int]:
        asked = policy(list(waiting), list(running), free, server)
        if not isinstance(asked, Mapping):
            raise _Wrong(f"the policy returns {_short(asked)}; expected a dict of names and tokens")
        left = {each.name: each.left for each in (*waiting, *running)}
        for name, tokens in asked.items():
            if name not in left:
                raise _Wrong(f"{_short(name)} is planned, and no such request is there")
            if type(tokens) is not int or tokens < 1:
                raise _Wrong(f"{name} gets {_short(tokens)} tokens; expected 1 or more")
            if tokens > left[name]:
                raise _Wrong(f"{name} gets {plural(tokens, 'token')}, and has {left[name]} left")
        if not asked:
            names = ", ".join(list(left)[:3])
            raise _Wrong(f"nothing is planned, and this waits or runs: {names}")
        return dict(asked)

    return _Engine(requests, server).run(plan)


def decisions(
    way: Callable[[Any, Iterable[Request], Server], Run],
    policy: Admit | Plan,
    requests: Sequence[Request],
    server: Server,
) -> list[Any]:
    """Return what a policy answers when asked by `way` (`serve` or `run_steps`), step after step, as
    values that JSON has. It ends where the policy is refused; `replay` says why."""
    answers: list[Any] = []

    def noted(*state: Any) -> Any:
        got = policy(*state)
        answers.append(_plain(got))
        return got if not isinstance(answers[-1], str) else answers[-1]

    with contextlib.suppress(Refused):
        way(noted, requests, server)
    return answers


def replay(
    way: Callable[[Any, Iterable[Request], Server], Run],
    answers: Sequence[Any],
    requests: Sequence[Request],
    server: Server,
) -> Run:
    """Return the run that these answers of a policy make. Raises `Refused`."""
    rest = iter(answers)

    def policy(*state: Any) -> Any:
        try:
            return next(rest)
        except StopIteration:
            raise _Wrong("the policy's answers end here") from None

    return way(policy, requests, server)


# --- the engine -----------------------------------------------------------------------------------


class _Wrong(Exception):
    """A rule is broken; the engine adds the step."""


@dataclass
class _Live:
    """A request that has arrived and is not done."""

    request: Request
    times: list[float] = field(default_factory=list)
    cached: int = 0
    blocks: int = 0
    since: float = 0.0  # when it began to wait
    evicted: bool = False  # it has run before

    @property
    def left(self) -> int:
        return self.request.prompt + len(self.times) - self.cached

    def seen(self) -> Seen:
        made = self.request
        return Seen(made.name, made.arrives, made.prompt, len(self.times), self.cached, self.blocks)


class _Engine:
    """The state of a server: who is still to come, waits and runs, and what was measured."""

    def __init__(self, requests: Iterable[Request], server: Server) -> None:
        self.server = server
        self.all = sorted(requests, key=lambda each: each.arrives)
        self.coming = list(self.all)
        self.waiting: list[_Live] = []
        self.running: list[_Live] = []  # in the order in which they began
        self.done: dict[str, Answered] = {}
        self.free = server.blocks
        self.clock, self.steps, self.asked, self.evictions = 0.0, 0, 0, 0
        self.spans: list[Span] = []
        self._last: dict[str, int] = {}  # of each request the place of its last span of work

    def run(self, plan: Plan) -> Run:
        while self.coming or self.waiting or self.running:
            if self.asked > MOST_STEPS:
                raise Refused(f"step {self.steps}: it has not ended after {MOST_STEPS} steps.")
            self._arrive()
            try:
                self._step(plan)
            except _Wrong as wrong:
                raise Refused(f"step {self.steps}: {wrong}.") from None
        return Run(
            tuple(self.done[each.name] for each in self.all),
            self.steps,
            self.clock,
            self.evictions,
            tuple(sorted(self.spans, key=lambda span: span[1])),
        )

    def _arrive(self) -> None:
        if not self.waiting and not self.running:
            self.clock = max(self.clock, self.coming[0].arrives)
        while self.coming and self.coming[0].arrives <= self.clock:
            request = self.coming.pop(0)
            self.waiting.append(_Live(request, since=request.arrives))

    def _step(self, plan: Plan) -> None:
        self._make_room()
        waiting = [each.seen() for each in self.waiting]
        running = [each.seen() for each in self.running]
        self.asked += 1
        taken = plan(waiting, running, self.free, self.server)
        if taken is None:  # nobody runs, and nobody was admitted
            if not self.coming:
                names = ", ".join(each.request.name for each in self.waiting[:3])
                raise _Wrong(f"nothing runs, nothing more will arrive, and {names} waits")
            self.clock = max(self.clock, self.coming[0].arrives)
            return
        self._check(taken)
        self._carry_out(taken)

    def _make_room(self) -> None:
        """Give each request that decodes the block that its next token needs, the first that began
        first. Where none is free the one that began last loses all of its blocks, and waits again."""
        for live in list(self.running):
            if live not in self.running or live.left != 1:
                continue
            more = self.server.blocks_for(live.cached + 1) - live.blocks
            while more > self.free and live in self.running:
                self._evict(self.running[-1])
            if live in self.running and more > 0:
                self.free -= more
                live.blocks += more

    def _evict(self, live: _Live) -> None:
        if len(self.running) == 1:
            raise _Wrong(f"{live.request.name} runs alone, and the cache is too small for it")
        self.running.remove(live)
        self.free += live.blocks
        live.cached = live.blocks = 0
        live.since, live.evicted = self.clock, True
        self.waiting.insert(0, live)
        self.evictions += 1

    def _check(self, taken: dict[str, int]) -> None:
        """Hold a plan to the limits of a step. What runs and is not planned keeps its place."""
        began = {live.request.name: live for live in (*self.running, *self.waiting)}
        tokens, free, places = 0, self.free, len(self.running)
        for name, count in taken.items():
            live = began[name]
            places += live not in self.running
            if places > self.server.places:
                raise _Wrong(
                    f"{name} is admitted as number {places}, and {self.server.places} may run at once"
                )
            tokens += count
            if tokens > self.server.budget:
                took = f"with {plural(count, 'token')} of {name} it takes {tokens}"
                raise _Wrong(f"{took}, and {self.server.budget} are the budget")
            needed = max(0, self.server.blocks_for(live.cached + count) - live.blocks)
            if needed > free:
                raise _Wrong(f"{name} needs {plural(needed, 'block')}, and {free} are free")
            free -= needed

    def _carry_out(self, taken: dict[str, int]) -> None:
        start = self.clock
        end = self.clock = start + self.server.fixed + self.server.per_token * sum(taken.values())
        self.steps += 1
        lives = {live.request.name: live for live in (*self.running, *self.waiting)}
        for name, count in taken.items():
            live = lives[name]
            if live in self.waiting:
                self.waiting.remove(live)
                self.running.append(live)
                if live.since < start:
                    label = "evicted" if live.evicted else "waits"
                    self.spans.append((name, live.since, start, label))
            needed = max(0, self.server.blocks_for(live.cached + count) - live.blocks)
            self.free -= needed
            live.blocks += needed
            self._mark(live, start, end, count)
            live.cached += count
            if live.left == 0:
                live.times.append(end)
            if len(live.times) == live.request.output:
                self.running.remove(live)
                self.free += live.blocks
                self.done[name] = Answered(name, live.request.arrives, tuple(live.times))

    def _mark(self, live: _Live, start: float, end: float, count: int) -> None:
        """Add a span; tokens that are written without a pause are one."""
        name, at = live.request.name, self._last.get(live.request.name, -1)
        if live.times and live.left == 1:
            if at >= 0 and self.spans[at][2:] == (start, "decode"):
                self.spans[at] = (name, self.spans[at][1], end, "decode")
                return
            label = "decode"
        else:
            label = f"{'recompute' if live.times else 'prefill'} {count}"
        self._last[name] = len(self.spans)
        self.spans.append((name, start, end, label))


def _plain(got: Any) -> Any:
    """Return the answer as JSON has it; a text that says what else it is."""
    if isinstance(got, list | tuple) and all(isinstance(name, str) for name in got):
        return list(got)
    if isinstance(got, Mapping) and all(
        isinstance(name, str) and type(count) is int for name, count in got.items()
    ):
        return dict(got)
    return _short(got)


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
