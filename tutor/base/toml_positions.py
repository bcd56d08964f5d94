"""Lines of the keys of a TOML text (`tomli` gives values without their lines), and changes to one
key that keep every other character, so the writer's comments and order stay."""

import re

KeyPath = tuple[str | int, ...]

_TOKEN = re.compile(
    r'''(?P<string>"""(?:\\.|[^\\])*?"""+|\'\'\'.*?\'\'\'+|"(?:\\.|[^"\\\n])*"|'[^'\n]*')'''
    r"|(?P<comment>\#[^\n]*)|(?P<open>[\[{])|(?P<close>[\]}])|(?P<newline>\n)",
    re.DOTALL,
)
_PART = r"""(?:[A-Za-z0-9_-]+|"[^"\n]*"|'[^'\n]*')"""
_DOTTED = rf"{_PART}(?:\s*\.\s*{_PART})*"
_HEADER = re.compile(rf"[ \t]*(\[\[?)\s*({_DOTTED})\s*\]")
_KEY = re.compile(rf"[ \t]*({_DOTTED})[ \t]*=")


def _statements(text: str) -> list[tuple[int, int]]:
    """Yield (offset, line) of each line that begins a statement: not inside a string, list or table."""
    starts, depth, line = [(0, 1)], 0, 1
    for token in _TOKEN.finditer(text):
        line += token.group().count("\n")
        if token["open"]:
            depth += 1
        elif token["close"]:
            depth -= 1
        elif token["newline"] and depth == 0:
            starts.append((token.end(), line))
    return starts


def key_lines(text: str) -> dict[KeyPath, int]:
    """Return the line where each table and key of a valid TOML text begins; lines count from 1.

    A table of an array is named by its index: `("question", 3, "answer")`. Keys inside an inline
    table are not listed: their line is that of the key which holds the table.
    """
    lines: dict[KeyPath, int] = {}
    count: dict[KeyPath, int] = {}
    here: KeyPath = ()
    for offset, line in _statements(text):
        if header := _HEADER.match(text, offset):
            here = ()
            names = [part.strip("\"'") for part in re.findall(_PART, header[2])]
            for i, name in enumerate(names):
                here = (*here, name)
                if header[1] == "[[" and i == len(names) - 1:
                    count[here] = count.get(here, -1) + 1
                if here in count:
                    here = (*here, count[here])
            lines.setdefault(here, line)
        elif key := _KEY.match(text, offset):
            path = here
            for part in re.findall(_PART, key[1]):
                path = (*path, part.strip("\"'"))
                lines.setdefault(path, line)
    return lines


def with_value(text: str, path: KeyPath, literal: str) -> str:
    """Return `text` with another value for the existing key at `path`."""
    start, end = _value_span(text, path)
    return f"{text[:start]}{literal}{text[end:]}"


def without_key(text: str, path: KeyPath) -> str:
    """Return `text` without the statement of the existing key at `path` and that line's comment."""
    start, end = _statement_span(text, path)
    return text[:start] + text[end:]


def with_key(text: str, table: tuple[str, ...], name: str, literal: str) -> str:
    """Return `text` with a new key at the end of a table, before the comment lines of the next one.

    `table` () is the file's head. A missing table is added at the end.
    """
    new = f"{_quote(name)} = {literal}\n"
    lines = key_lines(text)
    if table and table not in lines:
        gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
        return f"{text}{gap}[{'.'.join(map(_quote, table))}]\n{new}"
    inside = [path for path in lines if path[:-1] == table and not _is_header(text, path)]
    if inside:
        at = _statement_span(text, inside[-1])[1]
    else:
        at = _statement_span(text, table)[1] if table else 0
    gap = "\n" if at and text[at - 1] != "\n" else ""
    return f"{text[:at]}{gap}{new}{text[at:]}"


def _quote(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else f'"{name}"'


def _is_header(text: str, path: KeyPath) -> bool:
    return _HEADER.match(text, _statement_span(text, path)[0]) is not None


def _statement_span(text: str, path: KeyPath) -> tuple[int, int]:
    line = key_lines(text)[path]
    starts = [*_statements(text), (len(text), 0)]
    at = next(i for i, (_, begins) in enumerate(starts) if begins == line)
    return starts[at][0], starts[at + 1][0]


def _value_span(text: str, path: KeyPath) -> tuple[int, int]:
    """Return the span from the first character of the value to behind its last, without a comment
    after it."""
    start, end = _statement_span(text, path)
    key = _KEY.match(text, start)
    assert key is not None
    depth = 0
    for token in _TOKEN.finditer(text, key.end(), end):
        if token["open"]:
            depth += 1
        elif token["close"]:
            depth -= 1
        elif depth == 0 and (token["comment"] or token["newline"]):
            end = token.start()
            break
    value = text[key.end() : end]
    return key.end() + len(value) - len(value.lstrip()), key.end() + len(value.rstrip())
