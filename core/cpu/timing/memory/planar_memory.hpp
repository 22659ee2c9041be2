// SPDX-License-Identifier: GPL-2.0-or-later
// What every processor's bus leads to: DRAM with open rows and refresh, and firmware ROM. How the bus reaches it is up
// to the processor (i386sx/word_path.hpp, cached/cached_path.hpp). Times are ticks (bus_clock.hpp).
//
// Not modelled: ECC read-modify-write.
#pragma once

#include <array>
#include <cstdint>

#include "core/cpu/timing/common/config.hpp"
#include "core/cpu/timing/memory/bus_clock.hpp"
#include "core/state/archive.hpp"

namespace planar::cpu {

class PlanarMemory {
 public:
  explicit PlanarMemory(const TimingConfig& config);
  const TimingConfig& config() const { return config_; }

  // ---- ranges --------------------------------------------------------------------------------------------------
  bool rom(std::uint32_t address) const { return !surely_ram(address) && in(config_.rom_ranges, address); }
  /// True: RAM; no configured range touches the page of `address`. False: unknown.
  bool surely_ram(std::uint32_t address) const { return address - 0x100000 < plain_bytes_ || !special(address); }
  /// Whether the line at `address` may be cached (KEN#).
  bool cacheable(std::uint32_t address) const { return surely_ram(address) || cacheable_in_ranges(address); }

  // ---- rows ----------------------------------------------------------------------------------------------------
  std::uint32_t row(std::uint32_t address) const { return address >> row_shift_; }
  std::uint32_t row_end(std::uint32_t address) const { return (address & row_mask_) - row_mask_; }
  bool same_row(std::uint32_t a, std::uint32_t b) const { return ((a ^ b) & row_mask_) == 0; }
  /// Whether each row lies in one bank and holds either ROM or none: the functions with a row's bank require that.
  bool uniform_rows() const { return uniform_rows_; }
  unsigned bank_of(std::uint32_t row) const { return (row >> bank_row_shift_) & bank_mask_; }
  bool open(std::uint32_t row, unsigned bank) const { return open_row_[bank] == row; }
  void set_open(std::uint32_t row, unsigned bank) { open_row_[bank] = row; }
  /// Whether the row of `address` is open.
  bool row_open(std::uint32_t address) const { return open_row_[bank(address)] == row(address); }
  /// Opens the row of `address`; returns the bus clocks to the first datum.
  /// `Row`: bytes of a row, if only one is open at a time and the caller knows that.
  template <unsigned Row = 0>
  unsigned read(std::uint32_t address) {
    return reach<Row>(address, config_.dram.read_hit, config_.dram.read_miss);
  }
  template <unsigned Row = 0>
  unsigned write(std::uint32_t address) {
    return reach<Row>(address, config_.dram.write_hit, config_.dram.write_miss);
  }
  void close_rows() { open_row_.fill(no_row); }

  // ---- refresh -------------------------------------------------------------------------------------------------
  /// When the next refresh begins; UINT64_MAX without refresh.
  std::uint64_t next_refresh() const { return next_refresh_; }
  /// `t` is next_refresh() or later: performs the refreshes up to then, each when the memory, busy until `busy`, is
  /// free. Returns the first tick at or after `t` at which an access can begin.
  std::uint64_t refresh(std::uint64_t t, std::uint64_t busy);

  void archive(Archive& a);

 private:
  using Ranges = std::array<AddressRange, 4>;
  static constexpr std::uint32_t no_row = 0xFFFFFFFF;

  static bool in(const Ranges& ranges, std::uint32_t address) {
    for (const auto& r : ranges)
      if (r.holds(address)) return true;
    return false;
  }
  /// Whether `address` lies in a page that any range of the configuration touches.
  bool special(std::uint32_t address) const {
    if (address < 0x100000) return (special_low_[address >> 18] >> ((address >> 12) & 63)) & 1;
    return address >= special_high_;
  }
  unsigned bank(std::uint32_t address) const { return (address >> config_.dram.bank_shift) & bank_mask_; }
  template <unsigned Row>
  std::uint32_t row_of(std::uint32_t address) const {
    if constexpr (Row != 0)
      return address / Row;
    else
      return row(address);
  }
  template <unsigned Row>
  unsigned reach(std::uint32_t address, unsigned hit, unsigned miss) {
    const std::uint32_t row = row_of<Row>(address);
    std::uint32_t& open = open_row_[Row != 0 ? 0 : bank(address)];
    if (open == row) return hit;
    open = row;
    return miss;
  }
  bool cacheable_in_ranges(std::uint32_t address) const;
  std::uint64_t refresh_at(std::uint64_t number) const;

  TimingConfig config_;
  BusClock clock_;
  std::uint64_t refresh_number_ = 1;
  std::uint64_t next_refresh_;  // refresh_at(refresh_number_)
  std::array<std::uint32_t, 8> open_row_;
  std::array<std::uint64_t, 4> special_low_{};  // one bit per page below 1 MB
  std::uint32_t special_high_ = 0xFFFFFFFF;
  std::uint32_t plain_bytes_ = 0;  // bytes from 1 MB on that no range touches
  std::uint32_t row_mask_;
  std::uint32_t bank_mask_;
  std::uint8_t row_shift_;
  std::uint8_t bank_row_shift_ = 0;
  bool uniform_rows_ = true;
};

}  // namespace planar::cpu
