// SPDX-License-Identifier: GPL-2.0-or-later
// The mailbox processor of the 3Com EtherLink/MC 32: an 80C186 with its firmware, card RAM, and an 82586 that the host
// cannot access. The host writes commands, reads responses, and shares descriptor lists in the card's RAM; the firmware
// moves the frames between host memory and the card by bus master transfers, store and forward. The model knows its
// board, its network port, and time; it knows no bus. Source of behaviour: what Linux 2.2.26, 2.4.0 and 2.6 (3c527.c)
// and 3Com's drivers' users rely on (docs/hardware/3c527.md). Files: mc32.cpp ports, boot, commands, mailboxes;
// mc32_transmit.cpp; mc32_receive.cpp.
//
//   port +0  command (write): 2:0 TX, 5:3 RX (1 start, 3 suspend, 4 abort, 5 restart), 6 execute the exec mailbox
//            response (read): 2:0 TX (2 sent, 3 halted, 4 aborted, 6 failed), 5:3 RX (2 received, 3, 4, 6 out of
//            buffers), 6 exec done
//        +2  status: 6 CRR a command may be written, 5 CWR a response waits
//        +6  control: 7 attention, 6 reset, 2 interrupt enable
//   window   exec mailbox: word, then data; RX and TX mailboxes; statistics; TX and RX lists of ten-byte descriptors:
//            +0 status (7 complete, 6 good, 5 busy, 3:0 error), +1 control (7 end of packet, 6 end of list),
//            +2 next, +4 length, +6 host address
//
// The firmware does one thing at a time, each for a time given in the profile: commands first, then frames that have
// been sent, then received ones, then those to be sent. In the workaround mode for the 82586, which Linux switches on,
// it starts every frame itself when it has dealt with the previous one; without it the chip continues along its own
// chain.
//
// Known to be simplified: the response port never shows a statistics overflow; exec commands 3, 5, 7, 9 to 12 end with
// the error bit; a command written while CRR is 0 replaces the one before; bad frames are counted, never stored,
// whatever the filter's bit 2 says, as Linux found; a descriptor chain is followed at most once around its list.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "core/memory/port_run.hpp"
#include "core/state/archive.hpp"
#include "core/state/description.hpp"
#include "core/time/scheduler.hpp"
#include "devices/chips/chip_host.hpp"
#include "devices/medium/ethernet/ethernet_segment.hpp"

namespace planar::ethernet {

/// How long the firmware takes; see the card's profile for sources.
struct Mc32Timing {
  Time self_test, response, command, exec, transmit, sent, receive, notice, chain;
  unsigned transmit_buffers = 2;  ///< frames
  unsigned receive_buffers = 4;   ///< frames
};

class Mc32 final : public net::EthernetStation {
 public:
  enum Port : unsigned { COMMAND = 0, STATUS = 2, CONTROL = 6 };
  enum StatusBit : std::uint8_t { CWR = 0x20, CRR = 0x40 };
  enum ControlBit : std::uint8_t { INTE = 0x04, RESET = 0x40, ATTN = 0x80 };
  enum DescriptorStatus : std::uint8_t { COMPLETED = 0x80, COMPLETED_OK = 0x40, BUSY = 0x20 };
  enum DescriptorControl : std::uint8_t { EOP = 0x80, EOL = 0x40 };
  enum Verb : std::uint8_t { none = 0, start = 1, suspend = 3, abort = 4, restart = 5 };
  enum Event : std::uint8_t { done = 2, halted = 3, aborted = 4, failed = 6, out_of_buffers = 6 };
  static constexpr std::uint32_t ram_bytes = 0x4000;
  static constexpr std::uint32_t descriptor_bytes = 10;
  static constexpr std::uint32_t exec_mailbox = 0x10, rx_mailbox = 0x60, tx_mailbox = 0x70, statistics = 0x80,
                                 lists = 0x110;
  static constexpr std::uint16_t exec_error = 0x2000;
  /// Dwords of the statistics block, and byte offsets of two counters after its mixed part.
  enum Statistic : unsigned {
    rx_crc,
    rx_alignment,
    rx_overrun,
    rx_short,
    rx_long,
    rx_no_buffer,
    rx_discarded,
    tx_collisions,
    tx_carrier,
    tx_underrun,
    tx_cts,
    tx_timeout
  };
  static constexpr std::uint32_t one_collision = 122, more_collisions = 126;

  struct Counters {
    std::uint64_t sent = 0, received = 0, collisions = 0, overruns = 0;
  };

  Mc32(Scheduler& scheduler, const std::string& name, BusMasterHost& host, const Mc32Timing& timing,
       const net::MacAddress& mac, std::uint64_t seed);

  std::uint8_t read(unsigned port, Time now);
  void write(unsigned port, std::uint8_t value, Time now);
  std::uint8_t peek(unsigned port) const;
  /// The window: the low `ram_bytes` of the card's RAM.
  std::uint8_t ram_peek(std::uint32_t offset) const { return ram_[offset % ram_bytes]; }
  void ram_write(std::uint32_t offset, std::uint8_t value, Time now);

  void reset(Time now);
  bool interrupt_pin() const { return latch_full_ && (control_ & INTE); }

  std::span<std::uint8_t> transfer_buffer() { return transfer_; }
  /// A transfer that the firmware has started has not ended.
  bool transferring() const { return work_ == Work::receive_transfer || work_ == Work::fetch_transfer; }
  void transfer_done(Time now);

  net::EthernetPort& port() { return port_; }
  const Counters& counters() const { return counters_; }
  /// Registers and state; changes nothing.
  void describe(Description& d) const;
  void archive(Archive& a);

  // net::EthernetStation
  void frame_ends(const net::Reception& reception, Time now) override;
  void transmit_ends(const net::TransmitOutcome& outcome, Time now) override;

 private:
  static constexpr std::size_t longest_frame = 1514;  ///< of a frame gathered to be sent
  enum class Work : std::uint8_t {
    none,
    self_test,
    command,
    exec,
    sent,
    receive,
    receive_transfer,
    fetch,
    fetch_transfer
  };
  struct Outgoing {
    std::vector<std::uint8_t> bytes;
    std::uint16_t descriptor = 0;  // the frame's last one
    void archive(Archive& a) { a(bytes, descriptor); }
  };
  struct Sent {
    std::uint16_t descriptor = 0;
    std::uint8_t status = 0;
    void archive(Archive& a) { a(descriptor, status); }
  };

  // mc32.cpp
  std::uint16_t get16(std::uint32_t at) const {
    return static_cast<std::uint16_t>(ram_[at % ram_bytes] | ram_[(at + 1) % ram_bytes] << 8);
  }
  std::uint32_t get32(std::uint32_t at) const { return get16(at) | std::uint32_t{get16(at + 2)} << 16; }
  void put8(std::uint32_t at, std::uint8_t value) { ram_[at % ram_bytes] = value; }
  void put16(std::uint32_t at, std::uint16_t value) {
    put8(at, static_cast<std::uint8_t>(value));
    put8(at + 1, static_cast<std::uint8_t>(value >> 8));
  }
  void put32(std::uint32_t at, std::uint32_t value) {
    put16(at, static_cast<std::uint16_t>(value));
    put16(at + 2, static_cast<std::uint16_t>(value >> 16));
  }
  bool sound() const;
  void count(std::uint32_t offset) { put32(statistics + offset, get32(statistics + offset) + 1); }
  void count(Statistic which) { count(4u * which); }
  void release(Time now);
  void dispatch(Time now);
  void begin(Work work, Time duration, Time now);
  void step(Time now);
  void boot_done(Time now);
  void execute_command(Time now);
  void execute_mailbox(Time now);
  bool execute(unsigned code);
  bool configure(unsigned tx_count, unsigned rx_count);
  void report_configuration();
  void respond(std::uint8_t response, Time now);
  void push(std::uint8_t byte, Time now);
  void refill(Time now);
  void update_interrupt(Time now);

  // mc32_transmit.cpp
  void command_transmit(unsigned verb, Time now);
  bool can_fetch() const;
  void show_tail();
  void fetch_fragment(Time now);
  void fetched(Time now);
  void send_next(Time now);
  void report_sent(Time now);

  // mc32_receive.cpp
  void command_receive(unsigned verb, Time now);
  bool accepts(const net::Reception& reception) const;
  bool list_ended() const { return rx_ended_ && (ram_peek(rx_last_ + 1u) & EOL); }
  bool can_receive() const { return rx_running_ && !arrived_.empty() && !list_ended(); }
  void check_buffers(Time now);
  void store_frame(Time now);
  void frame_stored(Time now);

  BusMasterHost& host_;
  const Mc32Timing timing_;
  const net::MacAddress burnt_in_;
  std::vector<std::uint8_t> ram_;

  // ports
  std::uint8_t control_ = 0;
  std::uint8_t command_ = 0;
  bool command_full_ = false;
  bool busy_owed_ = false;  // CRR has not been seen at 0 since the command was written
  std::deque<std::uint8_t> responses_;
  bool latch_full_ = false;

  // firmware
  bool booted_ = false;
  bool indications_ = false;
  bool workaround_ = false;
  bool exec_pending_ = false;
  std::uint16_t filter_ = 0;
  net::MacAddress address_;
  std::vector<net::MacAddress> multicast_;
  std::uint16_t tx_list_ = lists, tx_count_ = 0, rx_list_ = 0, rx_count_ = 0;
  Work work_ = Work::none;
  std::vector<std::uint8_t> transfer_;

  // transmitter
  bool tx_running_ = false;
  std::uint16_t tx_last_ = lists;  // the last descriptor taken from the list
  std::uint16_t tx_fragment_ = 0, tx_fragments_ = 0;
  std::vector<std::uint8_t> gathered_;
  std::deque<Outgoing> outgoing_;  // the first is on the wire if on_wire_
  std::deque<Sent> sent_;          // not yet reported
  bool on_wire_ = false;

  // receiver
  bool rx_running_ = false;
  bool rx_ended_ = false;  // the latest descriptor had the end-of-list bit when it was filled
  std::uint16_t rx_next_ = 0, rx_last_ = 0;
  std::deque<std::vector<std::uint8_t>> arrived_;  // in card RAM, without FCS

  Counters counters_;
  net::EthernetPort port_;
  planar::Event step_, refill_, notice_, chain_;
};

}  // namespace planar::ethernet
