// SPDX-License-Identifier: GPL-2.0-or-later
// The shared-RAM Token Ring interface in numbers: attachment control area, mailboxes and their codes
// (docs/hardware/tropic.md). Words in the mailboxes and in the registers are big-endian.
#pragma once

#include <cstdint>

namespace planar::tokenring::tropic {

/// Attachment control area: 32 bytes at 1E00h of the MMIO window, and again for each kind of access.
namespace aca {
inline constexpr std::uint32_t base = 0x1E00, registers = 0x20, end = 0x1E80;
enum Access : unsigned { write = 0, clear = 1, set = 2, read = 3 };  ///< offset bits 6:5
enum Register : unsigned {
  RRR_e = 0x00,
  RRR_o = 0x01,
  WRBR_e = 0x02,
  WRBR_o = 0x03,
  WWOR_e = 0x04,
  WWOR_o = 0x05,
  WWCR_e = 0x06,
  WWCR_o = 0x07,
  ISRP_e = 0x08,
  ISRP_o = 0x09,
  ISRA_e = 0x0A,
  ISRA_o = 0x0B,
  TCR_e = 0x0C,
  TVR_o = 0x0F,
  SRPR_e = 0x18,
  SRPR_o = 0x19,
};
}  // namespace aca

/// ISRP even: control, and the causes raised by the host itself.
namespace isrp_e {
inline constexpr std::uint8_t all_on_irq = 0x80, enable = 0x40, timer = 0x10, error = 0x08, access = 0x04,
                              blocked = 0x02, alternate = 0x01;
inline constexpr std::uint8_t causes = timer | error | access;
}  // namespace isrp_e
/// ISRP odd: causes raised by the adapter.
namespace isrp_o {
inline constexpr std::uint8_t adapter_check = 0x40, srb_response = 0x20, asb_free = 0x10, arb_command = 0x08,
                              ssb_response = 0x04, transmit_complete = 0x02;
}
/// ISRA odd: causes raised by the host.
namespace isra_o {
inline constexpr std::uint8_t transmit_request = 0x40, command_in_srb = 0x20, response_in_asb = 0x10,
                              srb_free_request = 0x08, asb_free_request = 0x04, arb_free = 0x02, ssb_free = 0x01;
}

/// Adapter identification PROM: a nibble in each even byte.
namespace aip {
inline constexpr std::uint32_t base = 0x1F00, end = 0x2000;
inline constexpr unsigned address = 0x00, channel_id = 0x30, type = 0xA0, rates = 0xA2, early_release = 0xA4,
                          ram = 0xA6, paging = 0xA8, dhb_4 = 0xAA, dhb_16 = 0xAC, media_supported = 0xB6,
                          media_selected = 0xB8, interrupts = 0xBA;
}  // namespace aip

/// Where the microcode keeps what it reports to the host, in its private area and after it.
namespace place {
inline constexpr std::uint16_t permanent_address = 0x20, current_addresses = 0x30, level = 0x40, reason = 0x50,
                               parameters = 0x60, mac_buffer = 0x100, utilisation = 0x180, private_bytes = 1416;
inline constexpr std::uint16_t srb = private_bytes, arb = srb + 28, ssb = arb + 28, asb = ssb + 20, end = asb + 12;
}  // namespace place
inline constexpr unsigned sap_bytes = 64, station_bytes = 144;

enum Command : std::uint8_t {
  interrupt = 0x00,
  modify_open_parameters = 0x01,
  restore_open_parameters = 0x02,
  open_adapter = 0x03,
  close_adapter = 0x04,
  set_group_address = 0x06,
  set_functional_address = 0x07,
  read_log = 0x08,
  transmit_direct = 0x0A,
  transmit_ui = 0x0D,
  transmit_xid_command = 0x0E,
  transmit_xid_final = 0x0F,
  transmit_xid_not_final = 0x10,
  transmit_test_command = 0x11,
  configure_fast_path = 0x12,
  dlc_reset = 0x14,
  open_sap = 0x15,
  close_sap = 0x16,
  initialised = 0x80,
  received_data = 0x81,
  transmit_data_request = 0x82,
  ring_status_change = 0x84,
};

/// Return codes of SRB, SSB and ASB.
enum Code : std::uint8_t {
  good = 0x00,
  invalid_command = 0x01,
  already_open = 0x03,
  not_open = 0x04,
  missing_parameter = 0x05,
  unrecoverable = 0x07,
  cancelled = 0x0A,
  closed_meanwhile = 0x0B,
  data_lost = 0x20,
  frame_status = 0x22,
  strip_error = 0x23,
  unauthorised_mac = 0x24,
  too_many_commands = 0x25,
  unknown_correlator = 0x26,
  invalid_length = 0x28,
  few_receive_buffers = 0x30,
  invalid_node_address = 0x32,
  invalid_receive_length = 0x33,
  invalid_station = 0x40,
  invalid_transmit_length = 0x43,  ///< OPEN; OPEN.SAP: invalid SAP value
  invalid_sap = 0x43,
  no_resources = 0x46,
  in_progress = 0xFE,
  accepted = 0xFF,
};

/// Options of OPEN.
namespace option {
inline constexpr std::uint16_t wrap = 0x8000, no_hard_error = 0x4000, no_soft_error = 0x2000, pass_adapter_mac = 0x1000,
                               pass_attention_mac = 0x0800, contend_or_beacon = 0x0180, normal_token_release = 0x0010;
}

/// Init status, first byte.
namespace init_status {
inline constexpr std::uint8_t sixteen = 0x01, fast_path = 0x20;
}

/// Fast path: the transmit control area, and a buffer from its first byte; queue pointers lead to `next`.
namespace fast {
inline constexpr std::uint16_t control_bytes = 128;
inline constexpr std::uint16_t count = 0, free_head = 2, free_tail = 4, adapter_head = 6, size = 8, completed = 10;
inline constexpr std::uint16_t command = 0, correlator = 1, code = 2, length = 6, last = 12, next = 16, status = 18,
                               stripped_fs = 19, bytes = 20, data = 22;
}  // namespace fast

/// A receive buffer.
namespace buffer {
inline constexpr std::uint16_t next = 2, status = 5, bytes = 6, data = 8;
}

}  // namespace planar::tokenring::tropic
