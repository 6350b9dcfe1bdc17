from tickets.tests.conftest import no_worker, olga, tina  # noqa: F401  (fixtures)
