"""Each code that the judge can name has its texts, and stands in the contract.

The sanitizer's two own codes have no texts."""

import ast
import re
from pathlib import Path

from tutor.judge.reports.cause_texts import CODES

ROOT = Path(__file__).resolve().parents[3]


def test_every_code_of_a_diagnosis_has_its_texts() -> None:
    codes = set()
    for file in (ROOT / "tutor" / "judge").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Diagnosis":
                code = node.args[0]
                if isinstance(code, ast.Constant):
                    codes.add(code.value)
    assert len(codes) > 15
    assert codes - CODES == set()


def test_the_contract_lists_the_codes() -> None:
    text = (ROOT / "docs" / "contract.md").read_text(encoding="utf-8")
    listed = text.partition("Codes of `diagnosis` so far: ")[2].partition("More may come")[0]
    assert set(re.findall(r"`([a-z-]+)`", listed)) == CODES
