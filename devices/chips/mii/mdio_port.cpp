// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/chips/mii/mdio_port.hpp"

#include <utility>

#include "core/common/error.hpp"

namespace planar::ethernet {
namespace {

constexpr std::uint8_t preamble = 32;
constexpr unsigned write = 1, read = 2;  // operations
// Bit numbers since the preamble that end a field.
constexpr std::uint8_t start_bits = 2, header_bits = 14, data_begins = 16, frame_bits = 32;

}  // namespace

void MdioPort::pins(bool mdc, bool mdio, bool drives, Time now) {
  mdio_ = mdio;
  drives_ = drives;
  if (!std::exchange(mdc_, mdc) && mdc) clock_in(data_in(), now);
}

void MdioPort::clock_in(bool bit, Time now) {
  if (bits_ == 0) {
    if (!bit)
      bits_ = ones_ > 0;
    else if (ones_ < preamble)
      ++ones_;
    return;
  }
  ++bits_;
  if (bits_ == start_bits) {
    if (!bit) end_frame();  // 00 starts another type of frame
  } else if (bits_ <= header_bits) {
    frame_ = static_cast<std::uint16_t>(frame_ << 1 | bit);
    if (bits_ == header_bits) answers_ = is_answered();
  } else if (answers_ && reads()) {
    // The PHY's output on the pin until the next edge.
    driven_ = true;
    bit_ = bits_ >= data_begins && data_ >> 15;
    if (bits_ < data_begins)
      data_ = addressed()->read(frame_ & 31, now);
    else
      data_ = static_cast<std::uint16_t>(data_ << 1);
  } else if (bits_ > data_begins) {
    data_ = static_cast<std::uint16_t>(data_ << 1 | bit);
    if (bits_ == frame_bits && answers_) addressed()->write(frame_ & 31, data_, now);
  }
  if (bits_ == frame_bits) end_frame();
}

bool MdioPort::is_answered() const {
  const MiiPhy* const phy = addressed();
  const unsigned operation = frame_ >> 10;
  return phy && (operation == write || operation == read) && (ones_ >= preamble || phy->preamble_suppression());
}

void MdioPort::end_frame() {
  ones_ = bits_ = 0;
  frame_ = 0;
  driven_ = answers_ = false;
  bit_ = true;
}

void MdioPort::describe(Description& d) const {
  d.flag("MDC", mdc_).flag("MDIO", data_in()).flag("driven by the PHY", driven_);
  d.number("preamble bits", ones_).number("frame bits", bits_).reg("data", data_, 16);
}

void MdioPort::archive(Archive& a) {
  a.section("mdio", 1);
  a(mdc_, mdio_, drives_, driven_, bit_, answers_, ones_, bits_, frame_, data_);
  if (a.loading() && (bits_ >= frame_bits || frame_ > 0xFFF || driven_ > answers_ ||
                      (answers_ && (bits_ < header_bits || !addressed()))))
    throw Error("snapshot holds a damaged MDIO frame; take a new one", ExitCode::missing_file);
}

}  // namespace planar::ethernet
