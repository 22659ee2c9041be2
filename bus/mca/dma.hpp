// SPDX-License-Identifier: GPL-2.0-or-later
// The DMA controller of the PS/2: eight channels, programmed like two 8237s or by the extended
// functions at 18h and 1Ah.
//
// clang-format off
//   00-07h, C0-CEh even  base/current address and count, low byte first (a byte pointer each)
//   08h, D0h  R  status              0Ch, D8h  W  clear byte pointer
//   0Ah, D4h  W  one mask bit        0Dh, DAh  W  master clear
//   0Bh, D6h  W  mode                0Eh, DCh  W  clear masks
//   0Fh, DEh  W  all masks
//   80-8Fh       page registers: 87 83 81 82 = channels 0 to 3, 8F 8B 89 8A = 4 to 7;
//                the others are plain latches
//   18h       W  extended function: bits 7-4 function, 2-0 channel; resets the byte pointer
//   1Ah       RW its data
//
//   fn 0 I/O address (2 bytes)         6 status (2 reads: channels 0-3, 4-7)  A clear mask
//      2 write memory address (3)      7 mode                                 B software request
//      3 read memory address (3)       8 arbitration level (channels 0, 4)    C reset it
//      4 write count (2), 5 read it    9 set mask                             D master clear
//   mode: bit 0 use the I/O address, 1 autoinitialise, 3-2 00 verify 01 memory to I/O
//         11 I/O to memory, 4 decrement, 6 16-bit
// clang-format on
//
// A transfer is serial: an I/O cycle and a memory cycle, with the item held in between. A device requests at an
// arbitration level, and the DMA channel with that level serves it. Facts:
// docs/hardware/micro-channel.md#dma-controller.
//
// As on the real part: there are no command and request registers, channel 4 works like the others, and addresses have
// 24 bits. If programmed through the 8237 ports, an address wraps within its page; if programmed by the extended
// functions, it carries (inferred; the chip's own document was not available).
//
// Not modelled: 32-bit addresses (register layout not public).
// Simplified: while no unmasked channel has a device's level, its request does not compete, as if the planar arbitrated
// for it; -TC reaches the device at the end of the item, not within its I/O cycle; reading a register that does not
// exist returns FFh.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bus/common/port_window.hpp"
#include "bus/mca/arbitration.hpp"
#include "bus/mca/timing.hpp"
#include "core/memory/address_space.hpp"
#include "core/state/archive.hpp"
#include "core/state/description.hpp"
#include "core/state/trace.hpp"
#include "core/time/scheduler.hpp"

namespace planar::bus {

/// The device's side of a DMA transfer. Not called for channels that use a programmed I/O address, for which the
/// controller runs ordinary I/O cycles to that port (dma_terminal_count() is called in either case).
class DmaClient {
 public:
  virtual ~DmaClient() = default;
  /// Device to memory (and verify): one item of 1 or 2 bytes. `now` is the end of the I/O cycle. The device may
  /// withdraw its request during this call.
  virtual std::uint16_t dma_read(unsigned bytes, Time now) = 0;
  /// Memory to device.
  virtual void dma_write(unsigned bytes, std::uint16_t value, Time now) = 0;
  /// -TC accompanied the item just moved.
  virtual void dma_terminal_count(Time now) = 0;
  /// The I/O cycle of one item.
  virtual CycleSpec dma_cycle() const { return {8, CycleKind::synchronous_extended, {}}; }
};

class DmaController;

/// A device's connection to DMA service. Construct it with the device; the channel and the controller save its state.
///
///   DmaLine dma_{controller, *this, "fdc"};
///   dma_.request(2, now);   // DRQ active; stays so until withdraw()
class DmaLine final : private BusMaster {
 public:
  /// `fairness`: as for any BusMaster; it matters only to burst transfers.
  DmaLine(DmaController& controller, DmaClient& client, std::string name, bool fairness = true);
  ~DmaLine() override;

  /// Requests service at arbitration level `level` until withdrawn, item after item. `burst`: keeps the channel between
  /// items until -PREEMPT or the terminal count; otherwise the channel is arbitrated for each item.
  void request(unsigned level, Time now, bool burst = false);
  void withdraw(Time now);
  bool requesting() const { return wanted_; }

 private:
  friend class DmaController;
  void granted(Time now) override;
  void timed_out(Time now) override;
  DmaController& controller_;
  DmaClient& client_;
  const bool fair_;
  unsigned level_ = 0;
  bool wanted_ = false;
  bool burst_ = false;
};

class DmaController {
 public:
  static constexpr std::string_view device_name = "dma";  // in traces
  static constexpr unsigned channels = 8;

  /// The mode byte of the extended functions.
  struct Mode {
    std::uint8_t bits = 0;
    bool use_io_address() const { return bits & 0x01; }
    bool autoinitialise() const { return bits & 0x02; }
    bool verify() const { return (bits & 0x04) == 0; }
    bool to_memory() const { return (bits & 0x0C) == 0x0C; }
    bool decrement() const { return bits & 0x10; }
    bool wide() const { return bits & 0x40; }
    unsigned bytes() const { return wide() ? 2 : 1; }
  };

  /// One channel's registers; addresses are 24-bit byte addresses.
  struct ChannelRegisters {
    std::uint32_t base_address = 0;
    std::uint32_t current_address = 0;
    std::uint16_t base_count = 0;
    std::uint16_t current_count = 0;
    std::uint16_t io_address = 0;
    Mode mode;
    std::uint8_t level = 0;  ///< arbitration level; programmable on channels 0 and 4
    bool masked = true;
    bool carries = false;  ///< programmed by the extended functions: the address carries beyond 64 KB
    bool terminal_count = false;
    bool software_request = false;
  };

  DmaController(Channel& channel, IoSpace& io, AddressSpace& memory, Trace& trace);
  ~DmaController();
  DmaController(const DmaController&) = delete;

  /// Planar reset: like a master clear, but also restores the default arbitration levels and modes.
  void reset(Time now);

  /// For debuggers and tests.
  const ChannelRegisters& channel(unsigned n) const { return channels_.at(n); }

  std::uint8_t port_read(std::uint16_t port, Time now);
  void port_write(std::uint16_t port, std::uint8_t value, Time now);
  std::uint8_t port_peek(std::uint16_t port) const;

  /// The transfer in progress, and each channel's registers.
  void describe(Description& d) const;
  void archive(Archive& a);

 private:
  friend class DmaLine;
  /// Function B: arbitrates at a channel's level without a device.
  class SoftwareRequest;
  enum class Step : std::uint8_t { idle, first_cycle, second_cycle };

  // Registers (dma_registers.cpp).
  struct Field {
    unsigned length;
    std::uint32_t value;
  };
  std::uint8_t controller_peek(unsigned controller, unsigned reg) const;
  std::uint8_t controller_read(unsigned controller, unsigned reg);
  void controller_write(unsigned controller, unsigned reg, std::uint8_t value, Time now);
  void set_address_byte(unsigned n, bool high, std::uint8_t value);
  std::uint8_t status(unsigned controller) const;
  void set_8237_mode(unsigned controller, std::uint8_t value);
  void select_function(std::uint8_t value, Time now);
  Field field() const;
  std::uint8_t execute_read();
  void execute_write(std::uint8_t value, Time now);
  void master_clear(unsigned first, unsigned last, Time now);

  // Transfers (dma_transfer.cpp).
  void rescan(Time now);
  int channel_at(unsigned level) const;
  void compete(DmaLine& line, Time now);
  void serve(DmaLine& line, Time now);
  void step(Time now);
  void finish_item(Time now);
  void abandon(DmaLine& line);
  template <class F>
  void io_cycles(const ChannelRegisters& c, F f) const;
  Time io_end(const ChannelRegisters& c, const DmaClient& client, Direction direction, Time start) const;
  Time memory_end(const ChannelRegisters& c, Time start) const;
  void advance_address(unsigned n);
  std::uint16_t device_read(const ChannelRegisters& c, DmaClient& client, Time now);
  void device_write(const ChannelRegisters& c, DmaClient& client, std::uint16_t value, Time now);

  Channel& bus_;
  IoSpace& io_;
  AddressSpace& memory_;
  Trace& trace_;
  std::vector<DmaLine*> lines_;  // in order of construction
  std::array<ChannelRegisters, channels> channels_;
  std::array<std::uint8_t, 16> pages_{};
  std::array<bool, 2> high_byte_{};  // the byte pointers of the two 8237s
  std::uint8_t function_ = 0;        // 18h
  std::uint8_t byte_pointer_ = 0;    // of 1Ah

  // The item under way.
  Step step_state_ = Step::idle;
  DmaLine* serving_ = nullptr;
  std::uint8_t serving_channel_ = 0;
  std::uint16_t item_ = 0;
  Event step_;
  std::unique_ptr<SoftwareRequest> software_;
  PortWindow<DmaController> ports_00_, ports_18_, ports_1a_, ports_80_, ports_c0_;
};

}  // namespace planar::bus
