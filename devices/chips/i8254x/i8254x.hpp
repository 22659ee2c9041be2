// SPDX-License-Identifier: GPL-2.0-or-later
// Intel 82542 and 82543: Ethernet controllers for 1000 Mbit/s over fibre, 64-bit PCI bus masters.
//
//   memory ... descriptor fetch, data, write-back ... packet buffer (64 KB, PBA: receiver | transmitter) ... MAC ...
//   PCS
//
// Files by chapter: registers.hpp the register map; i8254x.cpp registers, resets, interrupts, snapshots;
// i8254x_link.cpp the PCS with auto-negotiation, and flow control; i8254x_receive.cpp filters, packet buffer, receive
// descriptors and RDTR; i8254x_transmit.cpp transmit descriptors, packet buffer and TIDV; offload.hpp checksums and
// VLAN tags; descriptor_ring.hpp a ring with its cache.
//
// Receive: a frame that has arrived completely and without errors is stored in the packet buffer, or is missed (MPC,
// RXO). It is moved to the buffers of the descriptors, which are fetched in a burst when the cache is empty (or below
// RXDCTL.PTHRESH), and written back when RXDCTL.WTHRESH of them are used, RDTR has expired, or RDTR is 0. RDTR restarts
// with each frame stored in memory, so RXT0 comes after a pause. RXDMT0 comes when the free descriptors have fallen to
// a fraction of the ring.
// Transmit: descriptors are fetched in the same way; the data of one are read when the packet buffer has room for all
// of them; a frame is sent when it is complete. RS: the descriptor is written back when its data have been read; RPS:
// when the frame has been sent. The write-back of a descriptor with RS and IDE loads the timer with TIDV, whether it is
// running or not; with RS alone it raises TXDW at once and clears the timer. With TXDCTL.WTHRESH the timer starts with
// the first waiting descriptor, and its expiry writes back all that wait.
//
// Source of behaviour: Intel 8254x Software Developer's Manual (public; 3.2.2 to 3.2.8, 3.3.3, 3.3.7, 3.4.2, 8.7,
// 13.4); Intel 82543GC Specification Update (public; errata 13, 14, 33, 35, 37); Intel's Linux driver 2.5.11, in the
// distribution of Click (BSD licence). devices/ethernet/pro1000-82543/pro1000-82543.md.
//
// Chosen where sources leave it open: a register write of 8 or 16 bits keeps the other bytes; the address of a
// descriptor ring is used as it is when a fetch begins; frames that are in the packet buffer when RCTL.EN is cleared
// are still moved; a ring whose head, base or length is written while its DMA runs restarts at the head: the receiver
// moves the current frame again, the transmitter drops it; an aborted burst raises PCIE of the 82542 and nothing else,
// and the data that it should have read are ones.
//
// Known to be simplified: the second receive ring of the 82542, TCP segmentation (useless in the 82543: erratum 14),
// early receive and transmit thresholds, half duplex, copper PHYs, direct access to the packet buffer, flash memory;
// CTRL.PRIOR (the receiver always has priority); memory write and invalidate; the gap is 96 bit times whatever TIPG
// says.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/state/archive.hpp"
#include "core/state/description.hpp"
#include "core/time/scheduler.hpp"
#include "devices/chips/at93c46/at93c46.hpp"
#include "devices/chips/chip_host.hpp"
#include "devices/chips/i8254x/descriptor_ring.hpp"
#include "devices/chips/i8254x/dma64.hpp"
#include "devices/chips/i8254x/offload.hpp"
#include "devices/chips/i8254x/registers.hpp"
#include "devices/medium/ethernet/ethernet_segment.hpp"

namespace planar::ethernet {

/// The chip's view of its bus.
class I8254xHost : public BurstHost {
 public:
  virtual Time bus_clock() const = 0;  ///< period
  virtual Time bus_abort() const = 0;  ///< of a transaction that no target claims, with arbitration
  virtual bool bus_64() const = 0;
  virtual std::uint32_t cache_line() const = 0;  ///< bytes, a power of two from 16 to 256

 protected:
  ~I8254xHost() = default;
};

/// Which chip it is, and its sizes and times; all from the card's profile. Clocks are the bus's.
struct I8254xConfig {
  bool is_82543 = false;
  std::uint32_t packet_buffer = 65536;  ///< bytes
  std::uint32_t frame_header = 16;      ///< bytes that each frame takes there in addition to its own
  std::uint32_t receive_descriptors = 64, transmit_descriptors = 64;  ///< that it caches
  Time receive_step{}, transmit_step{};  ///< from the end of a descriptor's data to the next one's
  Time reset{};                          ///< CTRL.RST, until it reads 0
  Time management{};                     ///< from an MDIC command to its ready bit
  Time link_timer{};                     ///< of auto-negotiation, IEEE 802.3 clause 37
};

class I8254x final : private net::EthernetStation {
 public:
  static constexpr std::uint32_t register_bytes = 0x20000;
  static constexpr Time delay_unit = 1'024_ns;           ///< of RDTR and TIDV [datasheet: manual, 13.4]
  static constexpr std::uint32_t longest_frame = 16288;  ///< with RCTL.LPE, FCS included [datasheet: manual, 13.4]

  struct Counters {
    std::uint64_t sent = 0, received = 0, overruns = 0;
    static constexpr std::uint64_t collisions = 0;
  };

  /// `name` prefixes its events; `eeprom` is what its serial EEPROM holds.
  I8254x(Scheduler& scheduler, const std::string& name, I8254xHost& host, const I8254xConfig& config,
         const std::array<std::uint16_t, At93c46::words>& eeprom, std::uint64_t seed);

  /// `bytes` 1, 2 or 4 at any offset below register_bytes, within a doubleword.
  std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now);
  std::uint32_t peek(std::uint32_t offset, unsigned bytes) const;
  void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now);
  std::string_view register_name(std::uint32_t offset, Direction) const;
  /// RST#, and CTRL.RST.
  void reset(Time now);

  BurstClient& bursts() { return engines_; }
  net::EthernetPort& port() { return port_; }
  const Counters& counters() const { return counters_; }
  void describe(Description& d, Time now) const;
  void archive(Archive& a);

 private:
  /// A frame in the receiver's part of the packet buffer.
  struct Received {
    std::vector<std::uint8_t> data;
    std::uint32_t moved = 0;
    std::uint8_t status = 0, errors = 0;
    std::uint16_t checksum = 0, special = 0;
    void archive(Archive& a) { a(data, moved, status, errors, checksum, special); }
  };
  /// A frame in the transmitter's part.
  struct Sending {
    std::vector<std::uint8_t> data;
    std::vector<Descriptor> report;  // to be written back when it has been sent (RPS)
    void archive(Archive& a) { a(data, report); }
  };
  enum class Pause : std::uint8_t { none, xoff, xon };

  // i8254x.cpp
  void load_defaults();
  std::uint32_t& reg(std::uint32_t offset) { return values_[i8254x::row_of(offset)]; }
  std::uint32_t reg(std::uint32_t offset) const { return values_[i8254x::row_of(offset)]; }
  bool has(std::uint32_t place) const;
  std::uint32_t value(std::uint32_t place) const;
  std::uint32_t writable_bits(std::uint32_t at) const;
  void write_word(std::uint32_t place, std::uint32_t value, Time now);
  void raise(std::uint32_t causes, Time now);
  void update_interrupt(Time now);
  void reset_over(Time) { reg(i8254x::CTRL) &= ~i8254x::CTRL_RST; }
  void mdi_done(Time now);
  std::uint64_t& tally(std::uint32_t statistic) { return statistics_[(statistic - i8254x::statistics) / 4]; }
  void count_size(std::uint32_t first, std::size_t bytes);
  Time abort_time() const { return host_.bus_abort(); }
  DescriptorRing::Thresholds thresholds(std::uint32_t control) const;
  std::uint32_t per_line() const { return host_.cache_line() / Descriptor::bytes; }
  std::uint32_t receive_buffer() const { return reg(i8254x::PBA) * 1024; }
  std::uint32_t transmit_buffer() const;
  std::uint32_t place_of(std::size_t bytes) const;
  std::uint32_t write_back(Dma64& dma, std::uint64_t ring, const std::deque<Descriptor>& list, bool bursts, Time now);
  void bus_error(Time now);
  bool sound() const;

  // i8254x_link.cpp
  std::uint32_t status() const;
  std::uint32_t control() const;
  std::uint32_t receive_word() const;
  bool negotiates() const { return reg(i8254x::TXCW) & i8254x::TXCW_ANE; }
  net::Pcs own_pcs() const;
  void pcs_written(Time now);
  void link_work(Time now);
  void negotiated(Time now);
  void set_link(bool up, Time now);
  void resolve_pause(std::uint16_t partner);
  void link_changed(bool, Time now) override { partner_changed(now); }
  void partner_changed(Time now) override;
  bool pause_frame(std::span<const std::uint8_t> frame, Time now);
  void watch_fill(Time now);
  std::vector<std::uint8_t> make_pause(bool xoff) const;

  // i8254x_receive.cpp
  std::uint32_t receive_size() const { return reg(i8254x::RDLEN) / Descriptor::bytes; }
  std::uint64_t receive_base() const { return std::uint64_t{reg(i8254x::RDBAH)} << 32 | reg(i8254x::RDBAL); }
  void frame_ends(const net::Reception& r, Time now) override;
  void take_frame(const net::Reception& r, Time now);
  bool accepts(std::span<const std::uint8_t> frame, std::uint8_t& status) const;
  void count_good(std::span<const std::uint8_t> frame);
  void receive_work(Time now);
  void receive_fetched(Time now);
  void receive_moved(Time now);
  void fetch_receive(Time now);
  void write_back_receive(Time now);
  void receive_written(Time now);
  void receive_delay_over(Time now);
  std::uint32_t buffer_size() const;
  std::uint32_t receive_fill() const { return received_fill_; }
  void count_receive_fill();
  void restart_receive_ring(Time now);
  void cut_receiver(Time now);

  // i8254x_transmit.cpp
  std::uint32_t transmit_size() const { return reg(i8254x::TDLEN) / Descriptor::bytes; }
  std::uint64_t transmit_base() const { return std::uint64_t{reg(i8254x::TDBAH)} << 32 | reg(i8254x::TDBAL); }
  void transmit_work(Time now);
  void fetch_transmit(Time now);
  void transmit_fetched(Time now);
  void transmit_read(Time now);
  void descriptor_done(Descriptor d, Time now);
  void finish_frame(const Descriptor& last, Time now);
  void report(const Descriptor& d, Time now);
  void write_back_transmit(Time now);
  void transmit_written(Time now);
  void transmit_delay_over(Time now);
  std::uint32_t place_to_send(std::size_t bytes) const;
  std::uint32_t transmit_fill() const;
  void try_send(Time now);
  void looped(Time now);
  void transmit_ends(const net::TransmitOutcome& outcome, Time now) override;
  void frame_left(Time now);
  void restart_transmit_ring(Time now);
  void cut_transmitter(Time now);

  Scheduler& scheduler_;
  I8254xHost& host_;
  const I8254xConfig config_;
  const std::uint32_t reset_control_;                 // CTRL as the EEPROM has it
  const std::array<std::uint32_t, 2> reset_address_;  // RAL0 and RAH0
  std::array<std::uint32_t, i8254x::row_count> values_{};
  std::array<std::uint32_t, (i8254x::tables_end - i8254x::tables) / 4> tables_{};  // MTA, RA, VFTA
  std::array<std::uint64_t, (i8254x::statistics_end - i8254x::statistics) / 4> statistics_{};
  bool interrupt_ = false;
  Counters counters_;

  // PCS and flow control
  bool link_ = false;
  Pause pause_wanted_ = Pause::none;
  bool xoff_sent_ = false;   // with no XON since
  bool xoff_again_ = false;  // the one that an overflow allows has been sent

  // receiver
  DescriptorRing receive_ring_;
  std::deque<Received> received_;
  std::uint32_t received_fill_ = 0;  // how much of the packet buffer they take
  std::deque<Descriptor> used_;      // to be written back
  std::uint32_t writing_back_ = 0;   // of used_, in the burst under way
  bool flush_used_ = false;          // all of used_ are to be written back
  bool rxt0_due_ = false;            // RXT0 is pending

  // transmitter
  DescriptorRing transmit_ring_;
  OffloadContext context_;
  std::uint8_t popts_ = 0;           // of the frame that is being read
  std::vector<std::uint8_t> frame_;  // being read
  std::vector<Descriptor> report_;   // RPS descriptors of it
  std::deque<Sending> frames_;       // the first may be with the port
  std::deque<Descriptor> reports_;   // to be written back
  std::uint32_t reporting_ = 0;      // of reports_, in the burst under way
  bool flush_reports_ = false;
  bool sending_ = false;        // the first of frames_ is being sent
  bool inside_ = false;         // within the chip (RCTL.LBM)
  bool sending_pause_ = false;  // a flow control frame is being sent
  bool orphan_ = false;         // a reset cut the frame on the wire: its outcome is ignored

  net::EthernetPort port_;
  At93c46 eeprom_;
  DmaEngines engines_;
  // In order of priority.
  Dma64 receive_fetch_, receive_write_back_, receive_data_, transmit_write_back_, transmit_fetch_, transmit_data_;
  Event reset_over_, mdi_done_, negotiated_, pause_over_, receive_step_, receive_delay_, transmit_step_,
      transmit_delay_, looped_;
};

}  // namespace planar::ethernet
