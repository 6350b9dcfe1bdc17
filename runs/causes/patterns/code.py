"""The code of the run: numbers that are none, and any exception that nothing above knows better."""

from __future__ import annotations

from runs.causes.classes import HARDWARE, USER
from runs.causes.pattern import Pattern, Strength

ERROR, RESULT = Strength.ERROR, Strength.RESULT

PATTERNS = (
    Pattern(
        "nan.one-rank",
        "nan-loss",
        ERROR,
        (),
        "one rank's gradients are not numbers before they were mixed with the others'",
        "AssertionError: Rank 11: found NaN in local grad norm in backward pass before data-parallel communication "
        "collective. Device: 3, node: node-f02",
        "Megatron-LM, core/distributed",
        either=("found NaN in local grad", "found Inf in local grad", "found NaN in local forward loss"),
        owner=HARDWARE,
    ),
    Pattern(
        "nan.loss",
        "nan-loss",
        ERROR,
        (),
        "the loss is not a number",
        "FloatingPointError: Minimum loss scale reached (0.0001). Your loss is probably exploding.",
        "fairseq, DeepSpeed, Lightning",
        either=(
            "Minimum loss scale reached",
            "minimum loss scale",
            "loss is NaN",
            "Loss is NaN",
            "loss is nan",
            "Loss is nan",
            "NaN or Inf found in input",
            "NaN detected in",
            "returned nan values in its",
            "The loss returned in `training_step` is nan",
            "NaN in loss",
            "NaN loss",
        ),
        owner=USER,
    ),
    Pattern(
        "python.arguments",
        "user-error",
        ERROR,
        (".py: error: ",),
        "the program does not take these arguments",
        "train.py: error: unrecognized arguments: --use-flash-attn-v3",
        "Python 3.11, argparse",
    ),
    Pattern(
        "python.wrapper",
        "user-error",
        Strength.FOLLOWER,
        (),
        "another exception carried over from a worker or another rank, which follows",
        "ValueError: Caught ValueError in DataLoader worker process 2.",
        "PyTorch 2.8, torch/_utils.py and distributed/checkpoint",
        either=("in DataLoader worker process", "in replica", "CheckpointException"),
    ),
    Pattern(
        "python.exception",
        "user-error",
        ERROR,
        (),
        "the code of the run raised it",
        "KeyError: 'input_ids'",
        "Python 3.11",
        shape=r"^(?:[A-Za-z_][\w.]*\.)?(?:[A-Z]\w*(?:Error|Exception|Failure|Exit)|StopIteration|AssertionError)(?::|$)",
        either=("Error", "Exception", "Failure", "Exit", "StopIteration"),
        without=("Warning:",),
    ),
)
