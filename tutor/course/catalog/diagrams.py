"""Diagrams of `text` fences with box-drawing characters in place of ASCII. Pure.

Authors write `+--+`, `|`, `->` and `v`; the columns stay. A sign that joins no other is no line: minus
signs, sums and options such as `--plain` are left alone.
"""

# By the sides on which a junction is joined: left, right, up, down.
_JUNCTIONS = {
    (True, True, False, False): "─",
    (False, True, False, True): "┌",
    (True, False, False, True): "┐",
    (False, True, True, False): "└",
    (True, False, True, False): "┘",
    (False, True, True, True): "├",
    (True, False, True, True): "┤",
    (True, True, False, True): "┬",
    (True, True, True, False): "┴",
    (True, True, True, True): "┼",
    (False, False, True, True): "│",
}


def draw_boxes(text: str) -> str:
    """Return the diagram with lines, corners and arrows of box-drawing characters."""
    grid = _Grid(text.split("\n"))
    return "\n".join(
        "".join(grid.draw_character(row, column) for column in range(len(line)))
        for row, line in enumerate(grid.lines)
    )


class _Grid:
    def __init__(self, lines: list[str]) -> None:
        self.lines = lines

    def at(self, row: int, column: int) -> str:
        """The character there; a blank outside the text."""
        line = self.lines[row] if 0 <= row < len(self.lines) else ""
        return line[column] if 0 <= column < len(line) else " "

    def draw_character(self, row: int, column: int) -> str:
        sign = self.at(row, column)
        left, right = self.at(row, column - 1), self.at(row, column + 1)
        if sign == "-" and self._is_line(row, column):
            return "─"
        if sign == ">" and left == "-":
            return "→"
        if sign == "<" and right == "-":
            return "←"
        if sign in "+|`":
            return self._junction(row, column, sign)
        if sign == "v" and self._is_head(row, column):
            return "↓"
        if sign == "^" and left == right == " " and self.at(row + 1, column) in "|+":
            return "↑"
        return sign

    def _is_line(self, row: int, column: int) -> bool:
        """Return True for a run of hyphens that joins a sign, or of three or more, or two alone."""
        line = self.lines[row]
        start = end = column
        while start and line[start - 1] == "-":
            start -= 1
        while end < len(line) and line[end] == "-":
            end += 1
        before, after = self.at(row, start - 1), self.at(row, end)
        if before in "+|`<":
            return not after.isdigit()
        if after in "+|>":
            return True
        return end - start >= 2 and not (before.isalnum() or after.isalnum())

    def _junction(self, row: int, column: int, sign: str) -> str:
        left, right = self.at(row, column - 1), self.at(row, column + 1)
        joined_left = left == "-" and self._is_line(row, column - 1)
        joined_right = right == "-" and self._is_line(row, column + 1)
        up = (
            self.at(row - 1, column) in "|+^"
            or self.at(row - 1, column - 1) == "\\"
            or self.at(row - 1, column + 1) == "/"
        )
        down = (
            self.at(row + 1, column) in "|+`"
            or self.at(row + 1, column - 1) == "/"
            or self.at(row + 1, column + 1) == "\\"
            or self._is_head(row + 1, column)
        )
        if sign == "`":
            return "└" if joined_right else sign
        if sign == "|":
            if left in "|=" or right in "|=":
                return sign
            # Beside the head of an arrow or a border, it stays a border.
            return _JUNCTIONS[joined_left, joined_right, True, True]
        if not (joined_left or joined_right):
            drawn = up and down and left == right == " " and not self._is_sum(row, column)
            return "│" if drawn else sign
        if not (up or down):  # it leads to the words above or below it
            down = self._has_words(row + 1, column)
            up = self._has_words(row - 1, column) and (joined_left == joined_right or not down)
        return _JUNCTIONS.get((joined_left, joined_right, up, down), "─")

    def _is_sum(self, row: int, column: int) -> bool:
        """Return True for a plus sign between two words of its line: `1 write + 1 read`."""
        return self.at(row, column - 2).isalnum() and self.at(row, column + 2).isalnum()

    def _has_words(self, row: int, column: int) -> bool:
        return any(self.at(row, column + step) != " " for step in (-1, 0, 1))

    def _is_head(self, row: int, column: int) -> bool:
        """Return True for a `v` that ends a line from above, or stands in a row of such heads."""
        beside = self.at(row, column - 1) + self.at(row, column + 1)
        if self.at(row, column) != "v" or beside != "  ":
            return False
        return self.at(row - 1, column) in "|+" or set(self.lines[row]) <= set("v| ")
