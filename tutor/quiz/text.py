"""When two short texts say the same: case, spaces and backticks do not count."""

import unicodedata


def fold(text: str) -> str:
    """What is compared of a text. A text of nothing but spaces and backticks stays itself."""
    folded = unicodedata.normalize("NFKC", text).casefold().replace("`", "")
    return "".join(folded.split()) or text


def says(text: str, forms: tuple[str, ...]) -> bool:
    """Whether `text` is one of `forms`."""
    return fold(text) in {fold(form) for form in forms}
