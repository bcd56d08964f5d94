"""The texts of `causes.toml` on each cause that the judge can name, by the cause's code."""

from pathlib import Path

import tomli

_CAUSES: dict[str, dict[str, str]] = tomli.loads(
    Path(__file__).with_name("causes.toml").read_text(encoding="utf-8")
)
CODES = frozenset(_CAUSES)  # that a diagnosis can carry; docs/contract.md lists them too
HEADLINES = {code: texts["headline"] for code, texts in _CAUSES.items() if "headline" in texts}
LOOK_BEYOND = {
    code: texts["look_beyond"] for code, texts in _CAUSES.items() if "look_beyond" in texts
}
LOOK_AT = {code: texts["look_at"] for code, texts in _CAUSES.items()}
