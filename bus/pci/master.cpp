// SPDX-License-Identifier: GPL-2.0-or-later
#include "bus/pci/master.hpp"

#include <algorithm>
#include <utility>

#include "bus/pci/function.hpp"
#include "bus/pci/segment.hpp"
#include "bus/pci/slot.hpp"
#include "core/common/error.hpp"

namespace planar::pci {

Master::Master(Function& function, std::string name, unsigned width)
    : function_(function), segment_(function.slot().segment()), name_(std::move(name)), width_(width) {
  function_.attach(*this);
  segment_.attach(*this);
}

Master::~Master() {
  segment_.detach(*this);
  function_.detach(*this);
}

void Master::start(BurstCommand command, std::uint32_t address, std::uint32_t bytes, Time now) {
  ++burst_;
  command_ = command;
  address_ = address;
  bytes_ = bytes;
  moved_ = 0;
  request(now);
}

void Master::cancel(Time now) {
  ++burst_;
  bytes_ = moved_ = 0;
  waiting_ = false;
  segment_.withdraw(*this, now);
}

void Master::request(Time now) {
  waiting_ = !function_.enabled(BUS_MASTER);
  if (!waiting_) segment_.request(*this, now);
}

void Master::command_written(Time now) {
  if (waiting_ && function_.enabled(BUS_MASTER)) {
    request(now);
  } else if (requesting_ && !function_.enabled(BUS_MASTER)) {
    requesting_ = false;  // a transaction in progress ends as usual
    waiting_ = true;
  }
}

unsigned Master::latency_timer() const { return function_.config().read(LATENCY_TIMER, 1); }

BurstCommand Master::transaction(std::uint32_t address, std::uint32_t left) const {
  if (command_ != BurstCommand::write_invalidate) return command_;
  const bool allowed = function_.enabled(MEMORY_WRITE_INVALIDATE) &&
                       function_.config().read(CACHE_LINE_SIZE, 1) == Segment::line_bytes / 4;
  return allowed && address % Segment::line_bytes == 0 && left % Segment::line_bytes == 0
             ? BurstCommand::write_invalidate
             : BurstCommand::write;
}

void Master::describe(Description& d) const {
  d.activity("bus", segment_.owner_ == this ? "transaction"
                    : requesting_           ? "waits for GNT#"
                    : waiting_              ? "waits for COMMAND.BUS_MASTER"
                                            : "idle");
  d.text("direction", writes(command_) ? "to memory" : "from memory").reg("address", address_, 32);
  d.number("bytes", bytes_).number("bytes moved", moved_).number("latency timer", latency_timer());
  d.number("data bits", std::min(width_, segment_.timing().width));
}

void Master::archive(Archive& a) {
  a(command_, address_, bytes_, moved_, requesting_, waiting_);
  // The owner's data may be loaded after this; Segment::end() checks whether they are there.
  if (a.loading() && (command_ > BurstCommand::write_invalidate || moved_ > bytes_ || (requesting_ && waiting_) ||
                      ((requesting_ || waiting_) && moved_ == bytes_)))
    throw Error("snapshot holds a damaged PCI burst; take a new one", ExitCode::missing_file);
}

}  // namespace planar::pci
