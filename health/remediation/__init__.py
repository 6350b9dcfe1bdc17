"""Remediation: what automation may do about a fault, decided on plain values. No Django, clock or network.

The service that stores and acts calls, in this order:

1. `planner.decide(machine, pool, site, rules, now)` with the rows of machine, pool and site locked. Granted: in the
   same transaction drain the machine, or ask a person, or write `records.granted(...)`. Refused: keep guard and
   reason; refusals whose guard is in `breaker.COUNTED` count, once per incident.
2. Outside, the world is read; then, in a transaction that reads kill switch and breaker again, `records.before_send`.
   None: write `records.sent(...)` (the machine is `remediating` from here on), commit, ask `records.may_call` with the
   record read again, and only then call. A refusal: `records.finished(action, Decision(What.CANCEL, ...), now)`.
3. What the call told is written with `records.reported`.
4. At each look until it ends: `records.settle` by the worker that has the lease, `records.after_crash` by any other.
   `SEND`: take the lease (`records.leased`), ask `before_repeat` and `may_call`, call again. `FINISH`: switch on. The
   rest ends it: `records.finished`, with the machine's step in the same transaction (confirmed: a verification is
   asked for; ambiguous: triage).
5. The verification's result is written with `records.verified`. Then 1 again: the next rung, or a person.

What a person starts by hand skips step 1 and asks `by_hand.refusal`; its `before_send` is told so.
`planner.plan_all` shows what step 1 would do for a whole site. `breaker.open_reason`, `causes.shared_causes` and
`sla.stuck_since` are asked at each tick.
"""
