"""What a site bears at once, as it is set and kept to."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.test import Client

from core.models import Role, Site
from core.services import ensure_user
from inventory.models import Cable, Connector, Port, StrandEnd
from inventory.tests.factories import make_switch
from provisioning import services
from provisioning.limits.models import ProvisioningLimits
from provisioning.limits.queries import switches_of
from provisioning.models import RunMachine
from provisioning.stages.board import LIMITS, Stage, limits_with
from provisioning.tests.world import Pump, bare, start_run

pytestmark = pytest.mark.django_db
