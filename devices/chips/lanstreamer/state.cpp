// SPDX-License-Identifier: GPL-2.0-or-later
// LANStreamer: description and snapshots.
#include <algorithm>
#include <array>

#include "core/common/error.hpp"
#include "devices/chips/lanstreamer/lanstreamer.hpp"

namespace planar::tokenring {

void LanStreamer::describe(Description& d) const {
  describe_registers(d);
  d.reg("GPR", gpr_, 16);
  constexpr std::array ring{"closed", "opening", "open"};
  d.text("adapter", ring[static_cast<unsigned>(ring_)]).reg("node address", big_endian(address_), 48);
  d.reg("functional address", functional_, 32).reg("group address", group_, 32);
  d.reg("open options", open_options_, 16).reg("LAN status", lan_status_, 16);
  d.flag("ARB at the host", arb_busy_).number("MAC frames in local buffers", mac_frames_.size());
  constexpr std::array jobs{"bytes of the frame on the ring", "bytes of the next frame", "transmit status"};
  describe_transfer(d, jobs);
  for (unsigned n = 0; n < channels_.size(); ++n) {
    Description& channel = d.part(n ? "transmit channel 2" : "transmit channel 1");
    channel.reg(n ? "TX2LFDA" : "TX1LFDA", channels_[n].last, 32).reg(n ? "TX2FDA" : "TX1FDA", channels_[n].next, 32);
    channel.reg(n ? "TX2STAT" : "TX1STAT", tx_statuses_[n], 32).flag("idle", channels_[n].caught_up);
  }
  Description& fifo = d.part("transmit FIFO");
  fifo.number("frame at the port, bytes", wire_ ? wire_->length : 0).level("fetched", wire_ ? wire_->fetched : 0);
  fifo.activity("state", sending_ ? "sends" : wire_ ? "waits for the token" : "idle");
  fifo.flag("on the ring", sending_).number("next frame, bytes", next_ ? next_->length : 0);
  fifo.level("next fetched", next_ ? next_->fetched : 0).number("statuses to write", ended_.size());
  receive_.describe(d.part("receiver"));
  port_.describe(d.part("ring port"));
}

void LanStreamer::archive(Archive& a) {
  a.section("lanstreamer", 1);
  a(system_, gpr_, bctl_, lapa_, lape_, lapctl_, disabled_, halves_, tested_, asserted_);
  a(memory_, rung_, ring_, open_options_, lan_status_, copy_all_, functional_, group_, address_, arb_busy_,
    status_pending_, mac_frames_, mac_offered_);
  a(job_, transfer_, fetching_, channels_, wire_, next_, sending_, ended_, tx_statuses_, receive_, rx_status_);
  a(counters_.sent, counters_.received, counters_.overruns, counters_.underruns, counters_.lost, counters_.congested);
  port_.archive(a);
  for (Event* e : {&self_test_, &firmware_, &room_, &more_}) e->archive(a);
  if (a.loading() && !sound())
    throw Error("snapshot holds a damaged LANStreamer; take a new one", ExitCode::missing_file);
}

bool LanStreamer::sound() const {
  const std::size_t n = transfer_.size();
  const auto fits = [n](const std::optional<TransmitFrame>& f) { return f && n <= f->length - f->fetched; };
  bool sound = ChipSet::sound() && job_ <= tx_status && ring_ <= Ring::open && fetching_ < 2 &&
               mac_offered_ <= mac_frames_.size();
  for (const auto& f : {wire_, next_})
    if (f) sound = sound && f->sound() && (f->held.empty() || f->held.size() == f->fetched);
  if (next_) sound = sound && next_->held.size() == next_->fetched;
  for (const TransmitFrame& f : ended_) sound = sound && f.channel < 2;
  for (const MacBuffer& f : mac_frames_) sound = sound && LocalMemory::sound(f);
  if (job_ == tx_wire) sound = sound && fits(wire_);
  if (job_ == tx_next) sound = sound && fits(next_);
  if (job_ == tx_status) sound = sound && n == 4 && !ended_.empty();
  return sound;
}

}  // namespace planar::tokenring
