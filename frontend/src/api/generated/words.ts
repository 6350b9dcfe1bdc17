// Generated from the OpenAPI document by `npm run generate`. Do not edit.

/** The words that people read for the codes of the API; in the order in which lists show them. */
import type { Schemas } from "../schema.ts";

type Words<Code extends string | number> = Record<Code, { word: string; says: string }>;

export const AccessKind = {
  ssh: { word: "SSH", says: "Its identity is its host key." },
  redfish: { word: "BMC", says: "Its identity is its TLS certificate." },
} as const satisfies Words<Schemas["AccessKind"]>;

export const ActionState = {
  planned: { word: "Planned", says: "Nothing was sent." },
  granted: { word: "Granted", says: "Every guard agreed; it is about to be sent." },
  sent: { word: "Sent", says: "It is in progress; its effect is watched for." },
  confirmed: { word: "Carried out", says: "Its effect was seen. The verification decides whether it helped." },
  failed: { word: "Had no effect", says: "It is known to have done nothing." },
  ambiguous: { word: "Nobody knows", says: "It is not known whether it happened: a person decides." },
  cancelled: { word: "Never sent", says: "Something spoke against it at the last moment." },
} as const satisfies Words<Schemas["ActionState"]>;

export const Allocation = {
  idle: { word: "Idle", says: "" },
  allocated: { word: "Allocated", says: "" },
  unknown: { word: "Unknown", says: "" },
} as const satisfies Words<Schemas["Allocation"]>;

export const AutomationMode = {
  dry_run: { word: "Dry run", says: "What would be done is only written down." },
  on: { word: "On", says: "Actions are carried out within their budget." },
} as const satisfies Words<Schemas["AutomationMode"]>;

export const BmcAction = {
  password: { word: "Password", says: "A generated one for each BMC." },
  settings: { word: "Settings", says: "BIOS and BMC as the profile of the model wants them." },
  firmware: { word: "Firmware", says: "The versions of the model's baseline." },
} as const satisfies Words<Schemas["BmcAction"]>;

export const BmcArea = {
  bios: { word: "BIOS", says: "Attributes of the BIOS; they wait for the next start of the machine." },
  system: { word: "System", says: "PowerRestorePolicy and BootOrder." },
  ntp: { word: "Time servers", says: "ProtocolEnabled and NTPServers of the BMC." },
  bmc: { word: "BMC", says: "The vendor's own attributes of the BMC." },
} as const satisfies Words<Schemas["BmcArea"]>;

export const BmcComparison = {
  same: { word: "As wanted", says: "" },
  differs: { word: "Differs", says: "" },
  pending: { word: "Waits for a start", says: "It is set, and in force after the next start of the machine." },
  missing: { word: "Not reported", says: "The BMC does not report it." },
} as const satisfies Words<Schemas["BmcComparison"]>;

export const BmcPasswordState = {
  own: { word: "Its own", says: "A generated password, used at least once." },
  changing: { word: "Being changed", says: "Which password is in force is not known yet; both are tried." },
  kept: { word: "Kept", says: "The last change failed; the password from before is in force." },
  refused: { word: "Not known", says: "The BMC takes no password that we know: somebody changed it." },
} as const satisfies Words<Schemas["BmcPasswordState"]>;

export const BmcState = {
  waiting: { word: "Not asked yet", says: "" },
  asking: { word: "Being asked", says: "" },
  read: { word: "Read", says: "" },
  refused: { word: "Password refused", says: "No other password is tried by guess." },
  no_login: { word: "No password", says: "No stored password may be sent there." },
  changed: { word: "Certificate changed", says: "It presents another certificate than the known one and was sent no password." },
  unreachable: { word: "Unreachable", says: "" },
  not_bmc: { word: "Not a BMC", says: "" },
  failed: { word: "Could not be read", says: "" },
  interrupted: { word: "Interrupted", says: "Workers were lost while they signed in; another discovery asks it again." },
} as const satisfies Words<Schemas["BmcState"]>;

export const BurnInStatus = {
  planning: { word: "Being planned", says: "A worker searches for pairs that load every link." },
  planned: { word: "Planned", says: "Nothing runs before somebody starts it." },
  running: { word: "Running", says: "Stage after stage." },
  stopping: { word: "Stopping", says: "No new stage begins; what runs ends by itself." },
  stopped: { word: "Stopped", says: "Somebody stopped it before its end." },
  done: { word: "Done", says: "" },
  failed: { word: "Failed", says: "" },
} as const satisfies Words<Schemas["BurnInStatus"]>;

export const CableStatus = {
  planned: { word: "Planned", says: "" },
  connected: { word: "Connected", says: "" },
  to_move: { word: "To be moved", says: "" },
  removed: { word: "Removed", says: "" },
} as const satisfies Words<Schemas["CableStatus"]>;

export const CheckedPart = {
  gpu: { word: "each GPU", says: "" },
  hca: { word: "each network card", says: "" },
  nvme: { word: "each NVMe drive", says: "" },
  psu: { word: "each power supply", says: "" },
  mount: { word: "each file system", says: "" },
  machine: { word: "the machine", says: "" },
} as const satisfies Words<Schemas["CheckedPart"]>;

export const CollectedResult = {
  ok: { word: "Complete", says: "" },
  partly: { word: "In part", says: "Some of it could not be read." },
  nothing: { word: "Nothing found", says: "No process of the run and no log of it." },
  unreachable: { word: "Unreachable", says: "" },
  refused: { word: "Refused", says: "The login, or sudo for the tools, is not allowed." },
  too_large: { word: "Too large", says: "" },
  cut: { word: "Cut off", says: "" },
  failed: { word: "Failed", says: "" },
  waiting: { word: "Waiting", says: "" },
} as const satisfies Words<Schemas["CollectedResult"]>;

export const CollectionReason = {
  asked: { word: "Collected", says: "Asked for by a person." },
  hang: { word: "At the hang", says: "Collected by itself because the run hangs." },
  pushed: { word: "Pushed", says: "Sent by the job of the run." },
} as const satisfies Words<Schemas["CollectionReason"]>;

export const CollectionStatus = {
  queued: { word: "Queued", says: "" },
  running: { word: "In progress", says: "" },
  done: { word: "Done", says: "" },
  failed: { word: "Failed", says: "" },
} as const satisfies Words<Schemas["CollectionStatus"]>;

export const DecisionScope = {
  site: { word: "Site", says: "" },
  model: { word: "Model", says: "" },
  machine: { word: "Machine", says: "" },
} as const satisfies Words<Schemas["DecisionScope"]>;

export const DeliveryMatch = {
  fits: { word: "Fits the plan", says: "A planned machine lacks what the row tells; it is written when the row is taken over." },
  same: { word: "As planned", says: "The inventory has it all." },
  exchanged: { word: "Exchanged", says: "Two machines of the list stand in each other's place." },
  moved: { word: "In another place", says: "The inventory has this machine elsewhere." },
  taken: { word: "Place is taken", says: "The place is planned for a machine with another serial." },
  differs: { word: "Differs", says: "Its model or one of its addresses is another than planned." },
  unknown: { word: "Not planned", says: "Neither its service tag nor its place is in the inventory." },
} as const satisfies Words<Schemas["DeliveryMatch"]>;

export const DeliveryStatus = {
  pending: { word: "Pending", says: "It is sent again until it arrives or its tries are used up." },
  delivered: { word: "Delivered", says: "The receiver took it." },
  dead: { word: "Given up", says: "No try is left; it can be replayed." },
} as const satisfies Words<Schemas["DeliveryStatus"]>;

export const DeployerState = {
  never: { word: "Never asked", says: "" },
  good: { word: "Answers", says: "" },
  failed: { word: "Does not answer", says: "" },
} as const satisfies Words<Schemas["DeployerState"]>;

export const DeployerWriteKind = {
  mark_broken: { word: "Mark broken", says: "" },
  mark_fixed: { word: "Mark fixed", says: "" },
  release: { word: "Release", says: "" },
} as const satisfies Words<Schemas["DeployerWriteKind"]>;

export const DeployerWriteStatus = {
  waiting: { word: "Waiting", says: "" },
  done: { word: "Done", says: "" },
  dry_run: { word: "Dry run", says: "It is said, and was not sent." },
  dropped: { word: "Dropped", says: "" },
} as const satisfies Words<Schemas["DeployerWriteStatus"]>;

export const DesiredStateKind = {
  drain: { word: "Drain", says: "" },
  resume: { word: "Resume", says: "" },
} as const satisfies Words<Schemas["DesiredStateKind"]>;

export const DesiredStateStatus = {
  waiting: { word: "on its way", says: "" },
  done: { word: "done", says: "" },
  theirs: { word: "owned by somebody else", says: "" },
} as const satisfies Words<Schemas["DesiredStateStatus"]>;

export const DeviceKind = {
  machine: { word: "Machine", says: "" },
  switch: { word: "Switch", says: "" },
  pdu: { word: "PDU", says: "" },
  panel: { word: "Panel", says: "" },
  shelf: { word: "Shelf", says: "" },
} as const satisfies Words<Schemas["DeviceKind"]>;

export const DeviceStatus = {
  planned: { word: "Planned", says: "" },
  active: { word: "Active", says: "" },
  retired: { word: "Retired", says: "Out for good, without a place." },
} as const satisfies Words<Schemas["DeviceStatus"]>;

export const DisagreementKind = {
  drained_without_ticket: { word: "Drained, nobody works on it", says: "The scheduler keeps it out of service, and we have neither fault nor ticket." },
  closed_still_drained: { word: "Repaired, still drained", says: "We have it in service, and the scheduler does not." },
  bad_allocated: { word: "Broken, still at work", says: "Jobs run on a machine that is out of service here." },
  facts_differ: { word: "Other hardware", says: "The scheduler counts other processors, memory or GPUs than the inventory." },
  unknown_machine: { word: "Not in the inventory", says: "Only the scheduler knows it." },
  missing_machine: { word: "Not in the scheduler", says: "Only the inventory knows it." },
  not_read: { word: "Not read", says: "The scheduler gives no answer that could be compared." },
} as const satisfies Words<Schemas["DisagreementKind"]>;

export const DiscoveryFinding = {
  exchanged: { word: "Exchanged", says: "Two machines stand in each other's place; both are accepted together." },
  moved: { word: "In another place", says: "The inventory has this machine elsewhere." },
  taken: { word: "Place is taken", says: "The place is planned for a machine with another serial." },
  differs: { word: "Differs", says: "Its model, its serial or one of its addresses is another than planned." },
  twice: { word: "Found twice", says: "Another address shows the same machine." },
  unknown: { word: "Not planned", says: "Neither its serial, its UUID nor its place is in the inventory." },
  parts: { word: "Parts differ", says: "Parts are missing, or others than the inventory or the device model has." },
  unread: { word: "Not read", says: "It is not known who it is, or what it is made of." },
  fits: { word: "Fits the plan", says: "The inventory lacks what was found; it is written when the machine is accepted." },
  same: { word: "As planned", says: "The inventory has it all." },
} as const satisfies Words<Schemas["DiscoveryFinding"]>;

export const DiscoveryStatus = {
  queued: { word: "Queued", says: "Waits for a free worker." },
  reading: { word: "Reading", says: "The fabric is being read." },
  reconciling: { word: "Comparing", says: "What was seen is compared with the plan." },
  storing: { word: "Storing", says: "Links and findings are written." },
  done: { word: "Done", says: "" },
  held_back: { word: "Rejected by the guard", says: "Too much vanished at once for the guard. No finding was opened; check the source first." },
  failed: { word: "Failed", says: "Nothing was changed." },
} as const satisfies Words<Schemas["DiscoveryStatus"]>;

export const DistributionBound = {
  uplinks: { word: "The uplinks", says: "" },
  cache: { word: "The link of a cache", says: "" },
  machine: { word: "The link of a machine", says: "" },
} as const satisfies Words<Schemas["DistributionBound"]>;

export const DistributionWay = {
  registry: { word: "From the registry", says: "Every machine pulls its own copy over the uplinks." },
  caches: { word: "Through caches", says: "One copy crosses the uplinks for each pull-through cache." },
  peers: { word: "With peers", says: "One copy crosses the uplinks; machines hand on what they have." },
} as const satisfies Words<Schemas["DistributionWay"]>;

export const EndOfRow = {
  low: { word: "Low end of the row", says: "" },
  high: { word: "High end of the row", says: "" },
} as const satisfies Words<Schemas["EndOfRow"]>;

export const EnergyBy = {
  run: { word: "Job", says: "" },
  group: { word: "Group", says: "" },
  pool: { word: "Pool", says: "" },
  rack: { word: "Rack", says: "" },
  month: { word: "Month", says: "" },
  idle: { word: "Idle machines", says: "" },
} as const satisfies Words<Schemas["EnergyBy"]>;

export const Engine = {
  redfish: { word: "Network boot", says: "" },
  virtual_media: { word: "Virtual media", says: "" },
  maas: { word: "MAAS", says: "The site's MAAS commissions and deploys it; needs a MAAS region of the site." },
  ironic: { word: "Ironic", says: "The site's Ironic inspects, cleans and deploys it; needs an Ironic of the site." },
  adopt: { word: "Adopt", says: "It runs already: nothing is installed, it is identified, checked and taken into service." },
} as const satisfies Words<Schemas["Engine"]>;

export const EscalationTarget = {
  first: { word: "First on call", says: "" },
  second: { word: "Second on call", says: "" },
  channel: { word: "Channel", says: "" },
} as const satisfies Words<Schemas["EscalationTarget"]>;

export const EventSeverity = {
  critical: { word: "Critical", says: "" },
  minor: { word: "Minor", says: "" },
  warning: { word: "Warning", says: "" },
  info: { word: "Info", says: "" },
} as const satisfies Words<Schemas["EventSeverity"]>;

export const EvidenceKind = {
  behind: { word: "Behind", says: "The others of the process group wait for it." },
  mismatch: { word: "Differs", says: "It called something else at the same place." },
} as const satisfies Words<Schemas["EvidenceKind"]>;

export const ExternalItemKind = {
  create: { word: "Opened there", says: "" },
  comment: { word: "Comment", says: "" },
  status: { word: "State", says: "" },
} as const satisfies Words<Schemas["ExternalItemKind"]>;

export const ExternalItemStatus = {
  waiting: { word: "Waiting", says: "It is sent as soon as the system answers." },
  done: { word: "Sent", says: "The system took it." },
  failed: { word: "Refused", says: "The system does not take it as it is; it is sent again when the map is saved." },
} as const satisfies Words<Schemas["ExternalItemStatus"]>;

export const FailureClass = {
  "gpu-lost": { word: "GPU lost", says: "" },
  "cuda-ecc": { word: "GPU memory error", says: "" },
  "cuda-unknown": { word: "Unknown CUDA error", says: "" },
  "gpu-bad-allocation": { word: "GPU memory refused", says: "" },
  "cuda-719": { word: "Launch failure on the GPU", says: "" },
  "cuda-700": { word: "Illegal access to GPU memory", says: "" },
  "cuda-assert": { word: "Assertion in a GPU kernel", says: "" },
  "cuda-oom": { word: "Out of GPU memory", says: "" },
  "cuda-46": { word: "GPU busy or unavailable", says: "" },
  "cuda-802": { word: "NVSwitch fabric not ready", says: "" },
  "cuda-803": { word: "CUDA does not fit the driver", says: "" },
  "cuda-init": { word: "CUDA not initialized", says: "" },
  "nvls-fabric": { word: "NVLink failed", says: "" },
  "nccl-net-ib": { word: "InfiniBand path lost", says: "" },
  "nccl-net-socket": { word: "Peer unreachable over TCP", says: "" },
  "nccl-no-interface": { word: "No such network interface", says: "" },
  "nccl-shm": { word: "Shared memory full", says: "" },
  "nccl-version": { word: "NCCL versions differ", says: "" },
  hostname: { word: "Name not resolved", says: "" },
  "port-in-use": { word: "Port in use", says: "" },
  "elastic-rdzv": { word: "Rendezvous failed", says: "" },
  "collective-mismatch": { word: "Collectives differ", says: "" },
  "ddp-unused": { word: "Unused parameters", says: "" },
  "nccl-timeout-no-cause": { word: "Timed out", says: "Collectives timed out and nothing says why." },
  "host-oom": { word: "Out of memory", says: "" },
  "slurm-oom": { word: "Memory limit of the job", says: "" },
  "sigbus-shm": { word: "Shared memory of data loaders", says: "" },
  "sigsegv-dataloader": { word: "Crash in a data loader", says: "" },
  sigsegv: { word: "Crash in native code", says: "" },
  "ckpt-enospc": { word: "File system full", says: "" },
  "ckpt-quota": { word: "Quota used up", says: "" },
  "ckpt-lustre": { word: "File system lost", says: "" },
  "dataset-missing": { word: "Data not there", says: "" },
  container: { word: "Container not started", says: "" },
  "slurm-timeout": { word: "Time limit", says: "" },
  "slurm-preempt": { word: "Preempted", says: "" },
  "slurm-cancel": { word: "Cancelled", says: "" },
  "slurm-nodefail": { word: "Machine lost", says: "" },
  "user-error": { word: "Exception", says: "" },
  "nan-loss": { word: "Loss is NaN", says: "" },
  "hang-flightrec": { word: "Hang in a collective", says: "" },
  "hang-pyspy": { word: "Deadlock", says: "" },
  "hang-ras": { word: "Collectives out of step", says: "" },
  "slow-throttle": { word: "Throttled", says: "" },
  "slow-straggler": { word: "Slow rank", says: "" },
  "slow-dataloader": { word: "Waits for data", says: "" },
  none: { word: "Nothing failed", says: "" },
} as const satisfies Words<Schemas["FailureClass"]>;

export const FailureEvidenceKind = {
  bmc: { word: "What the BMC showed", says: "" },
  dhcp: { word: "The DHCP server's log", says: "" },
  installer: { word: "The installer's log", says: "" },
  checks: { word: "What the checks found", says: "" },
} as const satisfies Words<Schemas["FailureEvidenceKind"]>;

export const FailureOwner = {
  hardware: { word: "Hardware", says: "" },
  network: { word: "Network", says: "" },
  storage: { word: "Storage", says: "" },
  environment: { word: "Environment", says: "Image, driver, libraries, settings of the machine." },
  software: { word: "Software", says: "Libraries and frameworks." },
  user: { word: "User's code", says: "" },
  scheduler: { word: "Scheduler", says: "" },
} as const satisfies Words<Schemas["FailureOwner"]>;

export const FaultDrain = {
  drained: { word: "Drained", says: "" },
  over_budget: { word: "Waits", says: "The disruption budget of its pool is used up." },
  dry_run: { word: "Dry run", says: "Its pool's automation only says what it would drain." },
  stopped: { word: "Stopped", says: "The kill switch, the circuit breaker, a rate or a person's decision stands in the way." },
} as const satisfies Words<Schemas["FaultDrain"]>;

export const FaultResponse = {
  note: { word: "Note", says: "Shown on the machine; no ticket, and it goes on working." },
  ticket: { word: "Ticket only", says: "A repair ticket; the machine stays in service." },
  cordon: { word: "Cordon", says: "No new jobs; it returns by itself when its checks pass again." },
  drain: { word: "Drain after the job", says: "No new jobs; out of service when the running one ended, until a verification passes." },
  drain_now: { word: "Drain now", says: "Drained before all others, with an urgent ticket: the job is in danger. Rackside ends no job." },
} as const satisfies Words<Schemas["FaultResponse"]>;

export const FaultStatus = {
  suspected: { word: "Suspected", says: "" },
  confirmed: { word: "Confirmed", says: "" },
  cleared: { word: "Cleared", says: "" },
} as const satisfies Words<Schemas["FaultStatus"]>;

export const FindingKind = {
  area_off: { word: "Rack, row or feed dark", says: "" },
  device_off: { word: "Device off", says: "" },
  exchanged_devices: { word: "Devices in each other’s place", says: "" },
  device_at_other_place: { word: "Device at another place", says: "" },
  wrong_port: { word: "Cable in the wrong port", says: "" },
  swapped_pair: { word: "Swapped pair", says: "" },
  cycle: { word: "Cables in a cycle", says: "" },
  chain: { word: "Cables in a chain", says: "" },
  crossed_lanes: { word: "Crossed lanes", says: "" },
  missing: { word: "Missing cable", says: "" },
  extra: { word: "Cable not in the plan", says: "" },
  dark: { word: "Dark link", says: "" },
  slow_link: { word: "Slow link", says: "" },
  narrow_link: { word: "Narrow link", says: "" },
  stranger: { word: "Stranger on the fabric", says: "" },
  duplicate_name: { word: "Name used twice", says: "" },
  misnamed: { word: "Wrong name", says: "" },
  unnamed: { word: "Switch without a place", says: "" },
  adapter_names: { word: "Adapters with other numbers", says: "" },
  plan_error: { word: "Error in the plan", says: "" },
  stale_ends: { word: "Ends disagree", says: "" },
} as const satisfies Words<Schemas["FindingKind"]>;

export const FindingSeverity = {
  bad: { word: "Bad", says: "" },
  warn: { word: "Warning", says: "" },
  info: { word: "Note", says: "" },
} as const satisfies Words<Schemas["FindingSeverity"]>;

export const FindingState = {
  new: { word: "Seen once", says: "A second discovery run confirms it before a ticket opens." },
  open: { word: "Open", says: "Seen twice. It closes by itself when a good discovery run shows it right." },
  accepted: { word: "Accepted", says: "Somebody said that it may stay so." },
  closed: { word: "Closed", says: "A good discovery run showed it right." },
} as const satisfies Words<Schemas["FindingState"]>;

export const FitCriterionState = {
  fail: { word: "Fails", says: "" },
  unknown: { word: "Not known", says: "" },
  warn: { word: "Warns", says: "" },
  running: { word: "In progress", says: "" },
  not_run: { word: "Never run", says: "" },
  not_asked: { word: "Not asked", says: "" },
  ok: { word: "OK", says: "" },
} as const satisfies Words<Schemas["FitCriterionState"]>;

export const FitMeasure = {
  bandwidth: { word: "Bandwidth", says: "Bus bandwidth of the largest messages." },
  latency: { word: "Latency", says: "Time of the smallest messages." },
} as const satisfies Words<Schemas["FitMeasure"]>;

export const FitVerdict = {
  fit: { word: "Fit", says: "" },
  not_fit: { word: "Not fit", says: "Machines must stay out." },
  unknown: { word: "Not known", says: "Something that must be known is known of no machine of the set." },
} as const satisfies Words<Schemas["FitVerdict"]>;

export const FitWay = {
  whole: { word: "As it is", says: "" },
  replaced: { word: "With replacements", says: "" },
  reduced: { word: "Without them", says: "" },
} as const satisfies Words<Schemas["FitWay"]>;

export const FoundKind = {
  machine: { word: "Machine", says: "" },
  switch: { word: "Switch", says: "" },
  pdu: { word: "PDU", says: "" },
  rack: { word: "Rack", says: "" },
  row: { word: "Row", says: "" },
  room: { word: "Room", says: "" },
  cable: { word: "Cable", says: "" },
  component: { word: "Component", says: "" },
  port: { word: "Port", says: "" },
  ticket: { word: "Ticket", says: "" },
  panel: { word: "Panel", says: "" },
  shelf: { word: "Shelf", says: "" },
  finding: { word: "Finding", says: "" },
  link: { word: "Link", says: "" },
} as const satisfies Words<Schemas["FoundKind"]>;

export const GpuBand = {
  slows: { word: "Throttling", says: "At or above the temperature from which its clocks fall." },
  near: { word: "Near throttling", says: "Close to where its clocks fall." },
  warm: { word: "Warm", says: "" },
  good: { word: "Good", says: "" },
  great: { word: "Great", says: "" },
  unknown: { word: "Not known", says: "" },
} as const satisfies Words<Schemas["GpuBand"]>;

export const Guard = {
  record: { word: "A record cannot be read", says: "" },
  unknown: { word: "A number that is needed is not known", says: "" },
  kill_switch: { word: "The kill switch is on", says: "" },
  breaker: { word: "The circuit breaker is open", says: "" },
  clock: { word: "The clock jumped", says: "" },
  stale: { word: "What is known is too old", says: "" },
  empty_pool: { word: "Its pool is empty", says: "" },
  disruption_budget: { word: "The disruption budget of its pool is used up", says: "" },
  drains_10min: { word: "Too many drains in ten minutes", says: "" },
  drains_1h: { word: "Too many drains in an hour", says: "" },
  common_cause: { word: "Part of a common cause", says: "" },
  response: { word: "Its fault leaves it in service", says: "" },
  suspicious: { word: "It began on too many machines at once", says: "" },
  audit_mode: { word: "The check is in audit mode", says: "" },
  dry_run: { word: "Dry run", says: "" },
  power_busy: { word: "Another power action is in progress", says: "" },
  power_spacing: { word: "The last power action was a moment ago", says: "" },
  power_1h: { word: "Too many power actions in an hour", says: "" },
  reboots_7d: { word: "Too many reboots in a week", says: "" },
  lemon: { word: "Too many remediations in a week", says: "" },
  shared_power: { word: "Its BMC may switch other machines", says: "" },
  window: { word: "Outside allowed hours", says: "" },
  state: { word: "Its state does not allow it", says: "" },
  held: { word: "Somebody holds it", says: "" },
  redrain_cooldown: { word: "A person put it back not long ago", says: "" },
  open_action: { word: "An action is in progress", says: "" },
  back_off: { word: "The last action could not be sent", says: "" },
  verifying: { word: "A verification is in progress", says: "" },
  ladder: { word: "Nothing automatic is left", says: "" },
  ambiguous: { word: "Nobody knows whether an action happened", says: "" },
  scheduler: { word: "The scheduler does not answer", says: "" },
  jobs: { word: "Jobs run on it", says: "" },
  reservation: { word: "Others have reserved it", says: "" },
  logins: { word: "People are logged in", says: "" },
  not_drained: { word: "It is not drained", says: "" },
  foreign_drain: { word: "Its drain is not ours", says: "" },
  unreachable: { word: "It cannot be reached", says: "" },
  lease: { word: "Leased by another worker", says: "" },
} as const satisfies Words<Schemas["Guard"]>;

export const HeightKind = {
  machine: { word: "Machine", says: "" },
  switch: { word: "Switch", says: "" },
  other: { word: "Device", says: "" },
  panel: { word: "Blanking panel", says: "" },
  open: { word: "Open", says: "" },
} as const satisfies Words<Schemas["HeightKind"]>;

export const HeightState = {
  bad: { word: "Hot", says: "" },
  warn: { word: "Warm", says: "" },
  unknown: { word: "Not known", says: "" },
  ok: { word: "OK", says: "" },
} as const satisfies Words<Schemas["HeightState"]>;

export const IdentityResolution = {
  accepted: { word: "Trusted", says: "A person took the new identity as the right one." },
  overtaken: { word: "Overtaken", says: "The old identity was seen again, or another change came." },
} as const satisfies Words<Schemas["IdentityResolution"]>;

export const IdentitySource = {
  first_contact: { word: "First contact", says: "" },
  installed: { word: "Installed by a provisioning run", says: "" },
  accepted: { word: "Accepted by a person", says: "" },
} as const satisfies Words<Schemas["IdentitySource"]>;

export const ImageEngine = {
  docker: { word: "Docker", says: "" },
  containerd: { word: "containerd", says: "" },
  enroot: { word: "Enroot", says: "" },
} as const satisfies Words<Schemas["ImageEngine"]>;

export const ImportStatus = {
  queued: { word: "Queued", says: "Waits for a free worker." },
  running: { word: "Running", says: "" },
  done: { word: "Done", says: "" },
  refused: { word: "Refused", says: "Some rows cannot be written; nothing was." },
  failed: { word: "Failed", says: "It broke off; nothing was written." },
} as const satisfies Words<Schemas["ImportStatus"]>;

export const InboundMailStatus = {
  comment: { word: "Comment", says: "" },
  refused: { word: "Refused", says: "" },
} as const satisfies Words<Schemas["InboundMailStatus"]>;

export const InstallFailure = {
  no_bmc: { word: "BMC does not answer", says: "" },
  bmc_refuses: { word: "BMC refuses the password", says: "Somebody changed it, or it was never the one that is stored." },
  wrong_identity: { word: "Another machine answered", says: "" },
  bmc_setup_failed: { word: "BMC set-up failed", says: "Its password or a setting of its profile could not be set." },
  no_power: { word: "No power", says: "The BMC takes the order to switch on; the machine stays off." },
  no_post: { word: "Self-test hangs", says: "The power-on self-test does not end." },
  no_link: { word: "No link", says: "" },
  wrong_port: { word: "Wrong port cabled", says: "Another port than the boot port has a link." },
  no_pxe_request: { word: "No boot request", says: "" },
  dhcp_failed: { word: "DHCP failed", says: "It asked for an address and got none." },
  second_dhcp: { word: "Second DHCP server", says: "It got its address from a DHCP server that is not ours." },
  tftp_failed: { word: "TFTP failed", says: "It has its address and could not load its boot loader." },
  no_media: { word: "No virtual CD", says: "The BMC has none that takes an image, or never fetched ours." },
  media_unlicensed: { word: "No licence for virtual media", says: "The BMC can do it and is not licensed to." },
  media_in_use: { word: "Virtual CD in use", says: "It holds an image that somebody else inserted; nothing was taken out." },
  media_stuck: { word: "Boot medium not ejected", says: "It is installed; the BMC still shows the boot medium." },
  booted_elsewhere: { word: "Started something else", says: "It is on, and did not start from its boot medium: the old disk, for instance." },
  no_installer: { word: "Installer did not start", says: "It has its boot script and never fetched its install data." },
  install_disk: { word: "Install failed at the disks", says: "Partitioning or RAID." },
  install_network: { word: "Install failed at the network", says: "No address, no route or no name server." },
  install_package: { word: "Install failed at a package", says: "The mirror did not have it, or it does not install." },
  install_failed: { word: "Install failed", says: "" },
  no_phone_home: { word: "No phone-home", says: "It has its install data and never reported that it is installed." },
  no_ssh: { word: "SSH does not answer", says: "" },
  software_failed: { word: "Base software failed", says: "A role of base software could not be done." },
  gpu_tests_failed: { word: "GPU tests failed", says: "A GPU failed a test under load, or the test gave no result." },
  fabric_failed: { word: "InfiniBand failed", says: "A link is slow under load, or no machine was free to test it with." },
  part_missing: { word: "Part missing", says: "A GPU, network card, DIMM, processor or power supply is missing, or another one than the model has." },
  drive_failed: { word: "Drive missing or failing", says: "" },
  pcie_narrow: { word: "PCIe link too narrow", says: "Fewer lanes or a lower speed than the model has." },
  clock_wrong: { word: "Clock is wrong", says: "" },
  checks_failed: { word: "Checks failed", says: "" },
  no_engine: { word: "MAAS or Ironic does not answer", says: "" },
  record_lost: { word: "Record lost in MAAS or Ironic", says: "" },
  commission_failed: { word: "Commissioning failed", says: "" },
  inspection_failed: { word: "Inspection failed", says: "Ironic could not read its hardware." },
  cleaning_failed: { word: "Cleaning failed", says: "Ironic could not erase its disks." },
  wrong_hardware: { word: "Hardware differs", says: "" },
} as const satisfies Words<Schemas["InstallFailure"]>;

export const InstallFailureOwner = {
  hands: { word: "Hands", says: "A technician at the rack." },
  vendor: { word: "Vendor", says: "Who delivered the machine." },
  network: { word: "Network", says: "Who runs the networks." },
  operator: { word: "Operator", says: "Who runs this service: a setting, a password, an image." },
} as const satisfies Words<Schemas["InstallFailureOwner"]>;

export const IntakePlaceState = {
  unknown: { word: "Unknown machine", says: "A machine that nobody planned, or a planned place in which it stands." },
  exchanged: { word: "Exchanged", says: "Two machines stand in each other's place." },
  elsewhere: { word: "In another place", says: "The machine planned here was seen elsewhere." },
  differs: { word: "Differs", says: "Model, serial or an address is another than planned." },
  parts: { word: "Parts differ", says: "Parts were missing, or others than planned, when its BMC was read." },
  unread: { word: "Not read", says: "Its BMC answers, and did not let us in or gave nothing usable." },
  not_found: { word: "Not found", says: "Planned, and neither delivered nor found." },
  to_accept: { word: "To be accepted", says: "It is as planned, or fits the plan, and nobody accepted it yet." },
  confirmed: { word: "Confirmed", says: "Accepted, or past its first run." },
} as const satisfies Words<Schemas["IntakePlaceState"]>;

export const IntakeSource = {
  delivery: { word: "Delivery", says: "" },
  discovery: { word: "Discovery", says: "" },
} as const satisfies Words<Schemas["IntakeSource"]>;

export const IronicCleaning = {
  as_set: { word: "As Ironic is set", says: "Ironic and the node decide." },
  always: { word: "Always", says: "Before each installation and at each release." },
  never: { word: "Never", says: "Disks keep what is on them." },
  metadata: { word: "Partition tables by order", says: "Each run has Ironic erase the partition tables of its disks." },
  disks: { word: "Whole disks by order", says: "Each run has Ironic erase its disks, which may take hours." },
} as const satisfies Words<Schemas["IronicCleaning"]>;

export const IronicDeployInterface = {
  node: { word: "As each node says", says: "" },
  direct: { word: "Direct", says: "The agent writes the image to the disk." },
  ramdisk: { word: "Ramdisk", says: "The machine boots an ISO from its virtual media." },
} as const satisfies Words<Schemas["IronicDeployInterface"]>;

export const KernelLineState = {
  new: { word: "New", says: "Not triaged yet." },
  accepted: { word: "Accepted", says: "They say nothing of a fault until the day they were accepted for; then they are new again." },
  bad: { word: "Bad", says: "Machines that print one of these are evaluated by it." },
} as const satisfies Words<Schemas["KernelLineState"]>;

export const LabelSheet = {
  "avery-l4731": { word: "A4, 189 of 25.4 x 10 mm (Avery L4731)", says: "" },
  "avery-l7160": { word: "A4, 21 of 63.5 x 38.1 mm (Avery L7160)", says: "" },
  "avery-5160": { word: "Letter, 30 of 2 5/8 x 1 in (Avery 5160)", says: "" },
  "roll-62": { word: "Roll of 62 mm, 29 mm a label", says: "" },
} as const satisfies Words<Schemas["LabelSheet"]>;

export const LandmarkKind = {
  door: { word: "Door", says: "" },
  landmark: { word: "Landmark", says: "" },
} as const satisfies Words<Schemas["LandmarkKind"]>;

export const LaunchProgram = {
  "nccl-tests": { word: "nccl-tests", says: "all_reduce_perf" },
  torch: { word: "torch", says: "Rackside's own script, which needs Python with torch." },
} as const satisfies Words<Schemas["LaunchProgram"]>;

export const LaunchWayKind = {
  ssh: { word: "mpirun over SSH", says: "With a list of hosts, from the first machine." },
  mpi: { word: "mpirun with a hostfile", says: "From the first machine." },
  torchrun: { word: "torchrun", says: "On every machine, meeting at the first." },
  srun: { word: "Slurm job", says: "On exactly these machines, also in a container of pyxis." },
} as const satisfies Words<Schemas["LaunchWayKind"]>;

export const LeaseSourceKind = {
  dnsmasq: { word: "Lease file of dnsmasq", says: "" },
  kea_file: { word: "Lease file of Kea", says: "" },
  kea_api: { word: "Control API of Kea", says: "" },
} as const satisfies Words<Schemas["LeaseSourceKind"]>;

export const LinkMeasure = {
  ber: { word: "Bit error rate", says: "" },
  raw_ber: { word: "Bit error rate before correction", says: "" },
  symbol_errors: { word: "Symbol errors", says: "" },
  link_downed: { word: "Losses of the link", says: "" },
  link_recoveries: { word: "Recoveries of the link", says: "" },
  receive_errors: { word: "Receive errors", says: "" },
  integrity_errors: { word: "Integrity errors", says: "" },
  overruns: { word: "Overruns", says: "" },
  fec_uncorrected: { word: "Uncorrectable blocks", says: "" },
  optic_c: { word: "Temperature of the optic", says: "" },
  port_c: { word: "Temperature of the port", says: "" },
  reading: { word: "Reading", says: "" },
} as const satisfies Words<Schemas["LinkMeasure"]>;

export const LinkQuality = {
  bad: { word: "Bad", says: "Confirmed over several readings; it gets a ticket." },
  unknown: { word: "Unknown", says: "Not read, too old, or a counter stands at its top. Never counted as well." },
  watch: { word: "Watch", says: "Above what is usual, below what is bad." },
  ok: { word: "OK", says: "" },
} as const satisfies Words<Schemas["LinkQuality"]>;

export const LinkState = {
  correct: { word: "as planned", says: "" },
  wrong: { word: "wrong port", says: "" },
  missing: { word: "missing", says: "" },
  dark: { word: "dark", says: "" },
  off: { word: "device off", says: "" },
  slow: { word: "slow", says: "" },
  extra: { word: "not planned", says: "" },
  unknown: { word: "not known", says: "" },
} as const satisfies Words<Schemas["LinkState"]>;

export const LoadState = {
  over: { word: "Over", says: "More than it may be." },
  near: { word: "Near", says: "Close to its limit." },
  unknown: { word: "Not known", says: "A value or a limit is missing." },
  ok: { word: "OK", says: "" },
} as const satisfies Words<Schemas["LoadState"]>;

export const MaasErase = {
  none: { word: "Keep the disks", says: "" },
  quick: { word: "Quick", says: "The beginning and the end of each disk." },
  secure: { word: "Secure", says: "By the secure erase of each disk." },
  full: { word: "Full", says: "Every disk is written over." },
} as const satisfies Words<Schemas["MaasErase"]>;

export const MaasMarkBroken = {
  off: { word: "Dry run", says: "" },
  idle: { word: "Idle machines", says: "Machines in repair that are not allocated in MAAS." },
  all: { word: "All machines", says: "Machines in repair, also deployed ones: MAAS releases them." },
} as const satisfies Words<Schemas["MaasMarkBroken"]>;

export const MachineCell = {
  allocated: { word: "Allocated", says: "" },
  available: { word: "Available", says: "" },
  suspect: { word: "Suspect", says: "" },
  failed: { word: "Failed", says: "" },
  drained: { word: "Drained", says: "" },
  repair: { word: "In repair", says: "" },
  provisioning: { word: "Provisioning", says: "" },
  off: { word: "Off", says: "" },
  no_signal: { word: "No signal", says: "" },
} as const satisfies Words<Schemas["MachineCell"]>;

export const MachineImageState = {
  same: { word: "Has it", says: "" },
  another: { word: "Another image", says: "Under the same name lies another image than on most machines: the tag was moved, and this machine pulled it before or after." },
  missing: { word: "Missing", says: "" },
  unknown: { word: "Not known", says: "An engine of the machine does not tell its images." },
  not_read: { word: "Not read", says: "No sweep has read its images: it has not answered yet, or its device model names no container engine." },
} as const satisfies Words<Schemas["MachineImageState"]>;

export const MachineIncidentKind = {
  machine: { word: "One machine", says: "" },
  shared: { word: "Several machines", says: "" },
} as const satisfies Words<Schemas["MachineIncidentKind"]>;

export const MachineState = {
  new: { word: "New", says: "" },
  provisioning: { word: "Provisioning", says: "" },
  burn_in: { word: "Burn-in", says: "" },
  ready: { word: "Ready", says: "" },
  draining: { word: "Draining", says: "" },
  drained: { word: "Drained", says: "" },
  remediating: { word: "Remediating", says: "" },
  verifying: { word: "Verifying", says: "" },
  triage: { word: "Triage", says: "" },
  repair: { word: "In repair", says: "" },
  rma: { word: "RMA", says: "" },
  maintenance: { word: "Maintenance", says: "" },
  retired: { word: "Retired", says: "" },
} as const satisfies Words<Schemas["MachineState"]>;

export const MeasurementStatus = {
  queued: { word: "Queued", says: "Waits for a free worker." },
  first: { word: "Reading", says: "Read once; waits for the second reading." },
  done: { word: "Done", says: "" },
  failed: { word: "Failed", says: "It could not be read." },
} as const satisfies Words<Schemas["MeasurementStatus"]>;

export const MessageChannelKind = {
  email: { word: "Mail", says: "" },
  slack: { word: "Slack", says: "" },
  mattermost: { word: "Mattermost", says: "" },
  teams: { word: "Teams", says: "" },
  ntfy: { word: "ntfy", says: "" },
  webhook: { word: "Signed webhook", says: "" },
} as const satisfies Words<Schemas["MessageChannelKind"]>;

export const MessageDigest = {
  hourly: { word: "Every hour", says: "" },
  daily: { word: "Every day at 8", says: "" },
} as const satisfies Words<Schemas["MessageDigest"]>;

export const MessageEvent = {
  opened: { word: "Opened", says: "" },
  commented: { word: "Commented", says: "" },
  taken: { word: "Taken", says: "" },
  released: { word: "Released", says: "" },
  verifying: { word: "Being verified", says: "" },
  failed: { word: "Verification failed", says: "" },
  closed: { word: "Closed", says: "" },
  reopened: { word: "Reopened", says: "" },
} as const satisfies Words<Schemas["MessageEvent"]>;

export const MessageStatus = {
  held: { word: "Held", says: "It is summed up with others at its time." },
  waiting: { word: "Waiting", says: "It is tried again until it arrives or its tries are used up." },
  sent: { word: "Sent", says: "The receiver took it." },
  bundled: { word: "In a summary", says: "It was sent with others." },
  failed: { word: "Given up", says: "No try is left; it can be sent again." },
} as const satisfies Words<Schemas["MessageStatus"]>;

export const MeterKind = {
  snmp_pdu: { word: "Rack PDU, SNMP", says: "" },
  redfish_pdu: { word: "Rack PDU, Redfish", says: "" },
  snmp_sensors: { word: "Sensors, SNMP", says: "" },
  redfish_sensors: { word: "Sensors, Redfish", says: "" },
  redfish_cooling: { word: "Cooling unit, Redfish", says: "" },
  modbus: { word: "Meter, Modbus/TCP", says: "" },
  prometheus: { word: "Values of a Prometheus", says: "" },
  machine: { word: "Machine: BMC and GPU driver", says: "" },
  rack: { word: "Sums of a rack", says: "" },
  room: { word: "Sums of a room", says: "" },
  site: { word: "Sums of a site", says: "" },
} as const satisfies Words<Schemas["MeterKind"]>;

export const MeterState = {
  failed: { word: "Not read", says: "It did not answer, or what it said could not be read. Nothing is known of it since." },
  refused: { word: "Refused", says: "It does not take this login, or the login may not be sent there." },
  late: { word: "Late", says: "What it told last is too old to say what is now." },
  partial: { word: "Partly read", says: "Some of its values are not known; each says why." },
  never: { word: "Never read", says: "It is read within seconds. Read it now, or look whether it is switched off." },
  ok: { word: "OK", says: "" },
} as const satisfies Words<Schemas["MeterState"]>;

export const MetricKind = {
  step: { word: "Step", says: "How many steps are done: a counter. Without it no curve is made." },
  step_s: { word: "Seconds of a step", says: "Without it the counter's mean is taken." },
  loss: { word: "Loss", says: "NaN or infinite is a loss that is no number." },
  tokens: { word: "Tokens so far", says: "A counter, over all ranks." },
  clock_mhz: { word: "GPU clock", says: "MHz, a series a GPU." },
  power_w: { word: "GPU power", says: "Watts, a series a GPU." },
  temperature_c: { word: "GPU temperature", says: "°C, a series a GPU." },
  tensor_active: { word: "Tensor cores busy", says: "Percent of the time, a series a GPU." },
} as const satisfies Words<Schemas["MetricKind"]>;

export const MetricsSignIn = {
  bearer: { word: "Bearer token", says: "" },
  basic: { word: "Name and password", says: "" },
} as const satisfies Words<Schemas["MetricsSignIn"]>;

export const MetricsState = {
  never: { word: "Never read", says: "" },
  good: { word: "Read", says: "" },
  partly: { word: "Read in part", says: "Some of it was refused, or cut." },
  failed: { word: "Not read", says: "It does not answer, or refuses the sign-in." },
} as const satisfies Words<Schemas["MetricsState"]>;

export const MirrorKind = {
  apt: { word: "Package mirror (apt)", says: "" },
  pypi: { word: "PyPI mirror", says: "" },
  files: { word: "File server", says: "" },
  registry: { word: "Container registry", says: "" },
  cache: { word: "Pull-through cache", says: "" },
  peers: { word: "Peers", says: "A peer-to-peer distributor, such as Dragonfly, Kraken or Spegel." },
} as const satisfies Words<Schemas["MirrorKind"]>;

export const MirrorState = {
  unknown: { word: "Not known", says: "It was not asked yet, or answered neither well nor badly for long enough." },
  good: { word: "Answers", says: "" },
  slow: { word: "Slow", says: "It takes longer than 2 s to begin its answer." },
  failed: { word: "Does not answer", says: "It failed twice in a row." },
} as const satisfies Words<Schemas["MirrorState"]>;

export const NameState = {
  proposed: { word: "Proposed", says: "What the wiring says. Nothing is written before somebody approves." },
  approved: { word: "Approved", says: "On its way to the fabric." },
  written: { word: "Written", says: "The next discovery run confirms it." },
  confirmed: { word: "Confirmed", says: "The fabric reports the name." },
  rejected: { word: "Rejected", says: "Somebody said no." },
  failed: { word: "Failed", says: "It could not be written; approve again to try again." },
  gone: { word: "Gone", says: "The wiring no longer says so." },
} as const satisfies Words<Schemas["NameState"]>;

export const NetBoxRunStatus = {
  reading: { word: "Reading", says: "" },
  writing: { word: "Writing", says: "" },
  done: { word: "Done", says: "" },
  failed: { word: "Failed", says: "" },
} as const satisfies Words<Schemas["NetBoxRunStatus"]>;

export const PaceChange = {
  fault: { word: "Fault", says: "" },
  link: { word: "Link", says: "" },
  software: { word: "Software", says: "" },
  part: { word: "Part", says: "" },
  machine: { word: "Machine replaced", says: "" },
  run: { word: "Another run", says: "" },
} as const satisfies Words<Schemas["PaceChange"]>;

export const PaceReading = {
  clock_mhz: { word: "Clock", says: "" },
  power_w: { word: "Power", says: "" },
  temperature_c: { word: "Temperature", says: "" },
  tensor_active: { word: "Tensor cores", says: "" },
  symbol_errors: { word: "Symbol errors", says: "" },
  link_downs: { word: "Link downs", says: "" },
  check: { word: "Check", says: "" },
} as const satisfies Words<Schemas["PaceReading"]>;

export const PaceReference = {
  reported: { word: "the expected step time", says: "" },
  last_good_run: { word: "the last good run", says: "" },
  own: { word: "its own best pace", says: "" },
} as const satisfies Words<Schemas["PaceReference"]>;

export const PaceShape = {
  none: { word: "Ordinary", says: "" },
  "low-tenth": { word: "A tenth slower", says: "" },
  "low-third": { word: "A third slower", says: "" },
  "low-most": { word: "Mostly gone", says: "" },
  step: { word: "Step down", says: "" },
  oscillation: { word: "Drop and oscillation", says: "" },
  "saw-tooth": { word: "Saw teeth", says: "" },
  decline: { word: "Slow decline", says: "" },
  noise: { word: "Noise", says: "" },
  "random-dips": { word: "Irregular dips", says: "" },
  "regular-dips": { word: "Regular dips", says: "Checkpoints or evaluations: normal." },
} as const satisfies Words<Schemas["PaceShape"]>;

export const PairVerdict = {
  waiting: { word: "Waiting", says: "" },
  pass: { word: "Pass", says: "" },
  fail: { word: "Fail", says: "" },
  unknown: { word: "No result", says: "The tool gave none." },
} as const satisfies Words<Schemas["PairVerdict"]>;

export const PartCondition = {
  good: { word: "good", says: "" },
  suspect: { word: "suspect", says: "" },
  rma: { word: "sent back (RMA)", says: "" },
  scrapped: { word: "scrapped", says: "" },
} as const satisfies Words<Schemas["PartCondition"]>;

export const PartGrouping = {
  maker: { word: "Maker", says: "" },
  batch: { word: "Batch", says: "" },
  firmware: { word: "Firmware", says: "" },
} as const satisfies Words<Schemas["PartGrouping"]>;

export const PartKind = {
  gpu: { word: "GPU", says: "" },
  hca: { word: "HCA", says: "" },
  nvme: { word: "NVMe drive", says: "" },
  psu: { word: "Power supply", says: "" },
  dimm: { word: "DIMM", says: "" },
  cpu: { word: "CPU", says: "" },
  fan: { word: "Fan", says: "" },
  board: { word: "Board", says: "" },
  optic: { word: "Optic", says: "" },
  other: { word: "Other part", says: "" },
} as const satisfies Words<Schemas["PartKind"]>;

export const PlacementAction = {
  place: { word: "Place", says: "" },
  remove: { word: "Remove", says: "" },
} as const satisfies Words<Schemas["PlacementAction"]>;

export const PlanStep = {
  drain: { word: "Drain", says: "No new jobs; out of service when the running one ended." },
  remedy: { word: "Remedy", says: "An automatic remedy of the escalation ladder." },
  person: { word: "Ask a person", says: "Nothing automatic is left: the machine goes to triage, with a ticket." },
} as const satisfies Words<Schemas["PlanStep"]>;

export const PortActionKind = {
  isolate: { word: "Isolate: no traffic is routed over it", says: "" },
  disable: { word: "Disable: switched off at both ends", says: "" },
} as const satisfies Words<Schemas["PortActionKind"]>;

export const PortActionState = {
  proposed: { word: "Proposed", says: "Nothing is touched before somebody approves." },
  refused: { word: "Refused", says: "Somebody said no; the link stayed enabled." },
  dry_run: { word: "Only written down", says: "Approved, but the site's automation is not turned on." },
  approved: { word: "Approved", says: "About to be carried out." },
  held: { word: "Disabled", says: "Re-enable it when the repair is done." },
  unknown: { word: "Not known", says: "The source was asked and did not answer; it is asked again." },
  failed: { word: "Failed", says: "The source refused." },
  free: { word: "Re-enabled", says: "" },
} as const satisfies Words<Schemas["PortActionState"]>;

export const PortApproval = {
  person: { word: "A person approves", says: "" },
  policy: { word: "The policy approves within its budget", says: "" },
} as const satisfies Words<Schemas["PortApproval"]>;

export const PortKind = {
  infiniband: { word: "InfiniBand", says: "" },
  ethernet: { word: "Ethernet", says: "" },
  bmc: { word: "BMC", says: "" },
  power_in: { word: "Power inlet", says: "" },
  power_outlet: { word: "Power outlet", says: "" },
  front: { word: "Panel front", says: "" },
  rear: { word: "Panel rear", says: "" },
  console: { word: "Console", says: "" },
} as const satisfies Words<Schemas["PortKind"]>;

export const PowerMethod = {
  pdu: { word: "PDUs", says: "All of it is measured by its PDUs." },
  mixed: { word: "PDUs and BMCs", says: "What its PDUs do not tell is added from BMCs." },
  bmc: { word: "BMCs", says: "Its PDUs tell nothing; BMCs tell what machines draw." },
  none: { word: "Not measured", says: "Neither PDUs nor BMCs tell." },
} as const satisfies Words<Schemas["PowerMethod"]>;

export const PowerOutcome = {
  lost: { word: "Lose power", says: "" },
  trips: { word: "Breaker trips", says: "" },
  unknown: { word: "Not known", says: "" },
  degraded: { word: "Lose redundancy", says: "" },
  ok: { word: "Not affected", says: "" },
} as const satisfies Words<Schemas["PowerOutcome"]>;

export const PowerReading = {
  on: { word: "On", says: "" },
  off: { word: "Off", says: "" },
  unknown: { word: "Unknown", says: "" },
} as const satisfies Words<Schemas["PowerReading"]>;

export const ProposalState = {
  proposed: { word: "Proposed", says: "Nothing is done before somebody approves it." },
  approved: { word: "Approved", says: "Its steps are carried out, as far as the site allows." },
  dismissed: { word: "Dismissed", says: "" },
  over: { word: "Over", says: "What caused it is gone." },
} as const satisfies Words<Schemas["ProposalState"]>;

export const ProposedAction = {
  close_valve: { word: "Close a valve", says: "" },
  stop_new_jobs: { word: "No new jobs", says: "" },
  limit_power: { word: "Cap power", says: "" },
  shut_down: { word: "Shut down", says: "" },
  feed_off: { word: "Feed off", says: "" },
} as const satisfies Words<Schemas["ProposedAction"]>;

export const ProposedProgressState = {
  doing: { word: "In progress", says: "" },
  done: { word: "Done", says: "" },
  failed: { word: "Failed", says: "" },
  undone: { word: "Taken back", says: "" },
} as const satisfies Words<Schemas["ProposedProgressState"]>;

export const ProposedStepState = {
  proposed: { word: "Proposed", says: "" },
  "dry run": { word: "Dry run", says: "Written down only: the site has not switched acting on." },
  doing: { word: "In progress", says: "" },
  done: { word: "Done", says: "" },
  failed: { word: "Failed", says: "" },
  offered: { word: "Waits for you", says: "It begins when a person begins it." },
  "by hand": { word: "By hand", says: "Somebody has to do it; Rackside does not." },
  undoing: { word: "Being taken back", says: "" },
  undone: { word: "Taken back", says: "" },
} as const satisfies Words<Schemas["ProposedStepState"]>;

export const RackRole = {
  compute: { word: "Compute", says: "" },
  network: { word: "Network", says: "" },
  storage: { word: "Storage", says: "" },
} as const satisfies Words<Schemas["RackRole"]>;

export const Reachability = {
  reachable: { word: "Reachable", says: "Answered one of the last two sweeps." },
  late: { word: "Late", says: "Missed two sweeps." },
  unreachable: { word: "Unreachable", says: "Missed three sweeps or more: what is known of it is too old to be trusted." },
  never: { word: "Never reached", says: "Has not answered yet." },
} as const satisfies Words<Schemas["Reachability"]>;

export const Redundancy = {
  "2N": { word: "2N", says: "" },
  "N+1": { word: "N+1", says: "" },
  single: { word: "No redundancy", says: "" },
  unknown: { word: "Redundancy not known", says: "" },
} as const satisfies Words<Schemas["Redundancy"]>;

export const RemediationLevel = {
  0: { word: "A note", says: "" },
  1: { word: "Restart a service", says: "" },
  2: { word: "Reset the GPU", says: "" },
  3: { word: "Reboot", says: "" },
  4: { word: "Power-cycle", says: "" },
  5: { word: "Reimage", says: "" },
  6: { word: "A person at the machine", says: "" },
  7: { word: "Swap the part", says: "" },
  8: { word: "Retire", says: "" },
} as const satisfies Words<Schemas["RemediationLevel"]>;

export const RemedyName = {
  restart_service: { word: "Restart a service", says: "Stops one service of the machine and starts it again." },
  reset_gpu: { word: "Reset the GPU", says: "Resets a GPU over its driver; nothing may use it meanwhile." },
  reboot: { word: "Reboot", says: "Restarts the operating system; the machine is gone for some minutes." },
  power_cycle: { word: "Power cycle", says: "The BMC switches the machine off for two minutes and on again." },
  reimage: { word: "Reimage", says: "Installs the operating system again; what is on its disks is lost." },
} as const satisfies Words<Schemas["RemedyName"]>;

export const RepairGrouping = {
  fault: { word: "Fault", says: "" },
  part: { word: "Part", says: "" },
  vendor: { word: "Vendor", says: "" },
  rack: { word: "Rack", says: "" },
  shift: { word: "Shift", says: "" },
} as const satisfies Words<Schemas["RepairGrouping"]>;

export const ReportMailStatus = {
  waiting: { word: "On its way", says: "It is sent again until the mail server takes it." },
  sent: { word: "Sent", says: "The mail server took it." },
  failed: { word: "Not sent", says: "The mail server refused it for a day." },
  skipped: { word: "Not sent", says: "You have no address, or may not see the site any more." },
} as const satisfies Words<Schemas["ReportMailStatus"]>;

export const ReporterKind = {
  generic: { word: "Scripts and cron jobs", says: "" },
  nhc: { word: "Node Health Check (NHC)", says: "" },
  alertmanager: { word: "Prometheus Alertmanager", says: "" },
  agent: { word: "An agent on the machines", says: "" },
} as const satisfies Words<Schemas["ReporterKind"]>;

export const ReturnOutcome = {
  not_found: { word: "No fault found", says: "" },
  repaired: { word: "Repaired", says: "" },
  replaced: { word: "Replaced", says: "" },
  refused: { word: "Refused", says: "The vendor does not take it." },
} as const satisfies Words<Schemas["ReturnOutcome"]>;

export const RoleName = {
  viewer: { word: "Viewer", says: "" },
  technician: { word: "Technician", says: "" },
  operator: { word: "Operator", says: "" },
  admin: { word: "Admin", says: "" },
} as const satisfies Words<Schemas["RoleName"]>;

export const RoomBound = {
  units: { word: "Free units", says: "No free units are left." },
  rack: { word: "Rack", says: "" },
  pdu: { word: "PDU", says: "" },
  phase: { word: "Phase", says: "" },
  feed: { word: "Feed", says: "" },
  panel: { word: "Panel", says: "" },
  unknown: { word: "Not known", says: "A load or a size is missing." },
} as const satisfies Words<Schemas["RoomBound"]>;

export const RotaStatus = {
  never: { word: "Never read", says: "The calendar was not read yet." },
  ok: { word: "Read", says: "The copy is of the last read." },
  unreachable: { word: "Unreachable", says: "The calendar did not answer; the last good copy is in use." },
  unreadable: { word: "Unreadable", says: "What came is no calendar; the last good copy is in use." },
} as const satisfies Words<Schemas["RotaStatus"]>;

export const RunFoundBy = {
  report: { word: "Reported", says: "Its launcher reports it." },
  scheduler: { word: "Scheduler", says: "The scheduler lists its job." },
  processes: { word: "Processes", says: "A sweep saw its processes on GPUs." },
} as const satisfies Words<Schemas["RunFoundBy"]>;

export const RunStatus = {
  waiting: { word: "Waiting", says: "For machines, or for its turn." },
  running: { word: "Running", says: "It is in progress." },
  done: { word: "Done", says: "All of it has ended." },
  failed: { word: "Failed", says: "It could not be carried through." },
  cancelled: { word: "Cancelled", says: "Somebody stopped it; what ended is kept." },
} as const satisfies Words<Schemas["RunStatus"]>;

export const RunStepsFrom = {
  report: { word: "Reported", says: "By its launcher." },
  prometheus: { word: "Prometheus", says: "Read from the site's Prometheus, as nobody reports them." },
} as const satisfies Words<Schemas["RunStepsFrom"]>;

export const RunSubject = {
  speed: { word: "Speed", says: "" },
  size: { word: "Size", says: "" },
  machines: { word: "Machines", says: "" },
  software: { word: "Software", says: "" },
  links: { word: "Links", says: "" },
  faults: { word: "Faults", says: "" },
  settings: { word: "Settings", says: "" },
} as const satisfies Words<Schemas["RunSubject"]>;

export const SchedulerChangeKind = {
  drained: { word: "Drained", says: "" },
  resumed: { word: "Resumed", says: "" },
  down: { word: "Down", says: "" },
  up: { word: "Up again", says: "" },
} as const satisfies Words<Schemas["SchedulerChangeKind"]>;

export const SchedulerKind = {
  slurm: { word: "Slurm", says: "" },
  kubernetes: { word: "Kubernetes", says: "" },
  none: { word: "No scheduler", says: "Nothing is read or sent." },
} as const satisfies Words<Schemas["SchedulerKind"]>;

export const SchedulerState = {
  never: { word: "Not read yet", says: "What runs on machines is unknown." },
  good: { word: "Read", says: "It answers." },
  stale: { word: "Stale", says: "It has not answered for a while; what runs on machines is unknown." },
  failed: { word: "Does not answer", says: "What runs on machines is unknown, so nothing intrusive is done." },
} as const satisfies Words<Schemas["SchedulerState"]>;

export const SchedulerView = {
  idle: { word: "Idle", says: "" },
  allocated: { word: "Allocated", says: "" },
  drained: { word: "Drained", says: "" },
  down: { word: "Down", says: "" },
  unknown: { word: "Unknown", says: "" },
} as const satisfies Words<Schemas["SchedulerView"]>;

export const Severity = {
  critical: { word: "Critical", says: "Danger, or no work is possible." },
  major: { word: "Major", says: "Work suffers." },
  minor: { word: "Minor", says: "Somebody should check it." },
  note: { word: "Note", says: "Only reported." },
} as const satisfies Words<Schemas["Severity"]>;

export const ShardStatus = {
  waiting: { word: "Waiting", says: "For a free worker." },
  running: { word: "Running", says: "Its machines are being checked." },
  done: { word: "Done", says: "All of its machines were checked or gave no answer." },
  failed: { word: "Failed", says: "Given up: none of its attempts came to an end." },
} as const satisfies Words<Schemas["ShardStatus"]>;

export const SourceKind = {
  ibdiags: { word: "InfiniBand tools over SSH", says: "" },
  ufm: { word: "UFM", says: "" },
  lldp: { word: "LLDP of the machines", says: "" },
  eapi: { word: "Arista eAPI", says: "" },
  nvue: { word: "NVUE", says: "" },
  file: { word: "Files sent by hand", says: "" },
} as const satisfies Words<Schemas["SourceKind"]>;

export const SourceState = {
  never: { word: "Never discovered", says: "Nothing is known yet. Discover now, or wait for its next turn." },
  ok: { word: "OK", says: "The last discovery run was complete." },
  stale: { word: "Stale", says: "The last good discovery run is too old to be trusted. What you see may have changed." },
  empty: { word: "Empty", says: "The answer held nothing at all: no data, not a fabric without cables. Is the subnet manager running, and is it the right port?" },
  truncated: { word: "Truncated", says: "The answer broke off. Only what was read before is kept; nothing was opened or closed." },
  partial: { word: "Partial", says: "A part is known to be missing, or two ends disagree. Nothing was opened or closed from it." },
  failed: { word: "Failed", says: "The source did not answer, or what it said could not be read." },
  untrusted: { word: "Not trusted", says: "It presents another certificate or host key than the one that was pinned. No password was sent. Was it replaced? Then empty its identity; if not, somebody may be in between." },
  held_back: { word: "Rejected by the guard", says: "Too much vanished at once for the guard. No finding was opened; check the source first." },
} as const satisfies Words<Schemas["SourceState"]>;

export const SpareDistance = {
  leaf: { word: "Same leaf", says: "Most of its rails end at the same leaves: no switch more is crossed." },
  pod: { word: "Same pod", says: "Its leaves share a spine with those of the other one." },
  anywhere: { word: "Elsewhere", says: "Its traffic crosses the core, or nothing is known of the spines." },
} as const satisfies Words<Schemas["SpareDistance"]>;

export const Stage = {
  delivered: { word: "Delivered", says: "Not in a rack yet." },
  racked: { word: "Racked", says: "In its rack; its BMC did not answer yet." },
  bmc_reached: { word: "BMC reached", says: "Its BMC answered; who it is was not compared yet." },
  identified: { word: "Identified", says: "The BMC is that of the machine." },
  bmc_set_up: { word: "BMC set up", says: "It has a password of its own and the settings of its model's profile." },
  commissioned: { word: "Commissioned", says: "MAAS or Ironic read its hardware, and it is what the inventory has." },
  installed: { word: "Installed", says: "The installed system phoned home, or the adopted one answered by SSH." },
  base_software: { word: "Base software", says: "The roles that its run was given are done." },
  gpu_tested: { word: "GPUs tested", says: "Its GPUs passed the tests of its run." },
  fabric_tested: { word: "Fabric tested", says: "Its InfiniBand links passed under load, each beside a machine known to be good." },
  validated: { word: "Validated", says: "Every check passed." },
  in_service: { word: "In service", says: "It was taken into service; what breaks from now on is a repair." },
} as const satisfies Words<Schemas["Stage"]>;

export const StageMark = {
  waiting: { word: "Waits", says: "Nobody works on it: no run has it." },
  running: { word: "In a run", says: "" },
  late: { word: "Past its limit", says: "It stands at its stage longer than that should take." },
  failed: { word: "Failed", says: "" },
  done: { word: "In service", says: "" },
} as const satisfies Words<Schemas["StageMark"]>;

export const StartLimitKind = {
  all_runs: { word: "All runs", says: "Machines under way in all runs of the instance." },
  run: { word: "Run", says: "Machines of one run at once." },
  rack: { word: "Rack", says: "Machines of one rack at once: it is not switched on as a whole." },
  switch: { word: "Switch", says: "Machines at once behind the switch of the boot port, or else of the BMC." },
  mirror: { word: "Boot server", says: "Machines at once that fetch kernel, image and packages, until they phone home." },
} as const satisfies Words<Schemas["StartLimitKind"]>;

export const SweepKind = {
  scheduled: { word: "By the clock", says: "" },
  confirm: { word: "Second check", says: "" },
  verification: { word: "Verification", says: "" },
  manual: { word: "On request", says: "" },
} as const satisfies Words<Schemas["SweepKind"]>;

export const SweepStatus = {
  running: { word: "Running", says: "Machines are being checked." },
  finished: { word: "Finished", says: "Every share of the machines was checked." },
  late: { word: "Cut off", says: "It was closed before every share was done; the next sweep replaced it." },
} as const satisfies Words<Schemas["SweepStatus"]>;

export const TaskOutcome = {
  ok: { word: "As wanted", says: "Nothing had to be changed." },
  changed: { word: "Changed", says: "" },
  failed: { word: "Failed", says: "" },
  unreachable: { word: "Unreachable", says: "" },
  skipped: { word: "Skipped", says: "It has nothing to do there." },
} as const satisfies Words<Schemas["TaskOutcome"]>;

export const TestVerdict = {
  pass: { word: "Passed", says: "" },
  fail: { word: "Failed", says: "" },
  unknown: { word: "No result", says: "" },
} as const satisfies Words<Schemas["TestVerdict"]>;

export const TicketQueue = {
  hands: { word: "Hands on site", says: "A technician at the rack." },
  vendor: { word: "Vendor", says: "Who delivered the machine, or repairs it under warranty." },
  network: { word: "Network", says: "Switches, fabric, DHCP and the networks of the site." },
  own: { word: "Own team", says: "Whoever runs the service: software, settings, passwords." },
} as const satisfies Words<Schemas["TicketQueue"]>;

export const TicketStatus = {
  open: { word: "Open", says: "" },
  in_work: { word: "In progress", says: "" },
  verifying: { word: "Verifying", says: "" },
  closed: { word: "Closed", says: "" },
} as const satisfies Words<Schemas["TicketStatus"]>;

export const TicketSystemKind = {
  jira: { word: "Jira", says: "" },
  servicenow: { word: "ServiceNow", says: "" },
} as const satisfies Words<Schemas["TicketSystemKind"]>;

export const TimelineLane = {
  verdicts: { word: "Verdicts", says: "" },
  states: { word: "States", says: "" },
  actions: { word: "Actions", says: "" },
  tickets: { word: "Tickets", says: "" },
  firmware: { word: "Parts and firmware", says: "" },
  jobs: { word: "Jobs", says: "" },
} as const satisfies Words<Schemas["TimelineLane"]>;

export const TrainingRunState = {
  failed: { word: "Failed", says: "A rank ended with an error." },
  hung: { word: "Hung", says: "Its processes report, and no step ends." },
  slow: { word: "Slow", says: "Its steps take more than 5 % longer than at its own best pace." },
  unknown: { word: "Not reporting", says: "Nobody reported of it for three minutes, or saw it for half an hour: nothing is known." },
  starting: { word: "Starting", says: "No step has ended yet." },
  running: { word: "Running", says: "" },
  completed: { word: "Completed", says: "" },
  ended: { word: "Ended from outside", says: "The scheduler or a person ended it, its processes are gone, or it stopped reporting a day ago." },
} as const satisfies Words<Schemas["TrainingRunState"]>;

export const VendorCaseEvent = {
  send: { word: "Send", says: "" },
  accept: { word: "Accepted", says: "" },
  ship: { word: "Part shipped", says: "" },
  arrive: { word: "Part arrived", says: "" },
  return: { word: "Part returned", says: "" },
  deny: { word: "Denied", says: "" },
  ask_again: { word: "Ask again", says: "" },
  close: { word: "Close", says: "" },
} as const satisfies Words<Schemas["VendorCaseEvent"]>;

export const VendorCaseState = {
  draft: { word: "Draft", says: "It was not sent yet." },
  sent: { word: "Sent", says: "The vendor has not answered." },
  accepted: { word: "Accepted", says: "The vendor sends a part or a technician." },
  shipped: { word: "Part shipped", says: "A part is on its way." },
  arrived: { word: "Part arrived", says: "The failed part is to go back." },
  returned: { word: "Returned", says: "The failed part is on its way back." },
  denied: { word: "Denied", says: "The vendor refuses it: ask again, or close it." },
  closed: { word: "Closed", says: "" },
} as const satisfies Words<Schemas["VendorCaseState"]>;

export const VendorChannel = {
  hand: { word: "By hand", says: "A person copies it into the vendor's portal." },
  mail: { word: "Mail", says: "" },
  http: { word: "Signed POST", says: "To a system of the vendor or of the site." },
  techdirect: { word: "Dell TechDirect", says: "Self-dispatch of parts." },
} as const satisfies Words<Schemas["VendorChannel"]>;

export const VendorMessageKind = {
  open: { word: "Case", says: "" },
  ask_again: { word: "Asked again", says: "" },
  status: { word: "Status", says: "How far it is, asked every quarter of an hour." },
} as const satisfies Words<Schemas["VendorMessageKind"]>;

export const VendorMessageStatus = {
  waiting: { word: "Waiting", says: "" },
  sent: { word: "Sent", says: "" },
  failed: { word: "Not sent", says: "" },
} as const satisfies Words<Schemas["VendorMessageStatus"]>;

export const VendorName = {
  dell: { word: "Dell", says: "" },
  nvidia: { word: "NVIDIA", says: "" },
  supermicro: { word: "Supermicro", says: "" },
  hpe: { word: "HPE", says: "" },
  lenovo: { word: "Lenovo", says: "" },
  generic: { word: "Another vendor", says: "" },
} as const satisfies Words<Schemas["VendorName"]>;

export const VendorReturnStatus = {
  open: { word: "Not sent", says: "Its list is made; the vendor does not have it yet." },
  sent: { word: "With the vendor", says: "" },
  closed: { word: "Closed", says: "Every machine on it has an outcome." },
} as const satisfies Words<Schemas["VendorReturnStatus"]>;

export const VerdictCode = {
  fail: { word: "Fail", says: "" },
  unknown: { word: "Unknown", says: "" },
  warn: { word: "Warning", says: "" },
  info: { word: "Info", says: "" },
  ok: { word: "OK", says: "" },
} as const satisfies Words<Schemas["VerdictCode"]>;

export const WatchedKind = {
  sweeps: { word: "Sweeps", says: "" },
  beat: { word: "The clock of periodic work", says: "" },
  workers: { word: "Workers", says: "" },
  feed: { word: "Live feed", says: "" },
  source: { word: "Reporter", says: "" },
  scheduler: { word: "Scheduler", says: "" },
  device_model: { word: "Device model", says: "" },
  disk: { word: "Disk", says: "" },
  crashing: { word: "Crashing", says: "" },
} as const satisfies Words<Schemas["WatchedKind"]>;

export const WatchedSign = {
  ok: { word: "Alive", says: "The last sign came in time." },
  late: { word: "Late", says: "The next sign is overdue." },
  never: { word: "Never seen", says: "There was no heartbeat yet, and there should have been." },
  unknown: { word: "Unknown", says: "What would report it is down itself." },
  broken: { word: "Broken", says: "It cannot be used as it is stored." },
} as const satisfies Words<Schemas["WatchedSign"]>;

export const WaveMachineStatus = {
  waiting: { word: "Waits", says: "" },
  running: { word: "Running", says: "" },
  ok: { word: "Done", says: "" },
  failed: { word: "Failed", says: "" },
  unreachable: { word: "Unreachable", says: "" },
  refused: { word: "Refused", says: "It may not be touched now; nothing was done there." },
  cancelled: { word: "Cancelled", says: "Not begun, or not gone on with." },
} as const satisfies Words<Schemas["WaveMachineStatus"]>;

export const WaveRunStatus = {
  waiting: { word: "Waits", says: "" },
  running: { word: "Running", says: "" },
  done: { word: "Done", says: "" },
  failed: { word: "Machines failed", says: "It went over all machines, and some failed." },
  stopped: { word: "Stopped", says: "Too many machines failed: no other was begun." },
  cancelled: { word: "Cancelled", says: "" },
} as const satisfies Words<Schemas["WaveRunStatus"]>;

export const WhatIfQuestion = {
  feed_off: { word: "One feed off now", says: "" },
  more_machines: { word: "More machines in a rack", says: "" },
  inlet: { word: "Warmer air", says: "" },
  full_load: { word: "All GPUs at full load", says: "" },
} as const satisfies Words<Schemas["WhatIfQuestion"]>;
