"""The one way to write: what is created, changed, left alone or refused, by whom, and at what cost."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from core.models import Role, Site
from inventory.kinds import KINDS, Report, Scope, sql, write
from inventory.kinds.batch import unknown_field
from inventory.models import Contact, CustomField, IpAddress, Port, Rack, Room, Row, Tag
from live.models import Event

pytestmark = pytest.mark.django_db
ALL = Scope.everything()
RACK = {"x_mm": 0, "y_mm": 0}


@pytest.fixture
def hall(db: Any) -> Room:
    site = Site.objects.create(slug="ams1", name="Amsterdam 1")
    room = Room.objects.create(site=site, name="Hall 1", width_mm=1, depth_mm=1)
    Row.objects.create(room=room, name="A", position=0)
    return room


def put(kind: str, *rows: Any, mode: Any = "upsert", scope: Scope = ALL, **more: Any) -> Report:
    return write(kind, rows, mode, scope=scope, actor="mk", **more)


def why(report: Report, row: int = 1) -> list[tuple[str, str]]:
    return [(error.field, error.code) for error in report.rows[row - 1].errors]


def test_rows_are_created_changed_or_left_alone_by_their_natural_key(hall: Room) -> None:
    first = put("racks", *({"site": "ams1", "room": "Hall 1", "row": "A", "name": f"A{n}", **RACK} for n in range(3)))
    assert (first.created, first.ok) == (3, True)
    again = put(
        "racks", {"room": "Hall 1", "name": "A0", "height_u": 42}, {"room": "Hall 1", "name": "A1", "x_mm": 0},
        {"room": {"site": "ams1", "name": "Hall 1"}, "name": "A9", **RACK},
    )  # fmt: skip
    assert [row.outcome for row in again.rows] == ["changed", "unchanged", "created"]
    assert again.rows[0].changes == {"height_u": [48, 42]}
    assert Rack.objects.get(name="A0").row is not None
    assert [row.key for row in again.rows] == ["Hall 1 A0", "Hall 1 A1", "Hall 1 A9"]


def test_with_one_bad_row_nothing_is_written_and_every_bad_row_is_named(hall: Room) -> None:
    good = [{"room": "Hall 1", "name": f"A{n}", **RACK} for n in range(50)]
    bad = [
        {"room": "Hall 7", "name": "B", **RACK}, {"room": "Hall 1", "name": "C"},
        {"room": "Hall 1", "nmae": "D", **RACK},
        {"room": "Hall 1", "name": "E", "height_u": 99, **RACK}, {"room": "Hall 1", "name": "A7", **RACK},
    ]  # fmt: skip
    report = put("racks", *good, *bad)
    assert not Rack.objects.exists()
    assert [row.number for row in report.errors()] == [51, 52, 53, 54, 55]
    assert why(report, 51) == [("room", "unknown_reference")]
    assert ("x_mm", "required") in why(report, 52)
    assert ("nmae", "unknown_field") in why(report, 53)
    assert "did you mean name?" in report.rows[52].errors[0].reason
    assert why(report, 54) == [("height_u", "invalid")]
    assert why(report, 55) == [("name", "duplicate")]


def test_a_dry_run_tells_everything_and_writes_nothing(hall: Room) -> None:
    report = put("racks", {"room": "Hall 1", "name": "A1", **RACK}, dry_run=True)
    assert (report.created, report.rows[0].id) == (1, None)
    assert not Rack.objects.exists()
    assert not Event.objects.exists()


def test_a_write_costs_the_same_statements_for_one_row_and_for_many(hall: Room) -> None:
    def cost(count: int, prefix: str) -> int:
        rows = [{"room": "Hall 1", "row": "A", "name": f"{prefix}{n}", **RACK} for n in range(count)]
        with CaptureQueriesContext(connection) as captured:
            assert put("racks", *rows).created == count
        return len(captured)

    single, few = cost(1, "X"), cost(2, "W")
    assert single == few - 2, "one row alone needs no savepoint"
    assert cost(150, "V") == few
    assert cost(400, "Y") <= few + 2  # a look at the table's statistics, and new ones
    with CaptureQueriesContext(connection) as two:
        put("racks", *({"room": "Hall 1", "name": f"Y{n}", "x_mm": 5} for n in range(2)))
    with CaptureQueriesContext(connection) as many:
        assert put("racks", *({"room": "Hall 1", "name": f"Y{n}", "x_mm": 6} for n in range(400))).changed == 400
    assert len(two) == len(many)


def test_only_the_given_fields_of_a_record_are_written(hall: Room) -> None:
    rack = Rack.objects.create(room=hall, name="A1", power_limit_w=5, **RACK)
    report = put("racks", {"id": rack.pk, "height_u": 42}, mode="update")
    assert report.rows[0].changes == {"height_u": [48, 42]}
    rack.refresh_from_db()
    assert (rack.height_u, rack.power_limit_w) == (42, 5)
    assert put("racks", {"id": rack.pk, "power_limit_w": None}, mode="update").changed == 1
    assert put("racks", {"id": rack.pk, "row": "A"}, mode="update").rows[0].changes == {"row": [None, "A"]}


def test_create_refuses_what_is_there_and_update_what_is_not(hall: Room) -> None:
    Rack.objects.create(room=hall, name="A1", **RACK)
    assert why(put("racks", {"room": hall.pk, "name": "A1", **RACK}, mode="create")) == [("name", "duplicate")]
    assert why(put("racks", {"room": hall.pk, "name": "A2", "x_mm": 1}, mode="update")) == [("name", "not_found")]
    assert why(put("racks", {"id": 10**9, "x_mm": 1}, mode="update")) == [("id", "not_found")]
    assert why(put("racks", {"x_mm": 1}, mode="update"))[0] == ("room", "required")


def test_a_site_nobody_showed_is_as_good_as_absent(hall: Room) -> None:
    other = Site.objects.create(slug="fra1", name="Frankfurt")
    rack = Rack.objects.create(room=hall, name="A1", **RACK)
    stranger = Scope({other.pk: Role.ADMIN})
    assert why(put("racks", {"room": hall.pk, "name": "A2", **RACK}, scope=stranger)) == [("room", "unknown_reference")]
    assert why(put("racks", {"id": rack.pk, "x_mm": 3}, mode="update", scope=stranger)) == [("id", "not_found")]
    viewer = Scope({hall.site_id: Role.VIEWER, other.pk: Role.ADMIN})
    assert why(put("racks", {"id": rack.pk, "x_mm": 3}, mode="update", scope=viewer)) == [("site", "permission_denied")]
    assert put("racks", {"id": rack.pk, "x_mm": 3}, mode="update", scope=Scope({hall.site_id: Role.OPERATOR})).ok


def test_a_name_in_two_sites_needs_the_site_and_one_site_is_enough_to_know_it(hall: Room) -> None:
    other = Site.objects.create(slug="fra1", name="Frankfurt")
    Room.objects.create(site=other, name="Hall 1", width_mm=1, depth_mm=1)
    row = {"room": "Hall 1", "name": "A1", **RACK}
    assert why(put("racks", row)) == [("room", "ambiguous")]
    assert put("racks", row, scope=ALL.at(other.pk)).ok
    assert put("racks", row | {"site": "ams1"}).ok
    assert put("racks", row | {"name": "A2"}, scope=Scope({other.pk: Role.OPERATOR})).ok
    assert Rack.objects.filter(room__site=other).count() == 2


def test_a_record_stays_at_its_site(hall: Room) -> None:
    other = Room.objects.create(
        site=Site.objects.create(slug="fra1", name="Frankfurt"), name="Hall 9", width_mm=1, depth_mm=1
    )
    rack = Rack.objects.create(room=hall, name="A1", **RACK)
    assert why(put("racks", {"id": rack.pk, "room": other.pk}, mode="update")) == [("room", "other_site")]
    assert why(put("racks", {"id": rack.pk, "site": "fra1"}, mode="update"))[0] == ("site", "other_site")
    assert why(put("rooms", {"id": hall.pk, "site": "fra1"}, mode="update")) == [("site", "other_site")]


def test_a_row_of_another_room_is_refused(hall: Room) -> None:
    side = Room.objects.create(site=hall.site, name="Side", width_mm=1, depth_mm=1)
    row = Row.objects.create(room=side, name="S", position=0)
    assert why(put("racks", {"room": hall.pk, "row": row.pk, "name": "A1", **RACK})) == [("row", "invalid")]
    assert why(put("racks", {"room": hall.pk, "row": "S", "name": "A1", **RACK})) == [("row", "unknown_reference")]


def test_what_is_in_use_is_not_removed_and_nothing_else_of_the_request_is(hall: Room) -> None:
    empty = Room.objects.create(site=hall.site, name="Empty", width_mm=1, depth_mm=1)
    report = put("rooms", {"id": empty.pk}, {"id": hall.pk}, mode="delete")
    assert why(report, 2) == [("row", "in_use")]
    assert "1 rows" in report.rows[1].errors[0].reason
    assert Room.objects.count() == 2
    assert put("rooms", {"id": empty.pk}, mode="delete").deleted == 1
    assert Room.objects.get() == hall


def test_postgresql_stays_the_judge_and_the_row_is_found(hall: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    from inventory.kinds import plan

    monkeypatch.setattr(plan, "_refuse_twice", lambda batch, keyed: None)
    rows = [{"room": hall.pk, "name": f"A{n}", **RACK} for n in range(40)]
    report = put(
        "racks",
        *rows,
        {"room": hall.pk, "name": "A7", **RACK},
        *({"room": hall.pk, "name": f"B{n}", **RACK} for n in range(20)),
    )
    assert [row.number for row in report.errors()] == [41]
    assert why(report, 41) == [("name", "duplicate")]
    assert not Rack.objects.exists()


def test_one_event_tells_of_a_write(hall: Room) -> None:
    put("racks", *({"room": hall.pk, "name": f"A{n}", **RACK} for n in range(3)))
    event = Event.objects.get(kind="inventory.reloaded")
    assert (event.site_id, event.actor) == (hall.site_id, "mk")
    assert put("racks", {"room": hall.pk, "name": "A1"}).unchanged == 1
    assert Event.objects.count() == 1


def test_tags_are_written_as_words_and_must_exist(hall: Room) -> None:
    Tag.objects.create(name="new")
    Tag.objects.create(name="liquid")
    made = put("racks", {"room": hall.pk, "name": "A1", "tags": ["new", "liquid", "new"], **RACK})
    assert made.ok
    assert sorted(Rack.objects.get().tags.values_list("name", flat=True)) == ["liquid", "new"]
    row = {"room": hall.pk, "name": "A1"}
    assert put("racks", row | {"tags": ["liquid", "new"]}).unchanged == 1
    assert put("racks", row | {"tags": ["new"]}).rows[0].changes == {"tags": [["liquid", "new"], ["new"]]}
    assert why(put("racks", row | {"tags": ["x"]})) == [("tags", "unknown_reference")]
    assert [tag.name for tag in Rack.objects.get().tags.all()] == ["new"]


def test_custom_fields_are_typed_merged_and_required(hall: Room) -> None:
    CustomField.objects.create(name="door_code", title="Door code", type="integer", kinds=["racks"], minimum=10)
    CustomField.objects.create(name="zone", title="Zone", type="choice", kinds=["racks"], choices=["a", "b"])
    row = {"room": hall.pk, "name": "A1"}
    assert put("racks", row | RACK | {"custom": {"door_code": "12"}}).ok
    assert Rack.objects.get().custom == {"door_code": 12}
    assert put("racks", row | {"custom": {"zone": "a"}}).changed == 1
    assert Rack.objects.get().custom == {"door_code": 12, "zone": "a"}
    assert put("racks", row | {"custom": {"zone": "a"}}).unchanged == 1
    for name, value, code in (
        ("door_code", 3, "invalid"), ("door_code", "x", "invalid"), ("zone", "c", "invalid"),
        ("zon", "a", "unknown_field"),
    ):  # fmt: skip
        assert why(put("racks", row | {"custom": {name: value}})) == [(f"cf_{name}", code)]
    assert put("racks", row | {"custom": {"zone": None}}).changed == 1
    assert Rack.objects.get().custom == {"door_code": 12}
    CustomField.objects.filter(name="zone").update(required=True)
    assert why(put("racks", {"room": hall.pk, "name": "A2", **RACK})) == [("cf_zone", "required")]


def test_what_all_sites_share_needs_a_role_on_all_of_them(hall: Room) -> None:
    local = Scope({hall.site_id: Role.ADMIN})
    assert why(put("tags", {"name": "x"}, scope=local)) == [("row", "permission_denied")]
    assert put("tags", {"name": "x"}).ok
    assert put("contacts", {"site": "ams1", "name": "NOC"}, scope=local).ok
    assert why(put("contacts", {"name": "Vendor"}, scope=local)) == [("site", "permission_denied")]
    assert put("contacts", {"name": "Vendor"}).ok
    assert put("rooms", {"id": hall.pk, "contact": "Vendor"}, mode="update", scope=local).ok
    assert Contact.objects.get(rooms=hall).name == "Vendor"
    assert put("contacts", {"name": "Vendor", "phone": "1"}).changed == 1


# Columns that are not said but follow: from the model of a device, or from other fields of the row.
# That a demo's past was made up is no statement about a site: whoever makes it up marks the site.
FOLLOWING = {
    "sites": {"generated_until"},
    "devices": {"kind"},
    "device-models": {
        "vendor", "name", "kind", "half_u_height", "full_depth", "airflow", "air_class", "power_w", "gpu_count",
        "gpu_type", "psu_count",
    },
    "annotations": {"author"},
    "comments": {"site_id", "author_id", "edited_at"},
    "reservations": {"device_id", "rack_height_u", "half_units", "faces", "columns", "side_slot"},
}  # fmt: skip


@pytest.mark.parametrize("name", [kind.name for kind in KINDS.values() if not kind.part_of])
def test_every_column_of_a_record_can_be_said(name: str) -> None:
    assert set(KINDS[name].now_columns) == FOLLOWING.get(name, set())


def test_a_rack_is_not_made_lower_than_what_stands_in_it(hall: Room) -> None:
    rack = Rack.objects.create(room=hall, name="A1", **RACK)
    put("reservations", {"rack": rack.pk, "u": 30})
    assert why(put("racks", {"id": rack.pk, "height_u": 29}, mode="update")) == [("height_u", "in_use")]
    assert put("racks", {"id": rack.pk, "height_u": 30}, mode="update").ok


def test_a_row_that_stays_as_it_is_needs_no_right(hall: Room) -> None:
    put("contacts", {"name": "Vendor", "phone": "1"})
    local = Scope({hall.site_id: Role.OPERATOR})
    assert put("contacts", {"name": "Vendor", "phone": "1"}, scope=local).unchanged == 1
    assert why(put("contacts", {"name": "Vendor", "phone": "2"}, scope=local)) == [("site", "permission_denied")]
    contact = Contact.objects.get()
    assert why(put("contacts", {"id": contact.pk}, mode="delete", scope=local)) == [("site", "permission_denied")]


@pytest.mark.parametrize(
    ("kind", "rows"),
    [
        ("racks", {"A01": "A02", "A02": "A01"}),
        ("racks", {"A01": "A02", "A02": "A03"}),
        ("rows", {"A": "B", "B": "A"}),
        ("rooms", {"Hall 1": "Store", "Store": "Hall 1"}),
        ("devices", {"leaf-1": "leaf-2", "leaf-2": "leaf-1"}),
    ],
)
def test_records_trade_names_in_one_write_or_pass_them_on(
    two_sites: tuple[Site, Site], kind: str, rows: dict[str, str]
) -> None:
    ids = {name: KINDS[kind].queryset().get(**{"name": name, KINDS[kind].site: two_sites[0].pk}).pk for name in rows}
    report = write(
        kind, [{"id": ids[name], "name": wanted} for name, wanted in rows.items()], "update", scope=ALL, actor="mk"
    )
    assert report.ok, report.errors()
    for name, wanted in rows.items():
        assert KINDS[kind].queryset().get(pk=ids[name]).name == wanted
    clash = [{"id": pk, "name": "one"} for pk in ids.values()]
    assert [row.outcome for row in write(kind, clash, "update", scope=ALL, actor="mk").rows].count("refused") == 1


def test_what_moves_leaves_behind_what_belongs_to_its_old_place(two_sites: tuple[Site, Site]) -> None:
    rack = Rack.objects.get(name="A01", room__site=two_sites[0])
    assert rack.row is not None
    moved = put("racks", {"id": rack.pk, "room": "Store"})
    assert moved.rows[0].changes == {"room": ["Hall 1", "Store"], "row": ["A", None]}
    put("ip-addresses", {"device": "hgx-a01-01", "port": "mlx5_0", "address": "10.99.0.1"})
    address = IpAddress.objects.get(address="10.99.0.1")
    assert put("ip-addresses", {"id": address.pk, "device": "hgx-a01-02"}).rows[0].changes["port"] == ["mlx5_0", None]
    row, port = Row.objects.filter(room__name="Hall 1")[0], Port.objects.filter(device__name="leaf-1")[0]
    for promise, wrong in (
        ("row_is_in_its_racks_room", lambda: Rack.objects.filter(pk=rack.pk).update(row=row)),
        ("port_is_on_its_device", lambda: IpAddress.objects.filter(pk=address.pk).update(port=port)),
    ):
        with pytest.raises(IntegrityError, match=promise), transaction.atomic():
            wrong()


@pytest.mark.parametrize("name", ["comments", "Notes", "description"])
def test_a_free_text_that_a_record_has_no_field_for_is_told_where_it_goes(name: str) -> None:
    assert "/api/comments/" in unknown_field(name, ["name", "serial"])
    assert unknown_field("nmae", ["name"]) == "there is no such field; did you mean name?"


@pytest.mark.django_db(transaction=True)
def test_the_planner_knows_of_new_rows_also_where_a_dry_run_left_its_pages() -> None:
    def reltuples() -> float:
        [(count,)] = sql.execute("SELECT reltuples FROM pg_class WHERE oid = 'inventory_tag'::regclass")
        return float(count)

    tags = [{"name": f"t{number}", "colour": "", "description": "x" * 150} for number in range(3000)]
    with transaction.atomic():
        sql.insert("inventory_tag", ["name", "colour", "description"], tags)
        transaction.set_rollback(True)
    sql.execute("ANALYZE inventory_tag")
    assert reltuples() == 0
    sql.insert("inventory_tag", ["name", "colour", "description"], tags[:1000])
    assert reltuples() == 1000
