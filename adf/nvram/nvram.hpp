// SPDX-License-Identifier: GPL-2.0-or-later
// The configuration NVRAM: 2 KB at ports 74h to 76h, in the layout of roms/README.md section 2 (planar's own; IBM's
// is not public). The solver's result is written here; POST reads it.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "adf/solver/solver.hpp"

namespace planar::adf {

inline constexpr std::size_t nvram_size = 2048;
inline constexpr std::size_t nvram_records = 11;
using NvramImage = std::array<std::uint8_t, nvram_size>;

/// One record: what is installed and its POS data bytes.
struct NvramRecord {
  std::uint16_t id = 0xFFFF;                      // FFFFh: nothing installed
  bool enable = false;                            // POST sets POS 2 bit 0
  std::uint8_t count = 0;                         // valid bytes in pos, 0 to 6
  std::array<std::uint8_t, max_pos_bytes> pos{};  // POS 2 to POS 7
  bool operator==(const NvramRecord&) const = default;
};

struct NvramConfig {
  std::array<NvramRecord, max_slots> slots{};  // [0] is slot 1
  NvramRecord planar;                          // POS 2 to POS 5, and its ID
  NvramRecord video;
  NvramRecord scsi;
  bool operator==(const NvramConfig&) const = default;
};

/// The slot records of a solution, with every adapter enabled; the caller fills in the planar's three records.
NvramConfig to_nvram(const Solution& solution);

/// The image with its CRC; bytes after it are 0.
NvramImage write_nvram(const NvramConfig& config);

/// Decodes an image. Throws Error naming the fault: size, signature, version, number of records, a count, a byte that
/// must be 0, or the CRC.
NvramConfig read_nvram(std::span<const std::uint8_t> image);

}  // namespace planar::adf
