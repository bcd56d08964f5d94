"""Every sentence on a mistake is short: it opens in the words of the mistake, and fits four lines."""

import ast
from collections.abc import Iterator
from pathlib import Path

import tutor.judge

JUDGE = Path(tutor.judge.__file__).parent
MOST = 240  # characters, with what stands for the values below
VALUES = {"place_text": 70, "meeting_text": 90, "name": 24}  # characters; any other value: 8
MESSAGE = {"Diagnosis": (1, "message"), "Row": (3, "says")}


def most_characters(node: ast.expr) -> int:
    """Estimate the longest text that an expression in a message gives."""
    match node:
        case ast.Constant(value=str(text)):
            return len(text)
        case ast.JoinedStr(values=parts):
            return sum(map(most_characters, parts))
        case ast.FormattedValue(value=value):
            return next((n for word, n in VALUES.items() if word in ast.unparse(value)), 8)
        case ast.Call(func=ast.Attribute(value=text)):
            return most_characters(text)
        case ast.BinOp(left=left, right=right):
            return most_characters(left) + most_characters(right)
        case ast.IfExp(body=body, orelse=other):
            return max(most_characters(body), most_characters(other))
    return 0


def messages() -> Iterator[tuple[str, ast.expr]]:
    """Yield each message in the judge's source, and where it stands."""
    for folder in ("diagnosis", "server", "probes"):
        for path in sorted((JUDGE / folder).glob("*.py")):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                    continue
                at, keyword = MESSAGE.get(node.func.id, (99, ""))
                named = [each.value for each in node.keywords if each.arg == keyword]
                for text in named or node.args[at : at + 1]:
                    yield f"{path.name}:{node.lineno}", text


def test_no_message_is_longer_than_four_lines():
    found = [(where, most_characters(text)) for where, text in messages()]
    assert len(found) > 150
    assert [each for each in found if each[1] > MOST] == []


def test_each_message_opens_with_a_sentence():
    """A sentence begins with a capital, a name in backticks or a value, and ends before the advice."""
    opens = [text.value for _, text in messages() if isinstance(text, ast.Constant)]
    assert opens
    assert [text for text in opens if not (text[0].isupper() or text[0] in "`{~")] == []
