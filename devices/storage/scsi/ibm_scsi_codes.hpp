// SPDX-License-Identifier: GPL-2.0-or-later
// Constants of the IBM SCSI subsystem's interface (docs/hardware/scsi-subsystem.md).
#pragma once

#include <cstdint>

namespace planar::storage {

// Attention register
constexpr std::uint8_t request_mask = 0xF0, device_mask = 0x0F;
constexpr std::uint8_t immediate_request = 0x10, block_request = 0x30, long_block_request = 0x40,
                       end_of_interrupt_request = 0xE0;
// Results, interrupt status register bits 7:4
constexpr std::uint8_t block_completed = 0x10, immediate_completed = 0xA0, completed_with_failure = 0xC0,
                       command_error = 0xE0, sequence_error = 0xF0;
// Immediate commands
constexpr std::uint16_t reset_command = 0x0400, feature_control_command = 0x040C, dma_pacing_command = 0x040D,
                        assign_command = 0x040E, abort_command = 0x040F, invalid_412_command = 0x0412,
                        format_prepare_command = 0x0417;
// Control block: offsets of its fields
constexpr unsigned block_command = 0, block_enable = 2, block_lba = 4, block_buffer = 8, block_length = 12,
                   block_tsb = 16, block_chain = 20, block_count = 24, block_size = 26, block_cdb = 24;
constexpr unsigned short_block_bytes = 28, long_block_bytes = 36;
// Command word; bits 6 and 7 (no synchronous transfer, no disconnection) are ignored here
constexpr std::uint16_t block_command_mask = 0xFF3F;
constexpr std::uint16_t read_command = 0x1C01, write_command = 0x1C02, read_verify_command = 0x1C03,
                        write_verify_command = 0x1C04, complete_status_command = 0x1C07, request_sense_command = 0x1C08,
                        capacity_command = 0x1C09, pos_information_command = 0x1C0A, inquiry_command = 0x1C0B,
                        format_command = 0x1C16, reassign_command = 0x1C18, prefetch_command = 0x1C31,
                        other_scsi_command = 0x241F;
// Enable word
constexpr std::uint16_t status_only_on_error = 0x4000, pointer_to_list = 0x1000, suppress_short = 0x0400,
                        chain_on_good = 0x0001;
// Termination status block
constexpr unsigned status_block_bytes = 26;
constexpr std::uint16_t ended_good = 0x0001, short_record = 0x0002, long_record = 0x0004, specification_check = 0x0008,
                        device_information = 0x0200;
// Its command status, device error and command error; meanings from 86Box's description
constexpr std::uint8_t command_failed = 0x0C, block_refused = 0x0E, device_check = 0x20, selection_timed_out = 0x10,
                       not_assigned = 0x0A, invalid_parameter = 0x01;
/// Size of the card's data buffer.
constexpr std::uint32_t piece_bytes = 8192;
/// Elements of the longest scatter list (Linux uses 16).
constexpr std::uint32_t most_segments = 256;

}  // namespace planar::storage
