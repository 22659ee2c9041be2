// SPDX-License-Identifier: GPL-2.0-or-later
// PS/2 parallel port: data, status, control, with the bidirectional extension, and a printer that always accepts data.
//
//   +0 data
//   +1 status   7 -busy, 6 -acknowledge, 5 paper out, 4 selected, 3 -error, 2 -interrupt pending, 1:0 read 1
//   +2 control  0 strobe, 1 autofeed, 2 -init, 3 select, 4 interrupt enable, 5 direction (1 = read)
//
// Facts: docs/hardware/planar-devices.md#parallel-port (direction in control bit 5, extended mode selected by planar
// POS 2 bit 7). Status bit 2 is latched by the printer's acknowledge and set again by reading the status (recalled from
// the PS/2 manuals, unchecked). Printer timing (inferred): busy 5 us, then an acknowledge of 5 us.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/memory/slave.hpp"
#include "core/state/archive.hpp"
#include "core/state/description.hpp"
#include "core/time/scheduler.hpp"
#include "devices/board/at/system/port_group.hpp"
#include "devices/board/at/system/signal.hpp"

namespace planar {

class ParallelPort final : public Slave {
 public:
  ParallelPort(Scheduler& scheduler, std::string name);

  /// Decodes base to base+2 (3BCh, 378h or 278h) in place of any previous range.
  void claim_ports(IoSpace& space, std::uint16_t base, bool* selected = nullptr);
  void release_ports() { ports_.release(); }
  /// Extended (bidirectional) mode; off: control bit 5 has no effect and reads as 1.
  void set_extended(bool on) { extended_ = on; }

  std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now) override;
  void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) override;
  std::uint32_t peek(std::uint32_t offset, unsigned bytes, Time now) const override;

  Output irq;

  /// Called with each byte at its strobe. Without a sink no printer is attached: the status lines float, 7Fh.
  void on_output(std::function<void(std::uint8_t, Time)> sink) { sink_ = std::move(sink); }
  /// The value driven by the other end while the port is in read direction.
  void drive(std::uint8_t value) { inbound_ = value; }

  void reset(Time now);
  void describe(Description& d) const;
  void archive(Archive& a);

 private:
  std::uint8_t status() const;
  void next_phase(Time now);
  void update_irq(Time now);

  std::function<void(std::uint8_t, Time)> sink_;
  bool extended_ = false;
  std::uint8_t data_ = 0;
  std::uint8_t control_ = 0;
  std::uint8_t inbound_ = 0xFF;
  bool busy_ = false;
  bool acknowledge_ = false;
  bool pending_ = false;
  Event phase_;
  PortGroup ports_;
};

}  // namespace planar
