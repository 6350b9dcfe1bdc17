"""Pools with their policy and their disruption budget as it is now."""

from __future__ import annotations

from typing import Any, ClassVar, cast

from django.db import transaction
from rest_framework import mixins, serializers

from core.api import ReadOnlyViewSet
from core.models import Role
from core.rest.numbers import FloatField
from health.machines.budget import Budget
from health.machines.models.machines import Pool
from health.machines.queries import budgets_of
from health.machines.services.pools import update_pool


class PoolSerializer(serializers.ModelSerializer):
    """`size` and `unavailable` are counted now; `remaining_budget` is how many more may be drained automatically, of
    the `max_unavailable` that may be out at all; `reason` is that sum in words."""

    model = serializers.CharField(source="model.slug", read_only=True)
    max_unavailable_share = FloatField(min_value=0, max_value=1)
    size = serializers.SerializerMethodField()
    unavailable = serializers.SerializerMethodField()
    remaining_budget = serializers.SerializerMethodField()
    max_unavailable = serializers.SerializerMethodField()
    reason = serializers.SerializerMethodField()

    class Meta:
        model = Pool
        fields: ClassVar = [
            "id", "site", "role", "model", "max_unavailable_share", "automation", "priority", "no_scheduler",
            "no_scheduler_by", "no_scheduler_at", "size", "unavailable", "remaining_budget", "max_unavailable",
            "reason",
        ]  # fmt: skip
        read_only_fields: ClassVar = ["site", "role", "no_scheduler_by", "no_scheduler_at"]

    def get_size(self, pool: Pool) -> int:
        return self._budget(pool).size

    def get_unavailable(self, pool: Pool) -> int:
        return self._budget(pool).unavailable

    def get_remaining_budget(self, pool: Pool) -> int:
        return self._budget(pool).left

    def get_max_unavailable(self, pool: Pool) -> int:
        return self._budget(pool).max_unavailable

    def get_reason(self, pool: Pool) -> str:
        return self._budget(pool).reason

    def _budget(self, pool: Pool) -> Budget:
        """Of a page of pools all are counted at once."""
        known: dict[int, Budget] = cast(dict[str, Any], self.context).setdefault("budgets", {})
        if pool.pk not in known:
            shown = self.parent.instance if isinstance(self.parent, serializers.ListSerializer) else [pool]
            known |= budgets_of(shown or [pool])
        return known[pool.pk]


class PoolViewSet(mixins.UpdateModelMixin, ReadOnlyViewSet):
    """Pools and their policy. Changing one needs admin and takes effect at once: waiting machines are drained.

    `no_scheduler` declares that no scheduler gives work to its machines; without that word, or a scheduler's, nobody
    knows what runs on them, and nothing that would stop work is done to them.
    """

    queryset = Pool.objects.select_related("model").order_by("site", "role", "model")
    serializer_class = PoolSerializer
    site_field = "site_id"
    write_role = Role.ADMIN
    http_method_names = ["get", "patch", "head", "options"]  # noqa: RUF012  (as Django has it)
    filterset_fields = ("site", "role")

    @transaction.atomic
    def perform_update(self, serializer: serializers.BaseSerializer) -> None:
        pool: Pool = serializer.instance  # type: ignore[assignment]
        update_pool(pool.pk, actor=self.request.user.get_username(), **serializer.validated_data)
        serializer.instance = self.get_queryset().get(pk=pool.pk)
