"""The log is kept by PostgreSQL whatever writes: each way of writing, who wrote, and that no way gets around it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import DatabaseError, ProgrammingError, connection, models, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext

from core.audit import tables, triggers
from core.audit.actor import Actor, acting, command_actor, current, statement
from core.audit.cursors import writes
from core.models import ApiToken, AuditChange, AuditEntry, Credential, Role, Site, User
from core.services import ensure_user, make_token, set_credential
from inventory.models import Aisle, Device, DeviceModel, Placement, Port, Rack, Room

pytestmark = pytest.mark.django_db
ALICE = Actor("alice", "person", "POST /api/rooms/", "req-1")
SECRET_WORDS = ("secret", "password", "digest", "token", "private")
# Columns with such a word that hold no secret, and why.
HARMLESS = {
    "core.User.must_change_password": "yes or no",
    "core.Webhook.previous_until": "a time",
    "tickets.VendorContact.token_url": "the address of a vendor's token server",
    "provisioning.Mirror.token_host": "the host of a registry's token server",
    "provisioning.ImagePlacement.digest": "of a container image, as its registry tells it",
    "tickets.MessageRule.digest": "when it is summed up",
    "tickets.RunbookVersion.digest": "of the text of a runbook",
    "health.ReportSource.token_key": "how a token begins, by which people tell it from others",
}


def entries(table: str) -> list[AuditEntry]:
    return list(AuditEntry.objects.filter(table_name=table).select_related("change").order_by("id"))


def last(table: str) -> AuditEntry:
    return entries(table)[-1]


@pytest.fixture
def room() -> Room:
    site = Site.objects.create(slug="ams1", name="Amsterdam")
    return Room.objects.create(site=site, name="Hall 1", width_mm=20_000, depth_mm=20_000)


def racks(room: Room, count: int) -> list[Rack]:
    return [Rack(room=room, name=f"R{n:04}", x_mm=600 * n, y_mm=0) for n in range(count)]


# ---- what is audited ----
def test_every_model_is_audited_or_left_out_for_a_reason() -> None:
    audited = {model._meta.label_lower for model in tables.audited_models()}
    left_out = tables._left_out
    everything = {
        model._meta.label_lower for model in apps.get_models(include_auto_created=True) if not model._meta.proxy
    }
    assert everything == audited | left_out.keys()
    assert all(len(reason) > 5 for reason in left_out.values())


def test_no_declaration_is_about_a_model_that_does_not_exist() -> None:
    known = {model._meta.label_lower for model in apps.get_models(include_auto_created=True)}
    assert tables._left_out.keys() <= known
    assert tables._declared.keys() <= known


def test_the_database_has_the_triggers_of_every_audited_table() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT tgrelid::regclass::text FROM pg_trigger WHERE tgname = 'audit_update' AND tgenabled = 'O'"
        )
        there = {table for (table,) in cursor.fetchall()}
    assert there == set(tables.by_name())
    assert triggers.differences() == []


def test_installing_puts_right_what_differs_and_nothing_else() -> None:
    with connection.cursor() as cursor:
        cursor.execute("DROP TRIGGER audit_delete ON inventory_rack")
        cursor.execute("ALTER TABLE inventory_port DISABLE TRIGGER audit_insert")
        cursor.execute(
            "CREATE OR REPLACE FUNCTION audit_inventory_room() RETURNS trigger LANGUAGE plpgsql "
            "AS 'BEGIN RETURN NULL; END'"
        )
    assert len(triggers.differences()) == 4  # a disabled one is dropped and made again
    with CaptureQueriesContext(connection) as captured:
        triggers.install()
    assert len(captured) == 2
    assert triggers.differences() == []


def test_no_secret_reaches_the_log() -> None:
    """Every column that looks like a secret is hidden, of every table that is audited."""
    for table in tables.by_name().values():
        for field in table.model._meta.concrete_fields:
            name = f"{table.model._meta.label}.{field.name}"
            secret = isinstance(field, models.BinaryField) or any(word in field.name for word in SECRET_WORDS)
            assert not secret or field.name in table.hidden or name in HARMLESS, f"{name} would be readable in the log"


def test_what_secrets_held_is_in_no_entry() -> None:
    user, _ = ensure_user("eve", role=Role.ADMIN, password="correct horse battery")
    token, plain = make_token(user, name="ci")
    set_credential("ssh", kind=Credential.Kind.PASSWORD, username="root", secret="calvin", hosts=["10.0.0.0/8"])
    user.set_password("another horse")
    user.save()
    credential = Credential.objects.get(name="ssh")
    credential.set_secret("hobbes")
    credential.save()
    text = str([(entry.rows, entry.about) for entry in AuditEntry.objects.all()])
    for secret in (user.password, token.digest, token.token_key, plain, bytes(credential.secret).hex()):
        assert secret not in text
    assert last("core_user").rows[0]["after"] == {"password": triggers.HIDDEN}
    assert last("core_credential").rows[0]["before"] == {"secret": triggers.HIDDEN}
    assert last("core_apitoken").rows[0]["id"] is None


# ---- each way of writing ----
def test_save_is_logged_with_who_when_before_and_after(room: Room) -> None:
    with acting(ALICE):
        room.door = "Door 3"
        room.save()
    entry = last("inventory_room")
    assert (entry.action, entry.size, entry.site_id) == ("changed", 1, room.site_id)
    assert entry.rows == [
        {"id": room.pk, "is": {"name": "Hall 1"}, "before": {"door": ""}, "after": {"door": "Door 3"}}
    ]
    change = entry.change
    assert (change.actor, change.kind, change.source, change.request_id) == (
        "alice", "person", "POST /api/rooms/", "req-1",
    )  # fmt: skip


def test_nothing_is_written_when_nothing_changed(room: Room) -> None:
    before = AuditEntry.objects.count()
    room.save()
    Room.objects.filter(pk=-1).update(name="nowhere")
    User.objects.update(last_login=None)
    assert AuditEntry.objects.count() == before


def test_bulk_create_bulk_update_update_and_delete_are_one_entry_each(room: Room) -> None:
    made = Rack.objects.bulk_create(racks(room, 30))
    for rack in made:
        rack.power_limit_w = 40_000
    Rack.objects.bulk_update(made, ["power_limit_w"])
    Rack.objects.update(depth_mm=1300)
    Rack.objects.all().delete()
    found = entries("inventory_rack")
    assert [(entry.action, entry.size) for entry in found] == [
        ("created", 30), ("changed", 30), ("changed", 30), ("deleted", 30),
    ]  # fmt: skip
    assert found[1].rows[0]["after"] == {"power_limit_w": 40_000}
    assert found[3].rows[0]["before"]["depth_mm"] == 1300
    assert found[0].about["inventory_rack"] == sorted(rack.pk for rack in made)


def test_a_large_write_is_cut_into_entries_of_500_rows(room: Room) -> None:
    Rack.objects.bulk_create(racks(room, 1201))
    assert [entry.size for entry in entries("inventory_rack")] == [500, 500, 201]


def test_one_statement_over_two_sites_is_one_entry_per_site(room: Room) -> None:
    other = Site.objects.create(slug="fra1", name="Frankfurt")
    Room.objects.create(site=other, name="Hall 1", width_mm=1, depth_mm=1)
    Room.objects.update(door="north")
    assert {(entry.site_id, entry.size) for entry in entries("inventory_room")[-2:]} == {
        (room.site_id, 1),
        (other.pk, 1),
    }


def test_raw_sql_and_a_writing_cte_are_logged(room: Room) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"  -- with a remark\n UPDATE inventory_room SET door = '100 %' WHERE id = {room.pk}")
        assert last("inventory_room").rows[0]["after"] == {"door": "100 %"}
        cursor.execute(
            "WITH gone AS (DELETE FROM inventory_room WHERE id = %s RETURNING name) SELECT name, '%%' FROM gone",
            [room.pk],
        )
        assert cursor.fetchall() == [("Hall 1", "%")]
    assert last("inventory_room").action == "deleted"


def test_executemany_is_logged(room: Room) -> None:
    with connection.cursor() as cursor:
        cursor.executemany("UPDATE inventory_room SET door = %s WHERE id = %s", [("a", room.pk), ("b", room.pk)])
    assert [entry.rows[0]["after"]["door"] for entry in entries("inventory_room")[-2:]] == ["a", "b"]


def test_copy_is_logged(room: Room) -> None:
    with acting(ALICE), connection.cursor() as cursor:
        with cursor.copy("COPY inventory_row (room_id, name, position) FROM STDIN") as copy:
            copy.write_row((room.pk, "A", 1))
        assert cursor.rowcount == 1
    assert (last("inventory_row").rows[0]["after"]["name"], last("inventory_row").change.actor) == ("A", "alice")


def test_a_fleet_file_is_logged_as_its_command() -> None:
    with acting(command_actor(["manage.py", "load_fleet", "secret-path.yaml"])):
        call_command("load_fleet", "inventory/fleets/two-sites.yaml", verbosity=0)
    assert sum(entry.size for entry in entries("inventory_port")) == Port.objects.count() > 0
    change = last("inventory_port").change
    assert change.actor == "command:load_fleet"
    assert "secret-path" not in change.source
    assert {entry.site_id for entry in entries("inventory_strandend")} == set(Site.objects.values_list("pk", flat=True))


def test_a_cascade_is_logged_for_every_table_it_reaches(room: Room) -> None:
    Aisle.objects.create(room=room, name="cold 1", kind="cold", x_mm=0, y_mm=0, width_mm=1, depth_mm=1)
    room.delete()
    assert last("inventory_aisle").action == last("inventory_room").action == "deleted"


def test_a_cascade_inside_the_database_is_logged(room: Room) -> None:
    """A lower rack takes the height kept with its placements along, by a foreign key that cascades."""
    rack = Rack.objects.create(room=room, name="R1", x_mm=0, y_mm=0)
    Placement.objects.create(
        kind="blanking", rack=rack, rack_height_u=48, half_units=(1, 3), faces=(0, 2), columns=(0, 2)
    )
    Rack.objects.filter(pk=rack.pk).update(height_u=40)
    assert last("inventory_placement").rows[0]["after"] == {"rack_height_u": 40}


def test_truncate_is_logged(room: Room) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("TRUNCATE inventory_room CASCADE")
    assert (last("inventory_room").action, last("inventory_room").rows[0]["before"]["name"]) == ("deleted", "Hall 1")


def test_a_changed_key_is_logged_as_two_rows(room: Room) -> None:
    pk = room.pk
    Room.objects.filter(pk=pk).update(id=pk + 1000)
    assert {row["id"] for row in last("inventory_room").rows} == {pk, pk + 1000}


def test_the_administration_is_logged_with_the_administrator(client: Client) -> None:
    admin, _ = ensure_user("root", role=Role.ADMIN)
    client.force_login(admin)
    assert client.post("/admin/auth/group/add/", {"name": "night shift"}).status_code == 302
    entry = last("auth_group")
    assert entry.rows[0]["after"]["name"] == "night shift"
    assert (entry.change.actor, entry.change.kind, entry.change.source) == (
        "root", "person", "POST /admin/auth/group/add/",
    )  # fmt: skip


def test_the_log_itself_cannot_be_changed(room: Room) -> None:
    for sql in (
        "UPDATE core_auditentry SET size = 0",
        "DELETE FROM core_auditentry",
        "DELETE FROM core_auditchange",
        "TRUNCATE core_auditchange",
    ):
        with (
            acting(ALICE),
            pytest.raises(ProgrammingError, match="append-only"),
            transaction.atomic(),
            connection.cursor() as cursor,
        ):
            cursor.execute(sql)


# ---- who ----
def test_nobody_writes_without_a_name(room: Room) -> None:
    with acting(None), pytest.raises(ProgrammingError, match="nobody is named"), transaction.atomic():
        Room.objects.update(door="open")
    with acting(None), connection.cursor() as cursor, pytest.raises(DatabaseError) as refused, transaction.atomic():
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("TRUNCATE inventory_room CASCADE")
    assert "SET rackside.actor = 'your name'" in str(refused.value)


def test_psql_writes_under_the_name_it_says(room: Room) -> None:
    with acting(None), connection.cursor() as cursor:
        # as psql sends it: nothing is put before
        cursor.execute(
            "SET LOCAL rackside.context = ''; SET LOCAL rackside.actor = 'bob, from psql'; "
            "UPDATE inventory_room SET door = 'x'"
        )
    change = last("inventory_room").change
    assert (change.actor, change.kind) == ("bob, from psql", "database")


def test_the_actor_does_not_outlive_its_block(room: Room) -> None:
    with acting(ALICE):
        Room.objects.update(door="a")
    with acting(Actor("bob", "person")):
        Room.objects.update(door="b")
    assert [entry.change.actor for entry in entries("inventory_room")[-2:]] == ["alice", "bob"]


def test_a_rolled_back_savepoint_takes_its_change_along_and_the_next_write_is_named(room: Room) -> None:
    with acting(ALICE):
        with pytest.raises(RuntimeError), transaction.atomic():
            Room.objects.update(door="lost")
            raise RuntimeError
        Room.objects.update(door="kept")
        Room.objects.update(door="kept again")
    kept = entries("inventory_room")[-2:]
    assert [entry.rows[0]["after"]["door"] for entry in kept] == ["kept", "kept again"]
    assert kept[0].change_id == kept[1].change_id
    assert AuditChange.objects.filter(actor="alice").count() == 1


def test_naming_the_actor_costs_no_statement(room: Room) -> None:
    with CaptureQueriesContext(connection) as captured:
        Room.objects.filter(pk=room.pk).update(door="a")
    assert len(captured) == 1


def test_a_name_with_quotes_backslashes_and_percent_signs_is_only_a_name(room: Room) -> None:
    name = "o'br\\ien %s %(x)s '; DROP TABLE x; --\0"
    with acting(Actor(name, "person", source="it's % \\")):
        Room.objects.filter(pk=room.pk).update(door="a")
    assert last("inventory_room").change.actor == name.replace("\0", "")
    assert last("inventory_room").change.source == "it's % \\"


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT 1", False), ("  (SELECT 1)", False), ("INSERT INTO t VALUES (1)", True), ("\n/* x */ update t", True),
        ("WITH a AS (SELECT 1) SELECT * FROM a", False), ("WITH a AS (\nSELECT 1) INSERT INTO t SELECT 1", True),
        ("merge INTO t", True), ("SAVEPOINT x", False), ("DELETEX", False), ("TRUNCATE t", True),
    ],
)  # fmt: skip
def test_what_writes_is_recognised(sql: str, expected: bool) -> None:
    assert writes(sql) is expected


def test_a_request_with_a_token_is_named_with_the_token(room: Room, client: Client) -> None:
    user, _ = ensure_user("script", role=Role.OPERATOR)
    _, plain = make_token(user, name="terraform")
    answer = client.patch(
        f"/api/rooms/{room.pk}/",
        {"door": "z"},
        content_type="application/json",
        headers={"Authorization": f"Token {plain}"},
    )
    assert answer.status_code == 200
    change = last("inventory_room").change
    assert (change.actor, change.kind) == ("script", "token")
    assert change.source == f"PATCH /api/rooms/{room.pk}/ with token terraform"
    assert change.request_id == answer.headers["X-Request-ID"]
    assert current() is not None and current().name == "tests"  # type: ignore[union-attr]


def test_paths_with_a_secret_are_named_without_it() -> None:
    from django.test import RequestFactory

    from core.audit.actor import request_actor

    factory = RequestFactory()
    boot = request_actor(factory.get("/boot/abcdefghijklmnopqrstuvwxyz/user-data"))
    assert (boot.kind, boot.name, boot.source) == ("machine", "machine at 127.0.0.1", "GET /boot/[token]/user-data")
    reset = request_actor(factory.post("/accounts/password/reset/key/1-abc-def/"))
    assert (reset.name, reset.source) == ("anonymous", "POST /accounts/password/reset/key/[key]")


@pytest.fixture
def committed(transactional_db: None) -> Iterator[Room]:
    site = Site.objects.create(slug="ams1", name="Amsterdam")
    yield Room.objects.create(site=site, name="Hall 1", width_mm=1, depth_mm=1)


@pytest.mark.django_db(transaction=True)
def test_an_autocommit_write_is_named_and_leaves_no_name_on_the_connection(committed: Room) -> None:
    with acting(ALICE):
        Room.objects.filter(pk=committed.pk).update(door="x")
        with connection.cursor() as cursor:
            with cursor.copy("COPY inventory_row (room_id, name, position) FROM STDIN") as copy:
                copy.write_row((committed.pk, "A", 1))
            cursor.executemany("UPDATE inventory_room SET door = %s WHERE id = %s", [("y", committed.pk)])
    assert {entry.change.actor for entry in entries("inventory_row") + entries("inventory_room")[-2:]} == {"alice"}
    # Without our cursor, as another user of the same pooled connection would: the name is gone.
    raw = connection.connection
    assert raw.execute("SELECT coalesce(current_setting('rackside.actor', true), '')").fetchone() == ("",)
    with pytest.raises(Exception, match="nobody is named"), acting(None):
        Room.objects.filter(pk=committed.pk).update(door="z")
    committed.refresh_from_db()
    assert committed.door == "y"


@pytest.mark.django_db(transaction=True)
def test_each_transaction_is_a_change_of_its_own(committed: Room) -> None:
    with acting(ALICE):
        Room.objects.filter(pk=committed.pk).update(door="1")
        with transaction.atomic():
            Room.objects.filter(pk=committed.pk).update(door="2")
            Room.objects.filter(pk=committed.pk).update(door="3")
    found = [entry.change_id for entry in entries("inventory_room")[-3:]]
    assert found[0] != found[1] == found[2]


@pytest.mark.django_db(transaction=True)
def test_threads_write_under_their_own_names(committed: Room) -> None:
    def write(name: str) -> None:
        with acting(Actor(name, "person")):
            for number in range(5):
                Room.objects.filter(pk=committed.pk).update(door=f"{name} {number}")
        connection.close()

    workers = [threading.Thread(target=write, args=(name,)) for name in ("ann", "ben")]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    for entry in entries("inventory_room")[-10:]:
        assert entry.rows[0]["after"]["door"].startswith(entry.change.actor)


def test_a_task_acts_for_whoever_asked_or_for_itself(room: Room) -> None:
    from celery import shared_task

    from core.audit import task_actor

    seen: list[Any] = []

    @shared_task(name="audit_test.look", bind=True)
    def look(self: Any) -> None:
        seen.append(current())

    headers: dict[str, Any] = {}
    with acting(ALICE):
        task_actor.send_actor(headers=headers)
    look.apply(headers=headers)
    look.apply()
    with acting(Actor("task:beat.thing", "task")):
        again: dict[str, Any] = {}
        task_actor.send_actor(headers=again)
    assert again == {}
    assert seen[0] == Actor("alice", "task", "audit_test.look", "req-1")
    assert seen[1].name == "task:audit_test.look"
    assert current().name == "tests"  # type: ignore[union-attr]


def test_a_moved_device_is_found_at_both_devices_and_racks(room: Room) -> None:
    first, second = Rack.objects.bulk_create(racks(room, 2))
    model = DeviceModel.objects.create(slug="m", vendor="v", name="n", kind="shelf", half_u_height=2)
    device = Device.objects.create(site=room.site, model=model, kind="shelf", name="d")
    place = Placement.objects.create(
        device=device, rack=first, rack_height_u=48, half_units=(1, 3), faces=(0, 2), columns=(0, 2)
    )
    Placement.objects.filter(pk=place.pk).update(rack=second)
    about = last("inventory_placement").about
    assert sorted(about["inventory_rack"]) == [first.pk, second.pk]
    assert about["inventory_device"] == [device.pk]


def test_a_token_without_number_belongs_to_its_user() -> None:
    user, _ = ensure_user("eve", role=Role.VIEWER)
    make_token(user, name="ci")
    assert last("core_apitoken").about == {"core_user": [user.pk]}
    assert ApiToken.objects.filter(user=user).exists()


def test_the_statement_that_names_the_actor_is_kept_for_the_next_write() -> None:
    assert statement(ALICE) is statement(Actor("alice", "person", "POST /api/rooms/", "req-1"))
