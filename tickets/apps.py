from django.apps import AppConfig


class TicketsConfig(AppConfig):
    name = "tickets"

    def ready(self) -> None:
        from core.files import register_subject
        from core.openapi.references import called, words
        from core.work.kinds import kinds
        from fabric.wiring.queries.tickets import register_tickets as register_tickets_of_findings
        from health.overview.queries.machines import register_tickets
        from health.overview.queries.timeline import register_lane
        from inventory.parts.queries import register_life
        from inventory.search import register_provider
        from runs.replacement import hooks as runs_hooks
        from tickets import handlers, models, named, queries  # noqa: F401  (handlers register themselves)
        from tickets.services import leds
        from tickets.vendors import bundles, dispatch

        kinds.register(leds.WORK, bundles.WORK, dispatch.WORK)
        words["ticket"], called["ticket"] = named.find, "key (`REP-2041`)"
        register_tickets(queries.tickets_of_machine)
        runs_hooks.ticket_of_fault.register(queries.ticket_of_fault)
        register_lane("tickets", queries.lane_of_machine)
        register_tickets_of_findings(queries.ticket_of_finding)
        register_subject("ticket", models.Ticket, "site_id", models.Attachment)
        register_life("tickets", queries.life_of_component)
        register_provider("tickets", queries.find_tickets)
