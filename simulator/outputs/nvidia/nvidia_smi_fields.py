"""The fields of one GPU in `nvidia-smi -q`, text and XML, as driver 535 prints them for an H100 SXM.

One line per field: `label | element | value`; a line without a value opens a section. The label's indent is the one
of the text form. A label of `-` stands only in the XML, an element of `-` only in the text.
Sources: labels and values from a recorded `nvidia-smi -q` of 8 x H100, driver 535.161.08 (project gpud, Apache-2.0);
element names from a recorded `nvidia-smi -q -x`, driver 535 (project telegraf, MIT), and NVIDIA's nvsmi_device_v12.dtd.
"""

GPU_FIELDS = """\
    Product Name | product_name | {product_name}
    Product Brand | product_brand | NVIDIA
    Product Architecture | product_architecture | Hopper
    Display Mode | display_mode | Enabled
    Display Active | display_active | Disabled
    Persistence Mode | persistence_mode | Enabled
    Addressing Mode | addressing_mode | None
    MIG Mode | mig_mode
        Current | current_mig | Disabled
        Pending | pending_mig | Disabled
    - | mig_devices | None
    Accounting Mode | accounting_mode | Disabled
    Accounting Mode Buffer Size | accounting_mode_buffer_size | 4000
    Driver Model | driver_model
        Current | current_dm | N/A
        Pending | pending_dm | N/A
    Serial Number | serial | {serial}
    GPU UUID | uuid | {uuid}
    Minor Number | minor_number | {index}
    VBIOS Version | vbios_version | {vbios}
    MultiGPU Board | multigpu_board | No
    Board ID | board_id | 0x{bus_lower}00
    Board Part Number | board_part_number | {part_number}
    GPU Part Number | gpu_part_number | 2330-885-A1
    FRU Part Number | gpu_fru_part_number | N/A
    Module ID | gpu_module_id | {module}
    Inforom Version | inforom_version
        Image Version | img_version | G520.0200.00.05
        OEM Object | oem_object | 2.1
        ECC Object | ecc_object | 7.16
        Power Management Object | pwr_object | N/A
    Inforom BBX Object Flush | inforom_bbx_flush
        Latest Timestamp | latest_timestamp | {bbx_timestamp}
        Latest Duration | latest_duration | {bbx_duration_us} us
    GPU Operation Mode | gpu_operation_mode
        Current | current_gom | N/A
        Pending | pending_gom | N/A
    GSP Firmware Version | gsp_firmware_version | {driver}
    GPU Virtualization Mode | gpu_virtualization_mode
        Virtualization Mode | virtualization_mode | None
        Host VGPU Mode | host_vgpu_mode | N/A
    GPU Reset Status | gpu_reset_status
        Reset Required | reset_required | {reset_required}
        Drain and Reset Recommended | drain_and_reset_recommended | {drain_recommended}
    IBMNPU | ibmnpu
        Relaxed Ordering Mode | relaxed_ordering_mode | N/A
    PCI | pci
        Bus | pci_bus | {bus}
        Device | pci_device | 00
        Domain | pci_domain | 0000
        Device Id | pci_device_id | 233010DE
        Bus Id | pci_bus_id | {bus_id}
        Sub System Id | pci_sub_system_id | 16C110DE
        GPU Link Info | pci_gpu_link_info
            PCIe Generation | pcie_gen
                Max | max_link_gen | {pcie_gen}
                Current | current_link_gen | {pcie_gen}
                Device Current | device_current_link_gen | {pcie_gen}
                Device Max | max_device_link_gen | {pcie_gen}
                Host Max | max_host_link_gen | {pcie_gen}
            Link Width | link_widths
                Max | max_link_width | {pcie_width}x
                Current | current_link_width | {pcie_width}x
        Bridge Chip | pci_bridge_chip
            Type | bridge_chip_type | N/A
            Firmware | bridge_chip_fw | N/A
        Replays Since Reset | replay_counter | 0
        Replay Number Rollovers | replay_rollover_counter | 0
        Tx Throughput | tx_util | {tx_kbytes_s} KB/s
        Rx Throughput | rx_util | {rx_kbytes_s} KB/s
        Atomic Caps Inbound | atomic_caps_inbound | N/A
        Atomic Caps Outbound | atomic_caps_outbound | FETCHADD_32 FETCHADD_64 SWAP_32 SWAP_64 CAS_32 CAS_64
    Fan Speed | fan_speed | N/A
    Performance State | performance_state | P0
    Clocks Event Reasons | clocks_event_reasons
        Idle | clocks_event_reason_gpu_idle | {idle}
        Applications Clocks Setting | clocks_event_reason_applications_clocks_setting | Not Active
        SW Power Cap | clocks_event_reason_sw_power_cap | {capped}
        HW Slowdown | clocks_event_reason_hw_slowdown | {slowed}
            HW Thermal Slowdown | clocks_event_reason_hw_thermal_slowdown | {thermal}
            HW Power Brake Slowdown | clocks_event_reason_hw_power_brake_slowdown | {braked}
        Sync Boost | clocks_event_reason_sync_boost | Not Active
        SW Thermal Slowdown | clocks_event_reason_sw_thermal_slowdown | {warm}
        Display Clock Setting | clocks_event_reason_display_clocks_setting | Not Active
    Sparse Operation Mode | sparse_operation_mode | Disabled
    FB Memory Usage | fb_memory_usage
        Total | total | {memory_mib} MiB
        Reserved | reserved | 551 MiB
        Used | used | {memory_used_mib} MiB
        Free | free | {memory_free_mib} MiB
    BAR1 Memory Usage | bar1_memory_usage
        Total | total | 131072 MiB
        Used | used | 1 MiB
        Free | free | 131071 MiB
    Conf Compute Protected Memory Usage | cc_protected_memory_usage
        Total | total | 0 MiB
        Used | used | 0 MiB
        Free | free | 0 MiB
    Compute Mode | compute_mode | Default
    Utilization | utilization
        Gpu | gpu_util | {busy_percent} %
        Memory | memory_util | 0 %
        Encoder | encoder_util | 0 %
        Decoder | decoder_util | 0 %
        JPEG | jpeg_util | 0 %
        OFA | ofa_util | 0 %
    Encoder Stats | encoder_stats
        Active Sessions | session_count | 0
        Average FPS | average_fps | 0
        Average Latency | average_latency | 0
    FBC Stats | fbc_stats
        Active Sessions | session_count | 0
        Average FPS | average_fps | 0
        Average Latency | average_latency | 0
    ECC Mode | ecc_mode
        Current | current_ecc | Enabled
        Pending | pending_ecc | Enabled
    ECC Errors | ecc_errors
        Volatile | volatile
            SRAM Correctable | sram_correctable | 0
            SRAM Uncorrectable Parity | sram_uncorrectable_parity | 0
            SRAM Uncorrectable SEC-DED | sram_uncorrectable_secded | 0
            DRAM Correctable | dram_correctable | 0
            DRAM Uncorrectable | dram_uncorrectable | {volatile}
        Aggregate | aggregate
            SRAM Correctable | sram_correctable | 0
            SRAM Uncorrectable Parity | sram_uncorrectable_parity | 0
            SRAM Uncorrectable SEC-DED | sram_uncorrectable_secded | 0
            DRAM Correctable | dram_correctable | 0
            DRAM Uncorrectable | dram_uncorrectable | {aggregate}
            SRAM Threshold Exceeded | sram_threshold_exceeded | No
        Aggregate Uncorrectable SRAM Sources | aggregate_uncorrectable_sram_sources
            SRAM L2 | sram_l2 | 0
            SRAM SM | sram_sm | 0
            SRAM Microcontroller | sram_microcontroller | 0
            SRAM PCIE | sram_pcie | 0
            SRAM Other | sram_other | 0
    Retired Pages | retired_pages
        - | multiple_single_bit_retirement
            Single Bit ECC | retired_count | N/A
            - | retired_pagelist | N/A
        - | double_bit_retirement
            Double Bit ECC | retired_count | N/A
            - | retired_pagelist | N/A
        Pending Page Blacklist | pending_blacklist | N/A
        - | pending_retirement | N/A
    Remapped Rows | remapped_rows
        Correctable Error | remapped_row_corr | 0
        Uncorrectable Error | remapped_row_unc | {remapped}
        Pending | remapped_row_pending | {remap_pending}
        Remapping Failure Occurred | remapped_row_failure | {remap_failed}
        Bank Remap Availability Histogram | row_remapper_histogram
            Max | row_remapper_histogram_max | {banks_max} bank(s)
            High | row_remapper_histogram_high | {banks_high} bank(s)
            Partial | row_remapper_histogram_partial | 0 bank(s)
            Low | row_remapper_histogram_low | 0 bank(s)
            None | row_remapper_histogram_none | {banks_none} bank(s)
    Temperature | temperature
        GPU Current Temp | gpu_temp | {celsius} C
        GPU T.Limit Temp | gpu_temp_tlimit | {celsius_margin} C
        GPU Shutdown T.Limit Temp | gpu_temp_max_tlimit_threshold | -8 C
        GPU Slowdown T.Limit Temp | gpu_temp_slow_tlimit_threshold | -2 C
        GPU Max Operating T.Limit Temp | gpu_temp_max_gpu_tlimit_threshold | 0 C
        GPU Target Temperature | gpu_target_temperature | N/A
        Memory Current Temp | memory_temp | {memory_celsius} C
        Memory Max Operating T.Limit Temp | gpu_temp_max_mem_tlimit_threshold | 0 C
    - | supported_gpu_target_temp
        - | gpu_target_temp_min | N/A
        - | gpu_target_temp_max | N/A
    GPU Power Readings | gpu_power_readings
        - | power_state | P0
        Power Draw | power_draw | {power_w} W
        Current Power Limit | current_power_limit | {limit_w:.2f} W
        Requested Power Limit | requested_power_limit | {limit_w:.2f} W
        Default Power Limit | default_power_limit | 700.00 W
        Min Power Limit | min_power_limit | 200.00 W
        Max Power Limit | max_power_limit | 700.00 W
    Module Power Readings | module_power_readings
        - | power_state | P0
        Power Draw | power_draw | N/A
        Current Power Limit | current_power_limit | N/A
        Requested Power Limit | requested_power_limit | N/A
        Default Power Limit | default_power_limit | N/A
        Min Power Limit | min_power_limit | N/A
        Max Power Limit | max_power_limit | N/A
    Clocks | clocks
        Graphics | graphics_clock | {clock_mhz} MHz
        SM | sm_clock | {clock_mhz} MHz
        Memory | mem_clock | 2619 MHz
        Video | video_clock | 765 MHz
    Applications Clocks | applications_clocks
        Graphics | graphics_clock | 1980 MHz
        Memory | mem_clock | 2619 MHz
    Default Applications Clocks | default_applications_clocks
        Graphics | graphics_clock | 1980 MHz
        Memory | mem_clock | 2619 MHz
    Deferred Clocks | deferred_clocks
        Memory | mem_clock | N/A
    Max Clocks | max_clocks
        Graphics | graphics_clock | 1980 MHz
        SM | sm_clock | 1980 MHz
        Memory | mem_clock | 2619 MHz
        Video | video_clock | 1545 MHz
    Max Customer Boost Clocks | max_customer_boost_clocks
        Graphics | graphics_clock | 1980 MHz
    Clock Policy | clock_policy
        Auto Boost | auto_boost | N/A
        Auto Boost Default | auto_boost_default | N/A
    Voltage | voltage
        Graphics | graphics_volt | 670.000 mV
    Fabric | fabric
        State | state | Completed
        Status | status | Success
"""
