"""Power and heat of the virtual hall: what each machine draws, over which cords, and where the warm air goes.

plan.py            racks, machines, switches, PDUs, feeds, cooling units
from_inventory.py  the same from the loaded fleet; sample.py makes some up
machines.py        fans, GPU temperatures, throttling and draw of one machine; pure
air.py             what an open gap lets back to the inlets of its neighbours; pure
cooling.py         flows and temperatures of a cooling unit; pure
faults.py          what can be wrong, one row each
room.py            all of it together, worked out when somebody asks
control.py         its part of the control interface
of_hall.py         it beside a running hall: what a lost feed does to machines, the state on disk
"""
