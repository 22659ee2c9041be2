// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/cpu/x86/memory_type.hpp"

namespace planar::cpu {

namespace {

constexpr std::uint64_t enabled = 1u << 11, fixed_enabled = 1u << 10;
constexpr std::uint64_t address_bits = 0xFFFFFF000u;  // 36 address lines
constexpr std::uint32_t first_variable = 0x200, capabilities = 0xFE, default_type = 0x2FF;
/// MTRRcap: write combining, fixed ranges, variable ranges.
constexpr std::uint64_t capability_bits = 1u << 10 | 1u << 8 | MemoryTypeRanges::variable_count;

bool is_type(std::uint64_t v) { return v == 0 || v == 1 || (v >= 4 && v <= 6); }

/// The index of `number` among the fixed-range registers, or -1.
int fixed_register(std::uint32_t number) {
  if (number == 0x250) return 0;
  if (number == 0x258 || number == 0x259) return static_cast<int>(number - 0x258 + 1);
  if (number >= 0x268 && number <= 0x26F) return static_cast<int>(number - 0x268 + 3);
  return -1;
}
bool variable_register(std::uint32_t number) { return number - first_variable < 2 * MemoryTypeRanges::variable_count; }

MemoryType type_of(std::uint64_t v) {
  v &= 0xFF;
  return is_type(v) ? static_cast<MemoryType>(v) : MemoryType::uncacheable;
}

/// The type of an address below 1 MB.
MemoryType fixed_type(const std::array<std::uint64_t, 11>& fixed, std::uint32_t address) {
  unsigned range;  // counted over all registers, eight in each
  if (address < 0x80000)
    range = address >> 16;
  else if (address < 0xC0000)
    range = 8 + ((address - 0x80000) >> 14);
  else
    range = 24 + ((address - 0xC0000) >> 12);
  return type_of(fixed[range / 8] >> (range % 8 * 8));
}

/// The type where two ranges overlap.
MemoryType combined(MemoryType a, MemoryType b) {
  if (a == b) return a;
  const auto is = [&](MemoryType x, MemoryType y) { return (a == x && b == y) || (a == y && b == x); };
  return is(MemoryType::write_through, MemoryType::write_back) ? MemoryType::write_through : MemoryType::uncacheable;
}

}  // namespace

MemoryType MemoryTypeRanges::type(std::uint32_t physical) const {
  if (!on()) return MemoryType::uncacheable;
  if (physical < 0x100000 && (defaults & fixed_enabled)) return fixed_type(fixed, physical);
  bool found = false;
  MemoryType type = type_of(defaults);
  for (const Variable& v : variable) {
    if (!(v.mask & enabled) || ((physical ^ v.base) & v.mask & address_bits) != 0) continue;
    type = found ? combined(type, type_of(v.base)) : type_of(v.base);
    found = true;
  }
  return type;
}

bool MemoryTypeRanges::any(MemoryType type) const {
  if (!on()) return type == MemoryType::uncacheable;
  const auto is = [&](std::uint64_t v) { return type_of(v) == type; };
  if (is(defaults)) return true;
  for (const Variable& v : variable)
    if ((v.mask & enabled) && is(v.base)) return true;
  if (defaults & fixed_enabled)
    for (const std::uint64_t eight : fixed)
      for (unsigned n = 0; n < 8; ++n)
        if (is(eight >> 8 * n)) return true;
  return false;
}

bool MemoryTypeRanges::read(std::uint32_t number, std::uint64_t& value) const {
  if (variable_register(number)) {
    const Variable& v = variable[(number - first_variable) / 2];
    value = number & 1 ? v.mask : v.base;
  } else if (const int n = fixed_register(number); n >= 0) {
    value = fixed[static_cast<unsigned>(n)];
  } else if (number == default_type) {
    value = defaults;
  } else if (number == capabilities) {
    value = capability_bits;
  } else {
    return false;
  }
  return true;
}

bool MemoryTypeRanges::write(std::uint32_t number, std::uint64_t value) {
  if (variable_register(number)) {
    Variable& v = variable[(number - first_variable) / 2];
    const bool is_mask = number & 1;
    if (is_mask ? value & ~(address_bits | enabled) : (value & ~(address_bits | 0xFF)) || !is_type(value & 0xFF))
      return false;
    (is_mask ? v.mask : v.base) = value;
  } else if (const int n = fixed_register(number); n >= 0) {
    for (unsigned i = 0; i < 8; ++i)
      if (!is_type(value >> 8 * i & 0xFF)) return false;
    fixed[static_cast<unsigned>(n)] = value;
  } else if (number == default_type) {
    if (value & ~(enabled | fixed_enabled | 0xFF) || !is_type(value & 0xFF)) return false;
    defaults = value;
  } else {
    return false;
  }
  return true;
}

}  // namespace planar::cpu
