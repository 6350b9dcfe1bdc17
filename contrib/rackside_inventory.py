#!/usr/bin/env python3
"""Ansible inventory script: the machines and switches of a Rackside server.

    export RACKSIDE_URL=https://rackside.example.net RACKSIDE_TOKEN=...   # a token of a viewer is enough
    ansible -i contrib/rackside_inventory.py rack_north_hall_1_a17 -m ping

RACKSIDE_SITE (a short name) limits it to one site, RACKSIDE_FILTER adds filters of GET /api/export/ansible/ such as
role=compute&tag=burn-in, RACKSIDE_CA_FILE names the certificates to trust. Needs only Python's standard library.
"""

from __future__ import annotations

import argparse
import json
import os
import ssl
import sys
import urllib.error
import urllib.parse
import urllib.request
from typing import Any

TIMEOUT_S = 60


def fetch() -> dict[str, Any]:
    """The whole inventory. Raises SystemExit with a reason: an empty answer would look like an empty fleet."""
    base, token = os.environ.get("RACKSIDE_URL", "").rstrip("/"), os.environ.get("RACKSIDE_TOKEN", "")
    if not base.startswith(("https://", "http://")) or not token:
        raise SystemExit("Set RACKSIDE_URL (https://...) and RACKSIDE_TOKEN.")
    query = urllib.parse.parse_qsl(os.environ.get("RACKSIDE_FILTER", ""))
    if site := os.environ.get("RACKSIDE_SITE"):
        query.append(("site", site))
    address = f"{base}/api/export/ansible/" + (f"?{urllib.parse.urlencode(query)}" if query else "")
    request = urllib.request.Request(address, headers={"Authorization": f"Token {token}", "Accept": "application/json"})
    trusted = ssl.create_default_context(cafile=os.environ.get("RACKSIDE_CA_FILE") or None)
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_S, context=trusted) as answer:
            found: dict[str, Any] = json.load(answer)
    except urllib.error.HTTPError as error:
        raise SystemExit(f"{address} answers {error.code}: {said(error)}") from error
    except (OSError, ValueError) as error:
        raise SystemExit(f"{address}: {error}") from error
    return found


def said(error: urllib.error.HTTPError) -> str:
    """The message of a refusal."""
    try:
        return str(json.load(error)["error"]["message"])
    except (OSError, ValueError, KeyError, TypeError):
        return error.reason


def main() -> None:
    parser = argparse.ArgumentParser(description="Ansible inventory of a Rackside server.")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--list", action="store_true", help="all hosts and groups")
    what.add_argument("--host", metavar="NAME", help="the variables of one host")
    asked = parser.parse_args()
    inventory = fetch()
    answer = inventory if asked.list else inventory["_meta"]["hostvars"].get(asked.host, {})
    json.dump(answer, sys.stdout, indent=1, sort_keys=True)
    print()


if __name__ == "__main__":
    main()
