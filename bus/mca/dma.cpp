// SPDX-License-Identifier: GPL-2.0-or-later
#include "bus/mca/dma.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bus/mca/dma_internal.hpp"
#include "core/common/error.hpp"

namespace planar::bus {

DmaLine::DmaLine(DmaController& controller, DmaClient& client, std::string name, bool fairness)
    : BusMaster(controller.bus_, std::move(name), fairness), controller_(controller), client_(client), fair_(fairness) {
  controller_.lines_.push_back(this);
}

DmaLine::~DmaLine() {
  controller_.abandon(*this);
  std::erase(controller_.lines_, this);
}

void DmaLine::request(unsigned level, Time now, bool burst) {
  level_ = level & 0x0F;
  burst_ = burst;
  wanted_ = true;
  set_fairness(fair_ && burst);  // a device that releases after every item has nothing to yield
  controller_.compete(*this, now);
}

void DmaLine::withdraw(Time now) {
  wanted_ = false;
  controller_.compete(*this, now);
}

void DmaLine::granted(Time now) { controller_.serve(*this, now); }
void DmaLine::timed_out(Time) { controller_.abandon(*this); }

DmaController::SoftwareRequest::SoftwareRequest(DmaController& controller)
    : BusMaster(controller.bus_, "dma software request", false), controller_(controller) {}

void DmaController::SoftwareRequest::update(Time now) {
  for (ChannelRegisters& c : controller_.channels_) {
    if (!c.software_request) continue;
    const bool answered = std::any_of(controller_.lines_.begin(), controller_.lines_.end(), [&](const DmaLine* line) {
      return line->requesting() && line->level_ == c.level;
    });
    if (answered) continue;
    if (!owns_channel()) request_channel(c.level, now);
    return;
  }
  withdraw_request(now);
  release_channel(now);
}

// No device answers: the owner stays until the bus times out, which is what the firmware's test expects.
void DmaController::SoftwareRequest::granted(Time) {}

void DmaController::SoftwareRequest::timed_out(Time) {
  for (ChannelRegisters& c : controller_.channels_) c.software_request = false;
}

DmaController::DmaController(Channel& channel, IoSpace& io, AddressSpace& memory, Trace& trace)
    : bus_(channel),
      io_(io),
      memory_(memory),
      trace_(trace),
      step_(channel.scheduler(), "dma.step", Priority::device, Callback::to<&DmaController::step>(this)),
      software_(std::make_unique<SoftwareRequest>(*this)),
      ports_00_(*this, io, 0x00, 0x0F, board_cycle),
      ports_18_(*this, io, 0x18, 0x18, board_cycle),
      ports_1a_(*this, io, 0x1A, 0x1A, board_cycle),
      ports_80_(*this, io, 0x80, 0x8F, board_cycle),
      ports_c0_(*this, io, 0xC0, 0xDF, board_cycle) {
  reset(Time{});
}

DmaController::~DmaController() = default;

void DmaController::reset(Time now) {
  for (unsigned n = 0; n < channels; ++n) {
    channels_[n].level = static_cast<std::uint8_t>(n);
    channels_[n].mode.bits = n < 4 ? 0 : 0x40;
  }
  master_clear(0, channels - 1, now);
}

void DmaController::describe(Description& d) const {
  d.reg("function (18h)", function_, 8).number("byte pointer (1Ah)", byte_pointer_);
  d.flag("byte pointer 0-3", high_byte_[0]).flag("byte pointer 4-7", high_byte_[1]);
  d.text("serving", serving_ ? fmt::format("channel {} for {}, {}", serving_channel_, serving_->master_name(),
                                           step_state_ == Step::first_cycle ? "first cycle" : "second cycle")
                             : "none");
  for (const DmaLine* line : lines_)
    if (line->wanted_) d.text("request of " + line->master_name(), fmt::format("level {:X}", line->level_));
  for (unsigned n = 0; n < channels; ++n) {
    const ChannelRegisters& c = channels_[n];
    Description& part = d.part(fmt::format("channel {}", n));
    part.reg("address", c.current_address, 24).reg("base address", c.base_address, 24);
    part.reg("count", c.current_count, 16).reg("base count", c.base_count, 16);
    part.reg("I/O address", c.io_address, 16).reg("mode", c.mode.bits, 8);
    part.text("transfer", c.mode.verify() ? "verify" : c.mode.to_memory() ? "I/O to memory" : "memory to I/O");
    part.number("arbitration level", c.level);
    part.flag("masked", c.masked).flag("terminal count", c.terminal_count).flag("software request", c.software_request);
  }
}

void DmaController::archive(Archive& a) {
  a.section("dma", 1);
  for (ChannelRegisters& c : channels_)
    a(c.base_address, c.current_address, c.base_count, c.current_count, c.io_address, c.mode.bits, c.level, c.masked,
      c.carries, c.terminal_count, c.software_request);
  a(pages_, high_byte_, function_, byte_pointer_, step_state_, serving_channel_, item_);

  auto count = static_cast<std::uint32_t>(lines_.size());
  a(count);
  if (count != lines_.size())
    throw Error("the snapshot has another set of DMA devices than this machine; restore it with the same cards");
  for (DmaLine* line : lines_) a(line->level_, line->wanted_, line->burst_);

  std::int32_t serving = -1;
  for (std::size_t i = 0; i < lines_.size(); ++i)
    if (lines_[i] == serving_) serving = static_cast<std::int32_t>(i);
  a(serving, step_);
  if (a.loading()) {
    if (serving >= static_cast<std::int32_t>(count) || serving_channel_ >= channels)
      throw Error("the snapshot's DMA transfer under way belongs to no device or channel; the file is damaged",
                  ExitCode::missing_file);
    serving_ = serving < 0 ? nullptr : lines_[static_cast<std::size_t>(serving)];
    if (!serving_) step_.cancel();
  }
}

}  // namespace planar::bus
