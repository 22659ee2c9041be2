// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/board/i440bx/i440bx.hpp"

namespace planar {

namespace {
constexpr pci::Identity identity{
    .vendor = 0x8086, .device = 0x7192, .revision = 0x03, .class_code = 0x060000, .interrupt_pin = 0};
constexpr std::uint32_t row_unit = 8 << 20;  // of DRB: 8 MB

/// A register: its value after a reset, and its writable bits.
struct Own {
  std::uint8_t reg;
  unsigned bytes;
  std::uint32_t reset, writable;
};
constexpr Own own[] = {
    {I440bx::NBXCFG, 4, 0x0000A402, 0xFF00FBFC},
    {I440bx::DRAMC, 1, 0x08, 0x3F},  // synchronous memory; firmware sets refresh every 15.6 us
    {I440bx::DRAMT, 1, 0x03, 0x03},
    {NorthBridge::PAM0, 4, 0, 0x33333330},
    {NorthBridge::PAM0 + 4, 3, 0, 0x333333},
    {I440bx::FDHC, 1, 0, 0xC0},
    {I440bx::MBSC, 4, 0, 0xFFFFFFFF},
    {I440bx::SMRAM, 1, 0x02, 0x78},
    {I440bx::ESMRAMC, 1, 0x38, 0x87},
    {I440bx::RPS, 2, 0, 0xFFFF},
    {I440bx::SDRAMC, 2, 0, 0x031F},
    {I440bx::PGPOL, 2, 0, 0xFF0F},
    {I440bx::PMCR, 1, 0, 0xFF},
    {I440bx::SCRR, 2, 0x0038, 0x1FFF},
    {I440bx::ERRCMD, 1, 0x80, 0xFF},
};
}  // namespace

I440bx::I440bx(pci::Slot& slot, std::uint32_t memory_bytes) : NorthBridge(slot, identity, memory_bytes, row_unit) {
  config_.set_writable(pci::COMMAND, 2, pci::SERR_ENABLE);
  for (const Own& r : own) {
    config_.set_default(r.reg, r.bytes, r.reset);
    config_.set_writable(r.reg, r.bytes, r.writable);
  }
  config_.set_clearable(ERRSTS, 2, 0x071F);
}

void I440bx::describe(Description& d) const {
  describe_header(d);
  d.reg("NBXCFG", config_.read(NBXCFG, 4), 32);
  describe_memory(d);
  d.reg("SDRAMC", config_.read(SDRAMC, 2), 16).reg("SMRAM", config_.read(SMRAM, 1), 8);
}

void I440bx::archive(Archive& a) {
  a.section("440bx", 1);
  archive_function(a);
}

}  // namespace planar
