from django.apps import AppConfig


class TicketsConfig(AppConfig):
    name = "tickets"

    def ready(self) -> None:
        from health.queries.machines import register_tickets
        from inventory.search import register_provider
        from tickets import handlers, queries  # noqa: F401  (handlers register themselves)

        register_tickets(queries.tickets_of_machine)
        register_provider("tickets", queries.find_tickets)
