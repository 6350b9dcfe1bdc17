"""Routes about people: who am I, users and their roles, API tokens."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib.auth.password_validation import validate_password
from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import mixins, serializers, status, viewsets
from rest_framework.decorators import api_view, permission_classes
from rest_framework.exceptions import PermissionDenied
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.routers import DefaultRouter

from core import services
from core.accounts import tablets
from core.accounts.permissions import RolePermission
from core.accounts.scope import is_administrator, request_roles, visible_sites
from core.audit.actor import WITH_PIN
from core.models import ApiToken, Role, RoleGrant, Site, User


class RoleSerializer(serializers.Serializer):
    site = serializers.IntegerField(allow_null=True)
    role = serializers.ChoiceField(choices=Role.choices)


class SiteBriefSerializer(serializers.ModelSerializer):
    class Meta:
        model = Site
        fields: ClassVar = ["id", "slug", "name", "timezone", "generated_until"]


class MeSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    username = serializers.CharField()
    name = serializers.CharField()
    email = serializers.CharField()
    roles = RoleSerializer(many=True)
    sites = SiteBriefSerializer(many=True)
    tablet = serializers.BooleanField(help_text="Signed in at a shared tablet.")


@extend_schema(responses=MeSerializer)
@api_view(["GET"])
@permission_classes([IsAuthenticated])
def me(request: Request) -> Response:
    """The signed-in user, the roles held and the sites that may be seen."""
    roles = request_roles(request)
    user = request.user
    assert isinstance(user, User)
    return Response(
        {
            "id": user.pk,
            "username": user.username,
            "name": user.display_name(),
            "email": user.email,
            "roles": [{"site": site, "role": role} for site, role in roles.items()],
            "sites": SiteBriefSerializer(visible_sites(roles), many=True).data,
            "tablet": tablets.AT_TABLET_KEY in request.session,
        }
    )


class GrantSerializer(serializers.ModelSerializer):
    class Meta:
        model = RoleGrant
        fields: ClassVar = ["site", "role"]


class UserSerializer(serializers.ModelSerializer):
    grants = GrantSerializer(many=True, required=False)
    password = serializers.CharField(write_only=True, required=False, validators=[validate_password])

    class Meta:
        model = User
        fields: ClassVar = [
            "id",
            "username",
            "email",
            "first_name",
            "last_name",
            "is_active",
            "grants",
            "password",
            "last_login",
        ]
        read_only_fields: ClassVar = ["last_login"]

    def validate_grants(self, grants: list[dict[str, Any]]) -> list[dict[str, Any]]:
        sites = [grant.get("site") for grant in grants]
        if len(set(sites)) < len(sites):
            raise serializers.ValidationError("One role for each site.")
        return grants


class AdminOfEverySite(RolePermission):
    """Users belong to no site, so managing them needs the admin role on every site."""

    def has_permission(self, request: Request, view: Any) -> bool:
        return super().has_permission(request, view) and is_administrator(request_roles(request))


class UserViewSet(viewsets.ModelViewSet):
    """Accounts and their roles. Deleting deactivates: what a person did stays with their name."""

    queryset = User.objects.prefetch_related("grants").order_by("username")
    serializer_class = UserSerializer
    permission_classes = (AdminOfEverySite,)
    roles: ClassVar = {"list": Role.ADMIN, "retrieve": Role.ADMIN}
    filterset_fields: ClassVar = ["is_active"]
    search_fields: ClassVar = ["username", "email", "first_name", "last_name"]

    def perform_create(self, serializer: Any) -> None:
        serializer.instance = services.save_user(None, serializer.validated_data)

    def perform_update(self, serializer: Any) -> None:
        serializer.instance = services.save_user(serializer.instance, serializer.validated_data)

    def perform_destroy(self, instance: User) -> None:
        services.deactivate_user(instance)


class TokenSerializer(serializers.ModelSerializer):
    id = serializers.CharField(source="digest", read_only=True)

    class Meta:
        model = ApiToken
        fields: ClassVar = ["id", "name", "role", "token_key", "created", "expiry"]
        read_only_fields: ClassVar = ["token_key", "created"]


class NewTokenSerializer(TokenSerializer):
    token = serializers.CharField(read_only=True, help_text="Shown once.")

    class Meta(TokenSerializer.Meta):
        fields: ClassVar = [*TokenSerializer.Meta.fields, "token"]


@extend_schema_view(create=extend_schema(request=TokenSerializer, responses={201: NewTokenSerializer}))
class TokenViewSet(mixins.CreateModelMixin, mixins.ListModelMixin, mixins.DestroyModelMixin, viewsets.GenericViewSet):
    """The user's own API tokens. A token's role limits it below what its user may do."""

    answer_is_secret = True
    queryset = ApiToken.objects.none()
    serializer_class = TokenSerializer
    permission_classes = (IsAuthenticated,)
    lookup_field = "digest"
    lookup_url_kwarg = "id"

    def get_queryset(self) -> QuerySet[ApiToken]:
        if getattr(self, "swagger_fake_view", False):
            return ApiToken.objects.none()
        return ApiToken.objects.filter(user=self.request.user.pk)

    @staticmethod
    def _refuse_limited_tokens(request: Request) -> None:
        """A token that is limited in role or time could otherwise make itself one that is not."""
        used = request.auth
        if isinstance(used, ApiToken) and (used.role != Role.ADMIN or used.expiry is not None):
            raise PermissionDenied("A limited token neither makes nor removes tokens.")
        if WITH_PIN in request.session:
            raise PermissionDenied("A shared tablet makes no tokens: sign in with your password elsewhere.")

    def perform_destroy(self, instance: ApiToken) -> None:
        self._refuse_limited_tokens(self.request)
        instance.delete()

    def create(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        serializer = self.get_serializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        assert isinstance(request.user, User)
        self._refuse_limited_tokens(request)
        row, plain = services.make_token(request.user, **serializer.validated_data)
        return Response({**self.get_serializer(row).data, "token": plain}, status=status.HTTP_201_CREATED)


def register(router: DefaultRouter) -> None:
    router.register("users", UserViewSet)
    router.register("tokens", TokenViewSet, basename="token")
