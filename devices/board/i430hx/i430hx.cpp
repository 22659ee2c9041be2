// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/board/i430hx/i430hx.hpp"

namespace planar {

namespace {
constexpr pci::Identity identity{
    .vendor = 0x8086, .device = 0x1250, .revision = 0x03, .class_code = 0x060000, .interrupt_pin = 0};
constexpr std::uint32_t row_unit = 4 << 20;  // of DRB: 4 MB
}  // namespace

I430hx::I430hx(pci::Slot& slot, std::uint32_t memory_bytes, std::uint32_t l2_bytes)
    : NorthBridge(slot, identity, memory_bytes, row_unit) {
  config_.set_writable(pci::COMMAND, 2, pci::SERR_ENABLE | pci::PARITY_RESPONSE);
  config_.set_default(CC, 1, l2_bytes == 0 ? 0x02 : l2_bytes <= (256u << 10) ? 0x62 : 0xA2);
  config_.set_default(DRAMC, 1, 0x01);
  config_.set_default(SMRAM, 1, 0x02);
  for (const auto reg : {PCON, CC, DRAMEC, DRAMC, DRAMT, DRT, ERRCMD}) config_.set_writable(reg, 1, 0xFF);
  config_.set_writable(PAM0, 4, 0xFFFFFFFF);
  config_.set_writable(PAM0 + 4, 3, 0xFFFFFF);
  config_.set_writable(SMRAM, 1, 0x78);
  config_.set_clearable(ERRSTS, 1, 0x11);
}

void I430hx::describe(Description& d) const {
  describe_header(d);
  describe_memory(d);
  d.reg("CC", config_.read(CC, 1), 8).reg("SMRAM", config_.read(SMRAM, 1), 8);
}

void I430hx::archive(Archive& a) {
  a.section("430hx", 1);
  archive_function(a);
}

}  // namespace planar
