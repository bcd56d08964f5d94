"""The editor's colours of Python, the same as those of the cells in a lesson, in every theme.

Tree-sitter names the parts of a text; the styles are component classes, so that they follow the theme.
"""

from collections.abc import Callable

from rich.style import Style

_NAMES = {
    "comment": ("comment",),
    "keyword": (
        "keyword",
        "keyword.function",
        "keyword.operator",
        "keyword.return",
        "conditional",
        "repeat",
        "exception",
        "include",
        "preproc",
    ),
    "number": ("number", "float", "boolean", "constant.builtin", "none"),
    "string": ("string",),
    "builtin": ("function.builtin", "type.builtin"),
    "function": ("function", "method"),
    "decorator": ("attribute", "attribute.builtin"),
    "class": ("type.class", "type.definition"),
}
CLASSES = frozenset(f"editor--{role}" for role in _NAMES)
CSS = """
    CodeEditor .editor--comment { color: $foreground 70%; text-style: italic; }
    CodeEditor .editor--keyword, CodeEditor .editor--builtin { color: $secondary; }
    CodeEditor .editor--number { color: $accent; }
    CodeEditor .editor--string { color: $success; }
    CodeEditor .editor--function { color: $primary; text-style: bold; }
    CodeEditor .editor--decorator { color: $primary; }
    CodeEditor .editor--class { text-style: bold; }
    CodeEditor .text-area--gutter, CodeEditor .text-area--cursor-gutter { color: $foreground 70%; }
"""


def styles(style_of: Callable[[str], Style]) -> dict[str, Style]:
    """The style of each name of tree-sitter; `style_of` gives that of a component class.

    Names without a role, such as types and variables, keep the colour of the text.
    """
    by_name = {}
    for role, names in _NAMES.items():
        style = style_of(f"editor--{role}")
        # The ground is the line's own: the cursor's line has another one.
        plain = Style(color=style.color, bold=style.bold, italic=style.italic)
        by_name.update(dict.fromkeys(names, plain))
    return by_name
