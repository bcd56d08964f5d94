"""Records of verdicts: what `--json` holds, and that older records open."""

from tutor.judge.model.verdict import Diagnosis, Verdict, to_json, verdict_from_json

SEEN = Diagnosis("race", "Two programs store to one place.", line=9, proof="observed")
VERDICT = Verdict("row_sum", False, "cpu-interpreter", diagnosis=(SEEN,))


def test_a_diagnosis_carries_how_it_is_known() -> None:
    data = to_json(VERDICT)
    assert data["diagnosis"][0]["proof"] == "observed"
    assert verdict_from_json(data) == VERDICT


def test_a_record_from_before_the_field_opens() -> None:
    data = to_json(VERDICT)
    del data["diagnosis"][0]["proof"]
    assert verdict_from_json(data).diagnosis[0].proof == ""
