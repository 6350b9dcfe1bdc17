"""Where this server connects to, and with which secret: one decision for every route and every call.

`permit` is asked when an address or a credential is stored, and again when it is used. What it returns, a `Gate`, goes
with the call into the driver and is asked once more for the address that the name became, right before the connection:
a name that changes its address between a check and a connection gains nothing.
"""
