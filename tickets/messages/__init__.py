"""Messages about tickets, by mail and to chat, by rules, on-call rota and escalation; and the answers that come back.

`events`, `plan`, `escalation`, `formats`, `rota.shifts` and `mail.letters` are pure. Triggers of the database note what
happens to a ticket in `NewsRow`, in its own transaction; `rounds` makes messages of it; `delivery` sends what is due,
each channel apart from the others. `mail.replies` turns answers into comments. docs/messages.md is the page for
administrators.
"""
