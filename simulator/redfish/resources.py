"""The resources a BMC shows in the style of its vendor, as plain dictionaries made from a Machine and the time."""

from __future__ import annotations

from typing import Any

from simulator.plan import HcaPlan
from simulator.redfish import environment, hardware
from simulator.redfish.log import routine_entries
from simulator.redfish.styles import ROOT, VIRTUAL_CD, Log, Style, style_of
from simulator.state import Machine

PAGE = 100
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


def style(machine: Machine) -> Style:
    return style_of(machine.plan.facts.vendor)


def serial(machine: Machine) -> str:
    """The number on the label; a BMC that was mixed up tells that of another machine."""
    other = machine.fault("wrong_identity")
    return str(other.params["serial"]) if other else machine.plan.serial


def service_root(machine: Machine) -> dict[str, Any]:
    told = style(machine).root
    if told["Vendor"] == "Dell":
        told = {**told, "Oem": {"Dell": {"ServiceTag": serial(machine), "ManagerMACAddress": machine.plan.bmc_mac}}}
    return resource(
        ROOT, "ServiceRoot.v1_17_0.ServiceRoot", Id="RootService", Name="Root Service", RedfishVersion="1.20.1",
        Systems=link(f"{ROOT}/Systems"), Chassis=link(f"{ROOT}/Chassis"), Managers=link(f"{ROOT}/Managers"),
        SessionService=link(f"{ROOT}/SessionService"), UpdateService=link(f"{ROOT}/UpdateService"),
        AccountService=link(f"{ROOT}/AccountService"), Tasks=link(f"{ROOT}/TaskService"),
        Links={"Sessions": link(f"{ROOT}/SessionService/Sessions")}, **told,
    )  # fmt: skip


def identity(machine: Machine) -> dict[str, Any]:
    """Serial and SKU: the service tag stands in Dell's SKU, a product number in that of others."""
    own, number = style(machine), serial(machine)
    if own.root["Vendor"] == "Dell":
        return {"SKU": number, "SerialNumber": f"CNFCP00{machine.plan.seed % 10**8:08d}"}
    return {"SKU": own.sku, "SerialNumber": number}


def light(machine: Machine) -> dict[str, Any]:
    """The locating light by the properties that this BMC has."""
    own, led = style(machine), machine.state.led
    shown: dict[str, Any] = {}
    if "IndicatorLED" in own.light:
        shown["IndicatorLED"] = led
        shown["IndicatorLED@Redfish.AllowableValues"] = list(own.light_words)
    if "LocationIndicatorActive" in own.light:
        shown["LocationIndicatorActive"] = led != "Off"
    return shown


def boot(machine: Machine) -> dict[str, Any]:
    own, override = style(machine), machine.state.boot_override
    return {
        "BootSourceOverrideEnabled": override.enabled,
        "BootSourceOverrideTarget": override.target,
        "BootSourceOverrideMode": override.mode,
        "HttpBootUri": override.http_uri or None,
        "BootSourceOverrideTarget@Redfish.AllowableValues": list(own.boot_targets),
        "BootOrder": machine.state.setup.boot_order or ["Boot0003", "Boot0000"],
    }


def health(machine: Machine, now: float) -> str:
    return "Critical" if machine.dead_supplies(now) else "OK"


def system(machine: Machine, now: float) -> dict[str, Any]:
    """Power, identity, boot override and locator light."""
    plan, state, own = machine.plan, machine.state, style(machine)
    worst = health(machine, now)
    settings: dict[str, Any] = {}
    if own.settings:
        settings["@Redfish.Settings"] = {"SettingsObject": link(own.boot_at)}
    if own.media_owner == "system":
        settings["VirtualMedia"] = link(f"{own.system}/VirtualMedia")
    if any(log.owner == "system" for log in own.logs):
        settings["LogServices"] = link(f"{own.system}/LogServices")
    return resource(
        own.system, "ComputerSystem.v1_22_0.ComputerSystem", Id=own.system_id, Name="System",
        Manufacturer=own.manufacturer, Model=_model(machine), PartNumber="0KK0RGA00", **identity(machine),
        UUID=plan.system_uuid, HostName=machine.hostname if state.installed else "",
        AssetTag="", BiosVersion=BIOS_VERSION, SystemType="Physical",
        PowerState="On" if state.power == "on" else "Off", **light(machine),
        Status={"Health": worst, "HealthRollup": worst, "State": "Enabled" if state.power == "on" else "Disabled"},
        Boot=boot(machine), Bios=link(f"{own.system}/Bios"), PowerRestorePolicy=machine.state.setup.power_restore,
        BootProgress={"LastState": _boot_progress(machine, now)},
        MemorySummary={"TotalSystemMemoryGiB": plan.dimms * 64, "Status": {"Health": "OK", "State": "Enabled"}},
        ProcessorSummary={"Count": 2, "Model": "Intel(R) Xeon(R) Platinum 8470", "Status": {"Health": "OK"}},
        EthernetInterfaces=link(f"{own.system}/EthernetInterfaces"), **hardware.links(own, "system"),
        Links={"Chassis": [link(own.chassis)], "ManagedBy": [link(own.manager)]},
        Actions={"#ComputerSystem.Reset": {"target": f"{own.system}/Actions/ComputerSystem.Reset", **_offer(own)}},
        **settings,
    )  # fmt: skip


def _offer(own: Style) -> dict[str, Any]:
    if own.resets_by_info:
        return {"@Redfish.ActionInfo": f"{own.system}/ResetActionInfo"}
    return {"ResetType@Redfish.AllowableValues": list(own.resets)}


def reset_info(machine: Machine) -> dict[str, Any]:
    own = style(machine)
    kinds = {"Name": "ResetType", "Required": True, "DataType": "String", "AllowableValues": list(own.resets)}
    return resource(f"{own.system}/ResetActionInfo", "ActionInfo.v1_1_2.ActionInfo", Id="ResetActionInfo",
                    Name="Reset Action Info", Parameters=[kinds])  # fmt: skip


def settings(machine: Machine) -> dict[str, Any]:
    """The resource that takes boot overrides for the next start."""
    own = style(machine)
    return resource(own.boot_at, "ComputerSystem.v1_22_0.ComputerSystem", Id=own.settings, Name="System",
                    Boot=boot(machine))  # fmt: skip


def _model(machine: Machine) -> str:
    return "PowerEdge XE9680" if style(machine).root["Vendor"] == "Dell" else machine.plan.facts.name


def _boot_progress(machine: Machine, now: float) -> str:
    if machine.fault("no_post") and machine.state.power == "on":
        return "MemoryInitializationStarted"
    return {
        "off": "None", "booting": "SystemHardwareInitializationComplete", "installing": "OSBootStarted",
        "no_os": "SystemHardwareInitializationComplete", "up": "OSRunning",
    }[machine.phase(now)]  # fmt: skip


def ethernet_interface(machine: Machine) -> dict[str, Any]:
    """The port the machine boots from."""
    up = machine.state.power == "on" and not (machine.fault("no_link") or machine.fault("wrong_port"))
    mac, own = machine.plan.boot_mac, style(machine)
    return resource(
        own.nic, "EthernetInterface.v1_12_0.EthernetInterface", Id=own.nic_id,
        Name="System Ethernet Interface", MACAddress=mac, PermanentMACAddress=mac,
        LinkStatus="LinkUp" if up else "LinkDown", SpeedMbps=1000 if up else 0, InterfaceEnabled=True,
        Status={"Health": "OK", "State": "Enabled"},
    )  # fmt: skip


def other_interface(machine: Machine) -> dict[str, Any]:
    """The port beside it, of which the inventory knows nothing; only a cable in the wrong port gives it a link."""
    own, up = style(machine), machine.state.power == "on" and machine.fault("wrong_port") is not None
    return resource(
        own.other_nic, "EthernetInterface.v1_12_0.EthernetInterface", Id=own.other_nic_id,
        Name="System Ethernet Interface", LinkStatus="LinkUp" if up else "LinkDown", SpeedMbps=1000 if up else 0,
        InterfaceEnabled=True, Status={"Health": "OK", "State": "Enabled"},
    )  # fmt: skip


def chassis(machine: Machine, now: float) -> dict[str, Any]:
    worst, own = health(machine, now), style(machine)
    return resource(
        own.chassis, "Chassis.v1_25_0.Chassis", Id=own.chassis_id, Name="Computer System Chassis",
        ChassisType="RackMount", Manufacturer=own.manufacturer, Model=_model(machine), SKU=identity(machine)["SKU"],
        PowerState="On" if machine.state.power == "on" else "Off", **light(machine),
        Status={"Health": worst, "HealthRollup": worst, "State": "Enabled"},
        Thermal=link(f"{own.chassis}/Thermal"), Power=link(f"{own.chassis}/Power"),
        **hardware.links(own, "chassis"), **(environment.links(own) if machine.room is not None else {}),
        Links={"ComputerSystems": [link(own.system)], "ManagedBy": [link(own.manager)]},
    )  # fmt: skip


def thermal(machine: Machine, now: float) -> dict[str, Any]:
    """Temperatures in degrees Celsius and fans in rpm; a machine that is off has an inlet only."""
    on, own = machine.state.power == "on", style(machine)
    wave = (int(now / 60) + machine.plan.seed) % 4
    hot = 9 if machine.fault("gpu_overheat") else 0
    inlet, exhaust, rpm = 22 + wave, 38 + wave, 7200 + 90 * wave
    if measured := machine.measured(now):
        inlet, exhaust, rpm = round(measured.inlet_c), round(measured.exhaust_c), measured.fan_rpm
    readings = [("System Board Inlet Temp", "Intake", inlet, 42, 47)]
    if on:
        readings += [
            ("System Board Exhaust Temp", "Exhaust", exhaust + hot, 75, 80),
            ("CPU1 Temp", "CPU", 51 + wave, 92, 97),
            ("CPU2 Temp", "CPU", 49 + wave, 92, 97),
        ]
    ok = {"Health": "OK", "State": "Enabled"}
    return resource(
        f"{own.chassis}/Thermal", "Thermal.v1_7_1.Thermal", Id="Thermal", Name="Thermal",
        Temperatures=[
            {"@odata.id": f"{own.chassis}/Thermal#/Temperatures/{n}",
             "MemberId": f"{own.manager_id}#{name.replace(' ', '')}", "Name": name,
             "PhysicalContext": context, "ReadingCelsius": value, "UpperThresholdNonCritical": warn,
             "UpperThresholdCritical": critical, "Status": ok}
            for n, (name, context, value, warn, critical) in enumerate(readings)
        ],
        Fans=[
            {"@odata.id": f"{own.chassis}/Thermal#/Fans/{n}", "MemberId": f"Fan.Embedded.{n + 1}",
             "Name": f"System Board Fan{n + 1}", "Reading": (rpm + 1500 * bool(hot)) if on else 0,
             "ReadingUnits": "RPM", "LowerThresholdCritical": 600, "Status": ok if on else {"State": "Disabled"}}
            for n in range(16)
        ],
        Redundancy=[{"Name": "System Board Fan Redundancy", "Mode": "N+m", "Status": ok}],
    )  # fmt: skip


def power(machine: Machine, now: float) -> dict[str, Any]:
    """Power supplies and the draw in watts."""
    on, own = machine.state.power == "on", style(machine)
    measured = machine.measured(now)
    draw = (1650 + (machine.plan.seed + int(now / 60)) % 60) if on else 45
    each, dead = (
        dict.fromkeys(machine.plan.slots("psu"), draw / max(1, len(machine.plan.psus))),
        machine.dead_supplies(now),
    )
    volts = dict.fromkeys(machine.plan.slots("psu"), 230)
    if measured:
        draw = round(measured.watts)
        each = {slot: round(supply.watts) for slot, supply in measured.supplies.items()}
        volts = {slot: round(supply.input_v) for slot, supply in measured.supplies.items()}
    supplies = []
    for n, psu in enumerate(machine.plan.psus):
        number = psu.slot.split(" ")[1]
        lost = psu.slot in dead
        supplies.append({
            "@odata.id": f"{own.chassis}/Power#/PowerSupplies/{n}", "MemberId": f"PSU.Slot.{number}",
            "Name": f"PS{number} Status", "Manufacturer": own.manufacturer, "Model": "PWR SPLY,2800WP,RDNT,LTON",
            "SerialNumber": machine.part(psu.slot).serial, "PowerSupplyType": "AC", "PowerCapacityWatts": 2800,
            "LineInputVoltage": 0 if lost else volts.get(psu.slot, 230),
            "PowerInputWatts": 0 if lost else each.get(psu.slot, 0),
            "Status": {"Health": "Critical", "State": "UnavailableOffline"} if lost
            else {"Health": "OK", "State": "Enabled"},
        })  # fmt: skip
    worst = health(machine, now)
    return resource(
        f"{own.chassis}/Power", "Power.v1_7_2.Power", Id="Power", Name="Power",
        PowerControl=[{"@odata.id": f"{own.chassis}/Power#/PowerControl", "MemberId": "PowerControl",
                       "Name": "System Power Control", "PowerConsumedWatts": draw, "PowerCapacityWatts": 16800}],
        PowerSupplies=supplies,
        Redundancy=[{"MemberId": f"{own.system_id}#PowerSupplyRedundancy", "Name": "System Board PS Redundancy",
                     "Mode": "N+m", "Status": {"Health": worst, "State": "Enabled"}}],
    )  # fmt: skip


def manager(machine: Machine, now: float) -> dict[str, Any]:
    own = style(machine)
    more: dict[str, Any] = {}
    has_logs = any(log.owner == "manager" for log in own.logs)
    if own.media_owner == "manager":
        more["VirtualMedia"] = link(f"{own.manager}/VirtualMedia")
    if own.root["Vendor"] == "Dell":
        attributes = link(f"{own.manager}/Oem/Dell/DellAttributes/{own.manager_id}")
        service = link(f"{own.manager}/Oem/Dell/DellLCService")
        more["Links"] = {"Oem": {"Dell": {"DellAttributes": [attributes], "DellLCService": service}}}
    if own.root["Vendor"] == "HPE":
        more["Oem"] = {"Hpe": {"Links": {"ActiveHealthSystem": link(f"{own.manager}/ActiveHealthSystem")}}}
    return resource(
        own.manager, "Manager.v1_19_1.Manager", Id=own.manager_id, Name="Manager", ManagerType="BMC",
        Model=own.manager_model, PowerState="On",
        FirmwareVersion=machine.state.setup.firmware.get(f"{own.manager_id}-1", own.firmware),
        Status={"Health": "OK", "State": "Enabled"},
        LogServices=link(f"{own.manager if has_logs else own.system}/LogServices"),
        EthernetInterfaces=link(f"{own.manager}/EthernetInterfaces"),
        NetworkProtocol=link(f"{own.manager}/NetworkProtocol"),
        Actions={"#Manager.Reset": {"target": f"{own.manager}/Actions/Manager.Reset",
                                    "ResetType@Redfish.AllowableValues": ["GracefulRestart"]}},
        **{**more, "Links": {**more.get("Links", {}), "ManagerForServers": [link(own.system)],
                             "ManagerForChassis": [link(own.chassis)]}},
    )  # fmt: skip


def manager_interface(machine: Machine) -> dict[str, Any]:
    plan, own = machine.plan, style(machine)
    return resource(
        f"{own.manager}/EthernetInterfaces/NIC.1", "EthernetInterface.v1_12_0.EthernetInterface", Id="NIC.1",
        Name="Manager Ethernet Interface", MACAddress=plan.bmc_mac, PermanentMACAddress=plan.bmc_mac,
        LinkStatus="LinkUp", SpeedMbps=1000, HostName=f"bmc-{plan.serial}",
        IPv4Addresses=[{"Address": plan.address, "AddressOrigin": "Static", "SubnetMask": "255.0.0.0"}],
    )  # fmt: skip


# ---- the GPU board beside the host ----

BOARD, BOARD_MANAGER = f"{ROOT}/Systems/HGX_Baseboard_0", f"{ROOT}/Managers/HGX_BMC_0"


def attributes(machine: Machine) -> dict[str, Any]:
    """Dell's attributes of the BMC, of which one chooses what the next start comes from."""
    own, virtual = style(machine), machine.state.boot_override.target == VIRTUAL_CD
    return resource(
        f"{own.manager}/Oem/Dell/DellAttributes/{own.manager_id}", "DellAttributes.v1_0_0.DellAttributes",
        Id=own.manager_id, Name="OEM attributes", Attributes={
            "ServerBoot.1.BootOnce": "Enabled" if virtual else "Disabled",
            "ServerBoot.1.FirstBootDevice": "VCD-DVD" if virtual else "Normal",
            "NTPConfigGroup.1.NTPEnable": "Disabled", "NTPConfigGroup.1.NTP1": "", "Time.1.Timezone": "UTC",
            **machine.state.setup.attributes,
        },
    )  # fmt: skip


def board() -> dict[str, Any]:
    return resource(BOARD, "ComputerSystem.v1_22_0.ComputerSystem", Id="HGX_Baseboard_0", Name="HGX baseboard",
                    Manufacturer="NVIDIA", Links={"ManagedBy": [link(BOARD_MANAGER)]})  # fmt: skip


def board_manager() -> dict[str, Any]:
    return resource(BOARD_MANAGER, "Manager.v1_19_1.Manager", Id="HGX_BMC_0", Name="HGX BMC", ManagerType="BMC",
                    FirmwareVersion="HGX-22.10-1-rc67")  # fmt: skip


# ---- virtual media ----


def media(machine: Machine, name: str) -> dict[str, Any]:
    """One virtual medium, and how an image is put into it."""
    own, image = style(machine), machine.state.media.get(name)
    path = f"{own.of(own.media_owner)}/VirtualMedia/{name}"
    actions = {
        f"#VirtualMedia.{each}Media": {"target": f"{path}/Actions/VirtualMedia.{each}Media"}
        for each in ("Insert", "Eject")
    }
    return resource(
        path, "VirtualMedia.v1_3_2.VirtualMedia", Id=name, Name="Virtual media",
        MediaTypes=list(dict(own.media)[name]), Image=image, Inserted=image is not None,
        ConnectedVia="URI" if image else "NotConnected", WriteProtected=True,
        **({"Actions": actions} if own.media_by == "action" else {}),
    )  # fmt: skip


# ---- logs ----


def log_service(own: Style, log: Log) -> dict[str, Any]:
    path = f"{own.of(log.owner)}/LogServices/{log.id}"
    sel = log.holds == "sel"
    return resource(
        path, "LogService.v1_5_0.LogService", Id=log.id, Name=log.name, OverWritePolicy="WrapsWhenFull",
        MaxNumberOfRecords=1024 if sel else 500000, ServiceEnabled=True, Entries=link(f"{path}/Entries"),
        Actions={"#LogService.ClearLog": {"target": f"{path}/Actions/LogService.ClearLog"}} if sel else {},
    )  # fmt: skip


def log_entries(machine: Machine, log: Log, skip: int, top: int) -> dict[str, Any]:
    """One page of a log, newest first, with the link to the next page."""
    rows = machine.state.sel if log.holds == "sel" else routine_entries(machine) + machine.state.lifecycle_log
    path = f"{style(machine).of(log.owner)}/LogServices/{log.id}/Entries"
    newest = list(enumerate(rows, start=1))[::-1]
    members = [_log_entry(machine, path, log, number, row) for number, row in newest[skip : skip + top]]
    page = collection(path, "LogEntry", [])
    page.update({"Members": members, "Members@odata.count": len(rows), "Name": log.name})
    if skip + top < len(rows):
        page["Members@odata.nextLink"] = f"{path}?$skip={skip + top}"
    return page


def _log_entry(machine: Machine, path: str, log: Log, number: int, row: dict[str, str]) -> dict[str, Any]:
    """Message ids and the part's name are Dell's, so that only an iDRAC gives them; others have the words alone."""
    own = style(machine)
    of_vendor: dict[str, Any] = {}
    if own.registry:
        of_vendor = {"MessageId": f"{own.registry}.{row['id']}", "Oem": {"Dell": {"FQDD": row["fqdd"]}}}
    return resource(
        f"{path}/{number}", "LogEntry.v1_16_1.LogEntry", Id=str(number), Name=f"Log Entry {number}",
        EntryType="SEL" if log.holds == "sel" else "Oem", Created=row["created"], Severity=row["severity"],
        Message=row["message"], MessageArgs=[], Links={"OriginOfCondition": link(own.system)}, **of_vendor,
    )  # fmt: skip


def firmware(machine: Machine) -> dict[str, dict[str, Any]]:
    """FirmwareInventory by id: BIOS, BMC, every HCA and GPU."""
    own = style(machine)
    items = [("159", BIOS_VERSION, "BIOS.Setup.1-1", "BIOS"), ("25227", own.firmware, f"{own.manager_id}-1",
             str(own.root.get("Product") or "BMC"))]  # fmt: skip
    for number, hca in enumerate(machine.plan.hcas, start=1):
        items.append((str(109000 + number), _hca_version(machine, hca), _hca_fqdd(hca, number),
                      f"Mellanox Network Adapter - {hca.device}"))  # fmt: skip
    for number, gpu in enumerate(machine.plan.gpus, start=1):
        old = machine.fault("wrong_vbios", gpu.slot)
        version = str(old.params["version"]) if old else gpu.vbios
        items.append((str(110000 + number), version, f"Video.Slot.{20 + number}-1", machine.plan.facts.gpu_type))
    out = {}
    for component, delivered, fqdd, name in items:
        version = machine.state.setup.firmware.get(fqdd, delivered)
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
