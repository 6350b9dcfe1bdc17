from django.apps import AppConfig


class TicketsConfig(AppConfig):
    name = "tickets"

    def ready(self) -> None:
        from health.queries.machines import register_tickets
        from inventory.parts.queries import register_life
        from inventory.search import register_provider
        from tickets import handlers, queries  # noqa: F401  (handlers register themselves)

        register_tickets(queries.tickets_of_machine)
        register_life("tickets", queries.life_of_component)
        register_provider("tickets", queries.find_tickets)
