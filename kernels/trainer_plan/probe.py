"""Asks the learner's plan for the sizes of the project's own run."""

from tutor.judge.cases.training import PROJECT, count_saved, count_weights, tiny_lm


def project():
    """Return the arguments of `plan` for the project's own run."""
    run = PROJECT
    saved = [count_saved(s, run.stages, run.rows, run.tokens) for s in range(run.stages)]
    width, tokens = tiny_lm.SHAPES["target"].width, run.rows * run.tokens
    return (
        run.stages,
        run.replicas,
        run.microbatches,
        tokens,
        width,
        count_weights(run.stages),
        saved,
    )


def probe(module, device):
    return {"promised": module.plan(*project()).tolist()}
