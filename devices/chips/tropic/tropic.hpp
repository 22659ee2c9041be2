// SPDX-License-Identifier: GPL-2.0-or-later
// IBM's shared-RAM Token Ring controller: the single-chip TROPIC, and the earlier long cards, which have the same
// programming interface built from separate parts.
//
// A microprocessor on the card works on mailboxes in RAM that the host shares: the host puts commands into the SRB and
// answers into the ASB and rings the doorbell (ISRA odd); the microprocessor puts requests into the ARB and final
// results into the SSB and interrupts (ISRP odd). The host copies frames to and from buffers in the same RAM. The chip
// knows its RAM, its registers, the ring and time; it knows no bus. Source of behaviour: Linux 2.2 and 2.4 ibmtr,
// NetBSD tropic.c and tropicreg.h (docs/hardware/tropic.md). Files: tropic.cpp reset, interrupts, state;
// tropic_registers.cpp ports and MMIO; tropic_ram.cpp shared RAM, paging, its owner; tropic_processor.cpp the
// microprocessor's steps; tropic_commands.cpp the SRB; tropic_open.cpp insertion and removal; tropic_transmit.cpp,
// tropic_fast_path.cpp, tropic_receive.cpp.
//
// Time: each action of the microprocessor for a mailbox takes one `step`, one after the other; frames move between ring
// and RAM in parallel. RAM cycles of ring and microprocessor follow from the time.
//
// Known to be simplified: LLC link stations (type 2), group SAPs, bridge functions and ring utilisation are absent
// (return code 01h); XID and TEST commands that arrive go to the host like other frames; the bytes of a frame to send
// are read from the RAM when it is given to the ring; the programmable timer's registers are latches; AIP checksums
// read 0; a write outside of what the microcode owns is no access error.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/state/archive.hpp"
#include "core/state/description.hpp"
#include "core/time/scheduler.hpp"
#include "core/time/time.hpp"
#include "devices/chips/chip_host.hpp"
#include "devices/chips/tropic/tropic_layout.hpp"
#include "devices/medium/ring/ring_port.hpp"

namespace planar::tokenring {

/// Codes of the identification PROM, 0 to Fh each (docs/hardware/tropic.md#identification).
struct TropicIdentification {
  std::uint8_t type = 0xE, rates = 0xD, early_release = 0xD, ram = 0xA, paging = 0xE, dhb_4 = 0xD, dhb_16 = 0xB,
               media_supported = 0xE, media_selected = 0xE;
};

struct TropicTiming {
  Time bring_up{};    ///< from the release of reset to the first interrupt
  Time step{};        ///< of the microprocessor, for one mailbox
  Time ram_cycle{};   ///< of ring or microprocessor
  Time ram_period{};  ///< of the microprocessor's RAM cycles while it works
};

struct TropicConfig {
  TropicIdentification identification;
  std::uint32_t ram_bytes = 0x10000;  ///< 16 KB or 64 KB fitted
  bool fast_path = false;             ///< supported by the microcode
  std::array<std::uint8_t, 10> microcode{};
  TropicTiming timing;
};

/// The board's configuration latches.
struct TropicStraps {
  bool alternate = false;
  bool sixteen = true;  ///< Mbit/s
  bool autosense = false;
  bool early_release = true;
  std::uint8_t window = 3;       ///< RRR odd bits 3:2: 8, 16, 32, 64 KB
  std::uint8_t interrupt = 0;    ///< 0 to 3: 9, 3, 10, 11
  std::uint8_t ram_address = 0;  ///< bits 19:13, in bits 7:1
  std::uint8_t rom_address = 0;  ///< the same
};

class TropicHost : public ChipHost {
 public:
  /// Error causes while they are not to interrupt (ISRP even bit 7 at 0).
  virtual void channel_check(bool asserted, Time now) = 0;

 protected:
  ~TropicHost() = default;
};

class Tropic final : public net::RingStation {
 public:
  static constexpr std::uint32_t mmio_bytes = 0x2000;

  struct Counters {
    std::uint64_t sent = 0, received = 0, overruns = 0;
  };

  /// `name` prefixes the events; `seed` is for the station's random choices.
  Tropic(Scheduler& scheduler, const std::string& name, TropicHost& host, const net::MacAddress& burned_in,
         const TropicConfig& config, std::uint64_t seed);

  /// Takes effect at once, the ring speed at the next bring-up.
  void strap(const TropicStraps& straps) { straps_ = straps; }
  /// Power-on and channel reset: reset, released at once.
  void restart(Time now);

  // ---- the host's side; multi-byte accesses are made a byte at a time, lowest address first ----
  /// Ports, 0 to 3.
  std::uint8_t port_peek(unsigned port) const;
  void port_write(unsigned port, Time now);
  /// MMIO window, offset below mmio_bytes.
  std::uint8_t mmio_peek(std::uint32_t offset) const;
  void mmio_write(std::uint32_t offset, std::uint8_t value, Time now);
  /// RAM window.
  std::uint32_t window_bytes() const { return 0x2000u << straps_.window; }
  std::uint8_t ram_peek(std::uint32_t offset) const { return ram_[ram_address(offset)]; }
  void ram_write(std::uint32_t offset, std::uint8_t value) { ram_[ram_address(offset)] = value; }
  /// When, from `t` on, the RAM is free of the cycle in progress.
  Time ram_free(Time t) const;

  bool interrupt() const { return pin_; }
  bool channel_check() const { return check_pin_; }
  net::RingPort& port() { return port_; }
  const Counters& counters() const { return counters_; }
  const net::MacAddress& burned_in() const { return burned_in_; }
  /// Registers and state; changes nothing.
  void describe(Description& d) const;
  void archive(Archive& a);

  // net::RingStation
  bool frame_ends(const net::RingReception& reception, Time now) override;
  void transmit_begins(Time now) override;
  void transmit_ends(const net::RingTransmitOutcome& outcome, Time now) override;
  void insertion_ends(const net::InsertionOutcome& outcome, Time now) override;
  void ring_status_changed(std::uint16_t bits, Time now) override;

 private:
  enum class State : std::uint8_t { held, testing, closed, opening, open, checked };
  enum class Task : std::uint8_t { none, command, answer, opened, request, result, fast_request, fast_result };

  /// A transmission, from its SRB to its SSB.
  struct Transmission {
    std::uint8_t command = 0, correlator = 0, code = 0, status = 0;
    std::uint16_t station = 0, dhb = 0, length = 0;
    std::uint8_t header = 0, remote_sap = 0;
    void archive(Archive& a) { a(command, correlator, code, status, station, dhb, length, header, remote_sap); }
  };
  /// A request that waits for the ARB; a received frame with its buffers.
  struct Request {
    std::uint8_t command = 0, correlator = 0, lan_header = 0, dlc_header = 0, type = 0;
    std::uint16_t station = 0, address_or_status = 0, length = 0;
    std::vector<std::uint16_t> buffers{};
    void archive(Archive& a) {
      a(command, correlator, lan_header, dlc_header, type, station, address_or_status, length, buffers);
    }
  };
  struct Sap {
    std::uint8_t value = 0, stations = 0;  // value 0: closed
    void archive(Archive& a) { a(value, stations); }
  };
  /// A frame in fast path buffers.
  struct FastFrame {
    std::uint16_t first = 0, last = 0;
    std::uint8_t code = 0, status = 0;
    std::vector<std::uint8_t> bytes{};
    void archive(Archive& a) { a(first, last, code, status, bytes); }
  };
  /// What OPEN requests.
  struct OpenParameters {
    std::uint16_t options = 0, receive_buffers = 0, receive_length = 0, dhb_length = 0;
    unsigned dhbs = 0, saps = 0, stations = 0;
  };
  enum class RingUser : std::uint8_t { none, dhb, fast };

  // reset, interrupts
  void hold(Time now);
  void release(Time now);
  void brought_up(Time now);
  void raise(std::uint8_t causes, Time now);
  void update_pins(Time now);
  void adapter_check(std::uint16_t reason, std::uint16_t detail, Time now);
  bool sixteen() const { return config_.identification.rates != 0xF && speed_16_; }

  // registers
  void aca_write(unsigned reg, std::uint8_t value, Time now);
  void doorbells(Time now);

  // RAM
  std::uint32_t ram_address(std::uint32_t offset) const;
  bool pages() const;
  std::uint32_t usable() const;
  std::uint8_t get8(std::uint32_t at) const { return at < ram_.size() ? ram_[at] : 0xFF; }
  std::uint16_t get16(std::uint32_t at) const { return static_cast<std::uint16_t>(get8(at) << 8 | get8(at + 1)); }
  std::uint32_t get32(std::uint32_t at) const { return std::uint32_t{get16(at)} << 16 | get16(at + 2); }
  void put8(std::uint32_t at, std::uint8_t value) {
    if (at < ram_.size()) ram_[at] = value;
  }
  void put16(std::uint32_t at, std::uint16_t value) {
    put8(at, static_cast<std::uint8_t>(value >> 8));
    put8(at + 1, static_cast<std::uint8_t>(value));
  }
  void put_bytes(std::uint32_t at, std::span<const std::uint8_t> bytes) {
    for (const std::uint8_t b : bytes) put8(at++, b);
  }
  bool lay_out(const OpenParameters& p);
  void write_addresses();

  // microprocessor
  void wake(Time now);
  Task next_task() const;
  void step(Time now);
  void post_request(Time now);
  void post_result(Time now);

  // commands
  void command(Time now);
  std::optional<std::uint8_t> execute(std::uint8_t code, Time now);
  std::optional<std::uint8_t> execute_open(std::uint8_t code, Time now);
  void respond(std::uint8_t code, Time now);
  std::uint8_t open_a_sap();
  std::uint8_t close_saps(std::uint16_t station);
  void write_log();
  void pass_mac(std::uint16_t options);

  // onto the ring and off it
  std::optional<std::uint8_t> open(Time now);
  std::uint8_t check_open(OpenParameters& p) const;
  void opened(Time now);
  void close(Time now);
  void drop_work();
  bool sound() const;

  // transmit
  std::uint8_t request_transmission(std::uint8_t code, Time now);
  bool sendable(const Transmission& t) const;
  void offer_buffers(Time now);
  void answer(Time now);
  std::uint8_t transmit_answer(Time now);
  void send_next(Time now);
  std::vector<std::uint8_t> frame_of(const Transmission& t) const;
  void to_ring(std::span<const std::uint8_t> frame, RingUser user, Time now);
  void wrapped(Time now);
  void sent(std::uint8_t code, std::uint8_t status, Time now);
  const Sap* sap_of(std::uint16_t station) const;

  // fast path
  std::uint8_t configure_fast_path();
  bool fast_path_fits(std::uint32_t bytes, std::uint16_t size) const;
  bool fast_pointer(std::uint16_t pointer) const;
  bool fast_work() const;
  void take_fast_frame(Time now);
  std::uint8_t gather(FastFrame& frame) const;
  void finish_fast_frame(Time now);

  // receive
  bool store(std::span<const std::uint8_t> data, std::uint8_t status, Time now);
  std::uint8_t receive_answer();

  TropicHost& host_;
  const net::MacAddress burned_in_;
  const TropicConfig config_;
  TropicStraps straps_;
  std::vector<std::uint8_t> ram_;

  State state_ = State::held;
  bool speed_16_ = true;  // as strapped at the end of bring-up
  bool paging_ = false;   // the host has asked for it since
  bool pin_ = false, check_pin_ = false;
  std::array<std::uint8_t, tropic::aca::registers> aca_{};

  // microprocessor
  Task task_ = Task::none;
  Time step_began_{};
  bool arb_free_ = true, ssb_free_ = true;
  std::deque<Request> requests_;                    // wait for the ARB
  std::vector<std::vector<std::uint16_t>> handed_;  // received frames that the host has
  std::deque<Transmission> results_;                // wait for the SSB

  // open
  net::MacAddress node_{};
  std::uint32_t functional_ = 0, group_ = 0;
  std::uint16_t options_ = 0;
  std::uint16_t open_error_ = 0;  // of the insertion that has ended
  bool insertion_over_ = false;
  bool on_ring_ = false;  // inserted, as far as the microcode knows
  unsigned max_saps_ = 0, max_stations_ = 0;
  std::vector<Sap> saps_;

  // transmit
  std::uint16_t dhb_length_ = 0;
  std::uint8_t next_correlator_ = 0;
  std::vector<std::uint16_t> dhbs_;    // free ones
  std::deque<Transmission> asked_;     // wait for a DHB
  std::vector<Transmission> offered_;  // the host fills theirs
  std::deque<Transmission> filled_;    // wait for the ring; the first one is on it if ring_user_ is dhb
  RingUser ring_user_ = RingUser::none;
  bool on_wire_ = false;  // its first bit has been sent
  std::vector<std::uint8_t> wrap_frame_;

  // fast path
  std::uint16_t fast_area_ = 0, fast_bytes_ = 0, fast_size_ = 0;  // area 0: not configured
  bool fast_asked_ = false;
  std::deque<FastFrame> fast_ready_;  // wait for the ring, as filled_
  std::deque<FastFrame> fast_done_;

  // receive
  std::uint16_t receive_length_ = 0;
  std::uint16_t receive_buffers_ = 0;
  std::deque<std::uint16_t> pool_;

  Counters counters_;
  net::RingPort port_;
  Event bring_up_;
  Event step_;
  Event wrap_end_;  // wrap: the frame has come back
};

}  // namespace planar::tokenring
