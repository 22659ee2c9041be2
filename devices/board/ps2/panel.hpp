// SPDX-License-Identifier: GPL-2.0-or-later
// The 8-character panel of a Model 95.
//
// Facts: docs/hardware/planar-devices.md#operator-panel: panel at 108h (rightmost) to 10Fh (leftmost), ASCII, written
// in bytes, words and double words.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "core/memory/slave.hpp"
#include "core/state/archive.hpp"
#include "core/state/description.hpp"
#include "core/state/trace.hpp"
#include "devices/board/at/system/port_group.hpp"

namespace planar {

/// Offsets count from 108h.
class InformationPanel final : public Slave {
 public:
  explicit InformationPanel(Trace& trace) : trace_(trace) { characters_.fill(' '); }

  /// Decodes 108h-10Fh.
  void claim_ports(IoSpace& space) { ports_.claim(space, *this, 0x108, {{0x108, 0x10F}}); }

  std::uint32_t read(std::uint32_t offset, unsigned bytes, Time now) override;
  void write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) override;
  std::uint32_t peek(std::uint32_t offset, unsigned bytes, Time now) const override;

  /// The eight characters, leftmost first; codes outside printable ASCII appear as blanks.
  std::string text() const;

  void describe(Description& d) const { d.text("text", text()); }
  void archive(Archive& a) {
    a.section("panel", 1);
    a(characters_);
  }

 private:
  Trace& trace_;
  std::array<std::uint8_t, 8> characters_;
  PortGroup ports_{"panel"};
};

}  // namespace planar
