"""Commands about the present state, AMD GPUs, links, clusters and other keepers of errors, and how they are read."""

from __future__ import annotations

from health.checks.parsers import amd, host_reports, images, kernel_reports, link_tools, node_services, port_states
from health.checks.parsers.remote_mounts import parse_remote_mounts
from health.checks.parsers.state_files import parse_buddyinfo, parse_mdadm, parse_mdstat, parse_state_files
from health.checks.tool import of_text, tool

MORE_TOOLS = (
    tool("grep -sH . /proc/buddyinfo ...", "state_files", r"^grep (?:-\w+ )+\. /proc/buddyinfo\b",
         of_text(parse_state_files)),
    tool("cat /proc/buddyinfo", "state_files", r"^cat /proc/buddyinfo$", of_text(parse_buddyinfo)),
    tool("cat /proc/mdstat", "state_files", r"^cat /proc/mdstat$", of_text(parse_mdstat)),
    tool("mdadm --detail", "state_files", r"^mdadm (?:--detail|-D)\b", of_text(parse_mdadm)),
    tool("lscpu", "kernel_files", r"^lscpu\b(?!.*(?:-e|-p|--extended|--parse)\b)",
         of_text(kernel_reports.parse_lscpu)),
    tool("edac-util", "kernel_files", r"^edac-util\b", of_text(kernel_reports.parse_edac_util)),
    tool("ethtool", "state_files", r"^ethtool (?!-)\S+$", of_text(port_states.parse_settings)),
    tool("ip link", "state_files", r"^ip (?:-\S+ )*l(?:i|in|ink)?\b(?!.* -s)", of_text(port_states.parse_ip_link)),
    tool("cat /proc/net/bonding/...", "state_files", r"^cat /proc/net/bonding/\S+$",
         lambda output: port_states.parse_bonding(output.text, output.command)),
    tool("lspci -vv", "state_files", r"^lspci (?=.*-\w*v)(?!.*\|)", of_text(host_reports.parse_lspci_links)),
    tool("stat -f of remote mounts", "remote_mounts", r"^asked=;", of_text(parse_remote_mounts)),
    tool("amd-smi static --json", "amd_static", r"^amd-smi (?:static|list)\b.*--json", of_text(amd.parse_amd_static)),
    tool("amd-smi metric --json", "amd_metric", r"^amd-smi metric\b.*--json", of_text(amd.parse_amd_metric)),
    tool("amd-smi bad-pages --json", "amd_pages", r"^amd-smi bad-pages\b.*--json", of_text(amd.parse_amd_pages)),
    tool("amd-smi xgmi --link-status --json", "amd_links", r"^amd-smi xgmi\b.*--json", of_text(amd.parse_amd_links)),
    tool("rocm-smi --json", "rocm", r"^rocm-smi\b.*--json", of_text(amd.parse_rocm_smi)),
    tool("mlxlink", "mlxlink", r"^mlxlink\b",
         lambda output: link_tools.parse_mlxlink(output.text, output.command)),
    tool("ethtool -S", "port_statistics", r"^ethtool (?:.*\s)?(?:-S|--statistics) ",
         lambda output: link_tools.parse_statistics(output.text, output.command)),
    tool("ethtool -m", "module_alarms", r"^ethtool (?:.*\s)?(?:-m|--dump-module-eeprom|--module-info) ",
         lambda output: link_tools.parse_module(output.text, output.command)),
    tool("docker image ls", "docker_images", r"^docker image ls --digests --no-trunc --format ",
         of_text(images.parse_docker_images), may_be_silent=True),
    tool("ctr images ls", "containerd_images", r"^ctr -n \S+ images ls$", of_text(images.parse_ctr_images)),
    tool("find of Enroot's images", "enroot_images", r"^find /.* -name \S+\.sqsh\S+ ",
         of_text(images.parse_image_files), may_be_silent=True),
    tool("crictl info", "cri", r"^crictl info\b", of_text(node_services.parse_crictl)),
    tool("kubelet healthz", "kubelet", r"^systemctl is-active kubelet; curl\b", of_text(node_services.parse_kubelet)),
    tool("nvidia-imex-ctl", "imex", r"^nvidia-imex-ctl\b", of_text(node_services.parse_imex)),
    tool("dpkg-query -W", "packages", r"^(?:if command -v dpkg-query|dpkg-query -W|rpm -q)\b",
         of_text(node_services.parse_packages)),
    tool("ipmitool sdr", "sensors", r"^ipmitool (?:.*\s)?(?:sdr|sensor)\b", of_text(host_reports.parse_sdr)),
    tool("ras-mc-ctl", "ras_events", r"^ras-mc-ctl\b.*--(?:summary|errors)", of_text(host_reports.parse_ras)),
)  # fmt: skip
