// SPDX-License-Identifier: GPL-2.0-or-later
// The two 8237A DMA controllers of an AT with their page registers: channels 0 to 3 transfer bytes, 5 to 7 words,
// channel 4 cascades the first controller into the second.
//
//   00-07h, C0-CEh even  base/current address and count of a channel, low byte first (a byte pointer each)
//   08h, D0h  R status   W command      0Ch, D8h  W  clear byte pointer
//   09h, D2h  W  request                0Dh, DAh  W  master clear
//   0Ah, D4h  W  one mask bit           0Eh, DCh  W  clear masks
//   0Bh, D6h  W  mode                   0Fh, DEh  RW all masks
//   87 83 81 82h, 8B 89 8Ah  pages of channels 0 to 3, 5 to 7; 8Fh, 84-86h, 88h, 8C-8Eh are plain bytes
//
// After a reset every channel is masked, including channel 4: channels 0 to 3 work only after firmware has set it to
// cascade mode and unmasked it. Port 80h is left to the POST code display.
//
// Sources: Intel 8237A data sheet; Intel 82371SB data sheet (the pair, its pages, all masks readable). Timing: a device
// waits for the bus, and then each item takes an ISA cycle (I8237Timing). Not modelled: memory to memory, which an AT
// cannot do, compressed and extended timing (stored), the processor's wait during a transfer: on a PCI board it runs
// from its cache meanwhile, and a diskette takes 6 % of the bus.
#pragma once

#include <array>
#include <cstdint>

#include "core/memory/address_space.hpp"
#include "core/memory/slave.hpp"
#include "core/state/archive.hpp"
#include "core/state/description.hpp"
#include "core/state/trace.hpp"
#include "core/time/scheduler.hpp"
#include "devices/board/at/system/port_group.hpp"

namespace planar {

struct I8237Timing {
  /// From DREQ until the bus is granted: HRQ, HLDA and their synchronisation. [inferred]
  Time grant = 500_ns;
  /// One item in compatible timing: eight clocks of 8.33 MHz. [datasheet: 82371SB]
  Time item = 960_ns;
};

/// A device's side of a channel.
class I8237Client {
 public:
  virtual ~I8237Client() = default;
  /// Device to memory, and verify: one item. The device may drop its request here.
  virtual std::uint16_t dma_read(Time now) = 0;
  /// Memory to device.
  virtual void dma_write(std::uint16_t value, Time now) = 0;
  /// The item just transferred was accompanied by TC.
  virtual void dma_terminal_count(Time now) = 0;
};

class I8237Pair {
 public:
  static constexpr unsigned channels = 8;

  I8237Pair(Scheduler& scheduler, AddressSpace& memory, Trace& trace, const I8237Timing& timing = {});
  I8237Pair(const I8237Pair&) = delete;
  I8237Pair& operator=(const I8237Pair&) = delete;

  void claim_ports(IoSpace& space);
  /// The device on channel 0 to 3 or 5 to 7; it must outlive its use by the pair.
  void connect(unsigned channel, I8237Client& client) { channels_.at(channel).client = &client; }
  /// DREQ of a channel.
  void request(unsigned channel, bool active, Time now);

  /// For debuggers and tests: the byte address of the next item, and the count as in the register.
  std::uint32_t address(unsigned channel) const;
  std::uint16_t count(unsigned channel) const { return channels_.at(channel).current_count; }
  bool masked(unsigned channel) const { return channels_.at(channel).masked; }

  void reset();
  void describe(Description& d) const;
  void archive(Archive& a);

 private:
  struct Channel {
    std::uint16_t base_address = 0, current_address = 0;
    std::uint16_t base_count = 0, current_count = 0;
    std::uint8_t mode = 0;
    bool masked = true;
    bool requested = false;  // DREQ
    bool software = false;   // the request register
    bool running = false;    // block mode: from the first item to TC
    bool terminal_count = false;
    I8237Client* client = nullptr;
    void archive(Archive& a) {
      a(base_address, current_address, base_count, current_count, mode, masked, requested, software, running,
        terminal_count);
    }
  };
  /// The registers of one controller at their ports.
  struct Registers final : Slave {
    Registers(I8237Pair& p, unsigned n) : pair(p), number(n) {}
    std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now) override;
    void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) override;
    std::uint32_t peek(std::uint32_t offset, unsigned bytes, Time now) const override;
    std::string_view register_name(std::uint32_t offset, Direction direction) const override;
    unsigned reg(std::uint32_t offset) const { return number == 0 ? offset : offset / 2; }
    bool decoded(std::uint32_t offset) const { return number == 0 || offset % 2 == 0; }
    I8237Pair& pair;
    const unsigned number;
  };
  struct Pages final : Slave {
    explicit Pages(I8237Pair& p) : pair(p) {}
    std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now) override { return peek(offset, bytes, now); }
    void write(std::uint32_t offset, unsigned, std::uint32_t value, Time) override {
      pair.pages_[offset & 15] = static_cast<std::uint8_t>(value);
    }
    std::uint32_t peek(std::uint32_t offset, unsigned, Time) const override { return pair.pages_[offset & 15]; }
    I8237Pair& pair;
  };

  std::uint8_t read_register(unsigned controller, unsigned reg) const;
  void write_register(unsigned controller, unsigned reg, std::uint8_t value, Time now);
  std::uint8_t status(unsigned controller) const;
  void master_clear(unsigned controller);
  bool wants(unsigned n) const;
  int next_channel() const;
  void schedule(Time when);
  void item(Time now);
  void move(unsigned n, Time now);

  AddressSpace& memory_;
  Trace& trace_;
  const I8237Timing timing_;
  std::array<Channel, channels> channels_;
  std::array<std::uint8_t, 2> command_{};
  std::array<bool, 2> high_byte_{};
  std::array<std::uint8_t, 2> lowest_{3, 3};  // rotating priority: the controller's channel of lowest priority
  std::array<std::uint8_t, 16> pages_{};
  Event item_;
  Registers first_{*this, 0}, second_{*this, 1};
  Pages page_ports_{*this};
  PortGroup ports_{"dma"};
};

}  // namespace planar
