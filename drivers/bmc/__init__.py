"""What is set up at a BMC over Redfish: its account, settings of BIOS and BMC, firmware."""
