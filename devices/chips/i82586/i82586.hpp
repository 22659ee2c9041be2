// SPDX-License-Identifier: GPL-2.0-or-later
// Intel 82586 LAN coprocessor.
//
// The chip has no registers that a host could address: it works on structures in memory, which a strobe (channel
// attention, CA) tells it to read, and answers there and with one interrupt pin. It knows its memory, its network port,
// and time; it knows no bus. Source of behaviour: Intel's 82586 data sheet as far as it could be obtained, the 82596
// data sheet's chapters on its 82586 mode, and what the drivers of Linux (3c523, eexpress) and NetBSD (i82586) rely on
// (docs/hardware/i82586.md). Files: i82586.cpp start-up, channel attention, interrupts; i82586_command.cpp the command
// unit (CU) and the transmitter; i82586_receive.cpp the receive unit (RU).
//
//   SCP   FFFFF6 SYSBUS, FFFFFC ISCP address
//   ISCP  +0 BUSY, +2 SCB offset, +4 SCB base
//   SCB   +0 status, +2 command, +4 CBL offset, +6 RFA offset, +8 CRCERRS, +A ALNERRS, +C RSCERRS, +E OVRNERRS
//   CB    +0 status, +2 command, +4 link, +6 parameters
//   TBD   +0 EOF and count, +2 next, +4 address        RBD  the same, +8 EL and size
//   RFD   +0 status, +2 EL S, +4 link, +6 RBD offset, +8 destination, +E source, +14 length
//
// Time: every word that the chip moves takes a bus cycle; what it does in between is `command_clocks` of microcode. A
// command unit that spins on a NOP linked to itself is a state, not a stream of events: its bus cycles follow from the
// time, and a write into the NOP wakes it at its next fetch.
//
// Known to be simplified: whatever CONFIGURE says, lengths of preamble, address, gap and slot are the standard ones,
// and so are priorities, the 16-bit CRC and bit stuffing; the data of a frame are read when it is offered to the wire;
// the cycles of CU, RU and host do not slow each other down (the host waits for the chip's, see bus_free()); a parked
// NOP shows its completed status throughout a turn; DUMP writes what is modelled here and zeros for the microcode's own
// registers; lost CTS does not occur; the event counters wrap.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/state/archive.hpp"
#include "core/state/description.hpp"
#include "core/time/scheduler.hpp"
#include "core/time/time.hpp"
#include "devices/chips/chip_host.hpp"
#include "devices/medium/ethernet/ethernet_segment.hpp"

namespace planar::ethernet {

/// Unit: clocks of the chip unless said. The board may change them.
struct I82586Timing {
  std::uint64_t clock_hz = 8'000'000;  ///< 6, 8 and 10 MHz parts exist
  unsigned transfer_clocks = 4;        ///< one word; datasheet (5 MB/s at 10 MHz)
  unsigned wait_clocks = 0;            ///< that the board's memory adds to it
  unsigned attention_clocks = 16;      ///< from CA to the first read of the SCB; inferred
  unsigned command_clocks = 8;         ///< microcode per command or frame, without its transfers; inferred
};

class I82586 final : public net::EthernetStation {
 public:
  // SCB status and the acknowledge bits of the SCB command
  static constexpr std::uint16_t CX = 0x8000, FR = 0x4000, CNA = 0x2000, RNR = 0x1000;
  enum class Cu : std::uint8_t { idle = 0, suspended = 1, active = 2 };
  enum class Ru : std::uint8_t { idle = 0, suspended = 1, no_resources = 2, ready = 4 };
  // heads of command blocks and frame descriptors
  static constexpr std::uint16_t C = 0x8000, B = 0x4000, OK = 0x2000, A = 0x1000;
  static constexpr std::uint16_t EL = 0x8000, S = 0x4000, I = 0x2000;
  static constexpr unsigned nop = 0, ia_setup = 1, configure = 2, mc_setup = 3, transmit = 4, tdr = 5, dump = 6,
                            diagnose = 7;
  // transmit status
  static constexpr std::uint16_t MAX_COLL = 0x20, HRT_BEAT = 0x40, DEFERRED = 0x80, UNDERRUN = 0x100, LOST_CTS = 0x200,
                                 NO_CRS = 0x400, LATE_COLL = 0x800;
  // frame descriptor status
  static constexpr std::uint16_t RX_COLL = 0x01, NO_IA_MATCH = 0x02, NO_EOF = 0x40, SHORT = 0x80, OVERRUN = 0x100,
                                 NO_BUFFERS = 0x200, ALN = 0x400, CRC = 0x800;
  static constexpr std::uint16_t EOF_BIT = 0x8000, F = 0x4000, COUNT = 0x3FFF;
  static constexpr std::uint16_t LINK_OK = 0x8000, XCVR_PROBLEM = 0x4000, ET_OPEN = 0x2000, ET_SHORT = 0x1000;
  static constexpr unsigned fifo_bytes = 16;
  static constexpr std::uint16_t nowhere = 0xFFFF;  ///< a null offset
  static constexpr unsigned dump_bytes = 170;

  struct Counters {
    static constexpr bool fifo_overruns = true;
    std::uint64_t sent = 0, received = 0, collisions = 0, overruns = 0, no_resources = 0, receive_errors = 0,
                  transmit_errors = 0;
    std::uint64_t without_buffer() const { return no_resources; }
  };

  /// `memory` is all that the chip can access: a power of two of bytes; only its address lines are decoded, so it
  /// repeats throughout the 16 MB. `name` prefixes the events; `seed` starts the backoff generator.
  I82586(Scheduler& scheduler, const std::string& name, ChipHost& host, std::span<std::uint8_t> memory,
         I82586Timing timing, std::uint64_t seed);

  /// The RESET pin. While it is held nothing happens; its release waits for the first channel attention.
  void hold_reset(bool held, Time now);
  /// The CA pin's active edge.
  void channel_attention(Time now);
  /// The serial interface's loopback input: what is sent comes back and does not reach the wire.
  void set_serial_loopback(bool on) { serial_loopback_ = on; }

  /// The host is about to read or change memory: what should have arrived by now is stored.
  void sync(Time now);
  /// The host has written `bytes` bytes of memory at `offset`.
  void host_wrote(std::uint32_t offset, unsigned bytes, Time now);
  /// When, from `t` on, the memory is free of the chip's cycle in progress.
  Time bus_free(Time t) const;

  bool interrupt_pin() const { return pin_; }
  /// The CU spins on a NOP that links to itself.
  bool parked() const { return parked_; }
  Time word_time() const { return clocks(timing_.transfer_clocks + timing_.wait_clocks); }
  /// One turn of a NOP: three words read, busy and completed written.
  Time nop_time() const { return word_time() * 5 + clocks(timing_.command_clocks); }

  net::EthernetPort& port() { return port_; }
  const Counters& counters() const { return counters_; }
  /// Registers and state; changes nothing.
  void describe(Description& d) const;
  void archive(Archive& a);

  // net::EthernetStation
  void frame_begins(const net::Reception& reception, Time now) override;
  void frame_ends(const net::Reception& reception, Time now) override;
  void transmit_begins(Time now) override;
  void transmit_ends(const net::TransmitOutcome& outcome, Time now) override;

 private:
  // memory
  std::uint8_t get8(std::uint32_t at) const { return memory_[at & mask_]; }
  std::uint16_t get16(std::uint32_t at) const { return static_cast<std::uint16_t>(get8(at) | get8(at + 1) << 8); }
  std::uint32_t get24(std::uint32_t at) const { return get16(at) | std::uint32_t{get8(at + 2)} << 16; }
  void put8(std::uint32_t at, std::uint8_t value) { memory_[at & mask_] = value; }
  void put16(std::uint32_t at, std::uint16_t value) {
    put8(at, static_cast<std::uint8_t>(value));
    put8(at + 1, static_cast<std::uint8_t>(value >> 8));
  }
  std::uint32_t at(std::uint16_t offset, unsigned field = 0) const { return base_ + offset + field; }
  Time clocks(std::uint64_t n) const { return {static_cast<std::int64_t>(n * 1'000'000'000'000 / timing_.clock_hz)}; }
  Time words(unsigned n) const { return word_time() * n; }

  // control
  void reset(Time now);
  void default_configuration();
  void attention(Time now);
  void initialise(Time now);
  void raise(std::uint16_t events, Time now);
  void update_scb(Time now);
  void count_error(unsigned field);

  // command unit
  void command_unit_control(unsigned cuc, Time now);
  void start_list(std::uint16_t offset, Time now);
  void fetch(Time now);
  void command_step(Time now);
  void execute(Time now);
  void complete(std::uint16_t status, Time now);
  void leave_active(Cu state, Time now);
  void abort_command(Time now);
  void park(Time now);
  void unpark(Time now);
  void look_at_parked(Time now);
  Time duration_of(unsigned op) const;
  std::uint16_t perform(unsigned op);
  void set_configuration();
  void set_multicast();
  void write_dump();
  std::uint8_t config(unsigned byte) const { return config_[byte]; }

  // transmitter
  enum class Loop : std::uint8_t { none, inside, outside };
  Loop loopback() const;
  void offer_frame(Time now);
  bool gather(std::vector<std::uint8_t>& frame, Time& spent);
  void loop_done(Time now);
  void hear_own_frame(Time now);
  void finish_transmit(std::uint16_t status, Time now);
  void cut(Time now);

  // receive unit
  void receive_unit_control(unsigned ruc, Time now);
  void leave_ready(Ru state, Time now);
  void listen();
  bool address_matches(const net::Reception& r);
  void progress(const net::Reception& r, std::size_t arrived, Time now);
  bool open_buffer(std::uint16_t rbd);
  bool make_room();
  void end_frame(const net::Reception& r, Time now);
  void reclaim();
  void receive_done(Time now);

  ChipHost& host_;
  std::span<std::uint8_t> memory_;
  std::uint32_t mask_;
  I82586Timing timing_;

  bool held_ = true;          // RESET is asserted
  bool initialised_ = false;  // SCP and ISCP have been read
  bool attention_again_ = false;
  bool serial_loopback_ = false;
  bool pin_ = false;
  std::uint32_t base_ = 0;  // of all 16-bit offsets
  std::uint16_t scb_ = 0;
  std::uint16_t events_ = 0;  // CX FR CNA RNR not yet acknowledged

  std::array<std::uint8_t, 12> config_{};  // bytes 0 to 11 of CONFIGURE
  net::MacAddress address_{};
  std::array<std::uint8_t, 8> hash_{};
  std::uint16_t last_tx_status_ = 0, last_rx_status_ = 0;

  Cu cu_ = Cu::idle;
  enum class Phase : std::uint8_t { none, fetch, execute, gather, wire, finish };
  Phase phase_ = Phase::none;
  std::uint16_t cb_ = 0;  // current block, or the next one while suspended
  std::uint16_t command_ = 0;
  std::uint16_t link_ = 0;
  std::uint16_t new_list_ = nowhere;  // START while active: where to continue
  bool start_again_ = false;
  bool suspend_requested_ = false;
  bool parked_ = false;
  Time loop_origin_{};                 // when a turn of the parked NOP began
  bool heartbeat_ = false;             // seen after the latest transmission
  bool orphan_ = false;                // a reset or abort cut the frame on the wire: its outcome is ignored
  std::vector<std::uint8_t> frame_;    // to send
  std::uint64_t cut_at_ = UINT64_MAX;  // byte at which the FIFO runs dry
  std::uint16_t tbd_ = nowhere;        // next buffer descriptor, while empty ones are followed

  Ru ru_ = Ru::idle;
  std::uint16_t rfd_ = 0, rbd_ = nowhere;
  bool ru_suspend_requested_ = false;
  bool listening_ = false;  // the frame on the wire began while the RU could hear
  bool decided_ = false;    // its destination has been checked
  bool storing_ = false;    // its bytes go to memory
  bool group_ = false;      // the destination is not the individual address
  bool overrun_ = false, starved_ = false;
  std::uint16_t first_rbd_ = nowhere;
  bool buffer_open_ = false;
  std::uint32_t buffer_ = 0;
  std::uint16_t buffer_size_ = 0, buffer_count_ = 0, next_rbd_ = nowhere;
  bool last_buffer_ = false;
  std::uint32_t stored_ = 0;  // bytes of the current frame in memory
  std::uint16_t end_status_ = 0;
  Time dma_time_{};  // when the FIFO's oldest byte can be moved
  Time ru_free_{};   // when the RU has its next descriptors

  Counters counters_;
  net::EthernetPort port_;
  Event attention_;
  Event command_step_;
  Event loop_end_;
  Event cut_;           // the FIFO runs dry
  Event receive_done_;  // the descriptors of a frame are written
};

}  // namespace planar::ethernet
