"""The resources an iDRAC 9 shows, as plain dictionaries made from a Machine and the time."""

from __future__ import annotations

from typing import Any

from simulator.plan import HcaPlan
from simulator.redfish.log import routine_entries
from simulator.state import Machine

ROOT = "/redfish/v1"
SYSTEM = f"{ROOT}/Systems/System.Embedded.1"
CHASSIS = f"{ROOT}/Chassis/System.Embedded.1"
MANAGER = f"{ROOT}/Managers/iDRAC.Embedded.1"
RESET_TYPES = (
    "On", "ForceOff", "ForceRestart", "GracefulRestart", "GracefulShutdown", "PushPowerButton", "Nmi", "PowerCycle",
)  # fmt: skip
BOOT_TARGETS = ("None", "Pxe", "Floppy", "Cd", "Hdd", "BiosSetup", "Utilities", "UefiTarget", "SDCard", "UefiHttp")
LED_STATES = ("Lit", "Blinking", "Off")
PAGE = 100
IDRAC_VERSION = "7.10.30.00"
BIOS_VERSION = "1.7.6"


def link(path: str) -> dict[str, str]:
    return {"@odata.id": path}


def resource(path: str, kind: str, **fields: Any) -> dict[str, Any]:
    return {"@odata.id": path, "@odata.type": f"#{kind}", **fields}


def collection(path: str, kind: str, members: list[str]) -> dict[str, Any]:
    return resource(
        path, f"{kind}Collection.{kind}Collection", Name=f"{kind} Collection",
        Members=[link(f"{path}/{name}") for name in members], **{"Members@odata.count": len(members)},
    )  # fmt: skip


def service_tag(machine: Machine) -> str:
    other = machine.fault("wrong_identity")
    return str(other.params["serial"]) if other else machine.plan.serial


def service_root(machine: Machine) -> dict[str, Any]:
    return resource(
        ROOT, "ServiceRoot.v1_17_0.ServiceRoot", Id="RootService", Name="Root Service", RedfishVersion="1.20.1",
        Vendor="Dell", Product="Integrated Dell Remote Access Controller",
        Systems=link(f"{ROOT}/Systems"), Chassis=link(f"{ROOT}/Chassis"), Managers=link(f"{ROOT}/Managers"),
        SessionService=link(f"{ROOT}/SessionService"), UpdateService=link(f"{ROOT}/UpdateService"),
        Links={"Sessions": link(f"{ROOT}/SessionService/Sessions")},
        Oem={"Dell": {"ServiceTag": service_tag(machine), "ManagerMACAddress": machine.plan.bmc_mac}},
    )  # fmt: skip


def health(machine: Machine) -> str:
    return "Critical" if machine.fault("psu_lost") else "OK"


def system(machine: Machine, now: float) -> dict[str, Any]:
    """Power, identity, boot override and locator light. SKU is the service tag, as Dell fills it."""
    plan, state = machine.plan, machine.state
    override, worst = state.boot_override, health(machine)
    return resource(
        SYSTEM, "ComputerSystem.v1_22_0.ComputerSystem", Id="System.Embedded.1", Name="System",
        Manufacturer="Dell Inc.", Model="PowerEdge XE9680", SKU=service_tag(machine),
        SerialNumber=f"CNFCP00{plan.seed % 10**8:08d}", PartNumber="0KK0RGA00",
        UUID=plan.system_uuid, HostName=machine.hostname if state.installed else "",
        AssetTag="", BiosVersion=BIOS_VERSION, SystemType="Physical",
        PowerState="On" if state.power == "on" else "Off",
        IndicatorLED=state.led, LocationIndicatorActive=state.led != "Off",
        **{"IndicatorLED@Redfish.AllowableValues": list(LED_STATES)},
        Status={"Health": worst, "HealthRollup": worst, "State": "Enabled" if state.power == "on" else "Disabled"},
        Boot={
            "BootSourceOverrideEnabled": override.enabled,
            "BootSourceOverrideTarget": override.target,
            "BootSourceOverrideMode": override.mode,
            "HttpBootUri": override.http_uri or None,
            "BootSourceOverrideTarget@Redfish.AllowableValues": list(BOOT_TARGETS),
            "BootOrder": ["Boot0003", "Boot0000"],
        },
        BootProgress={"LastState": _boot_progress(machine, now)},
        MemorySummary={"TotalSystemMemoryGiB": plan.dimms * 64, "Status": {"Health": "OK", "State": "Enabled"}},
        ProcessorSummary={"Count": 2, "Model": "Intel(R) Xeon(R) Platinum 8470", "Status": {"Health": "OK"}},
        EthernetInterfaces=link(f"{SYSTEM}/EthernetInterfaces"),
        Links={"Chassis": [link(CHASSIS)], "ManagedBy": [link(MANAGER)]},
        Actions={
            "#ComputerSystem.Reset": {
                "target": f"{SYSTEM}/Actions/ComputerSystem.Reset",
                "ResetType@Redfish.AllowableValues": list(RESET_TYPES),
            }
        },
    )  # fmt: skip


def _boot_progress(machine: Machine, now: float) -> str:
    return {
        "off": "None", "booting": "SystemHardwareInitializationComplete", "installing": "OSBootStarted",
        "no_os": "SystemHardwareInitializationComplete", "up": "OSRunning",
    }[machine.phase(now)]  # fmt: skip


def ethernet_interface(machine: Machine) -> dict[str, Any]:
    """The port the machine boots from."""
    up = machine.state.power == "on" and not machine.fault("no_link")
    mac = machine.plan.boot_mac
    return resource(
        f"{SYSTEM}/EthernetInterfaces/NIC.Embedded.1-1-1", "EthernetInterface.v1_12_0.EthernetInterface",
        Id="NIC.Embedded.1-1-1", Name="System Ethernet Interface", MACAddress=mac, PermanentMACAddress=mac,
        LinkStatus="LinkUp" if up else "LinkDown", SpeedMbps=1000 if up else 0, InterfaceEnabled=True,
        Status={"Health": "OK", "State": "Enabled"},
    )  # fmt: skip


def chassis(machine: Machine) -> dict[str, Any]:
    worst = health(machine)
    return resource(
        CHASSIS, "Chassis.v1_25_0.Chassis", Id="System.Embedded.1", Name="Computer System Chassis",
        ChassisType="RackMount", Manufacturer="Dell Inc.", Model="PowerEdge XE9680", SKU=service_tag(machine),
        PowerState="On" if machine.state.power == "on" else "Off", IndicatorLED=machine.state.led,
        LocationIndicatorActive=machine.state.led != "Off",
        Status={"Health": worst, "HealthRollup": worst, "State": "Enabled"},
        Thermal=link(f"{CHASSIS}/Thermal"), Power=link(f"{CHASSIS}/Power"),
        Links={"ComputerSystems": [link(SYSTEM)], "ManagedBy": [link(MANAGER)]},
    )  # fmt: skip


def thermal(machine: Machine, now: float) -> dict[str, Any]:
    """Temperatures in degrees Celsius and fans in rpm; a machine that is off has an inlet only."""
    on = machine.state.power == "on"
    wave = (int(now / 60) + machine.plan.seed) % 4
    hot = 9 if machine.fault("gpu_overheat") else 0
    readings = [("System Board Inlet Temp", "Intake", 22 + wave, 42, 47)]
    if on:
        readings += [
            ("System Board Exhaust Temp", "Exhaust", 38 + wave + hot, 75, 80),
            ("CPU1 Temp", "CPU", 51 + wave, 92, 97),
            ("CPU2 Temp", "CPU", 49 + wave, 92, 97),
        ]
    ok = {"Health": "OK", "State": "Enabled"}
    return resource(
        f"{CHASSIS}/Thermal", "Thermal.v1_7_1.Thermal", Id="Thermal", Name="Thermal",
        Temperatures=[
            {"@odata.id": f"{CHASSIS}/Thermal#/Temperatures/{n}",
             "MemberId": f"iDRAC.Embedded.1#{name.replace(' ', '')}", "Name": name,
             "PhysicalContext": context, "ReadingCelsius": value, "UpperThresholdNonCritical": warn,
             "UpperThresholdCritical": critical, "Status": ok}
            for n, (name, context, value, warn, critical) in enumerate(readings)
        ],
        Fans=[
            {"@odata.id": f"{CHASSIS}/Thermal#/Fans/{n}", "MemberId": f"Fan.Embedded.{n + 1}",
             "Name": f"System Board Fan{n + 1}", "Reading": (7200 + 90 * wave + 1500 * bool(hot)) if on else 0,
             "ReadingUnits": "RPM", "LowerThresholdCritical": 600, "Status": ok if on else {"State": "Disabled"}}
            for n in range(16)
        ],
        Redundancy=[{"Name": "System Board Fan Redundancy", "Mode": "N+m", "Status": ok}],
    )  # fmt: skip


def power(machine: Machine, now: float) -> dict[str, Any]:
    """Power supplies and the draw in watts."""
    on = machine.state.power == "on"
    draw = (1650 + (machine.plan.seed + int(now / 60)) % 60) if on else 45
    supplies = []
    for n, psu in enumerate(machine.plan.psus):
        number = psu.slot.split(" ")[1]
        lost = machine.fault("psu_lost", psu.slot) is not None
        supplies.append({
            "@odata.id": f"{CHASSIS}/Power#/PowerSupplies/{n}", "MemberId": f"PSU.Slot.{number}",
            "Name": f"PS{number} Status", "Manufacturer": "DELL", "Model": "PWR SPLY,2800WP,RDNT,LTON",
            "SerialNumber": machine.part(psu.slot).serial, "PowerSupplyType": "AC", "PowerCapacityWatts": 2800,
            "LineInputVoltage": 0 if lost else 230, "PowerInputWatts": 0 if lost else draw / len(machine.plan.psus),
            "Status": {"Health": "Critical", "State": "UnavailableOffline"} if lost
            else {"Health": "OK", "State": "Enabled"},
        })  # fmt: skip
    worst = health(machine)
    return resource(
        f"{CHASSIS}/Power", "Power.v1_7_2.Power", Id="Power", Name="Power",
        PowerControl=[{"@odata.id": f"{CHASSIS}/Power#/PowerControl", "MemberId": "PowerControl",
                       "Name": "System Power Control", "PowerConsumedWatts": draw, "PowerCapacityWatts": 16800}],
        PowerSupplies=supplies,
        Redundancy=[{"MemberId": "System.Embedded.1#PowerSupplyRedundancy", "Name": "System Board PS Redundancy",
                     "Mode": "N+m", "Status": {"Health": worst, "State": "Enabled"}}],
    )  # fmt: skip


def manager(machine: Machine, now: float) -> dict[str, Any]:
    return resource(
        MANAGER, "Manager.v1_19_1.Manager", Id="iDRAC.Embedded.1", Name="Manager", ManagerType="BMC",
        Model="16G Monolithic", FirmwareVersion=IDRAC_VERSION, PowerState="On",
        Status={"Health": "OK", "State": "Enabled"},
        LogServices=link(f"{MANAGER}/LogServices"), EthernetInterfaces=link(f"{MANAGER}/EthernetInterfaces"),
        Links={"ManagerForServers": [link(SYSTEM)], "ManagerForChassis": [link(CHASSIS)]},
        Actions={"#Manager.Reset": {"target": f"{MANAGER}/Actions/Manager.Reset",
                                    "ResetType@Redfish.AllowableValues": ["GracefulRestart"]}},
    )  # fmt: skip


def manager_interface(machine: Machine) -> dict[str, Any]:
    plan = machine.plan
    return resource(
        f"{MANAGER}/EthernetInterfaces/NIC.1", "EthernetInterface.v1_12_0.EthernetInterface", Id="NIC.1",
        Name="Manager Ethernet Interface", MACAddress=plan.bmc_mac, PermanentMACAddress=plan.bmc_mac,
        LinkStatus="LinkUp", SpeedMbps=1000, HostName=f"idrac-{plan.serial}",
        IPv4Addresses=[{"Address": plan.address, "AddressOrigin": "Static", "SubnetMask": "255.0.0.0"}],
    )  # fmt: skip


LOGS = {"Sel": "SEL Log Service", "Lclog": "Lifecycle Controller Log Service"}


def log_service(name: str) -> dict[str, Any]:
    path = f"{MANAGER}/LogServices/{name}"
    return resource(
        path, "LogService.v1_5_0.LogService", Id=name, Name=LOGS[name], OverWritePolicy="WrapsWhenFull",
        MaxNumberOfRecords=1024 if name == "Sel" else 500000, ServiceEnabled=True, Entries=link(f"{path}/Entries"),
        Actions={"#LogService.ClearLog": {"target": f"{path}/Actions/LogService.ClearLog"}} if name == "Sel" else {},
    )  # fmt: skip


def log_entries(machine: Machine, name: str, skip: int, top: int) -> dict[str, Any]:
    """One page of a log, newest first, with the link to the next page."""
    rows = machine.state.sel if name == "Sel" else routine_entries(machine) + machine.state.lifecycle_log
    path = f"{MANAGER}/LogServices/{name}/Entries"
    newest = list(enumerate(rows, start=1))[::-1]
    members = [_log_entry(path, name, number, row) for number, row in newest[skip : skip + top]]
    page = collection(path, "LogEntry", [])
    page.update({"Members": members, "Members@odata.count": len(rows), "Name": LOGS[name]})
    if skip + top < len(rows):
        page["Members@odata.nextLink"] = f"{path}?$skip={skip + top}"
    return page


def _log_entry(path: str, name: str, number: int, row: dict[str, str]) -> dict[str, Any]:
    return resource(
        f"{path}/{number}", "LogEntry.v1_16_1.LogEntry", Id=str(number), Name=f"Log Entry {number}",
        EntryType="SEL" if name == "Sel" else "Oem", Created=row["created"], Severity=row["severity"],
        Message=row["message"], MessageId=f"IDRAC.2.9.{row['id']}", MessageArgs=[],
        Links={"OriginOfCondition": link(SYSTEM)}, Oem={"Dell": {"FQDD": row["fqdd"]}},
    )  # fmt: skip


def firmware(machine: Machine) -> dict[str, dict[str, Any]]:
    """FirmwareInventory by id: BIOS, iDRAC, every HCA and GPU."""
    items = [("159", BIOS_VERSION, "BIOS.Setup.1-1", "BIOS"), ("25227", IDRAC_VERSION, "iDRAC.Embedded.1-1",
             "Integrated Dell Remote Access Controller")]  # fmt: skip
    for number, hca in enumerate(machine.plan.hcas, start=1):
        items.append((str(109000 + number), _hca_version(machine, hca), _hca_fqdd(hca, number),
                      f"Mellanox Network Adapter - {hca.device}"))  # fmt: skip
    for number, gpu in enumerate(machine.plan.gpus, start=1):
        old = machine.fault("wrong_vbios", gpu.slot)
        version = str(old.params["version"]) if old else gpu.vbios
        items.append((str(110000 + number), version, f"Video.Slot.{20 + number}-1", machine.plan.facts.gpu_type))
    out = {}
    for component, version, fqdd, name in items:
        key = f"Installed-{component}-{version}__{fqdd}"
        out[key] = resource(
            f"{ROOT}/UpdateService/FirmwareInventory/{key}", "SoftwareInventory.v1_10_0.SoftwareInventory",
            Id=key, Name=name, Version=version, SoftwareId=component, Updateable=True,
            Status={"Health": "OK", "State": "Enabled"},
        )  # fmt: skip
    return out


def _hca_version(machine: Machine, hca: HcaPlan) -> str:
    old = machine.fault("wrong_hca_firmware", hca.slot)
    return str(old.params["version"]) if old else hca.firmware


def _hca_fqdd(hca: HcaPlan, number: int) -> str:
    kind = "InfiniBand" if hca.link_layer == "InfiniBand" else "NIC"
    return f"{kind}.Slot.{30 + number}-1"
