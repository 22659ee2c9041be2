// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/board/piix3/pirq_router.hpp"

#include <fmt/format.h>

#include <bit>
#include <string>

#include "devices/board/piix3/elcr.hpp"

namespace planar {

namespace {
constexpr char letter(unsigned n) { return static_cast<char>('A' + n); }
}  // namespace

PirqRouter::PirqRouter(bus::InterruptLines& lines, const PirqTable& table, std::span<const unsigned> slots)
    : lines_(lines), table_(table) {
  sources_.fill(static_cast<std::uint8_t>(lines.add_source("PCI")));
  for (std::size_t n = 0; n < slots.size() && n < bus::InterruptLines::slot_sources; ++n)
    sources_[slots[n] & 31] = static_cast<std::uint8_t>(n);
}

int PirqRouter::line(unsigned n) const {
  const std::uint8_t route = routes_[n & 3];
  const unsigned irq = route & 0x0F;
  return (route & off) || !(Elcr::writable >> irq & 1) ? -1 : static_cast<int>(irq);
}

PirqRouter::Levels PirqRouter::pulled() const {
  Levels levels{};
  for (unsigned pin = 0; pin < 4; ++pin)
    for (std::uint32_t left = pins_[pin]; left != 0; left &= left - 1) {
      const auto device = static_cast<unsigned>(std::countr_zero(left));
      if (const int irq = line_of(device, pin + 1); irq >= 0)
        levels[static_cast<unsigned>(irq)] |= std::uint32_t{1} << sources_[device];
    }
  return levels;
}

/// Negates lines that are no longer asserted, then asserts new ones.
void PirqRouter::drive(Time now) {
  const Levels before = driven_;
  driven_ = pulled();
  for (const bool asserted : {false, true})
    for (unsigned irq = 0; irq < driven_.size(); ++irq) {
      std::uint32_t left = (before[irq] ^ driven_[irq]) & (asserted ? driven_[irq] : before[irq]);
      for (; left != 0; left &= left - 1) lines_.set(irq, static_cast<unsigned>(std::countr_zero(left)), asserted, now);
    }
}

void PirqRouter::set_pin(unsigned device, unsigned pin, bool asserted, Time now) {
  if (device > 31 || pin < 1 || pin > 4) return;
  const std::uint32_t bit = std::uint32_t{1} << device;
  std::uint32_t& pins = pins_[pin - 1];
  pins = asserted ? pins | bit : pins & ~bit;
  drive(now);
}

void PirqRouter::set_route(unsigned n, std::uint8_t value, Time now) {
  if (n >= wires || routes_[n] == value) return;
  routes_[n] = value;
  drive(now);
}

void PirqRouter::describe(Description& d) const {
  for (unsigned n = 0; n < wires; ++n) {
    const int irq = line(n);
    std::string who;
    for (unsigned pin = 0; pin < 4; ++pin)
      for (unsigned device = 0; device < 32; ++device)
        if ((pins_[pin] >> device & 1) && table_.wire(device, pin + 1) == n)
          who += fmt::format(", INT{}# of device {}", letter(pin), device);
    d.text(fmt::format("PIRQ{}#", letter(n)), (irq < 0 ? std::string("not routed") : fmt::format("IRQ {}", irq)) + who);
  }
}

void PirqRouter::archive(Archive& a) {
  a.section("pirq router", 1);
  a(routes_, pins_);
  if (a.loading()) driven_ = pulled();
}

}  // namespace planar
