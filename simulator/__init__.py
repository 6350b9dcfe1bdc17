"""The virtual hall: machines that answer real SSH, BMCs that answer real Redfish, and faults to inject."""
