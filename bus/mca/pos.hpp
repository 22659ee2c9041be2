// SPDX-License-Identifier: GPL-2.0-or-later
// Programmable Option Select: selects what answers ports 100h to 107h.
//
// clang-format off
//   91h R    bit 0: a card or a planar serial, parallel or diskette port has decoded a normal cycle
//            since the last read
//   94h R/W  system board setup: a 0 selects bit 7 planar I/O, bit 5 VGA, bit 3 or 1 integrated
//            SCSI (by model)
//   96h R/W  adapter setup: bit 7 channel reset, bit 3 setup, bits 2-0 slot; bits 6-4 read as 1
//   100-107h POS 0 to 7 of whoever is selected; nobody: FFh
// clang-format on
//
// Facts: docs/hardware/pos-and-adf.md#pos-ports. Bits 7-1 of 91h read as 1 (sources differ). 97h is not decoded: it has
// no known function. A setup cycle moves one byte: in a word access the upper lanes float, so they read as ones and
// writes to them are lost (inferred; the manual says only that the data are wrong).
//
// Not modelled: bus contention when planar and adapter setup are active at once (the planar wins); a card under setup
// ignoring normal cycles; how long a card needs after channel reset (such a card returns ID 0000h from its own
// pos_read).
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "bus/common/port_window.hpp"
#include "bus/mca/slot.hpp"

namespace planar::bus {

class PosController final : private Slave {
 public:
  static constexpr std::string_view device_name = "pos";  // in traces
  static constexpr unsigned slots = 8;

  /// `scsi_setup_bit`: the bit of port 94h that selects integrated SCSI: 3 on the 56/57, 1 on the others.
  PosController(IoSpace& io, Trace& trace, unsigned scsi_setup_bit = 1);

  /// Null: the function is absent and reads FFh.
  void set_planar(SetupTarget* target) { planar_ = target; }
  void set_video(SetupTarget* target) { video_ = target; }
  void set_scsi(SetupTarget* target) { scsi_ = target; }
  /// Inserts a card into slot `number` (0 to 7), or removes it (null).
  void insert(unsigned number, Adapter* adapter) { adapters_.at(number) = adapter; }
  Adapter* adapter(unsigned number) const { return adapters_.at(number); }

  /// The latch of port 91h: the `selected` flag for claims of cards and of the planar's serial, parallel and diskette
  /// ports.
  bool* feedback() { return &feedback_; }

  /// Power-on or processor reset by the planar: setup registers return to their defaults and all cards are reset.
  void reset(Time now);

  std::uint8_t port_read(std::uint16_t port, Time now);
  void port_write(std::uint16_t port, std::uint8_t value, Time now);
  std::uint8_t port_peek(std::uint16_t port) const;

  /// Setup lines, the feedback latch, and the POS bytes of every target.
  void describe(Description& d) const;
  /// Saves the selection; the machine saves the adapters.
  void archive(Archive& a);

 private:
  SetupTarget* selected() const;
  std::string selected_name() const;
  void trace_setup(unsigned reg, const char* arrow, std::uint32_t value, Time now);
  // Ports 100h to 107h.
  std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now) override;
  void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) override;
  std::uint32_t peek(std::uint32_t offset, unsigned bytes, Time now) const override;

  TraceSubject subject_{std::string(device_name)};
  Trace& trace_;
  std::uint8_t scsi_mask_;
  SetupTarget* planar_ = nullptr;
  SetupTarget* video_ = nullptr;
  SetupTarget* scsi_ = nullptr;
  std::array<Adapter*, slots> adapters_{};
  std::uint8_t system_setup_ = 0xFF;  // 94h
  std::uint8_t adapter_setup_ = 0;    // 96h, bits 7 and 3-0
  bool feedback_ = false;             // 91h bit 0
  PortWindow<PosController> port_91_;
  PortWindow<PosController> port_94_;
  PortWindow<PosController> port_96_;
  IoClaim window_;
};

}  // namespace planar::bus
