// SPDX-License-Identifier: GPL-2.0-or-later
#include "bus/pci/config_ports.hpp"

#include <algorithm>

namespace planar::pci {

namespace {
constexpr std::uint16_t first_port = 0xCF8, last_port = 0xCFF;
constexpr std::uint16_t first_window = 0xC000, last_window = 0xCFFF;
constexpr std::uint32_t data = 4;  // CFCh
constexpr std::uint32_t enable = 0x8000'0000, confadd_bits = 0x80FF'FFFC;
constexpr std::uint32_t cse = 0, forward = 2;  // CF8h, CFAh
constexpr std::uint32_t ones(unsigned bytes) { return bytes >= 4 ? ~0u : (1u << (8 * bytes)) - 1; }
}  // namespace

ConfigPorts::ConfigPorts(Segment& segment, IoSpace& io, ConfigMechanism mechanism)
    : segments_{&segment}, io_(io), mechanism_(mechanism) {
  claim_ = io.claim(first_port, last_port, *this,
                    bus::on_bus(CycleSpec{32, CycleKind::configuration, {}}, segment.number()));
}

Segment* ConfigPorts::segment_of(unsigned bus) const {
  const auto found =
      std::find_if(segments_.begin(), segments_.end(), [=](const Segment* s) { return s->bus_number() == bus; });
  return found == segments_.end() ? nullptr : *found;
}

void ConfigPorts::reset() {
  confadd_ = 0;
  cse_ = forward_ = 0;
  decode_windows();
}

ConfigPorts::Address ConfigPorts::address(std::uint32_t data_offset) const {
  Address a;
  a.segment = confadd_ & enable ? segment_of(confadd_ >> 16 & 0xFF) : nullptr;
  a.device = confadd_ >> 11 & 31;
  a.function = confadd_ >> 8 & 7;
  a.reg = (confadd_ & 0xFC) + data_offset;
  return a;
}

std::uint32_t ConfigPorts::read(std::uint32_t offset, unsigned bytes, Time now) {
  if (mechanism_ != ConfigMechanism::one || offset < data) return peek(offset, bytes, now);
  const Address a = address(offset - data);
  return a.segment ? a.segment->config_read(a.device, a.function, a.reg, bytes, now) : ones(bytes);
}

std::uint32_t ConfigPorts::peek(std::uint32_t offset, unsigned bytes, Time) const {
  if (mechanism_ == ConfigMechanism::two) {
    if (bytes != 1) return ones(bytes);
    return offset == cse ? cse_ : offset == forward ? forward_ : 0xFF;
  }
  if (offset < data) return offset == 0 && bytes == 4 ? confadd_ : ones(bytes);
  const Address a = address(offset - data);
  return a.segment ? a.segment->config_peek(a.device, a.function, a.reg, bytes) : ones(bytes);
}

void ConfigPorts::write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) {
  if (mechanism_ == ConfigMechanism::two) {
    if (bytes != 1) return;
    if (offset == cse) cse_ = static_cast<std::uint8_t>(value);
    if (offset == forward) forward_ = static_cast<std::uint8_t>(value);
    decode_windows();
    return;
  }
  if (offset == 0 && bytes == 4) confadd_ = value & confadd_bits;
  if (offset < data) return;
  if (const Address a = address(offset - data); a.segment)
    a.segment->config_write(a.device, a.function, a.reg, bytes, value, now);
}

Time ConfigPorts::ready(std::uint32_t offset, unsigned, Direction, Time start) {
  if (mechanism_ != ConfigMechanism::one || offset < data || !(confadd_ & enable)) return start;
  const Address a = address(offset - data);
  return a.segment && a.segment->has(a.device, a.function) ? start : aborted(start);
}

Time ConfigPorts::aborted(Time start) const {
  const SegmentTiming& t = segments_.front()->timing();
  return start + t.clocks(t.master_abort) + t.completion;
}

std::string_view ConfigPorts::register_name(std::uint32_t offset, Direction) const {
  if (mechanism_ == ConfigMechanism::two) return offset == cse ? "CSE" : offset == forward ? "FORWARD" : "";
  return offset < data ? "CONFADD" : "CONFDATA";
}

// ---- mechanism 2 ----

void ConfigPorts::decode_windows() {
  if (!(cse_ & 0xF0)) {
    window_claim_.release();
  } else if (!window_claim_) {
    window_claim_ = io_.claim(first_window, last_window, windows_,
                              bus::on_bus(CycleSpec{32, CycleKind::configuration, {}}, segments_.front()->number()));
  }
}

std::uint32_t ConfigPorts::Windows::read(std::uint32_t offset, unsigned bytes, Time now) {
  if (ports.forward_ != 0) return ones(bytes);
  return ports.segments_.front()->config_read(offset >> 8, ports.cse_ >> 1 & 7, offset & 0xFF, bytes, now);
}

std::uint32_t ConfigPorts::Windows::peek(std::uint32_t offset, unsigned bytes, Time) const {
  if (ports.forward_ != 0) return ones(bytes);
  return ports.segments_.front()->config_peek(offset >> 8, ports.cse_ >> 1 & 7, offset & 0xFF, bytes);
}

void ConfigPorts::Windows::write(std::uint32_t offset, unsigned bytes, std::uint32_t value, Time now) {
  if (ports.forward_ == 0)
    ports.segments_.front()->config_write(offset >> 8, ports.cse_ >> 1 & 7, offset & 0xFF, bytes, value, now);
}

Time ConfigPorts::Windows::ready(std::uint32_t offset, unsigned, Direction, Time start) {
  const bool there = ports.forward_ == 0 && ports.segments_.front()->has(offset >> 8, ports.cse_ >> 1 & 7);
  return there ? start : ports.aborted(start);
}

// ---- what others see of it ----

void ConfigPorts::describe(Description& d) const {
  if (mechanism_ == ConfigMechanism::one)
    d.reg("CONFADD", confadd_, 32);
  else
    d.reg("CSE", cse_, 8).reg("FORWARD", forward_, 8);
}

void ConfigPorts::archive(Archive& a) {
  a(confadd_, cse_, forward_);
  if (a.loading()) decode_windows();
}

}  // namespace planar::pci
