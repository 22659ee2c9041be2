// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/cpu/x86/p6_registers.hpp"

#include <algorithm>

namespace planar::cpu {

namespace {

// Names and numbers of the manual's table B-1.
enum : std::uint32_t {
  platform_id = 0x17,
  apic_base_register = 0x1B,
  ebl_cr_poweron = 0x2A,
  update_trigger = 0x79,
  update_signature = 0x8B,
  perf_counter_0 = 0xC1,
  perf_counter_1 = 0xC2,
  sysenter_cs_register = 0x174,
  sysenter_esp_register = 0x175,
  sysenter_eip_register = 0x176,
  event_select_0 = 0x186,
  event_select_1 = 0x187,
  debug_control_register = 0x1D9,
  last_branch_from = 0x1DB,
  last_exception_to = 0x1DE,
};
constexpr std::array<std::uint32_t, 9> bbl_cr{0x88, 0x89, 0x8A, 0x116, 0x118, 0x119, 0x11A, 0x11B, 0x11E};

constexpr std::uint64_t apic_enabled = 1u << 11;
constexpr std::uint64_t apic_base_bits = 0xFFFFFF000u | apic_enabled | 1u << 8;
constexpr std::uint64_t debug_control_bits = 0x7F;        // LBR, BTF, PB0 to PB3, TR
constexpr std::uint64_t event_select_bits = 0xFFDFFFFFu;  // bit 21 is reserved
constexpr std::uint64_t counter_bits = (std::uint64_t{1} << 40) - 1;

int bus_logic_register(std::uint32_t number) {
  const auto at = std::find(bbl_cr.begin(), bbl_cr.end(), number);
  return at == bbl_cr.end() ? -1 : static_cast<int>(at - bbl_cr.begin());
}

}  // namespace

bool P6Registers::read(std::uint32_t number, std::uint64_t& value) const {
  switch (number) {
    case platform_id: value = 0; return true;
    case apic_base_register: value = apic_base; return true;
    case ebl_cr_poweron: value = power_on; return true;
    case update_signature: value = update_revision; return true;
    case perf_counter_0:
    case perf_counter_1: value = counters[number - perf_counter_0]; return true;
    case sysenter_cs_register: value = sysenter_cs; return true;
    case sysenter_esp_register: value = sysenter_esp; return true;
    case sysenter_eip_register: value = sysenter_eip; return true;
    case event_select_0:
    case event_select_1: value = event_selects[number - event_select_0]; return true;
    case debug_control_register: value = debug_control; return true;
    default: break;
  }
  if (number >= last_branch_from && number <= last_exception_to) {
    value = 0;
    return true;
  }
  if (const int n = bus_logic_register(number); n >= 0) {
    value = bus_logic[static_cast<unsigned>(n)];
    return true;
  }
  return memory_types.read(number, value);
}

bool P6Registers::write(std::uint32_t number, std::uint64_t value) {
  switch (number) {
    case apic_base_register:
      if (value & ~apic_base_bits) return false;
      apic_base = value & ~apic_enabled;
      return true;
    case ebl_cr_poweron: power_on = value; return true;
    case update_trigger: return true;  // the update is not applied
    case update_signature: update_revision = value & 0xFFFFFFFFu; return true;
    case perf_counter_0:
    case perf_counter_1:  // the lower half is written, sign-extended
      counters[number - perf_counter_0] =
          static_cast<std::uint64_t>(static_cast<std::int32_t>(static_cast<std::uint32_t>(value))) & counter_bits;
      return true;
    case sysenter_cs_register: sysenter_cs = static_cast<std::uint32_t>(value); return true;
    case sysenter_esp_register: sysenter_esp = static_cast<std::uint32_t>(value); return true;
    case sysenter_eip_register: sysenter_eip = static_cast<std::uint32_t>(value); return true;
    case event_select_0:
    case event_select_1:
      if (value & ~event_select_bits) return false;
      event_selects[number - event_select_0] = value;
      return true;
    case debug_control_register:
      if (value & ~debug_control_bits) return false;
      debug_control = value;
      return true;
    default: break;
  }
  if (const int n = bus_logic_register(number); n >= 0) {
    bus_logic[static_cast<unsigned>(n)] = value;
    return true;
  }
  return memory_types.write(number, value);
}

}  // namespace planar::cpu
