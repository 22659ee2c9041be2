// SPDX-License-Identifier: GPL-2.0-or-later
// Streamer: its own registers, reset, requests, description and snapshots.
#include "devices/chips/etherstreamer/streamer.hpp"

#include <algorithm>
#include <array>

#include "core/common/error.hpp"

namespace planar::ethernet {

using streamer::lower;
using streamer::upper;

Streamer::Streamer(Scheduler& scheduler, const std::string& name, BusMasterHost& host,
                   const streamer::ChipSetConfig& config, const net::MacAddress& mac, std::uint64_t seed)
    : ChipSet(host, {config.receive_fifo, config.burst, net::min_frame_bytes - net::fcs_bytes, longest, least_buffer},
              SRB_REPLY, TX2_DIS | RX_DIS, config.self_test, self_test_, more_),
      config_(config),
      mac_(mac),
      address_(mac),
      port_(scheduler, name, *this, seed),
      self_test_(scheduler, name + ".self_test", Priority::device, Callback::to<&Streamer::self_tested>(this)),
      request_(scheduler, name + ".request", Priority::device, Callback::to<&Streamer::request>(this)),
      starved_(scheduler, name + ".starved", Priority::device, Callback::to<&Streamer::starved>(this)),
      room_(scheduler, name + ".room", Priority::device, Callback::to<&Streamer::pump>(this)),
      more_(scheduler, name + ".more", Priority::device, Callback::to<&Streamer::more_arrived>(this)) {}

// ---- registers ----

std::uint16_t Streamer::local(std::uint16_t at) const {
  return static_cast<std::uint16_t>(local_[at % local_bytes] | local_[(at + 1u) % local_bytes] << 8);
}

void Streamer::put_local(std::uint16_t at, std::uint16_t value, Time) {
  local_[at % local_bytes] = static_cast<std::uint8_t>(value);
  local_[(at + 1u) % local_bytes] = static_cast<std::uint8_t>(value >> 8);
}

std::uint16_t Streamer::peek_own(std::uint32_t offset) const {
  switch (offset) {
    case LAPWWO: return srb;
    case TX2LFDA: return lower(tx_last_);
    case TX2LFDA + 2: return upper(tx_last_);
    case TX2FDA: return lower(tx_descriptor_);
    case TX2FDA + 2: return upper(tx_descriptor_);
    default: return 0xFFFF;
  }
}

void Streamer::written(std::uint32_t offset, std::uint16_t value, Time now) {
  if ((offset & ~2u) == TX2LFDA) {
    if (const auto address = whole_address(2, offset, value)) {
      tx_last_ = *address;
      doorbell(now);
    }
  }
  if (tested_ && system_.lisr & SRB_CMD && !request_.pending()) request_.at(now + config_.request);
}

// ---- reset and requests ----

void Streamer::reset(Time now) {
  request_.cancel();
  stop_transmit(now);
  stop_receive(now);
  reset_registers();
  open_ = promiscuous_ = false;
  tx_last_ = tx_descriptor_ = tx_forward_ = 0;
  address_ = mac_;
  groups_.clear();
  log_ = {};
  update_interrupt(now);
}

void Streamer::self_tested(Time now) {
  tested_ = true;
  local_ = {};
  std::copy(mac_.begin(), mac_.end(), local_.begin() + burnt_in);
  local_[srb + 9] = burnt_in;
  raise_system(SRB_REPLY, now);
}

void Streamer::request(Time now) {
  system_.lisr &= static_cast<std::uint16_t>(~SRB_CMD);
  local_[srb + 2] = execute(now);
  raise_system(SRB_REPLY, now);
  pump(now);
}

std::uint8_t Streamer::execute(Time now) {
  const std::uint8_t command = local_[srb];
  const auto address_at = [&](unsigned offset) {
    net::MacAddress a;
    std::copy_n(local_.begin() + srb + offset, a.size(), a.begin());
    return a;
  };
  if (command == SRB_OPEN) {
    if (open_) return RC_OPEN;
    const net::MacAddress given = address_at(12);
    address_ = given == net::MacAddress{} ? mac_ : given;
    open_ = true;
    return RC_GOOD;
  }
  const bool known = command == SRB_CLOSE || command == SRB_ADD_GROUP || command == SRB_REMOVE_GROUP ||
                     command == SRB_READ_LOG || command == SRB_RECEIVE_OPTIONS;
  if (!known) return RC_UNKNOWN;
  if (!open_) return RC_CLOSED;
  const auto group = std::find(groups_.begin(), groups_.end(), address_at(6));
  switch (command) {
    case SRB_CLOSE:
      channels(TX2_DIS | RX_DIS, now);
      open_ = promiscuous_ = false;
      groups_.clear();
      return RC_GOOD;
    case SRB_ADD_GROUP:
      if (group != groups_.end()) return RC_GOOD;
      if (groups_.size() == most_groups) return RC_GROUPS_FULL;
      groups_.push_back(address_at(6));
      return RC_GOOD;
    case SRB_REMOVE_GROUP:
      if (group == groups_.end()) return RC_NO_GROUP;
      groups_.erase(group);
      return RC_GOOD;
    case SRB_READ_LOG:
      for (unsigned n = 0; n < log_counters; ++n) {
        local_[srb + 6 + 2 * n] = static_cast<std::uint8_t>(log_[n] >> 8);
        local_[srb + 7 + 2 * n] = static_cast<std::uint8_t>(log_[n]);
      }
      log_ = {};
      return RC_GOOD;
    default: promiscuous_ = local_[srb + 5] & 1; return RC_GOOD;
  }
}

// ---- state ----

void Streamer::describe(Description& d) const {
  const auto wide = [this](unsigned offset) { return peek(offset) | std::uint32_t{peek(offset + 2)} << 16; };
  describe_registers(d);
  d.reg("LAPWWO", peek(LAPWWO), 16);
  d.reg("station address", big_endian(address_), 48).flag("open", open_);
  d.flag("all frames", promiscuous_).number("group addresses", groups_.size());
  constexpr std::array jobs{"bytes to send", "transmit status"};
  describe_transfer(d, jobs);
  constexpr std::array steps{"idle", "descriptor", "filling", "sending", "status"};
  Description& transmit = d.part("transmitter");
  transmit.reg("TX2LFDA", wide(TX2LFDA), 32).reg("TX2FDA", wide(TX2FDA), 32);
  transmit.activity("step", steps[static_cast<unsigned>(step_)]).number("frame bytes", tx_length_);
  transmit.number("bytes fetched", tx_fetched_).level("bytes in the FIFO", tx_fetched_ - tx_released_);
  transmit.number("collisions", port_.collisions());
  receive_.describe(d.part("receiver"));
}

void Streamer::archive(Archive& a) {
  a.section("streamer", 1);
  a(local_, system_, bctl_, lapa_, disabled_, halves_[0], halves_[2], tested_, open_, promiscuous_, asserted_, address_,
    groups_, log_, job_, transfer_);
  a(step_, tx_fresh_, tx_last_, tx_descriptor_, tx_forward_, tx_buffer_, tx_length_, tx_fetched_, tx_released_,
    tx_status_, tx_data_, tx_started_, orphan_);
  receive_.archive(a);
  a(counters_.sent, counters_.received, counters_.collisions, counters_.overruns, counters_.underruns);
  port_.archive(a);
  for (Event* e : {&self_test_, &request_, &starved_, &room_, &more_}) e->archive(a);
  if (a.saving()) return;
  const bool sound = ChipSet::sound() && job_ <= tx_status && step_ <= Step::status && tx_fetched_ <= tx_length_ &&
                     tx_released_ <= tx_fetched_ && tx_data_.size() == tx_length_ &&
                     (job_ != tx_data || transfer_.size() <= tx_length_ - tx_fetched_);
  if (!sound) throw Error("snapshot holds a damaged EtherStreamer; take a new one", ExitCode::missing_file);
}

}  // namespace planar::ethernet
