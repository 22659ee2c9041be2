// SPDX-License-Identifier: GPL-2.0-or-later
// What the chip sets of IBM's Streamer family have in common: the window of registers, the soft reset, the interrupt,
// the local access port, the bus master, which does one transfer at a time, reception first, and the receive channel.
// Each chip set adds its medium, its requests and its transmitter.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/memory/port_run.hpp"
#include "core/state/description.hpp"
#include "core/time/scheduler.hpp"
#include "devices/chips/chip_host.hpp"
#include "devices/chips/streamer/receive_channel.hpp"
#include "devices/chips/streamer/registers.hpp"

namespace planar::streamer {

struct ChipSetConfig {
  std::uint32_t transmit_fifo = 256, receive_fifo = 256;  ///< bytes
  std::uint32_t burst = 64;                               ///< bytes for which a tenure of the channel is requested
  std::uint32_t threshold = 64;                           ///< bytes in the FIFO at which a frame starts
  Time self_test{}, request{};                            ///< after a reset; an SRB command or another doorbell
};

class ChipSet : public RegisterMap, protected ReceiveOwner {
 public:
  /// Registers of the window; `offset` even.
  std::uint16_t read(std::uint32_t offset, Time now);
  std::uint16_t peek(std::uint32_t offset) const;
  void write(std::uint32_t offset, std::uint16_t value, Time now);
  virtual void reset(Time now) = 0;
  bool interrupt_pin() const { return system_.interrupt(); }

  std::span<std::uint8_t> transfer_buffer() { return transfer_; }
  /// A transfer that the chip set has started has not ended.
  bool transferring() const { return job_ != Job::none; }
  void transfer_done(Time now);

 protected:
  /// The transfer under way. The transmitter's own follow from `first_of_chip` on.
  enum class Job : std::uint8_t { none, rx_fetch, rx_data, rx_status, tx_fetch, first_of_chip };

  /// `adapter_causes` are the bits of SISR that the chip set has, MI aside, `channels` those of BMCTL that disable one.
  /// `self_test` and `more`: the chip's events for the end of the self-test and for the next check of the wire.
  ChipSet(BusMasterHost& host, const ReceiveChannel::Limits& limits, std::uint16_t adapter_causes,
          std::uint16_t channels, Time self_test_time, Event& self_test, Event& more)
      : system_(adapter_causes),
        disabled_(channels),
        receive_(*this, more, limits),
        host_(host),
        all_channels_(channels),
        self_test_time_(self_test_time),
        self_test_event_(self_test) {}
  ~ChipSet() = default;

  // ---- what each chip set adds ----
  /// The adapter is open: frames pass.
  virtual bool open() const = 0;
  /// The bytes at LAPA, in address order.
  virtual std::uint16_t local(std::uint16_t at) const = 0;
  virtual void put_local(std::uint16_t at, std::uint16_t value, Time now) = 0;
  /// LAPD or LAPDINC was read.
  virtual void local_read(Time /*now*/) {}
  /// Registers that only this chip set has.
  virtual std::uint16_t peek_own(std::uint32_t offset) const = 0;
  /// What the chip set adds to a write of any register; the family's registers have already been written.
  virtual void written(std::uint32_t offset, std::uint16_t value, Time now) = 0;
  /// Bits of BMCTL: transmit channels that were disabled.
  virtual void stop_transmit_channels(std::uint16_t stopped, Time now) = 0;
  /// Checks the wire again when enough of the arriving frame can be moved.
  virtual void expect_more(Time now) = 0;
  /// The status of a receive buffer is in memory; `last` of its frame.
  virtual void buffer_returned(bool last, Time now) = 0;
  /// Begins a transfer for the transmitter, if one is due; ends one.
  virtual void transmit_pump(Time now) = 0;
  virtual void transmit_transfer_done(Job job, Time now) = 0;

  // ---- registers ----
  /// A write of half a descriptor address: the lower half of `pair` is kept, the upper gives the address.
  std::optional<std::uint32_t> whole_address(unsigned pair, std::uint32_t offset, std::uint16_t value);
  void channels(std::uint16_t disabled, Time now);
  void raise(std::uint16_t misr, Time now);
  void raise_system(std::uint16_t sisr, Time now);
  void update_interrupt(Time now);
  /// The family's part of a reset, after every channel was stopped.
  void reset_registers();
  void stop_receive(Time now);

  // ---- bus master ----
  void begin(Job job, std::uint32_t address, std::uint32_t bytes, Direction direction, Time now);
  void abort_job(Time now);
  void pump(Time now);
  bool moving() const { return receive_.moving(job_ == Job::rx_data); }

  void describe_registers(Description& d) const;
  /// `own`: names of the transmitter's transfers.
  void describe_transfer(Description& d, std::span<const char* const> own) const;
  /// Of a snapshot.
  bool sound() const;

  SystemRegisters system_;
  std::uint16_t bctl_ = 0, lapa_ = 0, disabled_;
  std::array<std::uint16_t, 3> halves_{};  // lower halves of RXLBDA or RXBDA, TX1LFDA, TX2LFDA
  bool tested_ = false, asserted_ = false;
  Job job_ = Job::none;
  std::vector<std::uint8_t> transfer_;
  ReceiveChannel receive_;

 private:
  void control(std::uint16_t value, Time now);
  bool receive_pump(Time now);

  BusMasterHost& host_;
  const std::uint16_t all_channels_;
  const Time self_test_time_;
  Event& self_test_event_;
};

}  // namespace planar::streamer
