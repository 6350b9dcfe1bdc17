"""Celery tasks of links that are disabled on purpose: each calls a service and is safe to run twice."""

from __future__ import annotations

from celery import shared_task

from core.instance.state import outward
from fabric.ports.services import orders


@shared_task
@outward
def carry_out_port_actions() -> None:
    orders.carry_out()


@shared_task
def remind_of_ports() -> None:
    orders.remind()
