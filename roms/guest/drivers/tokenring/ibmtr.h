// SPDX-License-Identifier: GPL-2.0-or-later
//
// Ports, registers and mailboxes of IBM's shared-RAM Token Ring adapters (docs/hardware/tropic.md).
#pragma once
#include "kernel.h"

enum { PORTS_PRIMARY = 0xA20, PORTS_ALTERNATE = 0xA24, PORT_RESET = 1, PORT_RELEASE = 2 };
enum {                                  // offsets in the MMIO window
    ACA = 0x1E00, ACA_AND = 0x1E20, ACA_OR = 0x1E40,
    AIP_ADDRESS = 0x1F00, AIP_CHANNEL = 0x1F30, AIP_TYPE = 0x1FA0, AIP_RATES = 0x1FA2, AIP_EARLY = 0x1FA4,
    AIP_RAM = 0x1FA6, AIP_PAGING = 0x1FA8, AIP_DHB_4 = 0x1FAA, AIP_DHB_16 = 0x1FAC
};
enum { RRR_EVEN = 0, RRR_ODD = 1, WRBR = 2, WWCR = 6, ISRP_EVEN = 8, ISRP_ODD = 9, ISRA_ODD = 11, SRPR = 0x18 };
enum { INTERRUPT_ENABLE = 0x40, ERRORS = 0x1C };                                // ISRP even
enum { CHECK = 0x40, SRB_RESPONSE = 0x20, ASB_FREE = 0x10, ARB_COMMAND = 0x08, SSB_RESPONSE = 0x04 };  // odd
enum { COMMAND_IN_SRB = 0x20, RESPONSE_IN_ASB = 0x10, ARB_IS_FREE = 0x02, SSB_IS_FREE = 0x01 };        // ISRA odd
enum { OPEN = 0x03, CLOSE = 0x04, SET_FUNCTIONAL = 0x07, READ_LOG = 0x08, TRANSMIT_DIRECT = 0x0A, TRANSMIT_UI = 0x0D,
       OPEN_SAP = 0x15, RECEIVED_DATA = 0x81, TRANSMIT_DATA = 0x82, DLC_STATUS = 0x83, RING_STATUS = 0x84 };
enum { ACCEPTED = 0xFF, DATA_LOST = 0x20, NOT_COPIED = 0x22, PASS_BEACON = 0x0100 };
enum { GONE = 0x0D00, LOG_FULL = 0x0080 };      // ring status: removed, auto removal, wire fault
enum { SNAP_SAP = 0xAA, UI = 0x03, ALL_HOSTS = 0x00040000 };
enum { HEADER_SHORT = 14, HEADER_LONG = 32, LLC_BYTES = 8, IP_BYTES = 20, DHB_RESERVE = 6 };
enum { RESET_TICKS = HZ / 20, BRING_UP_TICKS = 4 * HZ, OPEN_TICKS = 25 * HZ };

struct open_block {                     // words in the adapter's byte order
    u8 command, zero[7];
    u16 options;
    u8 node[6], group[4], functional[4];
    u16 receive_buffers, receive_length, dhb_length;
    u8 dhbs, zero2, saps, stations, more[8], product[18];
};
struct open_response {
    u8 command, zero, code, zero2[3];
    u16 error, asb, srb, arb, ssb;
};
struct sap_block {
    u8 command, zero, code, zero2;
    u16 station;
    u8 timers[3], windows[3], retries, group_members;
    u16 max_i_field;
    u8 sap, options, stations, group_count;
};
struct functional_block {
    u8 command, zero, code, zero2[3], address[4];
};
struct transmit_block {
    u8 command, correlator, code, zero;
    u16 station;
};
struct transmit_request {
    u8 command, correlator, zero[2];
    u16 station, dhb;
};
struct transmit_answer {
    u8 command, correlator, code, zero;
    u16 station, length;
    u8 header, remote_sap;
};
struct receive_request {
    u8 command, zero[3];
    u16 station, buffer;
    u8 lan_header, llc_header;
    u16 length;
    u8 type;
};
struct receive_answer {
    u8 command, zero, code, zero2;
    u16 station, buffer;
};
struct receive_buffer {                 // starts at the third byte, where links point
    u16 next;
    u8 zero, status;
    u16 length;
    u8 data[];
};
struct ring_status_request {
    u8 command, zero[5];
    u16 status;
};
struct llc {
    u8 dsap, ssap, control;
};
