from django.apps import AppConfig


class TicketsConfig(AppConfig):
    name = "tickets"

    def ready(self) -> None:
        from core.files import register_subject
        from core.services import OTHER_SECRETS
        from core.work.kinds import kinds
        from fabric.wiring.queries.tickets import register_tickets as register_tickets_of_findings
        from health.overview.queries.layers import offered as floor_layers
        from health.overview.queries.machines import register_tickets
        from health.overview.queries.past import register_past_tickets
        from health.overview.queries.timeline import register_lane
        from inventory.parts.queries import register_life
        from inventory.search import register_provider
        from runs.replacement import hooks as runs_hooks
        from tickets import handlers, models, named, queries  # noqa: F401  (handlers register themselves)
        from tickets.desk import people
        from tickets.insights import services as insights
        from tickets.messages import delivery, rounds
        from tickets.messages import services as messages
        from tickets.messages.rota import calendars
        from tickets.runbooks import machine_steps
        from tickets.services import leds
        from tickets.systems import exchange, outbox
        from tickets.systems import services as systems
        from tickets.vendors import bundles, dispatch

        for work in (
            leds.WORK, machine_steps.WORK, insights.WORK, delivery.WORK, calendars.WORK, exchange.WORK,
            bundles.WORK, dispatch.WORK,
        ):  # fmt: skip
            kinds.register(work)
        OTHER_SECRETS.extend([messages.rotate_secrets, systems.rotate_secrets])
        rounds.OTHERS.append(outbox.note)
        named.register()
        register_tickets(queries.tickets_of_machine)
        runs_hooks.ticket_of_fault.register(queries.ticket_of_fault)
        register_past_tickets(queries.tickets_at)
        register_lane("tickets", queries.lane_of_machine)
        floor_layers.register(queries.FLOOR_LAYER)
        register_tickets_of_findings(queries.ticket_of_finding)
        register_subject("ticket", models.Ticket, "site_id", models.Attachment, refuses=people.why_not)
        register_life("tickets", queries.life_of_component)
        register_provider("tickets", queries.find_tickets)
