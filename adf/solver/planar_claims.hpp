// SPDX-License-Identifier: GPL-2.0-or-later
// The resources that the planar of a PS/2 occupies before any adapter is configured
// (docs/hardware/planar-devices.md#io-map, docs/hardware/pos-and-adf.md#planar-pos-registers). The machine says which
// parts it has; the ranges are those of every Micro Channel PS/2.
#pragma once

#include <cstdint>
#include <vector>

#include "adf/solver/solver.hpp"

namespace planar::adf {

struct PlanarParts {
  unsigned serial = 1;             // 1 = COM1 (3F8h, IRQ 4), 2 = COM2 (2F8h, IRQ 3), 0 = off
  unsigned second_serial = 0;      // the same, on planars with two
  std::uint16_t parallel = 0x3BC;  // 3BCh, 378h or 278h (IRQ 7), 0 = off
  bool diskette = true;            // 3F0h-3F7h, IRQ 6, arbitration level 2
  bool video = true;               // VGA: 3B0h-3DFh without the parallel port at 3BCh, A0000h-BFFFFh
  std::uint32_t memory_kb = 0;     // system memory; 640 KB below A0000h, the rest from 100000h
};

/// The claims of the planar. Serial and parallel interrupts are shareable; those of timer, keyboard, diskette, clock,
/// mouse and coprocessor are not, because their handlers assume exclusive use.
std::vector<PlanarClaim> planar_claims(const PlanarParts& parts);

}  // namespace planar::adf
