// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/board/piix3/pirq_router.hpp"

#include <fmt/format.h>

#include <string>

namespace planar {

namespace {
constexpr std::uint16_t routable = 0xDEF8;  // IRQ 3 to 7, 9 to 12, 14, 15
constexpr char letter(unsigned n) { return static_cast<char>('A' + n); }
}  // namespace

PirqRouter::PirqRouter(bus::InterruptLines& lines, const PirqTable& table) : lines_(lines), table_(table) {
  for (unsigned n = 0; n < wires; ++n) sources_[n] = lines.add_source(fmt::format("PIRQ{}", letter(n)));
}

int PirqRouter::line(unsigned n) const {
  const std::uint8_t route = routes_[n & 3];
  const unsigned irq = route & 0x0F;
  return (route & off) || !(routable >> irq & 1) ? -1 : static_cast<int>(irq);
}

bool PirqRouter::pulled(unsigned n) const {
  for (unsigned pin = 0; pin < 4; ++pin)
    for (unsigned device = 0; device < 32; ++device)
      if ((pins_[pin] >> device & 1) && table_.wire(device, pin + 1) == n) return true;
  return false;
}

void PirqRouter::drive(unsigned n, bool asserted, Time now) {
  if (const int irq = line(n); irq >= 0) lines_.set(static_cast<unsigned>(irq), sources_[n], asserted, now);
}

void PirqRouter::set_pin(unsigned device, unsigned pin, bool asserted, Time now) {
  if (device > 31 || pin < 1 || pin > 4) return;
  const std::uint32_t bit = std::uint32_t{1} << device;
  std::uint32_t& pins = pins_[pin - 1];
  pins = asserted ? pins | bit : pins & ~bit;
  const unsigned n = table_.wire(device, pin);
  drive(n, pulled(n), now);
}

void PirqRouter::set_route(unsigned n, std::uint8_t value, Time now) {
  if (n >= wires || routes_[n] == value) return;
  drive(n, false, now);
  routes_[n] = value;
  drive(n, pulled(n), now);
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
}

}  // namespace planar
