"""Runs as they are found, from the processes that hold GPUs and the scheduler's jobs.

`groups`, `matching` and `roll_call` decide, and are pure; `queries` reads what sweeps saw, `api` answers.
"""
