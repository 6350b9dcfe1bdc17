"""Rooms, rows, aisles and racks, with their position on the floor in millimetres (x to the right, y downwards)."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q

from core.models import Site
from inventory.models.labels import EMPTY, Contact, Tag
from inventory.models.names import unique_together


class Room(models.Model):
    site = models.ForeignKey(Site, on_delete=models.PROTECT, related_name="rooms")
    name = models.CharField(max_length=50)
    width_mm = models.PositiveIntegerField()
    depth_mm = models.PositiveIntegerField()
    door = models.CharField(max_length=50, blank=True, help_text="The door a technician comes in by.")
    contact = models.ForeignKey(Contact, on_delete=models.SET_NULL, null=True, blank=True, related_name="rooms")
    custom = models.JSONField(
        default=dict, db_default=EMPTY, blank=True, help_text="Values of the custom fields of rooms."
    )

    class Meta:
        ordering: ClassVar = ["name"]
        constraints: ClassVar = [unique_together("site", "name", name="room_name_in_site")]

    def __str__(self) -> str:
        return self.name


class Row(models.Model):
    room = models.ForeignKey(Room, on_delete=models.PROTECT, related_name="rows")
    name = models.CharField(max_length=20)
    position = models.PositiveIntegerField(help_text="Order of the rows across the room, from the top.")

    class Meta:
        ordering: ClassVar = ["room", "position"]
        constraints: ClassVar = [
            unique_together("room", "name", name="row_name_in_room"),
            # Target of the composite foreign key that keeps a rack's row in its room.
            models.UniqueConstraint(fields=["id", "room"], name="row_id_and_room"),
        ]

    def __str__(self) -> str:
        return self.name


class Aisle(models.Model):
    class Kind(models.TextChoices):
        COLD = "cold"
        HOT = "hot"

    room = models.ForeignKey(Room, on_delete=models.CASCADE, related_name="aisles")
    name = models.CharField(max_length=30)
    kind = models.CharField(max_length=4, choices=Kind.choices)
    x_mm = models.PositiveIntegerField()
    y_mm = models.PositiveIntegerField()
    width_mm = models.PositiveIntegerField()
    depth_mm = models.PositiveIntegerField()

    class Meta:
        ordering: ClassVar = ["room", "y_mm"]
        constraints: ClassVar = [
            unique_together("room", "name", name="aisle_name_in_room"),
            models.CheckConstraint(condition=Q(kind__in=["cold", "hot"]), name="aisle_kind_is_known"),
        ]


class Landmark(models.Model):
    """What one goes by in a room: a door one comes in by, or something that stands out (a pillar, a fire panel)."""

    class Kind(models.TextChoices):
        DOOR = "door"
        LANDMARK = "landmark"

    room = models.ForeignKey(Room, on_delete=models.CASCADE, related_name="landmarks")
    name = models.CharField(max_length=30)
    kind = models.CharField(max_length=8, choices=Kind.choices)
    x_mm = models.PositiveIntegerField()
    y_mm = models.PositiveIntegerField()

    class Meta:
        ordering: ClassVar = ["room", "name"]
        constraints: ClassVar = [
            unique_together("room", "name", name="landmark_name_in_room"),
            models.CheckConstraint(condition=Q(kind__in=["door", "landmark"]), name="landmark_kind_is_known"),
        ]

    def __str__(self) -> str:
        return self.name


class Rack(models.Model):
    """A rack stands in one room; its front looks up or down on the floor plan."""

    class Facing(models.TextChoices):
        UP = "up"
        DOWN = "down"

    class RackRole(models.TextChoices):
        COMPUTE = "compute"
        NETWORK = "network"
        STORAGE = "storage"

    class Numbering(models.TextChoices):
        UP = "up", "U1 is the lowest unit"
        DOWN = "down", "U1 is the highest unit"

    room = models.ForeignKey(Room, on_delete=models.PROTECT, related_name="racks")
    row = models.ForeignKey(Row, on_delete=models.PROTECT, null=True, blank=True, related_name="racks")
    name = models.CharField(max_length=30)
    role = models.CharField(max_length=16, choices=RackRole.choices, default=RackRole.COMPUTE)
    x_mm = models.PositiveIntegerField()
    y_mm = models.PositiveIntegerField()
    width_mm = models.PositiveIntegerField(default=600)
    depth_mm = models.PositiveIntegerField(default=1200)
    facing = models.CharField(max_length=4, choices=Facing.choices, default=Facing.UP)
    height_u = models.PositiveSmallIntegerField(default=48)
    # Spans of placements are counted along the printed numbers, whichever way those run.
    numbering = models.CharField(max_length=4, choices=Numbering.choices, default=Numbering.UP, db_default=Numbering.UP)
    outer_height_mm = models.PositiveIntegerField(null=True, blank=True)
    weight_limit_kg = models.PositiveIntegerField(null=True, blank=True, help_text="What the rack may carry.")
    power_limit_w = models.PositiveIntegerField(null=True, blank=True)
    serial = models.CharField(max_length=64, blank=True, default="", db_default="")
    asset_tag = models.CharField(max_length=64, blank=True, default="", db_default="")
    contact = models.ForeignKey(Contact, on_delete=models.SET_NULL, null=True, blank=True, related_name="racks")
    tags = models.ManyToManyField(Tag, blank=True, related_name="racks")
    custom = models.JSONField(
        default=dict, db_default=EMPTY, blank=True, help_text="Values of the custom fields of racks."
    )

    class Meta:
        ordering: ClassVar = ["room", "name"]
        constraints: ClassVar = [
            unique_together("room", "name", name="rack_name_in_room"),
            # Target of the composite foreign key that keeps every device inside its rack.
            models.UniqueConstraint(fields=["id", "height_u"], name="rack_id_and_height"),
            models.CheckConstraint(condition=Q(height_u__gte=1, height_u__lte=60), name="rack_height_is_sane"),
            models.CheckConstraint(condition=Q(facing__in=["up", "down"]), name="rack_facing_is_known"),
            models.CheckConstraint(condition=Q(numbering__in=["up", "down"]), name="rack_numbering_is_known"),
        ]

    def __str__(self) -> str:
        return self.name
