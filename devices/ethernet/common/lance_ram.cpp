// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/ethernet/common/lance_ram.hpp"

#include "core/common/error.hpp"

namespace planar::ethernet {

Am7990Timing LanceRam::timing(const TimingProfile& profile) {
  return {profile.time("chip.dma_cycle"), profile.time("chip.poll_interval"),
          static_cast<unsigned>(profile.integer("chip.burst", 2, 32) / 2), profile.time("chip.transmit_end")};
}

void LanceRam::archive_ram(Archive& a) {
  const std::size_t bytes = ram_.size();
  a(ram_);
  if (a.loading() && ram_.size() != bytes)
    throw Error("snapshot holds a damaged LANCE buffer; take a new one", ExitCode::missing_file);
}

}  // namespace planar::ethernet
