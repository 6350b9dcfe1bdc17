"""What the list and the board of tickets may be narrowed by."""

from __future__ import annotations

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone
from django_filters import rest_framework as filters

from tickets.desk.models import Watcher
from tickets.desk.rules.queues import Queue
from tickets.models import PRIORITIES, SUBJECTS, Ticket
from tickets.workflow import ACTIVE_STATUSES, Status


class TicketFilter(filters.FilterSet):
    """`?status=` may be given several times; `active=true` is every status but closed."""

    status = filters.MultipleChoiceFilter(choices=[(s.value, s.value) for s in Status])
    active = filters.BooleanFilter(method="only_active", label="Open, in progress or verifying.")
    mine = filters.BooleanFilter(method="only_mine", label="Assigned to me.")
    machine = filters.NumberFilter(field_name="machine_id")
    device = filters.NumberFilter(field_name="device_id", label="Machine or switch where one stands.")
    subject = filters.MultipleChoiceFilter(choices=[(s, s) for s in SUBJECTS])
    site = filters.NumberFilter(field_name="site_id")
    queue = filters.MultipleChoiceFilter(choices=[(queue.value, queue.value) for queue in Queue])
    priority = filters.MultipleChoiceFilter(choices=[(priority, priority) for priority in PRIORITIES])
    assignee = filters.NumberFilter(field_name="assignee_id")
    rack = filters.NumberFilter(field_name="device__placement__rack_id", label="Rack where one stands.")
    row = filters.NumberFilter(field_name="device__placement__rack__row_id", label="Row where one stands.")
    due_before = filters.IsoDateTimeFilter(field_name="due_at", lookup_expr="lt")
    overdue = filters.BooleanFilter(method="only_overdue", label="Not closed, and due before now.")
    watched = filters.BooleanFilter(method="only_watched", label="Watched by me.")
    snoozed = filters.BooleanFilter(method="only_snoozed", label="Snoozed until a time to come.")
    acknowledged = filters.BooleanFilter(field_name="acknowledged_at", lookup_expr="isnull", exclude=True)

    class Meta:
        model = Ticket
        fields = ("fault_class", "part")

    def only_active(self, queryset: QuerySet, name: str, value: bool) -> QuerySet:
        return queryset.filter(status__in=ACTIVE_STATUSES) if value else queryset.filter(status=Status.CLOSED.value)

    def only_mine(self, queryset: QuerySet, name: str, value: bool) -> QuerySet:
        mine = {"assignee_id": self.request.user.pk}
        return queryset.filter(**mine) if value else queryset.exclude(**mine)

    def only_overdue(self, queryset: QuerySet, name: str, value: bool) -> QuerySet:
        late = {"status__in": ACTIVE_STATUSES, "due_at__lt": timezone.now()}
        return queryset.filter(**late) if value else queryset.exclude(**late)

    def only_watched(self, queryset: QuerySet, name: str, value: bool) -> QuerySet:
        mine = Exists(Watcher.objects.filter(ticket=OuterRef("pk"), user=self.request.user.pk))
        return queryset.filter(mine if value else ~mine)

    def only_snoozed(self, queryset: QuerySet, name: str, value: bool) -> QuerySet:
        asleep = Q(snoozed_until__gt=timezone.now())
        return queryset.filter(asleep) if value else queryset.exclude(asleep)
