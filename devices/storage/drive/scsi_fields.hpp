// SPDX-License-Identifier: GPL-2.0-or-later
// Numbers of SCSI-2: operation codes, sense keys and codes, and big-endian fields.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace planar::storage {

enum ScsiOperation : std::uint8_t {
  // clang-format off
  test_unit_ready_op = 0x00, rezero_op = 0x01, request_sense_op = 0x03, format_op = 0x04, reassign_op = 0x07,
  read6_op = 0x08, write6_op = 0x0A, seek6_op = 0x0B, inquiry_op = 0x12, mode_select6_op = 0x15, reserve_op = 0x16,
  release_op = 0x17, mode_sense6_op = 0x1A, start_stop_op = 0x1B, send_diagnostic_op = 0x1D, prevent_removal_op = 0x1E,
  read_capacity_op = 0x25, read10_op = 0x28, write10_op = 0x2A, seek10_op = 0x2B, write_verify_op = 0x2E,
  verify_op = 0x2F, synchronize_op = 0x35, read_subchannel_op = 0x42, read_toc_op = 0x43, read_header_op = 0x44,
  mode_select10_op = 0x55, mode_sense10_op = 0x5A, read12_op = 0xA8, write12_op = 0xAA,
  // clang-format on
};

/// The name in SCSI-2; "operation" for any other code.
constexpr std::string_view operation_name(std::uint8_t operation) {
  switch (operation) {
    case test_unit_ready_op: return "TEST UNIT READY";
    case rezero_op: return "REZERO UNIT";
    case request_sense_op: return "REQUEST SENSE";
    case format_op: return "FORMAT UNIT";
    case reassign_op: return "REASSIGN BLOCKS";
    case read6_op: return "READ(6)";
    case write6_op: return "WRITE(6)";
    case seek6_op: return "SEEK(6)";
    case inquiry_op: return "INQUIRY";
    case mode_select6_op: return "MODE SELECT(6)";
    case reserve_op: return "RESERVE";
    case release_op: return "RELEASE";
    case mode_sense6_op: return "MODE SENSE(6)";
    case start_stop_op: return "START STOP UNIT";
    case send_diagnostic_op: return "SEND DIAGNOSTIC";
    case prevent_removal_op: return "PREVENT ALLOW MEDIUM REMOVAL";
    case read_capacity_op: return "READ CAPACITY";
    case read10_op: return "READ(10)";
    case write10_op: return "WRITE(10)";
    case seek10_op: return "SEEK(10)";
    case write_verify_op: return "WRITE AND VERIFY";
    case verify_op: return "VERIFY";
    case synchronize_op: return "SYNCHRONIZE CACHE";
    case read_subchannel_op: return "READ SUB-CHANNEL";
    case read_toc_op: return "READ TOC";
    case read_header_op: return "READ HEADER";
    case mode_select10_op: return "MODE SELECT(10)";
    case mode_sense10_op: return "MODE SENSE(10)";
    case read12_op: return "READ(12)";
    case write12_op: return "WRITE(12)";
    default: return "operation";
  }
}

// Sense keys
constexpr std::uint8_t not_ready = 2, medium_error = 3, illegal_request = 5, unit_attention = 6, data_protect = 7;
// Additional sense codes
constexpr std::uint8_t write_fault = 0x03, unrecovered_read = 0x11, invalid_operation = 0x20, block_out_of_range = 0x21,
                       invalid_field = 0x24, no_such_unit = 0x25, write_protected_medium = 0x27,
                       medium_may_have_changed = 0x28, power_on_reset = 0x29, medium_not_present = 0x3A,
                       load_or_eject_failed = 0x53;
constexpr std::uint8_t removal_prevented = 0x02;  // qualifies load_or_eject_failed

inline std::uint32_t big(std::span<const std::uint8_t> bytes) {
  std::uint32_t v = 0;
  for (const std::uint8_t b : bytes) v = v << 8 | b;
  return v;
}
inline void put_big(std::vector<std::uint8_t>& out, std::uint32_t value, unsigned bytes) {
  for (unsigned n = bytes; n-- > 0;) out.push_back(static_cast<std::uint8_t>(value >> (8 * n)));
}

}  // namespace planar::storage
