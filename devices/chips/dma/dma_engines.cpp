// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices/chips/dma/dma_engines.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/common/error.hpp"

namespace planar {

// ---- one engine ----

DmaEngine::DmaEngine(DmaEngines& shared, std::string name, Callback done)
    : shared_(shared), name_(std::move(name)), done_(done) {
  shared.engines_.push_back(this);
}

void DmaEngine::begin(BurstCommand command, std::uint32_t address, Time now) {
  command_ = command;
  address_ = address;
  busy_ = true;
  shared_.request(now);
}

void DmaEngine::read(BurstCommand command, std::uint32_t address, std::uint32_t bytes, Time now) {
  data_.assign(bytes, 0xFF);
  begin(command, address, now);
}

void DmaEngine::write(BurstCommand command, std::uint32_t address, std::span<const std::uint8_t> data, Time now) {
  data_.assign(data.begin(), data.end());
  begin(command, address, now);
}

void DmaEngine::write_word(std::uint32_t address, std::uint32_t value, Time now) {
  std::array<std::uint8_t, 4> bytes{};
  for (unsigned n = 0; n < bytes.size(); ++n) bytes[n] = static_cast<std::uint8_t>(value >> (8 * n));
  write(BurstCommand::write, address, bytes, now);
}

std::uint32_t DmaEngine::word(std::uint32_t offset) const {
  std::uint32_t value = 0;
  for (std::uint32_t n = 0; n < 4 && offset + n < data_.size(); ++n)
    value |= std::uint32_t{data_[offset + n]} << (8 * n);
  return value;
}

void DmaEngine::cancel(Time now) {
  if (!busy_) return;
  busy_ = false;
  auto& current = shared_.current_;
  if (current < 0 || shared_.engines_[static_cast<std::size_t>(current)] != this) return;
  current = -1;
  shared_.host_.cancel_burst(now);
  shared_.request(now);
}

// ---- the bus interface ----

void DmaEngines::request(Time now) {
  if (current_ >= 0) return;
  const auto next = std::find_if(engines_.begin(), engines_.end(), [](const DmaEngine* e) { return e->busy_; });
  if (next == engines_.end()) return;
  current_ = static_cast<std::int32_t>(next - engines_.begin());
  const DmaEngine& e = **next;
  host_.start_burst(e.command_, e.address_, static_cast<std::uint32_t>(e.data_.size()), now);
}

void DmaEngines::cancel(Time now) {
  for (DmaEngine* e : engines_) e->busy_ = false;
  if (current_ < 0) return;
  current_ = -1;
  host_.cancel_burst(now);
}

std::span<std::uint8_t> DmaEngines::burst_data() {
  if (current_ < 0) return {};
  return engines_[static_cast<std::size_t>(current_)]->data_;
}

void DmaEngines::burst_done(bool moved, Time now) {
  if (current_ < 0) return;
  DmaEngine& e = *engines_[static_cast<std::size_t>(current_)];
  current_ = -1;
  e.busy_ = false;
  e.moved_ = moved;
  e.done_(now);
  request(now);
}

void DmaEngines::describe(Description& d) const {
  for (std::size_t n = 0; n < engines_.size(); ++n) {
    const DmaEngine& e = *engines_[n];
    Description& part = d.part(e.name_);
    part.activity("state", !e.busy_ ? "idle" : static_cast<std::int32_t>(n) == current_ ? "has the bus" : "waits");
    part.text("direction", writes(e.command_) ? "to memory" : "from memory");
    part.reg("address", e.address_, 32).number("bytes", e.data_.size()).flag("aborted", !e.moved_);
  }
}

void DmaEngines::archive(Archive& a) {
  a.section("dma engines", 1);
  a(current_);
  for (DmaEngine* e : engines_) {
    a(e->command_, e->address_, e->data_, e->busy_, e->moved_);
    if (a.loading() && (e->data_.size() > DmaEngine::longest || (e->busy_ && e->data_.empty()) ||
                        e->command_ > BurstCommand::write_invalidate))
      throw Error("snapshot holds a damaged DMA burst; take a new one", ExitCode::missing_file);
  }
  if (a.loading() && (current_ < -1 || current_ >= static_cast<std::int32_t>(engines_.size()) ||
                      (current_ >= 0 && !engines_[static_cast<std::size_t>(current_)]->busy_)))
    throw Error("snapshot holds a damaged DMA bus interface; take a new one", ExitCode::missing_file);
}

}  // namespace planar
