// SPDX-License-Identifier: GPL-2.0-or-later
// Constants of ATA-3 (X3.298-1997) and ATAPI (SFF-8020i): registers, status and error bits, commands.
#pragma once

#include <cstdint>
#include <string_view>

namespace planar::storage {

/// Registers of the command block, from 1F0h or 170h.
enum IdeRegister : unsigned { ide_data, ide_error, ide_count, ide_sector, ide_low, ide_high, ide_select, ide_status };

// Status
constexpr std::uint8_t ide_bsy = 0x80, ide_drdy = 0x40, ide_dsc = 0x10, ide_drq = 0x08, ide_err = 0x01;
// Error
constexpr std::uint8_t ide_unc = 0x40, ide_idnf = 0x10, ide_abrt = 0x04;
constexpr std::uint8_t ide_diagnostic_passed = 0x01;
// Device/head
constexpr std::uint8_t ide_lba = 0x40, ide_device1 = 0x10;
// Device control, 3F6h
constexpr std::uint8_t ide_srst = 0x04, ide_nien = 0x02;
// Interrupt reason: the count register of a packet device
constexpr std::uint8_t ide_command_packet = 0x01, ide_to_host = 0x02;

enum AtaCommand : std::uint8_t {
  // clang-format off
  device_reset_ata = 0x08, recalibrate_ata = 0x10, read_ata = 0x20, read_once_ata = 0x21, write_ata = 0x30,
  write_once_ata = 0x31, verify_ata = 0x40, verify_once_ata = 0x41, seek_ata = 0x70, diagnostic_ata = 0x90,
  parameters_ata = 0x91, packet_ata = 0xA0, identify_packet_ata = 0xA1, read_multiple_ata = 0xC4,
  write_multiple_ata = 0xC5, set_multiple_ata = 0xC6, read_dma_ata = 0xC8, read_dma_once_ata = 0xC9,
  write_dma_ata = 0xCA, write_dma_once_ata = 0xCB, standby_now_ata = 0xE0, idle_now_ata = 0xE1, standby_ata = 0xE2,
  idle_ata = 0xE3, check_power_ata = 0xE5, sleep_ata = 0xE6, flush_ata = 0xE7, identify_ata = 0xEC,
  set_features_ata = 0xEF,
  // The old codes of the same commands.
  standby_now_old_ata = 0x94, idle_now_old_ata = 0x95, standby_old_ata = 0x96, idle_old_ata = 0x97,
  check_power_old_ata = 0x98, sleep_old_ata = 0x99,
  // clang-format on
};

/// The name in ATA-3; "command" for any other code.
constexpr std::string_view ata_command_name(std::uint8_t command) {
  if ((command & 0xF0) == recalibrate_ata) return "RECALIBRATE";
  if ((command & 0xF0) == seek_ata) return "SEEK";
  switch (command) {
    case device_reset_ata: return "DEVICE RESET";
    case read_ata:
    case read_once_ata: return "READ SECTORS";
    case write_ata:
    case write_once_ata: return "WRITE SECTORS";
    case verify_ata:
    case verify_once_ata: return "READ VERIFY SECTORS";
    case diagnostic_ata: return "EXECUTE DEVICE DIAGNOSTIC";
    case parameters_ata: return "INITIALIZE DEVICE PARAMETERS";
    case packet_ata: return "PACKET";
    case identify_packet_ata: return "IDENTIFY PACKET DEVICE";
    case read_multiple_ata: return "READ MULTIPLE";
    case write_multiple_ata: return "WRITE MULTIPLE";
    case set_multiple_ata: return "SET MULTIPLE MODE";
    case read_dma_ata:
    case read_dma_once_ata: return "READ DMA";
    case write_dma_ata:
    case write_dma_once_ata: return "WRITE DMA";
    case standby_now_ata:
    case standby_now_old_ata: return "STANDBY IMMEDIATE";
    case idle_now_ata:
    case idle_now_old_ata: return "IDLE IMMEDIATE";
    case standby_ata:
    case standby_old_ata: return "STANDBY";
    case idle_ata:
    case idle_old_ata: return "IDLE";
    case check_power_ata:
    case check_power_old_ata: return "CHECK POWER MODE";
    case sleep_ata:
    case sleep_old_ata: return "SLEEP";
    case flush_ata: return "FLUSH CACHE";
    case identify_ata: return "IDENTIFY DEVICE";
    case set_features_ata: return "SET FEATURES";
    default: return "command";
  }
}

}  // namespace planar::storage
