"""What answers for power and cooling: PDUs and room sensors over SNMP, cooling units over Redfish, the site's meter
over Modbus/TCP. They tell what `simulator.heat` works out.

    tables/     the tables of each maker's PDUs
    agents.py   SNMP: one engine for all, which begins at the first question
    cooling.py  Redfish of a cooling unit
    site.py     the registers of the site's meter
    doors.py    where each of them answers
"""
