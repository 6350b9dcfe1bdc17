// Generated from the OpenAPI document by `npm run generate`. Do not edit.

export interface paths {
  "/api/aisles/": {
    get: operations["aisles_list"];
    post: operations["aisles_create"];
  };
  "/api/aisles/{id}/": {
    get: operations["aisles_retrieve"];
    put: operations["aisles_update"];
    delete: operations["aisles_destroy"];
    patch: operations["aisles_partial_update"];
  };
  "/api/annotations/": {
    get: operations["annotations_list"];
    post: operations["annotations_create"];
  };
  "/api/annotations/{id}/": {
    get: operations["annotations_retrieve"];
    put: operations["annotations_update"];
    delete: operations["annotations_destroy"];
    patch: operations["annotations_partial_update"];
  };
  "/api/attachments/": {
    get: operations["attachments_list"];
    post: operations["attachments_create"];
  };
  "/api/attachments/{id}/": {
    get: operations["attachments_retrieve"];
    delete: operations["attachments_destroy"];
    patch: operations["attachments_partial_update"];
  };
  "/api/attachments/{id}/content": {
    get: operations["attachments_content_retrieve"];
  };
  "/api/attachments/{id}/thumbnail": {
    get: operations["attachments_thumbnail_retrieve"];
  };
  "/api/cables/": {
    get: operations["cables_list"];
    post: operations["cables_create"];
  };
  "/api/cables/{id}/": {
    get: operations["cables_retrieve"];
    put: operations["cables_update"];
    delete: operations["cables_destroy"];
    patch: operations["cables_partial_update"];
  };
  "/api/change-sets/": {
    get: operations["change_sets_list"];
    post: operations["change_sets_create"];
  };
  "/api/change-sets/{id}/": {
    get: operations["change_sets_retrieve"];
    put: operations["change_sets_update"];
    delete: operations["change_sets_destroy"];
    patch: operations["change_sets_partial_update"];
  };
  "/api/checks/": {
    get: operations["checks_retrieve"];
  };
  "/api/comments/": {
    get: operations["comments_list"];
    post: operations["comments_create"];
  };
  "/api/comments/{id}/": {
    get: operations["comments_retrieve"];
    put: operations["comments_update"];
    delete: operations["comments_destroy"];
    patch: operations["comments_partial_update"];
  };
  "/api/components/": {
    get: operations["components_list"];
    post: operations["components_create"];
  };
  "/api/components/{id}/": {
    get: operations["components_retrieve"];
    put: operations["components_update"];
    delete: operations["components_destroy"];
    patch: operations["components_partial_update"];
  };
  "/api/components/{id}/condition/": {
    post: operations["components_condition_create"];
  };
  "/api/components/{id}/history/": {
    get: operations["components_history"];
  };
  "/api/components/{id}/install/": {
    post: operations["components_install_create"];
  };
  "/api/components/{id}/life/": {
    get: operations["components_life_retrieve"];
  };
  "/api/components/{id}/move/": {
    post: operations["components_move_create"];
  };
  "/api/components/{id}/remove/": {
    post: operations["components_remove_create"];
  };
  "/api/components/{id}/store/": {
    post: operations["components_store_create"];
  };
  "/api/contacts/": {
    get: operations["contacts_list"];
    post: operations["contacts_create"];
  };
  "/api/contacts/{id}/": {
    get: operations["contacts_retrieve"];
    put: operations["contacts_update"];
    delete: operations["contacts_destroy"];
    patch: operations["contacts_partial_update"];
  };
  "/api/custom-fields/": {
    get: operations["custom_fields_list"];
    post: operations["custom_fields_create"];
  };
  "/api/custom-fields/{id}/": {
    get: operations["custom_fields_retrieve"];
    put: operations["custom_fields_update"];
    delete: operations["custom_fields_destroy"];
    patch: operations["custom_fields_partial_update"];
  };
  "/api/desk-policies/": {
    get: operations["desk_policies_list"];
  };
  "/api/desk-policies/{id}/": {
    get: operations["desk_policies_retrieve"];
    patch: operations["desk_policies_partial_update"];
  };
  "/api/device-models/": {
    get: operations["device_models_list"];
    post: operations["device_models_create"];
  };
  "/api/device-models/{id}/": {
    get: operations["device_models_retrieve"];
    put: operations["device_models_update"];
    delete: operations["device_models_destroy"];
    patch: operations["device_models_partial_update"];
  };
  "/api/device-models/{slug}/power/": {
    get: operations["device_models_power_retrieve"];
  };
  "/api/devices/": {
    get: operations["devices_list"];
    post: operations["devices_create"];
  };
  "/api/devices/{id}/": {
    get: operations["devices_retrieve"];
    put: operations["devices_update"];
    delete: operations["devices_destroy"];
    patch: operations["devices_partial_update"];
  };
  "/api/devices/{id}/cables/": {
    get: operations["devices_cables"];
  };
  "/api/devices/{id}/components/": {
    get: operations["devices_components"];
  };
  "/api/devices/{id}/face/": {
    get: operations["devices_face"];
  };
  "/api/devices/{id}/place/": {
    get: operations["devices_place"];
  };
  "/api/devices/{id}/power/": {
    get: operations["devices_power_retrieve"];
  };
  "/api/endpoints/": {
    get: operations["endpoints_list"];
    post: operations["endpoints_create"];
  };
  "/api/endpoints/{id}/": {
    get: operations["endpoints_retrieve"];
    put: operations["endpoints_update"];
    delete: operations["endpoints_destroy"];
    patch: operations["endpoints_partial_update"];
  };
  "/api/escalation-policies/": {
    get: operations["escalation_policies_list"];
    post: operations["escalation_policies_create"];
  };
  "/api/escalation-policies/{id}/": {
    get: operations["escalation_policies_retrieve"];
    delete: operations["escalation_policies_destroy"];
    patch: operations["escalation_policies_partial_update"];
  };
  "/api/events/stream/": {
    get: operations["events_stream_retrieve"];
  };
  "/api/export/{kind}.{file_format}": {
    get: operations["export"];
  };
  "/api/export/ansible/": {
    get: operations["export_ansible_retrieve"];
  };
  "/api/export/cable-list.csv": {
    get: operations["export_cable_list.csv_retrieve"];
  };
  "/api/export/cable-list.xlsx": {
    get: operations["export_cable_list.xlsx_retrieve"];
  };
  "/api/export/node-name-map/": {
    get: operations["export_node_name_map_retrieve"];
  };
  "/api/export/prometheus-sd/": {
    get: operations["export_prometheus_sd_list"];
  };
  "/api/export/site.zip": {
    get: operations["export_site"];
  };
  "/api/external-items/": {
    get: operations["external_items_list"];
  };
  "/api/external-links/": {
    get: operations["external_links_list"];
  };
  "/api/fabric/at/": {
    get: operations["fabric_at"];
  };
  "/api/fabric/burn-ins/": {
    get: operations["fabric_burn_ins_list"];
    post: operations["fabric_burn_ins_create"];
  };
  "/api/fabric/burn-ins/{id}/": {
    get: operations["fabric_burn_ins_retrieve"];
  };
  "/api/fabric/burn-ins/{id}/pairs/": {
    get: operations["fabric_burn_ins_pairs_list"];
  };
  "/api/fabric/burn-ins/{id}/start/": {
    post: operations["fabric_burn_ins_start_create"];
  };
  "/api/fabric/burn-ins/{id}/stop/": {
    post: operations["fabric_burn_ins_stop_create"];
  };
  "/api/fabric/captures/": {
    get: operations["fabric_captures_list"];
  };
  "/api/fabric/captures/{id}/": {
    get: operations["fabric_captures_retrieve"];
  };
  "/api/fabric/captures/{id}/parts/{part}/": {
    get: operations["fabric_captures_parts_retrieve"];
  };
  "/api/fabric/changes/": {
    get: operations["fabric_changes"];
  };
  "/api/fabric/discoveries/": {
    get: operations["fabric_discoveries_list"];
  };
  "/api/fabric/discoveries/{id}/": {
    get: operations["fabric_discoveries_retrieve"];
  };
  "/api/fabric/discoveries/{id}/accept-anyway/": {
    post: operations["fabric_discoveries_accept_anyway_create"];
  };
  "/api/fabric/discoveries/{id}/diagnosis/": {
    get: operations["fabric_discoveries_diagnosis_retrieve"];
  };
  "/api/fabric/events/": {
    get: operations["fabric_events_list"];
  };
  "/api/fabric/events/{id}/": {
    get: operations["fabric_events_retrieve"];
  };
  "/api/fabric/findings/": {
    get: operations["fabric_findings_list"];
  };
  "/api/fabric/findings/{id}/": {
    get: operations["fabric_findings_retrieve"];
  };
  "/api/fabric/findings/{id}/accept/": {
    post: operations["fabric_findings_accept_create"];
  };
  "/api/fabric/findings/{id}/reopen/": {
    post: operations["fabric_findings_reopen_create"];
  };
  "/api/fabric/heat/": {
    get: operations["fabric_heat"];
  };
  "/api/fabric/incidents/": {
    get: operations["fabric_incidents_list"];
  };
  "/api/fabric/incidents/{id}/": {
    get: operations["fabric_incidents_retrieve"];
  };
  "/api/fabric/incidents/{id}/close/": {
    post: operations["fabric_incidents_close_create"];
  };
  "/api/fabric/length-table/": {
    get: operations["fabric_length_table_list"];
    post: operations["fabric_length_table_create"];
  };
  "/api/fabric/length-table/{id}/": {
    get: operations["fabric_length_table_retrieve"];
    put: operations["fabric_length_table_update"];
    delete: operations["fabric_length_table_destroy"];
    patch: operations["fabric_length_table_partial_update"];
  };
  "/api/fabric/links/": {
    get: operations["fabric_links_list"];
  };
  "/api/fabric/links/{key}/": {
    get: operations["fabric_links_retrieve"];
  };
  "/api/fabric/links/{key}/history/": {
    get: operations["fabric_links_history_retrieve"];
  };
  "/api/fabric/links/{key}/measure/": {
    post: operations["fabric_links_measure_create"];
  };
  "/api/fabric/matrix/": {
    get: operations["fabric_matrix"];
  };
  "/api/fabric/measurements/": {
    get: operations["fabric_measurements_list"];
  };
  "/api/fabric/measurements/{id}/": {
    get: operations["fabric_measurements_retrieve"];
  };
  "/api/fabric/misplaced/": {
    get: operations["fabric_misplaced"];
  };
  "/api/fabric/names/": {
    get: operations["fabric_names_list"];
  };
  "/api/fabric/names/{id}/": {
    get: operations["fabric_names_retrieve"];
  };
  "/api/fabric/names/{id}/reject/": {
    post: operations["fabric_names_reject_create"];
  };
  "/api/fabric/names/approve/": {
    post: operations["fabric_names_approve_create"];
  };
  "/api/fabric/names/node-name-map/": {
    get: operations["fabric_node_name_map"];
  };
  "/api/fabric/overview/": {
    get: operations["fabric_overview"];
  };
  "/api/fabric/plans/": {
    get: operations["fabric_plans_list"];
    post: operations["fabric_plans_create"];
  };
  "/api/fabric/plans/{id}/": {
    get: operations["fabric_plans_retrieve"];
    delete: operations["fabric_plans_destroy"];
  };
  "/api/fabric/port-actions/": {
    get: operations["fabric_port_actions_list"];
    post: operations["fabric_port_actions_create"];
  };
  "/api/fabric/port-actions/{id}/": {
    get: operations["fabric_port_actions_retrieve"];
  };
  "/api/fabric/port-actions/{id}/approve/": {
    post: operations["fabric_port_actions_approve_create"];
  };
  "/api/fabric/port-actions/{id}/enable/": {
    post: operations["fabric_port_actions_enable_create"];
  };
  "/api/fabric/port-actions/{id}/refuse/": {
    post: operations["fabric_port_actions_refuse_create"];
  };
  "/api/fabric/port-policies/": {
    get: operations["fabric_port_policies_list"];
  };
  "/api/fabric/port-policies/{id}/": {
    get: operations["fabric_port_policies_retrieve"];
    patch: operations["fabric_port_policies_partial_update"];
  };
  "/api/fabric/ports/": {
    get: operations["fabric_ports_list"];
  };
  "/api/fabric/ports/{id}/": {
    get: operations["fabric_ports_retrieve"];
  };
  "/api/fabric/reserved-ports/": {
    get: operations["fabric_reserved_ports_list"];
    post: operations["fabric_reserved_ports_create"];
  };
  "/api/fabric/reserved-ports/{id}/": {
    get: operations["fabric_reserved_ports_retrieve"];
    put: operations["fabric_reserved_ports_update"];
    delete: operations["fabric_reserved_ports_destroy"];
    patch: operations["fabric_reserved_ports_partial_update"];
  };
  "/api/fabric/sources/": {
    get: operations["fabric_sources_list"];
    post: operations["fabric_sources_create"];
  };
  "/api/fabric/sources/{id}/": {
    get: operations["fabric_sources_retrieve"];
    put: operations["fabric_sources_update"];
    delete: operations["fabric_sources_destroy"];
    patch: operations["fabric_sources_partial_update"];
  };
  "/api/fabric/sources/{id}/discover/": {
    post: operations["fabric_sources_discover_create"];
  };
  "/api/fabric/sources/{id}/upload/": {
    post: operations["fabric_sources_upload_create"];
  };
  "/api/fabric/wiring/": {
    get: operations["fabric_wiring_list"];
  };
  "/api/fabric/wiring/{id}/": {
    get: operations["fabric_wiring_retrieve"];
  };
  "/api/facility/energy/": {
    get: operations["facility_energy_retrieve"];
  };
  "/api/facility/feeds/": {
    get: operations["facility_feeds_list"];
  };
  "/api/facility/feeds/{id}/": {
    get: operations["facility_feeds_retrieve"];
  };
  "/api/facility/feeds/{id}/history/": {
    get: operations["facility_feeds_history_retrieve"];
  };
  "/api/facility/findings/": {
    get: operations["facility_findings_list"];
  };
  "/api/facility/findings/{id}/": {
    get: operations["facility_findings_retrieve"];
  };
  "/api/facility/floor/": {
    get: operations["facility_floor_retrieve"];
  };
  "/api/facility/meters/": {
    get: operations["facility_meters_list"];
    post: operations["facility_meters_create"];
  };
  "/api/facility/meters/{id}/": {
    get: operations["facility_meters_retrieve"];
    put: operations["facility_meters_update"];
    delete: operations["facility_meters_destroy"];
    patch: operations["facility_meters_partial_update"];
  };
  "/api/facility/meters/{id}/history/": {
    get: operations["facility_meters_history_retrieve"];
  };
  "/api/facility/meters/{id}/read/": {
    post: operations["facility_meters_read_create"];
  };
  "/api/facility/meters/{id}/values/": {
    get: operations["facility_meters_values_retrieve"];
  };
  "/api/facility/policies/": {
    get: operations["facility_policies_list"];
  };
  "/api/facility/policies/{id}/": {
    get: operations["facility_policies_retrieve"];
    patch: operations["facility_policies_partial_update"];
  };
  "/api/facility/proposals/": {
    get: operations["facility_proposals_list"];
  };
  "/api/facility/proposals/{id}/": {
    get: operations["facility_proposals_retrieve"];
  };
  "/api/facility/proposals/{id}/approve/": {
    post: operations["facility_proposals_approve_create"];
  };
  "/api/facility/proposals/{id}/begin/": {
    post: operations["facility_proposals_begin_create"];
  };
  "/api/facility/proposals/{id}/dismiss/": {
    post: operations["facility_proposals_dismiss_create"];
  };
  "/api/facility/proposals/{id}/undo/": {
    post: operations["facility_proposals_undo_create"];
  };
  "/api/facility/pue/": {
    get: operations["facility_pue_retrieve"];
  };
  "/api/facility/racks/{id}/": {
    get: operations["facility_racks_retrieve"];
  };
  "/api/facility/racks/{id}/history/": {
    get: operations["facility_racks_history_retrieve"];
  };
  "/api/facility/racks/{id}/work-orders/": {
    post: operations["facility_racks_work_orders_create"];
  };
  "/api/facility/room-left/": {
    get: operations["facility_room_left_retrieve"];
  };
  "/api/facility/slowed/": {
    get: operations["facility_slowed_retrieve"];
  };
  "/api/facility/what-if/": {
    get: operations["facility_what_if_retrieve"];
  };
  "/api/facility/year/": {
    get: operations["facility_year_retrieve"];
  };
  "/api/faults/": {
    get: operations["faults_list"];
  };
  "/api/faults/{id}/": {
    get: operations["faults_retrieve"];
  };
  "/api/floor/": {
    get: operations["floor_retrieve"];
  };
  "/api/floor/at/": {
    get: operations["floor_at_retrieve"];
  };
  "/api/floor/feed-failure/": {
    get: operations["floor_feed_failure_retrieve"];
  };
  "/api/floor/layers/": {
    get: operations["floor_layers_retrieve"];
  };
  "/api/floor/strip/": {
    get: operations["floor_strip_retrieve"];
  };
  "/api/floor/values/": {
    get: operations["floor_values_retrieve"];
  };
  "/api/hand-over/": {
    get: operations["hand_over_retrieve"];
  };
  "/api/hand-over/notes/": {
    post: operations["hand_over_notes_create"];
  };
  "/api/hand-over/notes/{id}/acknowledge/": {
    post: operations["hand_over_notes_acknowledge_create"];
  };
  "/api/health/actions/": {
    get: operations["health_actions_list"];
    post: operations["health_actions_create"];
  };
  "/api/health/actions/{id}/": {
    get: operations["health_actions_retrieve"];
  };
  "/api/health/actions/{id}/resolve/": {
    post: operations["health_actions_resolve_create"];
  };
  "/api/health/active-checks/": {
    get: operations["health_active_checks_list"];
  };
  "/api/health/active-runs/": {
    get: operations["health_active_runs_list"];
    post: operations["health_active_runs_create"];
  };
  "/api/health/active-runs/{id}/": {
    get: operations["health_active_runs_retrieve"];
  };
  "/api/health/active-runs/{id}/cancel/": {
    post: operations["health_active_runs_cancel_create"];
  };
  "/api/health/active-runs/{id}/results/": {
    get: operations["health_active_runs_results_list"];
  };
  "/api/health/active-runs/plan/": {
    post: operations["health_active_runs_plan_create"];
  };
  "/api/health/active-windows/": {
    get: operations["health_active_windows_list"];
    post: operations["health_active_windows_create"];
  };
  "/api/health/active-windows/{id}/": {
    get: operations["health_active_windows_retrieve"];
    delete: operations["health_active_windows_destroy"];
    patch: operations["health_active_windows_partial_update"];
  };
  "/api/health/audit-mode/": {
    get: operations["health_audit_mode_list"];
    post: operations["health_audit_mode_create"];
  };
  "/api/health/audit-mode/{id}/": {
    get: operations["health_audit_mode_retrieve"];
    delete: operations["health_audit_mode_destroy"];
    patch: operations["health_audit_mode_partial_update"];
  };
  "/api/health/automation/": {
    get: operations["health_automation_retrieve"];
  };
  "/api/health/automation/close-breaker/": {
    post: operations["health_automation_close_breaker_create"];
  };
  "/api/health/automation/kill/": {
    post: operations["health_automation_kill_create"];
  };
  "/api/health/automation/limits/": {
    get: operations["health_automation_limits_list"];
    patch: operations["health_automation_limits_partial_update"];
  };
  "/api/health/automation/release/": {
    post: operations["health_automation_release_create"];
  };
  "/api/health/availability/": {
    get: operations["health_availability_retrieve"];
  };
  "/api/health/catalogue/": {
    get: operations["health_catalogue"];
  };
  "/api/health/catalogue/{check}/": {
    get: operations["health_catalogue_check"];
  };
  "/api/health/drift/": {
    get: operations["health_drift_retrieve"];
  };
  "/api/health/fault-classes/": {
    get: operations["health_fault_classes_list"];
  };
  "/api/health/golden/": {
    get: operations["health_golden_list"];
  };
  "/api/health/golden/{id}/demote/": {
    post: operations["health_golden_demote_create"];
  };
  "/api/health/golden/{id}/promote/": {
    post: operations["health_golden_promote_create"];
  };
  "/api/health/golden/candidates/": {
    get: operations["health_golden_candidates_retrieve"];
  };
  "/api/health/golden/spares/": {
    get: operations["health_golden_spares_list"];
  };
  "/api/health/images/": {
    get: operations["health_images_retrieve"];
  };
  "/api/health/images/machines/": {
    get: operations["health_images_machines_retrieve"];
  };
  "/api/health/incidents/": {
    get: operations["health_incidents_list"];
  };
  "/api/health/incidents/{id}/": {
    get: operations["health_incidents_retrieve"];
  };
  "/api/health/incidents/{id}/close/": {
    post: operations["health_incidents_close_create"];
  };
  "/api/health/incidents/{id}/lift/": {
    post: operations["health_incidents_lift_create"];
  };
  "/api/health/kernel-images/": {
    get: operations["health_kernel_images_list"];
  };
  "/api/health/kernel-images/{id}/": {
    get: operations["health_kernel_images_retrieve"];
  };
  "/api/health/kernel-lines/": {
    get: operations["health_kernel_lines_list"];
  };
  "/api/health/kernel-lines/{id}/": {
    get: operations["health_kernel_lines_retrieve"];
  };
  "/api/health/kernel-lines/{id}/accept/": {
    post: operations["health_kernel_lines_accept_create"];
  };
  "/api/health/kernel-lines/{id}/mark-bad/": {
    post: operations["health_kernel_lines_mark_bad_create"];
  };
  "/api/health/kernel-lines/{id}/reopen/": {
    post: operations["health_kernel_lines_reopen_create"];
  };
  "/api/health/launch-ways/": {
    get: operations["health_launch_ways_list"];
    post: operations["health_launch_ways_create"];
  };
  "/api/health/launch-ways/{id}/": {
    get: operations["health_launch_ways_retrieve"];
    delete: operations["health_launch_ways_destroy"];
    patch: operations["health_launch_ways_partial_update"];
  };
  "/api/health/lemons/": {
    get: operations["health_lemons_retrieve"];
  };
  "/api/health/matrix/": {
    get: operations["health_matrix"];
  };
  "/api/health/matrix.csv": {
    get: operations["health_matrix_csv"];
  };
  "/api/health/overrides/": {
    get: operations["health_overrides_list"];
    post: operations["health_overrides_create"];
  };
  "/api/health/overrides/{id}/": {
    get: operations["health_overrides_retrieve"];
    delete: operations["health_overrides_destroy"];
    patch: operations["health_overrides_partial_update"];
  };
  "/api/health/plan/": {
    get: operations["health_plan_list"];
  };
  "/api/health/remedies/": {
    get: operations["health_remedies_list"];
  };
  "/api/health/remedy-switches/": {
    get: operations["health_remedy_switches_list"];
    post: operations["health_remedy_switches_create"];
  };
  "/api/health/remedy-switches/{id}/": {
    get: operations["health_remedy_switches_retrieve"];
    delete: operations["health_remedy_switches_destroy"];
  };
  "/api/health/report-sources/": {
    get: operations["health_report_sources_list"];
    post: operations["health_report_sources_create"];
  };
  "/api/health/report-sources/{id}/": {
    get: operations["health_report_sources_retrieve"];
    put: operations["health_report_sources_update"];
    delete: operations["health_report_sources_destroy"];
    patch: operations["health_report_sources_partial_update"];
  };
  "/api/health/report-sources/{id}/renew-token/": {
    post: operations["health_report_sources_renew_token_create"];
  };
  "/api/health/reports/": {
    post: operations["health_reports_create"];
  };
  "/api/health/responses/": {
    get: operations["health_responses_list"];
    post: operations["health_responses_create"];
  };
  "/api/health/responses/{id}/": {
    get: operations["health_responses_retrieve"];
    delete: operations["health_responses_destroy"];
    patch: operations["health_responses_partial_update"];
  };
  "/api/health/scheduler/disagreements/": {
    get: operations["health_scheduler_disagreements_list"];
  };
  "/api/health/scheduler/machines/": {
    get: operations["health_scheduler_machines_list"];
  };
  "/api/health/scheduler/machines/{name}/check/": {
    get: operations["health_scheduler_machines_check_retrieve"];
  };
  "/api/health/scheduler/machines/{id}/": {
    get: operations["health_scheduler_machines_retrieve"];
  };
  "/api/health/schedulers/": {
    get: operations["health_schedulers_list"];
    post: operations["health_schedulers_create"];
  };
  "/api/health/schedulers/{id}/": {
    get: operations["health_schedulers_retrieve"];
    put: operations["health_schedulers_update"];
    delete: operations["health_schedulers_destroy"];
    patch: operations["health_schedulers_partial_update"];
  };
  "/api/health/schedulers/{id}/read/": {
    post: operations["health_schedulers_read_create"];
  };
  "/api/health/silences/": {
    get: operations["health_silences_list"];
    post: operations["health_silences_create"];
  };
  "/api/health/silences/{id}/": {
    get: operations["health_silences_retrieve"];
    delete: operations["health_silences_destroy"];
    patch: operations["health_silences_partial_update"];
  };
  "/api/health/stuck/": {
    get: operations["health_stuck_list"];
  };
  "/api/health/trends/": {
    get: operations["health_trends_retrieve"];
  };
  "/api/health/trends.csv": {
    get: operations["health_trends.csv_retrieve"];
  };
  "/api/health/watchdog/": {
    get: operations["health_watchdog_retrieve"];
  };
  "/api/health/windows/": {
    get: operations["health_windows_list"];
    post: operations["health_windows_create"];
  };
  "/api/health/windows/{id}/": {
    get: operations["health_windows_retrieve"];
    delete: operations["health_windows_destroy"];
    patch: operations["health_windows_partial_update"];
  };
  "/api/history/": {
    get: operations["history_list"];
  };
  "/api/history/{id}/": {
    get: operations["history_retrieve"];
  };
  "/api/history/{id}/entries/": {
    get: operations["history_entries_list"];
  };
  "/api/history/{id}/undo/": {
    get: operations["history_undo_retrieve"];
    post: operations["history_undo_create"];
  };
  "/api/history/export.csv": {
    get: operations["history_export.csv_retrieve"];
  };
  "/api/history/export.jsonl": {
    get: operations["history_export.jsonl_retrieve"];
  };
  "/api/identity-changes/": {
    get: operations["identity_changes_list"];
  };
  "/api/identity-changes/{id}/": {
    get: operations["identity_changes_retrieve"];
  };
  "/api/identity-changes/{id}/accept/": {
    post: operations["identity_changes_accept_create"];
  };
  "/api/imports/": {
    get: operations["imports_list"];
    post: operations["imports_create"];
  };
  "/api/imports/{id}/": {
    get: operations["imports_retrieve"];
  };
  "/api/imports/{id}/apply/": {
    post: operations["imports_apply_create"];
  };
  "/api/imports/{id}/errors.csv": {
    get: operations["imports_errors.csv_retrieve"];
  };
  "/api/imports/netbox/": {
    get: operations["imports_netbox_list"];
    post: operations["imports_netbox_create"];
  };
  "/api/imports/netbox/{id}/": {
    get: operations["imports_netbox_retrieve"];
  };
  "/api/imports/netbox/{id}/findings.csv": {
    get: operations["imports_netbox_findings.csv_retrieve"];
  };
  "/api/inbound-mails/": {
    get: operations["inbound_mails_list"];
    post: operations["inbound_mails_create"];
  };
  "/api/inbound-mails/mailbox/": {
    get: operations["inbound_mails_mailbox_retrieve"];
  };
  "/api/insight/": {
    get: operations["insight_retrieve"];
  };
  "/api/insight/{table}.csv": {
    get: operations["insight_.csv_retrieve"];
  };
  "/api/insight/report.pdf": {
    get: operations["insight_report.pdf_retrieve"];
  };
  "/api/insight/report/send/": {
    post: operations["insight_report_send_create"];
  };
  "/api/insight/report/subscription/": {
    put: operations["insight_report_subscription_update"];
  };
  "/api/insight/settings/": {
    get: operations["insight_settings_retrieve"];
    put: operations["insight_settings_update"];
  };
  "/api/instance/": {
    get: operations["instance_retrieve"];
  };
  "/api/instance/take-over/": {
    post: operations["instance_take_over_create"];
  };
  "/api/ip-addresses/": {
    get: operations["ip_addresses_list"];
    post: operations["ip_addresses_create"];
  };
  "/api/ip-addresses/{id}/": {
    get: operations["ip_addresses_retrieve"];
    put: operations["ip_addresses_update"];
    delete: operations["ip_addresses_destroy"];
    patch: operations["ip_addresses_partial_update"];
  };
  "/api/kinds/": {
    get: operations["kinds_list"];
  };
  "/api/known-hosts/": {
    get: operations["known_hosts_list"];
  };
  "/api/known-hosts/{id}/": {
    get: operations["known_hosts_retrieve"];
  };
  "/api/labels/cables.pdf": {
    get: operations["labels_cables.pdf_retrieve"];
  };
  "/api/labels/machines.pdf": {
    get: operations["labels_machines.pdf_retrieve"];
  };
  "/api/labels/racks.pdf": {
    get: operations["labels_racks.pdf_retrieve"];
  };
  "/api/landmarks/": {
    get: operations["landmarks_list"];
    post: operations["landmarks_create"];
  };
  "/api/landmarks/{id}/": {
    get: operations["landmarks_retrieve"];
    put: operations["landmarks_update"];
    delete: operations["landmarks_destroy"];
    patch: operations["landmarks_partial_update"];
  };
  "/api/machines/": {
    get: operations["machines_list"];
  };
  "/api/machines/{machine}/": {
    get: operations["machines_retrieve"];
  };
  "/api/machines/{machine}/accept-swap/": {
    post: operations["machines_accept_swap_create"];
  };
  "/api/machines/{device}/addresses/": {
    get: operations["machines_addresses_list"];
    post: operations["machines_addresses_create"];
  };
  "/api/machines/{id}/at/": {
    get: operations["machines_at_retrieve"];
  };
  "/api/machines/{machine}/cables/": {
    get: operations["machines_cables_list"];
  };
  "/api/machines/{machine}/check/": {
    post: operations["machines_check_create"];
  };
  "/api/machines/{machine}/components/": {
    get: operations["machines_components_list"];
  };
  "/api/machines/{machine}/history/": {
    get: operations["machines_history_retrieve"];
  };
  "/api/machines/{machine}/holds/": {
    post: operations["machines_holds_create"];
  };
  "/api/machines/{machine}/holds/{owner}/": {
    delete: operations["machines_holds_destroy"];
  };
  "/api/machines/{machine}/maintenance/": {
    post: operations["machines_maintenance_create"];
  };
  "/api/machines/{id}/rails/": {
    get: operations["machine_rails"];
  };
  "/api/machines/{id}/remedies/": {
    get: operations["machines_remedies_list"];
  };
  "/api/machines/{machine}/return/": {
    post: operations["machines_return_create"];
  };
  "/api/machines/{id}/timeline/": {
    get: operations["machines_timeline_retrieve"];
  };
  "/api/machines/{machine}/verdicts/": {
    get: operations["machines_verdicts_retrieve"];
  };
  "/api/machines/bulk/": {
    post: operations["machines_many"];
  };
  "/api/me/": {
    get: operations["me_retrieve"];
  };
  "/api/me/bookmarks/": {
    get: operations["me_bookmarks_list"];
    post: operations["me_bookmarks_create"];
  };
  "/api/me/bookmarks/{id}/": {
    delete: operations["me_bookmarks_destroy"];
  };
  "/api/me/messages/": {
    get: operations["me_messages_retrieve"];
    put: operations["me_messages_update"];
  };
  "/api/message-channels/": {
    get: operations["message_channels_list"];
    post: operations["message_channels_create"];
  };
  "/api/message-channels/{id}/": {
    get: operations["message_channels_retrieve"];
    delete: operations["message_channels_destroy"];
    patch: operations["message_channels_partial_update"];
  };
  "/api/message-channels/{id}/test/": {
    post: operations["message_channels_test_create"];
  };
  "/api/message-rules/": {
    get: operations["message_rules_list"];
    post: operations["message_rules_create"];
  };
  "/api/message-rules/{id}/": {
    get: operations["message_rules_retrieve"];
    delete: operations["message_rules_destroy"];
    patch: operations["message_rules_partial_update"];
  };
  "/api/messages/": {
    get: operations["messages_list"];
  };
  "/api/messages/{id}/": {
    get: operations["messages_retrieve"];
  };
  "/api/messages/{id}/retry/": {
    post: operations["messages_retry_create"];
  };
  "/api/naming-rules/": {
    get: operations["naming_rules_list"];
    post: operations["naming_rules_create"];
  };
  "/api/naming-rules/{id}/": {
    get: operations["naming_rules_retrieve"];
    put: operations["naming_rules_update"];
    delete: operations["naming_rules_destroy"];
    patch: operations["naming_rules_partial_update"];
  };
  "/api/naming/apply/": {
    post: operations["naming_apply"];
  };
  "/api/naming/report/": {
    get: operations["naming_report"];
  };
  "/api/pass-throughs/": {
    get: operations["pass_throughs_list"];
    post: operations["pass_throughs_create"];
  };
  "/api/pass-throughs/{id}/": {
    get: operations["pass_throughs_retrieve"];
    put: operations["pass_throughs_update"];
    delete: operations["pass_throughs_destroy"];
    patch: operations["pass_throughs_partial_update"];
  };
  "/api/pdus/": {
    get: operations["pdus_list"];
    post: operations["pdus_create"];
  };
  "/api/pdus/{id}/": {
    get: operations["pdus_retrieve"];
    put: operations["pdus_update"];
    delete: operations["pdus_destroy"];
    patch: operations["pdus_partial_update"];
  };
  "/api/pdus/{id}/cables/": {
    get: operations["pdus_cables"];
  };
  "/api/pdus/{id}/components/": {
    get: operations["pdus_components"];
  };
  "/api/pdus/{id}/face/": {
    get: operations["pdus_face"];
  };
  "/api/pdus/{id}/place/": {
    get: operations["pdus_place"];
  };
  "/api/pinned-certificates/": {
    get: operations["pinned_certificates_list"];
  };
  "/api/pinned-certificates/{id}/": {
    get: operations["pinned_certificates_retrieve"];
  };
  "/api/pools/": {
    get: operations["pools_list"];
  };
  "/api/pools/{id}/": {
    get: operations["pools_retrieve"];
    patch: operations["pools_partial_update"];
  };
  "/api/ports/": {
    get: operations["ports_list"];
    post: operations["ports_create"];
  };
  "/api/ports/{id}/": {
    get: operations["ports_retrieve"];
    put: operations["ports_update"];
    delete: operations["ports_destroy"];
    patch: operations["ports_partial_update"];
  };
  "/api/power-feeds/": {
    get: operations["power_feeds_list"];
    post: operations["power_feeds_create"];
  };
  "/api/power-feeds/{id}/": {
    get: operations["power_feeds_retrieve"];
    put: operations["power_feeds_update"];
    delete: operations["power_feeds_destroy"];
    patch: operations["power_feeds_partial_update"];
  };
  "/api/power-panels/": {
    get: operations["power_panels_list"];
    post: operations["power_panels_create"];
  };
  "/api/power-panels/{id}/": {
    get: operations["power_panels_retrieve"];
    put: operations["power_panels_update"];
    delete: operations["power_panels_destroy"];
    patch: operations["power_panels_partial_update"];
  };
  "/api/power/summary/": {
    get: operations["power_summary_retrieve"];
  };
  "/api/provisioning/bmc/machines/": {
    get: operations["provisioning_bmc_machines_list"];
  };
  "/api/provisioning/bmc/machines/{id}/": {
    get: operations["provisioning_bmc_machines_retrieve"];
  };
  "/api/provisioning/bmc/machines/{id}/password/": {
    post: operations["provisioning_bmc_machines_password"];
  };
  "/api/provisioning/bmc/machines/read/": {
    post: operations["provisioning_bmc_machines_read"];
  };
  "/api/provisioning/bmc/profiles/": {
    get: operations["provisioning_bmc_profiles_list"];
  };
  "/api/provisioning/bmc/profiles/{slug}/": {
    patch: operations["provisioning_bmc_profiles_partial_update"];
  };
  "/api/provisioning/bmc/runs/": {
    get: operations["provisioning_bmc_runs_list"];
    post: operations["provisioning_bmc_runs_create"];
  };
  "/api/provisioning/bmc/runs/{id}/": {
    get: operations["provisioning_bmc_runs_retrieve"];
  };
  "/api/provisioning/bmc/runs/{id}/cancel/": {
    post: operations["provisioning_bmc_runs_cancel_create"];
  };
  "/api/provisioning/bmc/versions/": {
    get: operations["provisioning_bmc_versions_list"];
  };
  "/api/provisioning/deliveries/": {
    get: operations["provisioning_deliveries_list"];
    post: operations["provisioning_deliveries_create"];
  };
  "/api/provisioning/deliveries/{id}/": {
    get: operations["provisioning_deliveries_retrieve"];
    delete: operations["provisioning_deliveries_destroy"];
  };
  "/api/provisioning/deliveries/{id}/accept/": {
    post: operations["provisioning_deliveries_accept_create"];
  };
  "/api/provisioning/discoveries/": {
    get: operations["provisioning_discoveries_list"];
    post: operations["provisioning_discoveries_create"];
  };
  "/api/provisioning/discoveries/{id}/": {
    get: operations["provisioning_discoveries_retrieve"];
    delete: operations["provisioning_discoveries_destroy"];
  };
  "/api/provisioning/discoveries/{id}/accept/": {
    post: operations["provisioning_discoveries_accept_create"];
  };
  "/api/provisioning/discoveries/{id}/cancel/": {
    post: operations["provisioning_discoveries_cancel_create"];
  };
  "/api/provisioning/dnsmasq/": {
    get: operations["provisioning_dnsmasq_retrieve"];
  };
  "/api/provisioning/engines/": {
    get: operations["provisioning_engines_list"];
  };
  "/api/provisioning/intake/floor/": {
    get: operations["provisioning_intake_floor_retrieve"];
  };
  "/api/provisioning/ironic/": {
    get: operations["provisioning_ironic_list"];
  };
  "/api/provisioning/ironic/{id}/": {
    get: operations["provisioning_ironic_retrieve"];
    patch: operations["provisioning_ironic_partial_update"];
  };
  "/api/provisioning/ironic/{id}/try/": {
    post: operations["provisioning_ironic_try_create"];
  };
  "/api/provisioning/ironic/{id}/writes/": {
    get: operations["provisioning_ironic_writes_retrieve"];
  };
  "/api/provisioning/lease-sources/": {
    get: operations["provisioning_lease_sources_list"];
    post: operations["provisioning_lease_sources_create"];
  };
  "/api/provisioning/lease-sources/{id}/": {
    get: operations["provisioning_lease_sources_retrieve"];
    put: operations["provisioning_lease_sources_update"];
    delete: operations["provisioning_lease_sources_destroy"];
    patch: operations["provisioning_lease_sources_partial_update"];
  };
  "/api/provisioning/limits/": {
    get: operations["provisioning_limits_list"];
  };
  "/api/provisioning/limits/{id}/": {
    get: operations["provisioning_limits_retrieve"];
    patch: operations["provisioning_limits_partial_update"];
  };
  "/api/provisioning/limits/{id}/use/": {
    get: operations["provisioning_limits_use_retrieve"];
  };
  "/api/provisioning/maas/": {
    get: operations["provisioning_maas_list"];
  };
  "/api/provisioning/maas/{id}/": {
    get: operations["provisioning_maas_retrieve"];
    patch: operations["provisioning_maas_partial_update"];
  };
  "/api/provisioning/maas/{id}/try/": {
    post: operations["provisioning_maas_try_create"];
  };
  "/api/provisioning/maas/{id}/writes/": {
    get: operations["provisioning_maas_writes_retrieve"];
  };
  "/api/provisioning/mirrors/": {
    get: operations["provisioning_mirrors_list"];
    post: operations["provisioning_mirrors_create"];
  };
  "/api/provisioning/mirrors/{id}/": {
    get: operations["provisioning_mirrors_retrieve"];
    put: operations["provisioning_mirrors_update"];
    delete: operations["provisioning_mirrors_destroy"];
    patch: operations["provisioning_mirrors_partial_update"];
  };
  "/api/provisioning/placements/": {
    get: operations["provisioning_placements_list"];
    post: operations["provisioning_placements_create"];
  };
  "/api/provisioning/placements/{id}/": {
    get: operations["provisioning_placements_retrieve"];
  };
  "/api/provisioning/placements/{id}/cancel/": {
    post: operations["provisioning_placements_cancel_create"];
  };
  "/api/provisioning/placements/{id}/retry/": {
    post: operations["provisioning_placements_retry_create"];
  };
  "/api/provisioning/placements/plan/": {
    get: operations["provisioning_placements_plan_retrieve"];
  };
  "/api/provisioning/returns/": {
    get: operations["provisioning_returns_list"];
    post: operations["provisioning_returns_create"];
  };
  "/api/provisioning/returns/{id}/": {
    get: operations["provisioning_returns_retrieve"];
    delete: operations["provisioning_returns_destroy"];
  };
  "/api/provisioning/returns/{id}/answer/": {
    post: operations["provisioning_returns_answer_create"];
  };
  "/api/provisioning/returns/{id}/send/": {
    post: operations["provisioning_returns_send_create"];
  };
  "/api/provisioning/returns/{id}/table/": {
    get: operations["provisioning_returns_table_retrieve"];
  };
  "/api/provisioning/runs/": {
    get: operations["provisioning_runs_list"];
    post: operations["provisioning_runs_create"];
  };
  "/api/provisioning/runs/{id}/": {
    get: operations["provisioning_runs_retrieve"];
  };
  "/api/provisioning/runs/{id}/cancel/": {
    post: operations["provisioning_runs_cancel_create"];
  };
  "/api/provisioning/runs/{id}/machines/{rm}/": {
    get: operations["provisioning_runs_machines_retrieve"];
  };
  "/api/provisioning/runs/{id}/machines/{rm}/cancel/": {
    post: operations["provisioning_runs_machines_cancel_create"];
  };
  "/api/provisioning/runs/{id}/machines/{rm}/log/": {
    get: operations["provisioning_runs_machines_log_retrieve"];
  };
  "/api/provisioning/runs/{id}/machines/{rm}/retry/": {
    post: operations["provisioning_runs_machines_retry_create"];
  };
  "/api/provisioning/software/roles/": {
    get: operations["provisioning_software_roles_list"];
  };
  "/api/provisioning/software/runs/": {
    get: operations["provisioning_software_runs_list"];
    post: operations["provisioning_software_runs_create"];
  };
  "/api/provisioning/software/runs/{id}/": {
    get: operations["provisioning_software_runs_retrieve"];
  };
  "/api/provisioning/software/runs/{id}/cancel/": {
    post: operations["provisioning_software_runs_cancel_create"];
  };
  "/api/provisioning/software/runs/{id}/machines/{rm}/log/": {
    get: operations["provisioning_software_runs_machines_log_retrieve"];
  };
  "/api/provisioning/stages/": {
    get: operations["provisioning_stages_retrieve"];
  };
  "/api/provisioning/stages/deliveries/": {
    get: operations["provisioning_stages_deliveries_list"];
  };
  "/api/racks/": {
    get: operations["racks_list"];
    post: operations["racks_create"];
  };
  "/api/racks/{id}/": {
    get: operations["racks_retrieve"];
    put: operations["racks_update"];
    delete: operations["racks_destroy"];
    patch: operations["racks_partial_update"];
  };
  "/api/racks/{id}/elevation/": {
    get: operations["racks_elevation_retrieve"];
  };
  "/api/racks/{id}/free/": {
    get: operations["racks_free_retrieve"];
  };
  "/api/racks/{id}/power/": {
    get: operations["racks_power_retrieve"];
  };
  "/api/racks/elevations/": {
    get: operations["racks_elevations_retrieve"];
  };
  "/api/rails/report/": {
    get: operations["rails_report"];
  };
  "/api/reservations/": {
    get: operations["reservations_list"];
    post: operations["reservations_create"];
  };
  "/api/reservations/{id}/": {
    get: operations["reservations_retrieve"];
    put: operations["reservations_update"];
    delete: operations["reservations_destroy"];
    patch: operations["reservations_partial_update"];
  };
  "/api/rooms/": {
    get: operations["rooms_list"];
    post: operations["rooms_create"];
  };
  "/api/rooms/{id}/": {
    get: operations["rooms_retrieve"];
    put: operations["rooms_update"];
    delete: operations["rooms_destroy"];
    patch: operations["rooms_partial_update"];
  };
  "/api/rotas/": {
    get: operations["rotas_list"];
    post: operations["rotas_create"];
  };
  "/api/rotas/{id}/": {
    get: operations["rotas_retrieve"];
    delete: operations["rotas_destroy"];
    patch: operations["rotas_partial_update"];
  };
  "/api/rows/": {
    get: operations["rows_list"];
    post: operations["rows_create"];
  };
  "/api/rows/{id}/": {
    get: operations["rows_retrieve"];
    put: operations["rows_update"];
    delete: operations["rows_destroy"];
    patch: operations["rows_partial_update"];
  };
  "/api/run-collections/": {
    get: operations["run_collections_list"];
    post: operations["run_collections_create"];
  };
  "/api/run-collections/{id}/": {
    get: operations["run_collections_retrieve"];
  };
  "/api/run-collections/{id}/machines/": {
    get: operations["run_collections_machines_retrieve"];
  };
  "/api/run-collections/{id}/machines/{machine}/evidence/": {
    get: operations["run_collections_evidence_retrieve"];
  };
  "/api/run-evidence-settings/": {
    get: operations["run_evidence_settings_list"];
  };
  "/api/run-evidence-settings/{id}/": {
    get: operations["run_evidence_settings_retrieve"];
    patch: operations["run_evidence_settings_partial_update"];
  };
  "/api/run-metrics-settings/": {
    get: operations["run_metrics_settings_list"];
  };
  "/api/run-metrics-settings/{id}/": {
    get: operations["run_metrics_settings_retrieve"];
    patch: operations["run_metrics_settings_partial_update"];
  };
  "/api/run-metrics-settings/{id}/try/": {
    post: operations["run_metrics_settings_try_create"];
  };
  "/api/runbook-choices/": {
    get: operations["runbook_choices_list"];
    post: operations["runbook_choices_create"];
  };
  "/api/runbook-choices/{id}/": {
    get: operations["runbook_choices_retrieve"];
    delete: operations["runbook_choices_destroy"];
  };
  "/api/runbook-versions/{id}/": {
    get: operations["runbook_versions_retrieve"];
  };
  "/api/runbooks/": {
    get: operations["runbooks_list"];
  };
  "/api/runbooks/{slug}/": {
    get: operations["runbooks_retrieve"];
  };
  "/api/runbooks/{slug}/draft/": {
    put: operations["runbooks_draft_update"];
  };
  "/api/runbooks/{slug}/drop-draft/": {
    post: operations["runbooks_drop_draft_create"];
  };
  "/api/runbooks/{slug}/publish/": {
    post: operations["runbooks_publish_create"];
  };
  "/api/runbooks/{slug}/restore/": {
    post: operations["runbooks_restore_create"];
  };
  "/api/runbooks/failing-steps/": {
    get: operations["runbooks_failing_steps_list"];
  };
  "/api/runbooks/language/": {
    get: operations["runbooks_language_retrieve"];
  };
  "/api/runbooks/preview/": {
    post: operations["runbooks_preview_create"];
  };
  "/api/runs/": {
    get: operations["runs_list"];
  };
  "/api/runs/{id}/": {
    get: operations["runs_retrieve"];
  };
  "/api/runs/{id}/compare/": {
    get: operations["runs_compare_retrieve"];
  };
  "/api/runs/{id}/curve/": {
    get: operations["runs_curve_retrieve"];
  };
  "/api/runs/{id}/hand-overs/": {
    post: operations["runs_hand_overs_create"];
  };
  "/api/runs/{id}/pace/": {
    get: operations["runs_pace_retrieve"];
  };
  "/api/runs/{id}/ranks/": {
    get: operations["runs_ranks_retrieve"];
  };
  "/api/runs/{id}/ranks/{rank}/": {
    get: operations["runs_rank_retrieve"];
  };
  "/api/runs/{id}/read-metrics/": {
    post: operations["runs_read_metrics_create"];
  };
  "/api/runs/{id}/replacement/": {
    get: operations["runs_replacement_retrieve"];
  };
  "/api/runs/{id}/roll-call/": {
    get: operations["runs_roll_call_retrieve"];
  };
  "/api/runs/fit/": {
    get: operations["runs_fit_retrieve"];
  };
  "/api/runs/fit/launch/": {
    post: operations["runs_fit_launch_create"];
  };
  "/api/runs/logs/": {
    post: operations["runs_logs_create"];
  };
  "/api/runs/losses/": {
    get: operations["runs_losses_retrieve"];
  };
  "/api/runs/losses.csv": {
    get: operations["runs_losses.csv_retrieve"];
  };
  "/api/runs/reports/": {
    post: operations["runs_reports_create"];
  };
  "/api/runs/running-on/": {
    get: operations["runs_running_on_retrieve"];
  };
  "/api/runs/sparklines/": {
    get: operations["runs_sparklines_list"];
  };
  "/api/scheduler/floor/": {
    get: operations["scheduler_floor_retrieve"];
  };
  "/api/scheduler/jobs/": {
    get: operations["scheduler_jobs_list"];
  };
  "/api/scheduler/jobs/{id}/": {
    get: operations["scheduler_jobs_retrieve"];
  };
  "/api/scheduler/jobs/{id}/history/": {
    get: operations["scheduler_jobs_history_retrieve"];
  };
  "/api/scheduler/jobs/{id}/machines/": {
    get: operations["scheduler_jobs_machines_list"];
  };
  "/api/scheduler/jobs/{id}/rails/": {
    get: operations["scheduler_jobs_rails_list"];
  };
  "/api/scheduler/partitions/": {
    get: operations["scheduler_partitions_list"];
  };
  "/api/scheduler/reservations/": {
    get: operations["scheduler_reservations_list"];
  };
  "/api/scheduler/reservations/{id}/": {
    get: operations["scheduler_reservations_retrieve"];
  };
  "/api/scheduler/waiting/": {
    get: operations["scheduler_waiting_list"];
  };
  "/api/scheduler/waiting/{id}/": {
    get: operations["scheduler_waiting_retrieve"];
  };
  "/api/search/": {
    get: operations["search_list"];
  };
  "/api/sites/": {
    get: operations["sites_list"];
    post: operations["sites_create"];
  };
  "/api/sites/{id}/": {
    get: operations["sites_retrieve"];
    put: operations["sites_update"];
    delete: operations["sites_destroy"];
    patch: operations["sites_partial_update"];
  };
  "/api/spares/": {
    get: operations["spares_list"];
  };
  "/api/spares/advice/": {
    get: operations["spares_advice_list"];
  };
  "/api/stock/": {
    get: operations["stock_list"];
    post: operations["stock_create"];
  };
  "/api/stock/{id}/": {
    get: operations["stock_retrieve"];
    put: operations["stock_update"];
    delete: operations["stock_destroy"];
    patch: operations["stock_partial_update"];
  };
  "/api/stock/{id}/put/": {
    post: operations["stock_put_create"];
  };
  "/api/stock/{id}/take/": {
    post: operations["stock_take_create"];
  };
  "/api/storage-places/": {
    get: operations["storage_places_list"];
    post: operations["storage_places_create"];
  };
  "/api/storage-places/{id}/": {
    get: operations["storage_places_retrieve"];
    put: operations["storage_places_update"];
    delete: operations["storage_places_destroy"];
    patch: operations["storage_places_partial_update"];
  };
  "/api/sweeps/": {
    get: operations["sweeps_list"];
    post: operations["sweeps_create"];
  };
  "/api/sweeps/{id}/": {
    get: operations["sweeps_retrieve"];
  };
  "/api/sweeps/state/": {
    get: operations["sweeps_state_retrieve"];
  };
  "/api/switches/": {
    get: operations["switches_list"];
    post: operations["switches_create"];
  };
  "/api/switches/{id}/": {
    get: operations["switches_retrieve"];
    put: operations["switches_update"];
    delete: operations["switches_destroy"];
    patch: operations["switches_partial_update"];
  };
  "/api/switches/{id}/cables/": {
    get: operations["switches_cables"];
  };
  "/api/switches/{id}/components/": {
    get: operations["switches_components"];
  };
  "/api/switches/{id}/face/": {
    get: operations["switches_face"];
  };
  "/api/switches/{id}/place/": {
    get: operations["switches_place"];
  };
  "/api/tags/": {
    get: operations["tags_list"];
    post: operations["tags_create"];
  };
  "/api/tags/{id}/": {
    get: operations["tags_retrieve"];
    put: operations["tags_update"];
    delete: operations["tags_destroy"];
    patch: operations["tags_partial_update"];
  };
  "/api/ticket-systems/": {
    get: operations["ticket_systems_list"];
    post: operations["ticket_systems_create"];
  };
  "/api/ticket-systems/{id}/": {
    get: operations["ticket_systems_retrieve"];
    delete: operations["ticket_systems_destroy"];
    patch: operations["ticket_systems_partial_update"];
  };
  "/api/ticket-systems/{id}/check/": {
    post: operations["ticket_systems_check_create"];
  };
  "/api/ticket-systems/{id}/retry/": {
    post: operations["ticket_systems_retry_create"];
  };
  "/api/tickets/": {
    get: operations["tickets_list"];
    post: operations["tickets_create"];
  };
  "/api/tickets/{key}/": {
    get: operations["tickets_retrieve"];
  };
  "/api/tickets/{key}/acknowledge/": {
    post: operations["tickets_acknowledge_create"];
  };
  "/api/tickets/{key}/assign/": {
    post: operations["tickets_assign_create"];
  };
  "/api/tickets/{key}/close/": {
    post: operations["tickets_close_create"];
  };
  "/api/tickets/{key}/comments/": {
    post: operations["tickets_comments_create"];
  };
  "/api/tickets/{key}/confirm/": {
    post: operations["tickets_confirm_create"];
  };
  "/api/tickets/{key}/labels/": {
    get: operations["tickets_labels_retrieve"];
  };
  "/api/tickets/{key}/led/": {
    post: operations["tickets_led_create"];
  };
  "/api/tickets/{key}/merge/": {
    post: operations["tickets_merge_create"];
  };
  "/api/tickets/{key}/photos/": {
    post: operations["tickets_photos_create"];
  };
  "/api/tickets/{key}/priority/": {
    post: operations["tickets_priority_create"];
  };
  "/api/tickets/{key}/queue/": {
    post: operations["tickets_queue_create"];
  };
  "/api/tickets/{key}/release/": {
    post: operations["tickets_release_create"];
  };
  "/api/tickets/{key}/reopen/": {
    post: operations["tickets_reopen_create"];
  };
  "/api/tickets/{key}/runbook/": {
    post: operations["tickets_runbook_create"];
  };
  "/api/tickets/{key}/snooze/": {
    post: operations["tickets_snooze_create"];
  };
  "/api/tickets/{key}/split/": {
    post: operations["tickets_split_create"];
  };
  "/api/tickets/{key}/steps/{step}/": {
    post: operations["tickets_steps_create"];
  };
  "/api/tickets/{key}/steps/{step}/recheck/": {
    post: operations["tickets_steps_recheck_create"];
  };
  "/api/tickets/{key}/steps/{step}/run/": {
    post: operations["tickets_steps_run_create"];
  };
  "/api/tickets/{key}/steps/{step}/sign/": {
    post: operations["tickets_steps_sign_create"];
  };
  "/api/tickets/{key}/swap/": {
    post: operations["tickets_swap_create"];
  };
  "/api/tickets/{key}/swap-connector/": {
    post: operations["tickets_swap_connector_create"];
  };
  "/api/tickets/{key}/take/": {
    post: operations["tickets_take_create"];
  };
  "/api/tickets/{key}/take-part/": {
    post: operations["tickets_take_part_create"];
  };
  "/api/tickets/{key}/tasks/": {
    post: operations["tickets_tasks_create"];
  };
  "/api/tickets/{key}/tasks/{task}/": {
    post: operations["tickets_tasks_change"];
  };
  "/api/tickets/{key}/tasks/{task}/remove/": {
    post: operations["tickets_tasks_remove_create"];
  };
  "/api/tickets/{key}/unsnooze/": {
    post: operations["tickets_unsnooze_create"];
  };
  "/api/tickets/{key}/verify/": {
    post: operations["tickets_verify_create"];
  };
  "/api/tickets/{key}/watch/": {
    post: operations["tickets_watch_create"];
  };
  "/api/tickets/board/": {
    get: operations["tickets_board_retrieve"];
  };
  "/api/tickets/bulk/": {
    post: operations["tickets_many"];
  };
  "/api/tickets/people/": {
    get: operations["tickets_people_list"];
  };
  "/api/tickets/round/": {
    get: operations["tickets_round_retrieve"];
  };
  "/api/tokens/": {
    get: operations["tokens_list"];
    post: operations["tokens_create"];
  };
  "/api/tokens/{id}/": {
    delete: operations["tokens_destroy"];
  };
  "/api/trace/": {
    get: operations["trace_list"];
  };
  "/api/trace/{id}/": {
    get: operations["trace_retrieve"];
  };
  "/api/users/": {
    get: operations["users_list"];
    post: operations["users_create"];
  };
  "/api/users/{id}/": {
    get: operations["users_retrieve"];
    put: operations["users_update"];
    delete: operations["users_destroy"];
    patch: operations["users_partial_update"];
  };
  "/api/vendor-cases/": {
    get: operations["vendor_cases_list"];
    post: operations["vendor_cases_create"];
  };
  "/api/vendor-cases/{id}/": {
    get: operations["vendor_cases_retrieve"];
  };
  "/api/vendor-cases/{id}/bundle/": {
    post: operations["vendor_cases_bundle_create"];
  };
  "/api/vendor-cases/{id}/bundles/{number}/": {
    get: operations["vendor_cases_bundles_retrieve"];
  };
  "/api/vendor-cases/{id}/edit/": {
    post: operations["vendor_cases_edit_create"];
  };
  "/api/vendor-cases/{id}/move/": {
    post: operations["vendor_cases_move_create"];
  };
  "/api/vendor-cases/answers/": {
    post: operations["vendor_cases_answers_create"];
  };
  "/api/vendor-contacts/": {
    get: operations["vendor_contacts_list"];
    post: operations["vendor_contacts_create"];
  };
  "/api/vendor-contacts/{id}/": {
    get: operations["vendor_contacts_retrieve"];
    put: operations["vendor_contacts_update"];
    delete: operations["vendor_contacts_destroy"];
    patch: operations["vendor_contacts_partial_update"];
  };
  "/api/warranty/": {
    get: operations["warranty_list"];
  };
  "/api/webhook-deliveries/": {
    get: operations["webhook_deliveries_list"];
  };
  "/api/webhook-deliveries/{id}/": {
    get: operations["webhook_deliveries_retrieve"];
  };
  "/api/webhook-deliveries/{id}/replay/": {
    post: operations["webhook_deliveries_replay_create"];
  };
  "/api/webhooks/": {
    get: operations["webhooks_list"];
    post: operations["webhooks_create"];
  };
  "/api/webhooks/{id}/": {
    get: operations["webhooks_retrieve"];
    delete: operations["webhooks_destroy"];
    patch: operations["webhooks_partial_update"];
  };
  "/api/webhooks/{id}/ping/": {
    post: operations["webhooks_ping_create"];
  };
  "/api/webhooks/{id}/replay/": {
    post: operations["webhooks_replay_create"];
  };
  "/api/webhooks/{id}/secret/": {
    post: operations["webhooks_secret_create"];
  };
  "/api/webhooks/events/": {
    get: operations["webhooks_events_list"];
  };
}
export type webhooks = Record<string, never>;
export interface components {
  schemas: {
    AcceptAnywayRequest: {
      reason: string;
    };
    AcceptFindingRequest: {
      reason: string;
    };
    AcceptRequest: {
      reason: string;
      /** @description User name; by default whoever asks. */
      owner?: string;
      expires_at: string;
    };
    /** @description The part that counts as installed now. */
    AcceptedPart: {
      slot: string;
      serial: string;
      part_number: string;
      vendor: string;
      installed_at: string;
    };
    /**
     * @description * `ssh`: SSH. Its identity is its host key.
     *     * `redfish`: BMC. Its identity is its TLS certificate.
     * @enum {string}
     */
    AccessKind: "ssh" | "redfish";
    Action: {
      id: number;
      /** @description machine:incident:level:attempt */
      key: string;
      machine: components["schemas"]["MachineName"];
      incident: number;
      fault: number | null;
      check: string;
      level: number;
      remedy: string;
      attempt: number;
      /** @description What the remedy is about: the service, the GPU's slot. */
      params: unknown;
      state: components["schemas"]["ActionState"];
      /** @description Automation, or the person who started it by hand. */
      planned_by: string;
      reason: string;
      /** @description The guard that said no last. */
      refused_by: string;
      refused_reason: string;
      planned_at: string;
      granted_at: string | null;
      sent_at: string | null;
      finished_at: string | null;
      deadline: string | null;
      report: "" | "accepted" | "done" | "failed" | "refused" | "impossible";
      result: string;
      /** @description What the verification after it said. */
      verified: boolean | null;
      /** @description What was seen before and after. */
      evidence: unknown;
    };
    /**
     * @description * `planned`: Planned. Nothing was sent.
     *     * `granted`: Granted. Every guard agreed; it is about to be sent.
     *     * `sent`: Sent. It is in progress; its effect is watched for.
     *     * `confirmed`: Carried out. Its effect was seen. The verification decides whether it helped.
     *     * `failed`: Had no effect. It is known to have done nothing.
     *     * `ambiguous`: Nobody knows. It is not known whether it happened: a person decides.
     *     * `cancelled`: Never sent. Something spoke against it at the last moment.
     * @enum {string}
     */
    ActionState: "planned" | "granted" | "sent" | "confirmed" | "failed" | "ambiguous" | "cancelled";
    /** @description One active check. `checks` evaluate what it prints by `limits`, which overrides change as those of any check. */
    ActiveKind: {
      id: string;
      title: string;
      what: string;
      /** @description 1 takes seconds, 4 hours. */
      level: number;
      minutes: number;
      needs_idle: boolean;
      needs: "machine" | "pair" | "group";
      part: string;
      checks: string[];
      limits: {
        [key: string]: number;
      };
      options: components["schemas"]["ActiveOption"][];
      source: string;
    };
    ActiveOption: {
      name: string;
      /** @description A whole number, or true or false. */
      usual: number | boolean;
      least: number | null;
      most: number | null;
    };
    ActivePlan: {
      kind: string;
      /** @description By the names of the options of the kind. */
      options: {
        [key: string]: unknown;
      };
      machines: components["schemas"]["PlannedMachine"][];
      left_out: components["schemas"]["LeftOut"][];
      /** @description At most. */
      rounds: number;
      /**
       * Format: double
       * @description About, when nothing has to be taken apart or repeated.
       */
      minutes: number;
    };
    ActiveProgress: {
      done: number;
      /** @description Tests of the rounds begun so far. */
      total: number;
      stage: string;
    };
    /** @description One test. `findings` are what the checks say of its parts; `about` which of a group it was to test. */
    ActiveResult: {
      id: number;
      round: number;
      number: number;
      kind: string;
      machines: string[];
      adapter: string;
      about: string[];
      partners: string[];
      repeats: number | null;
      status: "waiting" | "running" | "done" | "cancelled";
      verdict: components["schemas"]["TestVerdict"] | "";
      message: string;
      findings: components["schemas"]["StepFinding"][];
      command: string;
      /** @description The beginning of what it printed. */
      output: string;
      attempts: number;
      started_at: string | null;
      finished_at: string | null;
    };
    ActiveRun: {
      id: number;
      site: number;
      kind: string;
      state: components["schemas"]["RunStatus"];
      /** @description All options, those that were not given as usual. */
      options: {
        [key: string]: unknown;
      };
      machines: number;
      progress: components["schemas"]["ActiveProgress"];
      /** @description Rounds begun so far. */
      rounds: number;
      /** @description Tests by what came of them. */
      result: components["schemas"]["Outcomes"];
      results_count: number;
      window: number | null;
      /**
       * Format: date-time
       * @description Nothing is begun that would end later.
       */
      must_end_at: string | null;
      reason: string;
      by: string;
      cancelled_by: string;
      message: string;
      created_at: string;
      started_at: string | null;
      finished_at: string | null;
    };
    ActiveRunDetail: {
      id: number;
      site: number;
      kind: string;
      state: components["schemas"]["RunStatus"];
      /** @description All options, those that were not given as usual. */
      options: {
        [key: string]: unknown;
      };
      machines: number;
      progress: components["schemas"]["ActiveProgress"];
      /** @description Rounds begun so far. */
      rounds: number;
      /** @description Tests by what came of them. */
      result: components["schemas"]["Outcomes"];
      results_count: number;
      window: number | null;
      /**
       * Format: date-time
       * @description Nothing is begun that would end later.
       */
      must_end_at: string | null;
      reason: string;
      by: string;
      cancelled_by: string;
      message: string;
      created_at: string;
      started_at: string | null;
      finished_at: string | null;
      machine_names: string[];
      left_out: components["schemas"]["LeftOut"][];
      /** @description By adapter and tool. */
      conclusion: {
        [key: string]: components["schemas"]["Conclusion"];
      };
      /** @description Of groups: how they are launched; else empty. */
      way: string;
    };
    /** @description `from` and `to` are times of day in UTC; one that ends before it begins ends the next day. */
    ActiveWindow: {
      id: number;
      site: number;
      /** @description 0 is Monday. */
      weekday: number;
      from: string;
      to: string;
      /**
       * @default [
       *       "diagnostic",
       *       "stress",
       *       "copies",
       *       "all_reduce"
       *     ]
       */
      kinds: ("diagnostic" | "stress" | "copies" | "all_reduce" | "training")[];
      enabled: boolean;
      /**
       * Format: date-time
       * @description When it last began a run.
       */
      started_at: string | null;
      created_by: string;
    };
    /** @description `from` and `to` are times of day in UTC; one that ends before it begins ends the next day. */
    ActiveWindowRequest: {
      /** @description Id or slug. */
      site: number | string;
      /** @description 0 is Monday. */
      weekday: number;
      from: string;
      to: string;
      /**
       * @default [
       *       "diagnostic",
       *       "stress",
       *       "copies",
       *       "all_reduce"
       *     ]
       */
      kinds?: ("diagnostic" | "stress" | "copies" | "all_reduce" | "training")[];
      enabled?: boolean;
    };
    AddressAddRequest: {
      address: string;
      /** @description Id or name, also with its device (`leaf-a01-r1 20/1`). */
      port?: number | string | null;
      prefix_length?: number | null;
      vlan?: number | null;
      dns_name?: string;
    };
    /** @description The planned ones. */
    Addresses: {
      primary_ip: string | null;
      bmc_ip: string | null;
      bmc_mac: string;
      boot_mac: string;
    };
    /** AisleRecord */
    AisleRecordRequest: {
      /**
       * Site
       * @default null
       */
      site?: number | string | {
        [key: string]: number | string;
      } | null;
      /** Room */
      room: number | string | {
        [key: string]: number | string;
      };
      /** Name */
      name: string;
      /**
       * Kind
       * @enum {string}
       */
      kind: "cold" | "hot";
      /** X Mm */
      x_mm: number;
      /** Y Mm */
      y_mm: number;
      /** Width Mm */
      width_mm: number;
      /** Depth Mm */
      depth_mm: number;
    };
    /** Aisles */
    Aisles: {
      /** Id */
      id: number;
      /** Site */
      site: number | null;
      /** Site Name */
      site_name: string | null;
      /** Room */
      room: number;
      /** Room Name */
      room_name: string | null;
      /** Name */
      name: string;
      /**
       * Kind
       * @enum {string}
       */
      kind: "cold" | "hot";
      /** X Mm */
      x_mm: number;
      /** Y Mm */
      y_mm: number;
      /** Width Mm */
      width_mm: number;
      /** Depth Mm */
      depth_mm: number;
    };
    /** AislesChange */
    AislesChangeRequest: {
      /**
       * Site
       * @default null
       */
      site?: number | string | {
        [key: string]: number | string;
      } | null;
      /**
       * Room
       * @default null
       */
      room?: number | string | {
        [key: string]: number | string;
      };
      /**
       * Name
       * @default null
       */
      name?: string;
      /**
       * Kind
       * @default null
       * @enum {string}
       */
      kind?: "cold" | "hot";
      /**
       * X Mm
       * @default null
       */
      x_mm?: number;
      /**
       * Y Mm
       * @default null
       */
      y_mm?: number;
      /**
       * Width Mm
       * @default null
       */
      width_mm?: number;
      /**
       * Depth Mm
       * @default null
       */
      depth_mm?: number;
    };
    /** @description Machines that fail or hang alike, and where to look first. */
    Alike: {
      step: string;
      failure_class: components["schemas"]["InstallFailure"];
      machines: components["schemas"]["MachineOfRun"][];
      cause: string;
    };
    /**
     * @description * `idle`: Idle.
     *     * `allocated`: Allocated.
     *     * `unknown`: Unknown.
     * @enum {string}
     */
    Allocation: "idle" | "allocated" | "unknown";
    /** AnnotationRecord */
    AnnotationRecordRequest: {
      /**
       * Site
       * @description That of the device, where one is named.
       * @default null
       */
      site?: number | string | {
        [key: string]: number | string;
      } | null;
      /**
       * Device
       * @description Empty: it concerns the whole site.
       * @default null
       */
      device?: number | string | {
        [key: string]: number | string;
      } | null;
      /**
       * At
       * Format: date-time
       */
      at: string;
      /**
       * Until
       * @description Empty: a moment.
       * @default null
       */
      until?: string | null;
      /** Text */
      text: string;
    };
    /** Annotations */
    Annotations: {
      /** Id */
      id: number;
      /**
       * Site
       * @description That of the device, where one is named.
       */
      site: number | null;
      /** Site Name */
      site_name: string | null;
      /**
       * Device
       * @description Empty: it concerns the whole site.
       */
      device: number | null;
      /** Device Name */
      device_name: string | null;
      /** At */
      at: string;
      /**
       * Until
       * @description Empty: a moment.
       */
      until: string | null;
      /** Text */
      text: string;
      /**
       * Author
       * @description The user name of whoever made it.
       */
      author: string;
    };
    /** AnnotationsChange */
    AnnotationsChangeRequest: {
      /**
       * Site
       * @description That of the device, where one is named.
       * @default null
       */
      site?: number | string | {
        [key: string]: number | string;
      } | null;
      /**
       * Device
       * @description Empty: it concerns the whole site.
       * @default null
       */
      device?: number | string | {
        [key: string]: number | string;
      } | null;
      /**
       * At
       * Format: date-time
       * @default null
       */
      at?: string;
      /**
       * Until
       * @description Empty: a moment.
       * @default null
       */
      until?: string | null;
      /**
       * Text
       * @default null
       */
      text?: string;
    };
    /** @description `_meta`, and every group under its name. */
    AnsibleInventory: {
      /** Meta */
      _meta: components["schemas"]["HostMeta"];
    } & {
      [key: string]: components["schemas"]["HostGroup"];
    };
    AnswerVendorReturnRequest: {
      machines: (number | string)[];
      outcome: components["schemas"]["ReturnOutcome"];
      /** @default  */
      note?: string;
    };
    ApprovalRequest: {
      dry_run?: boolean;
    };
    /** @description `unsure`: also names below the margin and agreement that are usually asked for. */
    ApproveRequest: {
      ids: number[];
      /** @default false */
      unsure?: boolean;
    };
    /** @description A file; made from a row of the list, or from an object as if it were one. */
    Attachment: {
      id: number;
      filename: string;
      content_type: string;
      /** @description Bytes. */
      size: number;
      sha256: string;
      width: number | null;
      height: number | null;
      caption: string;
      created_at: string;
      created_by: string;
      device: number | null;
      rack: number | null;
      ticket: number | null;
      site: number;
      /** @description Address of the file itself. */
      content: string;
      /** @description Address of a small picture of it. */
      thumbnail: string | null;
    };
    AttachmentUploadRequest: {
      file: string[];
      /** @description Id or name. */
      device?: number | string;
      /** @description Id or name. */
      rack?: number | string;
      /** @description Id or key (`REP-2041`). */
      ticket?: number | string;
      /** @description One for all files, or one for each. */
      caption?: string[];
    };
    AuditMode: {
      id: number;
      check: string;
      site: number | null;
      reason: string;
      /** @description User name of the person who answers for it. */
      owner: string;
      expires_at: string | null;
      created_by: string;
      created_at: string;
      ended_at: string | null;
      ended_by: string;
      /** @description Neither ended nor expired. */
      active: boolean;
    };
    /** @description What automation may do at a site. */
    Automation: {
      site: number;
      killed: boolean;
      killed_by: string;
      killed_reason: string;
      killed_at: string | null;
      breaker: components["schemas"]["Breaker"];
      budgets: components["schemas"]["Budget"][];
      limits: components["schemas"]["LimitsAnswer"];
      power: components["schemas"]["PowerActions"];
      /** @description At most 200. */
      waiting: components["schemas"]["Waiting"][];
      at: string;
    };
    /**
     * @description * `dry_run`: Dry run. What would be done is only written down.
     *     * `on`: On. Actions are carried out within their budget.
     * @enum {string}
     */
    AutomationMode: "dry_run" | "on";
    /** @description A link that a stage loaded and that is not ok now. */
    BadLink: {
      key: string;
      quality: components["schemas"]["LinkQuality"];
      reason: string;
      before: components["schemas"]["KnownOfLink"] | null;
      after: components["schemas"]["KnownOfLink"] | null;
    };
    /** @description What stands in a bay of a device. */
    BayDevice: {
      id: number;
      name: string;
      kind: components["schemas"]["DeviceKind"];
      bay: string;
    };
    BeginRequest: {
      /** @description Of the step. */
      order: number;
    };
    /**
     * @description * `password`: Password. A generated one for each BMC.
     *     * `settings`: Settings. BIOS and BMC as the profile of the model wants them.
     *     * `firmware`: Firmware. The versions of the model's baseline.
     * @enum {string}
     */
    BmcAction: "password" | "settings" | "firmware";
    /**
     * @description * `bios`: BIOS. Attributes of the BIOS; they wait for the next start of the machine.
     *     * `system`: System. PowerRestorePolicy and BootOrder.
     *     * `ntp`: Time servers. ProtocolEnabled and NTPServers of the BMC.
     *     * `bmc`: BMC. The vendor's own attributes of the BMC.
     * @enum {string}
     */
    BmcArea: "bios" | "system" | "ntp" | "bmc";
    /** @description Firmware that a component is to have. */
    BmcBaseline: {
      /** @description Id or name in the firmware inventory, with * and ?. */
      component: string;
      version: string;
      /**
       * @description Address that the BMC fetches, or a file of the folder of firmware; empty: only compared.
       * @default
       */
      image: string;
    };
    /** @description Firmware that a component is to have. */
    BmcBaselineRequest: {
      /** @description Id or name in the firmware inventory, with * and ?. */
      component: string;
      version: string;
      /**
       * @description Address that the BMC fetches, or a file of the folder of firmware; empty: only compared.
       * @default
       */
      image?: string;
    };
    /**
     * @description * `same`: As wanted.
     *     * `differs`: Differs.
     *     * `pending`: Waits for a start. It is set, and in force after the next start of the machine.
     *     * `missing`: Not reported. The BMC does not report it.
     * @enum {string}
     */
    BmcComparison: "same" | "differs" | "pending" | "missing";
    BmcComponent: {
      id: string;
      name: string;
      version: string;
    };
    BmcDiscovery: {
      id: number;
      site: number;
      /** @description Where its addresses are from, as people call it. */
      origin: string;
      /** @description The addresses asked, or those of leases that are. */
      ranges: string;
      port: number;
      /** @description Addresses that are begun in a second. */
      rate_per_s: number;
      status: components["schemas"]["RunStatus"];
      message: string;
      /** @description To be asked in all. */
      addresses: number;
      /** @description Of these, how many are through. */
      asked: number;
      /** @description Of these, behind how many a BMC stands. */
      found: number;
      /** @description Taken over into the inventory. */
      accepted: number;
      created_at: string;
      created_by: string;
      finished_at: string | null;
    };
    BmcDiscoveryAcceptRequest: {
      /** @description Numbers of BMCs; without it all that match. Of an exchange either number takes both. */
      bmcs?: number[];
    };
    BmcDiscoveryDetail: {
      id: number;
      site: number;
      /** @description Where its addresses are from, as people call it. */
      origin: string;
      /** @description The addresses asked, or those of leases that are. */
      ranges: string;
      port: number;
      /** @description Addresses that are begun in a second. */
      rate_per_s: number;
      status: components["schemas"]["RunStatus"];
      message: string;
      /** @description To be asked in all. */
      addresses: number;
      /** @description Of these, how many are through. */
      asked: number;
      /** @description Of these, behind how many a BMC stands. */
      found: number;
      /** @description Taken over into the inventory. */
      accepted: number;
      created_at: string;
      created_by: string;
      finished_at: string | null;
      /** @description Lines of the leases that could not be read. */
      unread_lines: number;
      /** @description Leases that are expired, released or declined. */
      leases_over: number;
      problems: components["schemas"]["LeaseProblem"][];
      bmcs: components["schemas"]["DiscoveredBmc"][];
    };
    /** @description By leases (a file, or a source of the site), or by addresses; with leases, `ranges` chooses among them. */
    BmcDiscoveryStartRequest: {
      /** @description Id or slug. */
      site: number | string;
      /**
       * @description Addresses, networks and spans, such as 10.0.4.0/24 or 10.0.4.10-80.
       * @default
       */
      ranges?: string;
      /**
       * Format: binary
       * @description A lease file of dnsmasq or Kea.
       */
      file?: string;
      /** @description A lease source of the site. Id or name. */
      lease_source?: number | string;
      /** @default 443 */
      port?: number;
      /**
       * @description Addresses that are begun in a second.
       * @default 20
       */
      rate_per_s?: number;
    };
    BmcFirmwareDifference: {
      component: string;
      wanted: string;
      found: components["schemas"]["BmcComponent"][];
      comparison: components["schemas"]["BmcComparison"];
    };
    BmcLogLine: {
      at: string;
      text: string;
    };
    /** @description A machine: how many settings and components differ, and how its password stands. */
    BmcMachine: {
      machine: components["schemas"]["MachineBrief"];
      model: string;
      read_at: string | null;
      /** @description Why its BMC reported nothing at the last try; empty: it did. */
      problem: string;
      settings_differ: number;
      firmware_differ: number;
      /** @description Null: one that it shares with others. */
      password: components["schemas"]["BmcPasswordState"] | null;
    };
    /** @description A machine: how many settings and components differ, and how its password stands. */
    BmcMachineDetail: {
      machine: components["schemas"]["MachineBrief"];
      model: string;
      read_at: string | null;
      /** @description Why its BMC reported nothing at the last try; empty: it did. */
      problem: string;
      settings_differ: number;
      firmware_differ: number;
      /** @description Null: one that it shares with others. */
      password: components["schemas"]["BmcPasswordState"] | null;
      password_message: string;
      /** @description Why nobody signs in there now: it refused the password on record. Reading it now sends it once more. */
      login_refused: string;
      password_changed_at: string | null;
      has_profile: boolean;
      /** @description What is not as the profile wants it. */
      settings: components["schemas"]["BmcSettingDifference"][];
      /** @description What is not as the baseline wants it. */
      firmware: components["schemas"]["BmcFirmwareDifference"][];
      /** @description Every setting that the BMC reported. */
      found: components["schemas"]["BmcSetting"][];
      /** @description The firmware inventory. */
      components: components["schemas"]["BmcComponent"][];
    };
    BmcMachinesRequest: {
      machines: (number | string)[];
    };
    BmcPasswordRequest: {
      password: string;
    };
    /**
     * @description * `own`: Its own. A generated password, used at least once.
     *     * `changing`: Being changed. Which password is in force is not known yet; both are tried.
     *     * `kept`: Kept. The last change failed; the password from before is in force.
     *     * `refused`: Not known. The BMC takes no password that we know: somebody changed it.
     * @enum {string}
     */
    BmcPasswordState: "own" | "changing" | "kept" | "refused";
    /** @description A device model: what its BMCs are to be, and how many of its machines are. */
    BmcProfile: {
      slug: string;
      name: string;
      vendor: string;
      settings: components["schemas"]["BmcSetting"][];
      firmware: components["schemas"]["BmcBaseline"][];
      /**
       * Format: date-time
       * @description Null: the model has no profile.
       */
      changed_at: string | null;
      changed_by: string;
      machines: number;
      /** @description Machines whose BMC was read. */
      read: number;
      /** @description Machines with a setting that is not as wanted. */
      settings_differ: number;
      /** @description Machines with firmware that is not as wanted. */
      firmware_differ: number;
      /** @description Machines whose BMC has a password of its own. */
      own_password: number;
      /** @description Machines of which nobody knows which password is in force. */
      password_trouble: number;
    };
    BmcRun: {
      id: number;
      site: number;
      action: components["schemas"]["BmcAction"];
      dry_run: boolean;
      /** @description Restart machines where something waits for their start. */
      restart: boolean;
      /** @description So many machines go first, alone. */
      canary: number;
      /** @description Machines of a wave after the canary. */
      limit: number;
      /**
       * Format: double
       * @description Share of failed machines, over 0 to 1, that stops the run.
       */
      stop_share: number;
      status: components["schemas"]["WaveRunStatus"];
      /** @description Why it stopped, or what it waits for. */
      message: string;
      cancelled_by: string;
      created_at: string;
      created_by: string;
      finished_at: string | null;
      totals: components["schemas"]["BmcTotals"];
    };
    BmcRunDetail: {
      id: number;
      site: number;
      action: components["schemas"]["BmcAction"];
      dry_run: boolean;
      /** @description Restart machines where something waits for their start. */
      restart: boolean;
      /** @description So many machines go first, alone. */
      canary: number;
      /** @description Machines of a wave after the canary. */
      limit: number;
      /**
       * Format: double
       * @description Share of failed machines, over 0 to 1, that stops the run.
       */
      stop_share: number;
      status: components["schemas"]["WaveRunStatus"];
      /** @description Why it stopped, or what it waits for. */
      message: string;
      cancelled_by: string;
      created_at: string;
      created_by: string;
      finished_at: string | null;
      totals: components["schemas"]["BmcTotals"];
      machines: components["schemas"]["BmcRunMachine"][];
    };
    BmcRunMachine: {
      id: number;
      machine: components["schemas"]["MachineBrief"];
      status: components["schemas"]["WaveMachineStatus"];
      wave: number | null;
      message: string;
      percent: number | null;
      log: components["schemas"]["BmcLogLine"][];
      started_at: string | null;
      finished_at: string | null;
    };
    /** @description A wanted value. `bios` waits for the next start of the machine, the others are in force at once. */
    BmcSetting: {
      area: components["schemas"]["BmcArea"];
      name: string;
      /** @description A text, number or truth value; BootOrder and NTPServers are lists. */
      value: unknown;
    };
    BmcSettingDifference: {
      area: components["schemas"]["BmcArea"];
      name: string;
      wanted: unknown;
      found: unknown | null;
      comparison: components["schemas"]["BmcComparison"];
    };
    /** @description A wanted value. `bios` waits for the next start of the machine, the others are in force at once. */
    BmcSettingRequest: {
      area: components["schemas"]["BmcArea"];
      name: string;
      /** @description A text, number or truth value; BootOrder and NTPServers are lists. */
      value: unknown;
    };
    /**
     * @description * `waiting`: Not asked yet.
     *     * `asking`: Being asked.
     *     * `read`: Read.
     *     * `refused`: Password refused. No other password is tried by guess.
     *     * `no_login`: No password. No stored password may be sent there.
     *     * `changed`: Certificate changed. It presents another certificate than the known one and was sent no password.
     *     * `unreachable`: Unreachable.
     *     * `not_bmc`: Not a BMC.
     *     * `failed`: Could not be read.
     *     * `interrupted`: Interrupted. Workers were lost while they signed in; another discovery asks it again.
     * @enum {string}
     */
    BmcState: "waiting" | "asking" | "read" | "refused" | "no_login" | "changed" | "unreachable" | "not_bmc" | "failed" | "interrupted";
    /** @description Machines of a BMC run, by status. */
    BmcTotals: {
      waiting: number;
      running: number;
      ok: number;
      failed: number;
      unreachable: number;
      refused: number;
      cancelled: number;
    };
    BmcVersionCount: {
      version: string;
      machines: number;
    };
    /** @description A component by name, and how many machines have which versions of it. */
    BmcVersions: {
      component: string;
      versions: components["schemas"]["BmcVersionCount"][];
    };
    Bookmark: {
      id: number;
      kind: "favourite" | "view";
      name: string;
      /** @description Path and query of a page of the dashboard. */
      url: string;
      /** @description Shared with all who see this site. */
      site: number | null;
      mine: boolean;
      owner: string;
    };
    /** @description Units of one face and column, or of both. */
    Box: {
      face: "both" | "front" | "rear";
      column: "full" | "left" | "right";
      u: number;
      height_u: number;
      /**
       * Format: double
       * @description Units between the top of the rack and its upper edge.
       */
      from_top_u: number;
    };
    Breaker: {
      open: boolean;
      reason: string;
      opened_at: string | null;
      closed_by: string;
      closed_at: string | null;
      close_reason: string;
      counts: components["schemas"]["BreakerCounts"];
    };
    /** @description Since it was last closed; null where it is not known. */
    BreakerCounts: {
      refused_1h: number | null;
      ambiguous: number | null;
      /** @description Machines in a row whose verification failed, the newest first. */
      failed_verifications: number | null;
      /** @description Machines that automation drained within its window. */
      drained: number | null;
      /** @description Machines of all pools of the site. */
      size: number | null;
    };
    Budget: {
      pool: number;
      name: string;
      automation: components["schemas"]["AutomationMode"];
      size: number | null;
      unavailable: number | null;
      /** @description None of its machines was reachable for too long: it allows nothing. */
      stale: boolean | null;
      /**
       * Format: double
       * @description Of the pool that may be out, before rounding down.
       */
      share: number;
      by_share: number;
      /** @description May be out however little the share is. */
      min_unavailable: number;
      /** @description In pools of that many machines or more. */
      min_unavailable_from: number;
      /** @description Machines that may be out at all. */
      max_unavailable: number;
      remaining_budget: number;
      /** @description How the numbers come about, in words. */
      reason: string;
      drains_10min: number | null;
      drains_1h: number | null;
    };
    BundleFile: {
      name: string;
      /** @description Bytes. */
      size: number;
    };
    BundleMissing: {
      name: string;
      reason: string;
    };
    BundleProgress: {
      done: number;
      total: number;
      stage: string;
    };
    /** @description `links` of the fabric, `covered` of them by some stage; `progress` in stages; `result` in pairs. */
    BurnIn: {
      id: number;
      site: number;
      source: number;
      /** @default planning */
      status: components["schemas"]["BurnInStatus"];
      /** @description Nothing is run on any machine. */
      dry_run: boolean;
      /** @description Seconds of a stage, limits and options, all of them. */
      settings: unknown;
      stages: number;
      pairs: number;
      links: number;
      covered: number;
      uncovered_count: number;
      progress: components["schemas"]["BurnInProgress"];
      result: components["schemas"]["Outcomes"];
      message: string;
      created_at: string;
      created_by: string;
      started_at: string | null;
      started_by: string;
      finished_at: string | null;
    };
    /** @description `links` of the fabric, `covered` of them by some stage; `progress` in stages; `result` in pairs. */
    BurnInDetail: {
      id: number;
      site: number;
      source: number;
      /** @default planning */
      status: components["schemas"]["BurnInStatus"];
      /** @description Nothing is run on any machine. */
      dry_run: boolean;
      /** @description Seconds of a stage, limits and options, all of them. */
      settings: unknown;
      stages: number;
      pairs: number;
      links: number;
      covered: number;
      uncovered_count: number;
      progress: components["schemas"]["BurnInProgress"];
      result: components["schemas"]["Outcomes"];
      message: string;
      created_at: string;
      created_by: string;
      started_at: string | null;
      started_by: string;
      finished_at: string | null;
      /** @description Those that may not be used. */
      left_out: components["schemas"]["UnusedMachine"][];
      uncovered: components["schemas"]["Gap"][];
      bad_links: components["schemas"]["BadLink"][];
    };
    BurnInPair: {
      id: number;
      stage: number;
      adapter: string;
      server: string;
      server_guid: string;
      client: string;
      client_guid: string;
      verdict: components["schemas"]["PairVerdict"];
      /**
       * Format: double
       * @description Both directions together.
       */
      gbps: number | null;
      p99_us: number | null;
      message: string;
    };
    /** @description Stages. */
    BurnInProgress: {
      done: number;
      total: number;
    };
    /**
     * @description * `planning`: Being planned. A worker searches for pairs that load every link.
     *     * `planned`: Planned. Nothing runs before somebody starts it.
     *     * `running`: Running. Stage after stage.
     *     * `stopping`: Stopping. No new stage begins; what runs ends by itself.
     *     * `stopped`: Stopped. Somebody stopped it before its end.
     *     * `done`: Done.
     *     * `failed`: Failed.
     * @enum {string}
     */
    BurnInStatus: "planning" | "planned" | "running" | "stopping" | "stopped" | "done" | "failed";
    /**
     * CableConnector
     * @description Where a lane of a connector ends: a port by its id, or by its device (id or name) and its name.
     *
     *     An answer has the same fields, and the names beside the ids.
     */
    CableConnector: {
      /**
       * Port
       * @description Id or name; null: not plugged in.
       * @default null
       */
      port?: number | string | null;
      /**
       * Device
       * @description Id or name.
       * @default null
       */
      device?: number | string | null;
      /**
       * Connector
       * @description The connector on this side, from 1.
       * @default null
       */
      connector?: number | null;
      /**
       * Lane
       * @description The same on both sides: what is linked.
       * @default null
       */
      lane?: number | null;
      /**
       * Serial
       * @description Printed on the connector.
       * @default
       */
      serial?: string;
      /**
       * Port Name
       * @description In answers only; not read.
       * @default null
       */
      port_name?: string | null;
      /**
       * Device Name
       * @description In answers only; not read.
       * @default null
       */
      device_name?: string | null;
      /**
       * Kind
       * @description In answers only; not read.
       * @default null
       */
      kind?: string | null;
      /**
       * Cage
       * @description In answers only; not read.
       * @default null
       */
      cage?: number | null;
    };
    /**
     * CableConnectorAnswer
     * @description Where a lane of a connector ends; all null where it is not plugged in.
     */
    CableConnectorAnswer: {
      /** Port */
      port: number | null;
      /** Port Name */
      port_name: string | null;
      /** Device */
      device: number | null;
      /** Device Name */
      device_name: string | null;
      /** Kind */
      kind: string | null;
      /** Cage */
      cage: number | null;
      /**
       * Connector
       * @description The connector on this side, from 1.
       */
      connector: number;
      /**
       * Lane
       * @description The same on both sides: what is linked.
       */
      lane: number;
      /**
       * Serial
       * @description Printed on the connector.
       */
      serial: string;
    };
    CableHop: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: "cable";
      id: number;
      name: string;
      cable: components["schemas"]["TraceCable"];
    };
    /** CableRecord */
    CableRecordRequest: {
      /** Site */
      site: number | string | {
        [key: string]: number | string;
      };
      /** Label */
      label: string;
      /**
       * Type
       * @description Such as MPO-12 OS2, DAC, Cat6, C13-C14.
       */
      type: string;
      /**
       * Status
       * @default connected
       */
      status?: components["schemas"]["CableStatus"];
      /**
       * A
       * @description One connector or several.
       */
      a?: components["schemas"]["CableConnector"][];
      /**
       * B
       * @description One connector or several.
       */
      b?: components["schemas"]["CableConnector"][];
      /**
       * Length M
       * @default null
       */
      length_m?: string | null;
      /**
       * Colour
       * @default
       */
      colour?: string;
      /**
       * Vendor
       * @default
       */
      vendor?: string;
      /**
       * Part Number
       * @default
       */
      part_number?: string;
      /**
       * Bundle
       * @description The bundle or trunk it is laid in.
       * @default
       */
      bundle?: string;
      /** Tags */
      tags?: string[];
      /** Custom */
      custom?: {
        [key: string]: unknown;
      };
    };
    /**
     * @description * `planned`: Planned.
     *     * `connected`: Connected.
     *     * `to_move`: To be moved.
     *     * `removed`: Removed.
     * @enum {string}
     */
    CableStatus: "planned" | "connected" | "to_move" | "removed";
    /** Cables */
    Cables: {
      /** Id */
      id: number;
      /** Site */
      site: number;
      /** Site Name */
      site_name: string | null;
      /** Label */
      label: string;
      /**
       * Type
       * @description Such as MPO-12 OS2, DAC, Cat6, C13-C14.
       */
      type: string;
      /** Status */
      status: components["schemas"]["CableStatus"];
      /**
       * A
       * @description One connector or several.
       */
      a: components["schemas"]["CableConnectorAnswer"][];
      /**
       * B
       * @description One connector or several.
       */
      b: components["schemas"]["CableConnectorAnswer"][];
      /** Length M */
      length_m: number | null;
      /** Colour */
      colour: string;
      /** Vendor */
      vendor: string;
      /** Part Number */
      part_number: string;
      /**
       * Bundle
       * @description The bundle or trunk it is laid in.
       */
      bundle: string;
      /** Tags */
      tags: string[];
      /** Custom */
      custom: {
        [key: string]: unknown;
      };
    };
    /** CablesChange */
    CablesChangeRequest: {
      /**
       * Site
       * @default null
       */
      site?: number | string | {
        [key: string]: number | string;
      };
      /**
       * Label
       * @default null
       */
      label?: string;
      /**
       * Type
       * @description Such as MPO-12 OS2, DAC, Cat6, C13-C14.
       * @default null
       */
      type?: string;
      /**
       * Status
       * @default null
       */
      status?: components["schemas"]["CableStatus"];
      /**
       * A
       * @description One connector or several.
       * @default null
       */
      a?: components["schemas"]["CableConnector"][];
      /**
       * B
       * @description One connector or several.
       * @default null
       */
      b?: components["schemas"]["CableConnector"][];
      /**
       * Length M
       * @default null
       */
      length_m?: string | null;
      /**
       * Colour
       * @default null
       */
      colour?: string;
      /**
       * Vendor
       * @default null
       */
      vendor?: string;
      /**
       * Part Number
       * @default null
       */
      part_number?: string;
      /**
       * Bundle
       * @description The bundle or trunk it is laid in.
       * @default null
       */
      bundle?: string;
      /**
       * Tags
       * @default null
       */
      tags?: string[];
      /**
       * Custom
       * @default null
       */
      custom?: {
        [key: string]: unknown;
      };
    };
    Candidate: {
      machine: components["schemas"]["MachineBrief"];
      model: string;
      clean_since: string;
    };
    Capture: {
      id: number;
      source: number;
      /**
       * Format: date-time
       * @description When reading ended, or the file was uploaded.
       */
      at: string;
      /** @description Who uploaded it; empty when it was read. */
      by: string;
      parts: components["schemas"]["Part"][];
    };
    /** @description The files of one discovery run: the outputs of the tools, gzipped or not. */
    CaptureUploadRequest: {
      files: string[];
      /**
       * @description Of all files; else found by their content.
       * @enum {string}
       */
      format?: "ibnetdiscover" | "iblinkinfo" | "ibqueryerrors" | "perfquery" | "ufm" | "lldp" | "eapi" | "nvue";
    };
    CaseBundle: {
      id: number;
      status: components["schemas"]["CollectionStatus"];
      progress: components["schemas"]["BundleProgress"];
      message: string;
      created_at: string;
      created_by: string;
      finished_at: string | null;
      /** @description Bytes, unpacked. */
      size: number;
      files: components["schemas"]["BundleFile"][];
      missing: components["schemas"]["BundleMissing"][];
    };
    CaseChange: {
      id: number;
      at: string;
      actor: string;
      event: string;
      state: components["schemas"]["VendorCaseState"];
      text: string;
    };
    /** @description What the vendor's form takes, in letters, and what its support asks for. */
    CaseForm: {
      title: number;
      text: number;
      collection: string;
    };
    CaseMachine: {
      id: number;
      name: string;
    };
    CaseMessage: {
      id: number;
      kind: components["schemas"]["VendorMessageKind"];
      channel: components["schemas"]["VendorChannel"];
      status: components["schemas"]["VendorMessageStatus"];
      error: string;
      created_at: string;
      sent_at: string | null;
    };
    /** @description A check; counts are of the sites one may see. */
    Catalogue: {
      id: string;
      family: string;
      title: string;
      part: components["schemas"]["CheckedPart"];
      kind: "level" | "event";
      needs: string;
      severity: components["schemas"]["Severity"];
      /** @description Where remediation of its faults starts. */
      start_level: components["schemas"]["RemediationLevel"];
      advice: string;
      source: string;
      thresholds: {
        [key: string]: number;
      };
      fault_classes: string[];
      /** @description Opens no fault now, at one of the sites at least. */
      audit_mode: boolean;
      /** @description Live ones. */
      overrides: number;
      /** @description Live ones. */
      silences: number;
      /** @description Machines, of those that are swept. */
      failing: number;
      /** @description Machines, of those that are swept. */
      unknown: number;
    };
    /** @description A check; counts are of the sites one may see. */
    CatalogueDetail: {
      id: string;
      family: string;
      title: string;
      part: components["schemas"]["CheckedPart"];
      kind: "level" | "event";
      needs: string;
      severity: components["schemas"]["Severity"];
      /** @description Where remediation of its faults starts. */
      start_level: components["schemas"]["RemediationLevel"];
      advice: string;
      source: string;
      thresholds: {
        [key: string]: number;
      };
      fault_classes: string[];
      /** @description Opens no fault now, at one of the sites at least. */
      audit_mode: boolean;
      overrides: components["schemas"]["Override"][];
      silences: components["schemas"]["Silence"][];
      /** @description Machines, of those that are swept. */
      failing: number;
      /** @description Machines, of those that are swept. */
      unknown: number;
      samples: components["schemas"]["Sample"][];
    };
    /** @description The state a person should look at first, and how many links there are of each. */
    Cell: {
      state: components["schemas"]["LinkState"];
      counts: {
        [key: string]: number;
      };
    };
    /** @description Machines by the word of the floor map. */
    CellTotals: {
      allocated: number;
      available: number;
      suspect: number;
      failed: number;
      drained: number;
      repair: number;
      provisioning: number;
      off: number;
      no_signal: number;
    };
    /** @description One transaction of one actor. */
    Change: {
      id: number;
      at: string;
      actor: string;
      actor_kind: string;
      /** @description The actor as one says it, such as `a sweep`. */
      who: string;
      /** @description What it did, in words: with `who` a sentence. */
      did: string;
      source: string;
      request_id: string;
      note: string;
      site: number | null;
      entries: components["schemas"]["ChangedRow"][];
      more_entries: number;
      undoable: boolean;
      /** @description Why it cannot be undone. */
      undo_refused: string;
      undone_by: number | null;
      undoes: number | null;
      /** @description The background undo of it, of many rows, and how far it is. */
      undoing: components["schemas"]["Undoing"] | null;
    };
    /** ChangeSetRecord */
    ChangeSetRecordRequest: {
      /** Site */
      site: number | string | {
        [key: string]: number | string;
      };
      /** Name */
      name: string;
    };
    /** ChangeSets */
    ChangeSets: {
      /** Id */
      id: number;
      /** Site */
      site: number;
      /** Site Name */
      site_name: string | null;
      /** Name */
      name: string;
    };
    /** ChangeSetsChange */
    ChangeSetsChangeRequest: {
      /**
       * Site
       * @default null
       */
      site?: number | string | {
        [key: string]: number | string;
      };
      /**
       * Name
       * @default null
       */
      name?: string;
    };
    ChangedLink: {
      source: number;
      a: components["schemas"]["SeenEnd"];
      b: components["schemas"]["SeenEnd"];
      width: string;
      speed: string;
      /**
       * Format: date-time
       * @description When it came, or was gone.
       */
      at: string;
    };
    ChangedLinks: {
      come: components["schemas"]["ChangedLink"][];
      gone: components["schemas"]["ChangedLink"][];
      /** @description One end stayed in its port. */
      moved: components["schemas"]["LinkPair"][];
      /** @description Of another width or speed. */
      rate: components["schemas"]["LinkPair"][];
    };
    ChangedNode: {
      source: number;
      guid: string;
      kind: "switch" | "adapter" | "router" | "aggregation";
      /** @description What it calls itself. */
      reported: string;
      device: string;
      device_id: number | null;
      /**
       * Format: date-time
       * @description When it came, or was gone.
       */
      at: string;
    };
    ChangedNodes: {
      come: components["schemas"]["ChangedNode"][];
      gone: components["schemas"]["ChangedNode"][];
      changed: components["schemas"]["NodePair"][];
    };
    ChangedRow: {
      kind: string;
      object: number | null;
      name: string;
      action: "created" | "changed" | "deleted";
      /** @description By the name of the field. */
      fields: {
        [key: string]: components["schemas"]["FieldChange"];
      };
    };
    /** @description A setting of a site, or of every site, for their administrators. */
    Channel: {
      id: number;
      /** @description Empty: every site. */
      site: number | null;
      name: string;
      kind: components["schemas"]["MessageChannelKind"];
      /** @description Of its URL, to be shown. */
      host: string;
      recipients: string[];
      active: boolean;
      created_at: string;
      created_by: string;
      /**
       * @description Messages that wait or are tried again.
       * @default 0
       */
      waiting: number;
      /**
       * @description Messages that were given up.
       * @default 0
       */
      failed: number;
    };
    /** @description A setting of a site, or of every site, for their administrators. */
    ChannelRequest: {
      /** @description Empty: every site. Id or slug. */
      site?: number | string | null;
      name: string;
      kind: components["schemas"]["MessageChannelKind"];
      /** @description Of a hook or topic. It is kept encrypted and never shown: whoever knows it may post there. */
      url?: string;
      recipients?: string[];
      active?: boolean;
    };
    Chart: {
      name: "symbol_errors" | "link_downed" | "effective_ber" | "raw_ber" | "fec_uncorrected" | "fec_corrected" | "receive_errors" | "optic_c" | "port_c" | "transmit_words" | "receive_words";
      title: string;
      unit: string;
      /**
       * Format: double
       * @description What it is evaluated by.
       */
      limit: number | null;
      series: components["schemas"]["Line"][];
    };
    CheckDeclaration: {
      id: string;
      title: string;
      /** @description A kind of part (one verdict for each), mount, or machine. */
      part: string;
      /** @description The reading it is fed with. */
      needs: string;
      kind: "level" | "event";
      fault_classes: string[];
      advice: string;
      /** @description Where its rule comes from. */
      source: string;
      /** @description Its limits by name. */
      thresholds: {
        [key: string]: number;
      };
    };
    CheckMatrix: {
      checks: components["schemas"]["MatrixCheck"][];
      machines: components["schemas"]["MatrixMachine"][];
      /** @description Machines on all pages. */
      count: number;
      page: number;
      pages: number;
    };
    CheckRun: {
      at: string;
      worst: components["schemas"]["VerdictCode"];
      fail: number;
      warn: number;
      unknown: number;
    };
    CheckThen: {
      check: string;
      part: string;
      verdict: components["schemas"]["VerdictCode"];
    };
    /**
     * @description * `gpu`: each GPU.
     *     * `hca`: each network card.
     *     * `nvme`: each NVMe drive.
     *     * `psu`: each power supply.
     *     * `mount`: each file system.
     *     * `machine`: the machine.
     * @enum {string}
     */
    CheckedPart: "gpu" | "hca" | "nvme" | "psu" | "mount" | "machine";
    Checks: {
      version: string;
      checks: components["schemas"]["CheckDeclaration"][];
    };
    CloseIncidentRequest: {
      reason: string;
    };
    CollectedMachine: {
      id: number;
      machine: number | null;
      name: string;
      ranks: number[];
      result: components["schemas"]["CollectedResult"];
      message: string;
      took_s: number | null;
      /**
       * Format: double
       * @description Its clock against ours; null: not known.
       */
      clock_ahead_s: number | null;
      answered_at: string | null;
      /** @description Bytes of the evidence, compressed. */
      size: number;
    };
    CollectedMachinePage: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["CollectedMachine"][];
    };
    /**
     * @description * `ok`: Complete.
     *     * `partly`: In part. Some of it could not be read.
     *     * `nothing`: Nothing found. No process of the run and no log of it.
     *     * `unreachable`: Unreachable.
     *     * `refused`: Refused. The login, or sudo for the tools, is not allowed.
     *     * `too_large`: Too large.
     *     * `cut`: Cut off.
     *     * `failed`: Failed.
     *     * `waiting`: Waiting.
     * @enum {string}
     */
    CollectedResult: "ok" | "partly" | "nothing" | "unreachable" | "refused" | "too_large" | "cut" | "failed" | "waiting";
    Collection: {
      id: number;
      site: number;
      run: number;
      state: components["schemas"]["CollectionStatus"];
      /** @default asked */
      reason: components["schemas"]["CollectionReason"];
      by: string;
      machines: number;
      /** @description Machines that are through. */
      answered: number;
      /** @description Machines that gave everything. */
      complete: number;
      /** @description Bytes that are kept, compressed. */
      size: number;
      message: string;
      created_at: string;
      started_at: string | null;
      finished_at: string | null;
    };
    CollectionDetail: {
      id: number;
      site: number;
      run: number;
      state: components["schemas"]["CollectionStatus"];
      /** @default asked */
      reason: components["schemas"]["CollectionReason"];
      by: string;
      machines: number;
      /** @description Machines that are through. */
      answered: number;
      /** @description Machines that gave everything. */
      complete: number;
      /** @description Bytes that are kept, compressed. */
      size: number;
      message: string;
      created_at: string;
      started_at: string | null;
      finished_at: string | null;
      summary: components["schemas"]["EvidenceSummary"] | null;
      /** @description Whether you may; else lines are empty. */
      may_read_logs: boolean;
    };
    /**
     * @description * `asked`: Collected. Asked for by a person.
     *     * `hang`: At the hang. Collected by itself because the run hangs.
     *     * `pushed`: Pushed. Sent by the job of the run.
     * @enum {string}
     */
    CollectionReason: "asked" | "hang" | "pushed";
    /**
     * @description * `queued`: Queued.
     *     * `running`: In progress.
     *     * `done`: Done.
     *     * `failed`: Failed.
     * @enum {string}
     */
    CollectionStatus: "queued" | "running" | "done" | "failed";
    /** CommentRecord */
    CommentRecordRequest: {
      /**
       * Site
       * @description That of the device or rack.
       * @default null
       */
      site?: number | string | {
        [key: string]: number | string;
      } | null;
      /**
       * Room
       * @description That of the rack.
       * @default null
       */
      room?: number | string | {
        [key: string]: number | string;
      } | null;
      /**
       * Device
       * @default null
       */
      device?: number | string | {
        [key: string]: number | string;
      } | null;
      /**
       * Rack
       * @default null
       */
      rack?: number | string | {
        [key: string]: number | string;
      } | null;
      /**
       * Author
       * @description Whose words these are, by user name. Empty in a new one: who writes it.
       * @default null
       */
      author?: string | null;
      /**
       * At
       * @description When it was said. Empty in a new one: now.
       * @default null
       */
      at?: string | null;
      /** Text */
      text: string;
    };
    /** Comments */
    Comments: {
      /** Id */
      id: number;
      /**
       * Site
       * @description That of the device or rack.
       */
      site: number | null;
      /** Site Name */
      site_name: string | null;
      /**
       * Room
       * @description That of the rack.
       */
      room: number | null;
      /** Room Name */
      room_name: string | null;
      /** Device */
      device: number | null;
      /** Device Name */
      device_name: string | null;
      /** Rack */
      rack: number | null;
      /** Rack Name */
      rack_name: string | null;
      /**
       * Author
       * @description Whose words these are, by user name. Empty in a new one: who writes it.
       */
      author: string | null;
      /**
       * At
       * @description When it was said. Empty in a new one: now.
       */
      at: string | null;
      /** Text */
      text: string;
      /**
       * Author Name
       * @description As people know them.
       */
      author_name: string;
      /**
       * Edited At
       * @description When the text was changed last.
       */
      edited_at: string | null;
    };
    /** CommentsChange */
    CommentsChangeRequest: {
      /**
       * Site
       * @description That of the device or rack.
       * @default null
       */
      site?: number | string | {
        [key: string]: number | string;
      } | null;
      /**
       * Room
       * @description That of the rack.
       * @default null
       */
      room?: number | string | {
        [key: string]: number | string;
      } | null;
      /**
       * Device
       * @default null
       */
      device?: number | string | {
        [key: string]: number | string;
      } | null;
      /**
       * Rack
       * @default null
       */
      rack?: number | string | {
        [key: string]: number | string;
      } | null;
      /**
       * Author
       * @description Whose words these are, by user name. Empty in a new one: who writes it.
       * @default null
       */
      author?: string | null;
      /**
       * At
       * @description When it was said. Empty in a new one: now.
       * @default null
       */
      at?: string | null;
      /**
       * Text
       * @default null
       */
      text?: string;
    };
    /** ComponentRecord */
    ComponentRecordRequest: {
      /** Site */
      site: number | string | {
        [key: string]: number | string;
      };
      /**
       * Kind
       * @description That of the slot if it is in one.
       * @default null
       */
      kind?: components["schemas"]["PartKind"] | null;
      /**
       * Vendor
       * @default
       */
      vendor?: string;
      /**
       * Part Number
       * @default
       */
      part_number?: string;
      /**
       * Serial
       * @description Empty: not known.
       * @default
       */
      serial?: string;
      /**
       * Attributes
       * @description uuid, guid, firmware and the like, as the tools print them.
       */
      attributes?: {
        [key: string]: unknown;
      };
      /**
       * Condition
       * @default good
       */
      condition?: components["schemas"]["PartCondition"];
      /**
       * Device
       * @description What it is installed in; null: nothing.
       * @default null
       */
      device?: number | string | {
        [key: string]: number | string;
      } | null;
      /**
       * Slot
       * @description A slot of the device's model, such as GPU 5.
       * @default null
       */
      slot?: string | null;
      /**
       * Storage
       * @description Where it lies while it is installed nowhere.
       * @default null
       */
      storage?: number | string | {
        [key: string]: number | string;
      } | null;
      /** Tags */
      tags?: string[];
      /** Custom */
      custom?: {
        [key: string]: unknown;
      };
    };
    /** Components */
    Components: {
      /** Id */
      id: number;
      /** Site */
      site: number;
      /** Site Name */
      site_name: string | null;
      /**
       * Kind
       * @description That of the slot if it is in one.
       */
      kind: components["schemas"]["PartKind"] | null;
      /** Vendor */
      vendor: string;
      /** Part Number */
      part_number: string;
      /**
       * Serial
       * @description Empty: not known.
       */
      serial: string;
      /**
       * Attributes
       * @description uuid, guid, firmware and the like, as the tools print them.
       */
      attributes: {
        [key: string]: unknown;
      };
      /** Condition */
      condition: components["schemas"]["PartCondition"];
      /**
       * Device
       * @description What it is installed in; null: nothing.
       */
      device: number | null;
      /** Device Name */
      device_name: string | null;
      /**
       * Slot
       * @description A slot of the device's model, such as GPU 5.
       */
      slot: string | null;
      /**
       * Storage
       * @description Where it lies while it is installed nowhere.
       */
      storage: number | null;
      /** Storage Name */
      storage_name: string | null;
      /** Tags */
      tags: string[];
      /** Custom */
      custom: {
        [key: string]: unknown;
      };
      /** @description Where it sits now, since when, by whom; null in stock. */
      installed: components["schemas"]["InstalledAnswer"] | null;
    };
    /** ComponentsChange */
    ComponentsChangeRequest: {
      /**
       * Site
       * @default null
       */
      site?: number | string | {
        [key: string]: number | string;
      };
      /**
       * Kind
       * @description That of the slot if it is in one.
       * @default null
       */
      kind?: components["schemas"]["PartKind"] | null;
      /**
       * Vendor
       * @default null
       */
      vendor?: string;
      /**
       * Part Number
       * @default null
       */
      part_number?: string;
      /**
       * Serial
       * @description Empty: not known.
       * @default null
       */
      serial?: string;
      /**
       * Attributes
       * @description uuid, guid, firmware and the like, as the tools print them.
       * @default null
       */
      attributes?: {
        [key: string]: unknown;
      };
      /**
       * Condition
       * @default null
       */
      condition?: components["schemas"]["PartCondition"];
      /**
       * Device
       * @description What it is installed in; null: nothing.
       * @default null
       */
      device?: number | string | {
        [key: string]: number | string;
      } | null;
      /**
       * Slot
       * @description A slot of the device's model, such as GPU 5.
       * @default null
       */
      slot?: string | null;
      /**
       * Storage
       * @description Where it lies while it is installed nowhere.
       * @default null
       */
      storage?: number | string | {
        [key: string]: number | string;
      } | null;
      /**
       * Tags
       * @default null
       */
      tags?: string[];
      /**
       * Custom
       * @default null
       */
      custom?: {
        [key: string]: unknown;
      };
    };
    /** @description What the tests over groups say of one adapter. */
    Conclusion: {
      bad: string[];
      /** @description Bad ones, with those behind them. */
      switches: {
        [key: string]: string[];
      };
      /** @description With the reason. */
      undecided: {
        [key: string]: string;
      };
    };
    /** @description What is known of a machine now. */
    Condition: {
      /** @description The word of the floor map. */
      cell: components["schemas"]["MachineCell"];
      state: components["schemas"]["MachineState"];
      state_since: string;
      worst: components["schemas"]["VerdictCode"];
      reachability: components["schemas"]["Reachability"];
      last_seen_at: string | null;
      boot_id: string;
      power: components["schemas"]["PowerReading"];
      allocation: components["schemas"]["Allocation"];
      /** @description Leading faults, suspected or confirmed. */
      faults: number;
      maintenance_until: string | null;
    };
    /** @description What is known of a machine now. */
    ConditionWithHolds: {
      /** @description The word of the floor map. */
      cell: components["schemas"]["MachineCell"];
      state: components["schemas"]["MachineState"];
      state_since: string;
      worst: components["schemas"]["VerdictCode"];
      reachability: components["schemas"]["Reachability"];
      last_seen_at: string | null;
      boot_id: string;
      power: components["schemas"]["PowerReading"];
      allocation: components["schemas"]["Allocation"];
      /** @description Leading faults, suspected or confirmed. */
      faults: number;
      maintenance_until: string | null;
      holds: components["schemas"]["Hold"][];
    };
    /** ContactRecord */
    ContactRecordRequest: {
      /**
       * Site
       * @description Empty: for all sites.
       * @default null
       */
      site?: number | string | {
        [key: string]: number | string;
      } | null;
      /** Name */
      name: string;
      /**
       * Role
       * @description Such as facility, vendor support, owner.
       * @default
       */
      role?: string;
      /**
       * Email
       * @default
       */
      email?: string;
      /**
       * Phone
       * @default
       */
      phone?: string;
      /**
       * Note
       * @default
       */
      note?: string;
    };
    /** Contacts */
    Contacts: {
      /** Id */
      id: number;
      /**
       * Site
       * @description Empty: for all sites.
       */
      site: number | null;
      /** Site Name */
      site_name: string | null;
      /** Name */
      name: string;
      /**
       * Role
       * @description Such as facility, vendor support, owner.
       */
      role: string;
      /** Email */
      email: string;
      /** Phone */
      phone: string;
      /** Note */
      note: string;
    };
    /** ContactsChange */
    ContactsChangeRequest: {
      /**
       * Site
       * @description Empty: for all sites.
       * @default null
       */
      site?: number | string | {
        [key: string]: number | string;
      } | null;
      /**
       * Name
       * @default null
       */
      name?: string;
      /**
       * Role
       * @description Such as facility, vendor support, owner.
       * @default null
       */
      role?: string;
      /**
       * Email
       * @default null
       */
      email?: string;
      /**
       * Phone
       * @default null
       */
      phone?: string;
      /**
       * Note
       * @default null
       */
      note?: string;
    };
    CrossedLeaf: {
      id: number;
      name: string;
      /** @description Of the job's machines, those whose port of this rail ends here. */
      machines: number;
    };
    CrossedRail: {
      rail: number;
      leaves: components["schemas"]["CrossedLeaf"][];
      /** @description Ports of this rail whose way ends nowhere. */
      uncabled: number;
    };
    /** @description Columns of equal length; a point stands for `steps` steps that ended by `at`. */
    Curve: {
      baseline_s: number | null;
      /** @description Every step is a point of its own, or every piece of steps. */
      exact: boolean;
      at: string[];
      median_s: number[];
      least_s: number[];
      most_s: number[];
      loss: (number | null)[];
      steps: number[];
    };
    CurvePoint: {
      at: string;
      count: number;
    };
    /** CustomFieldRecord */
    CustomFieldRecordRequest: {
      /**
       * Name
       * @description As in files: cf_NAME.
       */
      name: string;
      /** Title */
      title: string;
      /**
       * Help
       * @default
       */
      help?: string;
      /**
       * Type
       * @enum {string}
       */
      type: "text" | "integer" | "number" | "boolean" | "date" | "url" | "choice" | "choices";
      /**
       * Kinds
       * @description Kinds of records that have it, such as racks.
       */
      kinds: string[];
      /**
       * Required
       * @default false
       */
      required?: boolean;
      /** Choices */
      choices?: string[];
      /**
       * Pattern
       * @description A regular expression a text must match.
       * @default
       */
      pattern?: string;
      /**
       * Minimum
       * @default null
       */
      minimum?: string | null;
      /**
       * Maximum
       * @default null
       */
      maximum?: string | null;
    };
    /** CustomFields */
    CustomFields: {
      /** Id */
      id: number;
      /**
       * Name
       * @description As in files: cf_NAME.
       */
      name: string;
      /** Title */
      title: string;
      /** Help */
      help: string;
      /**
       * Type
       * @enum {string}
       */
      type: "text" | "integer" | "number" | "boolean" | "date" | "url" | "choice" | "choices";
      /**
       * Kinds
       * @description Kinds of records that have it, such as racks.
       */
      kinds: string[];
      /** Required */
      required: boolean;
      /** Choices */
      choices: string[];
      /**
       * Pattern
       * @description A regular expression a text must match.
       */
      pattern: string;
      /** Minimum */
      minimum: number | null;
      /** Maximum */
      maximum: number | null;
    };
    /** CustomFieldsChange */
    CustomFieldsChangeRequest: {
      /**
       * Name
       * @description As in files: cf_NAME.
       * @default null
       */
      name?: string;
      /**
       * Title
       * @default null
       */
      title?: string;
      /**
       * Help
       * @default null
       */
      help?: string;
      /**
       * Type
       * @default null
       * @enum {string}
       */
      type?: "text" | "integer" | "number" | "boolean" | "date" | "url" | "choice" | "choices";
      /**
       * Kinds
       * @description Kinds of records that have it, such as racks.
       * @default null
       */
      kinds?: string[];
      /**
       * Required
       * @default null
       */
      required?: boolean;
      /**
       * Choices
       * @default null
       */
      choices?: string[];
      /**
       * Pattern
       * @description A regular expression a text must match.
       * @default null
       */
      pattern?: string;
      /**
       * Minimum
       * @default null
       */
      minimum?: string | null;
      /**
       * Maximum
       * @default null
       */
      maximum?: string | null;
    };
    /**
     * @description * `site`: Site.
     *     * `model`: Model.
     *     * `machine`: Machine.
     * @enum {string}
     */
    DecisionScope: "site" | "model" | "machine";
    Delivery: {
      id: number;
      webhook: number;
      message: string;
      /** @description The event it reports, such as ticket.changed. */
      event: string;
      status: components["schemas"]["DeliveryStatus"];
      attempts: number;
      /**
       * Format: date-time
       * @description When it is tried next, while pending.
       */
      next_at: string;
      created_at: string;
      tried_at: string | null;
      response_status: number | null;
      response_excerpt: string;
      /** @description Why the last attempt failed. */
      error: string;
      duration_ms: number | null;
    };
    /** @description Machines of one model that were taken over of one delivery. */
    DeliveryBatch: {
      delivery: number;
      /** @description The purchase order, or the vendor's name of it. */
      order: string;
      vendor: string;
      model: string;
      machines: number;
      in_service: number;
      /** @description Failed, or past the limit of their stage. */
      stuck: number;
      /**
       * Format: double
       * @description That came to service an hour, over the last six.
       */
      rate_an_hour: number;
      /**
       * Format: date-time
       * @description When those that are not stuck will be in service at this rate; null: none came.
       */
      done_at: string | null;
      first_boots: components["schemas"]["FirstBoots"];
    };
    DeliveryDetail: {
      id: number;
      webhook: number;
      message: string;
      /** @description The event it reports, such as ticket.changed. */
      event: string;
      status: components["schemas"]["DeliveryStatus"];
      attempts: number;
      /**
       * Format: date-time
       * @description When it is tried next, while pending.
       */
      next_at: string;
      created_at: string;
      tried_at: string | null;
      response_status: number | null;
      response_excerpt: string;
      /** @description Why the last attempt failed. */
      error: string;
      duration_ms: number | null;
      /** @description The bytes that are signed. */
      body: string;
    };
    /**
     * @description * `fits`: Fits the plan. A planned machine lacks what the row tells; it is written when the row is taken over.
     *     * `same`: As planned. The inventory has it all.
     *     * `exchanged`: Exchanged. Two machines of the list stand in each other's place.
     *     * `moved`: In another place. The inventory has this machine elsewhere.
     *     * `taken`: Place is taken. The place is planned for a machine with another serial.
     *     * `differs`: Differs. Its model or one of its addresses is another than planned.
     *     * `unknown`: Not planned. Neither its service tag nor its place is in the inventory.
     * @enum {string}
     */
    DeliveryMatch: "fits" | "same" | "exchanged" | "moved" | "taken" | "differs" | "unknown";
    /**
     * @description * `pending`: Pending. It is sent again until it arrives or its tries are used up.
     *     * `delivered`: Delivered. The receiver took it.
     *     * `dead`: Given up. No try is left; it can be replayed.
     * @enum {string}
     */
    DeliveryStatus: "pending" | "delivered" | "dead";
    /**
     * @description * `never`: Never asked.
     *     * `good`: Answers.
     *     * `failed`: Does not answer.
     * @enum {string}
     */
    DeployerState: "never" | "good" | "failed";
    /**
     * @description * `mark_broken`: Mark broken.
     *     * `mark_fixed`: Mark fixed.
     *     * `release`: Release.
     * @enum {string}
     */
    DeployerWriteKind: "mark_broken" | "mark_fixed" | "release";
    /**
     * @description * `waiting`: Waiting.
     *     * `done`: Done.
     *     * `dry_run`: Dry run. It is said, and was not sent.
     *     * `dropped`: Dropped.
     * @enum {string}
     */
    DeployerWriteStatus: "waiting" | "done" | "dry_run" | "dropped";
    DesiredState: {
      want: components["schemas"]["DesiredStateKind"];
      status: components["schemas"]["DesiredStateStatus"];
      reason: string;
      tries: number;
      error: string;
      requested_at: string;
      done_at: string | null;
    };
    /**
     * @description * `drain`: Drain.
     *     * `resume`: Resume.
     * @enum {string}
     */
    DesiredStateKind: "drain" | "resume";
    /**
     * @description * `waiting`: on its way.
     *     * `done`: done.
     *     * `theirs`: owned by somebody else.
     * @enum {string}
     */
    DesiredStateStatus: "waiting" | "done" | "theirs";
    DeskLimit: {
      /**
       * Format: int64
       * @description Id of a technician.
       */
      person: number;
      queues: components["schemas"]["TicketQueue"][];
    };
    DeskLimitRequest: {
      /** @description Id or user name of a technician. */
      person: number | string;
      queues: components["schemas"]["TicketQueue"][];
    };
    /**
     * @description In how many hours tickets of a site are due, when people work there, which queue takes what, and who works on
     *     which.
     */
    DeskPolicy: {
      site: number;
      p1_hours: number;
      p2_hours: number;
      p3_hours: number;
      /** @description Priorities whose hours never pause. */
      around_the_clock: ("P1" | "P2" | "P3")[];
      /** @description In the site's time zone. */
      work_from: string;
      work_until: string;
      /** @description 0 is Monday. */
      work_days: number[];
      days_off: string[];
      queue_rules: components["schemas"]["DeskRule"][];
      /** @description Technicians who work on these queues only; all others on all. */
      limits: components["schemas"]["DeskLimit"][];
    };
    DeskRule: {
      /** @description A class of fault, or a pattern such as gpu.* */
      classes: string;
      queue: components["schemas"]["TicketQueue"];
    };
    DeskRuleRequest: {
      /** @description A class of fault, or a pattern such as gpu.* */
      classes: string;
      queue: components["schemas"]["TicketQueue"];
    };
    Deviant: {
      id: number;
      name: string;
      value: string;
    };
    /** @description A cable in one port of a device. */
    DeviceCable: {
      id: number;
      label: string;
      type: string;
      length_m: number | null;
      colour: string;
      status: components["schemas"]["CableStatus"];
      vendor: string;
      part_number: string;
      bundle: string;
      near: components["schemas"]["NearEnd"];
      /** @description The first, where one end meets several. */
      far: components["schemas"]["FarEnd"] | null;
      /** @description All far ends, where there are several. */
      branches: components["schemas"]["FarEnd"][];
    };
    /** @description The side of a device with its ports, as one stands before it. */
    DeviceFace: {
      kind: components["schemas"]["DeviceKind"];
      /** @description Its vendor and name. */
      model: string;
      /** @description As one walks there. */
      place: string;
      u_height: number;
      cages: components["schemas"]["FaceCage"][];
      ports: components["schemas"]["FacePort"][];
    };
    DeviceInput: {
      port: string;
      pdu: components["schemas"]["Named"] | null;
      outlet: string | null;
      feed: components["schemas"]["Named"] | null;
    };
    /**
     * @description * `machine`: Machine.
     *     * `switch`: Switch.
     *     * `pdu`: PDU.
     *     * `panel`: Panel.
     *     * `shelf`: Shelf.
     * @enum {string}
     */
    DeviceKind: "machine" | "switch" | "pdu" | "panel" | "shelf";
    /** DeviceModelRecord */
    DeviceModelRecordRequest: {
      /**
       * Slug
       * @description That of the file if empty.
       * @default
       */
      slug?: string;
      /**
       * Spec
       * @description The device model file: docs/device-models.md.
       */
      spec: {
        [key: string]: unknown;
      };
    };
    /** DeviceModels */
    DeviceModels: {
      /** Id */
      id: number;
      /**
       * Slug
       * @description That of the file if empty.
       */
      slug: string;
      /**
       * Spec
       * @description The device model file: docs/device-models.md.
       */
      spec: {
        [key: string]: unknown;
      };
      /** Vendor */
      vendor: string;
      /** Name */
      name: string;
      /** Kind */
      kind: string;
      /**
       * Height U
       * @description Its height in units; 0 for zero-U.
       */
      height_u: number;
      /** Full Depth */
      full_depth: boolean;
      /** Airflow */
      airflow: string;
      /**
       * Air Class
       * @description ASHRAE class of the air that it takes in.
       */
      air_class: string;
      /**
       * Power W
       * @description Planned draw at full load.
       */
      power_w: number;
      /** Gpu Count */
      gpu_count: number;
      /** Gpu Type */
      gpu_type: string;
      /** Psu Count */
      psu_count: number;
    };
    /** DeviceModelsChange */
    DeviceModelsChangeRequest: {
      /**
       * Slug
       * @description That of the file if empty.
       * @default null
       */
      slug?: string;
      /**
       * Spec
       * @description The device model file: docs/device-models.md.
       * @default null
       */
      spec?: {
        [key: string]: unknown;
      };
    };
    /**
     * DevicePart
     * @description A part in a slot of the device it comes with: a component without what the device says.
     */
    DevicePart: {
      /**
       * Id
       * @description As answers have it; otherwise known by its serial, or by its slot.
       * @default null
       */
      id?: number | null;
      /**
       * Slot
       * @description A slot of the model, such as GPU 5.
       */
      slot: string;
      /**
       * Kind
       * @description That of the slot.
       * @default null
       */
      kind?: components["schemas"]["PartKind"] | null;
      /**
       * Vendor
       * @default
       */
      vendor?: string;
      /**
       * Part Number
       * @default
       */
      part_number?: string;
      /**
       * Serial
       * @description Empty: not known.
       * @default
       */
      serial?: string;
      /** Attributes */
      attributes?: {
        [key: string]: unknown;
      };
      /**
       * Condition
       * @default good
       * @enum {string}
       */
      condition?: "good" | "suspect";
    };
    /** DevicePartAnswer */
    DevicePartAnswer: {
      /** Id */
      id: number;
      /** Slot */
      slot: string;
      /** Kind */
      kind: components["schemas"]["PartKind"];
      /** Vendor */
      vendor: string;
      /** Part Number */
      part_number: string;
      /** Serial */
      serial: string;
      /** Attributes */
      attributes: {
        [key: string]: unknown;
      };
      /** Condition */
      condition: components["schemas"]["PartCondition"];
    };
    DevicePower: {
      model: string;
      /** @description The model tells of power inside it. */
      planned: boolean;
      supply: components["schemas"]["Supply"];
      slots: components["schemas"]["PoweredSlot"][];
      /** @description The worst first. */
      findings: components["schemas"]["PowerFinding"][];
      device: components["schemas"]["Named"];
    };
    /** DeviceRecord */
    DeviceRecordRequest: {
      /** Site */
      site: number | string | {
        [key: string]: number | string;
      };
      /** Name */
      name: string;
      /** Model */
      model: number | string | {
        [key: string]: number | string;
      };
      /**
       * Status
       * @description retired: out for good, without place.
       * @default active
       */
      status?: components["schemas"]["DeviceStatus"];
      /**
       * Serial
       * @default
       */
      serial?: string;
      /**
       * Asset Tag
       * @default
       */
      asset_tag?: string;
      /**
       * Room
       * @default null
       */
      room?: number | string | {
        [key: string]: number | string;
      } | null;
      /**
       * Rack
       * @default null
       */
      rack?: number | string | {
        [key: string]: number | string;
      } | null;
      /**
       * U
       * @description Its lowest unit.
       * @default null
       */
      u?: number | null;
      /**
       * Face
       * @description Where a device that is not as deep as the rack sits; front by default.
       * @default null
       */
      face?: ("front" | "rear" | "both") | null;
      /**
       * Column
       * @description Half of the rack's width; full by default.
       * @default null
       */
      column?: ("full" | "left" | "right") | null;
      /**
       * Side
       * @description Slot of a zero-U device, such as rear-left.
       * @default null
       */
      side?: string | null;
      /**
       * Parent
       * @description The device whose bay it sits in.
       * @default null
       */
      parent?: number | string | {
        [key: string]: number | string;
      } | null;
      /**
       * Bay
       * @default
       */
      bay?: string;
      /**
       * Service Tag
       * @description What the vendor's support asks for.
       * @default
       */
      service_tag?: string;
      /**
       * Support Vendor
       * @description Who repairs it under warranty.
       * @default
       */
      support_vendor?: string;
      /**
       * Warranty Until
       * @default null
       */
      warranty_until?: string | null;
      /**
       * Contact
       * @default null
       */
      contact?: number | string | {
        [key: string]: number | string;
      } | null;
      /**
       * Role
       * @description Of a machine: with site and model, the pool it is in. compute by default.
       * @default null
       */
      role?: string | null;
      /**
       * System Uuid
       * @default null
       */
      system_uuid?: string | null;
      /**
       * Primary Ip
       * @default null
       */
      primary_ip?: string | null;
      /**
       * Bmc Ip
       * @default null
       */
      bmc_ip?: string | null;
      /**
       * Bmc Mac
       * @default null
       */
      bmc_mac?: string | null;
      /**
       * Boot Mac
       * @default null
       */
      boot_mac?: string | null;
      /**
       * Fabric
       * @default null
       */
      fabric?: ("infiniband" | "ethernet" | "management") | null;
      /**
       * Tier
       * @description Of a switch: leaf, spine, core; tor by default.
       * @default null
       */
      tier?: string | null;
      /**
       * Node Guid
       * @default null
       */
      node_guid?: string | null;
      /**
       * Feed
       * @description Of a PDU: the power feed it hangs on.
       * @default null
       */
      feed?: number | string | {
        [key: string]: number | string;
      } | null;
      /**
       * Limit W
       * @description Of a PDU.
       * @default null
       */
      limit_w?: number | null;
      /** Tags */
      tags?: string[];
      /** Custom */
      custom?: {
        [key: string]: unknown;
      };
      /**
       * Parts
       * @description Parts in its slots, written with it. Those not named stay.
       * @default null
       */
      parts?: components["schemas"]["DevicePart"][] | null;
    };
    /**
     * @description * `planned`: Planned.
     *     * `active`: Active.
     *     * `retired`: Retired. Out for good, without a place.
     * @enum {string}
     */
    DeviceStatus: "planned" | "active" | "retired";
    /** Devices */
    Devices: {
      /** Id */
      id: number;
      /** Site */
      site: number;
      /** Site Name */
      site_name: string | null;
      /** Name */
      name: string;
      /** Model */
      model: number;
      /** Model Name */
      model_name: string | null;
      /**
       * Status
       * @description retired: out for good, without place.
       */
      status: components["schemas"]["DeviceStatus"];
      /** Serial */
      serial: string;
      /** Asset Tag */
      asset_tag: string;
      /** Room */
      room: number | null;
      /** Room Name */
      room_name: string | null;
      /** Rack */
      rack: number | null;
      /** Rack Name */
      rack_name: string | null;
      /**
       * U
       * @description Its lowest unit.
       */
      u: number | null;
      /**
       * Face
       * @description Where a device that is not as deep as the rack sits; front by default.
       */
      face: ("front" | "rear" | "both") | null;
      /**
       * Column
       * @description Half of the rack's width; full by default.
       */
      column: ("full" | "left" | "right") | null;
      /**
       * Side
       * @description Slot of a zero-U device, such as rear-left.
       */
      side: string | null;
      /**
       * Parent
       * @description The device whose bay it sits in.
       */
      parent: number | null;
      /** Parent Name */
      parent_name: string | null;
      /** Bay */
      bay: string;
      /**
       * Service Tag
       * @description What the vendor's support asks for.
       */
      service_tag: string;
      /**
       * Support Vendor
       * @description Who repairs it under warranty.
       */
      support_vendor: string;
      /** Warranty Until */
      warranty_until: string | null;
      /** Contact */
      contact: number | null;
      /** Contact Name */
      contact_name: string | null;
      /**
       * Role
       * @description Of a machine: with site and model, the pool it is in. compute by default.
       */
      role: string | null;
      /** System Uuid */
      system_uuid: string | null;
      /** Primary Ip */
      primary_ip: string | null;
      /** Bmc Ip */
      bmc_ip: string | null;
      /** Bmc Mac */
      bmc_mac: string | null;
      /** Boot Mac */
      boot_mac: string | null;
      /** Fabric */
      fabric: ("infiniband" | "ethernet" | "management") | null;
      /**
       * Tier
       * @description Of a switch: leaf, spine, core; tor by default.
       */
      tier: string | null;
      /** Node Guid */
      node_guid: string | null;
      /**
       * Feed
       * @description Of a PDU: the power feed it hangs on.
       */
      feed: number | null;
      /** Feed Name */
      feed_name: string | null;
      /**
       * Limit W
       * @description Of a PDU.
       */
      limit_w: number | null;
      /** Tags */
      tags: string[];
      /** Custom */
      custom: {
        [key: string]: unknown;
      };
      /**
       * Kind
       * @description As its model says.
       */
      kind: string;
      /** @description Where it is, in words and numbers; null if nowhere. */
      place: components["schemas"]["PlaceAnswer"] | null;
      /**
       * Parts
       * @description The parts in its slots. Only where `fields` names it.
       */
      parts?: components["schemas"]["DevicePartAnswer"][];
    };
    /** DevicesChange */
    DevicesChangeRequest: {
      /**
       * Site
       * @default null
       */
      site?: number | string | {
        [key: string]: number | string;
      };
      /**
       * Name
       * @default null
       */
      name?: string;
      /**
       * Model
       * @default null
       */
      model?: number | string | {
        [key: string]: number | string;
      };
      /**
       * Status
       * @description retired: out for good, without place.
       * @default null
       */
      status?: components["schemas"]["DeviceStatus"];
      /**
       * Serial
       * @default null
       */
      serial?: string;
      /**
       * Asset Tag
       * @default null
       */
      asset_tag?: string;
      /**
       * Room
       * @default null
       */
      room?: number | string | {
        [key: string]: number | string;
      } | null;
      /**
       * Rack
       * @default null
       */
      rack?: number | string | {
        [key: string]: number | string;
      } | null;
      /**
       * U
       * @description Its lowest unit.
       * @default null
       */
      u?: number | null;
      /**
       * Face
       * @description Where a device that is not as deep as the rack sits; front by default.
       * @default null
       */
      face?: ("front" | "rear" | "both") | null;
      /**
       * Column
       * @description Half of the rack's width; full by default.
       * @default null
       */
      column?: ("full" | "left" | "right") | null;
      /**
       * Side
       * @description Slot of a zero-U device, such as rear-left.
       * @default null
       */
      side?: string | null;
      /**
       * Parent
       * @description The device whose bay it sits in.
       * @default null
       */
      parent?: number | string | {
        [key: string]: number | string;
      } | null;
      /**
       * Bay
       * @default null
       */
      bay?: string;
      /**
       * Service Tag
       * @description What the vendor's support asks for.
       * @default null
       */
      service_tag?: string;
      /**
       * Support Vendor
       * @description Who repairs it under warranty.
       * @default null
       */
      support_vendor?: string;
      /**
       * Warranty Until
       * @default null
       */
      warranty_until?: string | null;
      /**
       * Contact
       * @default null
       */
      contact?: number | string | {
        [key: string]: number | string;
      } | null;
      /**
       * Role
       * @description Of a machine: with site and model, the pool it is in. compute by default.
       * @default null
       */
      role?: string | null;
      /**
       * System Uuid
       * @default null
       */
      system_uuid?: string | null;
      /**
       * Primary Ip
       * @default null
       */
      primary_ip?: string | null;
      /**
       * Bmc Ip
       * @default null
       */
      bmc_ip?: string | null;
      /**
       * Bmc Mac
       * @default null
       */
      bmc_mac?: string | null;
      /**
       * Boot Mac
       * @default null
       */
      boot_mac?: string | null;
      /**
       * Fabric
       * @default null
       */
      fabric?: ("infiniband" | "ethernet" | "management") | null;
      /**
       * Tier
       * @description Of a switch: leaf, spine, core; tor by default.
       * @default null
       */
      tier?: string | null;
      /**
       * Node Guid
       * @default null
       */
      node_guid?: string | null;
      /**
       * Feed
       * @description Of a PDU: the power feed it hangs on.
       * @default null
       */
      feed?: number | string | {
        [key: string]: number | string;
      } | null;
      /**
       * Limit W
       * @description Of a PDU.
       * @default null
       */
      limit_w?: number | null;
      /**
       * Tags
       * @default null
       */
      tags?: string[];
      /**
       * Custom
       * @default null
       */
      custom?: {
        [key: string]: unknown;
      };
      /**
       * Parts
       * @description Parts in its slots, written with it. Those not named stay.
       * @default null
       */
      parts?: components["schemas"]["DevicePart"][] | null;
    };
    DiagnosedFinding: {
      kind: components["schemas"]["FindingKind"];
      key: string;
      severity: "critical" | "high" | "low";
      title: string;
      text: string;
      devices: string[];
      cables: string[];
      moves: components["schemas"]["Move"][];
      cabling: components["schemas"]["KeptCabling"];
      ports: components["schemas"]["End"][];
      /** @description In the order to try. */
      checks: string[];
      /** @description What it was concluded from; each kind of finding has its own. */
      evidence: {
        [key: string]: unknown;
      };
    };
    Diagnosis: {
      discovery: number;
      capture: number;
      captured_at: string;
      state: components["schemas"]["SourceState"];
      /** @description Why the guard would reject it. */
      held_back: string | null;
      problems: components["schemas"]["Problem"][];
      counts: components["schemas"]["DiagnosisCounts"];
      findings: components["schemas"]["DiagnosedFinding"][];
      moves: components["schemas"]["Move"][];
      /** @description GUID to the name of the planned device. */
      names: {
        [key: string]: string;
      };
    };
    /** @description What was counted; nothing, where there was nothing to compare or the run is not trusted. */
    DiagnosisCounts: {
      /** @description Connector insertions. */
      moves?: number;
      unlit_links?: number;
      unlit_links_at_dead_devices?: number;
      unplanned_links?: number;
      renames?: number;
      /** @description Cables of the plan. */
      planned?: number;
      nodes?: number;
      links?: number;
      states?: components["schemas"]["LinkStates"];
    };
    /** @description What is no longer as the change left it, and the later change that did that, where it is known. */
    Difference: {
      kind: string;
      object: number;
      name: string;
      field: string;
      expected: unknown;
      current: unknown;
      change: number | null;
      by: string;
      at: string | null;
    };
    Disagreement: {
      kind: components["schemas"]["DisagreementKind"];
      site: number;
      machine: number | null;
      name: string;
      text: string;
      since: string | null;
      /** @description What it was concluded from; each kind has its own. */
      details: {
        [key: string]: unknown;
      };
    };
    /**
     * @description * `drained_without_ticket`: Drained, nobody works on it. The scheduler keeps it out of service, and we have neither fault nor ticket.
     *     * `closed_still_drained`: Repaired, still drained. We have it in service, and the scheduler does not.
     *     * `bad_allocated`: Broken, still at work. Jobs run on a machine that is out of service here.
     *     * `facts_differ`: Other hardware. The scheduler counts other processors, memory or GPUs than the inventory.
     *     * `unknown_machine`: Not in the inventory. Only the scheduler knows it.
     *     * `missing_machine`: Not in the scheduler. Only the inventory knows it.
     *     * `not_read`: Not read. The scheduler gives no answer that could be compared.
     * @enum {string}
     */
    DisagreementKind: "drained_without_ticket" | "closed_still_drained" | "bad_allocated" | "facts_differ" | "unknown_machine" | "missing_machine" | "not_read";
    /** @description A BMC, and what it means beside the plan; `changes` and `slots` would be written, and nothing else. */
    DiscoveredBmc: {
      number: number;
      address: string;
      mac: string;
      hostname: string;
      state: components["schemas"]["BmcState"];
      finding: components["schemas"]["DiscoveryFinding"];
      text: string;
      evidence: string[];
      changes: {
        [key: string]: string;
      };
      /** @description Whose parts' serials would be written. */
      slots: string[];
      planned: components["schemas"]["DiscoveredMachine"] | null;
      /** @description The other one of an exchange, by its number. */
      other: number | null;
      serial: string;
      vendor: string;
      model: string;
      /** @description How many of each kind it shows. */
      parts: {
        [key: string]: number;
      };
      accepted_at: string | null;
      accepted_by: string;
    };
    DiscoveredMachine: {
      id: number;
      name: string;
      rack: string;
      place: string;
    };
    Discovery: {
      id: number;
      source: number;
      capture: number | null;
      /** @default queued */
      status: components["schemas"]["DiscoveryStatus"];
      /** @description Empty: the schedule. */
      requested_by: string;
      /** @description Why a person says that what vanished is really gone. */
      accept_reason: string;
      progress: components["schemas"]["DiscoveryProgress"];
      counts: components["schemas"]["DiscoveryCounts"];
      problems: components["schemas"]["Problem"][];
      held_back: string | null;
      message: string;
      created_at: string;
      started_at: string | null;
      finished_at: string | null;
    };
    /** @description With what the run changed, where it is trusted. */
    DiscoveryCounts: {
      /** @description Connector insertions. */
      moves?: number;
      unlit_links?: number;
      unlit_links_at_dead_devices?: number;
      unplanned_links?: number;
      renames?: number;
      /** @description Cables of the plan. */
      planned?: number;
      nodes?: number;
      links?: number;
      states?: components["schemas"]["LinkStates"];
      nodes_changed?: number;
      links_changed?: number;
      findings_new?: number;
      findings_opened?: number;
      findings_closed?: number;
    };
    /**
     * @description * `exchanged`: Exchanged. Two machines stand in each other's place; both are accepted together.
     *     * `moved`: In another place. The inventory has this machine elsewhere.
     *     * `taken`: Place is taken. The place is planned for a machine with another serial.
     *     * `differs`: Differs. Its model, its serial or one of its addresses is another than planned.
     *     * `twice`: Found twice. Another address shows the same machine.
     *     * `unknown`: Not planned. Neither its serial, its UUID nor its place is in the inventory.
     *     * `parts`: Parts differ. Parts are missing, or others than the inventory or the device model has.
     *     * `unread`: Not read. It is not known who it is, or what it is made of.
     *     * `fits`: Fits the plan. The inventory lacks what was found; it is written when the machine is accepted.
     *     * `same`: As planned. The inventory has it all.
     * @enum {string}
     */
    DiscoveryFinding: "exchanged" | "moved" | "taken" | "differs" | "twice" | "unknown" | "parts" | "unread" | "fits" | "same";
    DiscoveryProgress: {
      done: number;
      total: number;
      stage: string;
    };
    /**
     * @description * `queued`: Queued. Waits for a free worker.
     *     * `reading`: Reading. The fabric is being read.
     *     * `reconciling`: Comparing. What was seen is compared with the plan.
     *     * `storing`: Storing. Links and findings are written.
     *     * `done`: Done.
     *     * `held_back`: Rejected by the guard. Too much vanished at once for the guard. No finding was opened; check the source first.
     *     * `failed`: Failed. Nothing was changed.
     * @enum {string}
     */
    DiscoveryStatus: "queued" | "reading" | "reconciling" | "storing" | "done" | "held_back" | "failed";
    /**
     * @description * `uplinks`: The uplinks.
     *     * `cache`: The link of a cache.
     *     * `machine`: The link of a machine.
     * @enum {string}
     */
    DistributionBound: "uplinks" | "cache" | "machine";
    /**
     * @description * `registry`: From the registry. Every machine pulls its own copy over the uplinks.
     *     * `caches`: Through caches. One copy crosses the uplinks for each pull-through cache.
     *     * `peers`: With peers. One copy crosses the uplinks; machines hand on what they have.
     * @enum {string}
     */
    DistributionWay: "registry" | "caches" | "peers";
    DoubledRank: {
      rank: number;
      /** @description Machine and slot of each process. */
      at: string[];
    };
    DrawnPort: {
      id: number;
      name: string;
      kind: components["schemas"]["PortKind"];
      cage: number | null;
      lane: number | null;
      face: string;
      slot: string;
      cable: components["schemas"]["PortCable"] | null;
    };
    /** @description One fact of one model; without a majority no machine counts as different and `values` says what there is. */
    Drift: {
      model: string;
      what: string;
      title: string;
      /** @description Machines that report it. */
      reported: number;
      majority: string | null;
      share: number;
      values: {
        [key: string]: number;
      };
      /** @description What the golden machines of the model report; empty without one. */
      golden: {
        [key: string]: number;
      };
      machines: components["schemas"]["Deviant"][];
    };
    /**
     * DryRunAnswer
     * @description What a write would do.
     */
    DryRunAnswer: {
      /** Dry Run */
      dry_run: boolean;
      /** Counts */
      counts: {
        [key: string]: number;
      };
      /** Rows */
      rows: components["schemas"]["RowOutcomeAnswer"][];
    };
    Elevation: {
      rack: components["schemas"]["RackInfo"];
      front: components["schemas"]["ElevationItem"][];
      rear: components["schemas"]["ElevationItem"][];
      sides: components["schemas"]["SideItemWithPorts"][];
      free: components["schemas"]["Box"][];
      open_gaps: components["schemas"]["Box"][];
      weight: components["schemas"]["RackWeight"];
      power: components["schemas"]["RackDraw"];
    };
    /** @description An item with what its machine is like now; all null for anything else. */
    ElevationItem: {
      id: number | null;
      name: string;
      kind: "machine" | "switch" | "pdu" | "panel" | "shelf" | "reserved" | "blanking";
      /** @description The id again, of a machine. */
      machine: number | null;
      model: string | null;
      u: number;
      height_u: number;
      face: "both" | "front" | "rear";
      column: "full" | "left" | "right";
      from_top_u: number;
      status: components["schemas"]["DeviceStatus"] | null;
      reason: string;
      /** @description Who the reserved units are kept for. */
      owner: string;
      children: components["schemas"]["BayDevice"][];
      /** @description Those on this face; absent with `ports=false`. */
      ports?: components["schemas"]["DrawnPort"][];
      cell: components["schemas"]["MachineCell"] | null;
      worst: components["schemas"]["VerdictCode"] | null;
      ticket: string | null;
      parts: components["schemas"]["PartVerdict"][];
    };
    Elevations: {
      racks: components["schemas"]["SmallElevation"][];
    };
    /**
     * @description A port: planned device and number, the inventory's ids where it knows them, cage and lane, and the place.
     *
     *     `half` is the lane as a hand finds it: upper or lower of two, `lane 3` of more, empty of a cage with one port.
     */
    End: {
      device: string;
      port: number;
      device_id: number | null;
      port_id: number | null;
      port_name: string;
      cage: number | null;
      lane: number | null;
      half?: string;
      place: string;
      rack_id: number | null;
    };
    /**
     * @description * `low`: Low end of the row.
     *     * `high`: High end of the row.
     * @enum {string}
     */
    EndOfRow: "low" | "high";
    EndRates: {
      a?: components["schemas"]["Rate"];
      b?: components["schemas"]["Rate"];
    };
    Endpoint: {
      id: number;
      machine: number;
      machine_name: string;
      kind: components["schemas"]["AccessKind"];
      /** @description Empty: the inventory's address. */
      address: string | null;
      /** @description Empty: 22 for SSH, 443 for Redfish. */
      port: number | null;
      credential: string | null;
    };
    EndpointRequest: {
      /** @description Id or name. */
      machine: number | string;
      kind: components["schemas"]["AccessKind"];
      /** @description Empty: the inventory's address. */
      address?: string | null;
      /** @description Empty: 22 for SSH, 443 for Redfish. */
      port?: number | null;
      credential?: string | null;
    };
    Energy: {
      by: components["schemas"]["EnergyBy"];
      begin: string;
      end: string;
      currency: string;
      tariff_per_kwh: number | null;
      co2_g_per_kwh: number | null;
      rows: components["schemas"]["EnergyRow"][];
      total: components["schemas"]["EnergyRow"];
    };
    /**
     * @description * `run`: Job.
     *     * `group`: Group.
     *     * `pool`: Pool.
     *     * `rack`: Rack.
     *     * `month`: Month.
     *     * `idle`: Idle machines.
     * @enum {string}
     */
    EnergyBy: "run" | "group" | "pool" | "rack" | "month" | "idle";
    EnergyRow: {
      key: string;
      name: string;
      machines: number;
      kwh: number | null;
      at_least: boolean;
      /**
       * Format: double
       * @description In the site's currency; null: nothing was priced in it.
       */
      cost: number | null;
      /** @description Part of it was not measured, or had no price in this currency. */
      cost_at_least: boolean;
      co2_kg: number | null;
      /** @description Part of it was not measured, or the site had no factor then. */
      co2_at_least: boolean;
      method: string;
      error_percent: number | null;
      /**
       * Format: double
       * @description Of the time in which nothing was measured, 0 to 1.
       */
      unknown_share: number;
    };
    /**
     * @description * `redfish`: Network boot.
     *     * `virtual_media`: Virtual media.
     *     * `maas`: MAAS. The site's MAAS commissions and deploys it; needs a MAAS region of the site.
     *     * `ironic`: Ironic. The site's Ironic inspects, cleans and deploys it; needs an Ironic of the site.
     *     * `adopt`: Adopt. It runs already: nothing is installed, it is identified, checked and taken into service.
     * @enum {string}
     */
    Engine: "redfish" | "virtual_media" | "maas" | "ironic" | "adopt";
    EngineOffer: {
      engine: components["schemas"]["Engine"];
      /** @description What it can install, the usual first; empty: there is no choice. */
      images: string[];
      /** @description Why no run may use it; empty where one may. */
      refusal: string;
      /** @description Roles of base software that a run has unless it says otherwise. */
      software: string[];
      /** @description The same of the check of GPUs; empty: none. */
      gpu_tests: string;
      /** @description The same of tests of InfiniBand links. */
      fabric: boolean;
    };
    /** @description What failed. Programs read `code`, people `message`; `request_id` finds it in the logs. */
    ErrorBody: {
      code: "authentication_failed" | "busy" | "conflict" | "disk_full" | "duplicate" | "idempotency_mismatch" | "in_use" | "invalid" | "invalid_transition" | "method_not_allowed" | "no_such_hold" | "not_acceptable" | "not_authenticated" | "not_found" | "not_ready" | "nothing_to_accept" | "parse_error" | "password_change_required" | "permission_denied" | "port_in_use" | "precondition_failed" | "refused" | "request_timeout" | "second_factor_required" | "server_error" | "throttled" | "too_large" | "unavailable" | "unsupported_media_type" | "unsure" | "unusable_model";
      message: string;
      fields: {
        [key: string]: unknown;
      };
      request_id: string;
      rows?: components["schemas"]["RowProblem"][];
      /** @description Refused rows that are not listed here. */
      more_rows?: number;
      /** @description The record as it is now. */
      current?: unknown;
    };
    Escalation: {
      /** @description Confirmed faults of the class on one machine. */
      count: number;
      then: components["schemas"]["FaultResponse"];
    };
    EscalationLevel: {
      after_min: number;
      target: components["schemas"]["EscalationTarget"];
      rota: number | null;
      channel: number | null;
    };
    EscalationLevelRequest: {
      after_min: number;
      target: components["schemas"]["EscalationTarget"];
      /** @description Id or name. */
      rota?: number | string | null;
      /** @description Id or name. */
      channel?: number | string | null;
    };
    /** @description A setting of a site, or of every site, for their administrators. */
    EscalationPolicy: {
      id: number;
      /** @description Empty: every site. */
      site: number | null;
      name: string;
      /** @description In whose queue the ticket is; empty: all. */
      queues: components["schemas"]["TicketQueue"][];
      /** @description Priorities; empty: all. */
      priorities: ("P1" | "P2" | "P3")[];
      active: boolean;
      /**
       * Format: date-time
       * @description Older tickets are left alone.
       */
      active_since: string | null;
      levels: components["schemas"]["EscalationLevel"][];
    };
    /** @description A setting of a site, or of every site, for their administrators. */
    EscalationPolicyRequest: {
      /** @description Empty: every site. Id or slug. */
      site?: number | string | null;
      name: string;
      /** @description In whose queue the ticket is; empty: all. */
      queues?: components["schemas"]["TicketQueue"][];
      /** @description Priorities; empty: all. */
      priorities?: ("P1" | "P2" | "P3")[];
      active?: boolean;
      levels?: components["schemas"]["EscalationLevelRequest"][];
    };
    /**
     * @description * `first`: First on call.
     *     * `second`: Second on call.
     *     * `channel`: Channel.
     * @enum {string}
     */
    EscalationTarget: "first" | "second" | "channel";
    /** @description How long the links alone take; unpacking comes on top. */
    Estimate: {
      way: components["schemas"]["DistributionWay"];
      seconds: number;
      over_uplinks_bytes: number;
      /** @description What is busy all the time. */
      bound: components["schemas"]["DistributionBound"];
    };
    /**
     * @description * `critical`: Critical.
     *     * `minor`: Minor.
     *     * `warning`: Warning.
     *     * `info`: Info.
     * @enum {string}
     */
    EventSeverity: "critical" | "minor" | "warning" | "info";
    Events: {
      name: string;
      meaning: string;
    };
    Evidence: {
      id: number;
      at: string;
      check: string;
      part: string;
      verdict: string;
      message: string;
      command: string;
      exit_status: number | null;
      excerpt: string;
    };
    EvidenceBehind: {
      rank: number;
      collective: string;
      why: string;
      kind: components["schemas"]["EvidenceKind"];
    };
    /** @description Lines of one meaning. `text` is empty for those who may not read logs. */
    EvidenceCause: {
      cause: components["schemas"]["FailureClass"];
      means: string;
      /** @description A consequence of something else. */
      follows: boolean;
      lines: number;
      /** @description The first 64. */
      ranks: number[];
      ranks_count: number;
      source: string;
      line: number;
      /**
       * Format: date-time
       * @description By a clock that is right.
       */
      at: string | null;
      text: string;
    };
    /** @description A process group in which somebody is behind, by the flight recorder. */
    EvidenceGroup: {
      name: string;
      size: number;
      /** @description Ranks that are behind, or called something else. */
      count: number;
      /** @description The first 64. */
      behind: components["schemas"]["EvidenceBehind"][];
    };
    /** @description A process that the kernel holds (state D). */
    EvidenceKernel: {
      rank: number | null;
      machine: string;
      pid: number;
      name: string;
      place: string;
      waits_for: string;
      frames: string[];
    };
    /**
     * @description * `behind`: Behind. The others of the process group wait for it.
     *     * `mismatch`: Differs. It called something else at the same place.
     * @enum {string}
     */
    EvidenceKind: "behind" | "mismatch";
    EvidenceLine: {
      source: string;
      line: number;
      rank: number | null;
      text: string;
    };
    /** @description A process that NCCL misses, or that has begun fewer collectives. */
    EvidenceRas: {
      rank: number | null;
      machine: string;
      pid: number;
      collective: string;
      why: string;
    };
    EvidenceSettings: {
      site: number;
      /** @description Patterns of paths, one a line, such as /logs/{job}/rank_{rank}.log. */
      logs: string;
      /** @description Pattern of flight-recorder dumps, with {rank}. */
      dumps: string;
      /** @description Collect by itself when a run hangs. */
      hangs: boolean;
      /** @description Stacks of native code too; each process is stopped for a moment. */
      native_stacks: boolean;
      /** @description Who may read lines of logs, at least. */
      log_role: components["schemas"]["RoleName"];
      /** @description What a pattern may name. */
      places: string[];
    };
    /** @description Processes that stand at the same place. */
    EvidenceStack: {
      /** @description The others wait for these. */
      odd: boolean;
      /** @description They wait in a collective. */
      waits: boolean;
      count: number;
      /** @description The first 64. */
      ranks: number[];
      /** @description Innermost first. */
      frames: string[];
    };
    EvidenceSummary: {
      logs: number;
      /** @description Of the logs where they lie; a part of them was fetched. */
      log_bytes: number;
      first_at: string | null;
      last_at: string | null;
      causes: components["schemas"]["EvidenceCause"][];
      stacks: components["schemas"]["EvidenceStack"][];
      groups: components["schemas"]["EvidenceGroup"][];
      kernel: components["schemas"]["EvidenceKernel"][];
      ras: components["schemas"]["EvidenceRas"][];
      dumps: number;
      unreadable: components["schemas"]["UnreadableFile"][];
    };
    ExternalItem: {
      id: number;
      system: number;
      /** @description Of our ticket. */
      key: string;
      /** @description Of theirs; empty: not there yet. */
      record: string;
      kind: components["schemas"]["ExternalItemKind"];
      /** @description The text of a comment, the state of ours. */
      value: string;
      status: components["schemas"]["ExternalItemStatus"];
      attempts: number;
      next_at: string;
      error: string;
      created_at: string;
    };
    /**
     * @description * `create`: Opened there.
     *     * `comment`: Comment.
     *     * `status`: State.
     * @enum {string}
     */
    ExternalItemKind: "create" | "comment" | "status";
    /**
     * @description * `waiting`: Waiting. It is sent as soon as the system answers.
     *     * `done`: Sent. The system took it.
     *     * `failed`: Refused. The system does not take it as it is; it is sent again when the map is saved.
     * @enum {string}
     */
    ExternalItemStatus: "waiting" | "done" | "failed";
    ExternalLink: {
      id: number;
      system: number;
      system_name: string;
      ticket: number;
      /** @description What people read, such as OPS-12. */
      key: string;
      /** @description Its state there, as last seen. */
      status: string;
      created_at: string;
    };
    FabricChanges: {
      from: string;
      to: string;
      /** @description There were more; ask for a shorter time. */
      cut_off: boolean;
      links: components["schemas"]["ChangedLinks"];
      nodes: components["schemas"]["ChangedNodes"];
    };
    /** @description A port of a planned device, and the device that was seen there. */
    FabricEnd: {
      device: string;
      port: number;
      guid: string;
      port_id: number | null;
    };
    /** @description `at_is_reported` false: the source's time could not be read, `at` is when it was met. */
    FabricEvent: {
      id: number;
      site: number;
      source: number;
      number: string;
      at: string;
      /** @description False: its time could not be read, it was met then. */
      at_is_reported: boolean;
      code: number;
      kind: string;
      severity: components["schemas"]["EventSeverity"];
      group: string;
      never_dropped: boolean;
      device: string;
      guid: string;
      port: number | null;
      text: string;
      incident: number | null;
    };
    FabricLink: {
      id: number;
      site: number;
      source: number;
      key: string;
      cable: number | null;
      state: components["schemas"]["LinkState"];
      a: components["schemas"]["FabricEnd"];
      b: components["schemas"]["FabricEnd"];
      width: string;
      speed: string;
      /** @description Tiers of its ends, such as leaf-spine. */
      tier: string;
      rail: number | null;
      /**
       * Format: date-time
       * @description When it came into this state.
       */
      since: string;
    };
    /** @description In shares of the faceplate, 0 to 1, from its upper left corner. */
    FaceBox: {
      x: number;
      y: number;
      w: number;
      h: number;
    };
    /** @description In shares of the faceplate, 0 to 1, from its upper left corner. */
    FaceCage: {
      x: number;
      y: number;
      w: number;
      h: number;
      /** @description None of a socket that takes one port. */
      cage: number | null;
    };
    FacePort: {
      id: number;
      name: string;
      kind: components["schemas"]["PortKind"];
      speed_gbps: number | null;
      cage: number | null;
      lane: number | null;
      /** @description Where it is, if that is not the device's own face. */
      face: string;
      /** @description Nothing where the model does not tell it. */
      box: components["schemas"]["FaceBox"] | null;
      /** @description Of a patch panel: the ports it is joined with inside. */
      inside: number[];
    };
    FactThen: {
      fact: string;
      then: string;
      now: string;
    };
    FailedStep: {
      part: string;
      step: string;
      checked: number;
      failed: number;
      share: number | null;
    };
    /** @description How often a step was done, passed over, opened again, and done before a verification that failed. */
    FailingStep: {
      slug: string;
      step_key: string;
      done: number;
      skipped: number;
      undone: number;
      failed: number;
    };
    /**
     * @description * `gpu-lost`: GPU lost.
     *     * `cuda-ecc`: GPU memory error.
     *     * `cuda-unknown`: Unknown CUDA error.
     *     * `gpu-bad-allocation`: GPU memory refused.
     *     * `cuda-719`: Launch failure on the GPU.
     *     * `cuda-700`: Illegal access to GPU memory.
     *     * `cuda-assert`: Assertion in a GPU kernel.
     *     * `cuda-oom`: Out of GPU memory.
     *     * `cuda-46`: GPU busy or unavailable.
     *     * `cuda-802`: NVSwitch fabric not ready.
     *     * `cuda-803`: CUDA does not fit the driver.
     *     * `cuda-init`: CUDA not initialized.
     *     * `nvls-fabric`: NVLink failed.
     *     * `nccl-net-ib`: InfiniBand path lost.
     *     * `nccl-net-socket`: Peer unreachable over TCP.
     *     * `nccl-no-interface`: No such network interface.
     *     * `nccl-shm`: Shared memory full.
     *     * `nccl-version`: NCCL versions differ.
     *     * `hostname`: Name not resolved.
     *     * `port-in-use`: Port in use.
     *     * `elastic-rdzv`: Rendezvous failed.
     *     * `collective-mismatch`: Collectives differ.
     *     * `ddp-unused`: Unused parameters.
     *     * `nccl-timeout-no-cause`: Timed out. Collectives timed out and nothing says why.
     *     * `host-oom`: Out of memory.
     *     * `slurm-oom`: Memory limit of the job.
     *     * `sigbus-shm`: Shared memory of data loaders.
     *     * `sigsegv-dataloader`: Crash in a data loader.
     *     * `sigsegv`: Crash in native code.
     *     * `ckpt-enospc`: File system full.
     *     * `ckpt-quota`: Quota used up.
     *     * `ckpt-lustre`: File system lost.
     *     * `dataset-missing`: Data not there.
     *     * `container`: Container not started.
     *     * `slurm-timeout`: Time limit.
     *     * `slurm-preempt`: Preempted.
     *     * `slurm-cancel`: Cancelled.
     *     * `slurm-nodefail`: Machine lost.
     *     * `user-error`: Exception.
     *     * `nan-loss`: Loss is NaN.
     *     * `hang-flightrec`: Hang in a collective.
     *     * `hang-pyspy`: Deadlock.
     *     * `hang-ras`: Collectives out of step.
     *     * `slow-throttle`: Throttled.
     *     * `slow-straggler`: Slow rank.
     *     * `slow-dataloader`: Waits for data.
     *     * `none`: Nothing failed.
     * @enum {string}
     */
    FailureClass: "gpu-lost" | "cuda-ecc" | "cuda-unknown" | "gpu-bad-allocation" | "cuda-719" | "cuda-700" | "cuda-assert" | "cuda-oom" | "cuda-46" | "cuda-802" | "cuda-803" | "cuda-init" | "nvls-fabric" | "nccl-net-ib" | "nccl-net-socket" | "nccl-no-interface" | "nccl-shm" | "nccl-version" | "hostname" | "port-in-use" | "elastic-rdzv" | "collective-mismatch" | "ddp-unused" | "nccl-timeout-no-cause" | "host-oom" | "slurm-oom" | "sigbus-shm" | "sigsegv-dataloader" | "sigsegv" | "ckpt-enospc" | "ckpt-quota" | "ckpt-lustre" | "dataset-missing" | "container" | "slurm-timeout" | "slurm-preempt" | "slurm-cancel" | "slurm-nodefail" | "user-error" | "nan-loss" | "hang-flightrec" | "hang-pyspy" | "hang-ras" | "slow-throttle" | "slow-straggler" | "slow-dataloader" | "none";
    FailureEvidence: {
      kind: components["schemas"]["FailureEvidenceKind"];
      attempt: number;
      at: string;
      /** @description At most 64 KiB, of a log its end; without keys and tokens. */
      text: string;
    };
    /**
     * @description * `bmc`: What the BMC showed.
     *     * `dhcp`: The DHCP server's log.
     *     * `installer`: The installer's log.
     *     * `checks`: What the checks found.
     * @enum {string}
     */
    FailureEvidenceKind: "bmc" | "dhcp" | "installer" | "checks";
    /**
     * @description * `hardware`: Hardware.
     *     * `network`: Network.
     *     * `storage`: Storage.
     *     * `environment`: Environment. Image, driver, libraries, settings of the machine.
     *     * `software`: Software. Libraries and frameworks.
     *     * `user`: User's code.
     *     * `scheduler`: Scheduler.
     * @enum {string}
     */
    FailureOwner: "hardware" | "network" | "storage" | "environment" | "software" | "user" | "scheduler";
    FarEnd: {
      device: string;
      device_id: number;
      /** @description Of the device. */
      kind: components["schemas"]["DeviceKind"];
      port: string;
      cage: number | null;
      lane: number | null;
      place: string;
      port_id: number;
      /** @description Printed on the connector. */
      serial: string;
      optic: components["schemas"]["PluggedOptic"] | null;
    };
    Fault: {
      id: number;
      machine: components["schemas"]["MachineOfFault"];
      slot: string;
      fault_class: string;
      /** @description 0 gone, 1 bus, 2 link, 3 degraded. */
      precedence: number;
      kind: "level" | "event";
      status: components["schemas"]["FaultStatus"];
      led_by: number | null;
      /** @description The checks that showed it. */
      checks: string[];
      message: string;
      action: string;
      opened_at: string;
      /**
       * Format: date-time
       * @description Newest report that showed it and added to its evidence.
       */
      seen_at: string;
      confirmed_at: string | null;
      cleared_at: string | null;
      cleared_by: string;
      drain: components["schemas"]["FaultDrain"] | "";
    };
    /**
     * @description `response` is what holds at the site, `usual` what would hold without the decision of the site itself, which is
     *     `override`. Without a site: what holds at all, what the table says, and the decision for all sites.
     */
    FaultClass: {
      fault_class: string;
      title: string;
      severity: components["schemas"]["Severity"];
      priority: "P1" | "P2" | "P3";
      response: components["schemas"]["FaultResponse"];
      usual: components["schemas"]["FaultResponse"];
      escalation: components["schemas"]["Escalation"] | null;
      /** @description It can be repaired while jobs run. */
      hot: boolean;
      override: number | null;
    };
    FaultDetail: {
      id: number;
      machine: components["schemas"]["MachineOfFault"];
      slot: string;
      fault_class: string;
      /** @description 0 gone, 1 bus, 2 link, 3 degraded. */
      precedence: number;
      kind: "level" | "event";
      status: components["schemas"]["FaultStatus"];
      led_by: number | null;
      /** @description The checks that showed it. */
      checks: string[];
      message: string;
      action: string;
      opened_at: string;
      /**
       * Format: date-time
       * @description Newest report that showed it and added to its evidence.
       */
      seen_at: string;
      confirmed_at: string | null;
      cleared_at: string | null;
      cleared_by: string;
      drain: components["schemas"]["FaultDrain"] | "";
      evidence: components["schemas"]["Evidence"][];
      quiet: components["schemas"]["QuietCheck"][];
    };
    /**
     * @description * `drained`: Drained.
     *     * `over_budget`: Waits. The disruption budget of its pool is used up.
     *     * `dry_run`: Dry run. Its pool's automation only says what it would drain.
     *     * `stopped`: Stopped. The kill switch, the circuit breaker, a rate or a person's decision stands in the way.
     * @enum {string}
     */
    FaultDrain: "drained" | "over_budget" | "dry_run" | "stopped";
    /**
     * @description * `note`: Note. Shown on the machine; no ticket, and it goes on working.
     *     * `ticket`: Ticket only. A repair ticket; the machine stays in service.
     *     * `cordon`: Cordon. No new jobs; it returns by itself when its checks pass again.
     *     * `drain`: Drain after the job. No new jobs; out of service when the running one ended, until a verification passes.
     *     * `drain_now`: Drain now. Drained before all others, with an urgent ticket: the job is in danger. Rackside ends no job.
     * @enum {string}
     */
    FaultResponse: "note" | "ticket" | "cordon" | "drain" | "drain_now";
    /**
     * @description * `suspected`: Suspected.
     *     * `confirmed`: Confirmed.
     *     * `cleared`: Cleared.
     * @enum {string}
     */
    FaultStatus: "suspected" | "confirmed" | "cleared";
    FaultThen: {
      slot: string;
      message: string;
      opened_at: string;
      confirmed: boolean;
    };
    /** @description Something else by its id and name. */
    FeedCarries: {
      id: number;
      name: string;
      kind: string;
      carries_w: number;
      limit_w: number | null;
      share: number | null;
      /** @description Above what it may carry for long. */
      over: boolean | null;
      /** @description Above the size of its breaker. */
      trips: boolean | null;
    };
    /** @description What happens to the devices on a feed and the feeds beside it when it dies. */
    FeedDeath: {
      lost: number;
      degraded: number;
      unknown: number;
      trips: number;
    };
    FeedDiagram: {
      feed: components["schemas"]["FeedFacts"];
      links: components["schemas"]["FeedLink"][];
      machines: components["schemas"]["FeedMachine"][];
      if_fails: components["schemas"]["FeedFails"];
    };
    /** @description Something else by its id and name. */
    FeedFacts: {
      id: number;
      name: string;
      side: string;
      voltage_v: number | null;
      current_a: number | null;
      phases: number;
    };
    FeedFails: {
      text: string;
      carries: components["schemas"]["FeedCarries"][];
    };
    FeedFailure: {
      feed: components["schemas"]["Named"];
      together: "feed" | "panel" | "side";
      /** @description Feeds. */
      dead: components["schemas"]["Named"][];
      lost: components["schemas"]["UnpoweredDevice"][];
      degraded: components["schemas"]["UnpoweredDevice"][];
      unknown: components["schemas"]["UnpoweredDevice"][];
      trips: components["schemas"]["Trip"][];
      racks: components["schemas"]["RackState"][];
    };
    /** @description Something else by its id and name. */
    FeedLink: {
      id: number | null;
      name: string;
      kind: "panel" | "feed" | "pdu" | "machines";
      detail: string;
      now_w: number | null;
      limit_w: number | null;
      share: number | null;
      /**
       * Format: double
       * @description Of the last 24 hours, where all of it was measured.
       */
      peak_w: number | null;
      planned_w: number | null;
      state: components["schemas"]["LoadState"];
    };
    /** @description Something else by its id and name. */
    FeedMachine: {
      id: number;
      name: string;
      kind: string;
      now_w: number | null;
    };
    /** @description A field as it was and as it is; both as people read it, with the ids beside them where it names a record. */
    FieldChange: {
      before: unknown;
      after: unknown;
      before_id?: unknown;
      after_id?: unknown;
    };
    /** @description A finding in a list. */
    Finding: {
      id: number;
      site: number;
      source: number;
      source_name: string;
      kind: string;
      /** @description The same trouble keeps its key. */
      key: string;
      /** @default new */
      state: components["schemas"]["FindingState"];
      severity: string;
      title: string;
      text: string;
      devices: string[];
      device_ids: number[];
      rack_ids: number[];
      cables: string[];
      /** @description Connector insertions that put it right. */
      move_count: number;
      first_seen_at: string;
      last_seen_at: string;
      opened_at: string | null;
      closed_at: string | null;
      accepted_at: string | null;
      accepted_by: string;
      accept_reason: string;
    };
    /** @description A finding with its steps in order, a picture of each switch front they touch, checks and evidence. */
    FindingDetail: {
      id: number;
      site: number;
      source: number;
      source_name: string;
      kind: string;
      /** @description The same trouble keeps its key. */
      key: string;
      /** @default new */
      state: components["schemas"]["FindingState"];
      severity: string;
      title: string;
      text: string;
      devices: string[];
      device_ids: number[];
      rack_ids: number[];
      cables: string[];
      /** @description Connector insertions that put it right. */
      move_count: number;
      first_seen_at: string;
      last_seen_at: string;
      opened_at: string | null;
      closed_at: string | null;
      accepted_at: string | null;
      accepted_by: string;
      accept_reason: string;
      moves: components["schemas"]["Move"][];
      ports: components["schemas"]["End"][];
      pictures: components["schemas"]["Picture"][];
      checks: string[];
      evidence: {
        [key: string]: unknown;
      };
      ticket: components["schemas"]["FindingTicket"] | null;
      first_discovery: number | null;
      last_discovery: number | null;
    };
    /**
     * @description * `area_off`: Rack, row or feed dark.
     *     * `device_off`: Device off.
     *     * `exchanged_devices`: Devices in each other’s place.
     *     * `device_at_other_place`: Device at another place.
     *     * `wrong_port`: Cable in the wrong port.
     *     * `swapped_pair`: Swapped pair.
     *     * `cycle`: Cables in a cycle.
     *     * `chain`: Cables in a chain.
     *     * `crossed_lanes`: Crossed lanes.
     *     * `missing`: Missing cable.
     *     * `extra`: Cable not in the plan.
     *     * `dark`: Dark link.
     *     * `slow_link`: Slow link.
     *     * `narrow_link`: Narrow link.
     *     * `stranger`: Stranger on the fabric.
     *     * `duplicate_name`: Name used twice.
     *     * `misnamed`: Wrong name.
     *     * `unnamed`: Switch without a place.
     *     * `adapter_names`: Adapters with other numbers.
     *     * `plan_error`: Error in the plan.
     *     * `stale_ends`: Ends disagree.
     * @enum {string}
     */
    FindingKind: "area_off" | "device_off" | "exchanged_devices" | "device_at_other_place" | "wrong_port" | "swapped_pair" | "cycle" | "chain" | "crossed_lanes" | "missing" | "extra" | "dark" | "slow_link" | "narrow_link" | "stranger" | "duplicate_name" | "misnamed" | "unnamed" | "adapter_names" | "plan_error" | "stale_ends";
    /**
     * @description * `bad`: Bad.
     *     * `warn`: Warning.
     *     * `info`: Note.
     * @enum {string}
     */
    FindingSeverity: "bad" | "warn" | "info";
    /**
     * @description * `new`: Seen once. A second discovery run confirms it before a ticket opens.
     *     * `open`: Open. Seen twice. It closes by itself when a good discovery run shows it right.
     *     * `accepted`: Accepted. Somebody said that it may stay so.
     *     * `closed`: Closed. A good discovery run showed it right.
     * @enum {string}
     */
    FindingState: "new" | "open" | "accepted" | "closed";
    /** @description The work order that puts a finding right. */
    FindingTicket: {
      id: number;
      key: string;
      title: string;
      status: components["schemas"]["TicketStatus"];
    };
    FirstBootClass: {
      failure_class: components["schemas"]["InstallFailure"];
      open: number;
      mended: number;
    };
    FirstBoots: {
      /** @description Machines whose first run ended, or failed once. */
      of: number;
      failed: number;
      classes: components["schemas"]["FirstBootClass"][];
    };
    Fit: {
      chosen: components["schemas"]["FitSet"];
      verdict: components["schemas"]["FitVerdict"];
      sentence: string;
      criteria: components["schemas"]["FitLine"][];
      leave_out: components["schemas"]["FitOut"][];
      /** @description Left after the replacements. */
      spares: number;
      /** @description At least, and enough. */
      spares_wanted: number[];
      choices: components["schemas"]["FitChoice"][];
      launch: components["schemas"]["FitLaunch"] | null;
      /** @description How the site may launch; the first by default. */
      ways: string[];
      evaluated_at: string;
    };
    /** @description What to start with: the set as it is, with those that stand in, or without those left out. */
    FitChoice: {
      id: components["schemas"]["FitWay"];
      count: number;
      gpus: number;
      lists: components["schemas"]["FitLists"];
    };
    /**
     * @description * `fail`: Fails.
     *     * `unknown`: Not known.
     *     * `warn`: Warns.
     *     * `running`: In progress.
     *     * `not_run`: Never run.
     *     * `not_asked`: Not asked.
     *     * `ok`: OK.
     * @enum {string}
     */
    FitCriterionState: "fail" | "unknown" | "warn" | "running" | "not_run" | "not_asked" | "ok";
    /** @description The newest launch check on exactly this set; `run` is that of /api/health/active-runs/. */
    FitLaunch: {
      run: number;
      state: components["schemas"]["FitCriterionState"];
      text: string;
      /** @description How it was launched. */
      way: string;
      measured: components["schemas"]["FitMeasured"][];
      done: number;
      /** @description Tests of the rounds begun so far. */
      total: number;
      at: string;
    };
    /** @description One criterion over the set. `good` of `of` machines; null where machines are not counted. */
    FitLine: {
      id: string;
      title: string;
      state: components["schemas"]["FitCriterionState"];
      good: number | null;
      of: number | null;
      text: string;
    };
    /** @description The host list as launchers take it. */
    FitLists: {
      slurm: string;
      mpi: string;
      torchrun: string;
      json: string;
    };
    FitMachine: {
      id: number;
      name: string;
      cell: components["schemas"]["MachineCell"];
      leaf: string;
    };
    /**
     * @description * `bandwidth`: Bandwidth. Bus bandwidth of the largest messages.
     *     * `latency`: Latency. Time of the smallest messages.
     * @enum {string}
     */
    FitMeasure: "bandwidth" | "latency";
    /**
     * @description `value` in GB/s of bus bandwidth, or microseconds; null where nothing was measured. `text` says what was expected
     *     and of whom.
     */
    FitMeasured: {
      id: components["schemas"]["FitMeasure"];
      state: components["schemas"]["FitCriterionState"];
      text: string;
      value: number | null;
    };
    /** @description A machine to leave out; `machine` null: no machine has the name. `note`: why nothing nearer stands in. */
    FitOut: {
      name: string;
      machine: components["schemas"]["FitMachine"] | null;
      reasons: components["schemas"]["FitReason"][];
      replacement: components["schemas"]["FitMachine"] | null;
      distance: components["schemas"]["SpareDistance"] | null;
      note: string;
    };
    FitReason: {
      criterion: string;
      text: string;
    };
    FitSet: {
      site: number;
      title: string;
      /** @description All names, as Slurm lists them. */
      hosts: string;
      /** @description Ids, in the order of the host list. */
      machines: number[];
      /** @description With names that no machine has. */
      count: number;
      gpus: number;
    };
    /**
     * @description * `fit`: Fit.
     *     * `not_fit`: Not fit. Machines must stay out.
     *     * `unknown`: Not known. Something that must be known is known of no machine of the set.
     * @enum {string}
     */
    FitVerdict: "fit" | "not_fit" | "unknown";
    /**
     * @description * `whole`: As it is.
     *     * `replaced`: With replacements.
     *     * `reduced`: Without them.
     * @enum {string}
     */
    FitWay: "whole" | "replaced" | "reduced";
    Floor: {
      /** @description Where to join the live stream. */
      cursor: string;
      generated_at: string;
      site: components["schemas"]["SiteOfMachine"];
      room: components["schemas"]["FloorRoom"];
      /** @description All that you may see. */
      rooms: components["schemas"]["RoomChoice"][];
      rows: components["schemas"]["Named"][];
      aisles: components["schemas"]["FloorAisle"][];
      racks: components["schemas"]["RackTable"];
      machines: components["schemas"]["MachineTable"];
      /** @description Every word there is. */
      cells: components["schemas"]["MachineCell"][];
      totals: components["schemas"]["CellTotals"];
      notices: components["schemas"]["Notice"][];
    };
    FloorAisle: {
      kind: "cold" | "hot";
      name: string;
      x_mm: number;
      y_mm: number;
      width_mm: number;
      depth_mm: number;
    };
    FloorJobs: {
      columns: string[];
      rows: unknown[][];
    };
    /** @description One value of a machine that the floor can be coloured by. */
    FloorLayer: {
      /** @description As in `of`, such as temperature, fact:driver or field:owner. */
      key: string;
      title: string;
      kind: "number" | "word";
      /** @description Of a number, such as W. */
      unit: string;
      /** @description Words from the best to the worst. */
      order: string[];
      /** @description What it means that a machine has no row; empty: its value is unknown. */
      absent: string;
    };
    /** @description Every layer, in the order a menu shows them. */
    FloorLayers: {
      layers: components["schemas"]["FloorLayer"][];
    };
    /** @description Which machines run what. `named`: the machines that the scheduler knows; it says nothing of the others. */
    FloorOfScheduler: {
      scheduler: components["schemas"]["FloorScheduler"] | null;
      /** @description Positional rows under their `columns`; `machines` are ids. */
      jobs: components["schemas"]["FloorJobs"];
      partitions: components["schemas"]["FloorPartition"][];
      named: number[];
    };
    FloorPartition: {
      name: string;
      state: string;
      machines: number[];
    };
    FloorRack: {
      id: number;
      name: string;
      row: string | null;
      power_w: number | null;
      /** @description Not all of it is measured: it draws that or more. */
      at_least: boolean;
      /** @description How many of its machines and PDUs are measured. */
      known: number;
      of: number;
      /**
       * Format: double
       * @description Of the last 24 hours.
       */
      peak_w: number | null;
      peak_at: string | null;
      planned_w: number | null;
      limit_w: number | null;
      /**
       * Format: double
       * @description Power of its limit, from 0.
       */
      share: number | null;
      /**
       * Format: double
       * @description The highest of its machines.
       */
      inlet_c: number | null;
      delta_t_c: number | null;
      hottest_gpu_c: number | null;
      /** @description The worst that a GPU of it is in. */
      gpu_band: components["schemas"]["GpuBand"];
      /** @description GPUs whose clocks are held down now. */
      slowed: number | null;
      /** @description Of a machine with GPUs it is not known. */
      slowed_at_least: boolean;
      /**
       * Format: double
       * @description Until its limit, and no more than its feeds carry when one side fails.
       */
      free_w: number | null;
      state: components["schemas"]["LoadState"];
    };
    FloorRoom: {
      id: number;
      name: string;
      width_mm: number;
      depth_mm: number;
    };
    FloorRow: {
      name: string;
      power_w: number | null;
      at_least: boolean;
    };
    FloorScheduler: {
      kind: components["schemas"]["SchedulerKind"];
      enabled: boolean;
      state: components["schemas"]["SchedulerState"];
      last_read_at: string | null;
    };
    FloorThen: {
      at: string;
      site: components["schemas"]["SiteOfMachine"];
      room: components["schemas"]["FloorRoom"];
      rooms: components["schemas"]["RoomChoice"][];
      rows: components["schemas"]["Named"][];
      aisles: components["schemas"]["FloorAisle"][];
      /** @description As they stand now. */
      racks: components["schemas"]["RackTable"];
      machines: components["schemas"]["MachinesThen"];
      totals: components["schemas"]["CellTotals"];
    };
    /** @description A layer with its values. */
    FloorValues: {
      /** @description As in `of`, such as temperature, fact:driver or field:owner. */
      key: string;
      title: string;
      kind: "number" | "word";
      /** @description Of a number, such as W. */
      unit: string;
      /** @description Words from the best to the worst. */
      order: string[];
      /** @description What it means that a machine has no row; empty: its value is unknown. */
      absent: string;
      /**
       * Format: date-time
       * @description When it was asked.
       */
      at: string;
      machines: components["schemas"]["Values"];
    };
    Found: {
      kind: components["schemas"]["FoundKind"];
      id: number;
      title: string;
      subtitle: string;
      /** @description The dashboard's page for it. */
      url: string;
    };
    /**
     * @description * `machine`: Machine.
     *     * `switch`: Switch.
     *     * `pdu`: PDU.
     *     * `rack`: Rack.
     *     * `row`: Row.
     *     * `room`: Room.
     *     * `cable`: Cable.
     *     * `component`: Component.
     *     * `port`: Port.
     *     * `ticket`: Ticket.
     *     * `panel`: Panel.
     *     * `shelf`: Shelf.
     *     * `finding`: Finding.
     *     * `link`: Link.
     * @enum {string}
     */
    FoundKind: "machine" | "switch" | "pdu" | "rack" | "row" | "room" | "cable" | "component" | "port" | "ticket" | "panel" | "shelf" | "finding" | "link";
    /** @description A switch port without a planned cable; `reserved` says who it is kept for. */
    FreePort: {
      id: number;
      site: number;
      device: number;
      device_name: string;
      tier: string;
      name: string;
      cage: number | null;
      /** @description Port within its cage: 1 upper, 2 lower. */
      lane: number | null;
      speed_gbps: number | null;
      place: string;
      reserved: string | null;
    };
    /** @description A link that no stage covers. */
    Gap: {
      key: string;
      share: number;
      reason: string;
      a: components["schemas"]["GapEnd"];
      b: components["schemas"]["GapEnd"];
    };
    GapEnd: {
      device: string;
      guid: string;
      port: number;
    };
    /** @description The units as the rack's answer lists them under `gaps`. */
    GapOrderRequest: {
      from_u: number;
      to_u: number;
    };
    GapTicket: {
      ticket: components["schemas"]["OrderedTicket"];
    };
    Golden: {
      id: number;
      machine: components["schemas"]["MachineBrief"];
      site: number;
      model: string;
      promoted_at: string;
      promoted_by: string;
      reason: string;
    };
    GoldenReasonRequest: {
      reason: string;
    };
    /**
     * @description * `slows`: Throttling. At or above the temperature from which its clocks fall.
     *     * `near`: Near throttling. Close to where its clocks fall.
     *     * `warm`: Warm.
     *     * `good`: Good.
     *     * `great`: Great.
     *     * `unknown`: Not known.
     * @enum {string}
     */
    GpuBand: "slows" | "near" | "warm" | "good" | "great" | "unknown";
    /** @description Up to `great` °C is great, below `good` good; `near` its slowdown, or nearer to the own limit of its model. */
    GpuBands: {
      great: number;
      good: number;
      near: number;
    };
    Grant: {
      site: number | null;
      role: components["schemas"]["RoleName"];
    };
    GrantRequest: {
      /** @description Id or slug. */
      site?: number | string | null;
      role: components["schemas"]["RoleName"];
    };
    /**
     * @description * `record`: A record cannot be read.
     *     * `unknown`: A number that is needed is not known.
     *     * `kill_switch`: The kill switch is on.
     *     * `breaker`: The circuit breaker is open.
     *     * `clock`: The clock jumped.
     *     * `stale`: What is known is too old.
     *     * `empty_pool`: Its pool is empty.
     *     * `disruption_budget`: The disruption budget of its pool is used up.
     *     * `drains_10min`: Too many drains in ten minutes.
     *     * `drains_1h`: Too many drains in an hour.
     *     * `common_cause`: Part of a common cause.
     *     * `response`: Its fault leaves it in service.
     *     * `suspicious`: It began on too many machines at once.
     *     * `audit_mode`: The check is in audit mode.
     *     * `dry_run`: Dry run.
     *     * `power_busy`: Another power action is in progress.
     *     * `power_spacing`: The last power action was a moment ago.
     *     * `power_1h`: Too many power actions in an hour.
     *     * `reboots_7d`: Too many reboots in a week.
     *     * `lemon`: Too many remediations in a week.
     *     * `shared_power`: Its BMC may switch other machines.
     *     * `window`: Outside allowed hours.
     *     * `state`: Its state does not allow it.
     *     * `held`: Somebody holds it.
     *     * `redrain_cooldown`: A person put it back not long ago.
     *     * `open_action`: An action is in progress.
     *     * `back_off`: The last action could not be sent.
     *     * `verifying`: A verification is in progress.
     *     * `ladder`: Nothing automatic is left.
     *     * `ambiguous`: Nobody knows whether an action happened.
     *     * `scheduler`: The scheduler does not answer.
     *     * `jobs`: Jobs run on it.
     *     * `reservation`: Others have reserved it.
     *     * `logins`: People are logged in.
     *     * `not_drained`: It is not drained.
     *     * `foreign_drain`: Its drain is not ours.
     *     * `unreachable`: It cannot be reached.
     *     * `lease`: Leased by another worker.
     * @enum {string}
     */
    Guard: "record" | "unknown" | "kill_switch" | "breaker" | "clock" | "stale" | "empty_pool" | "disruption_budget" | "drains_10min" | "drains_1h" | "common_cause" | "response" | "suspicious" | "audit_mode" | "dry_run" | "power_busy" | "power_spacing" | "power_1h" | "reboots_7d" | "lemon" | "shared_power" | "window" | "state" | "held" | "redrain_cooldown" | "open_action" | "back_off" | "verifying" | "ladder" | "ambiguous" | "scheduler" | "jobs" | "reservation" | "logins" | "not_drained" | "foreign_drain" | "unreachable" | "lease";
    HandOver: {
      at: string;
      by: string;
      left: number | null;
      left_name: string;
      came: number | null;
      /** @description Empty: the run goes on with fewer machines. */
      came_name: string;
      /** @description It was taken out of service with it. */
      taken_out: boolean;
      reason: string;
    };
    HandOverRequestRequest: {
      /** @description Id or name. */
      machine: number | string;
      /** @description Id or name. */
      replacement?: number | string | null;
      /** @default true */
      take_out?: boolean;
      reason: string;
    };
    Heat: {
      site: number;
      rows: components["schemas"]["HeatRow"][];
      /** @description Open units in these racks: hot air returns through them. */
      gaps: components["schemas"]["HeatGap"][];
    };
    HeatGap: {
      rack: number;
      rack_name: string;
      u: number;
      height_u: number;
      column: string;
    };
    HeatRow: {
      rack: number;
      rack_name: string;
      u: number;
      device: string;
      device_id: number;
      /** @description Ports whose temperature is reported. */
      port_count: number;
      max_c: number | null;
      mean_c: number | null;
    };
    Height: {
      from_u: number;
      to_u: number;
      kind: components["schemas"]["HeightKind"];
      device: components["schemas"]["Named"] | null;
      inlet_c: number | null;
      exhaust_c: number | null;
      fan_rpm: number | null;
      hottest_gpu_c: number | null;
      /** @description Null of what has no GPU that tells. */
      gpu_band: components["schemas"]["GpuBand"] | null;
      power_w: number | null;
      state: components["schemas"]["HeightState"];
    };
    /**
     * @description * `machine`: Machine.
     *     * `switch`: Switch.
     *     * `other`: Device.
     *     * `panel`: Blanking panel.
     *     * `open`: Open.
     * @enum {string}
     */
    HeightKind: "machine" | "switch" | "other" | "panel" | "open";
    /**
     * @description * `bad`: Hot.
     *     * `warn`: Warm.
     *     * `unknown`: Not known.
     *     * `ok`: OK.
     * @enum {string}
     */
    HeightState: "bad" | "warn" | "unknown" | "ok";
    HeldMachine: {
      run_machine: number;
      run: number;
      id: number;
      name: string;
    };
    /** @description Values at `begin`, `begin` + `step_s`, ... */
    History: {
      quantity: string;
      unit: string;
      begin: string;
      end: string;
      step_s: number;
      mean: (number | null)[];
      low: (number | null)[];
      high: (number | null)[];
    };
    /** @description A reason to keep a machine out of service. */
    Hold: {
      /** @description Such as fault:12 or person:NAME. */
      owner: string;
      reason: string;
      placed_by: string;
      placed_at: string;
    };
    /** @description What is known of a host; empty where it does not apply. */
    HostFacts: {
      id: number;
      /** @description Its page in the dashboard. */
      url: string;
      kind: components["schemas"]["DeviceKind"];
      status: components["schemas"]["DeviceStatus"];
      site: string;
      room: string;
      row: string;
      rack: string;
      u: number | null;
      face: "front" | "rear" | "both" | "";
      model: string;
      vendor: string;
      role: string;
      fabric: "infiniband" | "ethernet" | "management" | "";
      tier: string;
      serial: string;
      asset_tag: string;
      bmc_ip: string;
      boot_mac: string;
      gpu_count: number;
      rails: number[];
      tags: string[];
      /** @description Values of the custom fields of devices. */
      custom: {
        [key: string]: unknown;
      };
    };
    /** @description A group; what is empty is left out. */
    HostGroup: {
      hosts?: string[];
      /** @description Groups. */
      children?: string[];
    };
    /** @description The run's machines in the order of their ranks, each with the one that came for it. */
    HostList: {
      slurm: string;
      mpi: string;
      torchrun: string;
      json: string;
    };
    HostMeta: {
      /** @description By the name of the host. */
      hostvars: {
        [key: string]: components["schemas"]["HostVariables"];
      };
    };
    HostVariables: {
      /** @description The primary address, where there is one. */
      ansible_host?: string;
      rackside: components["schemas"]["HostFacts"];
    };
    /** @description A job, a training run, or both in one. `machines_here` of its machines are among those that were asked for. */
    Hurt: {
      job: number | null;
      run: number | null;
      label: string;
      name: string;
      /** @description Null where you may not read users. */
      user: string | null;
      account: string;
      gpus: number | null;
      machines: number | null;
      machines_here: number;
      started_at: string;
      /**
       * Format: date-time
       * @description When its time limit ends it.
       */
      ends_by: string | null;
      remaining_s: number | null;
    };
    HurtByDrain: {
      /** @description False: a scheduler does not say what runs there; more may be hurt. */
      known: boolean;
      /**
       * Format: date-time
       * @description The scheduler's last answer.
       */
      as_of: string | null;
      hurt: components["schemas"]["Hurt"][];
    };
    IdentityChange: {
      id: number;
      machine: number;
      machine_name: string;
      kind: components["schemas"]["AccessKind"];
      /** @description Fingerprint in force when it was seen. */
      known: string;
      presented_fingerprint: string;
      first_seen_at: string;
      last_seen_at: string;
      times_seen: number;
      resolved_at: string | null;
      resolved_by: string;
      resolution: components["schemas"]["IdentityResolution"] | "";
    };
    /**
     * @description * `accepted`: Trusted. A person took the new identity as the right one.
     *     * `overtaken`: Overtaken. The old identity was seen again, or another change came.
     * @enum {string}
     */
    IdentityResolution: "accepted" | "overtaken";
    /**
     * @description * `first_contact`: First contact.
     *     * `installed`: Installed by a provisioning run.
     *     * `accepted`: Accepted by a person.
     * @enum {string}
     */
    IdentitySource: "first_contact" | "installed" | "accepted";
    /**
     * @description * `docker`: Docker.
     *     * `containerd`: containerd.
     *     * `enroot`: Enroot.
     * @enum {string}
     */
    ImageEngine: "docker" | "containerd" | "enroot";
    ImageMachine: {
      id: number;
      name: string;
      rack: string;
      state: components["schemas"]["MachineImageState"];
      /** @description Digest or id, of a file its size. */
      identity: string;
      /** @description Why it is not known. */
      text: string;
    };
    ImageMachines: {
      reference: string;
      /** @description The digest or id that most of these machines have. */
      usual: string;
      machines: components["schemas"]["ImageMachine"][];
    };
    /** @description One image: on how many machines, and on how many of them the name means another image than on most. */
    ImageSummary: {
      /** @description With registry and tag; of Enroot the path of the file. */
      reference: string;
      engines: components["schemas"]["ImageEngine"][];
      machines: number;
      another: number;
      /** @description Machines that tell their images. */
      read: number;
      size_bytes: number | null;
      /**
       * Format: date-time
       * @description When it was built, as far as an engine says.
       */
      made_at: string | null;
    };
    /** @description An import: how far it is, and what became of the rows. */
    Import: {
      id: number;
      kind: string;
      filename: string;
      site: number | null;
      mode: string;
      dry_run: boolean;
      status: components["schemas"]["ImportStatus"];
      progress: components["schemas"]["Progress"];
      counts: {
        [key: string]: number;
      };
      rows: components["schemas"]["RowOutcome"][];
      created_at: string;
      started_at: string | null;
      finished_at: string | null;
      actor: string;
      message: string;
    };
    /**
     * @description * `queued`: Queued. Waits for a free worker.
     *     * `running`: Running.
     *     * `done`: Done.
     *     * `refused`: Refused. Some rows cannot be written; nothing was.
     *     * `failed`: Failed. It broke off; nothing was written.
     * @enum {string}
     */
    ImportStatus: "queued" | "running" | "done" | "refused" | "failed";
    InboundMail: {
      id: number;
      message_id: string;
      sender: string;
      ticket: number | null;
      /** @description Of the ticket; empty where it belongs to none. */
      key: string;
      status: components["schemas"]["InboundMailStatus"];
      reason: string;
      at: string;
    };
    /**
     * @description * `comment`: Comment.
     *     * `refused`: Refused.
     * @enum {string}
     */
    InboundMailStatus: "comment" | "refused";
    Incident: {
      id: number;
      site: number;
      source: number;
      title: string;
      device: string;
      device_id: number | null;
      severity: components["schemas"]["EventSeverity"];
      /** @description Kinds in it that are never dropped. */
      grave: string[];
      events: number;
      first_at: string;
      last_at: string;
      /** @description [code, port] of what went down and is not reported to be up. */
      waits_for: unknown;
      closed_at: string | null;
      closed_by: string;
      close_reason: string;
    };
    IncidentFault: {
      id: number;
      machine: components["schemas"]["MachineName"];
      slot: string;
      slot_text: string;
      fault_class: string;
      message: string;
      status: components["schemas"]["FaultStatus"];
    };
    IncidentMachine: {
      id: number;
      name: string;
      rack: string | null;
      joined_at: string;
      recovered_at: string | null;
    };
    Insight: {
      begin: string;
      end: string;
      /** @description Fewer values than this make no number. */
      least: number;
      times: components["schemas"]["RepairTimes"];
      reopened: components["schemas"]["Share"];
      first_time_fix: components["schemas"]["Share"];
      groups: components["schemas"]["InsightGroup"][];
      weeks: components["schemas"]["InsightWeek"][];
      ageing: components["schemas"]["InsightAge"][];
      /** @description Those of which some failed. */
      parts: components["schemas"]["InsightPart"][];
      steps: components["schemas"]["FailedStep"][];
      /**
       * Format: double
       * @description Of a GPU-hour, where one site is asked for.
       */
      rate: number | null;
      currency: string;
      has_shifts: boolean;
    };
    InsightAge: {
      age: string;
      P1: number;
      P2: number;
      P3: number;
    };
    InsightGroup: {
      by: components["schemas"]["RepairGrouping"];
      name: string;
      times: components["schemas"]["RepairTimes"];
    };
    /** @description Rates per 1,000 days installed. `chance`: of as many failures, if it were like the others of its kind. */
    InsightPart: {
      by: components["schemas"]["PartGrouping"];
      kind: string;
      name: string;
      parts: number;
      days: number;
      failed: number;
      rate: number | null;
      usual: number | null;
      chance: number | null;
      poor: boolean;
    };
    InsightSettings: {
      site: number;
      timezone: string;
      gpu_hour_rate: number | null;
      currency: string;
      shifts: components["schemas"]["Shift"][];
      subscribers: components["schemas"]["Subscriber"][];
      /** @description You. */
      subscribed: boolean;
      /** @description Yours; empty: no mail can be sent to you. */
      address: string;
      may_change: boolean;
      /** @description The newest one to you. */
      last_mail: components["schemas"]["ReportMail"] | null;
    };
    InsightSettingsGivenRequest: {
      gpu_hour_rate: number | null;
      /** @description ISO 4217, such as EUR. */
      currency: string;
      shifts: components["schemas"]["ShiftRequest"][];
    };
    /** @description A whole week by the clock of the site; the one that is not over counts to now. */
    InsightWeek: {
      begin: string;
      opened: number;
      closed: number;
      times: components["schemas"]["RepairTimes"];
      /**
       * Format: double
       * @description GPU-hours of machines that were not ready.
       */
      out_of_service: number;
      /**
       * Format: double
       * @description GPU-hours that training runs lost by failures.
       */
      lost: number;
      /**
       * Format: double
       * @description Null without a rate of the site.
       */
      money: number | null;
    };
    /**
     * @description * `no_bmc`: BMC does not answer.
     *     * `bmc_refuses`: BMC refuses the password. Somebody changed it, or it was never the one that is stored.
     *     * `wrong_identity`: Another machine answered.
     *     * `bmc_setup_failed`: BMC set-up failed. Its password or a setting of its profile could not be set.
     *     * `no_power`: No power. The BMC takes the order to switch on; the machine stays off.
     *     * `no_post`: Self-test hangs. The power-on self-test does not end.
     *     * `no_link`: No link.
     *     * `wrong_port`: Wrong port cabled. Another port than the boot port has a link.
     *     * `no_pxe_request`: No boot request.
     *     * `dhcp_failed`: DHCP failed. It asked for an address and got none.
     *     * `second_dhcp`: Second DHCP server. It got its address from a DHCP server that is not ours.
     *     * `tftp_failed`: TFTP failed. It has its address and could not load its boot loader.
     *     * `no_media`: No virtual CD. The BMC has none that takes an image, or never fetched ours.
     *     * `media_unlicensed`: No licence for virtual media. The BMC can do it and is not licensed to.
     *     * `media_in_use`: Virtual CD in use. It holds an image that somebody else inserted; nothing was taken out.
     *     * `media_stuck`: Boot medium not ejected. It is installed; the BMC still shows the boot medium.
     *     * `booted_elsewhere`: Started something else. It is on, and did not start from its boot medium: the old disk, for instance.
     *     * `no_installer`: Installer did not start. It has its boot script and never fetched its install data.
     *     * `install_disk`: Install failed at the disks. Partitioning or RAID.
     *     * `install_network`: Install failed at the network. No address, no route or no name server.
     *     * `install_package`: Install failed at a package. The mirror did not have it, or it does not install.
     *     * `install_failed`: Install failed.
     *     * `no_phone_home`: No phone-home. It has its install data and never reported that it is installed.
     *     * `no_ssh`: SSH does not answer.
     *     * `software_failed`: Base software failed. A role of base software could not be done.
     *     * `gpu_tests_failed`: GPU tests failed. A GPU failed a test under load, or the test gave no result.
     *     * `fabric_failed`: InfiniBand failed. A link is slow under load, or no machine was free to test it with.
     *     * `part_missing`: Part missing. A GPU, network card, DIMM, processor or power supply is missing, or another one than the model has.
     *     * `drive_failed`: Drive missing or failing.
     *     * `pcie_narrow`: PCIe link too narrow. Fewer lanes or a lower speed than the model has.
     *     * `clock_wrong`: Clock is wrong.
     *     * `checks_failed`: Checks failed.
     *     * `no_engine`: MAAS or Ironic does not answer.
     *     * `record_lost`: Record lost in MAAS or Ironic.
     *     * `commission_failed`: Commissioning failed.
     *     * `inspection_failed`: Inspection failed. Ironic could not read its hardware.
     *     * `cleaning_failed`: Cleaning failed. Ironic could not erase its disks.
     *     * `wrong_hardware`: Hardware differs.
     * @enum {string}
     */
    InstallFailure: "no_bmc" | "bmc_refuses" | "wrong_identity" | "bmc_setup_failed" | "no_power" | "no_post" | "no_link" | "wrong_port" | "no_pxe_request" | "dhcp_failed" | "second_dhcp" | "tftp_failed" | "no_media" | "media_unlicensed" | "media_in_use" | "media_stuck" | "booted_elsewhere" | "no_installer" | "install_disk" | "install_network" | "install_package" | "install_failed" | "no_phone_home" | "no_ssh" | "software_failed" | "gpu_tests_failed" | "fabric_failed" | "part_missing" | "drive_failed" | "pcie_narrow" | "clock_wrong" | "checks_failed" | "no_engine" | "record_lost" | "commission_failed" | "inspection_failed" | "cleaning_failed" | "wrong_hardware";
    /**
     * @description * `hands`: Hands. A technician at the rack.
     *     * `vendor`: Vendor. Who delivered the machine.
     *     * `network`: Network. Who runs the networks.
     *     * `operator`: Operator. Who runs this service: a setting, a password, an image.
     * @enum {string}
     */
    InstallFailureOwner: "hands" | "vendor" | "network" | "operator";
    /** @description A place that a part has been in. */
    Installation: {
      device: number;
      device_name: string;
      slot: string;
      /** @description As people read it: what is printed on the chassis first. */
      slot_text: string;
      from: string;
      to: string | null;
      by: string;
      ticket: string;
    };
    /** InstalledAnswer */
    InstalledAnswer: {
      /** Device */
      device: number;
      /** Device Name */
      device_name: string;
      /** Slot */
      slot: string;
      /**
       * Since
       * Format: date-time
       */
      since: string;
      /** By */
      by: string;
      /** Ticket */
      ticket: string;
    };
    InstalledPart: {
      slot: string;
      label: string;
      /** @description The slot as people read it. */
      text: string;
      component: number;
      kind: components["schemas"]["PartKind"];
      vendor: string;
      part_number: string;
      serial: string;
      /** @description uuid, guid, firmware and the like, as the tools print them. */
      attributes: {
        [key: string]: unknown;
      };
      installed_at: string;
      by: string;
      ticket: string;
    };
    Instance: {
      /** @description Nothing is sent to machines, BMCs, schedulers, switches or webhooks. */
      paused: boolean;
      reason: string;
      since: string | null;
      /** @description You may take it over. */
      may_take_over: boolean;
    };
    IntakeCount: {
      state: components["schemas"]["IntakePlaceState"];
      count: number;
    };
    IntakeFloor: {
      /** @description Whether the site had a delivery or a discovery at all. */
      has_sources: boolean;
      /** @description Every state, what is wrong first. */
      counts: components["schemas"]["IntakeCount"][];
      /** @description By name; those that are confirmed are only counted. */
      places: components["schemas"]["IntakePlace"][];
    };
    /** @description A planned place that is not confirmed, or a machine that nobody planned. */
    IntakePlace: {
      state: components["schemas"]["IntakePlaceState"];
      /** @description Null: nobody planned it. */
      machine: components["schemas"]["MachineBrief"] | null;
      /** @description Of the machine; of one that nobody planned its serial or address. */
      name: string;
      /** @description In small letters. */
      rack: string;
      place: string;
      text: string;
      shown_by: components["schemas"]["IntakeSource"] | null;
      /** @description The delivery or discovery that says so. */
      shown_by_id: number | null;
    };
    /**
     * @description * `unknown`: Unknown machine. A machine that nobody planned, or a planned place in which it stands.
     *     * `exchanged`: Exchanged. Two machines stand in each other's place.
     *     * `elsewhere`: In another place. The machine planned here was seen elsewhere.
     *     * `differs`: Differs. Model, serial or an address is another than planned.
     *     * `parts`: Parts differ. Parts were missing, or others than planned, when its BMC was read.
     *     * `unread`: Not read. Its BMC answers, and did not let us in or gave nothing usable.
     *     * `not_found`: Not found. Planned, and neither delivered nor found.
     *     * `to_accept`: To be accepted. It is as planned, or fits the plan, and nobody accepted it yet.
     *     * `confirmed`: Confirmed. Accepted, or past its first run.
     * @enum {string}
     */
    IntakePlaceState: "unknown" | "exchanged" | "elsewhere" | "differs" | "parts" | "unread" | "not_found" | "to_accept" | "confirmed";
    /**
     * @description * `delivery`: Delivery.
     *     * `discovery`: Discovery.
     * @enum {string}
     */
    IntakeSource: "delivery" | "discovery";
    /** IpAddressRecord */
    IpAddressRecordRequest: {
      /**
       * Site
       * @default null
       */
      site?: number | string | {
        [key: string]: number | string;
      } | null;
      /** Device */
      device: number | string | {
        [key: string]: number | string;
      };
      /**
       * Port
       * @default null
       */
      port?: number | string | {
        [key: string]: number | string;
      } | null;
      /** Address */
      address: string;
      /**
       * Prefix Length
       * @default null
       */
      prefix_length?: number | null;
      /**
       * Vlan
       * @default null
       */
      vlan?: number | null;
      /**
       * Dns Name
       * @default
       */
      dns_name?: string;
    };
    /** IpAddresses */
    IpAddresses: {
      /** Id */
      id: number;
      /** Site */
      site: number | null;
      /** Site Name */
      site_name: string | null;
      /** Device */
      device: number;
      /** Device Name */
      device_name: string | null;
      /** Port */
      port: number | null;
      /** Port Name */
      port_name: string | null;
      /** Address */
      address: string;
      /** Prefix Length */
      prefix_length: number | null;
      /** Vlan */
      vlan: number | null;
      /** Dns Name */
      dns_name: string;
    };
    /** IpAddressesChange */
    IpAddressesChangeRequest: {
      /**
       * Site
       * @default null
       */
      site?: number | string | {
        [key: string]: number | string;
      } | null;
      /**
       * Device
       * @default null
       */
      device?: number | string | {
        [key: string]: number | string;
      };
      /**
       * Port
       * @default null
       */
      port?: number | string | {
        [key: string]: number | string;
      } | null;
      /**
       * Address
       * @default null
       */
      address?: string;
      /**
       * Prefix Length
       * @default null
       */
      prefix_length?: number | null;
      /**
       * Vlan
       * @default null
       */
      vlan?: number | null;
      /**
       * Dns Name
       * @default null
       */
      dns_name?: string;
    };
    /**
     * @description * `as_set`: As Ironic is set. Ironic and the node decide.
     *     * `always`: Always. Before each installation and at each release.
     *     * `never`: Never. Disks keep what is on them.
     *     * `metadata`: Partition tables by order. Each run has Ironic erase the partition tables of its disks.
     *     * `disks`: Whole disks by order. Each run has Ironic erase its disks, which may take hours.
     * @enum {string}
     */
    IronicCleaning: "as_set" | "always" | "never" | "metadata" | "disks";
    /**
     * @description * `node`: As each node says.
     *     * `direct`: Direct. The agent writes the image to the disk.
     *     * `ramdisk`: Ramdisk. The machine boots an ISO from its virtual media.
     * @enum {string}
     */
    IronicDeployInterface: "node" | "direct" | "ramdisk";
    /**
     * @description How a site's Ironic is reached, and what may be written to it. Enrolling gives Ironic the logins of BMCs, so
     *     where it is and whether it enrolls is for administrators of every site.
     */
    IronicServer: {
      site: number;
      enabled: boolean;
      url: string;
      /** @description Certificates (PEM) of who signed its own; empty: the system's authorities. */
      authorities: string;
      state: components["schemas"]["DeployerState"];
      message: string;
      tried_at: string | null;
      last_good_at: string | null;
      has_password: boolean;
      signs_in_as: string;
      /** @description URL of the image that is installed, or with `ramdisk` of the ISO. */
      image: string;
      checksum: string;
      /** @description How it is installed; `node`: as each node says. */
      deploy_interface: components["schemas"]["IronicDeployInterface"];
      /** @description Whether each run has the hardware read by Ironic and compares it with the inventory. */
      inspect: boolean;
      /** @description Whether disks are erased before an installation and at a release, or as Ironic and its nodes say; `metadata` and `disks` are ordered in each run. */
      cleaning: components["schemas"]["IronicCleaning"];
      /** @description Whether machines that Ironic does not have are enrolled: it is given the login of their BMC then. */
      enroll: boolean;
      /** @description Whether Ironic verifies the certificates of the BMCs of nodes that are enrolled. */
      verify_bmc: boolean;
      /** @description Whether nodes of machines in repair are set to maintenance until they are back. */
      maintenance: boolean;
      /** @description Whether machines that are retired, or whose run was cancelled, are undeployed. */
      release: boolean;
    };
    /** @description One thing written to it because of the state of a machine, or that would have been. */
    IronicWrite: {
      id: number;
      machine: components["schemas"]["WriteMachine"];
      kind: components["schemas"]["DeployerWriteKind"];
      status: components["schemas"]["DeployerWriteStatus"];
      message: string;
      /** @description As it got it, or would have. */
      comment: string;
      created_at: string;
      done_at: string | null;
    };
    IronicWrites: {
      writes: components["schemas"]["IronicWrite"][];
    };
    JobChange: {
      machine: number;
      name: string;
      at: string;
      kind: components["schemas"]["SchedulerChangeKind"];
      ours: boolean;
      reason: string;
    };
    /**
     * @description Runs of the same job, what happened at the scheduler to the machines of this run meanwhile, and its steps as the
     *     accounting tells them; none without accounting.
     */
    JobHistory: {
      runs: components["schemas"]["SchedulerJob"][];
      changes: components["schemas"]["JobChange"][];
      steps: components["schemas"]["JobStep"][];
    };
    JobMachine: {
      machine: number;
      name: string;
      cell: components["schemas"]["MachineCell"];
      state: string;
      ticket: string;
      rack: number | null;
      rack_name: string | null;
      room: number | null;
    };
    JobStep: {
      /** @description 0, 1, .. of a call of srun, or batch for the script. */
      id: string;
      name: string;
      /** @description The scheduler's word. */
      state: string;
      started_at: string | null;
      ended_at: string | null;
      exit_status: number | null;
      signal: number | null;
      machines: number | null;
      gpus: number | null;
    };
    /** @description The cables behind some moves, by which these can be planned again. */
    KeptCabling: {
      found: components["schemas"]["KeptFound"][];
      wanted: components["schemas"]["KeptWanted"][];
      connectors: [
        number,
        string,
        number
      ][];
    };
    /** @description A link of a cable, both of its ends in the same order throughout. */
    KeptFound: {
      ends: [
        string,
        number
      ][];
      /** @description Links of one body are lanes of one cable. */
      body: string;
      connectors: string[];
      serials: string[];
      type: string;
      length_m: number | null;
      id: string;
      label: string;
      /** @description Traffic may be on it. */
      live: boolean;
    };
    KeptLog: {
      name: string;
      /** @description Bytes that are kept, compressed. */
      size: number;
      /** @description Only its end is kept. */
      cut: boolean;
    };
    /** @description A link of a cable, both of its ends in the same order throughout. */
    KeptWanted: {
      ends: [
        string,
        number
      ][];
      /** @description Links of one body are lanes of one cable. */
      body: string;
      connectors: string[];
      serials: string[];
      type: string;
      length_m: number | null;
      label: string;
    };
    KernelImage: {
      id: number;
      site: number;
      model: components["schemas"]["KernelModel"];
      /** @description Empty: not read. */
      image: string;
      /** @description Kinds of line not yet triaged. */
      new: number;
      /** @description Kinds that the newest sweep with too many did not list. */
      dropped: number;
      dropped_at: string | null;
    };
    KernelLine: {
      id: number;
      site: number;
      model: components["schemas"]["KernelModel"];
      image: string;
      shape: string;
      example: string;
      first_seen: string;
      /**
       * Format: date-time
       * @description Newest check that listed it as not triaged; an hour old at most.
       */
      last_seen: string;
      machines: components["schemas"]["KernelMachines"];
      state: components["schemas"]["KernelLineState"];
      /** @description Of a bad one. */
      verdict: components["schemas"]["VerdictCode"] | "";
      reason: string;
      owner: string;
      expires_at: string | null;
      decided_by: string;
      decided_at: string | null;
    };
    /**
     * @description * `new`: New. Not triaged yet.
     *     * `accepted`: Accepted. They say nothing of a fault until the day they were accepted for; then they are new again.
     *     * `bad`: Bad. Machines that print one of these are evaluated by it.
     * @enum {string}
     */
    KernelLineState: "new" | "accepted" | "bad";
    KernelMachines: {
      count: number;
      /** @description The first few. */
      names: string[];
    };
    KernelModel: {
      id: number;
      slug: string;
      name: string;
    };
    KindDescription: {
      name: string;
      title: string;
      /** @description The fields that make the natural key. */
      key: string[];
      fields: components["schemas"]["KindField"][];
      /** @description You may, at one of the sites at least. */
      may_write: boolean;
    };
    /** @description A field of a kind; one called `cf_...` is a custom one. */
    KindField: {
      name: string;
      type: "text" | "integer" | "number" | "boolean" | "choice" | "date" | "datetime" | "reference" | "list" | "object";
      title: string;
      help: string;
      required: boolean;
      read_only: boolean;
      nullable: boolean;
      choices?: string[];
      /** @description The kind whose ids it takes. */
      references?: string;
      unit?: string;
      /** @description Filters of it: empty for `name=`, else `name__WORD=`. */
      lookups: string[];
      /** @description Lists can be ordered by it. */
      ordered: boolean;
    };
    /** @description A digest that lies under the name already. */
    KnownDigest: {
      digest: string;
      machines: number;
      size_bytes: number | null;
      made_at: string | null;
    };
    KnownHost: {
      id: number;
      machine: number;
      machine_name: string;
      /** @description Algorithm and public key, as in a known_hosts file. */
      key: string;
      fingerprint: string;
      source: components["schemas"]["IdentitySource"];
      recorded_at: string;
      recorded_by: string;
      replaced_at: string | null;
    };
    /** @description A link as it was evaluated at one time, with the counts of the last minutes. */
    KnownOfLink: {
      state: components["schemas"]["LinkQuality"];
      at: string | null;
      rates: components["schemas"]["EndRates"];
      ber: number | null;
    };
    /** @description A device near a repair, by what its label says. */
    Label: {
      name: string;
      serial: string;
      asset_tag: string;
      /** @description Where the right device is from there, such as `one below`. */
      where: string;
    };
    /**
     * @description * `avery-l4731`: A4, 189 of 25.4 x 10 mm (Avery L4731).
     *     * `avery-l7160`: A4, 21 of 63.5 x 38.1 mm (Avery L7160).
     *     * `avery-5160`: Letter, 30 of 2 5/8 x 1 in (Avery 5160).
     *     * `roll-62`: Roll of 62 mm, 29 mm a label.
     * @enum {string}
     */
    LabelSheet: "avery-l4731" | "avery-l7160" | "avery-5160" | "roll-62";
    /**
     * @description * `door`: Door.
     *     * `landmark`: Landmark.
     * @enum {string}
     */
    LandmarkKind: "door" | "landmark";
    /** LandmarkRecord */
    LandmarkRecordRequest: {
      /**
       * Site
       * @default null
       */
      site?: number | string | {
        [key: string]: number | string;
      } | null;
      /** Room */
      room: number | string | {
        [key: string]: number | string;
      };
      /**
       * Name
       * @description As people call it, such as Door 2 or fire panel.
       */
      name: string;
      /**
       * Kind
       * @description door: where one comes in. landmark: what one passes.
       */
      kind: components["schemas"]["LandmarkKind"];
      /** X Mm */
      x_mm: number;
      /** Y Mm */
      y_mm: number;
    };
    /** Landmarks */
    Landmarks: {
      /** Id */
      id: number;
      /** Site */
      site: number | null;
      /** Site Name */
      site_name: string | null;
      /** Room */
      room: number;
      /** Room Name */
      room_name: string | null;
      /**
       * Name
       * @description As people call it, such as Door 2 or fire panel.
       */
      name: string;
      /**
       * Kind
       * @description door: where one comes in. landmark: what one passes.
       */
      kind: components["schemas"]["LandmarkKind"];
      /** X Mm */
      x_mm: number;
      /** Y Mm */
      y_mm: number;
    };
    /** LandmarksChange */
    LandmarksChangeRequest: {
      /**
       * Site
       * @default null
       */
      site?: number | string | {
        [key: string]: number | string;
      } | null;
      /**
       * Room
       * @default null
       */
      room?: number | string | {
        [key: string]: number | string;
      };
      /**
       * Name
       * @description As people call it, such as Door 2 or fire panel.
       * @default null
       */
      name?: string;
      /**
       * Kind
       * @description door: where one comes in. landmark: what one passes.
       * @default null
       */
      kind?: components["schemas"]["LandmarkKind"];
      /**
       * X Mm
       * @default null
       */
      x_mm?: number;
      /**
       * Y Mm
       * @default null
       */
      y_mm?: number;
    };
    Lane: {
      lane: components["schemas"]["TimelineLane"];
      items: components["schemas"]["TimelineItem"][];
      /** @description There were more; ask for a shorter time. */
      more: boolean;
    };
    Latency: {
      at: string;
      /** @description Null: no answer. */
      ms: number | null;
    };
    LaunchCheckRequest: {
      machines: (number | string)[];
      reason?: string;
      /** @description One of `ways`. */
      way?: string;
    };
    LaunchCheckStarted: {
      /** @description Of /api/health/active-runs/. */
      run: number;
    };
    /**
     * @description * `nccl-tests`: nccl-tests. all_reduce_perf
     *     * `torch`: torch. Rackside's own script, which needs Python with torch.
     * @enum {string}
     */
    LaunchProgram: "nccl-tests" | "torch";
    /** @description `command` is a template with {program} and others in braces; empty: the usual one, which `usual` shows. */
    LaunchWay: {
      id: number;
      site: number;
      name: string;
      position: number;
      enabled: boolean;
      way: components["schemas"]["LaunchWayKind"];
      program: components["schemas"]["LaunchProgram"];
      /** @description With {program}; empty: the usual one. */
      command: string;
      usual: string;
      partition: string;
      account: string;
      /** @description One of ours: its name begins with rackside. */
      reservation: string;
      /** @description Of the container that pyxis starts. */
      image: string;
      /** @description /FROM:/TO, with commas between them. */
      mounts: string;
    };
    /**
     * @description * `ssh`: mpirun over SSH. With a list of hosts, from the first machine.
     *     * `mpi`: mpirun with a hostfile. From the first machine.
     *     * `torchrun`: torchrun. On every machine, meeting at the first.
     *     * `srun`: Slurm job. On exactly these machines, also in a container of pyxis.
     * @enum {string}
     */
    LaunchWayKind: "ssh" | "mpi" | "torchrun" | "srun";
    /** @description `command` is a template with {program} and others in braces; empty: the usual one, which `usual` shows. */
    LaunchWayRequest: {
      /** @description Id or slug. */
      site: number | string;
      name: string;
      position?: number;
      enabled?: boolean;
      way: components["schemas"]["LaunchWayKind"];
      program?: components["schemas"]["LaunchProgram"];
      /** @description With {program}; empty: the usual one. */
      command?: string;
      partition?: string;
      account?: string;
      /** @description One of ours: its name begins with rackside. */
      reservation?: string;
      /** @description Of the container that pyxis starts. */
      image?: string;
      /** @description /FROM:/TO, with commas between them. */
      mounts?: string;
    };
    Leaf: {
      id: number;
      name: string;
      place: components["schemas"]["LeafPlace"];
      pod: number | null;
    };
    LeafPlace: {
      room: string;
      row: string;
      rack: string;
      u: number | null;
    };
    /** @description A line of the leases that could not be read. */
    LeaseProblem: {
      line: number;
      reason: string;
    };
    /** @description Where leases of a site are read: a path on the server that has the workers, or the URL of Kea's control API. */
    LeaseSource: {
      id: number;
      site: number;
      name: string;
      kind: components["schemas"]["LeaseSourceKind"];
      /** @description The path of the file, or the URL of Kea's control API. */
      place: string;
    };
    /**
     * @description * `dnsmasq`: Lease file of dnsmasq.
     *     * `kea_file`: Lease file of Kea.
     *     * `kea_api`: Control API of Kea.
     * @enum {string}
     */
    LeaseSourceKind: "dnsmasq" | "kea_file" | "kea_api";
    /** @description Where leases of a site are read: a path on the server that has the workers, or the URL of Kea's control API. */
    LeaseSourceRequest: {
      /** @description Id or slug. */
      site: number | string;
      name: string;
      kind: components["schemas"]["LeaseSourceKind"];
      /** @description The path of the file, or the URL of Kea's control API. */
      place: string;
    };
    LeavingMachine: {
      id: number;
      name: string;
      leaf: string;
      state: string;
      taking_out: components["schemas"]["TakingOut"];
    };
    LeftOut: {
      machine_id: number;
      name: string;
      reason: string;
    };
    /** @description A machine's score; flagged above `limit`, the median of its model and three times its spread. */
    Lemon: {
      machine: components["schemas"]["MachineBrief"];
      site: string;
      model: string;
      score: number;
      median: number;
      limit: number;
      /** @description Other machines of the model it is compared with. */
      peers: number;
      events: number;
      flagged: boolean;
      terms: {
        [key: string]: components["schemas"]["Term"];
      };
    };
    /** @description Two racks or two rows; twice the same: within it. */
    LengthRule: {
      id: number;
      site: number;
      a_rack: number | null;
      b_rack: number | null;
      a_row: number | null;
      b_row: number | null;
      length_m: string;
    };
    /** @description Two racks or two rows; twice the same: within it. */
    LengthRuleRequest: {
      /** @description Id or slug. */
      site: number | string;
      /** @description Id or name. */
      a_rack?: number | string | null;
      /** @description Id or name. */
      b_rack?: number | string | null;
      /** @description Id or name. */
      a_row?: number | string | null;
      /** @description Id or name. */
      b_row?: number | string | null;
      length_m: string;
    };
    Limit: {
      name: "min_unavailable" | "min_unavailable_from" | "drains_10min" | "drains_1h" | "cause_machines" | "cause_share" | "cause_explains" | "cause_window_s" | "cause_out_s" | "suspicious_share" | "suspicious_machines" | "suspicion_s" | "rollout_s" | "power_at_once" | "power_spacing_s" | "power_1h" | "power_off_s" | "reboots_7d" | "remediations_7d" | "flaps_24h" | "redrain_cooldown_s" | "breaker_refused_1h" | "breaker_ambiguous" | "breaker_failed_verifications" | "breaker_drained_share" | "breaker_drained_machines" | "breaker_drained_window_s" | "patience_s" | "retry_s" | "retries" | "lease_s" | "inventory_age_s" | "clock_step_s" | "golden_days";
      group: "Disruption budgets" | "Common causes" | "Power" | "One machine" | "Circuit breaker" | "Waiting" | "Trust in numbers";
      title: string;
      unit: string;
      value: number;
      default: number;
      low: number;
      high: number;
    };
    /** @description Every limit by name. */
    LimitsAnswer: {
      /** @description Machines that may be out whatever the share of the pool says (machines). */
      min_unavailable: number;
      /** @description Pools of this size or more have that minimum (machines). */
      min_unavailable_from: number;
      /** @description Automatic drains of a pool in 10 minutes (drains). */
      drains_10min: number;
      /** @description Automatic drains of a pool in an hour (drains). */
      drains_1h: number;
      /** @description Machines with alike faults behind one cause; more are one incident (machines). */
      cause_machines: number;
      /**
       * Format: double
       * @description Share of a cause's machines that must be affected (share).
       */
      cause_share: number;
      /**
       * Format: double
       * @description Share of a mass failure that its cause must explain (share).
       */
      cause_explains: number;
      /** @description Faults within this time may have one cause (s). */
      cause_window_s: number;
      /** @description How long a drained machine counts for a common cause (s). */
      cause_out_s: number;
      /**
       * Format: double
       * @description Share of a pool with alike faults that is a mass failure (share).
       */
      suspicious_share: number;
      /** @description Machines of a pool with alike faults, at least, for a mass failure (machines). */
      suspicious_machines: number;
      /** @description Suspicion of alike faults ends this long after the last one (s). */
      suspicion_s: number;
      /** @description How long a new version of software counts as a roll-out (s). */
      rollout_s: number;
      /** @description Power actions of the site at once (actions). */
      power_at_once: number;
      /** @description Between two power actions of the site (s). */
      power_spacing_s: number;
      /** @description Power actions of the site in an hour (actions). */
      power_1h: number;
      /** @description A machine stays off in a power cycle (s). */
      power_off_s: number;
      /** @description Reboots and power cycles in seven days (reboots). */
      reboots_7d: number;
      /** @description Remediations in seven days (actions). */
      remediations_7d: number;
      /** @description Changes from failing to passing in a day that make a check flapping (changes). */
      flaps_24h: number;
      /** @description Cooldown of a check after a person put the machine back (s). */
      redrain_cooldown_s: number;
      /** @description Incidents refused by a budget in an hour (incidents). */
      breaker_refused_1h: number;
      /** @description Ambiguous actions (actions). */
      breaker_ambiguous: number;
      /** @description Machines in a row whose verification failed (machines). */
      breaker_failed_verifications: number;
      /**
       * Format: double
       * @description Share of the site's machines drained by automation (share).
       */
      breaker_drained_share: number;
      /** @description Machines drained by automation, at least, before that share counts (machines). */
      breaker_drained_machines: number;
      /** @description Drains within this time count for that share (s). */
      breaker_drained_window_s: number;
      /** @description Automation may wait for leave before a person is asked (s). */
      patience_s: number;
      /** @description After an action that was never sent (s). */
      retry_s: number;
      /** @description Actions of an incident never sent, before a person is asked (actions). */
      retries: number;
      /** @description A worker's lease of an action (s). */
      lease_s: number;
      /** @description Oldest numbers that automation acts on (s). */
      inventory_age_s: number;
      /** @description Jump of a clock that stops automation (s). */
      clock_step_s: number;
      /** @description Clean days after which a machine joins the golden set (days). */
      golden_days: number;
    };
    Line: {
      /** @description The end it is of. */
      name: string;
      /** @description The largest of each stretch, at most 1,000. */
      points: [
        string,
        number | null
      ][];
    };
    /**
     * @description `key` are both ends; `link` is the key by which the wiring and port actions know it. `quality` is the newest
     *     one, `bad_since` what a second window confirmed. `ber_below`: no error was seen, the rate is below `ber`.
     */
    Link: {
      id: number;
      key: string;
      site: number;
      source: number;
      link: string | null;
      a: components["schemas"]["LinkEnd"];
      b: components["schemas"]["LinkEnd"];
      cable: components["schemas"]["LinkCable"] | null;
      /** @description What the reconciliation says of it. */
      wiring: components["schemas"]["LinkState"] | null;
      width: string;
      speed: string;
      tier: string;
      gbps: number | null;
      quality: components["schemas"]["LinkQuality"];
      reason: string;
      since: string;
      bad_since: string | null;
      alarm: "none" | "suspected" | "bad" | "recovering";
      measured_at: string | null;
      /** @description Symbol errors an hour by window. */
      errors_per_h: {
        [key: string]: number;
      };
      downs_per_day: number;
      ber: number | null;
      ber_below: boolean;
      max_c: number | null;
    };
    LinkCable: {
      id: number;
      label: string;
    };
    /**
     * @description `key` are both ends; `link` is the key by which the wiring and port actions know it. `quality` is the newest
     *     one, `bad_since` what a second window confirmed. `ber_below`: no error was seen, the rate is below `ber`.
     */
    LinkDetail: {
      id: number;
      key: string;
      site: number;
      source: number;
      link: string | null;
      a: components["schemas"]["LinkEnd"];
      b: components["schemas"]["LinkEnd"];
      cable: components["schemas"]["LinkCable"] | null;
      /** @description What the reconciliation says of it. */
      wiring: components["schemas"]["LinkState"] | null;
      width: string;
      speed: string;
      tier: string;
      gbps: number | null;
      quality: components["schemas"]["LinkQuality"];
      reason: string;
      since: string;
      bad_since: string | null;
      alarm: "none" | "suspected" | "bad" | "recovering";
      measured_at: string | null;
      /** @description Symbol errors an hour by window. */
      errors_per_h: {
        [key: string]: number;
      };
      downs_per_day: number;
      ber: number | null;
      ber_below: boolean;
      max_c: number | null;
      /** @description What is not ok; heat; error rates. */
      measures: components["schemas"]["MeasuredValue"][];
      rates: components["schemas"]["Rates"];
      /** @description The limits it is evaluated against. */
      limits: {
        [key: string]: number;
      };
      evaluated_from: string | null;
      /** @description The last ten that were asked for. */
      measurements: components["schemas"]["Measurement"][];
    };
    LinkEnd: {
      device: string;
      device_id: number | null;
      guid: string;
      port: number;
      port_id: number | null;
      port_name: string;
      cage: number | null;
      lane: number | null;
      place: string;
    };
    LinkEvent: {
      at: string;
      text: string;
    };
    LinkHistory: {
      from: string;
      to: string;
      /** @description Those of which anything was reported. */
      charts: components["schemas"]["Chart"][];
      /** @description Of its ports, at most 500. */
      events: components["schemas"]["LinkEvent"][];
    };
    /**
     * @description * `ber`: Bit error rate.
     *     * `raw_ber`: Bit error rate before correction.
     *     * `symbol_errors`: Symbol errors.
     *     * `link_downed`: Losses of the link.
     *     * `link_recoveries`: Recoveries of the link.
     *     * `receive_errors`: Receive errors.
     *     * `integrity_errors`: Integrity errors.
     *     * `overruns`: Overruns.
     *     * `fec_uncorrected`: Uncorrectable blocks.
     *     * `optic_c`: Temperature of the optic.
     *     * `port_c`: Temperature of the port.
     *     * `reading`: Reading.
     * @enum {string}
     */
    LinkMeasure: "ber" | "raw_ber" | "symbol_errors" | "link_downed" | "link_recoveries" | "receive_errors" | "integrity_errors" | "overruns" | "fec_uncorrected" | "optic_c" | "port_c" | "reading";
    LinkPair: {
      before: components["schemas"]["ChangedLink"];
      after: components["schemas"]["ChangedLink"];
    };
    /**
     * @description * `bad`: Bad. Confirmed over several readings; it gets a ticket.
     *     * `unknown`: Unknown. Not read, too old, or a counter stands at its top. Never counted as well.
     *     * `watch`: Watch. Above what is usual, below what is bad.
     *     * `ok`: OK.
     * @enum {string}
     */
    LinkQuality: "bad" | "unknown" | "watch" | "ok";
    /** @description A link as it was evaluated at one time. */
    LinkReading: {
      state: components["schemas"]["LinkQuality"];
      reason: string;
      at: string | null;
      rates: components["schemas"]["Rates"];
      ber: number | null;
      ber_below: boolean;
      max_c: number | null;
    };
    /**
     * @description * `correct`: as planned.
     *     * `wrong`: wrong port.
     *     * `missing`: missing.
     *     * `dark`: dark.
     *     * `off`: device off.
     *     * `slow`: slow.
     *     * `extra`: not planned.
     *     * `unknown`: not known.
     * @enum {string}
     */
    LinkState: "correct" | "wrong" | "missing" | "dark" | "off" | "slow" | "extra" | "unknown";
    /** @description Links by state. */
    LinkStates: {
      correct: number;
      slow: number;
      wrong: number;
      dark: number;
      missing: number;
      off: number;
      extra: number;
      unknown: number;
    };
    LinkThen: {
      source: number;
      a: components["schemas"]["SeenEnd"];
      b: components["schemas"]["SeenEnd"];
      width: string;
      speed: string;
      since: string;
      /**
       * Format: date-time
       * @description Null for one that is still there.
       */
      until: string | null;
    };
    LinksThen: {
      time: string;
      /** @description On all pages; 0 behind the last one. */
      count: number;
      page: number;
      page_size: number;
      results: components["schemas"]["LinkThen"][];
    };
    /**
     * @description * `over`: Over. More than it may be.
     *     * `near`: Near. Close to its limit.
     *     * `unknown`: Not known. A value or a limit is missing.
     *     * `ok`: OK.
     * @enum {string}
     */
    LoadState: "over" | "near" | "unknown" | "ok";
    /** @description Something else by its id and name. */
    LoadedMachine: {
      id: number;
      name: string;
      watts: number | null;
    };
    LogAnswer: {
      lines: components["schemas"]["LogLine"][];
    };
    LogLine: {
      n: number;
      at: string;
      step: string;
      text: string;
    };
    /**
     * @description * `none`: Keep the disks.
     *     * `quick`: Quick. The beginning and the end of each disk.
     *     * `secure`: Secure. By the secure erase of each disk.
     *     * `full`: Full. Every disk is written over.
     * @enum {string}
     */
    MaasErase: "none" | "quick" | "secure" | "full";
    /**
     * @description * `off`: Dry run.
     *     * `idle`: Idle machines. Machines in repair that are not allocated in MAAS.
     *     * `all`: All machines. Machines in repair, also deployed ones: MAAS releases them.
     * @enum {string}
     */
    MaasMarkBroken: "off" | "idle" | "all";
    /**
     * @description How a site's MAAS is reached, and what may be written to it. Enlisting gives MAAS the logins of BMCs, so where it
     *     is and whether it enlists is for administrators of every site.
     */
    MaasRegion: {
      site: number;
      enabled: boolean;
      url: string;
      /** @description Certificates (PEM) of who signed its own; empty: the system's authorities. */
      authorities: string;
      state: components["schemas"]["DeployerState"];
      message: string;
      tried_at: string | null;
      last_good_at: string | null;
      has_key: boolean;
      series: string;
      commissioning_scripts: string[];
      /** @description Whether machines that MAAS does not have are enlisted: it is given the login of their BMC then. */
      enlist: boolean;
      /** @description Machines in repair: none, those nobody has in MAAS, or all. MAAS releases what it marks broken. */
      mark_broken: components["schemas"]["MaasMarkBroken"];
      /** @description Whether machines that are retired, or whose run was cancelled, are released. */
      release: boolean;
      /** @description At each release. */
      erase: components["schemas"]["MaasErase"];
    };
    /** @description One thing written to it because of the state of a machine, or that would have been. */
    MaasWrite: {
      id: number;
      machine: components["schemas"]["WriteMachine"];
      kind: components["schemas"]["DeployerWriteKind"];
      status: components["schemas"]["DeployerWriteStatus"];
      message: string;
      /** @description As it got it, or would have. */
      comment: string;
      created_at: string;
      done_at: string | null;
    };
    MaasWrites: {
      writes: components["schemas"]["MaasWrite"][];
    };
    /** @description A machine as the list shows it; made by `health.overview.queries.machines.summary`. */
    Machine: {
      id: number;
      name: string;
      site: components["schemas"]["SiteOfMachine"];
      model: components["schemas"]["ModelOfMachine"];
      serial: string;
      asset_tag: string;
      system_uuid: string | null;
      pool: string | null;
      /** @description Null for one that is not mounted. */
      place: components["schemas"]["Place"] | null;
      /** @description Key of its open ticket. */
      ticket: string | null;
      health: components["schemas"]["Condition"];
    };
    MachineAddress: {
      /** @description Of an additional address. */
      id: number | null;
      source: "primary" | "bmc" | "additional";
      address: string;
      prefix_length: number | null;
      vlan: number | null;
      dns_name: string;
      /** @description Of the port, or the machine's boot or BMC MAC. */
      mac: string;
      port: number | null;
      port_name: string | null;
    };
    MachineBrief: {
      id: number;
      name: string;
    };
    /** @description `reason` is needed by all but check, `until` by maintenance. */
    MachineBulkRequest: {
      machines: (number | string)[];
      action: "check" | "hold" | "maintenance" | "return";
      reason?: string;
      until?: string;
    };
    /**
     * @description * `allocated`: Allocated.
     *     * `available`: Available.
     *     * `suspect`: Suspect.
     *     * `failed`: Failed.
     *     * `drained`: Drained.
     *     * `repair`: In repair.
     *     * `provisioning`: Provisioning.
     *     * `off`: Off.
     *     * `no_signal`: No signal.
     * @enum {string}
     */
    MachineCell: "allocated" | "available" | "suspect" | "failed" | "drained" | "repair" | "provisioning" | "off" | "no_signal";
    /** @description What the list and the page of a machine share. */
    MachineDetail: {
      id: number;
      name: string;
      site: components["schemas"]["SiteOfMachine"];
      model: components["schemas"]["ModelOfMachine"];
      serial: string;
      asset_tag: string;
      system_uuid: string | null;
      pool: string | null;
      /** @description Null for one that is not mounted. */
      place: components["schemas"]["Place"] | null;
      /** @description Key of its open ticket. */
      ticket: string | null;
      health: components["schemas"]["ConditionWithHolds"];
      addresses: components["schemas"]["Addresses"];
      /** @description What its BMC is, in the vendor's word, or that plain Redfish is spoken to it. */
      bmc: string | null;
      /** @description The newest first, at most 100. */
      tickets: components["schemas"]["TicketOfMachine"][];
    };
    MachineHistory: {
      /** @description Checks, the oldest first. */
      runs: components["schemas"]["CheckRun"][];
      /** @description Changed verdicts, the newest first, at most 500. */
      transitions: components["schemas"]["VerdictChange"][];
      /** @description The newest first. */
      lifecycle: components["schemas"]["StateChange"][];
    };
    /**
     * @description * `same`: Has it.
     *     * `another`: Another image. Under the same name lies another image than on most machines: the tag was moved, and this machine pulled it before or after.
     *     * `missing`: Missing.
     *     * `unknown`: Not known. An engine of the machine does not tell its images.
     *     * `not_read`: Not read. No sweep has read its images: it has not answered yet, or its device model names no container engine.
     * @enum {string}
     */
    MachineImageState: "same" | "another" | "missing" | "unknown" | "not_read";
    MachineIncident: {
      id: number;
      site: number;
      kind: components["schemas"]["MachineIncidentKind"];
      machine: components["schemas"]["MachineName"] | null;
      cause_kind: "" | "rack" | "row" | "room" | "switch" | "management" | "feed" | "cooling" | "rollout" | "site";
      /** @description Name of the rack, switch, feed or version. */
      cause: string;
      /** @description What the machines share, such as `Rack A17`; empty of an incident of one machine. */
      cause_words: string;
      /** @description Of the faults that are alike. */
      fault_class: string;
      /** @description Of those faults: the number of the Xid, or their message. */
      code: string;
      title: string;
      /** @description How well the cause explains it, and what else may. */
      text: string;
      drained: boolean;
      /** @description Meters say that its feed or cooling unit fails: it is not over before they stop. */
      cause_stands: boolean;
      /** @description A remedy is on for it: no ticket has opened yet. */
      automation_first: boolean;
      /**
       * Format: date-time
       * @description Until then automation leaves every fault of this class and code alone.
       */
      suspect_until: string | null;
      /** @description Who lifted the suspicion. */
      lifted_by: string;
      lift_reason: string;
      /**
       * Format: date-time
       * @description A person said that it is mended: its machines have until then to pass.
       */
      verify_by: string | null;
      /**
       * Format: date-time
       * @description From here on automation leaves it alone.
       */
      needs_person_at: string | null;
      needs_person_reason: string;
      refused_by: string;
      opened_at: string;
      closed_at: string | null;
      closed_by: string;
      close_reason: string;
    };
    MachineIncidentDetail: {
      id: number;
      site: number;
      kind: components["schemas"]["MachineIncidentKind"];
      machine: components["schemas"]["MachineName"] | null;
      cause_kind: "" | "rack" | "row" | "room" | "switch" | "management" | "feed" | "cooling" | "rollout" | "site";
      /** @description Name of the rack, switch, feed or version. */
      cause: string;
      /** @description What the machines share, such as `Rack A17`; empty of an incident of one machine. */
      cause_words: string;
      /** @description Of the faults that are alike. */
      fault_class: string;
      /** @description Of those faults: the number of the Xid, or their message. */
      code: string;
      title: string;
      /** @description How well the cause explains it, and what else may. */
      text: string;
      drained: boolean;
      /** @description Meters say that its feed or cooling unit fails: it is not over before they stop. */
      cause_stands: boolean;
      /** @description A remedy is on for it: no ticket has opened yet. */
      automation_first: boolean;
      /**
       * Format: date-time
       * @description Until then automation leaves every fault of this class and code alone.
       */
      suspect_until: string | null;
      /** @description Who lifted the suspicion. */
      lifted_by: string;
      lift_reason: string;
      /**
       * Format: date-time
       * @description A person said that it is mended: its machines have until then to pass.
       */
      verify_by: string | null;
      /**
       * Format: date-time
       * @description From here on automation leaves it alone.
       */
      needs_person_at: string | null;
      needs_person_reason: string;
      refused_by: string;
      opened_at: string;
      closed_at: string | null;
      closed_by: string;
      close_reason: string;
      faults: components["schemas"]["IncidentFault"][];
      actions: components["schemas"]["Action"][];
      machines: components["schemas"]["IncidentMachine"][];
    };
    /**
     * @description * `machine`: One machine.
     *     * `shared`: Several machines.
     * @enum {string}
     */
    MachineIncidentKind: "machine" | "shared";
    MachineName: {
      id: number;
      name: string;
    };
    MachineOfFault: {
      id: number;
      name: string;
    };
    MachineOfRun: {
      id: number;
      name: string;
    };
    MachineOutcome: {
      machine: number;
      name: string;
      done: boolean;
      /** @description Why it was not done. */
      reason: string;
    };
    /** @description One for each machine, in the order in which they were given. */
    MachineOutcomes: {
      outcomes: components["schemas"]["MachineOutcome"][];
    };
    /** @description A rail port, the GPU it serves, and where it leads. */
    MachineRail: {
      rail: number;
      gpu_slot: string | null;
      gpu_label: string | null;
      hca_slot: string;
      port: string;
      port_id: number;
      /** @description Null where the way is lost or ends at several ports. */
      far: components["schemas"]["RailFarEnd"] | null;
    };
    /**
     * @description * `new`: New.
     *     * `provisioning`: Provisioning.
     *     * `burn_in`: Burn-in.
     *     * `ready`: Ready.
     *     * `draining`: Draining.
     *     * `drained`: Drained.
     *     * `remediating`: Remediating.
     *     * `verifying`: Verifying.
     *     * `triage`: Triage.
     *     * `repair`: In repair.
     *     * `rma`: RMA.
     *     * `maintenance`: Maintenance.
     *     * `retired`: Retired.
     * @enum {string}
     */
    MachineState: "new" | "provisioning" | "burn_in" | "ready" | "draining" | "drained" | "remediating" | "verifying" | "triage" | "repair" | "rma" | "maintenance" | "retired";
    MachineTable: {
      columns: [
        "id",
        "name",
        "rack",
        "u",
        "height_u",
        "cell",
        "state",
        "worst",
        "reachability",
        "since",
        "ticket",
        "faults"
      ];
      rows: [
        number,
        string,
        number,
        number,
        number,
        components["schemas"]["MachineCell"],
        components["schemas"]["MachineState"],
        components["schemas"]["VerdictCode"],
        components["schemas"]["Reachability"],
        string,
        string | null,
        number
      ][];
    };
    MachineThen: {
      at: string;
      /** @description A state of the lifecycle; unknown where none was recorded by then. */
      state: string;
      since: string | null;
      reason: string;
      /**
       * Format: date-time
       * @description Last check by then; null: none that counts.
       */
      checked_at: string | null;
      /** @description Whether it answered that check. */
      answered: boolean | null;
      /** @description What was not ok at that check, the worst first. */
      checks: components["schemas"]["CheckThen"][];
      faults: components["schemas"]["FaultThen"][];
      jobs: string[];
      /** @description What sat in its slots. */
      parts: components["schemas"]["PartThen"][];
      /** @description Versions and settings that were others then. */
      changed_since: components["schemas"]["FactThen"][];
    };
    MachinesThen: {
      columns: [
        "id",
        "name",
        "rack",
        "u",
        "height_u",
        "cell",
        "state",
        "worst",
        "reachability",
        "since",
        "ticket",
        "faults",
        "job"
      ];
      rows: [
        number,
        string,
        number,
        number,
        number,
        components["schemas"]["MachineCell"],
        "new" | "provisioning" | "burn_in" | "ready" | "draining" | "drained" | "remediating" | "verifying" | "triage" | "repair" | "rma" | "maintenance" | "retired" | "unknown",
        components["schemas"]["VerdictCode"],
        components["schemas"]["Reachability"],
        string | null,
        string | null,
        number,
        string | null
      ][];
    };
    MailRequest: {
      /** @description The whole mail as it came (RFC 5322). */
      mail: string;
    };
    Mailbox: {
      /** @description Empty: the settings name no mailbox. */
      host: string;
      tried_at: string | null;
      /**
       * Format: date-time
       * @description When it could be read the last time.
       */
      read_at: string | null;
      /** @description Why it could not be read just now; empty where it could. */
      message: string;
    };
    MaintenanceRequest: {
      reason: string;
      until: string;
    };
    MarkBadRequest: {
      verdict: "fail" | "warn" | "info";
      reason: string;
    };
    Matrix: {
      rails: number[];
      leaves: components["schemas"]["Leaf"][];
      cells: (components["schemas"]["Cell"] | null)[][];
    };
    MatrixCheck: {
      id: string;
      title: string;
      family: string;
    };
    MatrixMachine: {
      id: number;
      name: string;
      state: components["schemas"]["MachineState"];
      /** @description One character per check: f fail, u unknown, w warn, i info, o ok, . does not apply. */
      cells: string;
    };
    Me: {
      id: number;
      username: string;
      name: string;
      email: string;
      roles: components["schemas"]["Role"][];
      sites: components["schemas"]["SiteBrief"][];
      /** @description Signed in at a shared tablet. */
      tablet: boolean;
    };
    MeasureRequest: {
      /**
       * @description Between its two readings.
       * @default 60
       */
      seconds?: number;
    };
    /** @description Something else by its id and name. */
    MeasuredFeed: {
      id: number;
      name: string;
      side: string;
      panel: components["schemas"]["Named"] | null;
      now_w: number | null;
      at_least: boolean;
      limit_w: number | null;
      share: number | null;
      /**
       * Format: double
       * @description Of the last 24 hours, where all of it was measured.
       */
      peak_w: number | null;
      planned_w: number | null;
      state: components["schemas"]["LoadState"];
    };
    MeasuredFinding: {
      id: number;
      kind: string;
      title: string;
      severity: components["schemas"]["FindingSeverity"];
      subject: components["schemas"]["PowerSubject"];
      text: string;
      todo: string;
      rack: components["schemas"]["Named"] | null;
      /** @description The same for all findings that have one cause. */
      incident: string;
      since: string;
    };
    MeasuredRack: {
      rack: components["schemas"]["RackPlace"];
      now_w: number | null;
      at_least: boolean;
      known: number;
      of: number;
      peak_w: number | null;
      peak_at: string | null;
      planned_w: number | null;
      limit_w: number | null;
      share: number | null;
      method: components["schemas"]["PowerMethod"];
      feeds: components["schemas"]["RackStrip"][];
      imbalance_percent: number | null;
      heights: components["schemas"]["Height"][];
      profile: components["schemas"]["Profile"][];
      inlet_recommended_c: number;
      gaps: components["schemas"]["OpenGap"][];
      findings: components["schemas"]["MeasuredFinding"][];
    };
    /** @description One thing that was measured at one end. */
    MeasuredValue: {
      name: components["schemas"]["LinkMeasure"];
      end: string;
      state: components["schemas"]["LinkQuality"];
      /**
       * Format: double
       * @description Null where nothing can be said.
       */
      value: number | null;
      limit: number | null;
      /** @description Empty for what is read at once. */
      window: string;
      text: string;
    };
    Measurement: {
      id: number;
      site: number;
      key: string;
      status: components["schemas"]["MeasurementStatus"];
      asked_at: string;
      asked_by: string;
      /** @description Who waits for it, such as ticket:REP-2041. */
      owner: string;
      /** @description Between its two readings. */
      seconds: number;
      before: components["schemas"]["LinkReading"];
      after: components["schemas"]["LinkReading"] | null;
      /** @description Of `after`. */
      state: components["schemas"]["LinkQuality"] | "";
      message: string;
      finished_at: string | null;
    };
    /**
     * @description * `queued`: Queued. Waits for a free worker.
     *     * `first`: Reading. Read once; waits for the second reading.
     *     * `done`: Done.
     *     * `failed`: Failed. It could not be read.
     * @enum {string}
     */
    MeasurementStatus: "queued" | "first" | "done" | "failed";
    Message: {
      id: number;
      channel: number;
      channel_name: string;
      ticket: number | null;
      /** @description Of the ticket; empty for a test and a summary. */
      key: string;
      /** @description Empty: a test or a summary. */
      event: string;
      title: string;
      priority: string;
      status: components["schemas"]["MessageStatus"];
      created_at: string;
      /**
       * Format: date-time
       * @description When it is sent, tried again or summed up.
       */
      next_at: string;
      attempts: number;
      sent_at: string | null;
      response_status: number | null;
      error: string;
      bundle: number | null;
    };
    /**
     * @description * `email`: Mail.
     *     * `slack`: Slack.
     *     * `mattermost`: Mattermost.
     *     * `teams`: Teams.
     *     * `ntfy`: ntfy.
     *     * `webhook`: Signed webhook.
     * @enum {string}
     */
    MessageChannelKind: "email" | "slack" | "mattermost" | "teams" | "ntfy" | "webhook";
    /**
     * @description * `hourly`: Every hour.
     *     * `daily`: Every day at 8.
     * @enum {string}
     */
    MessageDigest: "hourly" | "daily";
    /**
     * @description * `opened`: Opened.
     *     * `commented`: Commented.
     *     * `taken`: Taken.
     *     * `released`: Released.
     *     * `verifying`: Being verified.
     *     * `failed`: Verification failed.
     *     * `closed`: Closed.
     *     * `reopened`: Reopened.
     * @enum {string}
     */
    MessageEvent: "opened" | "commented" | "taken" | "released" | "verifying" | "failed" | "closed" | "reopened";
    /** @description A setting of a site, or of every site, for their administrators. */
    MessageRule: {
      id: number;
      /** @description Empty: every site. */
      site: number | null;
      channel: number;
      /** @description In whose queue the ticket is; empty: all. */
      queues: components["schemas"]["TicketQueue"][];
      /** @description What happened; empty: all. */
      events: components["schemas"]["MessageEvent"][];
      /** @description Priorities; empty: all. */
      priorities: ("P1" | "P2" | "P3")[];
      /** @description As one summary instead of at once. */
      digest: components["schemas"]["MessageDigest"] | "";
      active: boolean;
    };
    /** @description A setting of a site, or of every site, for their administrators. */
    MessageRuleRequest: {
      /** @description Empty: every site. Id or slug. */
      site?: number | string | null;
      /** @description Id or name. */
      channel: number | string;
      /** @description In whose queue the ticket is; empty: all. */
      queues?: components["schemas"]["TicketQueue"][];
      /** @description What happened; empty: all. */
      events?: components["schemas"]["MessageEvent"][];
      /** @description Priorities; empty: all. */
      priorities?: ("P1" | "P2" | "P3")[];
      /** @description As one summary instead of at once. */
      digest?: components["schemas"]["MessageDigest"] | "";
      active?: boolean;
    };
    /**
     * @description * `held`: Held. It is summed up with others at its time.
     *     * `waiting`: Waiting. It is tried again until it arrives or its tries are used up.
     *     * `sent`: Sent. The receiver took it.
     *     * `bundled`: In a summary. It was sent with others.
     *     * `failed`: Given up. No try is left; it can be sent again.
     * @enum {string}
     */
    MessageStatus: "held" | "waiting" | "sent" | "bundled" | "failed";
    /** @description A meter. Its address, credential and options are for administrators of every site, or of the credential's. */
    Meter: {
      id: number;
      site: number;
      name: string;
      kind: components["schemas"]["MeterKind"];
      device: number | null;
      rack: number | null;
      room: number | null;
      place: components["schemas"]["MeterPlace"];
      /** @description HOST, HOST:PORT or an URL. */
      address: string;
      credential: string | null;
      /** @description SHA-256 of its certificate; empty: one that the system trusts. */
      identity: string;
      options: {
        [key: string]: unknown;
      };
      enabled: boolean;
      period_s: number;
      state: components["schemas"]["MeterState"];
      message: string;
      tried_at: string | null;
      /**
       * Format: date-time
       * @description When it told the values that are shown.
       */
      read_at: string | null;
      /** @description How many values it told. */
      values: number;
      /** @description How many of them are not known. */
      unknown: number;
    };
    /**
     * @description * `snmp_pdu`: Rack PDU, SNMP.
     *     * `redfish_pdu`: Rack PDU, Redfish.
     *     * `snmp_sensors`: Sensors, SNMP.
     *     * `redfish_sensors`: Sensors, Redfish.
     *     * `redfish_cooling`: Cooling unit, Redfish.
     *     * `modbus`: Meter, Modbus/TCP.
     *     * `prometheus`: Values of a Prometheus.
     *     * `machine`: Machine: BMC and GPU driver.
     *     * `rack`: Sums of a rack.
     *     * `room`: Sums of a room.
     *     * `site`: Sums of a site.
     * @enum {string}
     */
    MeterKind: "snmp_pdu" | "redfish_pdu" | "snmp_sensors" | "redfish_sensors" | "redfish_cooling" | "modbus" | "prometheus" | "machine" | "rack" | "room" | "site";
    /** @description What a meter measures, by name; a PDU stands in the rack of its device. */
    MeterPlace: {
      device: components["schemas"]["Named"] | null;
      rack: components["schemas"]["Named"] | null;
      room: components["schemas"]["Named"] | null;
    };
    /** @description A meter. Its address, credential and options are for administrators of every site, or of the credential's. */
    MeterRequest: {
      /** @description Id or slug. */
      site: number | string;
      name: string;
      kind: components["schemas"]["MeterKind"];
      /** @description Id or name. */
      device?: number | string | null;
      /** @description Id or name. */
      rack?: number | string | null;
      /** @description Id or name. */
      room?: number | string | null;
      /** @description HOST, HOST:PORT or an URL. */
      address?: string;
      credential?: string | null;
      /** @description SHA-256 of its certificate; empty: one that the system trusts. */
      identity?: string;
      options?: {
        [key: string]: unknown;
      };
      enabled?: boolean;
      period_s?: number;
    };
    /**
     * @description * `failed`: Not read. It did not answer, or what it said could not be read. Nothing is known of it since.
     *     * `refused`: Refused. It does not take this login, or the login may not be sent there.
     *     * `late`: Late. What it told last is too old to say what is now.
     *     * `partial`: Partly read. Some of its values are not known; each says why.
     *     * `never`: Never read. It is read within seconds. Read it now, or look whether it is switched off.
     *     * `ok`: OK.
     * @enum {string}
     */
    MeterState: "failed" | "refused" | "late" | "partial" | "never" | "ok";
    MeterValue: {
      part: string;
      name: string;
      quantity: string;
      unit: string;
      value: number | null;
      /** @description Why the value is not known. */
      reason: string;
    };
    MeterValues: {
      meter: components["schemas"]["Named"];
      /** @description What it says of itself. */
      description: string;
      read_at: string | null;
      values: components["schemas"]["MeterValue"][];
    };
    /**
     * @description * `step`: Step. How many steps are done: a counter. Without it no curve is made.
     *     * `step_s`: Seconds of a step. Without it the counter's mean is taken.
     *     * `loss`: Loss. NaN or infinite is a loss that is no number.
     *     * `tokens`: Tokens so far. A counter, over all ranks.
     *     * `clock_mhz`: GPU clock. MHz, a series a GPU.
     *     * `power_w`: GPU power. Watts, a series a GPU.
     *     * `temperature_c`: GPU temperature. °C, a series a GPU.
     *     * `tensor_active`: Tensor cores busy. Percent of the time, a series a GPU.
     * @enum {string}
     */
    MetricKind: "step" | "step_s" | "loss" | "tokens" | "clock_mhz" | "power_w" | "temperature_c" | "tensor_active";
    MetricsPlaces: {
      run: string[];
      gpu: string[];
    };
    /**
     * @description * `bearer`: Bearer token.
     *     * `basic`: Name and password.
     * @enum {string}
     */
    MetricsSignIn: "bearer" | "basic";
    /**
     * @description How a site's Prometheus is read. Where a login is sent is for administrators of every site, or of the
     *     credential's.
     */
    MetricsSource: {
      site: number;
      /** @description Whether it is read. */
      enabled: boolean;
      /** @description Such as https://prometheus.example:9090. */
      url: string;
      credential: string | null;
      sign_in: components["schemas"]["MetricsSignIn"];
      /** @description Certificates (PEM) of who signed the server's; empty: the system's authorities. */
      authorities: string;
      /** @description By kind; those that are not named stay. Empty: not asked for. */
      queries: {
        [key: string]: string;
      };
      /** @description The queries that a site begins with. */
      shipped: {
        [key: string]: string;
      };
      /** @description What a query may name: of a run's steps, of GPUs. */
      places: components["schemas"]["MetricsPlaces"];
      machine_label: string;
      gpu_label: string;
      step_s: number;
      state: components["schemas"]["MetricsState"];
      message: string;
      /** @description What it does not tell of GPUs. */
      gpus_message: string;
      tried_at: string | null;
      last_good_at: string | null;
    };
    /**
     * @description * `never`: Never read.
     *     * `good`: Read.
     *     * `partly`: Read in part. Some of it was refused, or cut.
     *     * `failed`: Not read. It does not answer, or refuses the sign-in.
     * @enum {string}
     */
    MetricsState: "never" | "good" | "partly" | "failed";
    /** @description A source. Where it is, is for administrators of the site: the workers and all machines of the site ask there. */
    Mirror: {
      id: number;
      site: number;
      name: string;
      kind: components["schemas"]["MirrorKind"];
      /** @description As machines fetch from it, such as https://mirror.example/ubuntu. */
      url: string;
      /** @description Certificates (PEM) of who signed its own; empty: the system's authorities. */
      authorities: string;
      /** @description The host of its token server, where that is another than its own: the login goes there as well. */
      token_host: string;
      has_password: boolean;
      signs_in_as: string;
      enabled: boolean;
      /** @description Seconds between two requests to it. */
      every_s: number;
      state: components["schemas"]["MirrorState"];
      message: string;
      version: string;
      certificate_until: string | null;
      latencies: components["schemas"]["Latency"][];
      asked_at: string | null;
      good_at: string | null;
      uses: number;
      reaches: number;
      not_reached: number;
      unknown: number;
    };
    /** @description A source. Where it is, is for administrators of the site: the workers and all machines of the site ask there. */
    MirrorDetail: {
      id: number;
      site: number;
      name: string;
      kind: components["schemas"]["MirrorKind"];
      /** @description As machines fetch from it, such as https://mirror.example/ubuntu. */
      url: string;
      /** @description Certificates (PEM) of who signed its own; empty: the system's authorities. */
      authorities: string;
      /** @description The host of its token server, where that is another than its own: the login goes there as well. */
      token_host: string;
      has_password: boolean;
      signs_in_as: string;
      enabled: boolean;
      /** @description Seconds between two requests to it. */
      every_s: number;
      state: components["schemas"]["MirrorState"];
      message: string;
      version: string;
      certificate_until: string | null;
      latencies: components["schemas"]["Latency"][];
      asked_at: string | null;
      good_at: string | null;
      uses: number;
      reaches: number;
      not_reached: number;
      unknown: number;
      machines: components["schemas"]["MirrorMachine"][];
    };
    /** @description A source. Where it is, is for administrators of the site: the workers and all machines of the site ask there. */
    MirrorDetailRequest: {
      /** @description Id or slug. */
      site: number | string;
      name: string;
      kind: components["schemas"]["MirrorKind"];
      /** @description As machines fetch from it, such as https://mirror.example/ubuntu. */
      url: string;
      /** @description Certificates (PEM) of who signed its own; empty: the system's authorities. */
      authorities?: string;
      /** @description The host of its token server, where that is another than its own: the login goes there as well. */
      token_host?: string;
      /** @description Of the login at a registry; empty: it is asked without one from now on. */
      username?: string;
      /** @description Or its token. Kept encrypted, bound to the hosts of `url` and `token_host`; never told. */
      password?: string;
      enabled?: boolean;
      /** @description Seconds between two requests to it. */
      every_s?: number;
    };
    /**
     * @description * `apt`: Package mirror (apt).
     *     * `pypi`: PyPI mirror.
     *     * `files`: File server.
     *     * `registry`: Container registry.
     *     * `cache`: Pull-through cache.
     *     * `peers`: Peers. A peer-to-peer distributor, such as Dragonfly, Kraken or Spegel.
     * @enum {string}
     */
    MirrorKind: "apt" | "pypi" | "files" | "registry" | "cache" | "peers";
    /** @description A machine and a source. `reaches` is null where it is not known. */
    MirrorMachine: {
      id: number;
      name: string;
      rack: string;
      uses: boolean;
      reaches: boolean | null;
      ms: number | null;
      text: string;
    };
    /**
     * @description * `unknown`: Not known. It was not asked yet, or answered neither well nor badly for long enough.
     *     * `good`: Answers.
     *     * `slow`: Slow. It takes longer than 2 s to begin its answer.
     *     * `failed`: Does not answer. It failed twice in a row.
     * @enum {string}
     */
    MirrorState: "unknown" | "good" | "slow" | "failed";
    /** @description A device that is called otherwise than its place says. */
    Misnamed: {
      id: number;
      name: string;
      kind: components["schemas"]["DeviceKind"];
      proposed: string;
      place: string;
      /** @description Where it stands if its name is right. */
      name_says: string | null;
    };
    /** @description A switch whose name is not that of its place, by the site's naming rule. */
    Misplaced: {
      device_id: number;
      name: string;
      tier: string;
      place: string;
      name_of_place: string;
      place_of_name: string | null;
      /** @description What the fabric reports there. */
      seen_as: string | null;
    };
    /** @description A leaf that no rail has the majority of. */
    MixedLeaf: {
      id: number;
      name: string;
      /** @description Rail to its cables. */
      rails: {
        [key: string]: number;
      };
    };
    ModelOfMachine: {
      slug: string;
      name: string;
      vendor: string;
    };
    ModelPower: {
      model: string;
      /** @description The model tells of power inside it. */
      planned: boolean;
      supply: components["schemas"]["Supply"];
      slots: components["schemas"]["PoweredSlot"][];
      /** @description The worst first. */
      findings: components["schemas"]["PowerFinding"][];
    };
    /** @description One step. Without `put_into`: pull the connector and let it hang; without `take_from`: insert the hanging one. */
    Move: {
      n: number;
      kind: string;
      cable: string;
      cables: string[];
      /** @description What may be printed on the cable that is there now, the likeliest first. */
      printed?: string[];
      take_from: components["schemas"]["End"] | null;
      put_into: components["schemas"]["End"] | null;
      takes: components["schemas"]["End"][];
      puts: components["schemas"]["End"][];
      stays: components["schemas"]["End"];
      drains: components["schemas"]["End"][][];
      /** @description What must carry no traffic before it. */
      before: string[];
      text: string;
    };
    Name: {
      id: number;
      site: number;
      source: number;
      guid: string;
      reported: string;
      proposed: string;
      device: number | null;
      device_name: string | null;
      agreeing: number;
      asked: number;
      margin: number;
      /** @description Margin and agreement are above what may be written. */
      certain: boolean;
      /** @description How its links vote: what it was concluded from. */
      evidence: {
        [key: string]: unknown;
      };
      /** @default proposed */
      state: components["schemas"]["NameState"];
      message: string;
      first_seen_at: string;
      last_seen_at: string;
      decided_at: string | null;
      decided_by: string;
      reason: string;
      written_at: string | null;
    };
    /** @description Devices whose places give them one name. */
    NameCollision: {
      name: string;
      devices: components["schemas"]["Named"][];
    };
    /**
     * @description * `proposed`: Proposed. What the wiring says. Nothing is written before somebody approves.
     *     * `approved`: Approved. On its way to the fabric.
     *     * `written`: Written. The next discovery run confirms it.
     *     * `confirmed`: Confirmed. The fabric reports the name.
     *     * `rejected`: Rejected. Somebody said no.
     *     * `failed`: Failed. It could not be written; approve again to try again.
     *     * `gone`: Gone. The wiring no longer says so.
     * @enum {string}
     */
    NameState: "proposed" | "approved" | "written" | "confirmed" | "rejected" | "failed" | "gone";
    /** @description Something else by its id and name. */
    Named: {
      id: number;
      name: string;
    };
    NamingReport: {
      rules: components["schemas"]["NamingRuleOfSite"][];
      /** @description Devices that are called as their places say. */
      agree: number;
      disagree: components["schemas"]["Misnamed"][];
      unnamed: components["schemas"]["Unnamed"][];
      collisions: components["schemas"]["NameCollision"][];
      without_rule: number;
    };
    NamingRuleOfSite: {
      id: number;
      kind: components["schemas"]["DeviceKind"];
      /** @description Only for switches of this tier. */
      tier: string;
      pattern: string;
      /** @description Why the pattern is no good. */
      problem: string | null;
    };
    /** NamingRuleRecord */
    NamingRuleRecordRequest: {
      /** Site */
      site: number | string | {
        [key: string]: number | string;
      };
      /** Kind */
      kind: components["schemas"]["DeviceKind"];
      /**
       * Tier
       * @description Only for switches of this tier.
       * @default
       */
      tier?: string;
      /**
       * Pattern
       * @description Such as {tier}-{rack}-u{u:02}.
       */
      pattern: string;
    };
    /** NamingRules */
    NamingRules: {
      /** Id */
      id: number;
      /** Site */
      site: number;
      /** Site Name */
      site_name: string | null;
      /** Kind */
      kind: components["schemas"]["DeviceKind"];
      /**
       * Tier
       * @description Only for switches of this tier.
       */
      tier: string;
      /**
       * Pattern
       * @description Such as {tier}-{rack}-u{u:02}.
       */
      pattern: string;
    };
    /** NamingRulesChange */
    NamingRulesChangeRequest: {
      /**
       * Site
       * @default null
       */
      site?: number | string | {
        [key: string]: number | string;
      };
      /**
       * Kind
       * @default null
       */
      kind?: components["schemas"]["DeviceKind"];
      /**
       * Tier
       * @description Only for switches of this tier.
       * @default null
       */
      tier?: string;
      /**
       * Pattern
       * @description Such as {tier}-{rack}-u{u:02}.
       * @default null
       */
      pattern?: string;
    };
    NearEnd: {
      port: string;
      kind: components["schemas"]["PortKind"];
      speed_gbps: number | null;
      cage: number | null;
      lane: number | null;
      port_id: number;
      /** @description Printed on the connector. */
      serial: string;
      optic: components["schemas"]["PluggedOptic"] | null;
    };
    Neighbour: {
      name: string;
      u: number;
      height_u: number;
    };
    /** @description What stayed behind, changed, was refused or is in conflict. */
    NetBoxFinding: {
      sort: "left" | "changed" | "refused" | "conflict" | "kept";
      /** @description NetBox's list, such as dcim/devices. */
      kind: string;
      /** @description 0 for a whole list. */
      netbox_id: number;
      name: string;
      field: string;
      why: string;
      url: string;
    };
    NetBoxImportRequest: {
      /**
       * Format: uri
       * @description Such as https://netbox.example.org.
       */
      url: string;
      /** @description Stored credential with the API token. */
      credential: string;
      /** @default true */
      dry_run?: boolean;
      /**
       * @description Continue the newest one, which broke off.
       * @default false
       */
      resume?: boolean;
      /** @description As in the options file: sites, roles, rows_from and so on. */
      options?: unknown;
    };
    NetBoxProgress: {
      /** @description Null before the start. */
      stage: string | null;
      done: number;
      total: number;
    };
    NetBoxRun: {
      id: number;
      /** @description NetBox's address, without the token. */
      url: string;
      version: string;
      dry_run: boolean;
      status: components["schemas"]["NetBoxRunStatus"];
      /** @description Why it failed. */
      message: string;
      by: string;
      options: unknown;
      started_at: string;
      finished_at: string | null;
      progress: components["schemas"]["NetBoxProgress"];
      counts: {
        [key: string]: {
          [key: string]: number;
        };
      };
      findings: components["schemas"]["NetBoxFinding"][];
      findings_total: number;
    };
    /**
     * @description * `reading`: Reading.
     *     * `writing`: Writing.
     *     * `done`: Done.
     *     * `failed`: Failed.
     * @enum {string}
     */
    NetBoxRunStatus: "reading" | "writing" | "done" | "failed";
    /** @description Which machines: `machines`, `pairs`, all of a `pool`, or with `all_idle` all of a `site` that may be used. */
    NewActiveRunRequest: {
      kind: "diagnostic" | "stress" | "copies" | "all_reduce" | "training" | "pairs" | "groups" | "burn_in";
      machines?: (number | string)[];
      pairs?: (number | string)[][];
      /** @description Id or role, also with its model (`compute dell-xe9680-h100`). */
      pool?: number | string;
      /** @description Id or slug. */
      site?: number | string;
      /** @default false */
      all_idle?: boolean;
      options?: {
        [key: string]: unknown;
      };
      /** @description Of groups: how the site launches; empty: its first. */
      way?: string;
      reason?: string;
    };
    NewAuditModeRequest: {
      reason: string;
      /** @description User name of who answers for it, with a role there; by default whoever asks. */
      owner?: string;
      expires_at?: string | null;
      check: string;
      /** @description Id or slug. */
      site?: number | string | null;
    };
    NewBmcRunRequest: {
      machines: (number | string)[];
      action: components["schemas"]["BmcAction"];
      /**
       * @description Only say what would change.
       * @default true
       */
      dry_run?: boolean;
      /**
       * @description Restart machines where something waits for a start.
       * @default false
       */
      restart?: boolean;
      /**
       * @description So many go first; 0: none.
       * @default 1
       */
      canary?: number;
      /**
       * @description Machines of a wave.
       * @default 8
       */
      limit?: number;
      /**
       * Format: double
       * @description Share of failed machines that stops the run.
       * @default 0.2
       */
      stop_share?: number;
    };
    NewBookmarkRequest: {
      kind: "favourite" | "view";
      name: string;
      /** @description Path and query of a page of the dashboard. */
      url: string;
      /** @description Id or slug. */
      site?: number | string | null;
    };
    /** @description A setting of a site, or of every site, for their administrators. */
    NewChannel: {
      id: number;
      /** @description Empty: every site. */
      site: number | null;
      name: string;
      kind: components["schemas"]["MessageChannelKind"];
      /** @description Of its URL, to be shown. */
      host: string;
      recipients: string[];
      active: boolean;
      created_at: string;
      created_by: string;
      /**
       * @description Messages that wait or are tried again.
       * @default 0
       */
      waiting: number;
      /**
       * @description Messages that were given up.
       * @default 0
       */
      failed: number;
      /** @description Of a signed webhook, shown once; else empty. */
      signing_key: string;
    };
    NewCollectionRequest: {
      run: number;
    };
    NewOverrideRequest: {
      reason: string;
      /** @description User name of who answers for it, with a role there; by default whoever asks. */
      owner?: string;
      expires_at?: string | null;
      check: string;
      scope: components["schemas"]["DecisionScope"];
      /** @description Id or slug. */
      site?: number | string | null;
      /** @description Id or slug. */
      model?: number | string | null;
      /** @description Id or name. */
      machine?: number | string | null;
      thresholds: {
        [key: string]: number;
      };
    };
    /** @description Machines are listed, or all of a pool that are neither new nor gone are meant. */
    NewPlacementRequest: {
      /** @default place */
      action?: components["schemas"]["PlacementAction"];
      /** @default docker */
      engine?: components["schemas"]["ImageEngine"];
      /** @description As people write it, with a tag, a digest or both. */
      image: string;
      /**
       * @description Empty: the registry is asked what the tag means, once for all machines.
       * @default
       */
      digest?: string;
      /** @description In the order in which they go. */
      machines?: (number | string)[];
      /** @description Id or role, also with its model (`compute dell-xe9680-h100`). */
      pool?: number | string;
      /**
       * @description Only say what would be done on each machine.
       * @default true
       */
      dry_run?: boolean;
      /**
       * @description So many go first; 0: none.
       * @default 1
       */
      canary?: number;
      /**
       * @description Machines at once.
       * @default 64
       */
      limit?: number;
      /**
       * @description At once in a rack.
       * @default 4
       */
      rack_limit?: number;
      /**
       * @description At once from a registry, of all placements.
       * @default 64
       */
      registry_limit?: number;
      /**
       * Format: double
       * @description Share of failed machines that stops it.
       * @default 0.2
       */
      stop_share?: number;
    };
    /** @description `cable,a_device,a_port,b_device,b_port` as CSV, or the plan format of NDT; gzipped or not. */
    NewPlanRequest: {
      /** @description Id or slug. */
      site: number | string;
      name: string;
      /** @default  */
      note?: string;
      file: string;
    };
    /** @description A system that may report. `refused` counts the results refused so far. */
    NewReportSource: {
      id: number;
      site: number;
      /** @description Its checks are called NAME/CHECK. */
      name: string;
      kind: components["schemas"]["ReporterKind"];
      checks: string[];
      stale_after_s: number;
      enabled: boolean;
      /** @description How its token begins. */
      token_key: string;
      created_by: string;
      created_at: string;
      last_seen_at: string | null;
      /** @description Results refused so far. */
      refused: number;
      /** @description Shown once. */
      token: string;
    };
    NewResponseRequest: {
      reason: string;
      /** @description User name of who answers for it, with a role there; by default whoever asks. */
      owner?: string;
      expires_at?: string | null;
      fault_class: string;
      response: components["schemas"]["FaultResponse"];
      /** @description Id or slug. */
      site?: number | string | null;
    };
    NewRunRequest: {
      machines: (number | string)[];
      /** @default  */
      name?: string;
      /** @default 8 */
      limit?: number;
      /** @default redfish */
      engine?: components["schemas"]["Engine"];
      /**
       * @description What is installed, of the engine's images; empty: the first of them.
       * @default
       */
      image?: string;
      /** @description Roles of base software for installed machines; null: those that the site has by default. */
      software?: string[] | null;
      /**
       * @description The active check of their GPUs; empty: none, null: as the site has it.
       * @enum {string|null}
       */
      gpu_tests?: "diagnostic" | "stress" | "copies" | "all_reduce" | "training" | "burn_in" | "" | null;
      /** @description Whether their InfiniBand links are tested between pairs of them; null: as the site has it. */
      fabric?: boolean | null;
    };
    NewShiftNoteRequest: {
      /** @description Id or slug. */
      site: number | string;
      text: string;
    };
    NewSilenceRequest: {
      reason: string;
      /** @description User name of who answers for it, with a role there; by default whoever asks. */
      owner?: string;
      expires_at: string;
      check: string;
      scope: components["schemas"]["DecisionScope"];
      /** @description Id or slug. */
      site?: number | string | null;
      /** @description Id or slug. */
      model?: number | string | null;
      /** @description Id or name. */
      machine?: number | string | null;
      /**
       * @description A slot, a mount point or machine; empty: every part.
       * @default
       */
      part?: string;
    };
    NewSoftwareRunRequest: {
      /** @description In the order in which they go. */
      machines: (number | string)[];
      roles: string[];
      /**
       * @description Only say what would change.
       * @default true
       */
      dry_run?: boolean;
      /**
       * @description So many go first; 0: none.
       * @default 1
       */
      canary?: number;
      /**
       * @description Machines of a wave.
       * @default 8
       */
      limit?: number;
      /**
       * Format: double
       * @description Share of failed machines that stops the run.
       * @default 0.2
       */
      stop_share?: number;
    };
    NewSweepRequest: {
      /** @description Id or slug. */
      site: number | string;
    };
    NewToken: {
      id: string;
      name: string;
      /** @description Upper limit of rights. */
      role: components["schemas"]["RoleName"];
      token_key: string;
      created: string;
      expiry: string | null;
      /** @description Shown once. */
      token: string;
    };
    /** @description A draft for the part of a ticket. */
    NewVendorCaseRequest: {
      /** @description Such as REP-2041. */
      ticket: string;
      /** @description Without it, as the inventory has it. */
      vendor?: components["schemas"]["VendorName"];
      /** @default  */
      symptom?: string;
    };
    /** @description Machines by id, or all that failed of a class, of a delivery, or of both. */
    NewVendorReturnRequest: {
      machines?: (number | string)[];
      /** @description Id or slug. */
      site: number | string;
      failure_class?: components["schemas"]["InstallFailure"];
      delivery?: number;
      /** @default  */
      vendor?: string;
      /** @default  */
      note?: string;
    };
    NewWebhook: {
      id: number;
      /** @description Empty: every site. */
      site: number | null;
      name: string;
      url: string;
      events: string[];
      active: boolean;
      /** @description Why Rackside switched it off. */
      inactive_reason: string;
      timeout_s: number;
      created_at: string;
      created_by: string;
      /**
       * @description Deliveries that wait or are tried again.
       * @default 0
       */
      pending: number;
      /**
       * @description Deliveries that were given up.
       * @default 0
       */
      dead: number;
      /** @description Shown once. */
      secret: string;
    };
    NodePair: {
      before: components["schemas"]["ChangedNode"];
      after: components["schemas"]["ChangedNode"];
    };
    /** @description What a site should know. */
    Notice: {
      kind: string;
      level: "info" | "warn" | "error";
      text: string;
      since?: string | null;
      what_to_do?: string;
      /** @description A page of the dashboard. */
      link?: string;
    };
    NtfyServer: {
      id: number;
      name: string;
      host: string;
    };
    OnCall: {
      /** @description First on call first. */
      people: components["schemas"]["OnCallPerson"][];
      shifts: components["schemas"]["OnCallShift"][];
      /** @description Why nobody is on call, empty where somebody is. */
      problem: string;
    };
    OnCallPerson: {
      id: number;
      name: string;
    };
    OnCallShift: {
      summary: string;
      starts_at: string;
      ends_at: string;
    };
    OpenGap: {
      from_u: number;
      to_u: number;
      panel_u: number;
      benefit_c: number;
      fan_w: number | null;
      machines: string[];
      text: string;
    };
    OrderedTicket: {
      number: number;
      key: string;
    };
    /** @description Tests by what came of them. */
    Outcomes: {
      pass: number;
      fail: number;
      unknown: number;
    };
    /** @description Something else by its id and name. */
    OverLimit: {
      id: number;
      name: string;
      planned_w: number;
      limit_w: number;
    };
    Override: {
      id: number;
      check: string;
      scope: components["schemas"]["DecisionScope"];
      site: number | null;
      model: number | null;
      machine: number | null;
      /** @description Name of the site, model or machine. */
      about: string;
      thresholds: {
        [key: string]: number;
      };
      reason: string;
      /** @description User name of the person who answers for it. */
      owner: string;
      expires_at: string | null;
      created_by: string;
      created_at: string;
      ended_at: string | null;
      ended_by: string;
      /** @description Neither ended nor expired. */
      active: boolean;
    };
    Overview: {
      sources: components["schemas"]["OverviewSource"][];
      /** @description Findings by state. */
      counts: {
        [key: string]: number;
      };
      tiers: components["schemas"]["Tier"][];
      /** @description New and open ones by kind. */
      findings: {
        [key: string]: number;
      };
      links: components["schemas"]["PlannedLinkStates"];
    };
    OverviewSource: {
      id: number;
      site: number;
      name: string;
      kind: components["schemas"]["SourceKind"];
      fabric: "infiniband" | "ethernet";
      state: components["schemas"]["SourceState"];
      message: string;
      last_good_at: string | null;
    };
    /** @description The shape of a run's curve, what it means and what to check first. */
    Pace: {
      shape: components["schemas"]["PaceShape"];
      title: string;
      says: string;
      /** @description What to check first, in this order. */
      checks: string[];
      /** @description False: normal. */
      alarm: boolean;
      /**
       * Format: date-time
       * @description Since when it is so; null: all along.
       */
      at: string | null;
      /**
       * Format: date-time
       * @description When it was right again; null: it goes on.
       */
      until: string | null;
      /**
       * Format: double
       * @description While it is so, as a share of what it should be.
       */
      speed: number;
      /**
       * Format: double
       * @description Steps from one dip or tooth to the next.
       */
      period: number | null;
      /** @description What the curve is measured by. */
      reference: components["schemas"]["PaceReference"];
      reference_s: number | null;
      reference_run: number | null;
      tokens_per_s: number | null;
      /**
       * Format: double
       * @description Model-FLOPs utilisation, 0 to 1.
       */
      utilisation: number | null;
      /** @description Exactly one thing changed when the pace did. */
      sure: boolean;
      changes: components["schemas"]["PaceCandidate"][];
      outliers: components["schemas"]["PaceOutlier"][];
      /** @description Of whose GPU neither clock nor power is known. */
      unread_ranks: number;
      ranks: number;
      /** @description Machines that were replaced, in the order of their moments. */
      hand_overs: components["schemas"]["HandOver"][];
    };
    /** @description Something that changed when the pace did. It happened between `since` and `at`, when it was seen. */
    PaceCandidate: {
      kind: components["schemas"]["PaceChange"];
      since: string;
      at: string;
      text: string;
      machine: number | null;
      machine_name: string;
    };
    /**
     * @description * `fault`: Fault.
     *     * `link`: Link.
     *     * `software`: Software.
     *     * `part`: Part.
     *     * `machine`: Machine replaced.
     *     * `run`: Another run.
     * @enum {string}
     */
    PaceChange: "fault" | "link" | "software" | "part" | "machine" | "run";
    /** @description A rank whose GPU or link stands out from the run's. */
    PaceOutlier: {
      kind: components["schemas"]["PaceReading"];
      rank: number;
      machine: number | null;
      machine_name: string;
      slot_text: string;
      text: string;
    };
    /**
     * @description * `clock_mhz`: Clock.
     *     * `power_w`: Power.
     *     * `temperature_c`: Temperature.
     *     * `tensor_active`: Tensor cores.
     *     * `symbol_errors`: Symbol errors.
     *     * `link_downs`: Link downs.
     *     * `check`: Check.
     * @enum {string}
     */
    PaceReading: "clock_mhz" | "power_w" | "temperature_c" | "tensor_active" | "symbol_errors" | "link_downs" | "check";
    /**
     * @description * `reported`: the expected step time.
     *     * `last_good_run`: the last good run.
     *     * `own`: its own best pace.
     * @enum {string}
     */
    PaceReference: "reported" | "last_good_run" | "own";
    /**
     * @description * `none`: Ordinary.
     *     * `low-tenth`: A tenth slower.
     *     * `low-third`: A third slower.
     *     * `low-most`: Mostly gone.
     *     * `step`: Step down.
     *     * `oscillation`: Drop and oscillation.
     *     * `saw-tooth`: Saw teeth.
     *     * `decline`: Slow decline.
     *     * `noise`: Noise.
     *     * `random-dips`: Irregular dips.
     *     * `regular-dips`: Regular dips. Checkpoints or evaluations: normal.
     * @enum {string}
     */
    PaceShape: "none" | "low-tenth" | "low-third" | "low-most" | "step" | "oscillation" | "saw-tooth" | "decline" | "noise" | "random-dips" | "regular-dips";
    PagedCandidates: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Candidate"][];
    };
    PagedDrift: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Drift"][];
    };
    PagedImages: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["ImageSummary"][];
    };
    PagedLemons: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Lemon"][];
    };
    PaginatedActionList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Action"][];
    };
    PaginatedActiveKindList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["ActiveKind"][];
    };
    PaginatedActiveResultList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["ActiveResult"][];
    };
    PaginatedActiveRunList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["ActiveRun"][];
    };
    PaginatedActiveWindowList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["ActiveWindow"][];
    };
    PaginatedAttachmentList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Attachment"][];
    };
    PaginatedAuditModeList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["AuditMode"][];
    };
    PaginatedBmcDiscoveryList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["BmcDiscovery"][];
    };
    PaginatedBmcMachineList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["BmcMachine"][];
    };
    PaginatedBmcProfileList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["BmcProfile"][];
    };
    PaginatedBmcRunList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["BmcRun"][];
    };
    PaginatedBmcVersionsList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["BmcVersions"][];
    };
    PaginatedBookmarkList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Bookmark"][];
    };
    PaginatedBurnInList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["BurnIn"][];
    };
    PaginatedBurnInPairList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["BurnInPair"][];
    };
    PaginatedCaptureList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Capture"][];
    };
    PaginatedCatalogueList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Catalogue"][];
    };
    PaginatedChangeList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Change"][];
    };
    PaginatedChangedRowList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["ChangedRow"][];
    };
    PaginatedChannelList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Channel"][];
    };
    PaginatedCollectionList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Collection"][];
    };
    PaginatedCrossedRailList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["CrossedRail"][];
    };
    PaginatedDeliveryBatchList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["DeliveryBatch"][];
    };
    PaginatedDeliveryList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Delivery"][];
    };
    PaginatedDeskPolicyList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["DeskPolicy"][];
    };
    PaginatedDeviceCableList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["DeviceCable"][];
    };
    PaginatedDisagreementList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Disagreement"][];
    };
    PaginatedDiscoveryList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Discovery"][];
    };
    PaginatedEndpointList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Endpoint"][];
    };
    PaginatedEngineOfferList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["EngineOffer"][];
    };
    PaginatedEscalationPolicyList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["EscalationPolicy"][];
    };
    PaginatedEventsList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Events"][];
    };
    PaginatedEvidenceSettingsList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["EvidenceSettings"][];
    };
    PaginatedExternalItemList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["ExternalItem"][];
    };
    PaginatedExternalLinkList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["ExternalLink"][];
    };
    PaginatedFabricEventList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["FabricEvent"][];
    };
    PaginatedFabricLinkList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["FabricLink"][];
    };
    PaginatedFailingStepList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["FailingStep"][];
    };
    PaginatedFaultClassList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["FaultClass"][];
    };
    PaginatedFaultList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Fault"][];
    };
    PaginatedFindingList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Finding"][];
    };
    PaginatedFoundList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Found"][];
    };
    PaginatedFreePortList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["FreePort"][];
    };
    PaginatedGoldenList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Golden"][];
    };
    PaginatedIdentityChangeList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["IdentityChange"][];
    };
    PaginatedImportList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Import"][];
    };
    PaginatedInboundMailList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["InboundMail"][];
    };
    PaginatedIncidentList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Incident"][];
    };
    PaginatedInstallationList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Installation"][];
    };
    PaginatedInstalledPartList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["InstalledPart"][];
    };
    PaginatedIronicServerList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["IronicServer"][];
    };
    PaginatedJobMachineList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["JobMachine"][];
    };
    PaginatedKernelImageList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["KernelImage"][];
    };
    PaginatedKernelLineList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["KernelLine"][];
    };
    PaginatedKindDescriptionList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["KindDescription"][];
    };
    PaginatedKnownHostList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["KnownHost"][];
    };
    PaginatedLaunchWayList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["LaunchWay"][];
    };
    PaginatedLeaseSourceList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["LeaseSource"][];
    };
    PaginatedLengthRuleList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["LengthRule"][];
    };
    PaginatedLimitList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Limit"][];
    };
    PaginatedLinkList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Link"][];
    };
    PaginatedMaasRegionList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["MaasRegion"][];
    };
    PaginatedMachineAddressList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["MachineAddress"][];
    };
    PaginatedMachineIncidentList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["MachineIncident"][];
    };
    PaginatedMachineList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Machine"][];
    };
    PaginatedMachineRailList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["MachineRail"][];
    };
    PaginatedMeasuredFeedList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["MeasuredFeed"][];
    };
    PaginatedMeasuredFindingList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["MeasuredFinding"][];
    };
    PaginatedMeasurementList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Measurement"][];
    };
    PaginatedMessageList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Message"][];
    };
    PaginatedMessageRuleList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["MessageRule"][];
    };
    PaginatedMeterList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Meter"][];
    };
    PaginatedMetricsSourceList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["MetricsSource"][];
    };
    PaginatedMirrorList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Mirror"][];
    };
    PaginatedMisplacedList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Misplaced"][];
    };
    PaginatedNameList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Name"][];
    };
    PaginatedNetBoxRunList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["NetBoxRun"][];
    };
    PaginatedOverrideList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Override"][];
    };
    PaginatedPartitionList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Partition"][];
    };
    PaginatedPinnedCertificateList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["PinnedCertificate"][];
    };
    PaginatedPlacementList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Placement"][];
    };
    PaginatedPlanList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Plan"][];
    };
    PaginatedPlanRowList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["PlanRow"][];
    };
    PaginatedPolicyList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Policy"][];
    };
    PaginatedPoolList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Pool"][];
    };
    PaginatedPortActionList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["PortAction"][];
    };
    PaginatedPortPolicyList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["PortPolicy"][];
    };
    PaginatedProposalList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Proposal"][];
    };
    PaginatedProvisioningLimitsList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["ProvisioningLimits"][];
    };
    PaginatedRemedyByHandList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["RemedyByHand"][];
    };
    PaginatedRemedyList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Remedy"][];
    };
    PaginatedReportSourceList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["ReportSource"][];
    };
    PaginatedReservationList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Reservation"][];
    };
    PaginatedReservedPortList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["ReservedPort"][];
    };
    PaginatedResponseOverrideList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["ResponseOverride"][];
    };
    PaginatedRotaList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Rota"][];
    };
    PaginatedRunList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Run"][];
    };
    PaginatedRunbookChoiceList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["RunbookChoice"][];
    };
    PaginatedRunbookItemList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["RunbookItem"][];
    };
    PaginatedSchedulerJobList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["SchedulerJob"][];
    };
    PaginatedSchedulerList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Scheduler"][];
    };
    PaginatedSchedulerMachineList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["SchedulerMachine"][];
    };
    PaginatedSilenceList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Silence"][];
    };
    PaginatedSoftwareRoleList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["SoftwareRole"][];
    };
    PaginatedSoftwareRunList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["SoftwareRun"][];
    };
    PaginatedSourceList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Source"][];
    };
    PaginatedSpareList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Spare"][];
    };
    PaginatedSparesOfModelList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["SparesOfModel"][];
    };
    PaginatedSparklineList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Sparkline"][];
    };
    PaginatedStockAdviceList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["StockAdvice"][];
    };
    PaginatedStuckList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Stuck"][];
    };
    PaginatedSweepList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Sweep"][];
    };
    PaginatedSwitchList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Switch"][];
    };
    PaginatedTicketItemList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["TicketItem"][];
    };
    PaginatedTicketPersonList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["TicketPerson"][];
    };
    PaginatedTicketSystemList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["TicketSystem"][];
    };
    PaginatedTokenList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Token"][];
    };
    PaginatedTraceList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Trace"][];
    };
    PaginatedTrainingRunList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["TrainingRun"][];
    };
    PaginatedUserList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["User"][];
    };
    PaginatedVendorCaseItemList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["VendorCaseItem"][];
    };
    PaginatedVendorContactList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["VendorContact"][];
    };
    PaginatedVendorDeliveryList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["VendorDelivery"][];
    };
    PaginatedVendorReturnList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["VendorReturn"][];
    };
    PaginatedWaitingJobList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["WaitingJob"][];
    };
    PaginatedWarrantyList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Warranty"][];
    };
    PaginatedWebhookList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Webhook"][];
    };
    PaginatedWindowList: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["Window"][];
    };
    /**
     * @description * `waiting`: Waiting.
     *     * `pass`: Pass.
     *     * `fail`: Fail.
     *     * `unknown`: No result. The tool gave none.
     * @enum {string}
     */
    PairVerdict: "waiting" | "pass" | "fail" | "unknown";
    /** @description Through a patch panel, from one of its ports to another. */
    PanelHop: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: "panel";
      id: number;
      name: string;
      position: number;
      device: components["schemas"]["TraceDevice"];
      place: components["schemas"]["TracePlace"];
    };
    Part: {
      id: number;
      /** @description Command, request or file name. */
      name: string;
      format: string;
      exit_status: number | null;
      /** @description Why there is nothing, or not all. */
      problem: string;
      /** @description Bytes before compression. */
      size: number;
    };
    PartChange: {
      at: string;
      by: string;
      reason: string;
      action: "created" | "changed" | "deleted";
      fields: components["schemas"]["PartFields"];
    };
    /**
     * @description * `good`: good.
     *     * `suspect`: suspect.
     *     * `rma`: sent back (RMA).
     *     * `scrapped`: scrapped.
     * @enum {string}
     */
    PartCondition: "good" | "suspect" | "rma" | "scrapped";
    PartConditionRequest: {
      /** @default  */
      reason?: string;
      condition: components["schemas"]["PartCondition"];
    };
    PartFieldChange: {
      before: string | null;
      after: string | null;
    };
    PartFields: {
      condition?: components["schemas"]["PartFieldChange"];
      storage?: components["schemas"]["PartFieldChange"];
    };
    /**
     * @description * `maker`: Maker.
     *     * `batch`: Batch.
     *     * `firmware`: Firmware.
     * @enum {string}
     */
    PartGrouping: "maker" | "batch" | "firmware";
    PartInstallRequest: {
      /** @default  */
      reason?: string;
      /** @description Id or name. */
      device: number | string;
      slot: string;
    };
    /**
     * @description * `gpu`: GPU.
     *     * `hca`: HCA.
     *     * `nvme`: NVMe drive.
     *     * `psu`: Power supply.
     *     * `dimm`: DIMM.
     *     * `cpu`: CPU.
     *     * `fan`: Fan.
     *     * `board`: Board.
     *     * `optic`: Optic.
     *     * `other`: Other part.
     * @enum {string}
     */
    PartKind: "gpu" | "hca" | "nvme" | "psu" | "dimm" | "cpu" | "fan" | "board" | "optic" | "other";
    PartLife: {
      id: number;
      kind: string;
      vendor: string;
      part_number: string;
      serial: string;
      condition: components["schemas"]["PartCondition"];
      installed: components["schemas"]["Stay"] | null;
      storage: components["schemas"]["PartStorage"] | null;
      /** @description Where it is now, in words. */
      text: string;
      stays: components["schemas"]["Stay"][];
      changes: components["schemas"]["PartChange"][];
      tickets: components["schemas"]["PartTicket"][];
      swaps: components["schemas"]["PartSwap"][];
    };
    PartRemoveRequest: {
      /** @default  */
      reason?: string;
      /** @description Id or name. */
      storage: number | string | null;
      condition?: components["schemas"]["PartCondition"];
    };
    PartStorage: {
      id: number;
      name: string;
      room: string;
    };
    PartStoreRequest: {
      /** @default  */
      reason?: string;
      /** @description Id or name. */
      storage: number | string | null;
    };
    PartSwap: {
      ticket: string;
      at: string;
      by: string;
      device_name: string;
      slot: string;
      direction: "in" | "out";
      other_serial: string;
    };
    PartThen: {
      slot: string;
      kind: string;
      serial: string;
      component: number;
    };
    PartTicket: {
      key: string;
      title: string;
      status: components["schemas"]["TicketStatus"];
      opened_at: string;
      closed_at: string | null;
    };
    /** @description A GPU at the front, a port at the rear. */
    PartVerdict: {
      slot: string;
      label: string;
      kind: "gpu" | "port";
      verdict: components["schemas"]["VerdictCode"];
    };
    /** @description `busy` and `closed` are machines that run a job, and that start none. */
    Partition: {
      id: number;
      site: number;
      name: string;
      /** @description The scheduler's word; empty: it does not say. */
      state: string;
      default: boolean;
      max_time_s: number | null;
      priority_tier: number | null;
      machines: number;
      busy: number;
      closed: number;
      gpus: number;
      /** @description Jobs. */
      running: number;
      /** @description Jobs. */
      waiting: number;
    };
    /** PassThroughRecord */
    PassThroughRecordRequest: {
      /**
       * Site
       * @default null
       */
      site?: number | string | {
        [key: string]: number | string;
      } | null;
      /** Device */
      device: number | string | {
        [key: string]: number | string;
      };
      /** Front */
      front: number | string | {
        [key: string]: number | string;
      };
      /** Rear */
      rear: number | string | {
        [key: string]: number | string;
      };
      /**
       * Position
       * @default 1
       */
      position?: number;
    };
    /** PassThroughs */
    PassThroughs: {
      /** Id */
      id: number;
      /** Site */
      site: number | null;
      /** Site Name */
      site_name: string | null;
      /** Device */
      device: number;
      /** Device Name */
      device_name: string | null;
      /** Front */
      front: number;
      /** Front Name */
      front_name: string | null;
      /** Rear */
      rear: number;
      /** Rear Name */
      rear_name: string | null;
      /** Position */
      position: number;
    };
    /** PassThroughsChange */
    PassThroughsChangeRequest: {
      /**
       * Site
       * @default null
       */
      site?: number | string | {
        [key: string]: number | string;
      } | null;
      /**
       * Device
       * @default null
       */
      device?: number | string | {
        [key: string]: number | string;
      };
      /**
       * Front
       * @default null
       */
      front?: number | string | {
        [key: string]: number | string;
      };
      /**
       * Rear
       * @default null
       */
      rear?: number | string | {
        [key: string]: number | string;
      };
      /**
       * Position
       * @default null
       */
      position?: number;
    };
    /** @description `from` and `to` are times of day in UTC; one that ends before it begins ends the next day. */
    PatchedActiveWindowRequest: {
      /** @description Id or slug. */
      site?: number | string;
      /** @description 0 is Monday. */
      weekday?: number;
      from?: string;
      to?: string;
      /**
       * @default [
       *       "diagnostic",
       *       "stress",
       *       "copies",
       *       "all_reduce"
       *     ]
       */
      kinds?: ("diagnostic" | "stress" | "copies" | "all_reduce" | "training")[];
      enabled?: boolean;
    };
    PatchedCaptionRequest: {
      caption?: string;
    };
    /** @description What may change of a live decision. */
    PatchedChangeOverrideRequest: {
      reason?: string;
      /** @description User name of who answers for it, with a role there; by default whoever asks. */
      owner?: string;
      expires_at?: string | null;
      thresholds?: {
        [key: string]: number;
      };
    };
    /** @description What may change of a live decision. */
    PatchedChangeRequest: {
      reason?: string;
      /** @description User name of who answers for it, with a role there; by default whoever asks. */
      owner?: string;
      expires_at?: string | null;
    };
    /** @description What may change of a live decision. */
    PatchedChangeResponseRequest: {
      reason?: string;
      /** @description User name of who answers for it, with a role there; by default whoever asks. */
      owner?: string;
      expires_at?: string | null;
      response?: components["schemas"]["FaultResponse"];
    };
    /** @description What may change of a live decision. */
    PatchedChangeSilenceRequest: {
      reason?: string;
      /** @description User name of who answers for it, with a role there; by default whoever asks. */
      owner?: string;
      expires_at?: string;
    };
    /** @description A setting of a site, or of every site, for their administrators. */
    PatchedChannelRequest: {
      /** @description Empty: every site. Id or slug. */
      site?: number | string | null;
      name?: string;
      kind?: components["schemas"]["MessageChannelKind"];
      /** @description Of a hook or topic. It is kept encrypted and never shown: whoever knows it may post there. */
      url?: string;
      recipients?: string[];
      active?: boolean;
    };
    /**
     * @description In how many hours tickets of a site are due, when people work there, which queue takes what, and who works on
     *     which.
     */
    PatchedDeskPolicyRequest: {
      p1_hours?: number;
      p2_hours?: number;
      p3_hours?: number;
      /** @description Priorities whose hours never pause. */
      around_the_clock?: ("P1" | "P2" | "P3")[];
      /** @description In the site's time zone. */
      work_from?: string;
      work_until?: string;
      /** @description 0 is Monday. */
      work_days?: number[];
      days_off?: string[];
      queue_rules?: components["schemas"]["DeskRuleRequest"][];
      /** @description Technicians who work on these queues only; all others on all. */
      limits?: components["schemas"]["DeskLimitRequest"][];
    };
    PatchedEndpointRequest: {
      /** @description Id or name. */
      machine?: number | string;
      kind?: components["schemas"]["AccessKind"];
      /** @description Empty: the inventory's address. */
      address?: string | null;
      /** @description Empty: 22 for SSH, 443 for Redfish. */
      port?: number | null;
      credential?: string | null;
    };
    /** @description A setting of a site, or of every site, for their administrators. */
    PatchedEscalationPolicyRequest: {
      /** @description Empty: every site. Id or slug. */
      site?: number | string | null;
      name?: string;
      /** @description In whose queue the ticket is; empty: all. */
      queues?: components["schemas"]["TicketQueue"][];
      /** @description Priorities; empty: all. */
      priorities?: ("P1" | "P2" | "P3")[];
      active?: boolean;
      levels?: components["schemas"]["EscalationLevelRequest"][];
    };
    PatchedEvidenceSettingsRequest: {
      /** @description Patterns of paths, one a line, such as /logs/{job}/rank_{rank}.log. */
      logs?: string;
      /** @description Pattern of flight-recorder dumps, with {rank}. */
      dumps?: string;
      /** @description Collect by itself when a run hangs. */
      hangs?: boolean;
      /** @description Stacks of native code too; each process is stopped for a moment. */
      native_stacks?: boolean;
      /** @description Who may read lines of logs, at least. */
      log_role?: components["schemas"]["RoleName"];
    };
    /**
     * @description How a site's Ironic is reached, and what may be written to it. Enrolling gives Ironic the logins of BMCs, so
     *     where it is and whether it enrolls is for administrators of every site.
     */
    PatchedIronicServerRequest: {
      enabled?: boolean;
      url?: string;
      /** @description Certificates (PEM) of who signed its own; empty: the system's authorities. */
      authorities?: string;
      /** @description Empty where Ironic asks nobody who they are. */
      username?: string;
      /** @description Kept encrypted, bound to the host of `url`; never told. */
      password?: string;
      /** @description URL of the image that is installed, or with `ramdisk` of the ISO. */
      image?: string;
      checksum?: string;
      /** @description How it is installed; `node`: as each node says. */
      deploy_interface?: components["schemas"]["IronicDeployInterface"];
      /** @description Whether each run has the hardware read by Ironic and compares it with the inventory. */
      inspect?: boolean;
      /** @description Whether disks are erased before an installation and at a release, or as Ironic and its nodes say; `metadata` and `disks` are ordered in each run. */
      cleaning?: components["schemas"]["IronicCleaning"];
      /** @description Whether machines that Ironic does not have are enrolled: it is given the login of their BMC then. */
      enroll?: boolean;
      /** @description Whether Ironic verifies the certificates of the BMCs of nodes that are enrolled. */
      verify_bmc?: boolean;
      /** @description Whether nodes of machines in repair are set to maintenance until they are back. */
      maintenance?: boolean;
      /** @description Whether machines that are retired, or whose run was cancelled, are undeployed. */
      release?: boolean;
    };
    /** @description `command` is a template with {program} and others in braces; empty: the usual one, which `usual` shows. */
    PatchedLaunchWayRequest: {
      /** @description Id or slug. */
      site?: number | string;
      name?: string;
      position?: number;
      enabled?: boolean;
      way?: components["schemas"]["LaunchWayKind"];
      program?: components["schemas"]["LaunchProgram"];
      /** @description With {program}; empty: the usual one. */
      command?: string;
      partition?: string;
      account?: string;
      /** @description One of ours: its name begins with rackside. */
      reservation?: string;
      /** @description Of the container that pyxis starts. */
      image?: string;
      /** @description /FROM:/TO, with commas between them. */
      mounts?: string;
    };
    /** @description Where leases of a site are read: a path on the server that has the workers, or the URL of Kea's control API. */
    PatchedLeaseSourceRequest: {
      /** @description Id or slug. */
      site?: number | string;
      name?: string;
      kind?: components["schemas"]["LeaseSourceKind"];
      /** @description The path of the file, or the URL of Kea's control API. */
      place?: string;
    };
    /** @description Two racks or two rows; twice the same: within it. */
    PatchedLengthRuleRequest: {
      /** @description Id or slug. */
      site?: number | string;
      /** @description Id or name. */
      a_rack?: number | string | null;
      /** @description Id or name. */
      b_rack?: number | string | null;
      /** @description Id or name. */
      a_row?: number | string | null;
      /** @description Id or name. */
      b_row?: number | string | null;
      length_m?: string;
    };
    /** @description Any of the limits, by name; those not named stay as they are. A name that is no limit is refused. */
    PatchedLimitsRequest: {
      /** @description Id or slug. */
      site?: number | string;
      /** @description Machines that may be out whatever the share of the pool says (machines). */
      min_unavailable?: number;
      /** @description Pools of this size or more have that minimum (machines). */
      min_unavailable_from?: number;
      /** @description Automatic drains of a pool in 10 minutes (drains). */
      drains_10min?: number;
      /** @description Automatic drains of a pool in an hour (drains). */
      drains_1h?: number;
      /** @description Machines with alike faults behind one cause; more are one incident (machines). */
      cause_machines?: number;
      /**
       * Format: double
       * @description Share of a cause's machines that must be affected (share).
       */
      cause_share?: number;
      /**
       * Format: double
       * @description Share of a mass failure that its cause must explain (share).
       */
      cause_explains?: number;
      /** @description Faults within this time may have one cause (s). */
      cause_window_s?: number;
      /** @description How long a drained machine counts for a common cause (s). */
      cause_out_s?: number;
      /**
       * Format: double
       * @description Share of a pool with alike faults that is a mass failure (share).
       */
      suspicious_share?: number;
      /** @description Machines of a pool with alike faults, at least, for a mass failure (machines). */
      suspicious_machines?: number;
      /** @description Suspicion of alike faults ends this long after the last one (s). */
      suspicion_s?: number;
      /** @description How long a new version of software counts as a roll-out (s). */
      rollout_s?: number;
      /** @description Power actions of the site at once (actions). */
      power_at_once?: number;
      /** @description Between two power actions of the site (s). */
      power_spacing_s?: number;
      /** @description Power actions of the site in an hour (actions). */
      power_1h?: number;
      /** @description A machine stays off in a power cycle (s). */
      power_off_s?: number;
      /** @description Reboots and power cycles in seven days (reboots). */
      reboots_7d?: number;
      /** @description Remediations in seven days (actions). */
      remediations_7d?: number;
      /** @description Changes from failing to passing in a day that make a check flapping (changes). */
      flaps_24h?: number;
      /** @description Cooldown of a check after a person put the machine back (s). */
      redrain_cooldown_s?: number;
      /** @description Incidents refused by a budget in an hour (incidents). */
      breaker_refused_1h?: number;
      /** @description Ambiguous actions (actions). */
      breaker_ambiguous?: number;
      /** @description Machines in a row whose verification failed (machines). */
      breaker_failed_verifications?: number;
      /**
       * Format: double
       * @description Share of the site's machines drained by automation (share).
       */
      breaker_drained_share?: number;
      /** @description Machines drained by automation, at least, before that share counts (machines). */
      breaker_drained_machines?: number;
      /** @description Drains within this time count for that share (s). */
      breaker_drained_window_s?: number;
      /** @description Automation may wait for leave before a person is asked (s). */
      patience_s?: number;
      /** @description After an action that was never sent (s). */
      retry_s?: number;
      /** @description Actions of an incident never sent, before a person is asked (actions). */
      retries?: number;
      /** @description A worker's lease of an action (s). */
      lease_s?: number;
      /** @description Oldest numbers that automation acts on (s). */
      inventory_age_s?: number;
      /** @description Jump of a clock that stops automation (s). */
      clock_step_s?: number;
      /** @description Clean days after which a machine joins the golden set (days). */
      golden_days?: number;
    };
    /**
     * @description How a site's MAAS is reached, and what may be written to it. Enlisting gives MAAS the logins of BMCs, so where it
     *     is and whether it enlists is for administrators of every site.
     */
    PatchedMaasRegionRequest: {
      enabled?: boolean;
      url?: string;
      /** @description Certificates (PEM) of who signed its own; empty: the system's authorities. */
      authorities?: string;
      /** @description consumer:token:secret, as MAAS shows it. Kept encrypted, bound to the host of `url`; never told. */
      api_key?: string;
      series?: string;
      commissioning_scripts?: string[];
      /** @description Whether machines that MAAS does not have are enlisted: it is given the login of their BMC then. */
      enlist?: boolean;
      /** @description Machines in repair: none, those nobody has in MAAS, or all. MAAS releases what it marks broken. */
      mark_broken?: components["schemas"]["MaasMarkBroken"];
      /** @description Whether machines that are retired, or whose run was cancelled, are released. */
      release?: boolean;
      /** @description At each release. */
      erase?: components["schemas"]["MaasErase"];
    };
    /** @description A setting of a site, or of every site, for their administrators. */
    PatchedMessageRuleRequest: {
      /** @description Empty: every site. Id or slug. */
      site?: number | string | null;
      /** @description Id or name. */
      channel?: number | string;
      /** @description In whose queue the ticket is; empty: all. */
      queues?: components["schemas"]["TicketQueue"][];
      /** @description What happened; empty: all. */
      events?: components["schemas"]["MessageEvent"][];
      /** @description Priorities; empty: all. */
      priorities?: ("P1" | "P2" | "P3")[];
      /** @description As one summary instead of at once. */
      digest?: components["schemas"]["MessageDigest"] | "";
      active?: boolean;
    };
    /** @description A meter. Its address, credential and options are for administrators of every site, or of the credential's. */
    PatchedMeterRequest: {
      /** @description Id or slug. */
      site?: number | string;
      name?: string;
      kind?: components["schemas"]["MeterKind"];
      /** @description Id or name. */
      device?: number | string | null;
      /** @description Id or name. */
      rack?: number | string | null;
      /** @description Id or name. */
      room?: number | string | null;
      /** @description HOST, HOST:PORT or an URL. */
      address?: string;
      credential?: string | null;
      /** @description SHA-256 of its certificate; empty: one that the system trusts. */
      identity?: string;
      options?: {
        [key: string]: unknown;
      };
      enabled?: boolean;
      period_s?: number;
    };
    /**
     * @description How a site's Prometheus is read. Where a login is sent is for administrators of every site, or of the
     *     credential's.
     */
    PatchedMetricsSourceRequest: {
      /** @description Whether it is read. */
      enabled?: boolean;
      /** @description Such as https://prometheus.example:9090. */
      url?: string;
      credential?: string | null;
      sign_in?: components["schemas"]["MetricsSignIn"];
      /** @description Certificates (PEM) of who signed the server's; empty: the system's authorities. */
      authorities?: string;
      /** @description By kind; those that are not named stay. Empty: not asked for. */
      queries?: {
        [key: string]: string;
      };
      machine_label?: string;
      gpu_label?: string;
      step_s?: number;
    };
    /** @description A source. Where it is, is for administrators of the site: the workers and all machines of the site ask there. */
    PatchedMirrorDetailRequest: {
      /** @description Id or slug. */
      site?: number | string;
      name?: string;
      kind?: components["schemas"]["MirrorKind"];
      /** @description As machines fetch from it, such as https://mirror.example/ubuntu. */
      url?: string;
      /** @description Certificates (PEM) of who signed its own; empty: the system's authorities. */
      authorities?: string;
      /** @description The host of its token server, where that is another than its own: the login goes there as well. */
      token_host?: string;
      /** @description Of the login at a registry; empty: it is asked without one from now on. */
      username?: string;
      /** @description Or its token. Kept encrypted, bound to the hosts of `url` and `token_host`; never told. */
      password?: string;
      enabled?: boolean;
      /** @description Seconds between two requests to it. */
      every_s?: number;
    };
    PatchedNewBmcProfileRequest: {
      settings?: components["schemas"]["BmcSettingRequest"][];
      firmware?: components["schemas"]["BmcBaselineRequest"][];
    };
    /** @description What a site allows and pays. */
    PatchedPolicyRequest: {
      load_percent?: number;
      imbalance_percent?: number;
      inlet_c?: number;
      rise_c_per_min?: number;
      gpu_great_c?: number;
      gpu_good_c?: number;
      port_c?: number;
      tariff_per_kwh?: number | null;
      /** @description At other times `tariff_per_kwh` holds. */
      rates?: components["schemas"]["PowerPriceRequest"][];
      currency?: string;
      co2_g_per_kwh?: number | null;
      /** @description Off: proposals are written down, and nothing is done. */
      acting?: boolean;
      emergency_gpu_percent?: number | null;
      shut_down_at_once?: number;
    };
    /**
     * @description `size` and `unavailable` are counted now; `remaining_budget` is how many more may be drained automatically, of
     *     the `max_unavailable` that may be out at all; `reason` is that sum in words.
     */
    PatchedPoolRequest: {
      max_unavailable_share?: number;
      automation?: components["schemas"]["AutomationMode"];
      /** @description Where power or cooling fails, machines of pools with a lower one are shut down first. */
      priority?: number;
      /** @description A person declares that no scheduler gives work to these machines. */
      no_scheduler?: boolean;
    };
    /** @description What a site allows. Until `automation` is on, nothing is touched: what would be done is only written down. */
    PatchedPortPolicyRequest: {
      automation?: components["schemas"]["AutomationMode"];
      approval?: components["schemas"]["PortApproval"];
      /** @description Disabled links up to which it approves by itself. */
      budget?: number;
      /**
       * Format: double
       * @description Share of a switch's links to a tier that has to remain.
       */
      floor_share?: number;
      remind_after_days?: number;
    };
    /** @description How many machines of a site start at once, and how long its stages may take. Null: no limit of its own. */
    PatchedProvisioningLimitsRequest: {
      /** @description Machines of one rack at once. Id or name. */
      a_rack?: number | string | null;
      /** @description Machines at once whose boot port, or else BMC, is cabled to one switch. */
      a_switch?: number | null;
      /** @description Machines at once that fetch from the boot server: until they phone home. */
      a_mirror?: number | null;
      /** @description Those that are not the usual ones. */
      stages?: components["schemas"]["StageLimitRequest"][];
    };
    /** @description A system that may report. `refused` counts the results refused so far. */
    PatchedReportSourceRequest: {
      /** @description Id or slug. */
      site?: number | string;
      /** @description Its checks are called NAME/CHECK. */
      name?: string;
      kind?: components["schemas"]["ReporterKind"];
      checks?: string[];
      stale_after_s?: number;
      enabled?: boolean;
    };
    PatchedReservedPortRequest: {
      /** @description Id or name, also with its device (`leaf-a01-r1 20/1`). */
      port?: number | string;
      /** @description Who it is kept for. */
      owner?: string;
      reason?: string;
      until?: string | null;
    };
    /** @description A setting of a site, or of every site, for their administrators. */
    PatchedRotaRequest: {
      /** @description Empty: every site. Id or slug. */
      site?: number | string | null;
      name?: string;
      /** @description Of the calendar (iCalendar). It is kept encrypted and never shown. */
      url?: string;
      timezone?: string;
      period_s?: number;
    };
    /** @description A site's scheduler. Where a login is sent, and what runs here or as root, is for administrators of every site. */
    PatchedSchedulerRequest: {
      /** @description Id or slug. */
      site?: number | string;
      kind?: components["schemas"]["SchedulerKind"];
      /** @description Off: nothing is read or sent; desired states wait. */
      enabled?: boolean;
      /** @description Of slurmrestd, or of the Kubernetes API; empty: read by scontrol. */
      url?: string;
      api_version?: string;
      credential?: string | null;
      certificate?: string;
      ca?: string;
      /** @description To run scontrol on, reached as its access says. Id or name. */
      machine?: number | string | null;
      /** @description ADDRESS or ADDRESS:PORT instead of it. */
      ssh_address?: string;
      ssh_credential?: string | null;
      /** @description Its public host key. */
      ssh_identity?: string;
      /** @description Run scontrol where the workers run. */
      local?: boolean;
      /** @description Write by sudo -n scontrol. */
      sudo?: boolean;
      /** @description Only machines of this partition; Kubernetes: nodes with these labels (KEY=VALUE,..); empty: all. */
      partition?: string;
      user_label?: string;
      roles?: string[];
      names?: {
        [key: string]: string;
      };
      period_s?: number;
      stale_after_s?: number;
      settle_s?: number;
    };
    /** @description A source. Its address, credential and options are for administrators of every site, or of the credential's. */
    PatchedSourceRequest: {
      /** @description Id or slug. */
      site?: number | string;
      name?: string;
      kind?: components["schemas"]["SourceKind"];
      fabric?: "infiniband" | "ethernet";
      /** @description The machine whose tools are run; its address, key and host key are those of access. Id or name. */
      machine?: number | string | null;
      /** @description Without a machine: HOST, HOST:PORT or an URL. */
      address?: string;
      credential?: string | null;
      /** @description Host key line or SHA-256 of the certificate, kept at first contact; empty: take what is met next. */
      identity?: string;
      options?: {
        [key: string]: unknown;
      };
      /** @description Compare with this as-built plan; empty: with the cables of the inventory. Id or name. */
      plan?: number | string | null;
      enabled?: boolean;
      period_s?: number;
      stale_after_s?: number;
      confirm_after_s?: number;
      guard_percent?: number;
      keep_days?: number;
    };
    PatchedTicketSystemRequest: {
      /** @description Id or slug. */
      site?: number | string;
      name?: string;
      kind?: components["schemas"]["TicketSystemKind"];
      url?: string;
      /** @description Empty: a personal access token. */
      username?: string;
      /** @description Or token. It is kept encrypted and never shown. */
      password?: string;
      /** @description Certificates to trust (PEM); empty: the system's. */
      authorities?: string;
      /** @description How fields and states are called there. */
      field_map?: unknown;
      /** @description Queues of tickets to open there; empty: all. */
      queues?: components["schemas"]["TicketQueue"][];
      /** @description Priorities of tickets to open there; empty: all. */
      priorities?: ("P1" | "P2" | "P3")[];
      /** @description Whose comments come in as. Id or user name. */
      acts_as?: number | string;
      active?: boolean;
    };
    PatchedUserRequest: {
      /** @description Required. 150 characters or fewer. Letters, digits and @/./+/-/_ only. */
      username?: string;
      /** Email address */
      email?: string;
      first_name?: string;
      last_name?: string;
      /**
       * Active
       * @description Designates whether this user should be treated as active. Unselect this instead of deleting accounts.
       */
      is_active?: boolean;
      grants?: components["schemas"]["GrantRequest"][];
      password?: string;
    };
    /** @description How a site reaches a vendor. Secrets are written and never told. */
    PatchedVendorContactRequest: {
      /** @description Id or slug. */
      site?: number | string;
      vendor?: components["schemas"]["VendorName"];
      channel?: components["schemas"]["VendorChannel"];
      /** @description Cases are sent over the channel when they are sent. */
      enabled?: boolean;
      mail_to?: string;
      url?: string;
      token_url?: string;
      username?: string;
      /** @description The signing secret (whsec_..), or that of the TechDirect client. Kept encrypted; never told. */
      secret?: string;
      login_name?: string;
      /** @description The password of the technician's login. Kept encrypted; never told. */
      login_secret?: string;
      /** @description Who is called back. */
      person?: string;
      phone?: string;
      mail?: string;
      /** @description What TechDirect wants of the customer: branch, address. */
      account?: unknown;
      /** @description Days after shipping to return the old part. */
      return_days?: number;
      /** @description Days from asking to a part in storage. */
      lead_days?: number;
      /** @description A bundle is made as soon as a case is opened. */
      bundle_by_rule?: boolean;
    };
    PatchedWebhookRequest: {
      /** @description Empty: every site. Id or slug. */
      site?: number | string | null;
      name?: string;
      url?: string;
      events?: string[];
      active?: boolean;
      timeout_s?: number;
    };
    PatchedWindowRequest: {
      /** @description Id or slug. */
      site?: number | string;
      /** @description Sum of 1 Monday, 2 Tuesday .. 64. */
      weekdays?: number;
      from_time?: string;
      /** @description Before from_time: until that time of the next day. */
      to_time?: string;
      levels?: (1 | 2 | 3 | 4 | 5)[];
      reason?: string;
    };
    /** Pdus */
    Pdus: {
      /** Id */
      id: number;
      /** Site */
      site: number;
      /** Site Name */
      site_name: string | null;
      /** Name */
      name: string;
      /** Model */
      model: number;
      /** Model Name */
      model_name: string | null;
      /**
       * Status
       * @description retired: out for good, without place.
       */
      status: components["schemas"]["DeviceStatus"];
      /** Serial */
      serial: string;
      /** Asset Tag */
      asset_tag: string;
      /** Room */
      room: number | null;
      /** Room Name */
      room_name: string | null;
      /** Rack */
      rack: number | null;
      /** Rack Name */
      rack_name: string | null;
      /**
       * U
       * @description Its lowest unit.
       */
      u: number | null;
      /**
       * Face
       * @description Where a device that is not as deep as the rack sits; front by default.
       */
      face: ("front" | "rear" | "both") | null;
      /**
       * Column
       * @description Half of the rack's width; full by default.
       */
      column: ("full" | "left" | "right") | null;
      /**
       * Side
       * @description Slot of a zero-U device, such as rear-left.
       */
      side: string | null;
      /**
       * Parent
       * @description The device whose bay it sits in.
       */
      parent: number | null;
      /** Parent Name */
      parent_name: string | null;
      /** Bay */
      bay: string;
      /**
       * Service Tag
       * @description What the vendor's support asks for.
       */
      service_tag: string;
      /**
       * Support Vendor
       * @description Who repairs it under warranty.
       */
      support_vendor: string;
      /** Warranty Until */
      warranty_until: string | null;
      /** Contact */
      contact: number | null;
      /** Contact Name */
      contact_name: string | null;
      /**
       * Role
       * @description Of a machine: with site and model, the pool it is in. compute by default.
       */
      role: string | null;
      /** System Uuid */
      system_uuid: string | null;
      /** Primary Ip */
      primary_ip: string | null;
      /** Bmc Ip */
      bmc_ip: string | null;
      /** Bmc Mac */
      bmc_mac: string | null;
      /** Boot Mac */
      boot_mac: string | null;
      /** Fabric */
      fabric: ("infiniband" | "ethernet" | "management") | null;
      /**
       * Tier
       * @description Of a switch: leaf, spine, core; tor by default.
       */
      tier: string | null;
      /** Node Guid */
      node_guid: string | null;
      /**
       * Feed
       * @description Of a PDU: the power feed it hangs on.
       */
      feed: number | null;
      /** Feed Name */
      feed_name: string | null;
      /**
       * Limit W
       * @description Of a PDU.
       */
      limit_w: number | null;
      /** Tags */
      tags: string[];
      /** Custom */
      custom: {
        [key: string]: unknown;
      };
      /**
       * Kind
       * @description As its model says.
       */
      kind: string;
      /** @description Where it is, in words and numbers; null if nowhere. */
      place: components["schemas"]["PlaceAnswer"] | null;
      /**
       * Parts
       * @description The parts in its slots. Only where `fields` names it.
       */
      parts?: components["schemas"]["DevicePartAnswer"][];
    };
    /** PdusChange */
    PdusChangeRequest: {
      /**
       * Site
       * @default null
       */
      site?: number | string | {
        [key: string]: number | string;
      };
      /**
       * Name
       * @default null
       */
      name?: string;
      /**
       * Model
       * @default null
       */
      model?: number | string | {
        [key: string]: number | string;
      };
      /**
       * Status
       * @description retired: out for good, without place.
       * @default null
       */
      status?: components["schemas"]["DeviceStatus"];
      /**
       * Serial
       * @default null
       */
      serial?: string;
      /**
       * Asset Tag
       * @default null
       */
      asset_tag?: string;
      /**
       * Room
       * @default null
       */
      room?: number | string | {
        [key: string]: number | string;
      } | null;
      /**
       * Rack
       * @default null
       */
      rack?: number | string | {
        [key: string]: number | string;
      } | null;
      /**
       * U
       * @description Its lowest unit.
       * @default null
       */
      u?: number | null;
      /**
       * Face
       * @description Where a device that is not as deep as the rack sits; front by default.
       * @default null
       */
      face?: ("front" | "rear" | "both") | null;
      /**
       * Column
       * @description Half of the rack's width; full by default.
       * @default null
       */
      column?: ("full" | "left" | "right") | null;
      /**
       * Side
       * @description Slot of a zero-U device, such as rear-left.
       * @default null
       */
      side?: string | null;
      /**
       * Parent
       * @description The device whose bay it sits in.
       * @default null
       */
      parent?: number | string | {
        [key: string]: number | string;
      } | null;
      /**
       * Bay
       * @default null
       */
      bay?: string;
      /**
       * Service Tag
       * @description What the vendor's support asks for.
       * @default null
       */
      service_tag?: string;
      /**
       * Support Vendor
       * @description Who repairs it under warranty.
       * @default null
       */
      support_vendor?: string;
      /**
       * Warranty Until
       * @default null
       */
      warranty_until?: string | null;
      /**
       * Contact
       * @default null
       */
      contact?: number | string | {
        [key: string]: number | string;
      } | null;
      /**
       * Role
       * @description Of a machine: with site and model, the pool it is in. compute by default.
       * @default null
       */
      role?: string | null;
      /**
       * System Uuid
       * @default null
       */
      system_uuid?: string | null;
      /**
       * Primary Ip
       * @default null
       */
      primary_ip?: string | null;
      /**
       * Bmc Ip
       * @default null
       */
      bmc_ip?: string | null;
      /**
       * Bmc Mac
       * @default null
       */
      bmc_mac?: string | null;
      /**
       * Boot Mac
       * @default null
       */
      boot_mac?: string | null;
      /**
       * Fabric
       * @default null
       */
      fabric?: ("infiniband" | "ethernet" | "management") | null;
      /**
       * Tier
       * @description Of a switch: leaf, spine, core; tor by default.
       * @default null
       */
      tier?: string | null;
      /**
       * Node Guid
       * @default null
       */
      node_guid?: string | null;
      /**
       * Feed
       * @description Of a PDU: the power feed it hangs on.
       * @default null
       */
      feed?: number | string | {
        [key: string]: number | string;
      } | null;
      /**
       * Limit W
       * @description Of a PDU.
       * @default null
       */
      limit_w?: number | null;
      /**
       * Tags
       * @default null
       */
      tags?: string[];
      /**
       * Custom
       * @default null
       */
      custom?: {
        [key: string]: unknown;
      };
      /**
       * Parts
       * @description Parts in its slots, written with it. Those not named stay.
       * @default null
       */
      parts?: components["schemas"]["DevicePart"][] | null;
    };
    PersonalAnswer: {
      timezone: string;
      /** @description Of the quiet hours; null: none. */
      starts_at: string | null;
      ends_at: string | null;
      /** @default true */
      p1_breaks: boolean;
      /** @description To the address of the account. */
      mail: boolean;
      /** @description A shared channel of ntfy, for its server; null: none. */
      ntfy: number | null;
      /** @description Eight letters or more that nobody guesses; empty: as it was. */
      topic: string;
      rules: components["schemas"]["PersonalRule"][];
      /** @description Where mail goes. */
      email: string;
      /** @description A topic is stored; it is not shown again. */
      topic_set: boolean;
      /** @description Channels of ntfy that may be chosen. */
      servers: components["schemas"]["NtfyServer"][];
    };
    PersonalRequest: {
      timezone: string;
      /** @description Of the quiet hours; null: none. */
      starts_at: string | null;
      ends_at: string | null;
      /** @default true */
      p1_breaks?: boolean;
      /** @description To the address of the account. */
      mail: boolean;
      /** @description A shared channel of ntfy, for its server; null: none. Id or name. */
      ntfy: number | string | null;
      /** @description Eight letters or more that nobody guesses; empty: as it was. */
      topic?: string;
      rules: components["schemas"]["PersonalRuleRequest"][];
    };
    PersonalRule: {
      /** @description In whose queue the ticket is; empty: all. */
      queues?: components["schemas"]["TicketQueue"][];
      /** @description What happened; empty: all. */
      events?: components["schemas"]["MessageEvent"][];
      /** @description Priorities; empty: all. */
      priorities?: ("P1" | "P2" | "P3")[];
      /**
       * @description Only tickets that are assigned to me.
       * @default false
       */
      only_mine: boolean;
      /** @default  */
      digest: components["schemas"]["MessageDigest"] | "";
    };
    PersonalRuleRequest: {
      /** @description In whose queue the ticket is; empty: all. */
      queues?: components["schemas"]["TicketQueue"][];
      /** @description What happened; empty: all. */
      events?: components["schemas"]["MessageEvent"][];
      /** @description Priorities; empty: all. */
      priorities?: ("P1" | "P2" | "P3")[];
      /**
       * @description Only tickets that are assigned to me.
       * @default false
       */
      only_mine?: boolean;
      /** @default  */
      digest?: components["schemas"]["MessageDigest"] | "";
    };
    Phase: {
      name: string;
      current_a: number | null;
      /**
       * Format: double
       * @description Of the last 24 hours.
       */
      peak_a: number | null;
      limit_a: number | null;
      reason: string;
    };
    /** @description A front that move `n` touches: what to pull and what to plug into, marked. */
    Picture: {
      n: number;
      device: string;
      svg: string;
    };
    PinnedCertificate: {
      id: number;
      machine: number;
      machine_name: string;
      /** @description SHA-256 of the certificate, in hexadecimal digits. */
      fingerprint: string;
      source: components["schemas"]["IdentitySource"];
      recorded_at: string;
      recorded_by: string;
      replaced_at: string | null;
    };
    /** @description Where a device is mounted; of one in a bay, where its parent is. */
    Place: {
      site: string;
      room: string;
      row: string;
      rack: string;
      rack_id: number;
      /**
       * Format: double
       * @description The lowest unit, 5.5 the upper half of U5; null at a side.
       */
      u: number | null;
      height_u: number | null;
      face: "both" | "front" | "rear";
      column: "full" | "left" | "right";
      /** @description The side slot of a zero-U device, such as rear-left. */
      side: string;
      /** @description The way there in words. */
      text: string;
    };
    /**
     * PlaceAnswer
     * @description Where a device is mounted; of one in a bay, where its parent is.
     */
    PlaceAnswer: {
      /** Site */
      site: string;
      /** Room */
      room: string;
      /** Row */
      row: string;
      /** Rack */
      rack: string;
      /** Rack Id */
      rack_id: number;
      /**
       * U
       * @description The lowest unit, 5.5 the upper half of U5; null at a side.
       */
      u: number | null;
      /** Height U */
      height_u: number | null;
      /**
       * Face
       * @enum {string}
       */
      face: "both" | "front" | "rear";
      /**
       * Column
       * @enum {string}
       */
      column: "full" | "left" | "right";
      /**
       * Side
       * @description The side slot of a zero-U device, such as rear-left.
       */
      side: string;
      /**
       * Text
       * @description The way there in words.
       */
      text: string;
    };
    /** @description A machine of a placement. `late`: it takes three times as long as the others did. */
    PlacedImage: {
      id: number;
      machine: components["schemas"]["MachineBrief"];
      /** @description Where it stood when it was asked for. */
      rack: string;
      status: components["schemas"]["WaveMachineStatus"];
      wave: number | null;
      attempt: number;
      /** @description The digest, or the size, read there afterwards. */
      identity: string;
      message: string;
      started_at: string | null;
      begun_at: string | null;
      finished_at: string | null;
      late: boolean;
      /**
       * Format: int64
       * @description Of what it fetches; null: its engine does not tell.
       */
      pulled_bytes: number | null;
      /**
       * Format: int64
       * @description What it fetches, without layers it had before.
       */
      pulled_of_bytes: number | null;
      /**
       * Format: double
       * @description Since its pull began; null: not known.
       */
      rate_bytes_s: number | null;
      /**
       * Format: double
       * @description At that rate, when it told; null: not known.
       */
      left_s: number | null;
    };
    PlacedModel: {
      slug: string;
      name: string;
      height_u: number;
    };
    Placement: {
      id: number;
      site: number;
      action: components["schemas"]["PlacementAction"];
      engine: components["schemas"]["ImageEngine"];
      /** @description With registry and tag; to remove one of Enroot its file. */
      reference: string;
      /** @description Empty until the registry said what the tag means. */
      digest: string;
      /**
       * Format: int64
       * @description What one machine pulls, as far as the registry said.
       */
      size_bytes: number | null;
      dry_run: boolean;
      /** @description So many machines go first, alone. */
      canary: number;
      /** @description Machines at once after the canary. */
      limit: number;
      /** @description Machines at once in one rack, of all placements. */
      rack_limit: number;
      /** @description Machines at once that pull from its registry, of all placements. */
      registry_limit: number;
      /**
       * Format: double
       * @description Share of failed machines, over 0 to 1, that stops it.
       */
      stop_share: number;
      status: components["schemas"]["WaveRunStatus"];
      /** @description Why it stopped, or what it waits for. */
      message: string;
      cancelled_by: string;
      created_at: string;
      created_by: string;
      finished_at: string | null;
      totals: components["schemas"]["SoftwareTotals"];
    };
    /**
     * @description * `place`: Place.
     *     * `remove`: Remove.
     * @enum {string}
     */
    PlacementAction: "place" | "remove";
    PlacementDetail: {
      id: number;
      site: number;
      action: components["schemas"]["PlacementAction"];
      engine: components["schemas"]["ImageEngine"];
      /** @description With registry and tag; to remove one of Enroot its file. */
      reference: string;
      /** @description Empty until the registry said what the tag means. */
      digest: string;
      /**
       * Format: int64
       * @description What one machine pulls, as far as the registry said.
       */
      size_bytes: number | null;
      dry_run: boolean;
      /** @description So many machines go first, alone. */
      canary: number;
      /** @description Machines at once after the canary. */
      limit: number;
      /** @description Machines at once in one rack, of all placements. */
      rack_limit: number;
      /** @description Machines at once that pull from its registry, of all placements. */
      registry_limit: number;
      /**
       * Format: double
       * @description Share of failed machines, over 0 to 1, that stops it.
       */
      stop_share: number;
      status: components["schemas"]["WaveRunStatus"];
      /** @description Why it stopped, or what it waits for. */
      message: string;
      cancelled_by: string;
      created_at: string;
      created_by: string;
      finished_at: string | null;
      totals: components["schemas"]["SoftwareTotals"];
      machines: components["schemas"]["PlacedImage"][];
    };
    PlacementPlan: {
      reference: string;
      known: components["schemas"]["KnownDigest"][];
      /** @description That was asked about, else the largest known. */
      size_bytes: number | null;
      /** @description Empty where no size is known. */
      estimates: components["schemas"]["Estimate"][];
    };
    Plan: {
      id: number;
      site: number;
      name: string;
      filename: string;
      cables: number;
      devices: number;
      note: string;
      created_at: string;
      created_by: string;
    };
    /** @description Without `machines` all of the site that may be used; of `settings` what shall not be as usual. */
    PlanBurnInRequest: {
      /** @description Id or name. */
      source: number | string;
      machines?: (number | string)[];
      settings?: {
        [key: string]: unknown;
      };
    };
    PlanFault: {
      id: number;
      text: string;
    };
    PlanMachine: {
      id: number;
      name: string;
      state: components["schemas"]["MachineState"];
    };
    PlanRow: {
      machine: components["schemas"]["PlanMachine"];
      incident: number | null;
      fault: components["schemas"]["PlanFault"] | null;
      checks: string[];
      step: components["schemas"]["PlanStep"] | null;
      remedy: components["schemas"]["RemedyName"] | null;
      level: components["schemas"]["RemediationLevel"] | null;
      mode: components["schemas"]["AutomationMode"] | null;
      reason: string;
      allowed: boolean;
      refused_by: components["schemas"]["Guard"] | null;
      refused_reason: string;
      /** @description What would change the answer. */
      frees: string;
      /** @description The remedy after it, or `person`. */
      next: string | null;
    };
    /**
     * @description * `drain`: Drain. No new jobs; out of service when the running one ended.
     *     * `remedy`: Remedy. An automatic remedy of the escalation ladder.
     *     * `person`: Ask a person. Nothing automatic is left: the machine goes to triage, with a ticket.
     * @enum {string}
     */
    PlanStep: "drain" | "remedy" | "person";
    /** @description Links by state, and how many are planned. */
    PlannedLinkStates: {
      planned: number;
      correct: number;
      slow: number;
      wrong: number;
      dark: number;
      missing: number;
      off: number;
      extra: number;
      unknown: number;
    };
    PlannedMachine: {
      machine_id: number;
      name: string;
      /** @description It is in service and idle, and would be taken out first. */
      taken_out: boolean;
    };
    /** PluggedCableAnswer */
    PluggedCableAnswer: {
      /** Id */
      id: number;
      /** Label */
      label: string;
      /** Status */
      status: components["schemas"]["CableStatus"];
    };
    PluggedOptic: {
      component: number;
      vendor: string;
      part_number: string;
      serial: string;
      slot: string;
    };
    Point: {
      /**
       * Format: date-time
       * @description Begin of the bucket.
       */
      at: string;
      /**
       * Format: double
       * @description Null: not known, which is not nought.
       */
      value: number | null;
      count: number;
      base: number;
    };
    /** @description What a site allows and pays. */
    Policy: {
      site: number;
      load_percent: number;
      imbalance_percent: number;
      inlet_c: number;
      rise_c_per_min: number;
      gpu_great_c: number;
      gpu_good_c: number;
      port_c: number;
      tariff_per_kwh: number | null;
      /** @description At other times `tariff_per_kwh` holds. */
      rates: components["schemas"]["PowerPrice"][];
      currency: string;
      co2_g_per_kwh: number | null;
      /** @description Off: proposals are written down, and nothing is done. */
      acting: boolean;
      emergency_gpu_percent: number | null;
      shut_down_at_once: number;
    };
    /**
     * @description `size` and `unavailable` are counted now; `remaining_budget` is how many more may be drained automatically, of
     *     the `max_unavailable` that may be out at all; `reason` is that sum in words.
     */
    Pool: {
      id: number;
      site: number;
      role: string;
      model: string;
      max_unavailable_share: number;
      automation: components["schemas"]["AutomationMode"];
      /** @description Where power or cooling fails, machines of pools with a lower one are shut down first. */
      priority: number;
      /** @description A person declares that no scheduler gives work to these machines. */
      no_scheduler: boolean;
      no_scheduler_by: string;
      no_scheduler_at: string | null;
      size: number;
      unavailable: number;
      remaining_budget: number;
      max_unavailable: number;
      reason: string;
    };
    /**
     * @description A link that is disabled on purpose, or proposed to be: both ends, cause, who decided, and its state.
     *
     *     Made by `fabric.ports.queries.port_action`.
     */
    PortAction: {
      id: number;
      site: number;
      source: components["schemas"]["PortSource"];
      action: components["schemas"]["PortActionKind"];
      link: string;
      a: components["schemas"]["PortEnd"];
      b: components["schemas"]["PortEnd"];
      /** @description Who wants it, such as ticket:REP-2041 or person. */
      owner: string;
      ticket: string | null;
      cause: string;
      /** @description What it was proposed on: counts and rates of the link, or nothing. */
      evidence: {
        [key: string]: unknown;
      };
      state: components["schemas"]["PortActionState"];
      wanted: "held" | "free";
      message: string;
      proposed_at: string;
      proposed_by: string;
      approved_at: string | null;
      approved_by: string;
      held_at: string | null;
      ended_at: string | null;
      /** @description Disabled for longer than the site reminds after. */
      overdue: boolean;
    };
    /**
     * @description * `isolate`: Isolate: no traffic is routed over it.
     *     * `disable`: Disable: switched off at both ends.
     * @enum {string}
     */
    PortActionKind: "isolate" | "disable";
    /**
     * @description * `proposed`: Proposed. Nothing is touched before somebody approves.
     *     * `refused`: Refused. Somebody said no; the link stayed enabled.
     *     * `dry_run`: Only written down. Approved, but the site's automation is not turned on.
     *     * `approved`: Approved. About to be carried out.
     *     * `held`: Disabled. Re-enable it when the repair is done.
     *     * `unknown`: Not known. The source was asked and did not answer; it is asked again.
     *     * `failed`: Failed. The source refused.
     *     * `free`: Re-enabled.
     * @enum {string}
     */
    PortActionState: "proposed" | "refused" | "dry_run" | "approved" | "held" | "unknown" | "failed" | "free";
    /**
     * @description * `person`: A person approves.
     *     * `policy`: The policy approves within its budget.
     * @enum {string}
     */
    PortApproval: "person" | "policy";
    PortCable: {
      id: number;
      label: string;
      status: components["schemas"]["CableStatus"];
    };
    PortEnd: {
      device: string;
      port: number;
      guid: string;
      /** @description In the inventory. */
      port_id: number | null;
    };
    /** @description A port, the device it is on, and where that stands. */
    PortHop: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      kind: "port";
      id: number;
      name: string;
      port: components["schemas"]["TracedPort"];
      device: components["schemas"]["TraceDevice"];
      place: components["schemas"]["TracePlace"];
    };
    /**
     * @description * `infiniband`: InfiniBand.
     *     * `ethernet`: Ethernet.
     *     * `bmc`: BMC.
     *     * `power_in`: Power inlet.
     *     * `power_outlet`: Power outlet.
     *     * `front`: Panel front.
     *     * `rear`: Panel rear.
     *     * `console`: Console.
     * @enum {string}
     */
    PortKind: "infiniband" | "ethernet" | "bmc" | "power_in" | "power_outlet" | "front" | "rear" | "console";
    /** @description What a site allows. Until `automation` is on, nothing is touched: what would be done is only written down. */
    PortPolicy: {
      site: number;
      automation: components["schemas"]["AutomationMode"];
      approval: components["schemas"]["PortApproval"];
      /** @description Disabled links up to which it approves by itself. */
      budget: number;
      /**
       * Format: double
       * @description Share of a switch's links to a tier that has to remain.
       */
      floor_share: number;
      remind_after_days: number;
    };
    PortProposalRequest: {
      /** @description Id or name. */
      source: number | string;
      /** @description Key of the link, as in /api/fabric/links/. */
      link: string;
      /** @default isolate */
      action?: components["schemas"]["PortActionKind"];
      cause: string;
    };
    PortReasonRequest: {
      reason: string;
    };
    /** PortRecord */
    PortRecordRequest: {
      /**
       * Site
       * @default null
       */
      site?: number | string | {
        [key: string]: number | string;
      } | null;
      /** Device */
      device: number | string | {
        [key: string]: number | string;
      };
      /** Name */
      name: string;
      /** Kind */
      kind: components["schemas"]["PortKind"];
      /**
       * Speed Gbps
       * @default null
       */
      speed_gbps?: number | null;
      /**
       * Cage
       * @default null
       */
      cage?: number | null;
      /**
       * Lane
       * @description Port within its cage: 1 upper, 2 lower.
       * @default null
       */
      lane?: number | null;
      /**
       * Slot
       * @description The component slot this port is on.
       * @default
       */
      slot?: string;
      /**
       * Face
       * @default
       * @enum {string}
       */
      face?: "" | "front" | "rear";
      /**
       * Guid
       * @default
       */
      guid?: string;
      /**
       * Mac
       * @default
       */
      mac?: string;
      /**
       * Rail
       * @description The rail its adapter serves, from 1.
       * @default null
       */
      rail?: number | null;
      /**
       * Vlan
       * @description Untagged VLAN.
       * @default null
       */
      vlan?: number | null;
      /**
       * Positions
       * @description Fibre positions of a patch panel's rear port.
       * @default 1
       */
      positions?: number;
    };
    PortSource: {
      id: number;
      name: string;
    };
    /** Ports */
    Ports: {
      /** Id */
      id: number;
      /** Site */
      site: number | null;
      /** Site Name */
      site_name: string | null;
      /** Device */
      device: number;
      /** Device Name */
      device_name: string | null;
      /** Name */
      name: string;
      /** Kind */
      kind: components["schemas"]["PortKind"];
      /** Speed Gbps */
      speed_gbps: number | null;
      /** Cage */
      cage: number | null;
      /**
       * Lane
       * @description Port within its cage: 1 upper, 2 lower.
       */
      lane: number | null;
      /**
       * Slot
       * @description The component slot this port is on.
       */
      slot: string;
      /**
       * Face
       * @enum {string}
       */
      face: "" | "front" | "rear";
      /** Guid */
      guid: string;
      /** Mac */
      mac: string;
      /**
       * Rail
       * @description The rail its adapter serves, from 1.
       */
      rail: number | null;
      /**
       * Vlan
       * @description Untagged VLAN.
       */
      vlan: number | null;
      /**
       * Positions
       * @description Fibre positions of a patch panel's rear port.
       */
      positions: number;
      /** @description The live cable in it. */
      cable: components["schemas"]["PluggedCableAnswer"] | null;
    };
    /** PortsChange */
    PortsChangeRequest: {
      /**
       * Site
       * @default null
       */
      site?: number | string | {
        [key: string]: number | string;
      } | null;
      /**
       * Device
       * @default null
       */
      device?: number | string | {
        [key: string]: number | string;
      };
      /**
       * Name
       * @default null
       */
      name?: string;
      /**
       * Kind
       * @default null
       */
      kind?: components["schemas"]["PortKind"];
      /**
       * Speed Gbps
       * @default null
       */
      speed_gbps?: number | null;
      /**
       * Cage
       * @default null
       */
      cage?: number | null;
      /**
       * Lane
       * @description Port within its cage: 1 upper, 2 lower.
       * @default null
       */
      lane?: number | null;
      /**
       * Slot
       * @description The component slot this port is on.
       * @default null
       */
      slot?: string;
      /**
       * Face
       * @default null
       * @enum {string}
       */
      face?: "" | "front" | "rear";
      /**
       * Guid
       * @default null
       */
      guid?: string;
      /**
       * Mac
       * @default null
       */
      mac?: string;
      /**
       * Rail
       * @description The rail its adapter serves, from 1.
       * @default null
       */
      rail?: number | null;
      /**
       * Vlan
       * @description Untagged VLAN.
       * @default null
       */
      vlan?: number | null;
      /**
       * Positions
       * @description Fibre positions of a patch panel's rear port.
       * @default null
       */
      positions?: number;
    };
    PowerActions: {
      open: number;
      actions_1h: number;
      last_at: string | null;
    };
    /** PowerFeedRecord */
    PowerFeedRecordRequest: {
      /** Site */
      site: number | string | {
        [key: string]: number | string;
      };
      /**
       * Panel
       * @default null
       */
      panel?: number | string | {
        [key: string]: number | string;
      } | null;
      /** Name */
      name: string;
      /**
       * Side
       * @description Feeds of one side fail together: A or B.
       * @default
       */
      side?: string;
      /**
       * Voltage V
       * @description Between phases if it has three.
       * @default null
       */
      voltage_v?: number | null;
      /**
       * Current A
       * @description Size of its breaker.
       * @default null
       */
      current_a?: number | null;
      /**
       * Phases
       * @default 3
       */
      phases?: number;
      /**
       * Derating Percent
       * @description What it may carry for long, in percent of its size.
       * @default 80
       */
      derating_percent?: number;
    };
    /** PowerFeeds */
    PowerFeeds: {
      /** Id */
      id: number;
      /** Site */
      site: number;
      /** Site Name */
      site_name: string | null;
      /** Panel */
      panel: number | null;
      /** Panel Name */
      panel_name: string | null;
      /** Name */
      name: string;
      /**
       * Side
       * @description Feeds of one side fail together: A or B.
       */
      side: string;
      /**
       * Voltage V
       * @description Between phases if it has three.
       */
      voltage_v: number | null;
      /**
       * Current A
       * @description Size of its breaker.
       */
      current_a: number | null;
      /** Phases */
      phases: number;
      /**
       * Derating Percent
       * @description What it may carry for long, in percent of its size.
       */
      derating_percent: number;
    };
    /** PowerFeedsChange */
    PowerFeedsChangeRequest: {
      /**
       * Site
       * @default null
       */
      site?: number | string | {
        [key: string]: number | string;
      };
      /**
       * Panel
       * @default null
       */
      panel?: number | string | {
        [key: string]: number | string;
      } | null;
      /**
       * Name
       * @default null
       */
      name?: string;
      /**
       * Side
       * @description Feeds of one side fail together: A or B.
       * @default null
       */
      side?: string;
      /**
       * Voltage V
       * @description Between phases if it has three.
       * @default null
       */
      voltage_v?: number | null;
      /**
       * Current A
       * @description Size of its breaker.
       * @default null
       */
      current_a?: number | null;
      /**
       * Phases
       * @default null
       */
      phases?: number;
      /**
       * Derating Percent
       * @description What it may carry for long, in percent of its size.
       * @default null
       */
      derating_percent?: number;
    };
    PowerFinding: {
      severity: "error" | "warning" | "unknown";
      code: string;
      /** @description A slot or a socket of the supply; empty for the machine as a whole. */
      slot: string;
      reason: string;
    };
    PowerFloor: {
      room: components["schemas"]["Named"];
      at: string | null;
      inlet_c_limit: number;
      load_percent: number;
      gpu_bands_c: components["schemas"]["GpuBands"];
      racks: components["schemas"]["FloorRack"][];
      rows: components["schemas"]["FloorRow"][];
      total_w: number | null;
      at_least: boolean;
      /**
       * Format: double
       * @description Of the room in the last 24 hours, where all of it was measured.
       */
      peak_w: number | null;
      peak_at: string | null;
      planned_w: number | null;
      pue: number | null;
      pue_at: string | null;
    };
    /**
     * @description * `pdu`: PDUs. All of it is measured by its PDUs.
     *     * `mixed`: PDUs and BMCs. What its PDUs do not tell is added from BMCs.
     *     * `bmc`: BMCs. Its PDUs tell nothing; BMCs tell what machines draw.
     *     * `none`: Not measured. Neither PDUs nor BMCs tell.
     * @enum {string}
     */
    PowerMethod: "pdu" | "mixed" | "bmc" | "none";
    /**
     * @description * `lost`: Lose power.
     *     * `trips`: Breaker trips.
     *     * `unknown`: Not known.
     *     * `degraded`: Lose redundancy.
     *     * `ok`: Not affected.
     * @enum {string}
     */
    PowerOutcome: "lost" | "trips" | "unknown" | "degraded" | "ok";
    /** PowerPanelRecord */
    PowerPanelRecordRequest: {
      /** Site */
      site: number | string | {
        [key: string]: number | string;
      };
      /**
       * Room
       * @default null
       */
      room?: number | string | {
        [key: string]: number | string;
      } | null;
      /** Name */
      name: string;
      /**
       * Voltage V
       * @description Between phases if it has three.
       * @default null
       */
      voltage_v?: number | null;
      /**
       * Current A
       * @description Size of its main breaker.
       * @default null
       */
      current_a?: number | null;
      /**
       * Phases
       * @default 3
       */
      phases?: number;
      /**
       * Derating Percent
       * @description What it may carry for long, in percent of its size.
       * @default 80
       */
      derating_percent?: number;
    };
    /** PowerPanels */
    PowerPanels: {
      /** Id */
      id: number;
      /** Site */
      site: number;
      /** Site Name */
      site_name: string | null;
      /** Room */
      room: number | null;
      /** Room Name */
      room_name: string | null;
      /** Name */
      name: string;
      /**
       * Voltage V
       * @description Between phases if it has three.
       */
      voltage_v: number | null;
      /**
       * Current A
       * @description Size of its main breaker.
       */
      current_a: number | null;
      /** Phases */
      phases: number;
      /**
       * Derating Percent
       * @description What it may carry for long, in percent of its size.
       */
      derating_percent: number;
    };
    /** PowerPanelsChange */
    PowerPanelsChangeRequest: {
      /**
       * Site
       * @default null
       */
      site?: number | string | {
        [key: string]: number | string;
      };
      /**
       * Room
       * @default null
       */
      room?: number | string | {
        [key: string]: number | string;
      } | null;
      /**
       * Name
       * @default null
       */
      name?: string;
      /**
       * Voltage V
       * @description Between phases if it has three.
       * @default null
       */
      voltage_v?: number | null;
      /**
       * Current A
       * @description Size of its main breaker.
       * @default null
       */
      current_a?: number | null;
      /**
       * Phases
       * @default null
       */
      phases?: number;
      /**
       * Derating Percent
       * @description What it may carry for long, in percent of its size.
       * @default null
       */
      derating_percent?: number;
    };
    /** @description What a kWh costs from `start` to `end` by the clock of the site; the first that holds counts. */
    PowerPrice: {
      start: string;
      /** @description 00:00 is midnight. */
      end: string;
      per_kwh: number;
      /** @description 0 is Monday. */
      weekdays: number[];
    };
    /** @description What a kWh costs from `start` to `end` by the clock of the site; the first that holds counts. */
    PowerPriceRequest: {
      start: string;
      /** @description 00:00 is midnight. */
      end: string;
      per_kwh: number;
      /** @description 0 is Monday. */
      weekdays: number[];
    };
    /**
     * @description * `on`: On.
     *     * `off`: Off.
     *     * `unknown`: Unknown.
     * @enum {string}
     */
    PowerReading: "on" | "off" | "unknown";
    /** @description Something else by its id and name. */
    PowerSubject: {
      id: number;
      name: string;
      kind: string;
    };
    PowerSummary: {
      together: "feed" | "panel" | "side";
      feeds: components["schemas"]["SiteFeed"][];
      sides: components["schemas"]["SideLoad"][];
      pdus_over_limit: components["schemas"]["OverLimit"][];
      racks_over_limit: components["schemas"]["OverLimit"][];
      redundancy: components["schemas"]["RedundancyCounts"];
      unknown: components["schemas"]["PowerUnknown"];
    };
    PowerUnknown: {
      devices_without_cords: number;
      devices_without_draw: number;
      feeds_without_size: number;
      pdus_without_feed: number;
      /** @description Drawn from an unknown feed. */
      adrift_w: number;
    };
    PoweredSlot: {
      slot: string;
      label: string;
      /**
       * Format: double
       * @description What the part in it draws at most.
       */
      max_w: number | null;
      /** @description What the slot itself gives. */
      slot_w: number;
      connectors: components["schemas"]["SlotConnector"][];
    };
    Problem: {
      where: string;
      line: number;
      text: string;
    };
    Profile: {
      u: number;
      inlet_c: number | null;
      /**
       * Format: double
       * @description With the gap closed that helps most.
       */
      closed_c: number | null;
    };
    Progress: {
      done: number;
      total: number;
      stage: string;
    };
    Proposal: {
      id: number;
      site: number;
      /** @description What it is about, the same in every round: feed:12. */
      incident: string;
      text: string;
      machines: string[];
      steps: components["schemas"]["ProposalStep"][];
      /** @description Written down only: the site has not switched acting on. */
      dry_run: boolean;
      /** @default proposed */
      state: components["schemas"]["ProposalState"];
      decided_by: string;
      decided_at: string | null;
      created_at: string;
      /**
       * Format: date-time
       * @description When what causes it was last seen.
       */
      seen_at: string;
    };
    /** @description What a step did to one machine so far. */
    ProposalProgress: {
      machine: string;
      state: components["schemas"]["ProposedProgressState"];
      message: string;
    };
    /**
     * @description * `proposed`: Proposed. Nothing is done before somebody approves it.
     *     * `approved`: Approved. Its steps are carried out, as far as the site allows.
     *     * `dismissed`: Dismissed.
     *     * `over`: Over. What caused it is gone.
     * @enum {string}
     */
    ProposalState: "proposed" | "approved" | "dismissed" | "over";
    ProposalStep: {
      order: number;
      action: components["schemas"]["ProposedAction"];
      target: string;
      text: string;
      machines: string[];
      reversible: boolean;
      /** @description How it is taken back. */
      undo: string;
      state: components["schemas"]["ProposedStepState"];
      message: string;
      /** @description Machines that it began with, in its order. */
      progress: components["schemas"]["ProposalProgress"][];
    };
    /**
     * @description * `close_valve`: Close a valve.
     *     * `stop_new_jobs`: No new jobs.
     *     * `limit_power`: Cap power.
     *     * `shut_down`: Shut down.
     *     * `feed_off`: Feed off.
     * @enum {string}
     */
    ProposedAction: "close_valve" | "stop_new_jobs" | "limit_power" | "shut_down" | "feed_off";
    /**
     * @description * `doing`: In progress.
     *     * `done`: Done.
     *     * `failed`: Failed.
     *     * `undone`: Taken back.
     * @enum {string}
     */
    ProposedProgressState: "doing" | "done" | "failed" | "undone";
    /**
     * @description * `proposed`: Proposed.
     *     * `dry run`: Dry run. Written down only: the site has not switched acting on.
     *     * `doing`: In progress.
     *     * `done`: Done.
     *     * `failed`: Failed.
     *     * `offered`: Waits for you. It begins when a person begins it.
     *     * `by hand`: By hand. Somebody has to do it; Rackside does not.
     *     * `undoing`: Being taken back.
     *     * `undone`: Taken back.
     * @enum {string}
     */
    ProposedStepState: "proposed" | "dry run" | "doing" | "done" | "failed" | "offered" | "by hand" | "undoing" | "undone";
    /** @description How many machines of a site start at once, and how long its stages may take. Null: no limit of its own. */
    ProvisioningLimits: {
      site: number;
      /** @description Machines of one rack at once. */
      a_rack: number | null;
      /** @description Machines at once whose boot port, or else BMC, is cabled to one switch. */
      a_switch: number | null;
      /** @description Machines at once that fetch from the boot server: until they phone home. */
      a_mirror: number | null;
      /** @description Of a rack, where the site says nothing else. */
      usual_a_rack: number;
      /** @description Those that are not the usual ones. */
      stages: components["schemas"]["StageLimit"][];
      /** @description How long a stage may take where the site says nothing. */
      usual_stages: components["schemas"]["UsualStage"][];
    };
    Pue: {
      hours: components["schemas"]["PueHour"][];
    };
    PueHour: {
      at: string;
      site_w: number | null;
      it_w: number | null;
      pue: number | null;
    };
    PushTaken: {
      run: number;
      /** @description Of `/api/run-collections/`: all that the job of this run pushed. */
      collection: number;
      logs: components["schemas"]["KeptLog"][];
    };
    /** @description Logs of one machine, plain or gzip. */
    PushedLogsRequest: {
      /** @description What its launcher calls the run, or the scheduler's job id. */
      run: string;
      /** @description Without it the newest. */
      attempt?: number;
      /** @description On which they were written. */
      machine: string;
      /** @description Who wrote them, where their names do not say it. */
      rank?: number;
      file: string[];
    };
    /** @description A check of the fault that is silenced there or in audit mode; the fault stays until verified or dismissed. */
    QuietCheck: {
      check: string;
      kind: "silence" | "audit_mode";
      id: number;
      until: string | null;
    };
    /** @description Something else by its id and name. */
    RackDevice: {
      id: number;
      name: string;
      kind: components["schemas"]["DeviceKind"];
      planned_w: number | null;
      measured_w: number | null;
      inputs: components["schemas"]["DeviceInput"][];
      redundancy: components["schemas"]["Redundancy"];
      /** @description Feeds whose death alone takes it down. */
      loses_power_if: components["schemas"]["Named"][];
    };
    RackDraw: {
      limit_w: number | null;
      planned_w: number;
      /** @description Devices whose draw nobody knows. */
      unknown: string[];
      /** @description Null without a limit. */
      over: boolean | null;
    };
    /** @description What one feed carries when others die. */
    RackFailure: {
      fails: components["schemas"]["Named"][];
      feed: components["schemas"]["Named"];
      side: string;
      carries_w: number;
      derated_w: number | null;
      trips: boolean | null;
    };
    /** @description A PDU with its feed; all of a feed is null where nobody has written down what the PDU hangs on. */
    RackFeed: {
      /** @description What its breaker is made for. */
      capacity_w: number | null;
      /** @description What it may carry for long. */
      derated_w: number | null;
      planned_w: number | null;
      /** @description Null where nothing is measured. */
      measured_w: number | null;
      /**
       * Format: double
       * @description Of the derated size.
       */
      share: number | null;
      feed: components["schemas"]["Named"] | null;
      side: string;
      pdu: components["schemas"]["RackPdu"];
      /** @description What this rack takes from the PDU. */
      rack_w: number;
    };
    RackInfo: {
      id: number;
      name: string;
      row: string;
      row_id: number | null;
      room: string;
      room_id: number;
      site: string;
      x_mm: number;
      y_mm: number;
      facing: "up" | "down";
      role: components["schemas"]["RackRole"];
      height_u: number;
      numbering: "up" | "down";
      outer_height_mm: number | null;
      weight_limit_kg: number | null;
      power_limit_w: number | null;
      serial: string;
      asset_tag: string;
      planned_w: number;
    };
    /** @description Something else by its id and name. */
    RackMeter: {
      id: number;
      name: string;
      state: components["schemas"]["MeterState"];
      message: string;
      read_at: string | null;
    };
    /** @description Something else by its id and name. */
    RackPdu: {
      id: number;
      name: string;
      limit_w: number | null;
      planned_w: number;
    };
    /** @description Something else by its id and name. */
    RackPlace: {
      id: number;
      name: string;
      row: string | null;
      room: components["schemas"]["Named"];
      height_u: number;
    };
    RackPower: {
      rack: components["schemas"]["Named"];
      limit_w: number | null;
      planned_w: number;
      /** @description With the planned draw of what is not measured. */
      measured_w: number | null;
      measured_devices: number;
      over_limit: boolean;
      feeds: components["schemas"]["RackFeed"][];
      failure: components["schemas"]["RackFailure"][];
      devices: components["schemas"]["RackDevice"][];
    };
    /** RackRecord */
    RackRecordRequest: {
      /**
       * Site
       * @default null
       */
      site?: number | string | {
        [key: string]: number | string;
      } | null;
      /** Room */
      room: number | string | {
        [key: string]: number | string;
      };
      /**
       * Row
       * @default null
       */
      row?: number | string | {
        [key: string]: number | string;
      } | null;
      /** Name */
      name: string;
      /**
       * Role
       * @default compute
       */
      role?: components["schemas"]["RackRole"];
      /** X Mm */
      x_mm: number;
      /** Y Mm */
      y_mm: number;
      /**
       * Width Mm
       * @default 600
       */
      width_mm?: number;
      /**
       * Depth Mm
       * @default 1200
       */
      depth_mm?: number;
      /**
       * Facing
       * @description Where its front faces on the floor plan.
       * @default up
       * @enum {string}
       */
      facing?: "up" | "down";
      /**
       * Height U
       * @default 48
       */
      height_u?: number;
      /**
       * Numbering
       * @description up: U1 is the lowest unit.
       * @default up
       * @enum {string}
       */
      numbering?: "up" | "down";
      /**
       * Outer Height Mm
       * @default null
       */
      outer_height_mm?: number | null;
      /**
       * Weight Limit Kg
       * @description What the rack may carry.
       * @default null
       */
      weight_limit_kg?: number | null;
      /**
       * Power Limit W
       * @default null
       */
      power_limit_w?: number | null;
      /**
       * Serial
       * @default
       */
      serial?: string;
      /**
       * Asset Tag
       * @default
       */
      asset_tag?: string;
      /**
       * Contact
       * @default null
       */
      contact?: number | string | {
        [key: string]: number | string;
      } | null;
      /** Tags */
      tags?: string[];
      /** Custom */
      custom?: {
        [key: string]: unknown;
      };
    };
    /**
     * @description * `compute`: Compute.
     *     * `network`: Network.
     *     * `storage`: Storage.
     * @enum {string}
     */
    RackRole: "compute" | "network" | "storage";
    /** @description Something else by its id and name. */
    RackState: {
      id: number;
      name: string;
      state: components["schemas"]["PowerOutcome"];
    };
    RackStrip: {
      feed: components["schemas"]["Named"] | null;
      side: string;
      pdu: components["schemas"]["Named"];
      meter: components["schemas"]["RackMeter"] | null;
      now_w: number | null;
      /**
       * Format: double
       * @description Of the last 24 hours, where all of it was measured.
       */
      peak_w: number | null;
      planned_w: number | null;
      limit_w: number | null;
      capacity_w: number | null;
      share: number | null;
      machines: components["schemas"]["LoadedMachine"][];
      other_w: number | null;
      phases: components["schemas"]["Phase"][];
      breakers: components["schemas"]["Phase"][];
      carries_if_other_fails_w: number | null;
      holds: boolean | null;
    };
    /** @description A rack with its sums, as a thumbnail shows them. */
    RackSums: {
      id: number;
      name: string;
      row: string;
      row_id: number | null;
      room: string;
      room_id: number;
      site: string;
      x_mm: number;
      y_mm: number;
      facing: "up" | "down";
      role: components["schemas"]["RackRole"];
      height_u: number;
      numbering: "up" | "down";
      outer_height_mm: number | null;
      weight_limit_kg: number | null;
      power_limit_w: number | null;
      serial: string;
      asset_tag: string;
      planned_w: number;
      weight_kg: number;
      /** @description Devices whose weight nobody knows. */
      weight_unknown: number;
      /**
       * Format: double
       * @description Units that are free on both faces.
       */
      free_u: number;
      /**
       * Format: double
       * @description Units hot air returns through.
       */
      open_gap_u: number;
    };
    RackTable: {
      columns: [
        "id",
        "name",
        "row",
        "x_mm",
        "y_mm",
        "width_mm",
        "depth_mm",
        "facing",
        "height_u",
        "role"
      ];
      rows: [
        number,
        string,
        number | null,
        number,
        number,
        number,
        number,
        "up" | "down",
        number,
        components["schemas"]["RackRole"]
      ][];
    };
    RackWeight: {
      limit_kg: number | null;
      planned_kg: number;
      /** @description Devices whose weight nobody knows. */
      unknown: string[];
      /** @description Null without a limit. */
      over: boolean | null;
    };
    /** Racks */
    Racks: {
      /** Id */
      id: number;
      /** Site */
      site: number | null;
      /** Site Name */
      site_name: string | null;
      /** Room */
      room: number;
      /** Room Name */
      room_name: string | null;
      /** Row */
      row: number | null;
      /** Row Name */
      row_name: string | null;
      /** Name */
      name: string;
      /** Role */
      role: components["schemas"]["RackRole"];
      /** X Mm */
      x_mm: number;
      /** Y Mm */
      y_mm: number;
      /** Width Mm */
      width_mm: number;
      /** Depth Mm */
      depth_mm: number;
      /**
       * Facing
       * @description Where its front faces on the floor plan.
       * @enum {string}
       */
      facing: "up" | "down";
      /** Height U */
      height_u: number;
      /**
       * Numbering
       * @description up: U1 is the lowest unit.
       * @enum {string}
       */
      numbering: "up" | "down";
      /** Outer Height Mm */
      outer_height_mm: number | null;
      /**
       * Weight Limit Kg
       * @description What the rack may carry.
       */
      weight_limit_kg: number | null;
      /** Power Limit W */
      power_limit_w: number | null;
      /** Serial */
      serial: string;
      /** Asset Tag */
      asset_tag: string;
      /** Contact */
      contact: number | null;
      /** Contact Name */
      contact_name: string | null;
      /** Tags */
      tags: string[];
      /** Custom */
      custom: {
        [key: string]: unknown;
      };
      /**
       * Devices
       * @description Devices that stand in it.
       */
      devices: number;
      /** Machines */
      machines: number;
    };
    /** RacksChange */
    RacksChangeRequest: {
      /**
       * Site
       * @default null
       */
      site?: number | string | {
        [key: string]: number | string;
      } | null;
      /**
       * Room
       * @default null
       */
      room?: number | string | {
        [key: string]: number | string;
      };
      /**
       * Row
       * @default null
       */
      row?: number | string | {
        [key: string]: number | string;
      } | null;
      /**
       * Name
       * @default null
       */
      name?: string;
      /**
       * Role
       * @default null
       */
      role?: components["schemas"]["RackRole"];
      /**
       * X Mm
       * @default null
       */
      x_mm?: number;
      /**
       * Y Mm
       * @default null
       */
      y_mm?: number;
      /**
       * Width Mm
       * @default null
       */
      width_mm?: number;
      /**
       * Depth Mm
       * @default null
       */
      depth_mm?: number;
      /**
       * Facing
       * @description Where its front faces on the floor plan.
       * @default null
       * @enum {string}
       */
      facing?: "up" | "down";
      /**
       * Height U
       * @default null
       */
      height_u?: number;
      /**
       * Numbering
       * @description up: U1 is the lowest unit.
       * @default null
       * @enum {string}
       */
      numbering?: "up" | "down";
      /**
       * Outer Height Mm
       * @default null
       */
      outer_height_mm?: number | null;
      /**
       * Weight Limit Kg
       * @description What the rack may carry.
       * @default null
       */
      weight_limit_kg?: number | null;
      /**
       * Power Limit W
       * @default null
       */
      power_limit_w?: number | null;
      /**
       * Serial
       * @default null
       */
      serial?: string;
      /**
       * Asset Tag
       * @default null
       */
      asset_tag?: string;
      /**
       * Contact
       * @default null
       */
      contact?: number | string | {
        [key: string]: number | string;
      } | null;
      /**
       * Tags
       * @default null
       */
      tags?: string[];
      /**
       * Custom
       * @default null
       */
      custom?: {
        [key: string]: unknown;
      };
    };
    /** @description The one port at the far end, through panels and breakouts. */
    RailFarEnd: {
      device: string;
      device_id: number;
      port: string;
      port_id: number;
      /** @description Null for what is no switch. */
      tier: string | null;
    };
    /** @description A leaf and the rail of most of its cables. */
    RailLeaf: {
      id: number;
      name: string;
      rail: number;
    };
    RailReport: {
      /** @description Rail ports of the site. */
      checked: number;
      /** @description Those that lead nowhere, or to several ports. */
      uncabled: number;
      leaves: components["schemas"]["RailLeaf"][];
      without_majority: components["schemas"]["MixedLeaf"][];
      wrong: components["schemas"]["WrongRail"][];
    };
    /** @description A rank, and the way from it to the place: GPU, its nearest HCA, the cable and the switch port it leads to. */
    RankPlace: {
      rank: number;
      machine: number | null;
      /** @description As the reporter calls it. */
      machine_name: string;
      local_rank: number;
      /** @description The slot of its GPU; empty: not known. */
      slot: string;
      /** @description Of the GPU, when its process was seen. */
      serial: string;
      /** @description MIG slice; empty: a whole GPU, or not known. */
      slice: string;
      /**
       * Format: date-time
       * @description Its process was no longer there.
       */
      gone_at: string | null;
      step: number | null;
      step_at: string | null;
      step_s: number | null;
      /**
       * Format: double
       * @description Of a step, without waiting for others.
       */
      compute_s: number | null;
      /**
       * Format: double
       * @description Of a step, waiting in collectives.
       */
      wait_s: number | null;
      ended_at: string | null;
      failed: boolean;
      error: string;
      /**
       * Format: int64
       * @description Null: its process was not seen.
       */
      pid: number | null;
      container: string;
      /** @description Where the machine stands and the slot in it. */
      place: string | null;
      gpu: string;
      hca: string;
      hca_port: number | null;
      /** @description The first cable from the port of the HCA. */
      cable: components["schemas"]["RunCable"] | null;
      switch_port: components["schemas"]["SwitchPort"] | null;
    };
    /** @description What one port counted in one window; what is 0 is left out. */
    Rate: {
      /**
       * Format: double
       * @description That its readings really cover.
       */
      seconds: number;
      /** @description By the name of the counter. */
      counts: {
        [key: string]: number;
      };
      /** @description Counters that stood at their top. */
      saturated: string[];
      /** @description Counters were set back in it. */
      reset: boolean;
    };
    /** @description Counts by window and end; windows and ends of which nothing is known are left out. */
    Rates: {
      "5m"?: components["schemas"]["EndRates"];
      "1h"?: components["schemas"]["EndRates"];
      "1d"?: components["schemas"]["EndRates"];
    };
    /**
     * @description * `reachable`: Reachable. Answered one of the last two sweeps.
     *     * `late`: Late. Missed two sweeps.
     *     * `unreachable`: Unreachable. Missed three sweeps or more: what is known of it is too old to be trusted.
     *     * `never`: Never reached. Has not answered yet.
     * @enum {string}
     */
    Reachability: "reachable" | "late" | "unreachable" | "never";
    /** @description Machines by reachability. */
    ReachabilityCounts: {
      never: number;
      reachable: number;
      late: number;
      unreachable: number;
    };
    ReasonRequest: {
      reason: string;
    };
    /**
     * @description * `2N`: 2N.
     *     * `N+1`: N+1.
     *     * `single`: No redundancy.
     *     * `unknown`: Redundancy not known.
     * @enum {string}
     */
    Redundancy: "2N" | "N+1" | "single" | "unknown";
    /** @description Devices by how safe their power is. */
    RedundancyCounts: {
      "2N": number;
      "N+1": number;
      single: number;
      unknown: number;
    };
    RejectRequest: {
      reason: string;
    };
    /**
     * @description * `0`: A note.
     *     * `1`: Restart a service.
     *     * `2`: Reset the GPU.
     *     * `3`: Reboot.
     *     * `4`: Power-cycle.
     *     * `5`: Reimage.
     *     * `6`: A person at the machine.
     *     * `7`: Swap the part.
     *     * `8`: Retire.
     * @enum {integer}
     */
    RemediationLevel: 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;
    Remedy: {
      name: components["schemas"]["RemedyName"];
      level: 1 | 2 | 3 | 4 | 5;
      title: string;
      preconditions: string[];
      needs_drain: boolean;
      idempotent: boolean;
      intrusive: boolean;
      deadline_s: number;
      verification: string;
      /** @description The remediation level that follows when it does not help. */
      next: string;
      /** @description Something here can carry it out. */
      available: boolean;
    };
    /** @description A remedy on one machine, as its page offers it. */
    RemedyByHand: {
      remedy: "restart_service" | "reset_gpu" | "reboot" | "power_cycle";
      title: string;
      level: 1 | 2 | 3 | 4 | 5;
      allowed: boolean;
      refused_by: components["schemas"]["Guard"] | null;
      refused_reason: string;
      /** @description What would change the answer. */
      frees: string;
      /** @description What it can be done to; empty: the machine itself. */
      parts: string[];
      /** @description Those its faults point to, taken when no part is named. */
      suggested: string[];
      /** @description It takes the machine down for a while. */
      dark: boolean;
      deadline_s: number;
      /** @description What must pass afterwards. */
      verification: string;
    };
    /**
     * @description * `restart_service`: Restart a service. Stops one service of the machine and starts it again.
     *     * `reset_gpu`: Reset the GPU. Resets a GPU over its driver; nothing may use it meanwhile.
     *     * `reboot`: Reboot. Restarts the operating system; the machine is gone for some minutes.
     *     * `power_cycle`: Power cycle. The BMC switches the machine off for two minutes and on again.
     *     * `reimage`: Reimage. Installs the operating system again; what is on its disks is lost.
     * @enum {string}
     */
    RemedyName: "restart_service" | "reset_gpu" | "reboot" | "power_cycle" | "reimage";
    RenameAnswer: {
      dry_run: boolean;
      /** @description Devices by outcome. */
      counts: {
        [key: string]: number;
      };
      rows: components["schemas"]["RowOutcome"][];
    };
    /** @description Which devices get the names of their places; by default all that are called otherwise. */
    RenameRequest: {
      /** @description Id or slug. */
      site: number | string;
      devices?: (number | string)[];
      /** @default true */
      dry_run?: boolean;
    };
    /**
     * @description * `fault`: Fault.
     *     * `part`: Part.
     *     * `vendor`: Vendor.
     *     * `rack`: Rack.
     *     * `shift`: Shift.
     * @enum {string}
     */
    RepairGrouping: "fault" | "part" | "vendor" | "rack" | "shift";
    /** @description From the opening of the ticket. */
    RepairTimes: {
      acknowledged: components["schemas"]["Spread"];
      hands_on: components["schemas"]["Spread"];
      verified: components["schemas"]["Spread"];
    };
    Replacement: {
      fault: components["schemas"]["RunFault"] | null;
      machine: components["schemas"]["LeavingMachine"] | null;
      spares: components["schemas"]["SpareMachine"][];
      spares_count: number;
      shortage: string;
      hand_overs: components["schemas"]["HandOver"][];
      /** @description In the host list. */
      machines: number;
      hosts: components["schemas"]["HostList"];
    };
    ReplayRequest: {
      /**
       * @description Which deliveries; dead ones if left out.
       * @default dead
       * @enum {string}
       */
      status?: "dead" | "delivered" | "pending" | "all";
      since?: string;
      until?: string;
    };
    Replayed: {
      replayed: number;
    };
    ReportMail: {
      id: number;
      /**
       * Format: date
       * @description Its Monday, by the clock of the site.
       */
      week: string;
      status: components["schemas"]["ReportMailStatus"];
      made_at: string;
      sent_at: string | null;
      error: string;
    };
    /**
     * @description * `waiting`: On its way. It is sent again until the mail server takes it.
     *     * `sent`: Sent. The mail server took it.
     *     * `failed`: Not sent. The mail server refused it for a day.
     *     * `skipped`: Not sent. You have no address, or may not see the site any more.
     * @enum {string}
     */
    ReportMailStatus: "waiting" | "sent" | "failed" | "skipped";
    ReportProblem: {
      /** @description Position in the request, from 0. */
      index: number;
      code: string;
      reason: string;
    };
    /** @description One verdict. Of one that is ok only machine, check, part and time are kept. */
    ReportRequest: {
      /** @description Name, id or serial. */
      machine: string;
      /** @description Shown as SOURCE/CHECK. */
      check: string;
      /** @description A slot such as GPU 5; else machine. */
      part?: string;
      verdict: components["schemas"]["VerdictCode"];
      message?: string;
      /**
       * Format: date-time
       * @description With its zone, or seconds since 1970; now without it.
       */
      at?: string;
      value?: number;
      /** @description A text, or an object. */
      evidence?: unknown;
      /** @description Of a fail; becomes reported.NAME. */
      fault_class?: string;
    };
    /** @description A system that may report. `refused` counts the results refused so far. */
    ReportSource: {
      id: number;
      site: number;
      /** @description Its checks are called NAME/CHECK. */
      name: string;
      kind: components["schemas"]["ReporterKind"];
      checks: string[];
      stale_after_s: number;
      enabled: boolean;
      /** @description How its token begins. */
      token_key: string;
      created_by: string;
      created_at: string;
      last_seen_at: string | null;
      /** @description Results refused so far. */
      refused: number;
    };
    /** @description A system that may report. `refused` counts the results refused so far. */
    ReportSourceRequest: {
      /** @description Id or slug. */
      site: number | string;
      /** @description Its checks are called NAME/CHECK. */
      name: string;
      kind?: components["schemas"]["ReporterKind"];
      checks?: string[];
      stale_after_s?: number;
      enabled?: boolean;
    };
    ReportedCheckpointRequest: {
      step: number;
      /**
       * Format: double
       * @description When it was written, seconds since 1970.
       */
      at: number;
    };
    ReportedEndRequest: {
      rank: number;
      at: number;
      /** @description The end of its traceback; empty: well. */
      error?: string;
    };
    ReportedRankRequest: {
      rank: number;
      local_rank?: number;
      /** @description PCI address, or index of nvidia-smi. */
      gpu?: string;
      /**
       * Format: double
       * @description Of the GPU, as read now.
       */
      clock_mhz?: number;
      power_w?: number;
      temperature_c?: number;
    };
    /** @description Columns of equal length, one row a step. */
    ReportedStepsRequest: {
      rank: number;
      step: number[];
      /** @description When each ended, seconds since 1970. */
      at: number[];
      seconds: number[];
      loss?: (number | null)[];
      /** @description Places whose loss is NaN or infinite; null there. */
      nan?: number[];
      /** @description Of the step, over all ranks. */
      tokens?: number[];
      /** @description Seconds of each step. */
      compute?: number[];
      /** @description In collectives, seconds. */
      wait?: number[];
    };
    /**
     * @description * `generic`: Scripts and cron jobs.
     *     * `nhc`: Node Health Check (NHC).
     *     * `alertmanager`: Prometheus Alertmanager.
     *     * `agent`: An agent on the machines.
     * @enum {string}
     */
    ReporterKind: "generic" | "nhc" | "alertmanager" | "agent";
    ReportsRequest: {
      results: components["schemas"]["ReportRequest"][];
    };
    Reservation: {
      id: number;
      site: number;
      name: string;
      /** @description Users or accounts; null where you may not read users. */
      holders: string | null;
      starts_at: string;
      /**
       * Format: date-time
       * @description Null: without an end.
       */
      ends_at: string | null;
      machines: number;
    };
    /** ReservationRecord */
    ReservationRecordRequest: {
      /**
       * Site
       * @default null
       */
      site?: number | string | {
        [key: string]: number | string;
      } | null;
      /**
       * Room
       * @default null
       */
      room?: number | string | {
        [key: string]: number | string;
      } | null;
      /** Rack */
      rack: number | string | {
        [key: string]: number | string;
      };
      /**
       * U
       * @description The lowest unit.
       */
      u: number;
      /**
       * Height U
       * @default 1
       */
      height_u?: number;
      /**
       * Face
       * @default both
       * @enum {string}
       */
      face?: "front" | "rear" | "both";
      /**
       * Column
       * @default full
       * @enum {string}
       */
      column?: "full" | "left" | "right";
      /**
       * Kind
       * @default reserved
       * @enum {string}
       */
      kind?: "reserved" | "blanking";
      /**
       * Reason
       * @default
       */
      reason?: string;
      /**
       * Owner
       * @description Who the units are kept for.
       * @default
       */
      owner?: string;
    };
    /** Reservations */
    Reservations: {
      /** Id */
      id: number;
      /** Site */
      site: number | null;
      /** Site Name */
      site_name: string | null;
      /** Room */
      room: number | null;
      /** Room Name */
      room_name: string | null;
      /** Rack */
      rack: number;
      /** Rack Name */
      rack_name: string | null;
      /**
       * U
       * @description The lowest unit.
       */
      u: number;
      /** Height U */
      height_u: number;
      /**
       * Face
       * @enum {string}
       */
      face: "front" | "rear" | "both";
      /**
       * Column
       * @enum {string}
       */
      column: "full" | "left" | "right";
      /**
       * Kind
       * @enum {string}
       */
      kind: "reserved" | "blanking";
      /** Reason */
      reason: string;
      /**
       * Owner
       * @description Who the units are kept for.
       */
      owner: string;
    };
    /** ReservationsChange */
    ReservationsChangeRequest: {
      /**
       * Site
       * @default null
       */
      site?: number | string | {
        [key: string]: number | string;
      } | null;
      /**
       * Room
       * @default null
       */
      room?: number | string | {
        [key: string]: number | string;
      } | null;
      /**
       * Rack
       * @default null
       */
      rack?: number | string | {
        [key: string]: number | string;
      };
      /**
       * U
       * @description The lowest unit.
       * @default null
       */
      u?: number;
      /**
       * Height U
       * @default null
       */
      height_u?: number;
      /**
       * Face
       * @default null
       * @enum {string}
       */
      face?: "front" | "rear" | "both";
      /**
       * Column
       * @default null
       * @enum {string}
       */
      column?: "full" | "left" | "right";
      /**
       * Kind
       * @default null
       * @enum {string}
       */
      kind?: "reserved" | "blanking";
      /**
       * Reason
       * @default null
       */
      reason?: string;
      /**
       * Owner
       * @description Who the units are kept for.
       * @default null
       */
      owner?: string;
    };
    ReservedPort: {
      id: number;
      port: number;
      port_name: string;
      device: number;
      device_name: string;
      /** @description Who it is kept for. */
      owner: string;
      reason: string;
      until: string | null;
      created_at: string;
      created_by: string;
    };
    ReservedPortRequest: {
      /** @description Id or name, also with its device (`leaf-a01-r1 20/1`). */
      port: number | string;
      /** @description Who it is kept for. */
      owner: string;
      reason?: string;
      until?: string | null;
    };
    ResolveRequest: {
      reason: string;
      outcome: "confirmed" | "failed" | "cancelled";
    };
    ResponseOverride: {
      id: number;
      fault_class: string;
      response: components["schemas"]["FaultResponse"];
      site: number | null;
      reason: string;
      /** @description User name of the person who answers for it. */
      owner: string;
      expires_at: string | null;
      created_by: string;
      created_at: string;
      ended_at: string | null;
      ended_by: string;
      /** @description Neither ended nor expired. */
      active: boolean;
    };
    Retried: {
      /** @description So many go again. */
      machines: number;
    };
    /**
     * @description * `not_found`: No fault found.
     *     * `repaired`: Repaired.
     *     * `replaced`: Replaced.
     *     * `refused`: Refused. The vendor does not take it.
     * @enum {string}
     */
    ReturnOutcome: "not_found" | "repaired" | "replaced" | "refused";
    ReturnRequest: {
      reason: string;
      /**
       * @description In spite of holds and faults; it is written down.
       * @default false
       */
      override?: boolean;
    };
    ReturnedMachine: {
      machine: number;
      name: string;
      serial: string;
      failure_class: components["schemas"]["InstallFailure"];
      failure_text: string;
      evidence: string;
      outcome: components["schemas"]["ReturnOutcome"] | null;
      outcome_note: string;
      outcome_at: string | null;
      outcome_by: string;
    };
    Role: {
      site: number | null;
      role: components["schemas"]["RoleName"];
    };
    /**
     * @description * `viewer`: Viewer.
     *     * `technician`: Technician.
     *     * `operator`: Operator.
     *     * `admin`: Admin.
     * @enum {string}
     */
    RoleName: "viewer" | "technician" | "operator" | "admin";
    /** @description Which ranks are there. Spans are pairs of first and last; at most 100 rows of each list. */
    RollCall: {
      /** @description Its processes were seen; else nothing can be missing. */
      counted: boolean;
      world_size: number;
      seen: number;
      missing: number[][];
      gone: number[][];
      doubled: components["schemas"]["DoubledRank"][];
      shared: components["schemas"]["SharedGpu"][];
      unknown: components["schemas"]["UnknownMachine"][];
      sentences: string[];
    };
    /**
     * @description * `units`: Free units. No free units are left.
     *     * `rack`: Rack.
     *     * `pdu`: PDU.
     *     * `phase`: Phase.
     *     * `feed`: Feed.
     *     * `panel`: Panel.
     *     * `unknown`: Not known. A load or a size is missing.
     * @enum {string}
     */
    RoomBound: "units" | "rack" | "pdu" | "phase" | "feed" | "panel" | "unknown";
    /** @description Something else by its id and name. */
    RoomChoice: {
      id: number;
      name: string;
      site: number;
    };
    RoomInRack: {
      model: components["schemas"]["PlacedModel"];
      spans: components["schemas"]["Span"][];
      suggestions: components["schemas"]["Span"][];
      /** @description Free side slots, for a zero-U model. */
      sides: string[];
      weight: components["schemas"]["SumAfter"];
      power: components["schemas"]["SumAfter"];
    };
    /** @description Something else by its id and name. */
    RoomInRackLeft: {
      id: number;
      name: string;
      /** @description Of those that the racks of the room take together. */
      fits: number;
      /** @description As if no other rack took any; null: not known. */
      alone: number | null;
      /**
       * Format: double
       * @description What it may draw more, with any side dead.
       */
      free_w: number | null;
      /** @description It lives on when a side dies. */
      redundant: boolean;
      /** @description What stops the next one. */
      limited_by: components["schemas"]["RoomBound"];
      /** @description It is stopped by what is left when a side dies. */
      other_side: boolean;
      /** @description In words. */
      limit: string;
    };
    RoomLeft: {
      model: string;
      /**
       * Format: double
       * @description What one is taken to draw: as planned, or as its others do at most.
       */
      draw_w: number;
      fits: number;
      /** @description Of some racks it is not known. */
      at_least: boolean;
      text: string;
      /** @description Those with free units. */
      racks: components["schemas"]["RoomInRackLeft"][];
    };
    /** RoomRecord */
    RoomRecordRequest: {
      /** Site */
      site: number | string | {
        [key: string]: number | string;
      };
      /** Name */
      name: string;
      /** Width Mm */
      width_mm: number;
      /** Depth Mm */
      depth_mm: number;
      /**
       * Door
       * @description The door a technician comes in by.
       * @default
       */
      door?: string;
      /**
       * Contact
       * @default null
       */
      contact?: number | string | {
        [key: string]: number | string;
      } | null;
      /** Custom */
      custom?: {
        [key: string]: unknown;
      };
    };
    /** Rooms */
    Rooms: {
      /** Id */
      id: number;
      /** Site */
      site: number;
      /** Site Name */
      site_name: string | null;
      /** Name */
      name: string;
      /** Width Mm */
      width_mm: number;
      /** Depth Mm */
      depth_mm: number;
      /**
       * Door
       * @description The door a technician comes in by.
       */
      door: string;
      /** Contact */
      contact: number | null;
      /** Contact Name */
      contact_name: string | null;
      /** Custom */
      custom: {
        [key: string]: unknown;
      };
    };
    /** RoomsChange */
    RoomsChangeRequest: {
      /**
       * Site
       * @default null
       */
      site?: number | string | {
        [key: string]: number | string;
      };
      /**
       * Name
       * @default null
       */
      name?: string;
      /**
       * Width Mm
       * @default null
       */
      width_mm?: number;
      /**
       * Depth Mm
       * @default null
       */
      depth_mm?: number;
      /**
       * Door
       * @description The door a technician comes in by.
       * @default null
       */
      door?: string;
      /**
       * Contact
       * @default null
       */
      contact?: number | string | {
        [key: string]: number | string;
      } | null;
      /**
       * Custom
       * @default null
       */
      custom?: {
        [key: string]: unknown;
      };
    };
    /** @description A setting of a site, or of every site, for their administrators. */
    Rota: {
      id: number;
      /** @description Empty: every site. */
      site: number | null;
      name: string;
      /** @description Of its URL, to be shown. */
      host: string;
      timezone: string;
      period_s: number;
      status: components["schemas"]["RotaStatus"];
      /** @description Why it could not be read. */
      message: string;
      tried_at: string | null;
      /**
       * Format: date-time
       * @description When the copy in use was read.
       */
      read_at: string | null;
      /** @description The copy in use is too old. */
      stale: boolean;
      on_call: components["schemas"]["OnCall"];
    };
    /** @description A setting of a site, or of every site, for their administrators. */
    RotaRequest: {
      /** @description Empty: every site. Id or slug. */
      site?: number | string | null;
      name: string;
      /** @description Of the calendar (iCalendar). It is kept encrypted and never shown. */
      url?: string;
      timezone?: string;
      period_s?: number;
    };
    /**
     * @description * `never`: Never read. The calendar was not read yet.
     *     * `ok`: Read. The copy is of the last read.
     *     * `unreachable`: Unreachable. The calendar did not answer; the last good copy is in use.
     *     * `unreadable`: Unreadable. What came is no calendar; the last good copy is in use.
     * @enum {string}
     */
    RotaStatus: "never" | "ok" | "unreachable" | "unreadable";
    /** @description Several tickets as one walk: what to fetch first, then where to go, in order. */
    Round: {
      fetch: components["schemas"]["RoundSpare"][];
      /** @description Parts of which no good one lies in any storage place. */
      missing: components["schemas"]["RoundPart"][];
      stops: components["schemas"]["RoundStop"][];
      /** @description Tickets about what stands in no rack. */
      nowhere: components["schemas"]["RoundTicket"][];
      /** @description On foot, without the ways between rooms. */
      distance_m: number;
    };
    /** @description A part that an open swap step needs. */
    RoundPart: {
      ticket: string;
      vendor: string;
      part_number: string;
    };
    /** @description A part that an open swap step needs. */
    RoundSpare: {
      ticket: string;
      vendor: string;
      part_number: string;
      storage: string;
      room: string;
      /** @description Good ones that lie there. */
      have: number;
    };
    RoundStop: {
      room: string;
      row: string;
      rack: string;
      rack_id: number;
      /**
       * @description The face one stands before.
       * @enum {string}
       */
      face: "front" | "rear";
      /** @description From the stop before. */
      way: string;
      tickets: components["schemas"]["RoundTicket"][];
    };
    RoundTicket: {
      key: string;
      title: string;
      priority: "P1" | "P2" | "P3";
      status: components["schemas"]["TicketStatus"];
      /** @description What it is about. */
      name: string;
    };
    /** @description One reason why one field of a row is refused. */
    RowError: {
      code: string;
      reason: string;
    };
    /** @description Why a field of a row is refused. */
    RowFieldError: {
      field: string;
      reason: string;
      code: string;
    };
    /** @description A row that was written, or would be. */
    RowOutcome: {
      row: number;
      key: string;
      id: number | null;
      outcome: "created" | "changed" | "unchanged" | "deleted" | "refused";
      /** @description Field to what it was and what it is. */
      changes: {
        [key: string]: unknown[];
      };
      errors: components["schemas"]["RowFieldError"][];
    };
    /** RowOutcomeAnswer */
    RowOutcomeAnswer: {
      /** Row */
      row: number;
      /** Key */
      key: string;
      /** Id */
      id: number | null;
      /** Outcome */
      outcome: string;
      /** Changes */
      changes: {
        [key: string]: unknown[];
      };
      /** Errors */
      errors: {
        [key: string]: string;
      }[];
    };
    RowProblem: {
      /** @description Number in the request, from 1. */
      row: number;
      key: string;
      fields: {
        [key: string]: components["schemas"]["RowError"][];
      };
    };
    /** RowRecord */
    RowRecordRequest: {
      /**
       * Site
       * @default null
       */
      site?: number | string | {
        [key: string]: number | string;
      } | null;
      /** Room */
      room: number | string | {
        [key: string]: number | string;
      };
      /** Name */
      name: string;
      /**
       * Position
       * @description Order of the rows across the room, from the top.
       */
      position: number;
    };
    /** Rows */
    Rows: {
      /** Id */
      id: number;
      /** Site */
      site: number | null;
      /** Site Name */
      site_name: string | null;
      /** Room */
      room: number;
      /** Room Name */
      room_name: string | null;
      /** Name */
      name: string;
      /**
       * Position
       * @description Order of the rows across the room, from the top.
       */
      position: number;
    };
    /** RowsChange */
    RowsChangeRequest: {
      /**
       * Site
       * @default null
       */
      site?: number | string | {
        [key: string]: number | string;
      } | null;
      /**
       * Room
       * @default null
       */
      room?: number | string | {
        [key: string]: number | string;
      };
      /**
       * Name
       * @default null
       */
      name?: string;
      /**
       * Position
       * @description Order of the rows across the room, from the top.
       * @default null
       */
      position?: number;
    };
    Run: {
      id: number;
      site: number;
      name: string;
      engine: string;
      /** @description What is installed, by name; empty: what the site installs by network boot. */
      image: string;
      /** @description Roles of base software that installed machines get; empty: none. */
      software: string[];
      /** @description The active check of its GPUs; empty: none. */
      gpu_tests: string;
      /** @description InfiniBand links are tested between pairs of its machines. */
      fabric: boolean;
      status: components["schemas"]["RunStatus"];
      created_at: string;
      created_by: string;
      finished_at: string | null;
      /** @description How many of its machines run at once. */
      limit: number;
      totals: components["schemas"]["RunTotals"];
    };
    RunCable: {
      id: number;
      name: string;
    };
    RunComparison: {
      run: components["schemas"]["RunReference"];
      other: components["schemas"]["RunReference"];
      differences: components["schemas"]["RunDifference"][];
      /** @description In these the runs do not differ. */
      same: components["schemas"]["RunSubject"][];
      not_known: components["schemas"]["RunSubject"][];
    };
    RunDetail: {
      id: number;
      site: number;
      name: string;
      engine: string;
      /** @description What is installed, by name; empty: what the site installs by network boot. */
      image: string;
      /** @description Roles of base software that installed machines get; empty: none. */
      software: string[];
      /** @description The active check of its GPUs; empty: none. */
      gpu_tests: string;
      /** @description InfiniBand links are tested between pairs of its machines. */
      fabric: boolean;
      status: components["schemas"]["RunStatus"];
      created_at: string;
      created_by: string;
      finished_at: string | null;
      /** @description How many of its machines run at once. */
      limit: number;
      totals: components["schemas"]["RunTotals"];
      /** @description The steps that each of its machines goes, in order. */
      way: components["schemas"]["StepOfTheWay"][];
      machines: components["schemas"]["RunMachine"][];
      /** @description Machines of this site's runs that fail or hang alike: each group is likely one cause. */
      alike: components["schemas"]["Alike"][];
    };
    /** @description `now` and `before` are empty where that run has nothing of it. */
    RunDifference: {
      subject: components["schemas"]["RunSubject"];
      name: string;
      now: string;
      before: string;
      /** @description Whom it concerns, where not all. */
      machines: string[];
    };
    RunFault: {
      id: number;
      machine: number;
      status: string;
      ticket: string | null;
    };
    /**
     * @description * `report`: Reported. Its launcher reports it.
     *     * `scheduler`: Scheduler. The scheduler lists its job.
     *     * `processes`: Processes. A sweep saw its processes on GPUs.
     * @enum {string}
     */
    RunFoundBy: "report" | "scheduler" | "processes";
    /** @description What the scheduler says of the job of a run. */
    RunJob: {
      job_id: string;
      /** @description As people call it: 88213_4; empty: as its id. */
      label: string;
      /** @description The scheduler's word, or unknown. */
      state: string;
      started_at: string;
      ended_at: string | null;
      exit_status: number | null;
      signal: number | null;
      why: string;
      partition: string;
      account: string;
      /** @description How often it was put back in the queue. */
      restarts: number;
      /** @description Null: the scheduler does not say. */
      gpus: number | null;
      /** @description Of all its machines, also those that are not ours. */
      machine_count: number;
    };
    /** @description GPU-hours. `repeated`: steps since the last checkpoint; `standing`: from the last step to the end; `slow`. */
    RunLoss: {
      /** @description Null: not known. */
      cause: components["schemas"]["FailureClass"] | null;
      owner: components["schemas"]["FailureOwner"] | null;
      gpu_hours: number;
      repeated: number;
      standing: number;
      slow: number;
      run: number;
      name: string;
    };
    RunLosses: {
      begin: string;
      end: string;
      /**
       * Format: double
       * @description All of it.
       */
      gpu_hours: number;
      runs: number;
      /** @description Every week of the span, in order. */
      weeks: string[];
      /** @description By week, cause and owner. */
      rows: components["schemas"]["WeekLoss"][];
      /** @description The runs that lost the most. */
      dearest: components["schemas"]["RunLoss"][];
      method: string;
    };
    /** @description A machine of a run at the step where it stands; `detail`, `since` and `attempt` are of that step. */
    RunMachine: {
      id: number;
      machine: components["schemas"]["MachineOfRun"];
      status: components["schemas"]["RunStatus"];
      failure_class: components["schemas"]["InstallFailure"] | null;
      failure_text: string;
      /** @description Who has to act on its failure first. */
      owner: components["schemas"]["InstallFailureOwner"] | null;
      ticket: string | null;
      step: "identity" | "bmc_setup" | "maas_record" | "commission" | "ironic_node" | "inspect" | "hardware" | "clean" | "deploy" | "boot_override" | "insert_media" | "power_on" | "boot_script" | "install_data" | "phone_home" | "eject_media" | "ssh" | "software" | "gpu_tests" | "fabric" | "checks" | "ready";
      detail: string;
      since: string | null;
      attempt: number;
      started_at: string | null;
      finished_at: string | null;
    };
    /** @description A machine of a run at the step where it stands; `detail`, `since` and `attempt` are of that step. */
    RunMachineDetail: {
      id: number;
      machine: components["schemas"]["MachineOfRun"];
      status: components["schemas"]["RunStatus"];
      failure_class: components["schemas"]["InstallFailure"] | null;
      failure_text: string;
      /** @description Who has to act on its failure first. */
      owner: components["schemas"]["InstallFailureOwner"] | null;
      ticket: string | null;
      step: "identity" | "bmc_setup" | "maas_record" | "commission" | "ironic_node" | "inspect" | "hardware" | "clean" | "deploy" | "boot_override" | "insert_media" | "power_on" | "boot_script" | "install_data" | "phone_home" | "eject_media" | "ssh" | "software" | "gpu_tests" | "fabric" | "checks" | "ready";
      detail: string;
      since: string | null;
      attempt: number;
      started_at: string | null;
      finished_at: string | null;
      steps: components["schemas"]["Step"][];
      /** @description What shows why its attempts failed, oldest first. */
      evidence: components["schemas"]["FailureEvidence"][];
    };
    RunRank: {
      rank: number;
      machine: number | null;
      /** @description As the reporter calls it. */
      machine_name: string;
      local_rank: number;
      /** @description The slot of its GPU; empty: not known. */
      slot: string;
      /** @description Of the GPU, when its process was seen. */
      serial: string;
      /** @description MIG slice; empty: a whole GPU, or not known. */
      slice: string;
      /**
       * Format: date-time
       * @description Its process was no longer there.
       */
      gone_at: string | null;
      step: number | null;
      step_at: string | null;
      step_s: number | null;
      /**
       * Format: double
       * @description Of a step, without waiting for others.
       */
      compute_s: number | null;
      /**
       * Format: double
       * @description Of a step, waiting in collectives.
       */
      wait_s: number | null;
      ended_at: string | null;
      failed: boolean;
    };
    RunRankPage: {
      count: number;
      next: string | null;
      previous: string | null;
      results: components["schemas"]["RunRank"][];
    };
    RunReference: {
      id: number;
      key: string;
      attempt: number;
      name: string;
      /** @description The scheduler's id, such as 88213 or 88213_4. */
      job: string;
      state: components["schemas"]["TrainingRunState"];
      world_size: number;
      started_at: string;
      ended_at: string | null;
      /**
       * Format: double
       * @description The median of its last steps.
       */
      recent_s: number | null;
    };
    /** @description What the ranks of one machine have to say since the last time. */
    RunReportRequest: {
      run: components["schemas"]["RunRequest"];
      machine: string;
      ranks?: components["schemas"]["ReportedRankRequest"][];
      steps?: components["schemas"]["ReportedStepsRequest"][];
      ended?: components["schemas"]["ReportedEndRequest"][];
      /** @description The newest one. */
      checkpoint?: components["schemas"]["ReportedCheckpointRequest"];
    };
    RunReportTaken: {
      run: number;
      /** @description Of the curve, stored now; repeats are not counted. */
      steps: number;
      /** @description Older than two hours, not stored. */
      too_old: number;
    };
    RunRequest: {
      /** @description What the launcher calls the run: a job id, a run id. */
      id: string;
      /** @description Restarts before this one. */
      attempt?: number;
      name?: string;
      user?: string;
      /** @description The scheduler's id. */
      job?: string;
      launcher?: string;
      world_size?: number;
      /**
       * Format: double
       * @description Of the model: a token takes 6 FLOPs for each.
       */
      parameters?: number;
      /**
       * Format: double
       * @description Forward and backward, where known better.
       */
      flops_per_token?: number;
      /**
       * Format: double
       * @description A step as it should be.
       */
      expected_step_s?: number;
      /** @description NCCL_* and versions: compared by runs. */
      settings?: {
        [key: string]: string;
      };
      /** @description Where its logs are, such as `/logs/{job}/rank_{rank}.log`. */
      logs?: string;
      /** @description Of its containers, with registry and tag. */
      image?: string;
    };
    /**
     * @description * `waiting`: Waiting. For machines, or for its turn.
     *     * `running`: Running. It is in progress.
     *     * `done`: Done. All of it has ended.
     *     * `failed`: Failed. It could not be carried through.
     *     * `cancelled`: Cancelled. Somebody stopped it; what ended is kept.
     * @enum {string}
     */
    RunStatus: "waiting" | "running" | "done" | "failed" | "cancelled";
    /**
     * @description * `report`: Reported. By its launcher.
     *     * `prometheus`: Prometheus. Read from the site's Prometheus, as nobody reports them.
     * @enum {string}
     */
    RunStepsFrom: "report" | "prometheus";
    /**
     * @description * `speed`: Speed.
     *     * `size`: Size.
     *     * `machines`: Machines.
     *     * `software`: Software.
     *     * `links`: Links.
     *     * `faults`: Faults.
     *     * `settings`: Settings.
     * @enum {string}
     */
    RunSubject: "speed" | "size" | "machines" | "software" | "links" | "faults" | "settings";
    /** @description Machines of a run, by status. */
    RunTotals: {
      waiting: number;
      running: number;
      done: number;
      failed: number;
      cancelled: number;
    };
    /** @description Why it ended or is slow. `hardware_fault` null: cannot be told. */
    RunVerdict: {
      cause: components["schemas"]["FailureClass"];
      owner: components["schemas"]["FailureOwner"] | null;
      hardware_fault: boolean | null;
      sentence: string;
      first_step: string;
      confidence: number;
      rank: number | null;
      machine: number | null;
      machine_name: string;
      slot: string;
      slot_text: string;
      lines: components["schemas"]["EvidenceLine"][];
      followers: number;
      ruled_out: string[];
    };
    Runbook: {
      slug: string;
      title: string;
      summary: string;
      role: "technician" | "operator";
      minutes: number | null;
      steps: number;
      origin: "shipped" | "site";
      /** @description Null: shipped, and no ticket followed it yet. */
      number: number | null;
      draft: components["schemas"]["RunbookDraft"] | null;
      document: components["schemas"]["RunbookDocument"] | null;
      /** @description Rackside ships one of this name. */
      shipped: boolean;
      versions: components["schemas"]["RunbookVersionItem"][];
    };
    /** @description An empty class, role or model means any. */
    RunbookChoice: {
      id: number;
      site: number;
      /**
       * @default
       * @enum {string}
       */
      fault_class: "" | "gpu.gone" | "gpu.bus" | "gpu.pcie" | "gpu.topology" | "gpu.fabric" | "gpu.memory" | "gpu.thermal" | "gpu.throttled" | "gpu.power" | "gpu.hung" | "gpu.reset" | "gpu.config" | "gpu.firmware" | "gpu.identity" | "gpu.suspect" | "nvlink.down" | "nvlink.error" | "xgmi.down" | "nvswitch.fatal" | "fabricmanager.down" | "imex.down" | "driver.version" | "driver.down" | "hca.gone" | "hca.pcie" | "hca.link" | "hca.rate" | "hca.fabric" | "hca.config" | "gdr.off" | "pcie.switch" | "net.down" | "net.slow" | "pcie.narrow" | "hca.slow" | "hca.driver" | "hca.firmware" | "hca.identity" | "net.optic" | "nvme.gone" | "nvme.failing" | "nvme.pcie" | "nvme.identity" | "nvme.hot" | "disk.full" | "docker.down" | "docker.runtime" | "clock.skew" | "memory.uncorrectable" | "hca.failing" | "pcie.error" | "disk.readonly" | "disk.error" | "disk.mount" | "disk.hang" | "disk.pool" | "disk.pool_missing" | "hardware.error" | "memory.missing" | "cpu.missing" | "cpu.throttled" | "kernel.crash" | "kernel.stuck" | "kernel.marked" | "docker.config" | "docker.gpus" | "kubernetes.runtime" | "kubernetes.down" | "service.failed" | "system.version" | "system.identity" | "system.limits" | "mirror.unreachable" | "slurm.down" | "inlet.hot" | "power.over" | "psu.redundancy" | "leak.detected" | "machine.unreachable" | "bmc.unreachable" | "bmc.password" | "bmc.degraded" | "sensor.failed" | "fan.failed" | "psu.lost" | "psu.identity";
      /** @default  */
      role: string;
      device_model: number | null;
      slug: string;
    };
    /** @description An empty class, role or model means any. */
    RunbookChoiceRequest: {
      /** @description Id or slug. */
      site: number | string;
      /**
       * @default
       * @enum {string}
       */
      fault_class?: "" | "gpu.gone" | "gpu.bus" | "gpu.pcie" | "gpu.topology" | "gpu.fabric" | "gpu.memory" | "gpu.thermal" | "gpu.throttled" | "gpu.power" | "gpu.hung" | "gpu.reset" | "gpu.config" | "gpu.firmware" | "gpu.identity" | "gpu.suspect" | "nvlink.down" | "nvlink.error" | "xgmi.down" | "nvswitch.fatal" | "fabricmanager.down" | "imex.down" | "driver.version" | "driver.down" | "hca.gone" | "hca.pcie" | "hca.link" | "hca.rate" | "hca.fabric" | "hca.config" | "gdr.off" | "pcie.switch" | "net.down" | "net.slow" | "pcie.narrow" | "hca.slow" | "hca.driver" | "hca.firmware" | "hca.identity" | "net.optic" | "nvme.gone" | "nvme.failing" | "nvme.pcie" | "nvme.identity" | "nvme.hot" | "disk.full" | "docker.down" | "docker.runtime" | "clock.skew" | "memory.uncorrectable" | "hca.failing" | "pcie.error" | "disk.readonly" | "disk.error" | "disk.mount" | "disk.hang" | "disk.pool" | "disk.pool_missing" | "hardware.error" | "memory.missing" | "cpu.missing" | "cpu.throttled" | "kernel.crash" | "kernel.stuck" | "kernel.marked" | "docker.config" | "docker.gpus" | "kubernetes.runtime" | "kubernetes.down" | "service.failed" | "system.version" | "system.identity" | "system.limits" | "mirror.unreachable" | "slurm.down" | "inlet.hot" | "power.over" | "psu.redundancy" | "leak.detected" | "machine.unreachable" | "bmc.unreachable" | "bmc.password" | "bmc.degraded" | "sensor.failed" | "fan.failed" | "psu.lost" | "psu.identity";
      /** @default  */
      role?: string;
      /** @description Id or slug. */
      device_model?: number | string | null;
      slug: string;
    };
    RunbookDifference: {
      place: string;
      before: string;
      after: string;
    };
    /** @description A whole runbook. */
    RunbookDocument: {
      title: string;
      summary: string;
      role: "technician" | "operator";
      minutes: number;
      people: number;
      /** @description Markdown. */
      safety: string;
      tools: string[];
      parts: string[];
      steps: components["schemas"]["RunbookStep"][];
    };
    RunbookDraft: {
      document: unknown;
      version: number;
      saved_by: string;
      saved_at: string;
    };
    RunbookDraftInRequest: {
      /** @description Id or slug. */
      site: number | string;
      /** @description May be wrong still; publishing refuses what is. */
      document: unknown;
      /** @description As it was read; 0 for a new draft. */
      version: number;
    };
    RunbookDropRequest: {
      /** @description Id or slug. */
      site: number | string;
      /**
       * @description The draft's version as it was read; 0: there was none.
       * @default 0
       */
      draft?: number;
    };
    RunbookItem: {
      slug: string;
      title: string;
      summary: string;
      role: "technician" | "operator";
      minutes: number | null;
      steps: number;
      origin: "shipped" | "site";
      /** @description Null: shipped, and no ticket followed it yet. */
      number: number | null;
      /** @description Somebody edits it. */
      draft: boolean;
    };
    /** @description What the texts of runbooks may use. */
    RunbookLanguage: {
      words: components["schemas"]["RunbookName"][];
      states: components["schemas"]["RunbookName"][];
    };
    RunbookName: {
      name: string;
      means: string;
    };
    RunbookPreview: {
      problems: components["schemas"]["RunbookProblem"][];
      /** @description Safe HTML. */
      safety: string;
      steps: components["schemas"]["RunbookPreviewStep"][];
    };
    RunbookPreviewInRequest: {
      document: unknown;
      /** @description What is so on the machine of the preview: drained, in_service, off, on, led_on, hot, serial_known. */
      states?: {
        [key: string]: boolean | null;
      };
    };
    RunbookPreviewStep: {
      key: string;
      kind: "check" | "reseat" | "clean" | "swap";
      title: string;
      html: string;
      verifies: string;
      runs: "" | "drain" | "led_on" | "power_off" | "power_on";
      needs_off: boolean;
      sign: "" | "second_person" | "lockout";
      role: "technician" | "operator";
    };
    RunbookProblem: {
      /** @description Such as steps.2.text line 3, column 5. */
      place: string;
      reason: string;
    };
    RunbookPublishRequest: {
      /** @description Id or slug. */
      site: number | string;
      /**
       * @description The draft's version as it was read; 0: there was none.
       * @default 0
       */
      draft?: number;
      document: unknown;
      /** @description Why it is changed. */
      note: string;
      /** @description The site's own version as it was read, 0 for the shipped text. Without it any is replaced. */
      number?: number | null;
    };
    RunbookRestoreRequest: {
      /** @description Id or slug. */
      site: number | string;
      /**
       * @description The draft's version as it was read; 0: there was none.
       * @default 0
       */
      draft?: number;
      note: string;
    };
    /** @description One step of a document. */
    RunbookStep: {
      key: string;
      kind: "check" | "reseat" | "clean" | "swap";
      title: string;
      /** @description Markdown, with {{ words }} and {% if states %}. */
      text: string;
      /** @description What shows that the step worked. */
      verifies: string;
      /**
       * @description What the machine does itself.
       * @enum {string}
       */
      runs: "" | "drain" | "led_on" | "power_off" | "power_on";
      /** @description Hands go in: the machine must have been seen off. */
      needs_off: boolean;
      sign: "" | "second_person" | "lockout";
      role: "technician" | "operator";
    };
    RunbookVersion: {
      id: number;
      number: number;
      origin: "shipped" | "site";
      title: string;
      note: string;
      published_by: string | null;
      published_at: string;
      site: number;
      slug: string;
      document: components["schemas"]["RunbookDocument"];
      /** @description To the version before it, or to `against`. */
      differences: components["schemas"]["RunbookDifference"][];
    };
    RunbookVersionItem: {
      id: number;
      number: number;
      origin: "shipped" | "site";
      title: string;
      note: string;
      published_by: string | null;
      published_at: string;
    };
    Sample: {
      verdict: components["schemas"]["VerdictCode"];
      /** @description The command that printed it. */
      name: string;
      excerpt: string;
    };
    /** @description A site's scheduler. Where a login is sent, and what runs here or as root, is for administrators of every site. */
    Scheduler: {
      id: number;
      site: number;
      kind: components["schemas"]["SchedulerKind"];
      /** @description Off: nothing is read or sent; desired states wait. */
      enabled: boolean;
      /** @description Of slurmrestd, or of the Kubernetes API; empty: read by scontrol. */
      url: string;
      api_version: string;
      credential: string | null;
      certificate: string;
      ca: string;
      /** @description To run scontrol on, reached as its access says. */
      machine: number | null;
      /** @description ADDRESS or ADDRESS:PORT instead of it. */
      ssh_address: string;
      ssh_credential: string | null;
      /** @description Its public host key. */
      ssh_identity: string;
      /** @description Run scontrol where the workers run. */
      local: boolean;
      /** @description Write by sudo -n scontrol. */
      sudo: boolean;
      /** @description Only machines of this partition; Kubernetes: nodes with these labels (KEY=VALUE,..); empty: all. */
      partition: string;
      user_label: string;
      roles: string[];
      names: {
        [key: string]: string;
      };
      period_s: number;
      stale_after_s: number;
      settle_s: number;
      state: components["schemas"]["SchedulerState"];
      message: string;
      tried_at: string | null;
      last_read_at: string | null;
      /**
       * Format: date-time
       * @description Until when the accounting was read.
       */
      history_read_to: string | null;
      /** @description Why the accounting was not read. */
      history_message: string;
    };
    /**
     * @description * `drained`: Drained.
     *     * `resumed`: Resumed.
     *     * `down`: Down.
     *     * `up`: Up again.
     * @enum {string}
     */
    SchedulerChangeKind: "drained" | "resumed" | "down" | "up";
    /** @description A run of a job. `ends_by`: when its time limit ends it; null where it has none, or ended. */
    SchedulerJob: {
      id: number;
      site: number;
      job_id: string;
      label: string;
      /** @description Of the heterogeneous job that is the label. */
      component: number | null;
      name: string;
      user: string | null;
      account: string;
      partition: string;
      qos: string;
      reservation: string;
      /** @description The scheduler's word, or unknown. */
      state: string;
      why: string;
      exit_status: number | null;
      signal: number | null;
      /** @description How often it was put back in the queue. */
      restarts: number;
      /** @description Null: the scheduler does not say. */
      gpus: number | null;
      machines: number;
      submitted_at: string | null;
      started_at: string;
      ended_at: string | null;
      /**
       * Format: int64
       * @description Null: none, or the scheduler does not say.
       */
      time_limit_s: number | null;
      ends_by: string | null;
    };
    /**
     * @description * `slurm`: Slurm.
     *     * `kubernetes`: Kubernetes.
     *     * `none`: No scheduler. Nothing is read or sent.
     * @enum {string}
     */
    SchedulerKind: "slurm" | "kubernetes" | "none";
    /** @description What the scheduler reports of one machine, beside our state of it and the desired state. */
    SchedulerMachine: {
      id: number;
      site: number;
      source: number;
      name: string;
      machine: number | null;
      our_name: string | null;
      our_state: string | null;
      state: components["schemas"]["SchedulerView"];
      /** @description The scheduler's own words. */
      words: string;
      /** @description No new job starts there. */
      closed: boolean;
      /** @description The scheduler reaches the machine. */
      answers: boolean;
      /** @description Null: the scheduler does not say. */
      jobs: number | null;
      reason: string;
      reason_by: string;
      reason_at: string | null;
      cpus: number | null;
      memory_mb: number | null;
      gpus: number | null;
      reservation: string;
      /**
       * Format: date-time
       * @description Begin of the next or present reservation of others.
       */
      reserved_from: string | null;
      reserved_until: string | null;
      /**
       * Format: date-time
       * @description It says so since.
       */
      since: string;
      desired_state: components["schemas"]["DesiredState"] | null;
    };
    /** @description A site's scheduler. Where a login is sent, and what runs here or as root, is for administrators of every site. */
    SchedulerRequest: {
      /** @description Id or slug. */
      site: number | string;
      kind?: components["schemas"]["SchedulerKind"];
      /** @description Off: nothing is read or sent; desired states wait. */
      enabled?: boolean;
      /** @description Of slurmrestd, or of the Kubernetes API; empty: read by scontrol. */
      url?: string;
      api_version?: string;
      credential?: string | null;
      certificate?: string;
      ca?: string;
      /** @description To run scontrol on, reached as its access says. Id or name. */
      machine?: number | string | null;
      /** @description ADDRESS or ADDRESS:PORT instead of it. */
      ssh_address?: string;
      ssh_credential?: string | null;
      /** @description Its public host key. */
      ssh_identity?: string;
      /** @description Run scontrol where the workers run. */
      local?: boolean;
      /** @description Write by sudo -n scontrol. */
      sudo?: boolean;
      /** @description Only machines of this partition; Kubernetes: nodes with these labels (KEY=VALUE,..); empty: all. */
      partition?: string;
      user_label?: string;
      roles?: string[];
      names?: {
        [key: string]: string;
      };
      period_s?: number;
      stale_after_s?: number;
      settle_s?: number;
    };
    /**
     * @description * `never`: Not read yet. What runs on machines is unknown.
     *     * `good`: Read. It answers.
     *     * `stale`: Stale. It has not answered for a while; what runs on machines is unknown.
     *     * `failed`: Does not answer. What runs on machines is unknown, so nothing intrusive is done.
     * @enum {string}
     */
    SchedulerState: "never" | "good" | "stale" | "failed";
    /**
     * @description * `idle`: Idle.
     *     * `allocated`: Allocated.
     *     * `drained`: Drained.
     *     * `down`: Down.
     *     * `unknown`: Unknown.
     * @enum {string}
     */
    SchedulerView: "idle" | "allocated" | "drained" | "down" | "unknown";
    Secret: {
      /** @description Shown once. The one before also signs for 24 hours. */
      secret: string;
    };
    /** @description A port as it was seen; `device` is the planned one, empty where nobody knows which it is. */
    SeenEnd: {
      guid: string;
      port: number;
      device: string;
      device_id: number | null;
      /** @description What it calls itself. */
      reported: string;
    };
    SendVendorReturnRequest: {
      /** @default  */
      reference?: string;
    };
    SentAgain: {
      retried: number;
    };
    Series: {
      what: "failures_by_part" | "failures_by_class" | "mtbf" | "mttr" | "availability";
      group: string;
      title: string;
      unit: string;
      points: components["schemas"]["Point"][];
    };
    /**
     * @description * `critical`: Critical. Danger, or no work is possible.
     *     * `major`: Major. Work suffers.
     *     * `minor`: Minor. Somebody should check it.
     *     * `note`: Note. Only reported.
     * @enum {string}
     */
    Severity: "critical" | "major" | "minor" | "note";
    Shard: {
      number: number;
      status: components["schemas"]["ShardStatus"];
      attempts: number;
      machines: number;
      reachable: number;
      started_at: string | null;
      finished_at: string | null;
      error: string;
    };
    /**
     * @description * `waiting`: Waiting. For a free worker.
     *     * `running`: Running. Its machines are being checked.
     *     * `done`: Done. All of its machines were checked or gave no answer.
     *     * `failed`: Failed. Given up: none of its attempts came to an end.
     * @enum {string}
     */
    ShardStatus: "waiting" | "running" | "done" | "failed";
    Share: {
      n: number;
      count: number;
      /**
       * Format: double
       * @description 0 to 1; null where `n` is too little.
       */
      share: number | null;
    };
    SharedGpu: {
      machine_name: string;
      slot: string;
      ranks: number[];
    };
    Shift: {
      name: string;
      begins: string;
      ends: string;
    };
    ShiftHandOver: {
      since: string;
      counts: components["schemas"]["ShiftHandOverCounts"];
      /** @description Opened or closed since, or waiting; P1 first. */
      tickets: components["schemas"]["ShiftHandOverTicket"][];
      /** @description That left or came to service, the newest first. */
      machines: components["schemas"]["ShiftHandOverMachine"][];
      incidents: components["schemas"]["ShiftHandOverIncident"][];
      /** @description Not acknowledged yet, or written since. */
      notes: components["schemas"]["ShiftNote"][];
    };
    ShiftHandOverCounts: {
      /** @description Tickets opened since. */
      opened: number;
      /** @description Tickets closed since. */
      closed: number;
      /** @description Open tickets that nobody works on, now. */
      waiting: number;
      /** @description Tickets in progress or verifying, now. */
      in_work: number;
      /** @description Times a machine left service. */
      out: number;
      /** @description Times a machine came to service. */
      back: number;
      /** @description Incidents opened or closed since. */
      incidents: number;
    };
    ShiftHandOverIncident: {
      id: number;
      title: string;
      opened_at: string;
      closed_at: string | null;
    };
    ShiftHandOverMachine: {
      id: number;
      name: string;
      at: string;
      /** @description It left service; false: it came back. */
      out: boolean;
      state: string;
      reason: string;
    };
    ShiftHandOverTicket: {
      key: string;
      title: string;
      priority: string;
      status: string;
      assignee: string;
      /** @description Opened since. */
      opened: boolean;
      /** @description Closed since. */
      closed: boolean;
    };
    ShiftNote: {
      id: number;
      text: string;
      author: string;
      at: string;
      acknowledged_by: string;
      acknowledged_at: string | null;
    };
    ShiftRequest: {
      name: string;
      begins: string;
      ends: string;
    };
    /** @description A zero-U device. */
    SideItem: {
      slot: string;
      id: number;
      name: string;
      kind: components["schemas"]["DeviceKind"];
    };
    /** @description A zero-U device. */
    SideItemWithPorts: {
      slot: string;
      id: number;
      name: string;
      kind: components["schemas"]["DeviceKind"];
      /** @description Absent with `ports=false`. */
      ports?: components["schemas"]["DrawnPort"][];
    };
    SideLoad: {
      side: string;
      planned_w: number;
    };
    Silence: {
      id: number;
      check: string;
      /** @default  */
      part: string;
      scope: components["schemas"]["DecisionScope"];
      site: number | null;
      model: number | null;
      machine: number | null;
      /** @description Name of the site, model or machine. */
      about: string;
      reason: string;
      /** @description User name of the person who answers for it. */
      owner: string;
      expires_at: string;
      created_by: string;
      created_at: string;
      ended_at: string | null;
      ended_by: string;
      /** @description Neither ended nor expired. */
      active: boolean;
    };
    SiteBrief: {
      id: number;
      slug: string;
      name: string;
      timezone: string;
      /**
       * Format: date-time
       * @description Of a demo: what happened before was made up.
       */
      generated_until: string | null;
    };
    /** @description What a feed carries of what it may. */
    SiteFeed: {
      /** @description What its breaker is made for. */
      capacity_w: number | null;
      /** @description What it may carry for long. */
      derated_w: number | null;
      planned_w: number;
      /** @description Null where nothing is measured. */
      measured_w: number | null;
      /**
       * Format: double
       * @description Of the derated size.
       */
      share: number | null;
      id: number;
      name: string;
      side: string;
      panel: components["schemas"]["Named"] | null;
      overloaded: boolean | null;
      devices: number;
      fails: components["schemas"]["FeedDeath"];
    };
    SiteOfMachine: {
      id: number;
      slug: string;
      name: string;
    };
    /** SiteRecord */
    SiteRecordRequest: {
      /**
       * Slug
       * @description Short name, in files and addresses.
       */
      slug: string;
      /** Name */
      name: string;
      /**
       * Timezone
       * @default UTC
       */
      timezone?: string;
    };
    SiteWhyRequest: {
      reason: string;
      /** @description Id or slug. */
      site: number | string;
    };
    /** Sites */
    Sites: {
      /** Id */
      id: number;
      /**
       * Slug
       * @description Short name, in files and addresses.
       */
      slug: string;
      /** Name */
      name: string;
      /** Timezone */
      timezone: string;
    };
    /** SitesChange */
    SitesChangeRequest: {
      /**
       * Slug
       * @description Short name, in files and addresses.
       * @default null
       */
      slug?: string;
      /**
       * Name
       * @default null
       */
      name?: string;
      /**
       * Timezone
       * @default null
       */
      timezone?: string;
    };
    SlotConnector: {
      number: number;
      connector: "6-pin" | "8-pin" | "12-pin" | "12vhpwr" | "12v-2x6" | "eps-4" | "eps-8";
      max_w: number;
      /** @description Of the supply, whose leads end here. */
      sockets: string[];
    };
    SlotOfDevice: {
      name: string;
      label: string;
      kind: components["schemas"]["PartKind"];
    };
    SlotRequest: {
      slot: string;
    };
    /** @description GPU-hours with clocks held down; null: nothing was measured. */
    SlowedHours: {
      /**
       * Format: double
       * @description By heat.
       */
      hot: number | null;
      /**
       * Format: double
       * @description By the power brake.
       */
      braked: number | null;
      /**
       * Format: double
       * @description At their power limit.
       */
      capped: number | null;
      /** @description Some GPUs, or some of the time, are not known. */
      hot_at_least: boolean;
      braked_at_least: boolean;
      capped_at_least: boolean;
    };
    SmallElevation: {
      rack: components["schemas"]["RackSums"];
      front: components["schemas"]["SmallItem"][];
      rear: components["schemas"]["SmallItem"][];
      sides: components["schemas"]["SideItem"][];
    };
    /** @description An item with what its machine is like now; all null for anything else. */
    SmallItem: {
      id: number | null;
      name: string;
      kind: "machine" | "switch" | "pdu" | "panel" | "shelf" | "reserved" | "blanking";
      /** @description The id again, of a machine. */
      machine: number | null;
      model: string | null;
      u: number;
      height_u: number;
      face: "both" | "front" | "rear";
      column: "full" | "left" | "right";
      from_top_u: number;
      cell: components["schemas"]["MachineCell"] | null;
      worst: components["schemas"]["VerdictCode"] | null;
      ticket: string | null;
    };
    SoftwareDiffers: {
      id: number;
      name: string;
      /** @description What the check says, such as the version found and the one expected. */
      message: string;
    };
    SoftwareLog: {
      tasks: components["schemas"]["SoftwareTask"][];
    };
    /** @description A machine of a run; `outcomes` has the roles that ended there. */
    SoftwareMachine: {
      id: number;
      machine: components["schemas"]["MachineBrief"];
      status: components["schemas"]["WaveMachineStatus"];
      wave: number | null;
      outcomes: {
        [key: string]: components["schemas"]["TaskOutcome"];
      };
      message: string;
      task_count: number;
      started_at: string | null;
      finished_at: string | null;
    };
    /** @description A role, and the machines that differ now from what it brings. */
    SoftwareRole: {
      name: string;
      title: string;
      /** @description It is done only on machines out of service. */
      drained: boolean;
      /** @description From the site's own folder of roles. */
      of_site: boolean;
      /** @description Why it cannot be chosen; empty where it can. */
      problem: string;
      /** @description Expected values of the device model that it brings. */
      expected: string[];
      /** @description Checks that pass again after it. */
      mends: string[];
      /** @description Machines that a check of these warns or fails about. */
      differs: components["schemas"]["SoftwareDiffers"][];
    };
    SoftwareRun: {
      id: number;
      site: number;
      /** @description In the order in which they are done. */
      roles: string[];
      dry_run: boolean;
      /** @description So many machines go first, alone. */
      canary: number;
      /** @description Machines of a wave after the canary. */
      limit: number;
      /**
       * Format: double
       * @description Share of failed machines, over 0 to 1, that stops the run.
       */
      stop_share: number;
      status: components["schemas"]["WaveRunStatus"];
      /** @description Why it stopped, or what it waits for. */
      message: string;
      cancelled_by: string;
      created_at: string;
      created_by: string;
      finished_at: string | null;
      totals: components["schemas"]["SoftwareTotals"];
    };
    SoftwareRunDetail: {
      id: number;
      site: number;
      /** @description In the order in which they are done. */
      roles: string[];
      dry_run: boolean;
      /** @description So many machines go first, alone. */
      canary: number;
      /** @description Machines of a wave after the canary. */
      limit: number;
      /**
       * Format: double
       * @description Share of failed machines, over 0 to 1, that stops the run.
       */
      stop_share: number;
      status: components["schemas"]["WaveRunStatus"];
      /** @description Why it stopped, or what it waits for. */
      message: string;
      cancelled_by: string;
      created_at: string;
      created_by: string;
      finished_at: string | null;
      totals: components["schemas"]["SoftwareTotals"];
      machines: components["schemas"]["SoftwareMachine"][];
    };
    SoftwareTask: {
      n: number;
      at: string;
      role: string;
      task: string;
      outcome: components["schemas"]["TaskOutcome"];
      text: string;
      duration_s: number | null;
    };
    /** @description Machines of a software run, by status. */
    SoftwareTotals: {
      waiting: number;
      running: number;
      ok: number;
      failed: number;
      unreachable: number;
      refused: number;
      cancelled: number;
    };
    /** @description A source. Its address, credential and options are for administrators of every site, or of the credential's. */
    Source: {
      id: number;
      site: number;
      name: string;
      kind: components["schemas"]["SourceKind"];
      fabric: "infiniband" | "ethernet";
      /** @description The machine whose tools are run; its address, key and host key are those of access. */
      machine: number | null;
      /** @description Without a machine: HOST, HOST:PORT or an URL. */
      address: string;
      credential: string | null;
      /** @description Host key line or SHA-256 of the certificate, kept at first contact; empty: take what is met next. */
      identity: string;
      options: {
        [key: string]: unknown;
      };
      /** @description Compare with this as-built plan; empty: with the cables of the inventory. */
      plan: number | null;
      enabled: boolean;
      period_s: number;
      stale_after_s: number;
      confirm_after_s: number;
      guard_percent: number;
      keep_days: number;
      state: components["schemas"]["SourceState"];
      message: string;
      tried_at: string | null;
      last_good_at: string | null;
    };
    /**
     * @description * `ibdiags`: InfiniBand tools over SSH.
     *     * `ufm`: UFM.
     *     * `lldp`: LLDP of the machines.
     *     * `eapi`: Arista eAPI.
     *     * `nvue`: NVUE.
     *     * `file`: Files sent by hand.
     * @enum {string}
     */
    SourceKind: "ibdiags" | "ufm" | "lldp" | "eapi" | "nvue" | "file";
    /** @description A source. Its address, credential and options are for administrators of every site, or of the credential's. */
    SourceRequest: {
      /** @description Id or slug. */
      site: number | string;
      name: string;
      kind: components["schemas"]["SourceKind"];
      fabric?: "infiniband" | "ethernet";
      /** @description The machine whose tools are run; its address, key and host key are those of access. Id or name. */
      machine?: number | string | null;
      /** @description Without a machine: HOST, HOST:PORT or an URL. */
      address?: string;
      credential?: string | null;
      /** @description Host key line or SHA-256 of the certificate, kept at first contact; empty: take what is met next. */
      identity?: string;
      options?: {
        [key: string]: unknown;
      };
      /** @description Compare with this as-built plan; empty: with the cables of the inventory. Id or name. */
      plan?: number | string | null;
      enabled?: boolean;
      period_s?: number;
      stale_after_s?: number;
      confirm_after_s?: number;
      guard_percent?: number;
      keep_days?: number;
    };
    /**
     * @description * `never`: Never discovered. Nothing is known yet. Discover now, or wait for its next turn.
     *     * `ok`: OK. The last discovery run was complete.
     *     * `stale`: Stale. The last good discovery run is too old to be trusted. What you see may have changed.
     *     * `empty`: Empty. The answer held nothing at all: no data, not a fabric without cables. Is the subnet manager running, and is it the right port?
     *     * `truncated`: Truncated. The answer broke off. Only what was read before is kept; nothing was opened or closed.
     *     * `partial`: Partial. A part is known to be missing, or two ends disagree. Nothing was opened or closed from it.
     *     * `failed`: Failed. The source did not answer, or what it said could not be read.
     *     * `untrusted`: Not trusted. It presents another certificate or host key than the one that was pinned. No password was sent. Was it replaced? Then empty its identity; if not, somebody may be in between.
     *     * `held_back`: Rejected by the guard. Too much vanished at once for the guard. No finding was opened; check the source first.
     * @enum {string}
     */
    SourceState: "never" | "ok" | "stale" | "empty" | "truncated" | "partial" | "failed" | "untrusted" | "held_back";
    Span: {
      u: number;
      height_u: number;
      face: "both" | "front" | "rear";
      column: "full" | "left" | "right";
      from_top_u: number;
    };
    Spare: {
      storage: number;
      storage_name: string;
      room: string | null;
      site: number;
      site_name: string;
      kind: string;
      vendor: string;
      part_number: string;
      /** @description Row of the counted ones; null where none are. */
      stock: number | null;
      /** @description Good parts with a serial that lie there. */
      with_serial: number;
      /** @description Parts without a serial. */
      counted: number;
      /** @description Lie there too, and do not count as spares. */
      suspect: number;
      have: number;
      minimum: number;
      /** @description How many are missing to the minimum. */
      short: number;
    };
    /**
     * @description * `leaf`: Same leaf. Most of its rails end at the same leaves: no switch more is crossed.
     *     * `pod`: Same pod. Its leaves share a spine with those of the other one.
     *     * `anywhere`: Elsewhere. Its traffic crosses the core, or nothing is known of the spines.
     * @enum {string}
     */
    SpareDistance: "leaf" | "pod" | "anywhere";
    SpareMachine: {
      machine: number;
      name: string;
      where: components["schemas"]["SpareDistance"];
      leaf: string;
      golden: boolean;
      /** @description The scheduler says so. */
      idle: boolean;
      /** @description Of the nearest only. */
      place: string;
    };
    SparePart: {
      kind: string;
      part_number: string;
      good: number;
    };
    SparesOfModel: {
      model: string;
      machines: number;
      golden: number;
      /** @description In service, healthy, and idle by the scheduler's word. */
      spare_machines: number;
      /** @description In service, and no scheduler says whether they are idle. */
      not_reported: number;
      parts: components["schemas"]["SparePart"][];
    };
    Sparkline: {
      id: number;
      /** @description Shares of the run's own baseline. */
      speed: number[];
    };
    /** @description Seconds; null where `n` is too little for a number. */
    Spread: {
      n: number;
      median: number | null;
      p90: number | null;
    };
    /**
     * @description * `delivered`: Delivered. Not in a rack yet.
     *     * `racked`: Racked. In its rack; its BMC did not answer yet.
     *     * `bmc_reached`: BMC reached. Its BMC answered; who it is was not compared yet.
     *     * `identified`: Identified. The BMC is that of the machine.
     *     * `bmc_set_up`: BMC set up. It has a password of its own and the settings of its model's profile.
     *     * `commissioned`: Commissioned. MAAS or Ironic read its hardware, and it is what the inventory has.
     *     * `installed`: Installed. The installed system phoned home, or the adopted one answered by SSH.
     *     * `base_software`: Base software. The roles that its run was given are done.
     *     * `gpu_tested`: GPUs tested. Its GPUs passed the tests of its run.
     *     * `fabric_tested`: Fabric tested. Its InfiniBand links passed under load, each beside a machine known to be good.
     *     * `validated`: Validated. Every check passed.
     *     * `in_service`: In service. It was taken into service; what breaks from now on is a repair.
     * @enum {string}
     */
    Stage: "delivered" | "racked" | "bmc_reached" | "identified" | "bmc_set_up" | "commissioned" | "installed" | "base_software" | "gpu_tested" | "fabric_tested" | "validated" | "in_service";
    /** @description One stage: machines that stand there, how many of them failed or are past its limit, and ages in seconds. */
    StageColumn: {
      stage: components["schemas"]["Stage"];
      count: number;
      failed: number;
      late: number;
      oldest_s: number | null;
      /**
       * Format: double
       * @description The median.
       */
      usual_s: number | null;
      limit_s: number | null;
    };
    /** @description How long a machine may stand at a stage before it is late; null: as usual. */
    StageLimit: {
      stage: components["schemas"]["Stage"];
      seconds: number | null;
    };
    /** @description How long a machine may stand at a stage before it is late; null: as usual. */
    StageLimitRequest: {
      stage: components["schemas"]["Stage"];
      seconds: number | null;
    };
    StageMachine: {
      id: number;
      name: string;
      stage: components["schemas"]["Stage"];
      mark: components["schemas"]["StageMark"];
      since: string;
      run: number | null;
      failure_class: components["schemas"]["InstallFailure"] | null;
      text: string;
      ticket: string | null;
    };
    /**
     * @description * `waiting`: Waits. Nobody works on it: no run has it.
     *     * `running`: In a run.
     *     * `late`: Past its limit. It stands at its stage longer than that should take.
     *     * `failed`: Failed.
     *     * `done`: In service.
     * @enum {string}
     */
    StageMark: "waiting" | "running" | "late" | "failed" | "done";
    /** @description Machines that failed alike at a stage; `failure_class` null: nothing failed, they are past its limit. */
    StageStuck: {
      stage: components["schemas"]["Stage"];
      failure_class: components["schemas"]["InstallFailure"] | null;
      machines: number[];
      longest_s: number;
    };
    Stages: {
      stages: components["schemas"]["StageColumn"][];
      /** @description On the way to service, the longest at its stage first. */
      machines: components["schemas"]["StageMachine"][];
      stuck: components["schemas"]["StageStuck"][];
      in_service: number;
      /**
       * Format: double
       * @description Machines that came to service an hour, over the last six.
       */
      rate_an_hour: number;
      /**
       * Format: date-time
       * @description When those that are not stuck will be in service at this rate; null: none came.
       */
      done_at: string | null;
      /** @description How many were in service when, over the last three days. */
      curve: components["schemas"]["CurvePoint"][];
      first_boots: components["schemas"]["FirstBoots"];
      evaluated_at: string;
    };
    StartBurnInRequest: {
      /**
       * @description Without it nothing is run on any machine.
       * @default false
       */
      for_real?: boolean;
    };
    /** @description A limit on machines under way: how many it has, how many it bears, and who waits for it. */
    StartLimit: {
      kind: components["schemas"]["StartLimitKind"];
      /** @description Of the run, rack, switch or site; 0 of all runs. */
      id: number;
      name: string;
      under_way: number;
      most: number;
      /** @description A machine may wait for several limits. */
      waiting: components["schemas"]["HeldMachine"][];
    };
    /**
     * @description * `all_runs`: All runs. Machines under way in all runs of the instance.
     *     * `run`: Run. Machines of one run at once.
     *     * `rack`: Rack. Machines of one rack at once: it is not switched on as a whole.
     *     * `switch`: Switch. Machines at once behind the switch of the boot port, or else of the BMC.
     *     * `mirror`: Boot server. Machines at once that fetch kernel, image and packages, until they phone home.
     * @enum {string}
     */
    StartLimitKind: "all_runs" | "run" | "rack" | "switch" | "mirror";
    StartLimits: {
      /** @description Those that hold most machines first. */
      limits: components["schemas"]["StartLimit"][];
    };
    StartRequest: {
      reason: string;
      /** @description Id or name. */
      machine: number | string;
      remedy: "restart_service" | "reset_gpu" | "reboot" | "power_cycle";
      /**
       * @description What to do it to; see its remedies.
       * @default
       */
      part?: string;
    };
    StateChange: {
      at: string;
      from: components["schemas"]["MachineState"];
      to: components["schemas"]["MachineState"];
      actor: string;
      reason: string;
    };
    Stay: {
      device: number;
      device_name: string;
      slot: string;
      /** @description As people read it: what is printed on the chassis first. */
      slot_text: string;
      /** @description Where the device stood then; where it stands now if the part is there. */
      place: string;
      to: string | null;
      by: string;
      ticket: string;
      from: string | null;
    };
    Step: {
      number: number;
      name: string;
      title: string;
      status: components["schemas"]["RunStatus"];
      started_at: string | null;
      finished_at: string | null;
      attempt: number;
      detail: string;
    };
    /** @description What a check says of the output of a test. */
    StepFinding: {
      check: string;
      part: string;
      /** @description Missing in results of before it was kept. */
      part_text?: string;
      verdict: components["schemas"]["VerdictCode"];
      message: string;
      action: string;
      fault_class: string;
      value: number | null;
    };
    StepOfTheWay: {
      name: "identity" | "bmc_setup" | "maas_record" | "commission" | "ironic_node" | "inspect" | "hardware" | "clean" | "deploy" | "boot_override" | "insert_media" | "power_on" | "boot_script" | "install_data" | "phone_home" | "eject_media" | "ssh" | "software" | "gpu_tests" | "fabric" | "checks" | "ready";
      title: string;
    };
    /** Stock */
    Stock: {
      /** Id */
      id: number;
      /** Site */
      site: number | null;
      /** Site Name */
      site_name: string | null;
      /** Storage */
      storage: number;
      /** Storage Name */
      storage_name: string | null;
      /** Kind */
      kind: components["schemas"]["PartKind"];
      /** Vendor */
      vendor: string;
      /** Part Number */
      part_number: string;
      /** Quantity */
      quantity: number;
      /**
       * Minimum
       * @description Below this many, the part is to be ordered.
       */
      minimum: number;
    };
    /** @description A part number at a site: what is there, what is coming, how often it failed, how many to order. */
    StockAdvice: {
      site: number;
      site_name: string;
      kind: string;
      vendor: string;
      part_number: string;
      have: number;
      /** @description Shipped by a vendor, not here yet. */
      coming: number;
      /** @description As people set it, all storage places together. */
      minimum: number;
      failures: number;
      /** @description The time in which so many failed. */
      days: number;
      lead_days: number;
      wanted: number;
      order: number;
      why: string;
    };
    /** StockChange */
    StockChangeRequest: {
      /**
       * Site
       * @default null
       */
      site?: number | string | {
        [key: string]: number | string;
      } | null;
      /**
       * Storage
       * @default null
       */
      storage?: number | string | {
        [key: string]: number | string;
      };
      /**
       * Kind
       * @default null
       */
      kind?: components["schemas"]["PartKind"];
      /**
       * Vendor
       * @default null
       */
      vendor?: string;
      /**
       * Part Number
       * @default null
       */
      part_number?: string;
      /**
       * Quantity
       * @default null
       */
      quantity?: number;
      /**
       * Minimum
       * @description Below this many, the part is to be ordered.
       * @default null
       */
      minimum?: number;
    };
    StockLeft: {
      id: number;
      quantity: number;
      minimum: number;
    };
    StockMoveRequest: {
      /** @default  */
      reason?: string;
      /** @default 1 */
      quantity?: number;
    };
    /** StockRecord */
    StockRecordRequest: {
      /**
       * Site
       * @default null
       */
      site?: number | string | {
        [key: string]: number | string;
      } | null;
      /** Storage */
      storage: number | string | {
        [key: string]: number | string;
      };
      /** Kind */
      kind: components["schemas"]["PartKind"];
      /**
       * Vendor
       * @default
       */
      vendor?: string;
      /** Part Number */
      part_number: string;
      /**
       * Quantity
       * @default 0
       */
      quantity?: number;
      /**
       * Minimum
       * @description Below this many, the part is to be ordered.
       * @default 0
       */
      minimum?: number;
    };
    StoppedRun: {
      id: number;
      name: string;
      attempt: number;
    };
    /** StoragePlaceRecord */
    StoragePlaceRecordRequest: {
      /** Site */
      site: number | string | {
        [key: string]: number | string;
      };
      /**
       * Room
       * @default null
       */
      room?: number | string | {
        [key: string]: number | string;
      } | null;
      /** Name */
      name: string;
      /**
       * Takes Removed
       * @description Parts that are swapped out are laid here.
       * @default false
       */
      takes_removed?: boolean;
    };
    /** StoragePlaces */
    StoragePlaces: {
      /** Id */
      id: number;
      /** Site */
      site: number;
      /** Site Name */
      site_name: string | null;
      /** Room */
      room: number | null;
      /** Room Name */
      room_name: string | null;
      /** Name */
      name: string;
      /**
       * Takes Removed
       * @description Parts that are swapped out are laid here.
       */
      takes_removed: boolean;
    };
    /** StoragePlacesChange */
    StoragePlacesChangeRequest: {
      /**
       * Site
       * @default null
       */
      site?: number | string | {
        [key: string]: number | string;
      };
      /**
       * Room
       * @default null
       */
      room?: number | string | {
        [key: string]: number | string;
      } | null;
      /**
       * Name
       * @default null
       */
      name?: string;
      /**
       * Takes Removed
       * @description Parts that are swapped out are laid here.
       * @default null
       */
      takes_removed?: boolean;
    };
    Strip: {
      from: string;
      to: string;
      step_s: number;
      counts: components["schemas"]["StripCounts"];
    };
    StripCounts: {
      columns: [
        "at",
        "failed",
        "repair",
        "drained",
        "provisioning",
        "not_recorded"
      ];
      rows: [
        string,
        number,
        number,
        number,
        number,
        number
      ][];
    };
    Stuck: {
      machine: components["schemas"]["MachineName"];
      state: components["schemas"]["MachineState"];
      since: string;
      limit_s: number;
      over_since: string;
    };
    SubscribedRequest: {
      subscribed: boolean;
    };
    Subscriber: {
      user: number;
      name: string;
      has_address: boolean;
    };
    /** @description What the rack would carry with one of the model more. */
    SumAfter: {
      limit: number | null;
      planned: number;
      model: number | null;
      after: number;
      /** @description Null where a figure is not known. */
      fits: boolean | null;
    };
    /** @description What the supplies must give at most, and may. */
    Supply: {
      draw_w: number | null;
      rated_w: number | null;
      /**
       * Format: double
       * @description Keeps the head-room.
       */
      usable_w: number | null;
      headroom_percent: number;
    };
    /** @description `checked` counts the machines of the shards that are done, `reachable` those of them that answered. */
    Sweep: {
      id: number;
      site: number;
      kind: components["schemas"]["SweepKind"];
      status: components["schemas"]["SweepStatus"];
      /**
       * Format: date-time
       * @description Start of the period it belongs to.
       */
      slot_at: string | null;
      started_at: string;
      finished_at: string | null;
      duration_s: number | null;
      machines: number;
      reachable: number;
      checked: number;
      shards_total: number;
      shards_done: number;
      shards_failed: number;
      requested_by: string;
    };
    /** @description With its shards, the machines that gave no answer, and those that were not checked. */
    SweepDetail: {
      id: number;
      site: number;
      kind: components["schemas"]["SweepKind"];
      status: components["schemas"]["SweepStatus"];
      /**
       * Format: date-time
       * @description Start of the period it belongs to.
       */
      slot_at: string | null;
      started_at: string;
      finished_at: string | null;
      duration_s: number | null;
      machines: number;
      reachable: number;
      checked: number;
      shards_total: number;
      shards_done: number;
      shards_failed: number;
      requested_by: string;
      shards: components["schemas"]["Shard"][];
      unreachable: components["schemas"]["SweptMachine"][];
      unfinished: components["schemas"]["SweptMachine"][];
    };
    /**
     * @description * `scheduled`: By the clock.
     *     * `confirm`: Second check.
     *     * `verification`: Verification.
     *     * `manual`: On request.
     * @enum {string}
     */
    SweepKind: "scheduled" | "confirm" | "verification" | "manual";
    SweepStarted: {
      /** @description As in /api/sweeps/. */
      sweep: number;
    };
    SweepState: {
      /**
       * Format: double
       * @description Between the starts of two sweeps, as it is now.
       */
      period_s: number;
      /**
       * Format: double
       * @description As it was set. The period is longer where sweeps take longer.
       */
      set_period_s: number;
      /**
       * Format: double
       * @description Length of a sweep without its slow lane; null before two were measured.
       */
      takes_s: number | null;
      reachability: components["schemas"]["ReachabilityCounts"];
      /** @description Machines that sweeps check. */
      swept: number;
      not_swept: number;
    };
    /**
     * @description * `running`: Running. Machines are being checked.
     *     * `finished`: Finished. Every share of the machines was checked.
     *     * `late`: Cut off. It was closed before every share was done; the next sweep replaced it.
     * @enum {string}
     */
    SweepStatus: "running" | "finished" | "late";
    /** @description A machine as it is now. */
    SweptMachine: {
      id: number;
      name: string;
      state: components["schemas"]["MachineState"];
      reachability: components["schemas"]["Reachability"];
      last_seen_at: string | null;
    };
    Switch: {
      id: number;
      check: string;
      remedy: string;
      site: number | null;
      mode: components["schemas"]["AutomationMode"];
      by: string;
      reason: string;
      at: string;
    };
    SwitchPort: {
      port: number;
      name: string;
      device: string;
      place: string;
    };
    SwitchRequest: {
      check: string;
      remedy: string;
      /** @description Id or slug. */
      site?: number | string | null;
      mode: components["schemas"]["AutomationMode"];
      reason: string;
    };
    /** Switches */
    Switches: {
      /** Id */
      id: number;
      /** Site */
      site: number;
      /** Site Name */
      site_name: string | null;
      /** Name */
      name: string;
      /** Model */
      model: number;
      /** Model Name */
      model_name: string | null;
      /**
       * Status
       * @description retired: out for good, without place.
       */
      status: components["schemas"]["DeviceStatus"];
      /** Serial */
      serial: string;
      /** Asset Tag */
      asset_tag: string;
      /** Room */
      room: number | null;
      /** Room Name */
      room_name: string | null;
      /** Rack */
      rack: number | null;
      /** Rack Name */
      rack_name: string | null;
      /**
       * U
       * @description Its lowest unit.
       */
      u: number | null;
      /**
       * Face
       * @description Where a device that is not as deep as the rack sits; front by default.
       */
      face: ("front" | "rear" | "both") | null;
      /**
       * Column
       * @description Half of the rack's width; full by default.
       */
      column: ("full" | "left" | "right") | null;
      /**
       * Side
       * @description Slot of a zero-U device, such as rear-left.
       */
      side: string | null;
      /**
       * Parent
       * @description The device whose bay it sits in.
       */
      parent: number | null;
      /** Parent Name */
      parent_name: string | null;
      /** Bay */
      bay: string;
      /**
       * Service Tag
       * @description What the vendor's support asks for.
       */
      service_tag: string;
      /**
       * Support Vendor
       * @description Who repairs it under warranty.
       */
      support_vendor: string;
      /** Warranty Until */
      warranty_until: string | null;
      /** Contact */
      contact: number | null;
      /** Contact Name */
      contact_name: string | null;
      /**
       * Role
       * @description Of a machine: with site and model, the pool it is in. compute by default.
       */
      role: string | null;
      /** System Uuid */
      system_uuid: string | null;
      /** Primary Ip */
      primary_ip: string | null;
      /** Bmc Ip */
      bmc_ip: string | null;
      /** Bmc Mac */
      bmc_mac: string | null;
      /** Boot Mac */
      boot_mac: string | null;
      /** Fabric */
      fabric: ("infiniband" | "ethernet" | "management") | null;
      /**
       * Tier
       * @description Of a switch: leaf, spine, core; tor by default.
       */
      tier: string | null;
      /** Node Guid */
      node_guid: string | null;
      /**
       * Feed
       * @description Of a PDU: the power feed it hangs on.
       */
      feed: number | null;
      /** Feed Name */
      feed_name: string | null;
      /**
       * Limit W
       * @description Of a PDU.
       */
      limit_w: number | null;
      /** Tags */
      tags: string[];
      /** Custom */
      custom: {
        [key: string]: unknown;
      };
      /**
       * Kind
       * @description As its model says.
       */
      kind: string;
      /** @description Where it is, in words and numbers; null if nowhere. */
      place: components["schemas"]["PlaceAnswer"] | null;
      /**
       * Parts
       * @description The parts in its slots. Only where `fields` names it.
       */
      parts?: components["schemas"]["DevicePartAnswer"][];
    };
    /** SwitchesChange */
    SwitchesChangeRequest: {
      /**
       * Site
       * @default null
       */
      site?: number | string | {
        [key: string]: number | string;
      };
      /**
       * Name
       * @default null
       */
      name?: string;
      /**
       * Model
       * @default null
       */
      model?: number | string | {
        [key: string]: number | string;
      };
      /**
       * Status
       * @description retired: out for good, without place.
       * @default null
       */
      status?: components["schemas"]["DeviceStatus"];
      /**
       * Serial
       * @default null
       */
      serial?: string;
      /**
       * Asset Tag
       * @default null
       */
      asset_tag?: string;
      /**
       * Room
       * @default null
       */
      room?: number | string | {
        [key: string]: number | string;
      } | null;
      /**
       * Rack
       * @default null
       */
      rack?: number | string | {
        [key: string]: number | string;
      } | null;
      /**
       * U
       * @description Its lowest unit.
       * @default null
       */
      u?: number | null;
      /**
       * Face
       * @description Where a device that is not as deep as the rack sits; front by default.
       * @default null
       */
      face?: ("front" | "rear" | "both") | null;
      /**
       * Column
       * @description Half of the rack's width; full by default.
       * @default null
       */
      column?: ("full" | "left" | "right") | null;
      /**
       * Side
       * @description Slot of a zero-U device, such as rear-left.
       * @default null
       */
      side?: string | null;
      /**
       * Parent
       * @description The device whose bay it sits in.
       * @default null
       */
      parent?: number | string | {
        [key: string]: number | string;
      } | null;
      /**
       * Bay
       * @default null
       */
      bay?: string;
      /**
       * Service Tag
       * @description What the vendor's support asks for.
       * @default null
       */
      service_tag?: string;
      /**
       * Support Vendor
       * @description Who repairs it under warranty.
       * @default null
       */
      support_vendor?: string;
      /**
       * Warranty Until
       * @default null
       */
      warranty_until?: string | null;
      /**
       * Contact
       * @default null
       */
      contact?: number | string | {
        [key: string]: number | string;
      } | null;
      /**
       * Role
       * @description Of a machine: with site and model, the pool it is in. compute by default.
       * @default null
       */
      role?: string | null;
      /**
       * System Uuid
       * @default null
       */
      system_uuid?: string | null;
      /**
       * Primary Ip
       * @default null
       */
      primary_ip?: string | null;
      /**
       * Bmc Ip
       * @default null
       */
      bmc_ip?: string | null;
      /**
       * Bmc Mac
       * @default null
       */
      bmc_mac?: string | null;
      /**
       * Boot Mac
       * @default null
       */
      boot_mac?: string | null;
      /**
       * Fabric
       * @default null
       */
      fabric?: ("infiniband" | "ethernet" | "management") | null;
      /**
       * Tier
       * @description Of a switch: leaf, spine, core; tor by default.
       * @default null
       */
      tier?: string | null;
      /**
       * Node Guid
       * @default null
       */
      node_guid?: string | null;
      /**
       * Feed
       * @description Of a PDU: the power feed it hangs on.
       * @default null
       */
      feed?: number | string | {
        [key: string]: number | string;
      } | null;
      /**
       * Limit W
       * @description Of a PDU.
       * @default null
       */
      limit_w?: number | null;
      /**
       * Tags
       * @default null
       */
      tags?: string[];
      /**
       * Custom
       * @default null
       */
      custom?: {
        [key: string]: unknown;
      };
      /**
       * Parts
       * @description Parts in its slots, written with it. Those not named stay.
       * @default null
       */
      parts?: components["schemas"]["DevicePart"][] | null;
    };
    /** TagRecord */
    TagRecordRequest: {
      /**
       * Name
       * @description Without commas.
       */
      name: string;
      /**
       * Colour
       * @description Such as #2f81f7.
       * @default
       */
      colour?: string;
      /**
       * Description
       * @default
       */
      description?: string;
    };
    /** Tags */
    Tags: {
      /** Id */
      id: number;
      /**
       * Name
       * @description Without commas.
       */
      name: string;
      /**
       * Colour
       * @description Such as #2f81f7.
       */
      colour: string;
      /** Description */
      description: string;
    };
    /** TagsChange */
    TagsChangeRequest: {
      /**
       * Name
       * @description Without commas.
       * @default null
       */
      name?: string;
      /**
       * Colour
       * @description Such as #2f81f7.
       * @default null
       */
      colour?: string;
      /**
       * Description
       * @default null
       */
      description?: string;
    };
    TakeOverRequest: {
      /** @description Such as: the old server is gone. */
      reason: string;
    };
    Taken: {
      /** @description Results stored, repeats among them. */
      accepted: number;
      /** @description Verdicts that are others than before. */
      changed: number;
      /** @description Received before, or older than what was received. */
      repeated: number;
      refused: number;
      errors: components["schemas"]["ReportProblem"][];
      /** @description Refused results that are not listed here. */
      more_errors: number;
    };
    /** @description Whether the guards let it be taken out now: disruption budget, audit mode, kill switch and the others. */
    TakingOut: {
      in_service: boolean;
      allowed: boolean;
      guard: string;
      reason: string;
      /** @description What would change the answer. */
      frees: string;
    };
    TargetGroup: {
      targets: string[];
      labels: {
        [key: string]: string;
      };
    };
    /**
     * @description * `ok`: As wanted. Nothing had to be changed.
     *     * `changed`: Changed.
     *     * `failed`: Failed.
     *     * `unreachable`: Unreachable.
     *     * `skipped`: Skipped. It has nothing to do there.
     * @enum {string}
     */
    TaskOutcome: "ok" | "changed" | "failed" | "unreachable" | "skipped";
    Term: {
      title: string;
      /** @description Null: nothing reports it. */
      count: number | null;
      weight: number;
      points: number;
    };
    /**
     * @description * `pass`: Passed.
     *     * `fail`: Failed.
     *     * `unknown`: No result.
     * @enum {string}
     */
    TestVerdict: "pass" | "fail" | "unknown";
    /** @description One ticket in full. */
    Ticket: {
      priority_by_hand: boolean;
      snooze_reason: string;
      watchers: components["schemas"]["TicketPerson"][];
      /** @description Whether you watch it. */
      watching: boolean;
      sub_tasks: components["schemas"]["TicketSubTask"][];
      faults: components["schemas"]["TicketFault"][];
      /** @description The machines of an incident; at most 500. */
      affected: components["schemas"]["TicketAffected"][];
      /** @description Key of the ticket that took it over. */
      merged_into: string | null;
      /** @description Keys of tickets it took over. */
      merged: string[];
      split_from: string | null;
      splits: string[];
      second_eyes: components["schemas"]["TicketSecondEyes"];
      queue: components["schemas"]["TicketQueue"];
      /** @description Why it has its priority: what it costs now. */
      priority_line: string;
      due_at: string | null;
      overdue: boolean;
      acknowledged_at: string | null;
      acknowledged_by: components["schemas"]["TicketPerson"] | null;
      snoozed_until: string | null;
      /** @description How often it came back: failed verifications, reopenings. */
      reopened: number;
      id: number;
      key: string;
      title: string;
      status: components["schemas"]["TicketStatus"];
      priority: "P1" | "P2" | "P3";
      subject: components["schemas"]["TicketSubject"];
      /** @description Of a ticket about a machine. */
      machine: components["schemas"]["TicketNamed"] | null;
      part: string;
      /** @description As people read it: what is printed on the chassis first. */
      part_text: string;
      place: components["schemas"]["TicketPlace"];
      assignee: components["schemas"]["TicketNamed"] | null;
      opened_at: string;
      updated_at: string;
      closed_at: string | null;
      fault_class: string;
      summary: string;
      source: string;
      component: components["schemas"]["TicketComponent"] | null;
      led: components["schemas"]["PowerReading"];
      steps: components["schemas"]["TicketStepOut"][];
      /** @description Of a ticket about cabling. */
      order: components["schemas"]["TicketOrder"] | null;
      /** @description Of a ticket that follows one. */
      runbook: components["schemas"]["TicketRunbook"] | null;
      evidence: components["schemas"]["TicketEvidence"][];
      evidence_count: number;
      /** @description Whose verdict is one of its faults, the newest first. */
      training_runs: components["schemas"]["StoppedRun"][];
      comments: components["schemas"]["TicketCommentOut"][];
      swaps: components["schemas"]["TicketSwapOut"][];
      timeline: components["schemas"]["TicketLine"][];
      photos: components["schemas"]["TicketPhoto"][];
      verification: components["schemas"]["TicketVerification"] | null;
      version: number;
      may: ("take" | "release" | "comment" | "step" | "swap" | "take_part" | "recheck" | "swap_connector" | "verify" | "close" | "reopen" | "acknowledge" | "snooze" | "unsnooze" | "queue" | "watch" | "sub_tasks" | "assign" | "priority" | "merge" | "split" | "confirm")[];
    };
    TicketActionRequest: {
      /** @description The version the caller saw. */
      version?: number;
    };
    TicketAffected: {
      id: number;
      name: string;
      recovered_at: string | null;
    };
    TicketAssignRequest: {
      /** @description The version the caller saw. */
      version?: number;
      /** @description As in /api/tickets/people/; null: nobody. Id or user name. */
      to: number | string | null;
    };
    TicketBoard: {
      columns: components["schemas"]["TicketColumn"][];
    };
    /** @description One action for many tickets; the other fields are those of the action alone. */
    TicketBulkRequest: {
      keys: string[];
      action: "acknowledge" | "assign" | "close" | "comment" | "priority" | "queue" | "snooze" | "unsnooze" | "watch";
      /** @description Id or user name. */
      to?: number | string | null;
      priority?: "P1" | "P2" | "P3" | null;
      queue?: components["schemas"]["TicketQueue"];
      until?: string;
      on?: boolean;
      text?: string;
      reason?: string;
      ports?: "enable" | "keep";
    };
    /** @description One row of the list; made by `tickets.queries.item`. */
    TicketCard: {
      queue: components["schemas"]["TicketQueue"];
      /** @description Why it has its priority: what it costs now. */
      priority_line: string;
      due_at: string | null;
      overdue: boolean;
      acknowledged_at: string | null;
      acknowledged_by: components["schemas"]["TicketPerson"] | null;
      snoozed_until: string | null;
      /** @description How often it came back: failed verifications, reopenings. */
      reopened: number;
      id: number;
      key: string;
      title: string;
      status: components["schemas"]["TicketStatus"];
      priority: "P1" | "P2" | "P3";
      subject: components["schemas"]["TicketSubject"];
      /** @description Of a ticket about a machine. */
      machine: components["schemas"]["TicketNamed"] | null;
      part: string;
      /** @description As people read it: what is printed on the chassis first. */
      part_text: string;
      place: components["schemas"]["TicketPlaceText"];
      assignee: components["schemas"]["TicketNamed"] | null;
      opened_at: string;
      updated_at: string;
      closed_at: string | null;
      fault_class: string;
      /** @description Of its steps. */
      progress: components["schemas"]["TicketProgress"];
    };
    /** @description A machine that must be drained, or a link isolated, before hands touch a cable; and whether it is. */
    TicketClearance: {
      key: string;
      state: "wanted" | "waiting" | "placed" | "by_hand" | "lifted";
      clear: boolean;
      text: string;
      machine: components["schemas"]["TicketNamed"] | null;
      /** @description As in /api/fabric/port-actions/. */
      port_action: number | null;
      ends: components["schemas"]["TicketLinkEnds"];
    };
    TicketCloseRequest: {
      /** @description The version the caller saw. */
      version?: number;
      reason: string;
      /**
       * @description What happens to the links disabled for this ticket.
       * @enum {string}
       */
      ports?: "enable" | "keep";
    };
    TicketColumn: {
      /** @description A queue or a status. */
      key: string;
      count: number;
      overdue: number;
      /** @description The most urgent, at most 50. */
      tickets: components["schemas"]["TicketCard"][];
    };
    TicketCommentOut: {
      id: number;
      at: string;
      author: string;
      text: string;
    };
    TicketCommentRequest: {
      /** @description The version the caller saw. */
      version?: number;
      text: string;
    };
    TicketComponent: {
      id: number;
      serial: string | null;
      part_number: string;
      vendor: string;
    };
    TicketConfirmRequest: {
      /** @description The version the caller saw. */
      version?: number;
      /** @description What was checked. */
      note: string;
    };
    TicketEvidence: {
      check: string;
      part: string;
      /** @description As people read it: what is printed on the chassis first. */
      part_text: string;
      verdict: components["schemas"]["VerdictCode"];
      message: string;
      id: number;
      at: string;
      source: string;
      command: string;
      exit_status: number | null;
      excerpt: string;
    };
    /** @description An open fault that leads others or stands alone; it can be split off. */
    TicketFault: {
      id: number;
      machine: string;
      part_text: string;
      fault_class: string;
      message: string;
    };
    /** @description One row of the list; made by `tickets.queries.item`. */
    TicketItem: {
      queue: components["schemas"]["TicketQueue"];
      /** @description Why it has its priority: what it costs now. */
      priority_line: string;
      due_at: string | null;
      overdue: boolean;
      acknowledged_at: string | null;
      acknowledged_by: components["schemas"]["TicketPerson"] | null;
      snoozed_until: string | null;
      /** @description How often it came back: failed verifications, reopenings. */
      reopened: number;
      id: number;
      key: string;
      title: string;
      status: components["schemas"]["TicketStatus"];
      priority: "P1" | "P2" | "P3";
      subject: components["schemas"]["TicketSubject"];
      /** @description Of a ticket about a machine. */
      machine: components["schemas"]["TicketNamed"] | null;
      part: string;
      /** @description As people read it: what is printed on the chassis first. */
      part_text: string;
      place: components["schemas"]["TicketPlaceText"];
      assignee: components["schemas"]["TicketNamed"] | null;
      opened_at: string;
      updated_at: string;
      closed_at: string | null;
      fault_class: string;
    };
    TicketLabels: {
      /** @description What the right label may say. */
      expected: string[];
      /** @description Of the same rack and of those beside it. */
      nearby: components["schemas"]["Label"][];
      /** @description Which device of the site has the label that was asked for. */
      found: components["schemas"]["Label"] | null;
    };
    TicketLedRequest: {
      /** @description The version the caller saw. */
      version?: number;
      on: boolean;
    };
    TicketLine: {
      at: string;
      actor: string;
      text: string;
      /** @description The photo that was added, as in `photos`. */
      photo: number | null;
    };
    TicketLinkEnd: {
      end: "a" | "b";
      /** @description Device and cage or port. */
      text: string;
      /** @description Serial of the optic that sits there, where it is known. */
      optic: string | null;
    };
    TicketLinkEnds: {
      a: components["schemas"]["TicketPort"];
      b: components["schemas"]["TicketPort"];
    };
    /** @description Rates of a link before and after a step. */
    TicketMeasured: {
      status: string;
      measurement: number | null;
      before: components["schemas"]["LinkReading"] | null;
      after: components["schemas"]["LinkReading"] | null;
      /** @description What the rates after it say; empty: not yet. */
      state: components["schemas"]["LinkQuality"] | "";
      message: string;
    };
    TicketMergeRequest: {
      /** @description The version the caller saw. */
      version?: number;
      /** @description Key of the ticket that takes it over. */
      into: string;
      reason: string;
    };
    /** @description Something else by its id and name. */
    TicketNamed: {
      id: number;
      name: string;
    };
    TicketNeighbour: {
      name: string;
      u: number;
      height_u: number;
    };
    TicketOfMachine: {
      id: number;
      key: string;
      title: string;
      status: components["schemas"]["TicketStatus"];
    };
    /** @description The cabling side of a ticket. `version` grows when the steps to be done are planned again. */
    TicketOrder: {
      kind: "moves" | "checks" | "unlit" | "off" | "link";
      version: number;
      finding: number | null;
      link: string | null;
      cables: string[];
      /** @description Of a link that loses data: where its optics sit. */
      ends: components["schemas"]["TicketLinkEnd"][];
      source: components["schemas"]["TicketNamed"] | null;
      check: components["schemas"]["TicketOrderCheck"];
      clearances: components["schemas"]["TicketClearance"][];
    };
    TicketOrderCheck: {
      status: "" | "waiting" | "passed" | "failed";
      requested_at: string | null;
      finished_at: string | null;
      text: string;
    };
    TicketOutcome: {
      key: string;
      done: boolean;
      /** @description Why it was refused; empty when it was done. */
      reason: string;
    };
    TicketOutcomes: {
      outcomes: components["schemas"]["TicketOutcome"][];
    };
    TicketPerson: {
      id: number;
      name: string;
    };
    TicketPhoto: {
      /** @description As in /api/attachments/. */
      id: number;
      /** @description Number of the step it was taken at. */
      step: number | null;
      caption: string;
      at: string;
      by: string;
      width: number | null;
      height: number | null;
      thumbnail: string;
      content: string;
    };
    TicketPhotoUploadRequest: {
      file: string;
      step?: number | null;
      /** @default  */
      caption?: string;
    };
    TicketPlace: {
      text: string;
      site: string;
      room: string;
      row: string;
      rack: string;
      rack_id: number | null;
      u: number | null;
      height_u: number | null;
      face: string;
      /**
       * @description Of a device.
       * @enum {string}
       */
      column?: "full" | "left" | "right" | "";
      /** @description The side slot of a zero-U device. */
      side?: string;
      slot: string;
      slot_label: string;
      /** @description Both, as people read them. */
      slot_text: string;
      walk: components["schemas"]["TicketWalk"] | null;
      unit: components["schemas"]["TicketUnit"] | null;
      slots: components["schemas"]["TicketSlot"][];
    };
    TicketPlaceText: {
      text: string;
    };
    TicketPort: {
      device: string;
      port: number;
    };
    TicketPriorityRequest: {
      /** @description The version the caller saw. */
      version?: number;
      /**
       * @description Null: by rule again.
       * @enum {string|null}
       */
      priority: "P1" | "P2" | "P3" | null;
      /** @default  */
      reason?: string;
    };
    TicketProgress: {
      done: number;
      of: number;
    };
    /**
     * @description * `hands`: Hands on site. A technician at the rack.
     *     * `vendor`: Vendor. Who delivered the machine, or repairs it under warranty.
     *     * `network`: Network. Switches, fabric, DHCP and the networks of the site.
     *     * `own`: Own team. Whoever runs the service: software, settings, passwords.
     * @enum {string}
     */
    TicketQueue: "hands" | "vendor" | "network" | "own";
    TicketQueueRequest: {
      /** @description The version the caller saw. */
      version?: number;
      queue: components["schemas"]["TicketQueue"];
      reason: string;
    };
    TicketReasonRequest: {
      /** @description The version the caller saw. */
      version?: number;
      reason: string;
    };
    /** @description What a person saw at a machine, a switch or a cable: exactly one of them. */
    TicketReportRequest: {
      /** @description Id or name. */
      machine?: number | string;
      /** @description Id or name. */
      switch?: number | string;
      /** @description Id or label. */
      cable?: number | string;
      /** @default  */
      part?: string;
      /** @default  */
      title?: string;
      text: string;
      /** @description Of an outside system: which one it is. */
      source?: string;
      /** @description Its own id of the ticket: sent again, it finds the same ticket. */
      external_id?: string;
    };
    TicketResult: {
      check: string;
      part: string;
      /** @description As people read it: what is printed on the chassis first. */
      part_text: string;
      verdict: components["schemas"]["VerdictCode"];
      message: string;
    };
    /** @description The head of the runbook that a ticket follows, in the version it was opened with. */
    TicketRunbook: {
      slug: string;
      number: number;
      /** @description A newer version was published since. */
      newer: boolean;
      title: string;
      role: "technician" | "operator";
      minutes: number;
      people: number;
      /** @description Safe HTML. */
      safety: string;
      tools: string[];
      parts: string[];
    };
    TicketSecondEyes: {
      /** @description Another technician or an operator has to take it or confirm it. */
      needed: boolean;
      by: components["schemas"]["TicketPerson"] | null;
    };
    TicketSignRequest: {
      version?: number;
      /** @default  */
      tag?: string;
    };
    TicketSlot: {
      name: string;
      label: string;
      kind: string;
    };
    TicketSnoozeRequest: {
      /** @description The version the caller saw. */
      version?: number;
      until: string;
      reason: string;
    };
    /** @description A fault of the ticket, or a machine of its incident: one of them. */
    TicketSplitRequest: {
      /** @description The version the caller saw. */
      version?: number;
      fault?: number;
      /** @description Id or name. */
      machine?: number | string;
      reason: string;
    };
    /**
     * @description * `open`: Open.
     *     * `in_work`: In progress.
     *     * `verifying`: Verifying.
     *     * `closed`: Closed.
     * @enum {string}
     */
    TicketStatus: "open" | "in_work" | "verifying" | "closed";
    TicketStepOut: {
      number: number;
      kind: "check" | "swap" | "reseat" | "verify" | "scan" | "move" | "clean";
      title: string;
      detail: string;
      done_at: string | null;
      done_by: string;
      state: "todo" | "done" | "confirmed" | "failed";
      /** @description What must be done, drained or disabled before this step; empty when it may be done. */
      waits: string;
      /** @description A check of its ports is in progress. */
      checking: boolean;
      checked_at: string | null;
      /** @description What the check of its ports showed. */
      outcome_text: string;
      swaps: "" | "optic" | "cable";
      /** @description Of the plan it came with. */
      order_version: number | null;
      move: components["schemas"]["Move"] | null;
      measured: components["schemas"]["TicketMeasured"] | null;
      /** @description `detail` as safe HTML, where it comes from a runbook. */
      html: string;
      /** @description What shows that the step worked. */
      verifies: string;
      /** @description Of a step that the machine does itself. */
      run: components["schemas"]["TicketStepRun"] | null;
      /** @description Of a step that is signed. */
      sign: components["schemas"]["TicketStepSign"] | null;
    };
    TicketStepRequest: {
      /** @description The version the caller saw. */
      version?: number;
      /** @default true */
      done?: boolean;
      /**
       * @description What was read on the label, for a scan.
       * @default
       */
      scanned?: string;
      /**
       * @description Why a step that must be proven (scan, swap) is passed over; kept in the history.
       * @default
       */
      skip?: string;
    };
    /** @description What the machine does itself at a step, and how far it is. `would`: what pressing it does. */
    TicketStepRun: {
      runs: "drain" | "led_on" | "power_off" | "power_on";
      state: "" | "queued" | "asked" | "seen" | "failed";
      text: string;
      would: string;
      asked_by: string | null;
      asked_at: string | null;
      /** @description Whether this person may press it. */
      may: boolean;
    };
    TicketStepSign: {
      kind: "second_person" | "lockout";
      by: string | null;
      at: string | null;
      tag: string;
      /** @description What stands between this person and the tick; empty: nothing. */
      missing: string;
    };
    TicketSubTask: {
      number: number;
      text: string;
      assignee: components["schemas"]["TicketPerson"] | null;
      done_at: string | null;
      done_by: components["schemas"]["TicketPerson"] | null;
    };
    TicketSubTaskAddRequest: {
      /** @description The version the caller saw. */
      version?: number;
      text: string;
      /** @description Id or user name. */
      assignee?: number | string | null;
    };
    TicketSubTaskChangeRequest: {
      /** @description The version the caller saw. */
      version?: number;
      text?: string;
      /** @description Id or user name. */
      assignee?: number | string | null;
      done?: boolean;
    };
    /** @description What a ticket is about: exactly one thing. A `place` is only in the plan: it has a name and no record. */
    TicketSubject: {
      kind: "machine" | "switch" | "cable" | "place";
      id: number | null;
      name: string;
    };
    /** @description A swapped optic at one end of the ticket's link, or its cable with the serials of both connectors. */
    TicketSwapConnectorRequest: {
      /** @description The version the caller saw. */
      version?: number;
      what: "optic" | "cable";
      /** @description Of the optic, or of the cable's connector at side A. */
      new_serial: string;
      /**
       * @description Of the link, for an optic.
       * @default a
       * @enum {string}
       */
      end?: "a" | "b";
      /** @description Of the cable's connector at side B; else the same. */
      new_serial_b?: string;
      part_number?: string;
    };
    TicketSwapOut: {
      slot: string;
      slot_text: string;
      old_serial: string;
      new_serial: string;
      at: string;
      by: string;
    };
    TicketSwapRequest: {
      /** @description The version the caller saw. */
      version?: number;
      new_serial: string;
      part_number?: string;
      old_serial?: string;
      /** @description Where the old part goes; else as the site has it. Id or name. */
      old_storage?: number | string;
    };
    TicketSystem: {
      id: number;
      site: number;
      name: string;
      kind: components["schemas"]["TicketSystemKind"];
      url: string;
      /** @description Empty: a personal access token. */
      username: string;
      /** @description Certificates to trust (PEM); empty: the system's. */
      authorities: string;
      /** @description How fields and states are called there. */
      field_map: unknown;
      /** @description Queues of tickets to open there; empty: all. */
      queues: components["schemas"]["TicketQueue"][];
      /** @description Priorities of tickets to open there; empty: all. */
      priorities: ("P1" | "P2" | "P3")[];
      /** @description Whose comments come in as. */
      acts_as: number;
      active: boolean;
      /** @description How it names our account. */
      account: string;
      /** @description What of the map it does not have. */
      problems: unknown;
      checked_at: string | null;
      polled_at: string | null;
      /**
       * @description What is still to be told.
       * @default 0
       */
      waiting: number;
      /**
       * @description What it refused; see the items.
       * @default 0
       */
      failed: number;
    };
    /**
     * @description * `jira`: Jira.
     *     * `servicenow`: ServiceNow.
     * @enum {string}
     */
    TicketSystemKind: "jira" | "servicenow";
    TicketSystemRequest: {
      /** @description Id or slug. */
      site: number | string;
      name: string;
      kind: components["schemas"]["TicketSystemKind"];
      url: string;
      /** @description Empty: a personal access token. */
      username?: string;
      /** @description Or token. It is kept encrypted and never shown. */
      password?: string;
      /** @description Certificates to trust (PEM); empty: the system's. */
      authorities?: string;
      /** @description How fields and states are called there. */
      field_map: unknown;
      /** @description Queues of tickets to open there; empty: all. */
      queues?: components["schemas"]["TicketQueue"][];
      /** @description Priorities of tickets to open there; empty: all. */
      priorities?: ("P1" | "P2" | "P3")[];
      /** @description Whose comments come in as. Id or user name. */
      acts_as: number | string;
      active?: boolean;
    };
    TicketTakePartRequest: {
      /** @description The version the caller saw. */
      version?: number;
      /** @description As in /api/spares/. Id or part number. */
      stock: number | string;
      /** @default 1 */
      quantity?: number;
    };
    TicketUnit: {
      height_u: number;
      u: number;
      machine_height_u: number;
      neighbours: components["schemas"]["TicketNeighbour"][];
    };
    TicketUseRunbookRequest: {
      version?: number;
      slug: string;
    };
    TicketVerification: {
      id: number;
      status: string;
      requested_at: string;
      finished_at: string | null;
      reason: string;
      results: components["schemas"]["TicketResult"][];
    };
    TicketVerifyRequest: {
      /** @description The version the caller saw. */
      version?: number;
      /** @default  */
      note?: string;
    };
    TicketWalk: {
      row_racks: components["schemas"]["TicketNamed"][];
      position: number;
      side: string;
      aisle: string;
      aisle_kind: string;
      door: string;
      /** @description The end of the row that the door is at. */
      from_end: components["schemas"]["EndOfRow"];
      /** @description The last rack or landmark that one passes by name; empty without one. */
      passed: string;
      /** @description Of a passed rack among them. */
      passed_position: number | null;
      /** @description How many racks on from there, or from the end of the row. */
      nth: number;
      /** @description The way in words, from the door. */
      text: string;
    };
    TicketWatchRequest: {
      /** @description The version the caller saw. */
      version?: number;
      on: boolean;
    };
    /** @description Switches of a tier: seen, expected by the inventory, of those named, and seen once but not now. */
    Tier: {
      tier: string;
      switches: number;
      expected: number;
      named: number;
      off: number;
    };
    Timeline: {
      from: string;
      to: string;
      lanes: components["schemas"]["Lane"][];
    };
    TimelineItem: {
      at: string;
      /**
       * Format: date-time
       * @description Null: at one moment, or it still lasts.
       */
      until: string | null;
      kind: string;
      title: string;
      detail: string;
      /** @description A page of the dashboard, or empty. */
      link: string;
    };
    /**
     * @description * `verdicts`: Verdicts.
     *     * `states`: States.
     *     * `actions`: Actions.
     *     * `tickets`: Tickets.
     *     * `firmware`: Parts and firmware.
     *     * `jobs`: Jobs.
     * @enum {string}
     */
    TimelineLane: "verdicts" | "states" | "actions" | "tickets" | "firmware" | "jobs";
    Token: {
      id: string;
      name: string;
      /** @description Upper limit of rights. */
      role: components["schemas"]["RoleName"];
      token_key: string;
      created: string;
      expiry: string | null;
    };
    TokenRequest: {
      name?: string;
      /** @description Upper limit of rights. */
      role?: components["schemas"]["RoleName"];
      expiry?: string | null;
    };
    /** @description Where a port leads; `back` is the way through the panel whose port it is. */
    Trace: {
      port: components["schemas"]["TracePort"];
      complete: boolean;
      why: components["schemas"]["TraceWhy"] | null;
      /** @description A cable on the way is not laid yet. */
      planned: boolean;
      /**
       * Format: double
       * @description Null where a length is not known, or the way forks.
       */
      length_m: number | null;
      ends: components["schemas"]["TracePort"][];
      hops: components["schemas"]["TraceHop"][];
      branches: components["schemas"]["TracePath"][];
      back: components["schemas"]["TracePath"] | null;
    };
    TraceCable: {
      id: number;
      label: string;
      type: string;
      status: components["schemas"]["CableStatus"];
      length_m: number | null;
      colour: string;
      /** @description The lane of it one is on. */
      strand: number;
    };
    TraceDevice: {
      id: number;
      name: string;
      kind: components["schemas"]["DeviceKind"];
    };
    TraceHop: components["schemas"]["PortHop"] | components["schemas"]["CableHop"] | components["schemas"]["PanelHop"];
    /** @description One way; where it forks `hops` stops, and `branches` go on. */
    TracePath: {
      complete: boolean;
      why: components["schemas"]["TraceWhy"] | null;
      /** @description A cable on the way is not laid yet. */
      planned: boolean;
      /**
       * Format: double
       * @description Null where a length is not known, or the way forks.
       */
      length_m: number | null;
      ends: components["schemas"]["TracePort"][];
      hops: components["schemas"]["TraceHop"][];
      branches: components["schemas"]["TracePath"][];
    };
    /** @description Where one stands to touch a port; a device that is not mounted has its site only. */
    TracePlace: {
      site: string;
      room: string;
      row: string;
      rack: string;
      rack_id: number | null;
      u: number | null;
      height_u: number | null;
      /** @description front or rear. */
      face: string;
      text: string;
    };
    /** @description A port, the device it is on, and where that stands. */
    TracePort: {
      id: number;
      name: string;
      port: components["schemas"]["TracedPort"];
      device: components["schemas"]["TraceDevice"];
      place: components["schemas"]["TracePlace"];
    };
    /** @description Where a way is lost. */
    TraceWhy: {
      code: "no_cable" | "open_cable" | "no_pass_through" | "no_position" | "loop" | "too_long";
      text: string;
      port: number;
    };
    TracedPort: {
      id: number;
      name: string;
      kind: components["schemas"]["PortKind"];
      speed_gbps: number | null;
      cage: number | null;
      lane: number | null;
      /** @description As the device model says; empty where it does not. */
      face: string;
    };
    /** @description One attempt of a training run. `speed` is its pace against its own baseline: 1 as fast, 0.5 half as fast. */
    TrainingRun: {
      id: number;
      site: number;
      key: string;
      /** @default 0 */
      attempt: number;
      /**
       * @description How often this key and attempt were there before.
       * @default 0
       */
      repeat: number;
      found_by: components["schemas"]["RunFoundBy"][];
      name: string;
      /** @description Empty where it is not known, or not shown to who asks. */
      user: string;
      /** @description The scheduler's id, such as 88213 or 88213_4. */
      job: string;
      launcher: string;
      /** @description Of its containers, as the launcher names it. */
      image: string;
      world_size: number;
      state: components["schemas"]["TrainingRunState"];
      /**
       * Format: date-time
       * @description When it came into this state.
       */
      since: string;
      scheduler: components["schemas"]["RunJob"] | null;
      processes_seen_at: string | null;
      started_at: string;
      ended_at: string | null;
      last_report_at: string;
      steps: number;
      last_step: number | null;
      last_step_at: string | null;
      /**
       * Format: double
       * @description A step at the run's own best pace.
       */
      baseline_s: number | null;
      /**
       * Format: double
       * @description The median of its last steps.
       */
      recent_s: number | null;
      speed: number | null;
      machines: number;
      ranks: number;
      verdict: components["schemas"]["RunVerdict"] | null;
      evaluated_at: string | null;
      /** @description Who tells its steps; what a launcher reports is never mixed with what was read elsewhere. */
      steps_from: components["schemas"]["RunStepsFrom"] | "";
      /**
       * Format: date-time
       * @description The newest moment of which Prometheus knew its step.
       */
      metrics_at: string | null;
      /**
       * Format: date-time
       * @description Up to when Prometheus was read.
       */
      metrics_to: string | null;
      /** @description What Prometheus did not tell of it the last time, and why. */
      metrics_message: string;
    };
    /**
     * @description * `failed`: Failed. A rank ended with an error.
     *     * `hung`: Hung. Its processes report, and no step ends.
     *     * `slow`: Slow. Its steps take more than 5 % longer than at its own best pace.
     *     * `unknown`: Not reporting. Nobody reported of it for three minutes, or saw it for half an hour: nothing is known.
     *     * `starting`: Starting. No step has ended yet.
     *     * `running`: Running.
     *     * `completed`: Completed.
     *     * `ended`: Ended from outside. The scheduler or a person ended it, its processes are gone, or it stopped reporting a day ago.
     * @enum {string}
     */
    TrainingRunState: "failed" | "hung" | "slow" | "unknown" | "starting" | "running" | "completed" | "ended";
    Trends: {
      from: string;
      to: string;
      bucket: "day" | "week";
      series: components["schemas"]["Series"][];
    };
    /** @description What it answered, or why not. */
    Tried: {
      good: boolean;
      message: string;
      version: string;
      capabilities: string[];
      /** @description Who we are to it. */
      user: string;
    };
    /** @description What the query returned of ten minutes. `good`: it was answered, and whole. */
    TriedQuery: {
      good: boolean;
      message: string;
      /** @description As it was sent. */
      query: string;
      run: number | null;
      took_s: number;
      series_count: number;
      /** @description Of all series. */
      points: number;
      /** @description Steps, or GPUs, that would be made of it. */
      yields: number;
      /** @description The first ten. */
      series: components["schemas"]["TriedSeries"][];
    };
    TriedSeries: {
      labels: {
        [key: string]: string;
      };
      points: number;
      /**
       * Format: date-time
       * @description Of its last point.
       */
      at: string | null;
      /**
       * Format: double
       * @description Null: NaN or infinite.
       */
      value: number | null;
    };
    /** @description A feed, or a PDU on it, that would carry more than it may. */
    Trip: {
      rack: number;
      rack_name: string;
      feed: components["schemas"]["Named"] | null;
      pdu: components["schemas"]["Named"] | null;
      carries_w: number;
      /** @description Its derated size, or the limit of the PDU that is named. */
      derated_w: number;
    };
    TryQueryRequest: {
      kind: components["schemas"]["MetricKind"];
      /** @description Instead of the one that is kept. */
      query?: string;
      /**
       * Format: int64
       * @description What it is filled with; else the newest run.
       */
      run?: number;
    };
    /** @description The undo of a change of many rows, which runs in the background. */
    UndoJob: {
      job: number;
      change: number;
      /** @description refused: something stands in the way; failed: it broke off. Then nothing was changed. */
      status: components["schemas"]["ImportStatus"];
      progress: components["schemas"]["UndoProgress"];
      /** @description Why it was refused, or failed. */
      message: string;
      differences: components["schemas"]["Difference"][];
      /** @description The change that took it back, once it is done. */
      undone_by: number | null;
      actor: string;
      created_at: string;
      finished_at: string | null;
    };
    UndoProgress: {
      /** @description Rows taken back; nothing is there to see before all are. */
      done: number;
      total: number;
      stage: string;
    };
    Undoing: {
      status: components["schemas"]["ImportStatus"];
      done: number;
      total: number;
      message: string;
    };
    /** @description The rack, to draw it. */
    Unit: {
      height_u: number;
      u: number | null;
      machine_height_u: number | null;
      neighbours: components["schemas"]["Neighbour"][];
    };
    UnknownMachine: {
      machine: number;
      name: string;
      why: string;
    };
    /** @description A device that gets no name from its place. */
    Unnamed: {
      id: number;
      name: string;
      kind: components["schemas"]["DeviceKind"];
      reason: string;
    };
    UnpoweredDevice: {
      id: number;
      name: string;
      kind: components["schemas"]["DeviceKind"];
      /** @description Null for what is mounted nowhere. */
      rack: number | null;
      rack_name: string | null;
    };
    UnreadableFile: {
      file: string;
      reason: string;
    };
    UnusedMachine: {
      machine: string;
      reason: string;
    };
    /** @description A file of records of one kind. */
    UploadRequest: {
      file: string;
      kind: string;
      /** @description Id or slug. */
      site?: string;
      /**
       * @default upsert
       * @enum {string}
       */
      mode?: "upsert" | "create" | "update";
      /** @default true */
      dry_run?: boolean;
    };
    User: {
      id: number;
      /** @description Required. 150 characters or fewer. Letters, digits and @/./+/-/_ only. */
      username: string;
      /** Email address */
      email: string;
      first_name: string;
      last_name: string;
      /**
       * Active
       * @description Designates whether this user should be treated as active. Unselect this instead of deleting accounts.
       */
      is_active: boolean;
      grants: components["schemas"]["Grant"][];
      last_login: string | null;
    };
    UserRequest: {
      /** @description Required. 150 characters or fewer. Letters, digits and @/./+/-/_ only. */
      username: string;
      /** Email address */
      email?: string;
      first_name?: string;
      last_name?: string;
      /**
       * Active
       * @description Designates whether this user should be treated as active. Unselect this instead of deleting accounts.
       */
      is_active?: boolean;
      grants?: components["schemas"]["GrantRequest"][];
      password?: string;
    };
    UsualStage: {
      stage: components["schemas"]["Stage"];
      seconds: number;
    };
    Values: {
      columns: [
        "machine",
        "value"
      ];
      rows: [
        number,
        number | string
      ][];
    };
    /** @description What a vendor's system says of a case, found by its own number. */
    VendorAnswerRequest: {
      vendor: components["schemas"]["VendorName"];
      number: string;
      event?: "accept" | "ship" | "deny";
      /** @default  */
      status?: string;
      /** @default  */
      text?: string;
      dispatch?: string;
      carrier?: string;
      tracking?: string;
    };
    VendorCase: {
      id: number;
      site: number;
      /** @description Its key. */
      ticket: string;
      machine: components["schemas"]["CaseMachine"] | null;
      vendor: components["schemas"]["VendorName"];
      state: components["schemas"]["VendorCaseState"];
      /** @description The vendor's. */
      number: string;
      title: string;
      part: string;
      service_tag: string;
      old_serial: string;
      old_part_number: string;
      new_serial: string;
      carrier: string;
      tracking: string;
      return_tracking: string;
      warranty_until: string | null;
      cost: string | null;
      currency: string;
      return_due: string | null;
      /** @description Days since the failed part should have gone back; 0: it is not. */
      days_overdue: number;
      /** @description The request with many machines it is part of. */
      vendor_return: number | null;
      version: number;
      opened_at: string;
      updated_at: string;
      closed_at: string | null;
      symptom: string;
      text: string;
      dispatch: string;
      raw_status: string;
      new_part_number: string;
      component: number | null;
      new_component: number | null;
      return_owed: boolean;
      denials: number;
      opened_by: string;
      form: components["schemas"]["CaseForm"];
      /** @description What the vendor wants and nobody gave. */
      missing: string[];
      channel: components["schemas"]["VendorChannel"];
      /** @description Sending goes over the channel; otherwise a person sends it by hand. */
      sends: boolean;
      may: components["schemas"]["VendorCaseEvent"][];
      may_edit: boolean;
      changes: components["schemas"]["CaseChange"][];
      bundles: components["schemas"]["CaseBundle"][];
      messages: components["schemas"]["CaseMessage"][];
    };
    VendorCaseEditRequest: {
      /** @description The version the caller saw. */
      version?: number;
      title?: string;
      symptom?: string;
      text?: string;
      part?: string;
      service_tag?: string;
      old_serial?: string;
      old_part_number?: string;
      warranty_until?: string | null;
      /**
       * @description Title and text anew from the facts.
       * @default false
       */
      rewrite?: boolean;
    };
    /**
     * @description * `send`: Send.
     *     * `accept`: Accepted.
     *     * `ship`: Part shipped.
     *     * `arrive`: Part arrived.
     *     * `return`: Part returned.
     *     * `deny`: Denied.
     *     * `ask_again`: Ask again.
     *     * `close`: Close.
     * @enum {string}
     */
    VendorCaseEvent: "send" | "accept" | "ship" | "arrive" | "return" | "deny" | "ask_again" | "close";
    VendorCaseItem: {
      id: number;
      site: number;
      /** @description Its key. */
      ticket: string;
      machine: components["schemas"]["CaseMachine"] | null;
      vendor: components["schemas"]["VendorName"];
      state: components["schemas"]["VendorCaseState"];
      /** @description The vendor's. */
      number: string;
      title: string;
      part: string;
      service_tag: string;
      old_serial: string;
      old_part_number: string;
      new_serial: string;
      carrier: string;
      tracking: string;
      return_tracking: string;
      warranty_until: string | null;
      cost: string | null;
      currency: string;
      return_due: string | null;
      /** @description Days since the failed part should have gone back; 0: it is not. */
      days_overdue: number;
      /** @description The request with many machines it is part of. */
      vendor_return: number | null;
      version: number;
      opened_at: string;
      updated_at: string;
      closed_at: string | null;
    };
    /** @description One event, why, and what it brings along. */
    VendorCaseMoveRequest: {
      /** @description The version the caller saw. */
      version?: number;
      event: components["schemas"]["VendorCaseEvent"];
      /** @default  */
      reason?: string;
      number?: string;
      dispatch?: string;
      carrier?: string;
      tracking?: string;
      return_tracking?: string;
      return_due?: string;
      return_owed?: boolean | null;
      new_serial?: string;
      new_part_number?: string;
      /** @description Id or name. */
      storage?: number | string;
      cost?: string;
      /** @description ISO 4217, with a cost. */
      currency?: string;
      text?: string;
    };
    /**
     * @description * `draft`: Draft. It was not sent yet.
     *     * `sent`: Sent. The vendor has not answered.
     *     * `accepted`: Accepted. The vendor sends a part or a technician.
     *     * `shipped`: Part shipped. A part is on its way.
     *     * `arrived`: Part arrived. The failed part is to go back.
     *     * `returned`: Returned. The failed part is on its way back.
     *     * `denied`: Denied. The vendor refuses it: ask again, or close it.
     *     * `closed`: Closed.
     * @enum {string}
     */
    VendorCaseState: "draft" | "sent" | "accepted" | "shipped" | "arrived" | "returned" | "denied" | "closed";
    /**
     * @description * `hand`: By hand. A person copies it into the vendor's portal.
     *     * `mail`: Mail.
     *     * `http`: Signed POST. To a system of the vendor or of the site.
     *     * `techdirect`: Dell TechDirect. Self-dispatch of parts.
     * @enum {string}
     */
    VendorChannel: "hand" | "mail" | "http" | "techdirect";
    /** @description How a site reaches a vendor. Secrets are written and never told. */
    VendorContact: {
      id: number;
      site: number;
      vendor: components["schemas"]["VendorName"];
      channel: components["schemas"]["VendorChannel"];
      /** @description Cases are sent over the channel when they are sent. */
      enabled: boolean;
      mail_to: string;
      url: string;
      token_url: string;
      has_secret: boolean;
      has_login: boolean;
      /** @description Who is called back. */
      person: string;
      phone: string;
      mail: string;
      /** @description What TechDirect wants of the customer: branch, address. */
      account: unknown;
      /** @description Days after shipping to return the old part. */
      return_days: number;
      /** @description Days from asking to a part in storage. */
      lead_days: number;
      /** @description A bundle is made as soon as a case is opened. */
      bundle_by_rule: boolean;
    };
    /** @description How a site reaches a vendor. Secrets are written and never told. */
    VendorContactRequest: {
      /** @description Id or slug. */
      site: number | string;
      vendor: components["schemas"]["VendorName"];
      channel?: components["schemas"]["VendorChannel"];
      /** @description Cases are sent over the channel when they are sent. */
      enabled?: boolean;
      mail_to?: string;
      url?: string;
      token_url?: string;
      username?: string;
      /** @description The signing secret (whsec_..), or that of the TechDirect client. Kept encrypted; never told. */
      secret?: string;
      login_name?: string;
      /** @description The password of the technician's login. Kept encrypted; never told. */
      login_secret?: string;
      /** @description Who is called back. */
      person?: string;
      phone?: string;
      mail?: string;
      /** @description What TechDirect wants of the customer: branch, address. */
      account?: unknown;
      /** @description Days after shipping to return the old part. */
      return_days?: number;
      /** @description Days from asking to a part in storage. */
      lead_days?: number;
      /** @description A bundle is made as soon as a case is opened. */
      bundle_by_rule?: boolean;
    };
    VendorDelivery: {
      id: number;
      site: number;
      /** @description The purchase order, or what the vendor calls the delivery. */
      order: string;
      vendor: string;
      filename: string;
      received_at: string;
      received_by: string;
      /** @description On the list. */
      machines: number;
      /** @description Taken over into the inventory. */
      accepted: number;
      in_service: number;
    };
    VendorDeliveryAcceptRequest: {
      /** @description Numbers of rows; without it all that fit. */
      rows?: number[];
    };
    VendorDeliveryDetail: {
      id: number;
      site: number;
      /** @description The purchase order, or what the vendor calls the delivery. */
      order: string;
      vendor: string;
      filename: string;
      received_at: string;
      received_by: string;
      /** @description On the list. */
      machines: number;
      /** @description Taken over into the inventory. */
      accepted: number;
      in_service: number;
      items: components["schemas"]["VendorDeliveryItem"][];
    };
    /** @description A row of the list, and what it means beside the plan; `changes` would be written, field by field. */
    VendorDeliveryItem: {
      number: number;
      service_tag: string;
      model: string;
      bmc_mac: string;
      macs: string[];
      rack: string;
      u: number | null;
      /** @description Kept encrypted; never told. */
      has_password: boolean;
      match: components["schemas"]["DeliveryMatch"];
      text: string;
      changes: {
        [key: string]: string;
      };
      planned: components["schemas"]["VendorDeliveryMachine"] | null;
      accepted_at: string | null;
      accepted_by: string;
    };
    VendorDeliveryMachine: {
      id: number;
      name: string;
      place: string;
    };
    /** @description A vendor's list as CSV or XLSX. With passwords of BMCs on it the administrator's role is needed. */
    VendorDeliveryUploadRequest: {
      file: string;
      /** @description Id or slug. */
      site: number | string;
      /** @description The purchase order, or the vendor's name of it. */
      order: string;
      /** @default  */
      vendor?: string;
    };
    /**
     * @description * `open`: Case.
     *     * `ask_again`: Asked again.
     *     * `status`: Status. How far it is, asked every quarter of an hour.
     * @enum {string}
     */
    VendorMessageKind: "open" | "ask_again" | "status";
    /**
     * @description * `waiting`: Waiting.
     *     * `sent`: Sent.
     *     * `failed`: Not sent.
     * @enum {string}
     */
    VendorMessageStatus: "waiting" | "sent" | "failed";
    /**
     * @description * `dell`: Dell.
     *     * `nvidia`: NVIDIA.
     *     * `supermicro`: Supermicro.
     *     * `hpe`: HPE.
     *     * `lenovo`: Lenovo.
     *     * `generic`: Another vendor.
     * @enum {string}
     */
    VendorName: "dell" | "nvidia" | "supermicro" | "hpe" | "lenovo" | "generic";
    VendorReturn: {
      id: number;
      site: number;
      vendor: string;
      status: components["schemas"]["VendorReturnStatus"];
      /** @description The vendor's number of it, such as an RMA. */
      reference: string;
      note: string;
      created_at: string;
      created_by: string;
      sent_at: string | null;
      closed_at: string | null;
      /** @description Machines on it. */
      count: number;
      /** @description Of them with an outcome. */
      answered: number;
    };
    VendorReturnDetail: {
      id: number;
      site: number;
      vendor: string;
      status: components["schemas"]["VendorReturnStatus"];
      /** @description The vendor's number of it, such as an RMA. */
      reference: string;
      note: string;
      created_at: string;
      created_by: string;
      sent_at: string | null;
      closed_at: string | null;
      /** @description Machines on it. */
      count: number;
      /** @description Of them with an outcome. */
      answered: number;
      machines: components["schemas"]["ReturnedMachine"][];
    };
    /**
     * @description * `open`: Not sent. Its list is made; the vendor does not have it yet.
     *     * `sent`: With the vendor.
     *     * `closed`: Closed. Every machine on it has an outcome.
     * @enum {string}
     */
    VendorReturnStatus: "open" | "sent" | "closed";
    Verdict: {
      check: string;
      title: string;
      part: string;
      verdict: components["schemas"]["VerdictCode"];
      message: string;
      action: string;
      checked_at: string | null;
      /**
       * Format: date-time
       * @description Null for what is ok.
       */
      changed_at: string | null;
      evidence: components["schemas"]["VerdictEvidence"] | null;
      /** @description As people read it. */
      part_text: string;
      silenced: components["schemas"]["VerdictSilence"] | null;
      /** @description It opens no fault here. */
      audit_mode: boolean;
    };
    VerdictChange: {
      at: string;
      check: string;
      part: string;
      /** @description As people read it. */
      part_text: string;
      from: components["schemas"]["VerdictCode"];
      to: components["schemas"]["VerdictCode"];
      message: string;
    };
    /**
     * @description * `fail`: Fail.
     *     * `unknown`: Unknown.
     *     * `warn`: Warning.
     *     * `info`: Info.
     *     * `ok`: OK.
     * @enum {string}
     */
    VerdictCode: "fail" | "unknown" | "warn" | "info" | "ok";
    VerdictEvidence: {
      command: string;
      exit_status: number | null;
      excerpt: string;
    };
    /** @description The silence that keeps a verdict quiet. */
    VerdictSilence: {
      /** @description What it would be. */
      verdict: components["schemas"]["VerdictCode"];
      silence: number | null;
      until: string | null;
    };
    Verdicts: {
      /**
       * Format: date-time
       * @description Null for a machine that was never checked.
       */
      checked_at: string | null;
      /** @description The worst first. */
      results: components["schemas"]["Verdict"][];
    };
    Waiting: {
      incident: number;
      machine: number;
      name: string;
      guard: components["schemas"]["Guard"];
      since: string | null;
    };
    WaitingJob: {
      id: number;
      site: number;
      job_id: string;
      /** @description As people call it: 88213_4. */
      label: string;
      /** @description Of the heterogeneous job that is the label. */
      component: number | null;
      name: string;
      user: string | null;
      account: string;
      /** @description More than one where it may start in any. */
      partition: string;
      qos: string;
      reservation: string;
      priority: number | null;
      /** @description The scheduler's word for why it waits. */
      why: string;
      gpus: number | null;
      machines: number | null;
      submitted_at: string | null;
      /**
       * Format: date-time
       * @description When the scheduler means to start it.
       */
      expected_at: string | null;
      time_limit_s: number | null;
    };
    /** @description The row as one walks along it, and from which of its ends one comes. */
    Walk: {
      row_racks: components["schemas"]["Named"][];
      /** @description Of the rack among them, from 0. */
      position: number;
      /**
       * @description The hand it stands on.
       * @enum {string}
       */
      side: "left" | "right";
      aisle: string;
      aisle_kind: "cold" | "hot" | "";
      door: string;
      /** @description The end of the row that the door is at. */
      from_end: components["schemas"]["EndOfRow"];
      /** @description The last rack or landmark that one passes by name. */
      passed: string;
      /** @description Of a passed rack among them. */
      passed_position: number | null;
      /** @description How many racks on from there, or from the end of the row. */
      nth: number;
      /** @description The way in words, from the door. */
      text: string;
    };
    Warranty: {
      id: number;
      name: string;
      kind: components["schemas"]["DeviceKind"];
      site: number;
      site_name: string;
      model: string;
      serial: string;
      /** @description What the vendor's support asks for. */
      service_tag: string;
      /** @description Who repairs it; else its vendor. */
      support_vendor: string;
      /** @default  */
      contact_name: string;
      warranty_until: string | null;
      /** @description Negative when it has ended. */
      days_left: number;
    };
    Watchdog: {
      /** @description Nothing is late, and everything is known. */
      ok: boolean;
      problems: components["schemas"]["WatchdogProblem"][];
      checks: components["schemas"]["WatchdogSign"][];
    };
    WatchdogProblem: {
      kind: components["schemas"]["WatchedKind"];
      name: string;
      text: string;
      since: string | null;
      what_to_do: string;
    };
    WatchdogSign: {
      name: string;
      kind: components["schemas"]["WatchedKind"];
      site: number | null;
      last_at: string | null;
      limit_s: number;
      state: components["schemas"]["WatchedSign"];
    };
    /**
     * @description * `sweeps`: Sweeps.
     *     * `beat`: The clock of periodic work.
     *     * `workers`: Workers.
     *     * `feed`: Live feed.
     *     * `source`: Reporter.
     *     * `scheduler`: Scheduler.
     *     * `device_model`: Device model.
     *     * `disk`: Disk.
     *     * `crashing`: Crashing.
     * @enum {string}
     */
    WatchedKind: "sweeps" | "beat" | "workers" | "feed" | "source" | "scheduler" | "device_model" | "disk" | "crashing";
    /**
     * @description * `ok`: Alive. The last sign came in time.
     *     * `late`: Late. The next sign is overdue.
     *     * `never`: Never seen. There was no heartbeat yet, and there should have been.
     *     * `unknown`: Unknown. What would report it is down itself.
     *     * `broken`: Broken. It cannot be used as it is stored.
     * @enum {string}
     */
    WatchedSign: "ok" | "late" | "never" | "unknown" | "broken";
    /**
     * @description * `waiting`: Waits.
     *     * `running`: Running.
     *     * `ok`: Done.
     *     * `failed`: Failed.
     *     * `unreachable`: Unreachable.
     *     * `refused`: Refused. It may not be touched now; nothing was done there.
     *     * `cancelled`: Cancelled. Not begun, or not gone on with.
     * @enum {string}
     */
    WaveMachineStatus: "waiting" | "running" | "ok" | "failed" | "unreachable" | "refused" | "cancelled";
    /**
     * @description * `waiting`: Waits.
     *     * `running`: Running.
     *     * `done`: Done.
     *     * `failed`: Machines failed. It went over all machines, and some failed.
     *     * `stopped`: Stopped. Too many machines failed: no other was begun.
     *     * `cancelled`: Cancelled.
     * @enum {string}
     */
    WaveRunStatus: "waiting" | "running" | "done" | "failed" | "stopped" | "cancelled";
    /** @description The way to a device or to one of its slots. What is not mounted has its site and the words. */
    WayTo: {
      site: string;
      room: string;
      row: string;
      rack: string;
      rack_id: number | null;
      /**
       * Format: double
       * @description The lowest unit, 5.5 the upper half of U5; null at a side.
       */
      u: number | null;
      height_u: number | null;
      /** @description Where one stands to touch it: front, rear or both; empty where it is not mounted. */
      face: string;
      column: "full" | "left" | "right" | "";
      /** @description The side slot of a zero-U device, such as rear-left. */
      side: string;
      /** @description The way there in words. */
      text: string;
      slot: string;
      /** @description What is printed on the chassis. */
      slot_label: string;
      /** @description Both, as people read them. */
      slot_text: string;
      walk: components["schemas"]["Walk"] | null;
      unit: components["schemas"]["Unit"] | null;
      /** @description Those of the same kind; its GPUs, without a slot. */
      slots: components["schemas"]["SlotOfDevice"][];
    };
    Webhook: {
      id: number;
      /** @description Empty: every site. */
      site: number | null;
      name: string;
      url: string;
      events: string[];
      active: boolean;
      /** @description Why Rackside switched it off. */
      inactive_reason: string;
      timeout_s: number;
      created_at: string;
      created_by: string;
      /**
       * @description Deliveries that wait or are tried again.
       * @default 0
       */
      pending: number;
      /**
       * @description Deliveries that were given up.
       * @default 0
       */
      dead: number;
    };
    WebhookRequest: {
      /** @description Empty: every site. Id or slug. */
      site?: number | string | null;
      name: string;
      url: string;
      events: string[];
      active?: boolean;
      timeout_s?: number;
    };
    /** @description GPU-hours. `repeated`: steps since the last checkpoint; `standing`: from the last step to the end; `slow`. */
    WeekLoss: {
      /** @description Null: not known. */
      cause: components["schemas"]["FailureClass"] | null;
      owner: components["schemas"]["FailureOwner"] | null;
      gpu_hours: number;
      repeated: number;
      standing: number;
      slow: number;
      /**
       * Format: date
       * @description Its Monday, in UTC.
       */
      week: string;
      runs: number;
    };
    WhatIf: {
      question: components["schemas"]["WhatIfQuestion"];
      text: string;
      unit: string;
      racks: components["schemas"]["WhatIfRack"][];
      trips: components["schemas"]["WhatIfTrip"][];
      /** @description Machines whose inlet leaves the range that their ASHRAE class allows. */
      outside: components["schemas"]["Named"][];
      /** @description Machines whose GPUs slow down. */
      slowed: components["schemas"]["Named"][];
      /** @description Devices that go dark. */
      lost: components["schemas"]["Named"][];
      /** @description Devices of which nobody can tell. */
      unknown: number;
    };
    /**
     * @description * `feed_off`: One feed off now.
     *     * `more_machines`: More machines in a rack.
     *     * `inlet`: Warmer air.
     *     * `full_load`: All GPUs at full load.
     * @enum {string}
     */
    WhatIfQuestion: "feed_off" | "more_machines" | "inlet" | "full_load";
    /** @description Something else by its id and name. */
    WhatIfRack: {
      id: number;
      name: string;
      state: components["schemas"]["LoadState"];
      /** @description Of its air and GPUs now; null in W, where it is that of its load. */
      state_before: components["schemas"]["LoadState"] | null;
      before: number | null;
      after: number | null;
    };
    /** @description Something else by its id and name. */
    WhatIfTrip: {
      id: number;
      name: string;
      kind: string;
      carries_w: number;
      limit_w: number | null;
      /** @description Above the size of its breaker; otherwise it is over its limit alone. */
      trips: boolean;
    };
    WhyRequest: {
      reason: string;
    };
    Window: {
      id: number;
      site: number;
      /** @description Sum of 1 Monday, 2 Tuesday .. 64. */
      weekdays: number;
      from_time: string;
      /** @description Before from_time: until that time of the next day. */
      to_time: string;
      levels: (1 | 2 | 3 | 4 | 5)[];
      by: string;
      reason: string;
    };
    WindowRequest: {
      /** @description Id or slug. */
      site: number | string;
      /** @description Sum of 1 Monday, 2 Tuesday .. 64. */
      weekdays: number;
      from_time: string;
      /** @description Before from_time: until that time of the next day. */
      to_time: string;
      levels: (1 | 2 | 3 | 4 | 5)[];
      reason: string;
    };
    WriteMachine: {
      id: number;
      name: string;
    };
    /** @description A rail port that ends at the leaf of another rail. */
    WrongRail: {
      machine: components["schemas"]["Named"];
      port: string;
      port_id: number;
      rail: number;
      far: components["schemas"]["RailFarEnd"];
      leaf_rail: number;
    };
    Year: {
      quantity: string;
      unit: string;
      first_day: string;
      /** @description The means of 24 hours of each day. */
      days: ((number | null)[] | null)[];
      low: number | null;
      high: number | null;
    };
  };
}
export type $defs = Record<string, never>;
export interface operations {
  aisles_list: {
    parameters: {
      query?: {
        depth_mm?: number;
        id?: number;
        kind?: "cold" | "hot";
        name?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        room?: string;
        room_name?: string;
        search?: string;
        site?: string;
        site_name?: string;
        width_mm?: number;
        x_mm?: number;
        y_mm?: number;
        fields?: string;
        omit?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            count: number;
            next: string | null;
            previous: string | null;
            results: components["schemas"]["Aisles"][];
          };
        };
      };
    };
  };
  aisles_create: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["AisleRecordRequest"] | components["schemas"]["AisleRecordRequest"][];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DryRunAnswer"];
        };
      };
      201: {
        content: {
          "application/json": components["schemas"]["Aisles"] | components["schemas"]["Aisles"][];
        };
      };
    };
  };
  aisles_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Aisles"];
        };
      };
    };
  };
  aisles_update: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["AisleRecordRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Aisles"] | components["schemas"]["DryRunAnswer"];
        };
      };
    };
  };
  aisles_destroy: {
    parameters: {
      query?: {
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DryRunAnswer"];
        };
      };
      204: {
      };
    };
  };
  aisles_partial_update: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["AislesChangeRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Aisles"] | components["schemas"]["DryRunAnswer"];
        };
      };
    };
  };
  annotations_list: {
    parameters: {
      query?: {
        at?: string;
        author?: string;
        device?: string;
        device_name?: string;
        id?: number;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
        site?: string;
        site_name?: string;
        text?: string;
        until?: string;
        fields?: string;
        omit?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            count: number;
            next: string | null;
            previous: string | null;
            results: components["schemas"]["Annotations"][];
          };
        };
      };
    };
  };
  annotations_create: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["AnnotationRecordRequest"] | components["schemas"]["AnnotationRecordRequest"][];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DryRunAnswer"];
        };
      };
      201: {
        content: {
          "application/json": components["schemas"]["Annotations"] | components["schemas"]["Annotations"][];
        };
      };
    };
  };
  annotations_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Annotations"];
        };
      };
    };
  };
  annotations_update: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["AnnotationRecordRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Annotations"] | components["schemas"]["DryRunAnswer"];
        };
      };
    };
  };
  annotations_destroy: {
    parameters: {
      query?: {
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DryRunAnswer"];
        };
      };
      204: {
      };
    };
  };
  annotations_partial_update: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["AnnotationsChangeRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Annotations"] | components["schemas"]["DryRunAnswer"];
        };
      };
    };
  };
  attachments_list: {
    parameters: {
      query?: {
        device?: number | string;
        fields?: string;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        rack?: number | string;
        site?: number | string;
        ticket?: number | string;
        id?: number;
        filename?: string;
        content_type?: string;
        size?: number;
        sha256?: string;
        width?: number;
        height?: number;
        caption?: string;
        created_at?: string;
        created_by?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedAttachmentList"];
        };
      };
    };
  };
  attachments_create: {
    requestBody: {
      content: {
        "multipart/form-data": components["schemas"]["AttachmentUploadRequest"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["Attachment"] | components["schemas"]["Attachment"][];
        };
      };
    };
  };
  attachments_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Attachment"];
        };
      };
    };
  };
  attachments_destroy: {
    parameters: {
      query?: {
        dry_run?: boolean;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DryRunAnswer"];
        };
      };
      204: {
      };
    };
  };
  attachments_partial_update: {
    parameters: {
      query?: {
        dry_run?: boolean;
      };
      path: {
        id: number;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["PatchedCaptionRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Attachment"] | components["schemas"]["DryRunAnswer"];
        };
      };
    };
  };
  attachments_content_retrieve: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "image/jpeg": string;
          "image/png": string;
          "image/webp": string;
          "application/pdf": string;
          "text/plain": string;
        };
      };
    };
  };
  attachments_thumbnail_retrieve: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "image/jpeg": string;
        };
      };
    };
  };
  cables_list: {
    parameters: {
      query?: {
        bundle?: string;
        colour?: string;
        device?: string;
        device_name?: string;
        id?: number;
        label?: string;
        length_m?: number;
        ordering?: string;
        page?: number;
        page_size?: number;
        part_number?: string;
        port?: string;
        search?: string;
        site?: string;
        site_name?: string;
        status?: components["schemas"]["CableStatus"];
        tags?: string;
        type?: string;
        vendor?: string;
        fields?: string;
        omit?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            count: number;
            next: string | null;
            previous: string | null;
            results: components["schemas"]["Cables"][];
          };
        };
      };
    };
  };
  cables_create: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["CableRecordRequest"] | components["schemas"]["CableRecordRequest"][];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DryRunAnswer"];
        };
      };
      201: {
        content: {
          "application/json": components["schemas"]["Cables"] | components["schemas"]["Cables"][];
        };
      };
    };
  };
  cables_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Cables"];
        };
      };
    };
  };
  cables_update: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["CableRecordRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Cables"] | components["schemas"]["DryRunAnswer"];
        };
      };
    };
  };
  cables_destroy: {
    parameters: {
      query?: {
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DryRunAnswer"];
        };
      };
      204: {
      };
    };
  };
  cables_partial_update: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["CablesChangeRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Cables"] | components["schemas"]["DryRunAnswer"];
        };
      };
    };
  };
  change_sets_list: {
    parameters: {
      query?: {
        id?: number;
        name?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
        site?: string;
        site_name?: string;
        fields?: string;
        omit?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            count: number;
            next: string | null;
            previous: string | null;
            results: components["schemas"]["ChangeSets"][];
          };
        };
      };
    };
  };
  change_sets_create: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["ChangeSetRecordRequest"] | components["schemas"]["ChangeSetRecordRequest"][];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DryRunAnswer"];
        };
      };
      201: {
        content: {
          "application/json": components["schemas"]["ChangeSets"] | components["schemas"]["ChangeSets"][];
        };
      };
    };
  };
  change_sets_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["ChangeSets"];
        };
      };
    };
  };
  change_sets_update: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["ChangeSetRecordRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["ChangeSets"] | components["schemas"]["DryRunAnswer"];
        };
      };
    };
  };
  change_sets_destroy: {
    parameters: {
      query?: {
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DryRunAnswer"];
        };
      };
      204: {
      };
    };
  };
  change_sets_partial_update: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["ChangeSetsChangeRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["ChangeSets"] | components["schemas"]["DryRunAnswer"];
        };
      };
    };
  };
  checks_retrieve: {
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Checks"];
        };
      };
    };
  };
  comments_list: {
    parameters: {
      query?: {
        at?: string;
        author?: string;
        device?: string;
        device_name?: string;
        edited_at?: string;
        id?: number;
        ordering?: string;
        page?: number;
        page_size?: number;
        rack?: string;
        rack_name?: string;
        room?: string;
        room_name?: string;
        search?: string;
        site?: string;
        site_name?: string;
        text?: string;
        fields?: string;
        omit?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            count: number;
            next: string | null;
            previous: string | null;
            results: components["schemas"]["Comments"][];
          };
        };
      };
    };
  };
  comments_create: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["CommentRecordRequest"] | components["schemas"]["CommentRecordRequest"][];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DryRunAnswer"];
        };
      };
      201: {
        content: {
          "application/json": components["schemas"]["Comments"] | components["schemas"]["Comments"][];
        };
      };
    };
  };
  comments_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Comments"];
        };
      };
    };
  };
  comments_update: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["CommentRecordRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Comments"] | components["schemas"]["DryRunAnswer"];
        };
      };
    };
  };
  comments_destroy: {
    parameters: {
      query?: {
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DryRunAnswer"];
        };
      };
      204: {
      };
    };
  };
  comments_partial_update: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["CommentsChangeRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Comments"] | components["schemas"]["DryRunAnswer"];
        };
      };
    };
  };
  components_list: {
    parameters: {
      query?: {
        condition?: components["schemas"]["PartCondition"];
        device?: string;
        guid?: string;
        id?: number;
        in_stock?: boolean;
        kind?: components["schemas"]["PartKind"];
        ordering?: string;
        page?: number;
        page_size?: number;
        part_number?: string;
        search?: string;
        serial?: string;
        site?: string;
        site_name?: string;
        storage?: string;
        storage_name?: string;
        tags?: string;
        uuid?: string;
        vendor?: string;
        fields?: string;
        omit?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            count: number;
            next: string | null;
            previous: string | null;
            results: components["schemas"]["Components"][];
          };
        };
      };
    };
  };
  components_create: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["ComponentRecordRequest"] | components["schemas"]["ComponentRecordRequest"][];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DryRunAnswer"];
        };
      };
      201: {
        content: {
          "application/json": components["schemas"]["Components"] | components["schemas"]["Components"][];
        };
      };
    };
  };
  components_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Components"];
        };
      };
    };
  };
  components_update: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["ComponentRecordRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Components"] | components["schemas"]["DryRunAnswer"];
        };
      };
    };
  };
  components_destroy: {
    parameters: {
      query?: {
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DryRunAnswer"];
        };
      };
      204: {
      };
    };
  };
  components_partial_update: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["ComponentsChangeRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Components"] | components["schemas"]["DryRunAnswer"];
        };
      };
    };
  };
  components_condition_create: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["PartConditionRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PartLife"];
        };
      };
    };
  };
  components_history: {
    parameters: {
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedInstallationList"];
        };
      };
    };
  };
  components_install_create: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["PartInstallRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PartLife"];
        };
      };
    };
  };
  components_life_retrieve: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PartLife"];
        };
      };
    };
  };
  components_move_create: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["PartInstallRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PartLife"];
        };
      };
    };
  };
  components_remove_create: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["PartRemoveRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PartLife"];
        };
      };
    };
  };
  components_store_create: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["PartStoreRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PartLife"];
        };
      };
    };
  };
  contacts_list: {
    parameters: {
      query?: {
        email?: string;
        id?: number;
        name?: string;
        note?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        phone?: string;
        role?: string;
        search?: string;
        site?: string;
        site_name?: string;
        fields?: string;
        omit?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            count: number;
            next: string | null;
            previous: string | null;
            results: components["schemas"]["Contacts"][];
          };
        };
      };
    };
  };
  contacts_create: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["ContactRecordRequest"] | components["schemas"]["ContactRecordRequest"][];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DryRunAnswer"];
        };
      };
      201: {
        content: {
          "application/json": components["schemas"]["Contacts"] | components["schemas"]["Contacts"][];
        };
      };
    };
  };
  contacts_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Contacts"];
        };
      };
    };
  };
  contacts_update: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["ContactRecordRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Contacts"] | components["schemas"]["DryRunAnswer"];
        };
      };
    };
  };
  contacts_destroy: {
    parameters: {
      query?: {
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DryRunAnswer"];
        };
      };
      204: {
      };
    };
  };
  contacts_partial_update: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["ContactsChangeRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Contacts"] | components["schemas"]["DryRunAnswer"];
        };
      };
    };
  };
  custom_fields_list: {
    parameters: {
      query?: {
        help?: string;
        id?: number;
        maximum?: number;
        minimum?: number;
        name?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        pattern?: string;
        required?: boolean;
        search?: string;
        title?: string;
        type?: "text" | "integer" | "number" | "boolean" | "date" | "url" | "choice" | "choices";
        fields?: string;
        omit?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            count: number;
            next: string | null;
            previous: string | null;
            results: components["schemas"]["CustomFields"][];
          };
        };
      };
    };
  };
  custom_fields_create: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["CustomFieldRecordRequest"] | components["schemas"]["CustomFieldRecordRequest"][];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DryRunAnswer"];
        };
      };
      201: {
        content: {
          "application/json": components["schemas"]["CustomFields"] | components["schemas"]["CustomFields"][];
        };
      };
    };
  };
  custom_fields_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["CustomFields"];
        };
      };
    };
  };
  custom_fields_update: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["CustomFieldRecordRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["CustomFields"] | components["schemas"]["DryRunAnswer"];
        };
      };
    };
  };
  custom_fields_destroy: {
    parameters: {
      query?: {
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DryRunAnswer"];
        };
      };
      204: {
      };
    };
  };
  custom_fields_partial_update: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["CustomFieldsChangeRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["CustomFields"] | components["schemas"]["DryRunAnswer"];
        };
      };
    };
  };
  desk_policies_list: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedDeskPolicyList"];
        };
      };
    };
  };
  desk_policies_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DeskPolicy"];
        };
      };
    };
  };
  desk_policies_partial_update: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["PatchedDeskPolicyRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DeskPolicy"];
        };
      };
    };
  };
  device_models_list: {
    parameters: {
      query?: {
        air_class?: "" | "A1" | "A2" | "A3" | "A4" | "H1";
        airflow?: string;
        full_depth?: boolean;
        gpu_count?: number;
        gpu_type?: string;
        id?: number;
        kind?: components["schemas"]["DeviceKind"];
        name?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        power_w?: number;
        psu_count?: number;
        search?: string;
        slug?: string;
        vendor?: string;
        fields?: string;
        omit?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            count: number;
            next: string | null;
            previous: string | null;
            results: components["schemas"]["DeviceModels"][];
          };
        };
      };
    };
  };
  device_models_create: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["DeviceModelRecordRequest"] | components["schemas"]["DeviceModelRecordRequest"][];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DryRunAnswer"];
        };
      };
      201: {
        content: {
          "application/json": components["schemas"]["DeviceModels"] | components["schemas"]["DeviceModels"][];
        };
      };
    };
  };
  device_models_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DeviceModels"];
        };
      };
    };
  };
  device_models_update: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["DeviceModelRecordRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DeviceModels"] | components["schemas"]["DryRunAnswer"];
        };
      };
    };
  };
  device_models_destroy: {
    parameters: {
      query?: {
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DryRunAnswer"];
        };
      };
      204: {
      };
    };
  };
  device_models_partial_update: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["DeviceModelsChangeRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DeviceModels"] | components["schemas"]["DryRunAnswer"];
        };
      };
    };
  };
  device_models_power_retrieve: {
    parameters: {
      path: {
        slug: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["ModelPower"];
        };
      };
    };
  };
  devices_list: {
    parameters: {
      query?: {
        asset_tag?: string;
        bay?: string;
        bmc_ip?: string;
        bmc_mac?: string;
        boot_mac?: string;
        contact?: string;
        contact_name?: string;
        fabric?: "infiniband" | "ethernet" | "management";
        feed?: string;
        feed_name?: string;
        id?: number;
        kind?: components["schemas"]["DeviceKind"];
        limit_w?: number;
        model?: string;
        model_name?: string;
        name?: string;
        node_guid?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        parent?: string;
        parent_name?: string;
        primary_ip?: string;
        rack?: string;
        rack_name?: string;
        role?: string;
        room?: string;
        room_name?: string;
        search?: string;
        serial?: string;
        service_tag?: string;
        side?: string;
        site?: string;
        site_name?: string;
        status?: components["schemas"]["DeviceStatus"];
        support_vendor?: string;
        system_uuid?: string;
        tags?: string;
        tier?: string;
        u?: number;
        warranty_until?: string;
        fields?: string;
        omit?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            count: number;
            next: string | null;
            previous: string | null;
            results: components["schemas"]["Devices"][];
          };
        };
      };
    };
  };
  devices_create: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["DeviceRecordRequest"] | components["schemas"]["DeviceRecordRequest"][];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DryRunAnswer"];
        };
      };
      201: {
        content: {
          "application/json": components["schemas"]["Devices"] | components["schemas"]["Devices"][];
        };
      };
    };
  };
  devices_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Devices"];
        };
      };
    };
  };
  devices_update: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["DeviceRecordRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Devices"] | components["schemas"]["DryRunAnswer"];
        };
      };
    };
  };
  devices_destroy: {
    parameters: {
      query?: {
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DryRunAnswer"];
        };
      };
      204: {
      };
    };
  };
  devices_partial_update: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["DevicesChangeRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Devices"] | components["schemas"]["DryRunAnswer"];
        };
      };
    };
  };
  devices_cables: {
    parameters: {
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedDeviceCableList"];
        };
      };
    };
  };
  devices_components: {
    parameters: {
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedInstalledPartList"];
        };
      };
    };
  };
  devices_face: {
    parameters: {
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DeviceFace"];
        };
      };
    };
  };
  devices_place: {
    parameters: {
      query?: {
        slot?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["WayTo"];
        };
      };
    };
  };
  devices_power_retrieve: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DevicePower"];
        };
      };
    };
  };
  endpoints_list: {
    parameters: {
      query?: {
        fields?: string;
        kind?: components["schemas"]["AccessKind"];
        machine?: number | string;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedEndpointList"];
        };
      };
    };
  };
  endpoints_create: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["EndpointRequest"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["Endpoint"];
        };
      };
    };
  };
  endpoints_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Endpoint"];
        };
      };
    };
  };
  endpoints_update: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["EndpointRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Endpoint"];
        };
      };
    };
  };
  endpoints_destroy: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      204: {
      };
    };
  };
  endpoints_partial_update: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["PatchedEndpointRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Endpoint"];
        };
      };
    };
  };
  escalation_policies_list: {
    parameters: {
      query?: {
        active?: boolean;
        fields?: string;
        name?: string;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
        site?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedEscalationPolicyList"];
        };
      };
    };
  };
  escalation_policies_create: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["EscalationPolicyRequest"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["EscalationPolicy"];
        };
      };
    };
  };
  escalation_policies_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["EscalationPolicy"];
        };
      };
    };
  };
  escalation_policies_destroy: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      204: {
      };
    };
  };
  escalation_policies_partial_update: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["PatchedEscalationPolicyRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["EscalationPolicy"];
        };
      };
    };
  };
  events_stream_retrieve: {
    parameters: {
      query: {
        after?: string;
        format?: "json" | "sse";
        site: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "text/event-stream": string;
        };
      };
    };
  };
  export: {
    parameters: {
      query?: {
        ordering?: string;
        search?: string;
      };
      path: {
        file_format: "csv" | "json" | "xlsx" | "yaml";
        kind: string;
      };
    };
    responses: {
      200: {
        content: {
          "text/csv": string;
          "application/yaml": string;
          "application/json": string;
          "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
        };
      };
    };
  };
  export_ansible_retrieve: {
    parameters: {
      query?: {
        fabric?: string;
        ids?: string;
        kind?: components["schemas"]["DeviceKind"];
        model?: number | string;
        rack?: number | string;
        role?: string;
        room?: number | string;
        row?: number | string;
        site?: number | string;
        status?: components["schemas"]["DeviceStatus"];
        tag?: string;
        tier?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["AnsibleInventory"];
        };
      };
    };
  };
  "export_cable_list.csv_retrieve": {
    parameters: {
      query?: {
        bundle?: string;
        device?: number | string;
        ids?: string;
        label?: string;
        rack?: number | string;
        room?: number | string;
        row?: number | string;
        site?: number | string;
        status?: components["schemas"]["CableStatus"];
        tag?: string;
        type?: string;
      };
    };
    responses: {
      200: {
        content: {
          "*/*": string;
        };
      };
    };
  };
  "export_cable_list.xlsx_retrieve": {
    parameters: {
      query?: {
        bundle?: string;
        device?: number | string;
        ids?: string;
        label?: string;
        rack?: number | string;
        room?: number | string;
        row?: number | string;
        site?: number | string;
        status?: components["schemas"]["CableStatus"];
        tag?: string;
        type?: string;
      };
    };
    responses: {
      200: {
        content: {
          "*/*": string;
        };
      };
    };
  };
  export_node_name_map_retrieve: {
    parameters: {
      query?: {
        machines?: boolean;
        site?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "text/plain": string;
        };
      };
    };
  };
  export_prometheus_sd_list: {
    parameters: {
      query?: {
        address?: "primary" | "bmc" | "name";
        fabric?: string;
        ids?: string;
        kind?: components["schemas"]["DeviceKind"];
        model?: number | string;
        port?: number;
        rack?: number | string;
        role?: string;
        room?: number | string;
        row?: number | string;
        site?: number | string;
        status?: components["schemas"]["DeviceStatus"];
        tag?: string;
        tier?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["TargetGroup"][];
        };
      };
    };
  };
  export_site: {
    parameters: {
      query?: {
        file_format?: "csv" | "yaml" | "json";
        site?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/zip": string;
        };
      };
    };
  };
  external_items_list: {
    parameters: {
      query?: {
        fields?: string;
        kind?: components["schemas"]["ExternalItemKind"];
        link__system?: number | string;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
        status?: components["schemas"]["ExternalItemStatus"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedExternalItemList"];
        };
      };
    };
  };
  external_links_list: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
        system?: number | string;
        ticket?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedExternalLinkList"];
        };
      };
    };
  };
  fabric_at: {
    parameters: {
      query?: {
        device?: number | string;
        page?: number;
        site?: number | string;
        source?: number | string;
        time?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["LinksThen"];
        };
      };
    };
  };
  fabric_burn_ins_list: {
    parameters: {
      query?: {
        dry_run?: boolean;
        fields?: string;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
        site?: number | string;
        source?: number | string;
        status?: components["schemas"]["BurnInStatus"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedBurnInList"];
        };
      };
    };
  };
  fabric_burn_ins_create: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["PlanBurnInRequest"];
      };
    };
    responses: {
      202: {
        content: {
          "application/json": components["schemas"]["BurnIn"];
        };
      };
    };
  };
  fabric_burn_ins_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["BurnInDetail"];
        };
      };
    };
  };
  fabric_burn_ins_pairs_list: {
    parameters: {
      query?: {
        page?: number;
        page_size?: number;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedBurnInPairList"];
        };
      };
    };
  };
  fabric_burn_ins_start_create: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["StartBurnInRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["BurnIn"];
        };
      };
    };
  };
  fabric_burn_ins_stop_create: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["BurnIn"];
        };
      };
    };
  };
  fabric_captures_list: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
        source?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedCaptureList"];
        };
      };
    };
  };
  fabric_captures_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Capture"];
        };
      };
    };
  };
  fabric_captures_parts_retrieve: {
    parameters: {
      path: {
        id: number;
        part: string;
      };
    };
    responses: {
      200: {
        content: {
          "text/plain": string;
        };
      };
    };
  };
  fabric_changes: {
    parameters: {
      query: {
        from: string;
        site?: number | string;
        source?: number | string;
        to?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["FabricChanges"];
        };
      };
    };
  };
  fabric_discoveries_list: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
        source?: number | string;
        source__site?: number | string;
        status?: components["schemas"]["DiscoveryStatus"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedDiscoveryList"];
        };
      };
    };
  };
  fabric_discoveries_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Discovery"];
        };
      };
    };
  };
  fabric_discoveries_accept_anyway_create: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["AcceptAnywayRequest"];
      };
    };
    responses: {
      202: {
        content: {
          "application/json": components["schemas"]["Discovery"];
        };
      };
    };
  };
  fabric_discoveries_diagnosis_retrieve: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Diagnosis"];
        };
      };
    };
  };
  fabric_events_list: {
    parameters: {
      query?: {
        code?: number;
        device?: number | string;
        fields?: string;
        group?: string;
        guid?: string;
        incident?: number;
        never_dropped?: boolean;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        port?: number;
        search?: string;
        severity?: components["schemas"]["EventSeverity"];
        since?: string;
        site?: number | string;
        source?: number | string;
        until?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedFabricEventList"];
        };
      };
    };
  };
  fabric_events_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["FabricEvent"];
        };
      };
    };
  };
  fabric_findings_list: {
    parameters: {
      query?: {
        cable?: number | string;
        device?: number | string;
        fields?: string;
        kind?: string[];
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        rack?: number | string;
        search?: string;
        severity?: string;
        site?: number | string;
        source?: number | string;
        state?: components["schemas"]["FindingState"][];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedFindingList"];
        };
      };
    };
  };
  fabric_findings_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["FindingDetail"];
        };
      };
    };
  };
  fabric_findings_accept_create: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["AcceptFindingRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["FindingDetail"];
        };
      };
    };
  };
  fabric_findings_reopen_create: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["FindingDetail"];
        };
      };
    };
  };
  fabric_heat: {
    parameters: {
      query: {
        site: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Heat"];
        };
      };
    };
  };
  fabric_incidents_list: {
    parameters: {
      query?: {
        device?: number | string;
        fields?: string;
        omit?: string;
        open?: boolean;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
        severity?: components["schemas"]["EventSeverity"];
        site?: number | string;
        source?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedIncidentList"];
        };
      };
    };
  };
  fabric_incidents_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Incident"];
        };
      };
    };
  };
  fabric_incidents_close_create: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["CloseIncidentRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Incident"];
        };
      };
    };
  };
  fabric_length_table_list: {
    parameters: {
      query?: {
        a_rack?: number | string;
        a_row?: number | string;
        b_rack?: number | string;
        b_row?: number | string;
        fields?: string;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
        site?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedLengthRuleList"];
        };
      };
    };
  };
  fabric_length_table_create: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["LengthRuleRequest"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["LengthRule"];
        };
      };
    };
  };
  fabric_length_table_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["LengthRule"];
        };
      };
    };
  };
  fabric_length_table_update: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["LengthRuleRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["LengthRule"];
        };
      };
    };
  };
  fabric_length_table_destroy: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      204: {
      };
    };
  };
  fabric_length_table_partial_update: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["PatchedLengthRuleRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["LengthRule"];
        };
      };
    };
  };
  fabric_links_list: {
    parameters: {
      query?: {
        alarm?: "bad" | "none" | "recovering" | "suspected";
        bad?: boolean;
        cable?: number | string;
        device?: number | string;
        device_id?: number;
        fields?: string;
        key?: string;
        omit?: string;
        order?: "worst";
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
        site?: number | string;
        source?: number | string;
        state?: components["schemas"]["LinkQuality"][];
        window?: "1d" | "1h" | "5m";
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedLinkList"];
        };
      };
    };
  };
  fabric_links_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        key: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["LinkDetail"];
        };
      };
    };
  };
  fabric_links_history_retrieve: {
    parameters: {
      query?: {
        as?: "csv" | "json";
        from?: string;
        to?: string;
      };
      path: {
        key: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["LinkHistory"];
          "text/csv": string;
        };
      };
    };
  };
  fabric_links_measure_create: {
    parameters: {
      path: {
        key: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["MeasureRequest"];
      };
    };
    responses: {
      202: {
        content: {
          "application/json": components["schemas"]["Measurement"];
        };
      };
    };
  };
  fabric_matrix: {
    parameters: {
      query?: {
        site?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Matrix"];
        };
      };
    };
  };
  fabric_measurements_list: {
    parameters: {
      query?: {
        fields?: string;
        key?: string;
        omit?: string;
        ordering?: string;
        owner?: string;
        page?: number;
        page_size?: number;
        search?: string;
        status?: components["schemas"]["MeasurementStatus"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedMeasurementList"];
        };
      };
    };
  };
  fabric_measurements_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Measurement"];
        };
      };
    };
  };
  fabric_misplaced: {
    parameters: {
      query: {
        site: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedMisplacedList"];
        };
      };
    };
  };
  fabric_names_list: {
    parameters: {
      query?: {
        certain?: boolean;
        device?: number | string;
        fields?: string;
        guid?: string;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
        source?: number | string;
        source__site?: number | string;
        state?: components["schemas"]["NameState"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedNameList"];
        };
      };
    };
  };
  fabric_names_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Name"];
        };
      };
    };
  };
  fabric_names_reject_create: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["RejectRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Name"];
        };
      };
    };
  };
  fabric_names_approve_create: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["ApproveRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Name"][];
        };
      };
    };
  };
  fabric_node_name_map: {
    parameters: {
      query: {
        source: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "text/plain": string;
        };
      };
    };
  };
  fabric_overview: {
    parameters: {
      query?: {
        site?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Overview"];
        };
      };
    };
  };
  fabric_plans_list: {
    parameters: {
      query?: {
        fields?: string;
        name?: string;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
        site?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedPlanList"];
        };
      };
    };
  };
  fabric_plans_create: {
    requestBody: {
      content: {
        "multipart/form-data": components["schemas"]["NewPlanRequest"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["Plan"];
        };
      };
    };
  };
  fabric_plans_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Plan"];
        };
      };
    };
  };
  fabric_plans_destroy: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      204: {
      };
    };
  };
  fabric_port_actions_list: {
    parameters: {
      query?: {
        action?: components["schemas"]["PortActionKind"];
        fields?: string;
        link?: string;
        live?: boolean;
        omit?: string;
        ordering?: string;
        owner?: string;
        page?: number;
        page_size?: number;
        search?: string;
        site?: number | string;
        source?: number | string;
        state?: components["schemas"]["PortActionState"][];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedPortActionList"];
        };
      };
    };
  };
  fabric_port_actions_create: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["PortProposalRequest"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["PortAction"];
        };
      };
    };
  };
  fabric_port_actions_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PortAction"];
        };
      };
    };
  };
  fabric_port_actions_approve_create: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PortAction"];
        };
      };
    };
  };
  fabric_port_actions_enable_create: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["PortReasonRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PortAction"];
        };
      };
    };
  };
  fabric_port_actions_refuse_create: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["PortReasonRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PortAction"];
        };
      };
    };
  };
  fabric_port_policies_list: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedPortPolicyList"];
        };
      };
    };
  };
  fabric_port_policies_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PortPolicy"];
        };
      };
    };
  };
  fabric_port_policies_partial_update: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["PatchedPortPolicyRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PortPolicy"];
        };
      };
    };
  };
  fabric_ports_list: {
    parameters: {
      query?: {
        device?: number | string;
        device__site?: number | string;
        device__switch__tier?: string;
        fields?: string;
        free?: "reserved" | "spare";
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedFreePortList"];
        };
      };
    };
  };
  fabric_ports_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["FreePort"];
        };
      };
    };
  };
  fabric_reserved_ports_list: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        port?: number | string;
        port__device?: number | string;
        port__device__site?: number | string;
        search?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedReservedPortList"];
        };
      };
    };
  };
  fabric_reserved_ports_create: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["ReservedPortRequest"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["ReservedPort"];
        };
      };
    };
  };
  fabric_reserved_ports_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["ReservedPort"];
        };
      };
    };
  };
  fabric_reserved_ports_update: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ReservedPortRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["ReservedPort"];
        };
      };
    };
  };
  fabric_reserved_ports_destroy: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      204: {
      };
    };
  };
  fabric_reserved_ports_partial_update: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["PatchedReservedPortRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["ReservedPort"];
        };
      };
    };
  };
  fabric_sources_list: {
    parameters: {
      query?: {
        enabled?: boolean;
        fabric?: "ethernet" | "infiniband";
        fields?: string;
        kind?: components["schemas"]["SourceKind"];
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
        site?: number | string;
        state?: components["schemas"]["SourceState"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedSourceList"];
        };
      };
    };
  };
  fabric_sources_create: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["SourceRequest"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["Source"];
        };
      };
    };
  };
  fabric_sources_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Source"];
        };
      };
    };
  };
  fabric_sources_update: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["SourceRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Source"];
        };
      };
    };
  };
  fabric_sources_destroy: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      204: {
      };
    };
  };
  fabric_sources_partial_update: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["PatchedSourceRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Source"];
        };
      };
    };
  };
  fabric_sources_discover_create: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      202: {
        content: {
          "application/json": components["schemas"]["Discovery"];
        };
      };
    };
  };
  fabric_sources_upload_create: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody: {
      content: {
        "multipart/form-data": components["schemas"]["CaptureUploadRequest"];
      };
    };
    responses: {
      202: {
        content: {
          "application/json": components["schemas"]["Discovery"];
        };
      };
    };
  };
  fabric_wiring_list: {
    parameters: {
      query?: {
        cable?: number | string;
        device?: number | string;
        fields?: string;
        key?: string;
        machine?: number | string;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        rail?: number;
        search?: string;
        site?: number | string;
        source?: number | string;
        state?: components["schemas"]["LinkState"][];
        tier?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedFabricLinkList"];
        };
      };
    };
  };
  fabric_wiring_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["FabricLink"];
        };
      };
    };
  };
  facility_energy_retrieve: {
    parameters: {
      query: {
        begin?: string;
        by: components["schemas"]["EnergyBy"];
        end?: string;
        site: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Energy"];
        };
      };
    };
  };
  facility_feeds_list: {
    parameters: {
      query: {
        site: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedMeasuredFeedList"];
        };
      };
    };
  };
  facility_feeds_retrieve: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["FeedDiagram"];
        };
      };
    };
  };
  facility_feeds_history_retrieve: {
    parameters: {
      query: {
        begin: string;
        end?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["History"];
        };
      };
    };
  };
  facility_findings_list: {
    parameters: {
      query?: {
        fields?: string;
        kind?: string;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        rack?: number | string;
        room?: number | string;
        search?: string;
        severity?: components["schemas"]["FindingSeverity"];
        site?: number | string;
        subject_kind?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedMeasuredFindingList"];
        };
      };
    };
  };
  facility_findings_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["MeasuredFinding"];
        };
      };
    };
  };
  facility_floor_retrieve: {
    parameters: {
      query: {
        room: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PowerFloor"];
        };
      };
    };
  };
  facility_meters_list: {
    parameters: {
      query?: {
        device?: number | string;
        enabled?: boolean;
        fields?: string;
        kind?: components["schemas"]["MeterKind"];
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        rack?: number | string;
        room?: number | string;
        search?: string;
        site?: number | string;
        state?: "failed" | "never" | "ok" | "partial" | "refused";
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedMeterList"];
        };
      };
    };
  };
  facility_meters_create: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["MeterRequest"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["Meter"];
        };
      };
    };
  };
  facility_meters_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Meter"];
        };
      };
    };
  };
  facility_meters_update: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["MeterRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Meter"];
        };
      };
    };
  };
  facility_meters_destroy: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      204: {
      };
    };
  };
  facility_meters_partial_update: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["PatchedMeterRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Meter"];
        };
      };
    };
  };
  facility_meters_history_retrieve: {
    parameters: {
      query: {
        begin: string;
        end?: string;
        name?: string;
        part: "inlet" | "phase" | "breaker" | "outlet" | "sensor" | "machine" | "psu" | "gpu" | "fan" | "loop" | "pump" | "valve" | "filter" | "leak" | "total" | "panel" | "feed" | "pdu";
        quantity: "power_w" | "current_a" | "voltage_v" | "energy_kwh" | "power_limit_w" | "current_limit_a" | "temperature_c" | "humidity_percent" | "dew_point_c" | "speed_rpm" | "speed_percent" | "supply_c" | "return_c" | "flow_lpm" | "pressure_kpa" | "open_percent" | "wet" | "health" | "service_h" | "rated_h" | "slowed_hot" | "slowed_capped" | "slowed_braked";
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["History"];
        };
      };
    };
  };
  facility_meters_read_create: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      202: {
      };
    };
  };
  facility_meters_values_retrieve: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["MeterValues"];
        };
      };
    };
  };
  facility_policies_list: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedPolicyList"];
        };
      };
    };
  };
  facility_policies_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Policy"];
        };
      };
    };
  };
  facility_policies_partial_update: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["PatchedPolicyRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Policy"];
        };
      };
    };
  };
  facility_proposals_list: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
        site?: number | string;
        state?: components["schemas"]["ProposalState"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedProposalList"];
        };
      };
    };
  };
  facility_proposals_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Proposal"];
        };
      };
    };
  };
  facility_proposals_approve_create: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["ApprovalRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Proposal"];
        };
      };
    };
  };
  facility_proposals_begin_create: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["BeginRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Proposal"];
        };
      };
    };
  };
  facility_proposals_dismiss_create: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Proposal"];
        };
      };
    };
  };
  facility_proposals_undo_create: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Proposal"];
        };
      };
    };
  };
  facility_pue_retrieve: {
    parameters: {
      query: {
        begin: string;
        end?: string;
        site: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Pue"];
        };
      };
    };
  };
  facility_racks_retrieve: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["MeasuredRack"];
        };
      };
    };
  };
  facility_racks_history_retrieve: {
    parameters: {
      query: {
        begin: string;
        end?: string;
        quantity: "power_w" | "inlet_c" | "delta_t_c" | "hottest_gpu_c";
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["History"];
        };
      };
    };
  };
  facility_racks_work_orders_create: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["GapOrderRequest"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["GapTicket"];
        };
      };
    };
  };
  facility_room_left_retrieve: {
    parameters: {
      query: {
        model: number | string;
        room: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["RoomLeft"];
        };
      };
    };
  };
  facility_slowed_retrieve: {
    parameters: {
      query: {
        begin: string;
        end?: string;
        site: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["SlowedHours"];
        };
      };
    };
  };
  facility_what_if_retrieve: {
    parameters: {
      query: {
        by_c?: number;
        count?: number;
        feed?: number | string;
        model?: number | string;
        question: components["schemas"]["WhatIfQuestion"];
        rack?: number | string;
        site?: number | string;
        together?: "feed" | "panel" | "side";
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["WhatIf"];
        };
      };
    };
  };
  facility_year_retrieve: {
    parameters: {
      query: {
        quantity: "power_w" | "inlet_c" | "delta_t_c" | "hottest_gpu_c";
        rack?: number | string;
        site?: number | string;
        year: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Year"];
        };
      };
    };
  };
  faults_list: {
    parameters: {
      query?: {
        fault_class?: string;
        fields?: string;
        leading?: boolean;
        machine?: number | string;
        omit?: string;
        open?: boolean;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
        slot?: string;
        status?: components["schemas"]["FaultStatus"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedFaultList"];
        };
      };
    };
  };
  faults_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["FaultDetail"];
        };
      };
    };
  };
  floor_retrieve: {
    parameters: {
      query?: {
        room?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Floor"];
        };
      };
    };
  };
  floor_at_retrieve: {
    parameters: {
      query?: {
        at?: string;
        room?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["FloorThen"];
        };
      };
    };
  };
  floor_feed_failure_retrieve: {
    parameters: {
      query: {
        feed: number | string;
        room?: number | string;
        together?: "feed" | "panel" | "side";
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["FeedFailure"];
        };
      };
    };
  };
  floor_layers_retrieve: {
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["FloorLayers"];
        };
      };
    };
  };
  floor_strip_retrieve: {
    parameters: {
      query?: {
        from?: string;
        room?: number | string;
        to?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Strip"];
        };
      };
    };
  };
  floor_values_retrieve: {
    parameters: {
      query: {
        of: string;
        room?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["FloorValues"];
        };
      };
    };
  };
  hand_over_retrieve: {
    parameters: {
      query?: {
        since?: string;
        site?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["ShiftHandOver"];
        };
      };
    };
  };
  hand_over_notes_create: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["NewShiftNoteRequest"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["ShiftNote"];
        };
      };
    };
  };
  hand_over_notes_acknowledge_create: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["ShiftNote"];
        };
      };
    };
  };
  health_actions_list: {
    parameters: {
      query?: {
        fields?: string;
        incident?: number;
        machine?: number | string;
        omit?: string;
        open?: boolean;
        ordering?: string;
        page?: number;
        page_size?: number;
        remedy?: string;
        search?: string;
        site?: number | string;
        state?: components["schemas"]["ActionState"][];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedActionList"];
        };
      };
    };
  };
  health_actions_create: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["StartRequest"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["Action"];
        };
      };
    };
  };
  health_actions_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Action"];
        };
      };
    };
  };
  health_actions_resolve_create: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ResolveRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Action"];
        };
      };
    };
  };
  health_active_checks_list: {
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedActiveKindList"];
        };
      };
    };
  };
  health_active_runs_list: {
    parameters: {
      query?: {
        fields?: string;
        kind?: "all_reduce" | "burn_in" | "copies" | "diagnostic" | "groups" | "pairs" | "stress" | "training";
        machine?: number | string;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
        site?: number | string;
        state?: components["schemas"]["RunStatus"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedActiveRunList"];
        };
      };
    };
  };
  health_active_runs_create: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["NewActiveRunRequest"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["ActiveRun"];
        };
      };
    };
  };
  health_active_runs_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["ActiveRunDetail"];
        };
      };
    };
  };
  health_active_runs_cancel_create: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["ActiveRun"];
        };
      };
    };
  };
  health_active_runs_results_list: {
    parameters: {
      query?: {
        page?: number;
        page_size?: number;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedActiveResultList"];
        };
      };
    };
  };
  health_active_runs_plan_create: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["NewActiveRunRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["ActivePlan"];
        };
      };
    };
  };
  health_active_windows_list: {
    parameters: {
      query?: {
        enabled?: boolean;
        fields?: string;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
        site?: number | string;
        weekday?: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedActiveWindowList"];
        };
      };
    };
  };
  health_active_windows_create: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["ActiveWindowRequest"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["ActiveWindow"];
        };
      };
    };
  };
  health_active_windows_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["ActiveWindow"];
        };
      };
    };
  };
  health_active_windows_destroy: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      204: {
      };
    };
  };
  health_active_windows_partial_update: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["PatchedActiveWindowRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["ActiveWindow"];
        };
      };
    };
  };
  health_audit_mode_list: {
    parameters: {
      query?: {
        active?: boolean;
        check?: string;
        fields?: string;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
        site?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedAuditModeList"];
        };
      };
    };
  };
  health_audit_mode_create: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["NewAuditModeRequest"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["AuditMode"];
        };
      };
    };
  };
  health_audit_mode_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["AuditMode"];
        };
      };
    };
  };
  health_audit_mode_destroy: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      204: {
      };
    };
  };
  health_audit_mode_partial_update: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["PatchedChangeRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["AuditMode"];
        };
      };
    };
  };
  health_automation_retrieve: {
    parameters: {
      query?: {
        site?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Automation"];
        };
      };
    };
  };
  health_automation_close_breaker_create: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["SiteWhyRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Automation"];
        };
      };
    };
  };
  health_automation_kill_create: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["SiteWhyRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Automation"];
        };
      };
    };
  };
  health_automation_limits_list: {
    parameters: {
      query?: {
        site?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedLimitList"];
        };
      };
    };
  };
  health_automation_limits_partial_update: {
    requestBody?: {
      content: {
        "application/json": components["schemas"]["PatchedLimitsRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Automation"];
        };
      };
    };
  };
  health_automation_release_create: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["SiteWhyRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Automation"];
        };
      };
    };
  };
  health_availability_retrieve: {
    parameters: {
      query?: {
        bucket?: "day" | "week";
        from?: string;
        site?: number | string;
        to?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Trends"];
        };
      };
    };
  };
  health_catalogue: {
    parameters: {
      query?: {
        site?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedCatalogueList"];
        };
      };
    };
  };
  health_catalogue_check: {
    parameters: {
      path: {
        check: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["CatalogueDetail"];
        };
      };
    };
  };
  health_drift_retrieve: {
    parameters: {
      query?: {
        drifting?: boolean;
        model?: number | string;
        page?: number;
        page_size?: number;
        site?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PagedDrift"];
        };
      };
    };
  };
  health_fault_classes_list: {
    parameters: {
      query?: {
        site?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedFaultClassList"];
        };
      };
    };
  };
  health_golden_list: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
        site?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedGoldenList"];
        };
      };
    };
  };
  health_golden_demote_create: {
    parameters: {
      path: {
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["GoldenReasonRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Golden"];
        };
      };
    };
  };
  health_golden_promote_create: {
    parameters: {
      path: {
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["GoldenReasonRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Golden"];
        };
      };
    };
  };
  health_golden_candidates_retrieve: {
    parameters: {
      query?: {
        page?: number;
        page_size?: number;
        site?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PagedCandidates"];
        };
      };
    };
  };
  health_golden_spares_list: {
    parameters: {
      query?: {
        ordering?: string;
        search?: string;
        site?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedSparesOfModelList"];
        };
      };
    };
  };
  health_images_retrieve: {
    parameters: {
      query?: {
        page?: number;
        page_size?: number;
        q?: string;
        site?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PagedImages"];
        };
      };
    };
  };
  health_images_machines_retrieve: {
    parameters: {
      query: {
        image: string;
        site?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["ImageMachines"];
        };
      };
    };
  };
  health_incidents_list: {
    parameters: {
      query?: {
        cause_kind?: "" | "cooling" | "feed" | "management" | "rack" | "rollout" | "room" | "row" | "site" | "switch";
        fields?: string;
        kind?: components["schemas"]["MachineIncidentKind"];
        machine?: number | string;
        omit?: string;
        open?: boolean;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
        site?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedMachineIncidentList"];
        };
      };
    };
  };
  health_incidents_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["MachineIncidentDetail"];
        };
      };
    };
  };
  health_incidents_close_create: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["WhyRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["MachineIncidentDetail"];
        };
      };
    };
  };
  health_incidents_lift_create: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["WhyRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["MachineIncidentDetail"];
        };
      };
    };
  };
  health_kernel_images_list: {
    parameters: {
      query?: {
        fields?: string;
        model?: number | string;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
        site?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedKernelImageList"];
        };
      };
    };
  };
  health_kernel_images_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["KernelImage"];
        };
      };
    };
  };
  health_kernel_lines_list: {
    parameters: {
      query?: {
        fields?: string;
        image?: string;
        machine?: number | string;
        model?: number | string;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
        site?: number | string;
        state?: components["schemas"]["KernelLineState"][];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedKernelLineList"];
        };
      };
    };
  };
  health_kernel_lines_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["KernelLine"];
        };
      };
    };
  };
  health_kernel_lines_accept_create: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["AcceptRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["KernelLine"];
        };
      };
    };
  };
  health_kernel_lines_mark_bad_create: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["MarkBadRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["KernelLine"];
        };
      };
    };
  };
  health_kernel_lines_reopen_create: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["KernelLine"];
        };
      };
    };
  };
  health_launch_ways_list: {
    parameters: {
      query?: {
        enabled?: boolean;
        fields?: string;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
        site?: number | string;
        way?: components["schemas"]["LaunchWayKind"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedLaunchWayList"];
        };
      };
    };
  };
  health_launch_ways_create: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["LaunchWayRequest"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["LaunchWay"];
        };
      };
    };
  };
  health_launch_ways_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["LaunchWay"];
        };
      };
    };
  };
  health_launch_ways_destroy: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      204: {
      };
    };
  };
  health_launch_ways_partial_update: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["PatchedLaunchWayRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["LaunchWay"];
        };
      };
    };
  };
  health_lemons_retrieve: {
    parameters: {
      query?: {
        days?: number;
        flagged?: boolean;
        model?: number | string;
        page?: number;
        page_size?: number;
        site?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PagedLemons"];
        };
      };
    };
  };
  health_matrix: {
    parameters: {
      query?: {
        check?: string;
        family?: string;
        only?: "bad";
        page?: number;
        page_size?: number;
        site?: number | string;
        state?: components["schemas"]["MachineState"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["CheckMatrix"];
        };
      };
    };
  };
  health_matrix_csv: {
    parameters: {
      query?: {
        check?: string;
        family?: string;
        format?: "csv" | "json";
        only?: "bad";
        site?: number | string;
        state?: components["schemas"]["MachineState"];
      };
    };
    responses: {
      200: {
        content: {
          "text/csv": string;
        };
      };
    };
  };
  health_overrides_list: {
    parameters: {
      query?: {
        active?: boolean;
        check?: string;
        fields?: string;
        machine?: number | string;
        model?: number | string;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        scope?: components["schemas"]["DecisionScope"];
        search?: string;
        site?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedOverrideList"];
        };
      };
    };
  };
  health_overrides_create: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["NewOverrideRequest"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["Override"];
        };
      };
    };
  };
  health_overrides_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Override"];
        };
      };
    };
  };
  health_overrides_destroy: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      204: {
      };
    };
  };
  health_overrides_partial_update: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["PatchedChangeOverrideRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Override"];
        };
      };
    };
  };
  health_plan_list: {
    parameters: {
      query?: {
        site?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedPlanRowList"];
        };
      };
    };
  };
  health_remedies_list: {
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedRemedyList"];
        };
      };
    };
  };
  health_remedy_switches_list: {
    parameters: {
      query?: {
        check_id?: string;
        fields?: string;
        mode?: components["schemas"]["AutomationMode"];
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        remedy?: string;
        search?: string;
        site?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedSwitchList"];
        };
      };
    };
  };
  health_remedy_switches_create: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["SwitchRequest"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["Switch"];
        };
      };
    };
  };
  health_remedy_switches_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Switch"];
        };
      };
    };
  };
  health_remedy_switches_destroy: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      204: {
      };
    };
  };
  health_report_sources_list: {
    parameters: {
      query?: {
        enabled?: boolean;
        fields?: string;
        kind?: components["schemas"]["ReporterKind"];
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
        site?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedReportSourceList"];
        };
      };
    };
  };
  health_report_sources_create: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["ReportSourceRequest"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["NewReportSource"];
        };
      };
    };
  };
  health_report_sources_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["ReportSource"];
        };
      };
    };
  };
  health_report_sources_update: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ReportSourceRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["ReportSource"];
        };
      };
    };
  };
  health_report_sources_destroy: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      204: {
      };
    };
  };
  health_report_sources_partial_update: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["PatchedReportSourceRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["ReportSource"];
        };
      };
    };
  };
  health_report_sources_renew_token_create: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["NewReportSource"];
        };
      };
    };
  };
  health_reports_create: {
    parameters: {
      query?: {
        strict?: boolean;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ReportsRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Taken"];
        };
      };
    };
  };
  health_responses_list: {
    parameters: {
      query?: {
        active?: boolean;
        fault_class?: string;
        fields?: string;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
        site?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedResponseOverrideList"];
        };
      };
    };
  };
  health_responses_create: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["NewResponseRequest"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["ResponseOverride"];
        };
      };
    };
  };
  health_responses_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["ResponseOverride"];
        };
      };
    };
  };
  health_responses_destroy: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      204: {
      };
    };
  };
  health_responses_partial_update: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["PatchedChangeResponseRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["ResponseOverride"];
        };
      };
    };
  };
  health_scheduler_disagreements_list: {
    parameters: {
      query?: {
        kind?: components["schemas"]["DisagreementKind"];
        site?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedDisagreementList"];
        };
      };
    };
  };
  health_scheduler_machines_list: {
    parameters: {
      query?: {
        closed?: boolean;
        fields?: string;
        machine?: number | string;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
        source?: number | string;
        source__site?: number | string;
        state?: components["schemas"]["SchedulerView"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedSchedulerMachineList"];
        };
      };
    };
  };
  health_scheduler_machines_check_retrieve: {
    parameters: {
      query?: {
        site?: number | string;
        strict?: boolean;
      };
      path: {
        name: string;
      };
    };
    responses: {
      200: {
        content: {
          "text/plain": string;
        };
      };
    };
  };
  health_scheduler_machines_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["SchedulerMachine"];
        };
      };
    };
  };
  health_schedulers_list: {
    parameters: {
      query?: {
        enabled?: boolean;
        fields?: string;
        kind?: components["schemas"]["SchedulerKind"];
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
        site?: number | string;
        state?: components["schemas"]["SchedulerState"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedSchedulerList"];
        };
      };
    };
  };
  health_schedulers_create: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["SchedulerRequest"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["Scheduler"];
        };
      };
    };
  };
  health_schedulers_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Scheduler"];
        };
      };
    };
  };
  health_schedulers_update: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["SchedulerRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Scheduler"];
        };
      };
    };
  };
  health_schedulers_destroy: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      204: {
      };
    };
  };
  health_schedulers_partial_update: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["PatchedSchedulerRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Scheduler"];
        };
      };
    };
  };
  health_schedulers_read_create: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Scheduler"];
        };
      };
    };
  };
  health_silences_list: {
    parameters: {
      query?: {
        active?: boolean;
        check?: string;
        fields?: string;
        machine?: number | string;
        model?: number | string;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        scope?: components["schemas"]["DecisionScope"];
        search?: string;
        site?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedSilenceList"];
        };
      };
    };
  };
  health_silences_create: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["NewSilenceRequest"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["Silence"];
        };
      };
    };
  };
  health_silences_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Silence"];
        };
      };
    };
  };
  health_silences_destroy: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      204: {
      };
    };
  };
  health_silences_partial_update: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["PatchedChangeSilenceRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Silence"];
        };
      };
    };
  };
  health_stuck_list: {
    parameters: {
      query?: {
        site?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedStuckList"];
        };
      };
    };
  };
  health_trends_retrieve: {
    parameters: {
      query?: {
        bucket?: "day" | "week";
        from?: string;
        site?: number | string;
        to?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Trends"];
        };
      };
    };
  };
  "health_trends.csv_retrieve": {
    parameters: {
      query?: {
        bucket?: "day" | "week";
        format?: "csv" | "json";
        from?: string;
        site?: number | string;
        to?: string;
        what?: "availability" | "failures_by_class" | "failures_by_part" | "mtbf" | "mttr";
      };
    };
    responses: {
      200: {
        content: {
          "text/csv": string;
        };
      };
    };
  };
  health_watchdog_retrieve: {
    parameters: {
      query?: {
        site?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Watchdog"];
        };
      };
    };
  };
  health_windows_list: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
        site?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedWindowList"];
        };
      };
    };
  };
  health_windows_create: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["WindowRequest"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["Window"];
        };
      };
    };
  };
  health_windows_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Window"];
        };
      };
    };
  };
  health_windows_destroy: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      204: {
      };
    };
  };
  health_windows_partial_update: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["PatchedWindowRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Window"];
        };
      };
    };
  };
  history_list: {
    parameters: {
      query?: {
        action?: "created" | "changed" | "deleted";
        actor?: string;
        kind?: string;
        object?: number;
        page?: number;
        page_size?: number;
        request_id?: string;
        search?: string;
        since?: string;
        site?: number | string;
        until?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedChangeList"];
        };
      };
    };
  };
  history_retrieve: {
    parameters: {
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Change"];
        };
      };
    };
  };
  history_entries_list: {
    parameters: {
      query?: {
        page?: number;
        page_size?: number;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedChangedRowList"];
        };
      };
    };
  };
  history_undo_retrieve: {
    parameters: {
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["UndoJob"];
        };
      };
    };
  };
  history_undo_create: {
    parameters: {
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Change"];
        };
      };
      202: {
        content: {
          "application/json": components["schemas"]["UndoJob"];
        };
      };
    };
  };
  "history_export.csv_retrieve": {
    parameters: {
      query?: {
        action?: "created" | "changed" | "deleted";
        actor?: string;
        kind?: string;
        object?: number;
        request_id?: string;
        search?: string;
        since?: string;
        site?: number | string;
        until?: string;
      };
    };
    responses: {
      200: {
        content: {
          "text/csv": string;
        };
      };
    };
  };
  "history_export.jsonl_retrieve": {
    parameters: {
      query?: {
        action?: "created" | "changed" | "deleted";
        actor?: string;
        kind?: string;
        object?: number;
        request_id?: string;
        search?: string;
        since?: string;
        site?: number | string;
        until?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/x-ndjson": string;
        };
      };
    };
  };
  identity_changes_list: {
    parameters: {
      query?: {
        fields?: string;
        kind?: components["schemas"]["AccessKind"];
        machine?: number | string;
        omit?: string;
        open?: boolean;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedIdentityChangeList"];
        };
      };
    };
  };
  identity_changes_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["IdentityChange"];
        };
      };
    };
  };
  identity_changes_accept_create: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["IdentityChange"];
        };
      };
    };
  };
  imports_list: {
    parameters: {
      query?: {
        page?: number;
        page_size?: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedImportList"];
        };
      };
    };
  };
  imports_create: {
    requestBody: {
      content: {
        "multipart/form-data": components["schemas"]["UploadRequest"];
      };
    };
    responses: {
      202: {
        content: {
          "application/json": components["schemas"]["Import"];
        };
      };
    };
  };
  imports_retrieve: {
    parameters: {
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Import"];
        };
      };
    };
  };
  imports_apply_create: {
    parameters: {
      path: {
        id: string;
      };
    };
    responses: {
      202: {
        content: {
          "application/json": components["schemas"]["Import"];
        };
      };
    };
  };
  "imports_errors.csv_retrieve": {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "text/csv": string;
        };
      };
    };
  };
  imports_netbox_list: {
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedNetBoxRunList"];
        };
      };
    };
  };
  imports_netbox_create: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["NetBoxImportRequest"];
      };
    };
    responses: {
      202: {
        content: {
          "application/json": components["schemas"]["NetBoxRun"];
        };
      };
    };
  };
  imports_netbox_retrieve: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["NetBoxRun"];
        };
      };
    };
  };
  "imports_netbox_findings.csv_retrieve": {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "text/csv": string;
        };
      };
    };
  };
  inbound_mails_list: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
        status?: components["schemas"]["InboundMailStatus"];
        ticket?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedInboundMailList"];
        };
      };
    };
  };
  inbound_mails_create: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["MailRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["InboundMail"];
        };
      };
    };
  };
  inbound_mails_mailbox_retrieve: {
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Mailbox"];
        };
      };
    };
  };
  insight_retrieve: {
    parameters: {
      query?: {
        from?: string;
        site?: number | string;
        to?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Insight"];
        };
      };
    };
  };
  "insight_.csv_retrieve": {
    parameters: {
      query?: {
        format?: "csv" | "json";
        from?: string;
        site?: number | string;
        to?: string;
      };
      path: {
        table: "ageing" | "groups" | "parts" | "steps" | "times" | "weeks";
      };
    };
    responses: {
      200: {
        content: {
          "text/csv": string;
        };
      };
    };
  };
  "insight_report.pdf_retrieve": {
    parameters: {
      query?: {
        format?: "json" | "pdf";
        site?: number | string;
        week?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/pdf": string;
        };
      };
    };
  };
  insight_report_send_create: {
    parameters: {
      query?: {
        site?: number | string;
        week?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["ReportMail"];
        };
      };
    };
  };
  insight_report_subscription_update: {
    parameters: {
      query?: {
        site?: number | string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["SubscribedRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["InsightSettings"];
        };
      };
    };
  };
  insight_settings_retrieve: {
    parameters: {
      query?: {
        site?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["InsightSettings"];
        };
      };
    };
  };
  insight_settings_update: {
    parameters: {
      query?: {
        site?: number | string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["InsightSettingsGivenRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["InsightSettings"];
        };
      };
    };
  };
  instance_retrieve: {
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Instance"];
        };
      };
    };
  };
  instance_take_over_create: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["TakeOverRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Instance"];
        };
      };
    };
  };
  ip_addresses_list: {
    parameters: {
      query?: {
        address?: string;
        device?: string;
        device_name?: string;
        dns_name?: string;
        id?: number;
        ordering?: string;
        page?: number;
        page_size?: number;
        port?: string;
        port_name?: string;
        prefix_length?: number;
        search?: string;
        site?: string;
        site_name?: string;
        vlan?: number;
        fields?: string;
        omit?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            count: number;
            next: string | null;
            previous: string | null;
            results: components["schemas"]["IpAddresses"][];
          };
        };
      };
    };
  };
  ip_addresses_create: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["IpAddressRecordRequest"] | components["schemas"]["IpAddressRecordRequest"][];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DryRunAnswer"];
        };
      };
      201: {
        content: {
          "application/json": components["schemas"]["IpAddresses"] | components["schemas"]["IpAddresses"][];
        };
      };
    };
  };
  ip_addresses_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["IpAddresses"];
        };
      };
    };
  };
  ip_addresses_update: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["IpAddressRecordRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["IpAddresses"] | components["schemas"]["DryRunAnswer"];
        };
      };
    };
  };
  ip_addresses_destroy: {
    parameters: {
      query?: {
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DryRunAnswer"];
        };
      };
      204: {
      };
    };
  };
  ip_addresses_partial_update: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["IpAddressesChangeRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["IpAddresses"] | components["schemas"]["DryRunAnswer"];
        };
      };
    };
  };
  kinds_list: {
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedKindDescriptionList"];
        };
      };
    };
  };
  known_hosts_list: {
    parameters: {
      query?: {
        fields?: string;
        machine?: number | string;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
        source?: components["schemas"]["IdentitySource"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedKnownHostList"];
        };
      };
    };
  };
  known_hosts_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["KnownHost"];
        };
      };
    };
  };
  "labels_cables.pdf_retrieve": {
    parameters: {
      query?: {
        bundle?: string;
        device?: number | string;
        ids?: string;
        label?: string;
        layout?: components["schemas"]["LabelSheet"];
        rack?: number | string;
        room?: number | string;
        row?: number | string;
        site?: number | string;
        start?: number;
        status?: components["schemas"]["CableStatus"];
        tag?: string;
        type?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/pdf": string;
        };
      };
    };
  };
  "labels_machines.pdf_retrieve": {
    parameters: {
      query?: {
        fabric?: string;
        ids?: string;
        kind?: components["schemas"]["DeviceKind"];
        layout?: components["schemas"]["LabelSheet"];
        model?: number | string;
        rack?: number | string;
        role?: string;
        room?: number | string;
        row?: number | string;
        site?: number | string;
        start?: number;
        status?: components["schemas"]["DeviceStatus"];
        tag?: string;
        tier?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/pdf": string;
        };
      };
    };
  };
  "labels_racks.pdf_retrieve": {
    parameters: {
      query?: {
        ids?: string;
        layout?: components["schemas"]["LabelSheet"];
        rack?: number | string;
        room?: number | string;
        row?: number | string;
        site?: number | string;
        start?: number;
        tag?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/pdf": string;
        };
      };
    };
  };
  landmarks_list: {
    parameters: {
      query?: {
        id?: number;
        kind?: components["schemas"]["LandmarkKind"];
        name?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        room?: string;
        room_name?: string;
        search?: string;
        site?: string;
        site_name?: string;
        x_mm?: number;
        y_mm?: number;
        fields?: string;
        omit?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            count: number;
            next: string | null;
            previous: string | null;
            results: components["schemas"]["Landmarks"][];
          };
        };
      };
    };
  };
  landmarks_create: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["LandmarkRecordRequest"] | components["schemas"]["LandmarkRecordRequest"][];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DryRunAnswer"];
        };
      };
      201: {
        content: {
          "application/json": components["schemas"]["Landmarks"] | components["schemas"]["Landmarks"][];
        };
      };
    };
  };
  landmarks_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Landmarks"];
        };
      };
    };
  };
  landmarks_update: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["LandmarkRecordRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Landmarks"] | components["schemas"]["DryRunAnswer"];
        };
      };
    };
  };
  landmarks_destroy: {
    parameters: {
      query?: {
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DryRunAnswer"];
        };
      };
      204: {
      };
    };
  };
  landmarks_partial_update: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["LandmarksChangeRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Landmarks"] | components["schemas"]["DryRunAnswer"];
        };
      };
    };
  };
  machines_list: {
    parameters: {
      query?: {
        cell?: components["schemas"]["MachineCell"][];
        fields?: string;
        model?: number | string;
        name?: string;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        pool?: number | string;
        rack?: number | string;
        reachability?: components["schemas"]["Reachability"];
        search?: string;
        site?: number | string;
        state?: components["schemas"]["MachineState"][];
        worst?: components["schemas"]["VerdictCode"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedMachineList"];
        };
      };
    };
  };
  machines_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        machine: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["MachineDetail"];
        };
      };
    };
  };
  machines_accept_swap_create: {
    parameters: {
      path: {
        machine: number;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["SlotRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["AcceptedPart"];
        };
      };
    };
  };
  machines_addresses_list: {
    parameters: {
      path: {
        device: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedMachineAddressList"];
        };
      };
    };
  };
  machines_addresses_create: {
    parameters: {
      path: {
        device: number;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["AddressAddRequest"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["MachineAddress"][];
        };
      };
    };
  };
  machines_at_retrieve: {
    parameters: {
      query?: {
        at?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["MachineThen"];
        };
      };
    };
  };
  machines_cables_list: {
    parameters: {
      path: {
        machine: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedDeviceCableList"];
        };
      };
    };
  };
  machines_check_create: {
    parameters: {
      path: {
        machine: number;
      };
    };
    responses: {
      202: {
        content: {
          "application/json": components["schemas"]["SweepStarted"];
        };
      };
    };
  };
  machines_components_list: {
    parameters: {
      path: {
        machine: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedInstalledPartList"];
        };
      };
    };
  };
  machines_history_retrieve: {
    parameters: {
      query?: {
        hours?: number;
      };
      path: {
        machine: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["MachineHistory"];
        };
      };
    };
  };
  machines_holds_create: {
    parameters: {
      path: {
        machine: number;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ReasonRequest"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["Hold"];
        };
      };
    };
  };
  machines_holds_destroy: {
    parameters: {
      path: {
        machine: number;
        owner: string;
      };
    };
    responses: {
      204: {
      };
    };
  };
  machines_maintenance_create: {
    parameters: {
      path: {
        machine: number;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["MaintenanceRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["MachineDetail"];
        };
      };
    };
  };
  machine_rails: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedMachineRailList"];
        };
      };
    };
  };
  machines_remedies_list: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedRemedyByHandList"];
        };
      };
    };
  };
  machines_return_create: {
    parameters: {
      path: {
        machine: number;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ReturnRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["MachineDetail"];
        };
      };
    };
  };
  machines_timeline_retrieve: {
    parameters: {
      query?: {
        from?: string;
        to?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Timeline"];
        };
      };
    };
  };
  machines_verdicts_retrieve: {
    parameters: {
      path: {
        machine: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Verdicts"];
        };
      };
    };
  };
  machines_many: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["MachineBulkRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["MachineOutcomes"];
        };
      };
    };
  };
  me_retrieve: {
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Me"];
        };
      };
    };
  };
  me_bookmarks_list: {
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedBookmarkList"];
        };
      };
    };
  };
  me_bookmarks_create: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["NewBookmarkRequest"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["Bookmark"];
        };
      };
    };
  };
  me_bookmarks_destroy: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      204: {
      };
    };
  };
  me_messages_retrieve: {
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PersonalAnswer"];
        };
      };
    };
  };
  me_messages_update: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["PersonalRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PersonalAnswer"];
        };
      };
    };
  };
  message_channels_list: {
    parameters: {
      query?: {
        active?: boolean;
        fields?: string;
        kind?: components["schemas"]["MessageChannelKind"];
        name?: string;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
        site?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedChannelList"];
        };
      };
    };
  };
  message_channels_create: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["ChannelRequest"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["NewChannel"];
        };
      };
    };
  };
  message_channels_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Channel"];
        };
      };
    };
  };
  message_channels_destroy: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      204: {
      };
    };
  };
  message_channels_partial_update: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["PatchedChannelRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Channel"];
        };
      };
    };
  };
  message_channels_test_create: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      202: {
        content: {
          "application/json": components["schemas"]["Message"];
        };
      };
    };
  };
  message_rules_list: {
    parameters: {
      query?: {
        active?: boolean;
        channel?: number | string;
        fields?: string;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
        site?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedMessageRuleList"];
        };
      };
    };
  };
  message_rules_create: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["MessageRuleRequest"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["MessageRule"];
        };
      };
    };
  };
  message_rules_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["MessageRule"];
        };
      };
    };
  };
  message_rules_destroy: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      204: {
      };
    };
  };
  message_rules_partial_update: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["PatchedMessageRuleRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["MessageRule"];
        };
      };
    };
  };
  messages_list: {
    parameters: {
      query?: {
        channel?: number | string;
        event?: string;
        fields?: string;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
        status?: components["schemas"]["MessageStatus"];
        ticket?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedMessageList"];
        };
      };
    };
  };
  messages_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Message"];
        };
      };
    };
  };
  messages_retry_create: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Message"];
        };
      };
    };
  };
  naming_rules_list: {
    parameters: {
      query?: {
        id?: number;
        kind?: components["schemas"]["DeviceKind"];
        ordering?: string;
        page?: number;
        page_size?: number;
        pattern?: string;
        search?: string;
        site?: string;
        site_name?: string;
        tier?: string;
        fields?: string;
        omit?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            count: number;
            next: string | null;
            previous: string | null;
            results: components["schemas"]["NamingRules"][];
          };
        };
      };
    };
  };
  naming_rules_create: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["NamingRuleRecordRequest"] | components["schemas"]["NamingRuleRecordRequest"][];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DryRunAnswer"];
        };
      };
      201: {
        content: {
          "application/json": components["schemas"]["NamingRules"] | components["schemas"]["NamingRules"][];
        };
      };
    };
  };
  naming_rules_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["NamingRules"];
        };
      };
    };
  };
  naming_rules_update: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["NamingRuleRecordRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["NamingRules"] | components["schemas"]["DryRunAnswer"];
        };
      };
    };
  };
  naming_rules_destroy: {
    parameters: {
      query?: {
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DryRunAnswer"];
        };
      };
      204: {
      };
    };
  };
  naming_rules_partial_update: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["NamingRulesChangeRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["NamingRules"] | components["schemas"]["DryRunAnswer"];
        };
      };
    };
  };
  naming_apply: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["RenameRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["RenameAnswer"];
        };
      };
    };
  };
  naming_report: {
    parameters: {
      query: {
        site: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["NamingReport"];
        };
      };
    };
  };
  pass_throughs_list: {
    parameters: {
      query?: {
        device?: string;
        device_name?: string;
        front?: string;
        front_name?: string;
        id?: number;
        ordering?: string;
        page?: number;
        page_size?: number;
        position?: number;
        rear?: string;
        rear_name?: string;
        search?: string;
        site?: string;
        site_name?: string;
        fields?: string;
        omit?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            count: number;
            next: string | null;
            previous: string | null;
            results: components["schemas"]["PassThroughs"][];
          };
        };
      };
    };
  };
  pass_throughs_create: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["PassThroughRecordRequest"] | components["schemas"]["PassThroughRecordRequest"][];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DryRunAnswer"];
        };
      };
      201: {
        content: {
          "application/json": components["schemas"]["PassThroughs"] | components["schemas"]["PassThroughs"][];
        };
      };
    };
  };
  pass_throughs_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PassThroughs"];
        };
      };
    };
  };
  pass_throughs_update: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["PassThroughRecordRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PassThroughs"] | components["schemas"]["DryRunAnswer"];
        };
      };
    };
  };
  pass_throughs_destroy: {
    parameters: {
      query?: {
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DryRunAnswer"];
        };
      };
      204: {
      };
    };
  };
  pass_throughs_partial_update: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["PassThroughsChangeRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PassThroughs"] | components["schemas"]["DryRunAnswer"];
        };
      };
    };
  };
  pdus_list: {
    parameters: {
      query?: {
        asset_tag?: string;
        bay?: string;
        bmc_ip?: string;
        bmc_mac?: string;
        boot_mac?: string;
        contact?: string;
        contact_name?: string;
        fabric?: "infiniband" | "ethernet" | "management";
        feed?: string;
        feed_name?: string;
        id?: number;
        kind?: components["schemas"]["DeviceKind"];
        limit_w?: number;
        model?: string;
        model_name?: string;
        name?: string;
        node_guid?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        parent?: string;
        parent_name?: string;
        primary_ip?: string;
        rack?: string;
        rack_name?: string;
        role?: string;
        room?: string;
        room_name?: string;
        search?: string;
        serial?: string;
        service_tag?: string;
        side?: string;
        site?: string;
        site_name?: string;
        status?: components["schemas"]["DeviceStatus"];
        support_vendor?: string;
        system_uuid?: string;
        tags?: string;
        tier?: string;
        u?: number;
        warranty_until?: string;
        fields?: string;
        omit?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            count: number;
            next: string | null;
            previous: string | null;
            results: components["schemas"]["Pdus"][];
          };
        };
      };
    };
  };
  pdus_create: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["DeviceRecordRequest"] | components["schemas"]["DeviceRecordRequest"][];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DryRunAnswer"];
        };
      };
      201: {
        content: {
          "application/json": components["schemas"]["Pdus"] | components["schemas"]["Pdus"][];
        };
      };
    };
  };
  pdus_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Pdus"];
        };
      };
    };
  };
  pdus_update: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["DeviceRecordRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Pdus"] | components["schemas"]["DryRunAnswer"];
        };
      };
    };
  };
  pdus_destroy: {
    parameters: {
      query?: {
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DryRunAnswer"];
        };
      };
      204: {
      };
    };
  };
  pdus_partial_update: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["PdusChangeRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Pdus"] | components["schemas"]["DryRunAnswer"];
        };
      };
    };
  };
  pdus_cables: {
    parameters: {
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedDeviceCableList"];
        };
      };
    };
  };
  pdus_components: {
    parameters: {
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedInstalledPartList"];
        };
      };
    };
  };
  pdus_face: {
    parameters: {
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DeviceFace"];
        };
      };
    };
  };
  pdus_place: {
    parameters: {
      query?: {
        slot?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["WayTo"];
        };
      };
    };
  };
  pinned_certificates_list: {
    parameters: {
      query?: {
        fields?: string;
        machine?: number | string;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
        source?: components["schemas"]["IdentitySource"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedPinnedCertificateList"];
        };
      };
    };
  };
  pinned_certificates_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PinnedCertificate"];
        };
      };
    };
  };
  pools_list: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        role?: string;
        search?: string;
        site?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedPoolList"];
        };
      };
    };
  };
  pools_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Pool"];
        };
      };
    };
  };
  pools_partial_update: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["PatchedPoolRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Pool"];
        };
      };
    };
  };
  ports_list: {
    parameters: {
      query?: {
        cabled?: boolean;
        cage?: number;
        device?: string;
        device_name?: string;
        face?: "" | "front" | "rear";
        guid?: string;
        id?: number;
        kind?: components["schemas"]["PortKind"];
        lane?: number;
        mac?: string;
        name?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        positions?: number;
        rail?: number;
        search?: string;
        site?: string;
        site_name?: string;
        slot?: string;
        speed_gbps?: number;
        vlan?: number;
        fields?: string;
        omit?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            count: number;
            next: string | null;
            previous: string | null;
            results: components["schemas"]["Ports"][];
          };
        };
      };
    };
  };
  ports_create: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["PortRecordRequest"] | components["schemas"]["PortRecordRequest"][];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DryRunAnswer"];
        };
      };
      201: {
        content: {
          "application/json": components["schemas"]["Ports"] | components["schemas"]["Ports"][];
        };
      };
    };
  };
  ports_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Ports"];
        };
      };
    };
  };
  ports_update: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["PortRecordRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Ports"] | components["schemas"]["DryRunAnswer"];
        };
      };
    };
  };
  ports_destroy: {
    parameters: {
      query?: {
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DryRunAnswer"];
        };
      };
      204: {
      };
    };
  };
  ports_partial_update: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["PortsChangeRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Ports"] | components["schemas"]["DryRunAnswer"];
        };
      };
    };
  };
  power_feeds_list: {
    parameters: {
      query?: {
        current_a?: number;
        derating_percent?: number;
        id?: number;
        name?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        panel?: string;
        panel_name?: string;
        phases?: number;
        search?: string;
        side?: string;
        site?: string;
        site_name?: string;
        voltage_v?: number;
        fields?: string;
        omit?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            count: number;
            next: string | null;
            previous: string | null;
            results: components["schemas"]["PowerFeeds"][];
          };
        };
      };
    };
  };
  power_feeds_create: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["PowerFeedRecordRequest"] | components["schemas"]["PowerFeedRecordRequest"][];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DryRunAnswer"];
        };
      };
      201: {
        content: {
          "application/json": components["schemas"]["PowerFeeds"] | components["schemas"]["PowerFeeds"][];
        };
      };
    };
  };
  power_feeds_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PowerFeeds"];
        };
      };
    };
  };
  power_feeds_update: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["PowerFeedRecordRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PowerFeeds"] | components["schemas"]["DryRunAnswer"];
        };
      };
    };
  };
  power_feeds_destroy: {
    parameters: {
      query?: {
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DryRunAnswer"];
        };
      };
      204: {
      };
    };
  };
  power_feeds_partial_update: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["PowerFeedsChangeRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PowerFeeds"] | components["schemas"]["DryRunAnswer"];
        };
      };
    };
  };
  power_panels_list: {
    parameters: {
      query?: {
        current_a?: number;
        derating_percent?: number;
        id?: number;
        name?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        phases?: number;
        room?: string;
        room_name?: string;
        search?: string;
        site?: string;
        site_name?: string;
        voltage_v?: number;
        fields?: string;
        omit?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            count: number;
            next: string | null;
            previous: string | null;
            results: components["schemas"]["PowerPanels"][];
          };
        };
      };
    };
  };
  power_panels_create: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["PowerPanelRecordRequest"] | components["schemas"]["PowerPanelRecordRequest"][];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DryRunAnswer"];
        };
      };
      201: {
        content: {
          "application/json": components["schemas"]["PowerPanels"] | components["schemas"]["PowerPanels"][];
        };
      };
    };
  };
  power_panels_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PowerPanels"];
        };
      };
    };
  };
  power_panels_update: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["PowerPanelRecordRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PowerPanels"] | components["schemas"]["DryRunAnswer"];
        };
      };
    };
  };
  power_panels_destroy: {
    parameters: {
      query?: {
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DryRunAnswer"];
        };
      };
      204: {
      };
    };
  };
  power_panels_partial_update: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["PowerPanelsChangeRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PowerPanels"] | components["schemas"]["DryRunAnswer"];
        };
      };
    };
  };
  power_summary_retrieve: {
    parameters: {
      query: {
        site: number | string;
        together?: "feed" | "panel" | "side";
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PowerSummary"];
        };
      };
    };
  };
  provisioning_bmc_machines_list: {
    parameters: {
      query?: {
        model?: number | string;
        site?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedBmcMachineList"];
        };
      };
    };
  };
  provisioning_bmc_machines_retrieve: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["BmcMachineDetail"];
        };
      };
    };
  };
  provisioning_bmc_machines_password: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["BmcPasswordRequest"];
      };
    };
    responses: {
      202: {
      };
    };
  };
  provisioning_bmc_machines_read: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["BmcMachinesRequest"];
      };
    };
    responses: {
      202: {
      };
    };
  };
  provisioning_bmc_profiles_list: {
    parameters: {
      query?: {
        site?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedBmcProfileList"];
        };
      };
    };
  };
  provisioning_bmc_profiles_partial_update: {
    parameters: {
      query?: {
        site?: number | string;
      };
      path: {
        slug: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["PatchedNewBmcProfileRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["BmcProfile"];
        };
      };
    };
  };
  provisioning_bmc_runs_list: {
    parameters: {
      query?: {
        action?: components["schemas"]["BmcAction"];
        fields?: string;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
        status?: components["schemas"]["WaveRunStatus"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedBmcRunList"];
        };
      };
    };
  };
  provisioning_bmc_runs_create: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["NewBmcRunRequest"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["BmcRunDetail"];
        };
      };
    };
  };
  provisioning_bmc_runs_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["BmcRunDetail"];
        };
      };
    };
  };
  provisioning_bmc_runs_cancel_create: {
    parameters: {
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["BmcRunDetail"];
        };
      };
    };
  };
  provisioning_bmc_versions_list: {
    parameters: {
      query?: {
        model?: number | string;
        site?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedBmcVersionsList"];
        };
      };
    };
  };
  provisioning_deliveries_list: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedVendorDeliveryList"];
        };
      };
    };
  };
  provisioning_deliveries_create: {
    requestBody: {
      content: {
        "multipart/form-data": components["schemas"]["VendorDeliveryUploadRequest"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["VendorDeliveryDetail"];
        };
      };
    };
  };
  provisioning_deliveries_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["VendorDeliveryDetail"];
        };
      };
    };
  };
  provisioning_deliveries_destroy: {
    parameters: {
      path: {
        id: string;
      };
    };
    responses: {
      204: {
      };
    };
  };
  provisioning_deliveries_accept_create: {
    parameters: {
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["VendorDeliveryAcceptRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["VendorDeliveryDetail"];
        };
      };
    };
  };
  provisioning_discoveries_list: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedBmcDiscoveryList"];
        };
      };
    };
  };
  provisioning_discoveries_create: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["BmcDiscoveryStartRequest"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["BmcDiscoveryDetail"];
        };
      };
    };
  };
  provisioning_discoveries_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["BmcDiscoveryDetail"];
        };
      };
    };
  };
  provisioning_discoveries_destroy: {
    parameters: {
      path: {
        id: string;
      };
    };
    responses: {
      204: {
      };
    };
  };
  provisioning_discoveries_accept_create: {
    parameters: {
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["BmcDiscoveryAcceptRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["BmcDiscoveryDetail"];
        };
      };
    };
  };
  provisioning_discoveries_cancel_create: {
    parameters: {
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["BmcDiscoveryDetail"];
        };
      };
    };
  };
  provisioning_dnsmasq_retrieve: {
    parameters: {
      query: {
        interface?: string;
        log_file?: string;
        mode?: "dhcp" | "proxy";
        network: string;
        resolver?: string;
        router?: string;
        site?: number | string;
        tftp_root?: string;
      };
    };
    responses: {
      200: {
        content: {
          "text/plain": string;
        };
      };
    };
  };
  provisioning_engines_list: {
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedEngineOfferList"];
        };
      };
    };
  };
  provisioning_intake_floor_retrieve: {
    parameters: {
      query: {
        site: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["IntakeFloor"];
        };
      };
    };
  };
  provisioning_ironic_list: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedIronicServerList"];
        };
      };
    };
  };
  provisioning_ironic_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["IronicServer"];
        };
      };
    };
  };
  provisioning_ironic_partial_update: {
    parameters: {
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["PatchedIronicServerRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["IronicServer"];
        };
      };
    };
  };
  provisioning_ironic_try_create: {
    parameters: {
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Tried"];
        };
      };
    };
  };
  provisioning_ironic_writes_retrieve: {
    parameters: {
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["IronicWrites"];
        };
      };
    };
  };
  provisioning_lease_sources_list: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedLeaseSourceList"];
        };
      };
    };
  };
  provisioning_lease_sources_create: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["LeaseSourceRequest"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["LeaseSource"];
        };
      };
    };
  };
  provisioning_lease_sources_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["LeaseSource"];
        };
      };
    };
  };
  provisioning_lease_sources_update: {
    parameters: {
      path: {
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["LeaseSourceRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["LeaseSource"];
        };
      };
    };
  };
  provisioning_lease_sources_destroy: {
    parameters: {
      path: {
        id: string;
      };
    };
    responses: {
      204: {
      };
    };
  };
  provisioning_lease_sources_partial_update: {
    parameters: {
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["PatchedLeaseSourceRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["LeaseSource"];
        };
      };
    };
  };
  provisioning_limits_list: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedProvisioningLimitsList"];
        };
      };
    };
  };
  provisioning_limits_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["ProvisioningLimits"];
        };
      };
    };
  };
  provisioning_limits_partial_update: {
    parameters: {
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["PatchedProvisioningLimitsRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["ProvisioningLimits"];
        };
      };
    };
  };
  provisioning_limits_use_retrieve: {
    parameters: {
      query?: {
        run?: number;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["StartLimits"];
        };
      };
    };
  };
  provisioning_maas_list: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedMaasRegionList"];
        };
      };
    };
  };
  provisioning_maas_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["MaasRegion"];
        };
      };
    };
  };
  provisioning_maas_partial_update: {
    parameters: {
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["PatchedMaasRegionRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["MaasRegion"];
        };
      };
    };
  };
  provisioning_maas_try_create: {
    parameters: {
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Tried"];
        };
      };
    };
  };
  provisioning_maas_writes_retrieve: {
    parameters: {
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["MaasWrites"];
        };
      };
    };
  };
  provisioning_mirrors_list: {
    parameters: {
      query?: {
        fields?: string;
        kind?: components["schemas"]["MirrorKind"];
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
        site?: number | string;
        state?: components["schemas"]["MirrorState"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedMirrorList"];
        };
      };
    };
  };
  provisioning_mirrors_create: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["MirrorDetailRequest"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["MirrorDetail"];
        };
      };
    };
  };
  provisioning_mirrors_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["MirrorDetail"];
        };
      };
    };
  };
  provisioning_mirrors_update: {
    parameters: {
      path: {
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["MirrorDetailRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["MirrorDetail"];
        };
      };
    };
  };
  provisioning_mirrors_destroy: {
    parameters: {
      path: {
        id: string;
      };
    };
    responses: {
      204: {
      };
    };
  };
  provisioning_mirrors_partial_update: {
    parameters: {
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["PatchedMirrorDetailRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["MirrorDetail"];
        };
      };
    };
  };
  provisioning_placements_list: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        reference?: string;
        search?: string;
        status?: components["schemas"]["WaveRunStatus"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedPlacementList"];
        };
      };
    };
  };
  provisioning_placements_create: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["NewPlacementRequest"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["PlacementDetail"];
        };
      };
    };
  };
  provisioning_placements_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PlacementDetail"];
        };
      };
    };
  };
  provisioning_placements_cancel_create: {
    parameters: {
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PlacementDetail"];
        };
      };
    };
  };
  provisioning_placements_retry_create: {
    parameters: {
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Retried"];
        };
      };
    };
  };
  provisioning_placements_plan_retrieve: {
    parameters: {
      query: {
        caches?: number;
        image: string;
        machines?: number | string;
        nic_gbit?: number;
        site?: number | string;
        size_bytes?: number;
        uplink_gbit?: number;
        uplinks?: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PlacementPlan"];
        };
      };
    };
  };
  provisioning_returns_list: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedVendorReturnList"];
        };
      };
    };
  };
  provisioning_returns_create: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["NewVendorReturnRequest"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["VendorReturnDetail"];
        };
      };
    };
  };
  provisioning_returns_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["VendorReturnDetail"];
        };
      };
    };
  };
  provisioning_returns_destroy: {
    parameters: {
      path: {
        id: string;
      };
    };
    responses: {
      204: {
      };
    };
  };
  provisioning_returns_answer_create: {
    parameters: {
      path: {
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["AnswerVendorReturnRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["VendorReturnDetail"];
        };
      };
    };
  };
  provisioning_returns_send_create: {
    parameters: {
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["SendVendorReturnRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["VendorReturnDetail"];
        };
      };
    };
  };
  provisioning_returns_table_retrieve: {
    parameters: {
      query?: {
        as?: "csv" | "xlsx";
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "text/csv": string;
          "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
        };
      };
    };
  };
  provisioning_runs_list: {
    parameters: {
      query?: {
        fields?: string;
        machines__machine?: number | string;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
        status?: components["schemas"]["RunStatus"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedRunList"];
        };
      };
    };
  };
  provisioning_runs_create: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["NewRunRequest"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["RunDetail"];
        };
      };
    };
  };
  provisioning_runs_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["RunDetail"];
        };
      };
    };
  };
  provisioning_runs_cancel_create: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["RunDetail"];
        };
      };
    };
  };
  provisioning_runs_machines_retrieve: {
    parameters: {
      path: {
        id: number;
        rm: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["RunMachineDetail"];
        };
      };
    };
  };
  provisioning_runs_machines_cancel_create: {
    parameters: {
      path: {
        id: number;
        rm: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["RunMachineDetail"];
        };
      };
    };
  };
  provisioning_runs_machines_log_retrieve: {
    parameters: {
      query?: {
        after?: number;
      };
      path: {
        id: number;
        rm: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["LogAnswer"];
        };
      };
    };
  };
  provisioning_runs_machines_retry_create: {
    parameters: {
      path: {
        id: number;
        rm: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["RunMachineDetail"];
        };
      };
    };
  };
  provisioning_software_roles_list: {
    parameters: {
      query?: {
        site?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedSoftwareRoleList"];
        };
      };
    };
  };
  provisioning_software_runs_list: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
        status?: components["schemas"]["WaveRunStatus"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedSoftwareRunList"];
        };
      };
    };
  };
  provisioning_software_runs_create: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["NewSoftwareRunRequest"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["SoftwareRunDetail"];
        };
      };
    };
  };
  provisioning_software_runs_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["SoftwareRunDetail"];
        };
      };
    };
  };
  provisioning_software_runs_cancel_create: {
    parameters: {
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["SoftwareRunDetail"];
        };
      };
    };
  };
  provisioning_software_runs_machines_log_retrieve: {
    parameters: {
      query?: {
        after?: number;
      };
      path: {
        id: string;
        rm: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["SoftwareLog"];
        };
      };
    };
  };
  provisioning_stages_retrieve: {
    parameters: {
      query?: {
        delivery?: number;
        site?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Stages"];
        };
      };
    };
  };
  provisioning_stages_deliveries_list: {
    parameters: {
      query?: {
        site?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedDeliveryBatchList"];
        };
      };
    };
  };
  racks_list: {
    parameters: {
      query?: {
        asset_tag?: string;
        contact?: string;
        contact_name?: string;
        depth_mm?: number;
        facing?: "up" | "down";
        height_u?: number;
        id?: number;
        name?: string;
        numbering?: "up" | "down";
        ordering?: string;
        outer_height_mm?: number;
        page?: number;
        page_size?: number;
        power_limit_w?: number;
        role?: components["schemas"]["RackRole"];
        room?: string;
        room_name?: string;
        row?: string;
        row_name?: string;
        search?: string;
        serial?: string;
        site?: string;
        site_name?: string;
        tags?: string;
        weight_limit_kg?: number;
        width_mm?: number;
        x_mm?: number;
        y_mm?: number;
        fields?: string;
        omit?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            count: number;
            next: string | null;
            previous: string | null;
            results: components["schemas"]["Racks"][];
          };
        };
      };
    };
  };
  racks_create: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["RackRecordRequest"] | components["schemas"]["RackRecordRequest"][];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DryRunAnswer"];
        };
      };
      201: {
        content: {
          "application/json": components["schemas"]["Racks"] | components["schemas"]["Racks"][];
        };
      };
    };
  };
  racks_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Racks"];
        };
      };
    };
  };
  racks_update: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["RackRecordRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Racks"] | components["schemas"]["DryRunAnswer"];
        };
      };
    };
  };
  racks_destroy: {
    parameters: {
      query?: {
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DryRunAnswer"];
        };
      };
      204: {
      };
    };
  };
  racks_partial_update: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["RacksChangeRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Racks"] | components["schemas"]["DryRunAnswer"];
        };
      };
    };
  };
  racks_elevation_retrieve: {
    parameters: {
      query?: {
        as?: "json" | "svg";
        format?: "json" | "svg";
        ports?: boolean;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Elevation"];
          "image/svg+xml": string;
        };
      };
    };
  };
  racks_free_retrieve: {
    parameters: {
      query: {
        face?: "front" | "rear";
        model: number | string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["RoomInRack"];
        };
      };
    };
  };
  racks_power_retrieve: {
    parameters: {
      query?: {
        together?: "feed" | "panel" | "side";
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["RackPower"];
        };
      };
    };
  };
  racks_elevations_retrieve: {
    parameters: {
      query?: {
        room?: number | string;
        row?: number | string;
        site?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Elevations"];
        };
      };
    };
  };
  rails_report: {
    parameters: {
      query: {
        site: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["RailReport"];
        };
      };
    };
  };
  reservations_list: {
    parameters: {
      query?: {
        column?: "full" | "left" | "right";
        face?: "front" | "rear" | "both";
        id?: number;
        kind?: "reserved" | "blanking";
        ordering?: string;
        owner?: string;
        page?: number;
        page_size?: number;
        rack?: string;
        rack_name?: string;
        reason?: string;
        room?: string;
        room_name?: string;
        search?: string;
        site?: string;
        site_name?: string;
        u?: number;
        fields?: string;
        omit?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            count: number;
            next: string | null;
            previous: string | null;
            results: components["schemas"]["Reservations"][];
          };
        };
      };
    };
  };
  reservations_create: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["ReservationRecordRequest"] | components["schemas"]["ReservationRecordRequest"][];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DryRunAnswer"];
        };
      };
      201: {
        content: {
          "application/json": components["schemas"]["Reservations"] | components["schemas"]["Reservations"][];
        };
      };
    };
  };
  reservations_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Reservations"];
        };
      };
    };
  };
  reservations_update: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["ReservationRecordRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Reservations"] | components["schemas"]["DryRunAnswer"];
        };
      };
    };
  };
  reservations_destroy: {
    parameters: {
      query?: {
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DryRunAnswer"];
        };
      };
      204: {
      };
    };
  };
  reservations_partial_update: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["ReservationsChangeRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Reservations"] | components["schemas"]["DryRunAnswer"];
        };
      };
    };
  };
  rooms_list: {
    parameters: {
      query?: {
        contact?: string;
        contact_name?: string;
        depth_mm?: number;
        door?: string;
        id?: number;
        name?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
        site?: string;
        site_name?: string;
        width_mm?: number;
        fields?: string;
        omit?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            count: number;
            next: string | null;
            previous: string | null;
            results: components["schemas"]["Rooms"][];
          };
        };
      };
    };
  };
  rooms_create: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["RoomRecordRequest"] | components["schemas"]["RoomRecordRequest"][];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DryRunAnswer"];
        };
      };
      201: {
        content: {
          "application/json": components["schemas"]["Rooms"] | components["schemas"]["Rooms"][];
        };
      };
    };
  };
  rooms_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Rooms"];
        };
      };
    };
  };
  rooms_update: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["RoomRecordRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Rooms"] | components["schemas"]["DryRunAnswer"];
        };
      };
    };
  };
  rooms_destroy: {
    parameters: {
      query?: {
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DryRunAnswer"];
        };
      };
      204: {
      };
    };
  };
  rooms_partial_update: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["RoomsChangeRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Rooms"] | components["schemas"]["DryRunAnswer"];
        };
      };
    };
  };
  rotas_list: {
    parameters: {
      query?: {
        fields?: string;
        name?: string;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
        site?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedRotaList"];
        };
      };
    };
  };
  rotas_create: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["RotaRequest"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["Rota"];
        };
      };
    };
  };
  rotas_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Rota"];
        };
      };
    };
  };
  rotas_destroy: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      204: {
      };
    };
  };
  rotas_partial_update: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["PatchedRotaRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Rota"];
        };
      };
    };
  };
  rows_list: {
    parameters: {
      query?: {
        id?: number;
        name?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        position?: number;
        room?: string;
        room_name?: string;
        search?: string;
        site?: string;
        site_name?: string;
        fields?: string;
        omit?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            count: number;
            next: string | null;
            previous: string | null;
            results: components["schemas"]["Rows"][];
          };
        };
      };
    };
  };
  rows_create: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["RowRecordRequest"] | components["schemas"]["RowRecordRequest"][];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DryRunAnswer"];
        };
      };
      201: {
        content: {
          "application/json": components["schemas"]["Rows"] | components["schemas"]["Rows"][];
        };
      };
    };
  };
  rows_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Rows"];
        };
      };
    };
  };
  rows_update: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["RowRecordRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Rows"] | components["schemas"]["DryRunAnswer"];
        };
      };
    };
  };
  rows_destroy: {
    parameters: {
      query?: {
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DryRunAnswer"];
        };
      };
      204: {
      };
    };
  };
  rows_partial_update: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["RowsChangeRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Rows"] | components["schemas"]["DryRunAnswer"];
        };
      };
    };
  };
  run_collections_list: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        run?: number;
        search?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedCollectionList"];
        };
      };
    };
  };
  run_collections_create: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["NewCollectionRequest"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["Collection"];
        };
      };
    };
  };
  run_collections_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["CollectionDetail"];
        };
      };
    };
  };
  run_collections_machines_retrieve: {
    parameters: {
      query?: {
        page?: number;
        page_size?: number;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["CollectedMachinePage"];
        };
      };
    };
  };
  run_collections_evidence_retrieve: {
    parameters: {
      path: {
        id: number;
        machine: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/x-tar": string;
        };
      };
    };
  };
  run_evidence_settings_list: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedEvidenceSettingsList"];
        };
      };
    };
  };
  run_evidence_settings_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["EvidenceSettings"];
        };
      };
    };
  };
  run_evidence_settings_partial_update: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["PatchedEvidenceSettingsRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["EvidenceSettings"];
        };
      };
    };
  };
  run_metrics_settings_list: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedMetricsSourceList"];
        };
      };
    };
  };
  run_metrics_settings_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["MetricsSource"];
        };
      };
    };
  };
  run_metrics_settings_partial_update: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["PatchedMetricsSourceRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["MetricsSource"];
        };
      };
    };
  };
  run_metrics_settings_try_create: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["TryQueryRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["TriedQuery"];
        };
      };
    };
  };
  runbook_choices_list: {
    parameters: {
      query?: {
        fault_class?: string;
        fields?: string;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
        site?: number | string;
        slug?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedRunbookChoiceList"];
        };
      };
    };
  };
  runbook_choices_create: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["RunbookChoiceRequest"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["RunbookChoice"];
        };
      };
    };
  };
  runbook_choices_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["RunbookChoice"];
        };
      };
    };
  };
  runbook_choices_destroy: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      204: {
      };
    };
  };
  runbook_versions_retrieve: {
    parameters: {
      query?: {
        against?: number;
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["RunbookVersion"];
        };
      };
    };
  };
  runbooks_list: {
    parameters: {
      query?: {
        site?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedRunbookItemList"];
        };
      };
    };
  };
  runbooks_retrieve: {
    parameters: {
      query?: {
        site?: number | string;
      };
      path: {
        slug: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Runbook"];
        };
      };
    };
  };
  runbooks_draft_update: {
    parameters: {
      path: {
        slug: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["RunbookDraftInRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Runbook"];
        };
      };
    };
  };
  runbooks_drop_draft_create: {
    parameters: {
      path: {
        slug: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["RunbookDropRequest"];
      };
    };
    responses: {
      204: {
      };
    };
  };
  runbooks_publish_create: {
    parameters: {
      path: {
        slug: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["RunbookPublishRequest"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["Runbook"];
        };
      };
    };
  };
  runbooks_restore_create: {
    parameters: {
      path: {
        slug: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["RunbookRestoreRequest"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["Runbook"];
        };
      };
    };
  };
  runbooks_failing_steps_list: {
    parameters: {
      query?: {
        days?: number;
        site?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedFailingStepList"];
        };
      };
    };
  };
  runbooks_language_retrieve: {
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["RunbookLanguage"];
        };
      };
    };
  };
  runbooks_preview_create: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["RunbookPreviewInRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["RunbookPreview"];
        };
      };
    };
  };
  runs_list: {
    parameters: {
      query?: {
        fields?: string;
        job?: string;
        key?: string;
        live?: boolean;
        machine?: unknown;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
        site?: number | string;
        state?: components["schemas"]["TrainingRunState"];
        user?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedTrainingRunList"];
        };
      };
    };
  };
  runs_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["TrainingRun"];
        };
      };
    };
  };
  runs_compare_retrieve: {
    parameters: {
      query?: {
        with?: number;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["RunComparison"];
        };
      };
    };
  };
  runs_curve_retrieve: {
    parameters: {
      query?: {
        from?: string;
        points?: number;
        to?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Curve"];
        };
      };
    };
  };
  runs_hand_overs_create: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["HandOverRequestRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Replacement"];
        };
      };
    };
  };
  runs_pace_retrieve: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Pace"];
        };
      };
    };
  };
  runs_ranks_retrieve: {
    parameters: {
      query?: {
        page?: number;
        page_size?: number;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["RunRankPage"];
        };
      };
    };
  };
  runs_rank_retrieve: {
    parameters: {
      path: {
        id: number;
        rank: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["RankPlace"];
        };
      };
    };
  };
  runs_read_metrics_create: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      202: {
      };
    };
  };
  runs_replacement_retrieve: {
    parameters: {
      query?: {
        machine?: number | string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Replacement"];
        };
      };
    };
  };
  runs_roll_call_retrieve: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["RollCall"];
        };
      };
    };
  };
  runs_fit_retrieve: {
    parameters: {
      query?: {
        hosts?: string;
        image?: string;
        job?: string;
        partition?: string;
        pool?: number | string;
        run?: number;
        site?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Fit"];
        };
      };
    };
  };
  runs_fit_launch_create: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["LaunchCheckRequest"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["LaunchCheckStarted"];
        };
      };
    };
  };
  runs_logs_create: {
    requestBody: {
      content: {
        "multipart/form-data": components["schemas"]["PushedLogsRequest"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["PushTaken"];
        };
      };
    };
  };
  runs_losses_retrieve: {
    parameters: {
      query?: {
        from?: string;
        site?: number | string;
        to?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["RunLosses"];
        };
      };
    };
  };
  "runs_losses.csv_retrieve": {
    parameters: {
      query?: {
        format?: "csv" | "json";
        from?: string;
        site?: number | string;
        to?: string;
      };
    };
    responses: {
      200: {
        content: {
          "text/csv": string;
        };
      };
    };
  };
  runs_reports_create: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["RunReportRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["RunReportTaken"];
        };
      };
    };
  };
  runs_running_on_retrieve: {
    parameters: {
      query: {
        on: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["HurtByDrain"];
        };
      };
    };
  };
  runs_sparklines_list: {
    parameters: {
      query: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedSparklineList"];
        };
      };
    };
  };
  scheduler_floor_retrieve: {
    parameters: {
      query?: {
        site?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["FloorOfScheduler"];
        };
      };
    };
  };
  scheduler_jobs_list: {
    parameters: {
      query?: {
        account?: string;
        fields?: string;
        job_id?: string;
        label?: string;
        live?: boolean;
        machine?: unknown;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        partition?: string;
        search?: string;
        site?: number | string;
        state?: string;
        user?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedSchedulerJobList"];
        };
      };
    };
  };
  scheduler_jobs_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["SchedulerJob"];
        };
      };
    };
  };
  scheduler_jobs_history_retrieve: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["JobHistory"];
        };
      };
    };
  };
  scheduler_jobs_machines_list: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedJobMachineList"];
        };
      };
    };
  };
  scheduler_jobs_rails_list: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedCrossedRailList"];
        };
      };
    };
  };
  scheduler_partitions_list: {
    parameters: {
      query?: {
        site?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedPartitionList"];
        };
      };
    };
  };
  scheduler_reservations_list: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
        site?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedReservationList"];
        };
      };
    };
  };
  scheduler_reservations_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Reservation"];
        };
      };
    };
  };
  scheduler_waiting_list: {
    parameters: {
      query?: {
        account?: string;
        fields?: string;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        partition?: string;
        search?: string;
        site?: number | string;
        user?: string;
        why?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedWaitingJobList"];
        };
      };
    };
  };
  scheduler_waiting_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["WaitingJob"];
        };
      };
    };
  };
  search_list: {
    parameters: {
      query?: {
        limit?: number;
        q?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedFoundList"];
        };
      };
    };
  };
  sites_list: {
    parameters: {
      query?: {
        id?: number;
        name?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
        slug?: string;
        timezone?: string;
        fields?: string;
        omit?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            count: number;
            next: string | null;
            previous: string | null;
            results: components["schemas"]["Sites"][];
          };
        };
      };
    };
  };
  sites_create: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["SiteRecordRequest"] | components["schemas"]["SiteRecordRequest"][];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DryRunAnswer"];
        };
      };
      201: {
        content: {
          "application/json": components["schemas"]["Sites"] | components["schemas"]["Sites"][];
        };
      };
    };
  };
  sites_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Sites"];
        };
      };
    };
  };
  sites_update: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["SiteRecordRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Sites"] | components["schemas"]["DryRunAnswer"];
        };
      };
    };
  };
  sites_destroy: {
    parameters: {
      query?: {
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DryRunAnswer"];
        };
      };
      204: {
      };
    };
  };
  sites_partial_update: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["SitesChangeRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Sites"] | components["schemas"]["DryRunAnswer"];
        };
      };
    };
  };
  spares_list: {
    parameters: {
      query?: {
        kind?: string;
        part_number?: string;
        short?: boolean;
        site?: number | string;
        storage?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedSpareList"];
        };
      };
    };
  };
  spares_advice_list: {
    parameters: {
      query?: {
        site?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedStockAdviceList"];
        };
      };
    };
  };
  stock_list: {
    parameters: {
      query?: {
        id?: number;
        kind?: components["schemas"]["PartKind"];
        minimum?: number;
        ordering?: string;
        page?: number;
        page_size?: number;
        part_number?: string;
        quantity?: number;
        search?: string;
        site?: string;
        site_name?: string;
        storage?: string;
        storage_name?: string;
        vendor?: string;
        fields?: string;
        omit?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            count: number;
            next: string | null;
            previous: string | null;
            results: components["schemas"]["Stock"][];
          };
        };
      };
    };
  };
  stock_create: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["StockRecordRequest"] | components["schemas"]["StockRecordRequest"][];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DryRunAnswer"];
        };
      };
      201: {
        content: {
          "application/json": components["schemas"]["Stock"] | components["schemas"]["Stock"][];
        };
      };
    };
  };
  stock_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Stock"];
        };
      };
    };
  };
  stock_update: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["StockRecordRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Stock"] | components["schemas"]["DryRunAnswer"];
        };
      };
    };
  };
  stock_destroy: {
    parameters: {
      query?: {
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DryRunAnswer"];
        };
      };
      204: {
      };
    };
  };
  stock_partial_update: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["StockChangeRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Stock"] | components["schemas"]["DryRunAnswer"];
        };
      };
    };
  };
  stock_put_create: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["StockMoveRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["StockLeft"];
        };
      };
    };
  };
  stock_take_create: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["StockMoveRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["StockLeft"];
        };
      };
    };
  };
  storage_places_list: {
    parameters: {
      query?: {
        id?: number;
        name?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        room?: string;
        room_name?: string;
        search?: string;
        site?: string;
        site_name?: string;
        takes_removed?: boolean;
        fields?: string;
        omit?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            count: number;
            next: string | null;
            previous: string | null;
            results: components["schemas"]["StoragePlaces"][];
          };
        };
      };
    };
  };
  storage_places_create: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["StoragePlaceRecordRequest"] | components["schemas"]["StoragePlaceRecordRequest"][];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DryRunAnswer"];
        };
      };
      201: {
        content: {
          "application/json": components["schemas"]["StoragePlaces"] | components["schemas"]["StoragePlaces"][];
        };
      };
    };
  };
  storage_places_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["StoragePlaces"];
        };
      };
    };
  };
  storage_places_update: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["StoragePlaceRecordRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["StoragePlaces"] | components["schemas"]["DryRunAnswer"];
        };
      };
    };
  };
  storage_places_destroy: {
    parameters: {
      query?: {
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DryRunAnswer"];
        };
      };
      204: {
      };
    };
  };
  storage_places_partial_update: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["StoragePlacesChangeRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["StoragePlaces"] | components["schemas"]["DryRunAnswer"];
        };
      };
    };
  };
  sweeps_list: {
    parameters: {
      query?: {
        fields?: string;
        kind?: components["schemas"]["SweepKind"];
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
        site?: number | string;
        status?: components["schemas"]["SweepStatus"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedSweepList"];
        };
      };
    };
  };
  sweeps_create: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["NewSweepRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Sweep"];
        };
      };
      201: {
        content: {
          "application/json": components["schemas"]["Sweep"];
        };
      };
    };
  };
  sweeps_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["SweepDetail"];
        };
      };
    };
  };
  sweeps_state_retrieve: {
    parameters: {
      query?: {
        site?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["SweepState"];
        };
      };
    };
  };
  switches_list: {
    parameters: {
      query?: {
        asset_tag?: string;
        bay?: string;
        bmc_ip?: string;
        bmc_mac?: string;
        boot_mac?: string;
        contact?: string;
        contact_name?: string;
        fabric?: "infiniband" | "ethernet" | "management";
        feed?: string;
        feed_name?: string;
        id?: number;
        kind?: components["schemas"]["DeviceKind"];
        limit_w?: number;
        model?: string;
        model_name?: string;
        name?: string;
        node_guid?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        parent?: string;
        parent_name?: string;
        primary_ip?: string;
        rack?: string;
        rack_name?: string;
        role?: string;
        room?: string;
        room_name?: string;
        search?: string;
        serial?: string;
        service_tag?: string;
        side?: string;
        site?: string;
        site_name?: string;
        status?: components["schemas"]["DeviceStatus"];
        support_vendor?: string;
        system_uuid?: string;
        tags?: string;
        tier?: string;
        u?: number;
        warranty_until?: string;
        fields?: string;
        omit?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            count: number;
            next: string | null;
            previous: string | null;
            results: components["schemas"]["Switches"][];
          };
        };
      };
    };
  };
  switches_create: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["DeviceRecordRequest"] | components["schemas"]["DeviceRecordRequest"][];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DryRunAnswer"];
        };
      };
      201: {
        content: {
          "application/json": components["schemas"]["Switches"] | components["schemas"]["Switches"][];
        };
      };
    };
  };
  switches_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Switches"];
        };
      };
    };
  };
  switches_update: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["DeviceRecordRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Switches"] | components["schemas"]["DryRunAnswer"];
        };
      };
    };
  };
  switches_destroy: {
    parameters: {
      query?: {
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DryRunAnswer"];
        };
      };
      204: {
      };
    };
  };
  switches_partial_update: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["SwitchesChangeRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Switches"] | components["schemas"]["DryRunAnswer"];
        };
      };
    };
  };
  switches_cables: {
    parameters: {
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedDeviceCableList"];
        };
      };
    };
  };
  switches_components: {
    parameters: {
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedInstalledPartList"];
        };
      };
    };
  };
  switches_face: {
    parameters: {
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DeviceFace"];
        };
      };
    };
  };
  switches_place: {
    parameters: {
      query?: {
        slot?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["WayTo"];
        };
      };
    };
  };
  tags_list: {
    parameters: {
      query?: {
        colour?: string;
        description?: string;
        id?: number;
        name?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
        fields?: string;
        omit?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            count: number;
            next: string | null;
            previous: string | null;
            results: components["schemas"]["Tags"][];
          };
        };
      };
    };
  };
  tags_create: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["TagRecordRequest"] | components["schemas"]["TagRecordRequest"][];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DryRunAnswer"];
        };
      };
      201: {
        content: {
          "application/json": components["schemas"]["Tags"] | components["schemas"]["Tags"][];
        };
      };
    };
  };
  tags_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Tags"];
        };
      };
    };
  };
  tags_update: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["TagRecordRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Tags"] | components["schemas"]["DryRunAnswer"];
        };
      };
    };
  };
  tags_destroy: {
    parameters: {
      query?: {
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DryRunAnswer"];
        };
      };
      204: {
      };
    };
  };
  tags_partial_update: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        dry_run?: boolean;
      };
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["TagsChangeRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Tags"] | components["schemas"]["DryRunAnswer"];
        };
      };
    };
  };
  ticket_systems_list: {
    parameters: {
      query?: {
        active?: boolean;
        fields?: string;
        kind?: components["schemas"]["TicketSystemKind"];
        name?: string;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
        site?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedTicketSystemList"];
        };
      };
    };
  };
  ticket_systems_create: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["TicketSystemRequest"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["TicketSystem"];
        };
      };
    };
  };
  ticket_systems_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["TicketSystem"];
        };
      };
    };
  };
  ticket_systems_destroy: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      204: {
      };
    };
  };
  ticket_systems_partial_update: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["PatchedTicketSystemRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["TicketSystem"];
        };
      };
    };
  };
  ticket_systems_check_create: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["TicketSystem"];
        };
      };
    };
  };
  ticket_systems_retry_create: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["SentAgain"];
        };
      };
    };
  };
  tickets_list: {
    parameters: {
      query?: {
        acknowledged?: boolean;
        active?: boolean;
        assignee?: number | string;
        device?: number | string;
        due_before?: string;
        fault_class?: string;
        fields?: string;
        machine?: number | string;
        mine?: boolean;
        omit?: string;
        ordering?: string;
        overdue?: boolean;
        page?: number;
        page_size?: number;
        part?: string;
        priority?: ("P1" | "P2" | "P3")[];
        queue?: components["schemas"]["TicketQueue"][];
        rack?: number | string;
        row?: number | string;
        search?: string;
        site?: number | string;
        snoozed?: boolean;
        status?: components["schemas"]["TicketStatus"][];
        subject?: ("cable" | "machine" | "place" | "switch")[];
        watched?: boolean;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedTicketItemList"];
        };
      };
    };
  };
  tickets_create: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["TicketReportRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Ticket"];
        };
      };
      201: {
        content: {
          "application/json": components["schemas"]["Ticket"];
        };
      };
    };
  };
  tickets_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        key: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Ticket"];
        };
      };
    };
  };
  tickets_acknowledge_create: {
    parameters: {
      path: {
        key: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["TicketActionRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Ticket"];
        };
      };
    };
  };
  tickets_assign_create: {
    parameters: {
      path: {
        key: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["TicketAssignRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Ticket"];
        };
      };
    };
  };
  tickets_close_create: {
    parameters: {
      path: {
        key: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["TicketCloseRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Ticket"];
        };
      };
    };
  };
  tickets_comments_create: {
    parameters: {
      path: {
        key: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["TicketCommentRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Ticket"];
        };
      };
    };
  };
  tickets_confirm_create: {
    parameters: {
      path: {
        key: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["TicketConfirmRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Ticket"];
        };
      };
    };
  };
  tickets_labels_retrieve: {
    parameters: {
      query?: {
        label?: string;
      };
      path: {
        key: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["TicketLabels"];
        };
      };
    };
  };
  tickets_led_create: {
    parameters: {
      path: {
        key: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["TicketLedRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Ticket"];
        };
      };
    };
  };
  tickets_merge_create: {
    parameters: {
      path: {
        key: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["TicketMergeRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Ticket"];
        };
      };
    };
  };
  tickets_photos_create: {
    parameters: {
      path: {
        key: string;
      };
    };
    requestBody: {
      content: {
        "multipart/form-data": components["schemas"]["TicketPhotoUploadRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Ticket"];
        };
      };
    };
  };
  tickets_priority_create: {
    parameters: {
      path: {
        key: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["TicketPriorityRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Ticket"];
        };
      };
    };
  };
  tickets_queue_create: {
    parameters: {
      path: {
        key: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["TicketQueueRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Ticket"];
        };
      };
    };
  };
  tickets_release_create: {
    parameters: {
      path: {
        key: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["TicketReasonRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Ticket"];
        };
      };
    };
  };
  tickets_reopen_create: {
    parameters: {
      path: {
        key: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["TicketReasonRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Ticket"];
        };
      };
    };
  };
  tickets_runbook_create: {
    parameters: {
      path: {
        key: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["TicketUseRunbookRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Ticket"];
        };
      };
    };
  };
  tickets_snooze_create: {
    parameters: {
      path: {
        key: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["TicketSnoozeRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Ticket"];
        };
      };
    };
  };
  tickets_split_create: {
    parameters: {
      path: {
        key: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["TicketSplitRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Ticket"];
        };
      };
    };
  };
  tickets_steps_create: {
    parameters: {
      path: {
        key: string;
        step: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["TicketStepRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Ticket"];
        };
      };
    };
  };
  tickets_steps_recheck_create: {
    parameters: {
      path: {
        key: string;
        step: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["TicketActionRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Ticket"];
        };
      };
    };
  };
  tickets_steps_run_create: {
    parameters: {
      path: {
        key: string;
        step: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["TicketActionRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Ticket"];
        };
      };
    };
  };
  tickets_steps_sign_create: {
    parameters: {
      path: {
        key: string;
        step: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["TicketSignRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Ticket"];
        };
      };
    };
  };
  tickets_swap_create: {
    parameters: {
      path: {
        key: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["TicketSwapRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Ticket"];
        };
      };
    };
  };
  tickets_swap_connector_create: {
    parameters: {
      path: {
        key: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["TicketSwapConnectorRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Ticket"];
        };
      };
    };
  };
  tickets_take_create: {
    parameters: {
      path: {
        key: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["TicketActionRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Ticket"];
        };
      };
    };
  };
  tickets_take_part_create: {
    parameters: {
      path: {
        key: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["TicketTakePartRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Ticket"];
        };
      };
    };
  };
  tickets_tasks_create: {
    parameters: {
      path: {
        key: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["TicketSubTaskAddRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Ticket"];
        };
      };
    };
  };
  tickets_tasks_change: {
    parameters: {
      path: {
        key: string;
        task: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["TicketSubTaskChangeRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Ticket"];
        };
      };
    };
  };
  tickets_tasks_remove_create: {
    parameters: {
      path: {
        key: string;
        task: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["TicketActionRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Ticket"];
        };
      };
    };
  };
  tickets_unsnooze_create: {
    parameters: {
      path: {
        key: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["TicketActionRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Ticket"];
        };
      };
    };
  };
  tickets_verify_create: {
    parameters: {
      path: {
        key: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["TicketVerifyRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Ticket"];
        };
      };
    };
  };
  tickets_watch_create: {
    parameters: {
      path: {
        key: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["TicketWatchRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Ticket"];
        };
      };
    };
  };
  tickets_board_retrieve: {
    parameters: {
      query?: {
        acknowledged?: boolean;
        active?: boolean;
        assignee?: number | string;
        columns?: "queue" | "status";
        device?: number | string;
        due_before?: string;
        fault_class?: string;
        machine?: number | string;
        mine?: boolean;
        ordering?: string;
        overdue?: boolean;
        part?: string;
        priority?: ("P1" | "P2" | "P3")[];
        queue?: components["schemas"]["TicketQueue"][];
        rack?: number | string;
        row?: number | string;
        search?: string;
        site?: number | string;
        snoozed?: boolean;
        status?: components["schemas"]["TicketStatus"][];
        subject?: ("cable" | "machine" | "place" | "switch")[];
        watched?: boolean;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["TicketBoard"];
        };
      };
    };
  };
  tickets_many: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["TicketBulkRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["TicketOutcomes"];
        };
      };
    };
  };
  tickets_people_list: {
    parameters: {
      query?: {
        site?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedTicketPersonList"];
        };
      };
    };
  };
  tickets_round_retrieve: {
    parameters: {
      query?: {
        tickets?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Round"];
        };
      };
    };
  };
  tokens_list: {
    parameters: {
      query?: {
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedTokenList"];
        };
      };
    };
  };
  tokens_create: {
    requestBody?: {
      content: {
        "application/json": components["schemas"]["TokenRequest"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["NewToken"];
        };
      };
    };
  };
  tokens_destroy: {
    parameters: {
      path: {
        id: string;
      };
    };
    responses: {
      204: {
      };
    };
  };
  trace_list: {
    parameters: {
      query?: {
        device?: number | string;
        kind?: string;
        port?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedTraceList"];
        };
      };
    };
  };
  trace_retrieve: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Trace"];
        };
      };
    };
  };
  users_list: {
    parameters: {
      query?: {
        is_active?: boolean;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedUserList"];
        };
      };
    };
  };
  users_create: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["UserRequest"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["User"];
        };
      };
    };
  };
  users_retrieve: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["User"];
        };
      };
    };
  };
  users_update: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["UserRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["User"];
        };
      };
    };
  };
  users_destroy: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      204: {
      };
    };
  };
  users_partial_update: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["PatchedUserRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["User"];
        };
      };
    };
  };
  vendor_cases_list: {
    parameters: {
      query?: {
        fields?: string;
        number?: string;
        omit?: string;
        open?: boolean;
        ordering?: string;
        overdue?: boolean;
        page?: number;
        page_size?: number;
        search?: string;
        site?: number | string;
        state?: components["schemas"]["VendorCaseState"][];
        ticket?: number | string;
        vendor?: components["schemas"]["VendorName"][];
        vendor_return?: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedVendorCaseItemList"];
        };
      };
    };
  };
  vendor_cases_create: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["NewVendorCaseRequest"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["VendorCase"];
        };
      };
    };
  };
  vendor_cases_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["VendorCase"];
        };
      };
    };
  };
  vendor_cases_bundle_create: {
    parameters: {
      path: {
        id: string;
      };
    };
    responses: {
      202: {
        content: {
          "application/json": components["schemas"]["CaseBundle"];
        };
      };
    };
  };
  vendor_cases_bundles_retrieve: {
    parameters: {
      path: {
        id: string;
        number: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/zip": string;
        };
      };
    };
  };
  vendor_cases_edit_create: {
    parameters: {
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["VendorCaseEditRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["VendorCase"];
        };
      };
    };
  };
  vendor_cases_move_create: {
    parameters: {
      path: {
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["VendorCaseMoveRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["VendorCase"];
        };
      };
    };
  };
  vendor_cases_answers_create: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["VendorAnswerRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["VendorCase"];
        };
      };
    };
  };
  vendor_contacts_list: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
        site?: number | string;
        vendor?: components["schemas"]["VendorName"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedVendorContactList"];
        };
      };
    };
  };
  vendor_contacts_create: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["VendorContactRequest"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["VendorContact"];
        };
      };
    };
  };
  vendor_contacts_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["VendorContact"];
        };
      };
    };
  };
  vendor_contacts_update: {
    parameters: {
      path: {
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["VendorContactRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["VendorContact"];
        };
      };
    };
  };
  vendor_contacts_destroy: {
    parameters: {
      path: {
        id: string;
      };
    };
    responses: {
      204: {
      };
    };
  };
  vendor_contacts_partial_update: {
    parameters: {
      path: {
        id: string;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["PatchedVendorContactRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["VendorContact"];
        };
      };
    };
  };
  warranty_list: {
    parameters: {
      query?: {
        after?: string;
        before?: string;
        fields?: string;
        kind?: components["schemas"]["DeviceKind"];
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
        site?: number | string;
        support_vendor?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedWarrantyList"];
        };
      };
    };
  };
  webhook_deliveries_list: {
    parameters: {
      query?: {
        event?: string;
        fields?: string;
        message?: string;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
        since?: string;
        status?: components["schemas"]["DeliveryStatus"];
        until?: string;
        webhook?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedDeliveryList"];
        };
      };
    };
  };
  webhook_deliveries_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DeliveryDetail"];
        };
      };
    };
  };
  webhook_deliveries_replay_create: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Delivery"];
        };
      };
    };
  };
  webhooks_list: {
    parameters: {
      query?: {
        active?: boolean;
        fields?: string;
        name?: string;
        omit?: string;
        ordering?: string;
        page?: number;
        page_size?: number;
        search?: string;
        site?: number | string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedWebhookList"];
        };
      };
    };
  };
  webhooks_create: {
    requestBody: {
      content: {
        "application/json": components["schemas"]["WebhookRequest"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["NewWebhook"];
        };
      };
    };
  };
  webhooks_retrieve: {
    parameters: {
      query?: {
        fields?: string;
        omit?: string;
      };
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Webhook"];
        };
      };
    };
  };
  webhooks_destroy: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      204: {
      };
    };
  };
  webhooks_partial_update: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["PatchedWebhookRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Webhook"];
        };
      };
    };
  };
  webhooks_ping_create: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      202: {
        content: {
          "application/json": components["schemas"]["Delivery"];
        };
      };
    };
  };
  webhooks_replay_create: {
    parameters: {
      path: {
        id: number;
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["ReplayRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Replayed"];
        };
      };
    };
  };
  webhooks_secret_create: {
    parameters: {
      path: {
        id: number;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Secret"];
        };
      };
    };
  };
  webhooks_events_list: {
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PaginatedEventsList"];
        };
      };
    };
  };
}
