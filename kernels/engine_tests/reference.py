import torch

from tutor.judge.spec import Case, Work

BUILD = """
from tutor.judge.cases.engine import END, Row

DRAFTS = 3


class Text:
    def __init__(self, request):
        self.request, self.text, self.table = request, list(request.prompt), []
        self.read = self.drafted = 0

    def drafts(self):
        left = len(self.request.prompt) + self.request.limit - len(self.text)
        return min(DRAFTS, left - 1)

    def is_done(self):
        written = self.text[len(self.request.prompt) :]
        return len(written) >= self.request.limit or END in written


def serve(machine, requests):
    size = machine.size
    spare = list(range(machine.blocks))
    waiting = [Text(request) for request in requests]
    every, running = list(waiting), []

    def missing(one):
        return -(-(len(one.text) + one.drafts()) // size) - len(one.table)

    def let_go(one, keep):
        spare.extend(one.table[keep:])
        del one.table[keep:]

    while waiting or running:
        for one in list(running):
            while one in running and missing(one) > len(spare):
                last = running.pop()
                let_go(last, 0)
                last.read = last.drafted = 0
                waiting.insert(0, last)
            if one in running:
                one.table += [spare.pop() for _ in range(missing(one))]
        while waiting and len(running) < machine.places and missing(waiting[0]) <= len(spare):
            one = waiting.pop(0)
            one.table += [spare.pop() for _ in range(missing(one))]
            running.append(one)
        step(machine, running)
        for one in list(running):
            let_go(one, 0 if one.is_done() else -(-one.read // size))
            if one.is_done():
                running.remove(one)
    return [one.text[len(one.request.prompt) :] for one in every]


def step(machine, running):
    drafts = [[] for _ in running]
    for turn in range(DRAFTS):
        those = [i for i, one in enumerate(running) if one.drafts() > turn]
        rows = []
        for i in those:
            one = running[i]
            known = one.text + drafts[i]
            rows.append(Row(one.request.name, known[one.drafted :], one.drafted, one.table))
            one.drafted = len(known)
        if rows:
            for i, said in zip(those, machine.draft(rows)):
                drafts[i].append(said[-1])
    rows = [
        Row(one.request.name, one.text[one.read :] + mine, one.read, one.table)
        for one, mine in zip(running, drafts)
    ]
    for one, mine, said in zip(running, drafts, machine.target(rows)):
        said = said[len(said) - len(mine) - 1 :]
        kept = 0
        while kept < len(mine) and mine[kept] == said[kept]:
            kept += 1
        new = said[: kept + 1]
        if END in new:
            new = new[: new.index(END) + 1]
        one.read = len(one.text) + kept
        one.drafted = min(one.drafted, one.read)
        one.text += new
"""
LET_GO = "let_go(one, 0 if one.is_done() else -(-one.read // size))"
ROUND = "return -(-(len(one.text) + one.drafts()) // size) - len(one.table)"
END_CUT = "        if END in new:\n            new = new[: new.index(END) + 1]\n"
RESET = "last.read = last.drafted = 0"
READ, DRAFTED = "one.read = len(one.text) + kept", "one.drafted = min(one.drafted, one.read)"
ADMIT = "        while waiting and len(running) < machine.places and"
RETURN = "return [one.text[len(one.request.prompt) :] for one in every]"
EVERY = "every, running = list(waiting), []"

RIGHT = (
    (),
    (("spare = list(range(machine.blocks))", "spare = [*range(machine.blocks - 1, -1, -1)]"),
     ("spare.extend(one.table[keep:])", "spare[:0] = one.table[keep:]")),
    ((LET_GO, "let_go(one, 0 if one.is_done() else len(one.table))"),),  # keeps blocks of refused drafts
    (("        return min(DRAFTS, left - 1)",
      "        return min(DRAFTS, left - 1) if self.read else 0"),),  # reads prompts without drafts
    (("last = running.pop()",
      "last = max(running[running.index(one) :], key=lambda each: len(each.table))\n"
      "                running.remove(last)"),
     ("waiting.insert(0, last)",
      "waiting.insert(0, last)\n"
      "                waiting.sort(key=lambda each: every.index(each))"),),
    ((ROUND, "whole = len(one.request.prompt) + one.request.limit - 1\n"
      "        return -(-whole // size) - len(one.table)"),
     (LET_GO, "let_go(one, 0 if one.is_done() else len(one.table))")),
)
WRONG = (  # replacements, what the build does
    (((LET_GO, "let_go(one, 0 if one.is_done() else one.read // size)"),),
     "gives back the last block of a text, which is not full and is still read"),
    (((ROUND, "return max(1, (len(one.text) + one.drafts()) // size) - len(one.table)"),),
     "takes no new block for tokens behind a full one, unless they fill it"),
    (((RESET, "last.drafted = 0"),),
     "reads on, where it was, after a request has lost its blocks"),
    (((RESET, RESET + "\n                written = len(last.request.prompt)\n"
       "                last.text = last.text[:written] + last.text[-1:]"),),
     "forgets, when a request has lost its blocks, all that it wrote but the last token"),
    ((("new = said[: kept + 1]", "new = said[: max(1, min(kept + 1, len(mine)))]"),
      (READ, "one.read = len(one.text) + len(new) - 1")),
     "forgets the target's own token where all drafts are kept"),
    (((READ, READ + "\n        one.text += mine[kept : kept + (kept == 2)]"),),
     "keeps the third draft even though the target refuses it"),
    (((DRAFTED, "one.drafted = one.read"),),
     "takes the last draft for read by the draft model, which never read it"),
    (((END_CUT, ""), ("or END in written", "")),
     "goes on behind END"),
    (((END_CUT, ""),),
     "keeps drafts that stand behind END"),
    ((("return min(DRAFTS, left - 1)", "return min(DRAFTS, left)"), ),
     "drafts one token more than the limit leaves room for"),
    (((EVERY, "every, running = [], []"),
      ("                running.remove(one)\n    return",
       "                running.remove(one)\n                every.append(one)\n    return")),
     "returns texts in the order in which they end"),
    ((("said = said[len(said) - len(mine) - 1 :]",
       "said = said[len(rows[0].tokens) - len(mine) - 1 :]"),),
     "looks in each answer of a call where it stands in the first"),
    (((EVERY, EVERY + "\n    waiting.sort(key=lambda one: one.request.limit)"),),
     "lets requests of a low limit begin first"),
    (((ADMIT + " missing(waiting[0]) <= len(spare):\n            one = waiting.pop(0)\n",
       "        for one in list(waiting):\n"
       "            if len(running) == machine.places or missing(one) > len(spare):\n"
       "                continue\n"
       "            waiting.remove(one)\n"),),
     "lets a small request pass one for which the blocks are not enough"),
    (((ADMIT, "        closed = bool(running)\n"
       "        while waiting and not closed and len(running) < machine.places and"),),
     "lets nobody begin until all that run are done"),
    (((LET_GO, "let_go(one, -(-one.read // size))"),),
     "keeps the blocks of requests that are done"),
    ((("size = machine.size", "size = 4"),),
     "takes each block for one of 4 tokens"),
    (((EVERY, EVERY + "\n    known = serve.__dict__.setdefault('known', {})"),
      (RETURN, "for one in every:\n"
       "        known.setdefault(one.request.name, one.text[len(one.request.prompt) :])\n"
       "    return [known[request.name] for request in requests]")),
     "remembers texts by the names of requests, and returns them for the next load too"),
    ((("for one, mine, said in zip(running, drafts, machine.target(rows)):",
       "for one, mine, said in zip(running, drafts, [machine.target([row])[0] for row in rows]):"),),
     "asks the target about one request at a time"),
    ((("waiting = [Text(request) for request in requests]",
       "waiting = [Text(request) for request in requests\n"
     "        if 4 * (len(request.prompt) + request.limit) <= 3 * machine.blocks * size]"),
      ("return [one.text[len(one.request.prompt) :] for one in every]",
       "got = {one.request.name: one.text[len(one.request.prompt) :] for one in every}\n"
       "    return [got.get(request.name, []) for request in requests]")),
     "turns a request away that needs more than three quarters of the cache"),
    (((RETURN, "return [one.text[len(one.request.prompt) - 1 : -1] for one in every]"),),
     "returns the prompt's last token in front of each text, and leaves the text's last one out"),
    (((RETURN, "texts = [one.text[len(one.request.prompt) :] for one in every]\n"
       "    return texts[:1] + [text[:-2] + text[:-3:-1] for text in texts[1:]]"),),
     "exchanges the last two tokens of each text but the first"),
)


def text_of(replacements):
    text = BUILD
    for old, new in replacements:
        assert old in text, old
        text = text.replace(old, new)
    return text


LABELS = {text_of(each): (1, "") for each in RIGHT}
LABELS |= {text_of(change): (0, what) for change, what in WRONG}
CHOICES = (
    "It is the measure itself.",
    "It takes and gives back blocks in another order.",
    "It keeps blocks that refused drafts were in until the request is done.",
    "It reads a prompt in one call, and drafts from the next one on.",
    "It takes the blocks of the request that has the most, and not of the youngest.",
    "It takes all blocks that a request may need when it begins.",
)


def reference(builds):
    return torch.tensor([LABELS[text][0] for text in builds])


eager = reference


def work(builds):
    return Work(bytes=sum(map(len, builds)) + 8 * len(builds), flops=0)


def scale(builds):
    return 0.0


def explain_wrong(got, builds):
    """Say what the first build does that was judged wrongly."""
    for place, (said, text) in enumerate(zip(got.tolist(), builds, strict=True)):
        right, what = LABELS[text]
        if said == right:
            continue
        if right:
            choice = CHOICES[list(map(text_of, RIGHT)).index(text)]
            return f"Build {place} is right, and you refuse it. {choice}"
        return f"Build {place} is wrong, and you accept it. It {what}."
    return None


def chosen(*places, right=1):
    """Some wrong builds by their places in `WRONG`, with some right ones, in an order by dice."""

    def make(g):
        def dice(n, count):
            return torch.randperm(n, generator=g, device=g.device)[:count].tolist()

        texts = [text_of(WRONG[place][0]) for place in places]
        texts += [text_of(RIGHT[place]) for place in dice(len(RIGHT), right)]
        return ([texts[place] for place in dice(len(texts), len(texts))],)

    return make


CASES = (
    Case("right builds", chosen(right=6)),
    Case("blocks", chosen(0, 1, 16)),
    Case("a request that has lost its blocks", chosen(2, 3)),
    Case("drafts", chosen(4, 5, 6)),
    Case("the end and the limit", chosen(7, 8, 9, 20, 21)),
    Case("several requests in a call", chosen(10, 11, 18)),
    Case("who begins", chosen(12, 13, 14)),
    Case("a cache that is nearly too small", chosen(15, 19)),
    Case("two loads", chosen(17, right=2)),
)
