"""Django settings. Everything a site may change is an environment variable, listed in docs/operations.md.

With an empty environment the settings still import, so that commands that need no service
(`manage.py examine`) run anywhere; the first use of the database then says what is missing.
"""

from __future__ import annotations

import socket
import sys
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import environ
import structlog

from config import periodic, retention
from core.http.static_headers import worker_headers
from core.log_lines import hide_boot_tokens, leave_out_expired

BASE_DIR = Path(__file__).resolve().parent.parent
env = environ.Env()

DEBUG = env.bool("RACKSIDE_DEBUG", default=False)
OFFLINE = "RACKSIDE_SECRET_KEY" not in env.ENVIRON
SECRET_KEY = env.str("RACKSIDE_SECRET_KEY", default="offline-commands-only" if OFFLINE else "")
CREDENTIAL_KEYS = env.list("RACKSIDE_CREDENTIAL_KEYS", default=[])
PUBLIC_URL = env.str("RACKSIDE_PUBLIC_URL", default="http://localhost:8000").rstrip("/")
ALLOWED_HOSTS = env.list("RACKSIDE_ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = [PUBLIC_URL]
DATA_DIR = Path(env.str("RACKSIDE_DATA_DIR", default=str(BASE_DIR / "var" / "data")))
# Where this instance runs. A database that is found in another place than it was taken over in starts paused.
HOME = env.str("RACKSIDE_HOME", default="")
VERSION = "0.1.0"
# Disks that must not fill up: those of files, database and event store where they are on this machine.
SPACE_PATHS = env.list("RACKSIDE_SPACE_PATHS", default=[str(DATA_DIR)])
FREE_MIN_MIB = env.int("RACKSIDE_FREE_MIN_MIB", default=200)  # with less free, sweeps pause and /readyz says so
PROCESS_FILE = env.str("RACKSIDE_PROCESS_FILE", default="")  # what ./rackside writes of its programs

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "allauth",
    "allauth.account",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "allauth.mfa",
    "django.contrib.humanize",
    "rest_framework",
    "knox",
    "django_filters",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django_structlog",
    "channels",
    "config.celery.Wiring",
    "live",
    "core",
    "core.http",
    "core.jobs",
    "core.webhooks",
    "inventory",
    "access",
    "health",
    "provisioning",
    "fabric",
    "facility",
    "runs",
    "tickets",
    "simulator",
]

MIDDLEWARE = [
    "core.audit.middleware.ActorMiddleware",
    "core.http.text.BadAddressMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "core.http.compression.CompressionMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django_structlog.middlewares.RequestMiddleware",
    "core.middleware.RequestIdHeaderMiddleware",
    "core.middleware.ContentSecurityPolicyMiddleware",
    "core.middleware.TabletMiddleware",
    "core.middleware.PasswordChangeMiddleware",
    "core.middleware.SecondFactorMiddleware",
    "core.rest.parameters.KnownParametersMiddleware",
    "core.rest.references.NamedRecordsMiddleware",
    "core.http.etags.ETagMiddleware",
    "core.http.idempotency.IdempotencyMiddleware",
]

ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "config" / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]


def database_from_url(url: str) -> dict[str, Any]:
    """`postgres://user:password@host:port/name`, or a socket folder as `?host=/path`."""
    parts = urlsplit(url)
    query = parse_qs(parts.query)
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": query.get("host", [parts.hostname or ""])[0],
        "PORT": str(parts.port or query.get("port", [""])[0]),
    }


def own_services(database: dict[str, Any], *urls: str) -> tuple[tuple[str, int], ...]:
    """Host and port of PostgreSQL and Valkey: no call that somebody configures goes there. Sockets have neither."""
    host = database["HOST"] or "localhost"
    found = [] if host.startswith("/") else [(host, database["PORT"] or 5432)]
    found += [(parts.hostname, parts.port or 6379) for parts in map(urlsplit, urls) if parts.hostname]
    return tuple(dict.fromkeys((str(host), int(port)) for host, port in found))


# A server that vanishes with its host answers nothing, not even a refusal: this notices within a minute or two.
TO_POSTGRESQL = {
    "connect_timeout": 10,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 60_000,  # milliseconds
}
TO_BROKER = {
    "socket_connect_timeout": 10,
    "socket_timeout": 30,  # of publishing, say; a worker waits for tasks without reading, one second at a time (kombu)
    "socket_keepalive": True,
    "socket_keepalive_options": {
        socket.TCP_KEEPIDLE: 30, socket.TCP_KEEPINTVL: 10, socket.TCP_KEEPCNT: 3, socket.TCP_USER_TIMEOUT: 60_000,
    },
}  # fmt: skip

DATABASES = {"default": database_from_url(env.str("RACKSIDE_DATABASE_URL", default="postgres:///rackside"))}
# A connection that died with its server is noticed before it is used: otherwise the first request or task of each
# process would fail after a restart of PostgreSQL.
DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
DATABASES["default"]["OPTIONS"] = {
    **TO_POSTGRESQL,
    "prepare_threshold": 5,  # core/database/prepared.py, whose statements alone the next line is for
    "options": "-c plan_cache_mode=force_generic_plan",
}
DATABASES["default"]["CONN_MAX_AGE"] = 60
# Of the web process (config/asgi.py); all others keep one connection each.
# The pool doubles its wait with every failed try; it begins anew after `reconnect_timeout`.
DATABASE_POOL = {"min_size": 2, "max_size": 12, "timeout": 5, "reconnect_timeout": 1}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

REDIS_URL = env.str("RACKSIDE_REDIS_URL", default="redis://localhost:6379/0")
# redis-py limits a pool to 100 connections; the channel layer holds one per open socket.
CHANNEL_LAYERS = {
    "default": {
        "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
        "CONFIG": {"hosts": [{"address": REDIS_URL, "max_connections": 2000}]},
    }
}
LIVE_ACCESS = "core.accounts.live_access.may_listen"
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": REDIS_URL,
        "KEY_PREFIX": "cache",
    }
}

# ---- accounts ----
AUTH_USER_MODEL = "core.User"
AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
LOGIN_URL = "/accounts/login/"
LOGIN_REDIRECT_URL = "/"
ACCOUNT_LOGOUT_REDIRECT_URL = "/accounts/login/"
# Before an address is added or a password set, as before the pages of the second factor.
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_ADAPTER = "core.accounts.adapters.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_RATE_LIMITS = {
    "login": "60/m/ip",
    "login_failed": "10/m/ip,5/5m/key",
    "reset_password": "20/m/ip,5/m/key",
}
SOCIALACCOUNT_PROVIDERS: dict[str, dict[str, Any]] = {
    "openid_connect": {
        "OAUTH_PKCE_ENABLED": True,
        "APPS": [
            {
                "provider_id": "sso",
                "name": env.str("RACKSIDE_OIDC_NAME", default="Single sign-on"),
                "client_id": env.str("RACKSIDE_OIDC_CLIENT_ID"),
                "secret": env.str("RACKSIDE_OIDC_CLIENT_SECRET"),
                "settings": {"server_url": env.str("RACKSIDE_OIDC_SERVER_URL")},
            }
        ]
        if env.str("RACKSIDE_OIDC_CLIENT_ID", default="")
        else [],
    }
}
# A browser holds the redirect that follows a form to the page's `form-action` as well.
SIGN_IN_ORIGINS = [
    "{0.scheme}://{0.netloc}".format(urlsplit(app["settings"]["server_url"]))
    for app in SOCIALACCOUNT_PROVIDERS["openid_connect"]["APPS"]
]
SOCIALACCOUNT_ADAPTER = "core.accounts.adapters.SocialAccountAdapter"
# A second factor or a passkey is each person's own to add. A key that a browser made is asked for by that browser over
# HTTPS only, and on this machine.
MFA_ADAPTER = "core.accounts.second_factor.SecondFactorAdapter"
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_ALLOW_UNVERIFIED_EMAIL = True  # accounts are made by an administrator
MFA_TOTP_ISSUER = "Rackside"
ROLES = ("viewer", "technician", "operator", "admin")
SECOND_FACTOR_FROM = env.str("RACKSIDE_SECOND_FACTOR_FROM", default="")  # the least role that must have one
if SECOND_FACTOR_FROM not in ("", *ROLES):
    raise environ.ImproperlyConfigured("RACKSIDE_SECOND_FACTOR_FROM is viewer, technician, operator, admin or empty")
MFA_RATE_LIMITS = {"webauthn_login": "60/m/ip"}
# Where single sign-on sends people back to, whether or not the proxy's X-Forwarded-Proto is believed.
ACCOUNT_DEFAULT_HTTP_PROTOCOL = urlsplit(PUBLIC_URL).scheme
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = PUBLIC_URL.startswith("https://")
SESSION_COOKIE_SAMESITE = "Lax"
X_FRAME_OPTIONS = "DENY"
CSRF_FAILURE_VIEW = "config.pages.csrf_failed"
# Addresses or networks of proxies whose X-Forwarded-For and -Proto are believed (config/proxies.py); none by default.
TRUSTED_PROXIES = env.list("RACKSIDE_TRUSTED_PROXIES", default=[])
if PUBLIC_URL.startswith("https://"):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_HSTS_SECONDS = 31536000
EMAIL_CONFIG = env.email_url("RACKSIDE_EMAIL_URL", default="consolemail://")
vars().update(EMAIL_CONFIG)
EMAIL_SENT_BY = EMAIL_CONFIG["EMAIL_BACKEND"]
EMAIL_BACKEND = "core.mail.UnlessPaused"
DEFAULT_FROM_EMAIL = env.str("RACKSIDE_EMAIL_FROM", default="rackside@localhost")
MAIL_REPLY_TO = env.str("RACKSIDE_MAIL_REPLY_TO", default="")  # where answers to a ticket's mail come in
MAIL_IMAP_URL = env.str("RACKSIDE_MAIL_IMAP_URL", default="")  # the mailbox they are read from, with its password

# ---- API ----
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "core.accounts.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["core.accounts.permissions.RolePermission"],
    "DEFAULT_PAGINATION_CLASS": "core.rest.pagination.PagePagination",
    "DEFAULT_FILTER_BACKENDS": [
        "core.http.seen.SeenFilterBackend",
        "rest_framework.filters.SearchFilter",
        "rest_framework.filters.OrderingFilter",
    ],
    "DEFAULT_PARSER_CLASSES": [
        "core.http.parsers.JSONParser",
        "core.http.parsers.FormParser",
        "core.http.parsers.MultiPartParser",
    ],
    "DEFAULT_RENDERER_CLASSES": [
        "core.rest.renderers.JSONRenderer",
    ],
    "DEFAULT_SCHEMA_CLASS": "core.openapi.schema.Schema",
    "EXCEPTION_HANDLER": "core.errors.exception_handler",
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}
REST_KNOX = {"AUTH_TOKEN_CHARACTER_LENGTH": 64, "TOKEN_TTL": None, "TOKEN_MODEL": "core.ApiToken"}
KNOX_TOKEN_MODEL = "core.ApiToken"
SPECTACULAR_SETTINGS = {
    "TITLE": "Rackside API",
    "DESCRIPTION": "Inventory, health, repair and provisioning of a GPU fleet.",
    "VERSION": VERSION,
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PERMISSIONS": ["rest_framework.permissions.IsAuthenticated"],
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "REDOC_DIST": "SIDECAR",
    "SCHEMA_PATH_PREFIX": "/api/",
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,  # the words of codes stand in words.yaml
    "POSTPROCESSING_HOOKS": ["core.openapi.vocabulary.name_codes", "core.openapi.shared_parts.state_once"],
    "OAS_VERSION": "3.1.0",  # what pydantic writes
}

# ---- outgoing calls (core.outgoing) ----
# Lets machines and sources be on loopback, where the demo and the tests have them; and, of their own, webhooks.
LOCAL_ADDRESSES = env.bool("RACKSIDE_LOCAL_ADDRESSES", default=False)
WEBHOOK_LOCAL_ADDRESSES = env.bool("RACKSIDE_WEBHOOK_LOCAL_ADDRESSES", default=False)

# ---- Celery: measured choices, see docs/decisions ----
CELERY_BROKER_URL = env.str("RACKSIDE_BROKER_URL", default=REDIS_URL)
OWN_SERVICES = own_services(DATABASES["default"], REDIS_URL, CELERY_BROKER_URL)
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_DEFAULT_QUEUE = "default"
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_MAX_TASKS_PER_CHILD = 500
CELERY_WORKER_MAX_MEMORY_PER_CHILD = 400_000
CELERY_WORKER_SOFT_SHUTDOWN_TIMEOUT = 20
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None  # for ever: an hour without a broker ends no worker
CELERY_BROKER_TRANSPORT_OPTIONS = {"visibility_timeout": 900, **TO_BROKER}
CELERY_TIMEZONE = "UTC"
QUEUES = ("default", "checks", "slow", "provision", "ingest", "webhooks", "fabric")
CELERY_TASK_ROUTES = {
    "health.monitoring.tasks.run_shard": {"queue": "checks"},
    "health.monitoring.tasks.verify_machine": {"queue": "checks"},
    "health.monitoring.tasks.verify_patiently": {"queue": "slow"},
    "health.remediation.tasks.carry_out": {"queue": "provision"},
    "health.diagnostics.tasks.advance_active_run": {"queue": "provision"},
    "provisioning.tasks.*": {"queue": "provision"},
    "provisioning.discovery.tasks.discover": {"queue": "slow"},  # waits for addresses that nobody has
    "provisioning.software.tasks.advance": {"queue": "provision"},
    "provisioning.images.tasks.advance": {"queue": "provision"},
    "provisioning.mirrors.tasks.watch": {"queue": "slow"},  # waits for what does not answer
    "provisioning.mirrors.tasks.ask_machines": {"queue": "slow"},
    "provisioning.bmc.tasks.*": {"queue": "provision"},
    "provisioning.bmc.tasks.read_due": {"queue": "slow"},
    "fabric.burn_in.tasks.run_burn_in": {"queue": "provision"},
    "fabric.burn_in.tasks.plan_burn_in": {"queue": "ingest"},
    "core.webhooks.tasks.deliver": {"queue": "webhooks"},
    "tickets.messages.tasks.send": {"queue": "fabric"},  # up to eight at once: a channel that hangs holds up no other
    "tickets.messages.tasks.read_calendar": {"queue": "fabric"},
    "tickets.messages.tasks.fetch_mail": {"queue": "fabric"},
    "tickets.systems.tasks.*": {"queue": "fabric"},
    "inventory.tasks.run_import": {"queue": "ingest"},
    "core.tasks.undo_change": {"queue": "ingest"},
    "fabric.quality.tasks.record_counters": {"queue": "ingest"},  # seconds of arithmetic over all links
    "runs.tasks.collect": {"queue": "slow"},  # minutes on many machines; verdicts do not wait behind it
    "fabric.discovery.tasks.discover": {"queue": "fabric"},
    "fabric.wiring.tasks.write_names": {"queue": "fabric"},
    "facility.meters.tasks.read_due": {"queue": "fabric"},  # a PDU that hangs is waited for
    "facility.meters.tasks.roll_up": {"queue": "ingest"},
    "facility.overview.tasks.*": {"queue": "ingest"},
    "facility.energy.tasks.write_down": {"queue": "ingest"},
    # Up to eight at once: a cluster that hangs holds up nothing else.
    "health.schedulers.tasks.read_scheduler": {"queue": "fabric"},
    "health.schedulers.tasks.send_to_scheduler": {"queue": "fabric"},
}
CELERY_TASK_SOFT_TIME_LIMIT = 60
CELERY_TASK_TIME_LIMIT = 90
SWEEP_PERIOD_S = env.float("RACKSIDE_SWEEP_PERIOD_S", default=300)
BMC_LOG_PERIOD_S = env.float("RACKSIDE_BMC_LOG_PERIOD_S", default=600)  # between two reads of a BMC's logs
IMPORT_MAX_MB = env.int("RACKSIDE_IMPORT_MAX_MB", default=32)  # of one uploaded file
KEPT, FOR_EVER = retention.read(lambda name, default: env.int(name, default=default)), retention.FOR_EVER
CONFIRM_DELAY_S = env.float("RACKSIDE_CONFIRM_DELAY_S", default=15)
JOB_USERS = env.str("RACKSIDE_JOB_USERS", default="operator")  # the least role that sees users of jobs
if JOB_USERS not in (*ROLES, "nobody"):
    raise environ.ImproperlyConfigured("RACKSIDE_JOB_USERS is viewer, technician, operator, admin or nobody")
SYSTEM_WORKLOADS = env.list("RACKSIDE_SYSTEM_WORKLOADS", default=[])  # programs and containers that are nobody's work
DIAGNOSE_AFTER_REMEDY = env.bool("RACKSIDE_DIAGNOSE_AFTER_REMEDY", default=False)  # needs DCGM on the machines
CELERY_BEAT_SCHEDULER = "config.pulse:PulsingScheduler"  # it sends the members of a period
CELERY_BEAT_SCHEDULE = periodic.schedule(SWEEP_PERIOD_S)

# ---- static files: the built dashboard ----
DASHBOARD_DIST = BASE_DIR / "frontend" / "dist"
STATIC_URL = "/static/"
STATICFILES_DIRS = [DASHBOARD_DIST] if DASHBOARD_DIST.exists() else []
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
WHITENOISE_USE_FINDERS = True  # the built dashboard is served from where it was built; nothing is collected
WHITENOISE_IMMUTABLE_FILE_TEST = r"^/static/assets/.+-[\w-]{8}\.\w+$"  # names with a hash of their content
WHITENOISE_AUTOREFRESH = DEBUG
WHITENOISE_MIMETYPES = {".webmanifest": "application/manifest+json", ".wasm": "application/wasm"}
WHITENOISE_ADD_HEADERS_FUNCTION = worker_headers
MEDIA_ROOT = DATA_DIR / "attachments"
ATTACHMENT_MAX_BYTES = env.int("RACKSIDE_ATTACHMENT_MAX_MIB", default=20) * 2**20

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True

# ---- logs: one JSON object a line, with the request or task id ----
SHARED_PROCESSORS: list[Any] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]
structlog.configure(
    processors=[
        structlog.stdlib.filter_by_level,
        leave_out_expired,
        *SHARED_PROCESSORS,
        structlog.processors.format_exc_info,
        hide_boot_tokens,
        structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
    ],
    logger_factory=structlog.stdlib.LoggerFactory(),
    cache_logger_on_first_use=True,
)
LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "json": {
            "()": structlog.stdlib.ProcessorFormatter,
            "processor": structlog.processors.JSONRenderer(),
            "foreign_pre_chain": [*SHARED_PROCESSORS, structlog.processors.format_exc_info, hide_boot_tokens],
        }
    },
    "handlers": {"stderr": {"class": "logging.StreamHandler", "stream": sys.stderr, "formatter": "json"}},
    "root": {"handlers": ["stderr"], "level": env.str("RACKSIDE_LOG_LEVEL", default="INFO")},
    "loggers": {
        "asyncssh": {"level": "WARNING"},
        "celery.worker.strategy": {"level": "WARNING"},
        "celery.app.trace": {"level": "WARNING"},
        "django_structlog": {"level": "WARNING"},
        "uvicorn.access": {"level": "WARNING"},
    },
}
DJANGO_STRUCTLOG_CELERY_ENABLED = True
