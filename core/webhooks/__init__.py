"""Webhooks: what happens here is told to other programs by signed HTTP requests that are tried again until they arrive.

`models` keeps hooks, deliveries and the outbox that triggers of the database fill; `catalogue` names what can be heard;
`fan_out` makes deliveries of the outbox; `dispatch` sends what is due; `sending` is the one HTTP request, which goes
where `core.outgoing` lets it; `signing` is plain functions. docs/webhooks.md is the page for receivers.
"""
