"""Celery tasks of links out of use: each calls a service and is safe to run twice."""

from __future__ import annotations

from celery import shared_task


@shared_task
def carry_out_port_actions() -> None:
    from fabric.services import port_orders

    port_orders.carry_out()


@shared_task
def remind_of_ports() -> None:
    from fabric.services import port_orders

    port_orders.remind()
