// SPDX-License-Identifier: GPL-2.0-or-later
// Streamer: registers, reset, requests, the order of transfers.
#include "devices/chips/streamer/streamer.hpp"

#include <algorithm>
#include <array>

#include "core/common/error.hpp"

namespace planar::ethernet {

using streamer::lower;
using streamer::put32;
using streamer::upper;

Streamer::Streamer(Scheduler& scheduler, const std::string& name, BusMasterHost& host, const StreamerConfig& config,
                   const net::MacAddress& mac, std::uint64_t seed)
    : host_(host),
      config_(config),
      mac_(mac),
      address_(mac),
      receive_(*this, more_, {config.receive_fifo, config.burst, net::min_frame_bytes - net::fcs_bytes, longest, 64}),
      port_(scheduler, name, *this, seed),
      self_test_(scheduler, name + ".self_test", Priority::device, Callback::to<&Streamer::self_tested>(this)),
      request_(scheduler, name + ".request", Priority::device, Callback::to<&Streamer::request>(this)),
      starved_(scheduler, name + ".starved", Priority::device, Callback::to<&Streamer::starved>(this)),
      room_(scheduler, name + ".room", Priority::device, Callback::to<&Streamer::room_comes>(this)),
      more_(scheduler, name + ".more", Priority::device, Callback::to<&Streamer::more_arrived>(this)) {}

// ---- registers ----

std::uint16_t Streamer::local(std::uint16_t at) const {
  return static_cast<std::uint16_t>(local_[at % local_bytes] | local_[(at + 1u) % local_bytes] << 8);
}

void Streamer::put_local(std::uint16_t at, std::uint16_t value) {
  local_[at % local_bytes] = static_cast<std::uint8_t>(value);
  local_[(at + 1u) % local_bytes] = static_cast<std::uint8_t>(value >> 8);
}

std::uint16_t Streamer::peek(std::uint32_t offset) const {
  if (const auto value = system_.peek(offset)) return *value;
  switch (offset) {
    // clang-format off
    case BMCTL_SUM: case BMCTL_RUM:
      return static_cast<std::uint16_t>(disabled_ | (open_ && !(disabled_ & RX_DIS) ? RX_ENAB : 0));
    case BCTL: return bctl_;
    case LAPA: return lapa_;
    case LAPD: case LAPDINC: return local(lapa_);
    // clang-format on
    case LAPWWO: return srb;
    case RXLBDA: return lower(receive_.last());
    case RXLBDA + 2: return upper(receive_.last());
    case RXBDA: return lower(receive_.first());
    case RXBDA + 2: return upper(receive_.first());
    case TX2LFDA: return lower(tx_last_);
    case TX2LFDA + 2: return upper(tx_last_);
    case TX2FDA: return lower(tx_descriptor_);
    case TX2FDA + 2: return upper(tx_descriptor_);
    default: return 0xFFFF;
  }
}

std::uint16_t Streamer::read(std::uint32_t offset, Time) {
  const std::uint16_t value = peek(offset);
  if (offset == LAPDINC) lapa_ = static_cast<std::uint16_t>(lapa_ + 2);
  return value;
}

void Streamer::write(std::uint32_t offset, std::uint16_t value, Time now) {
  if (offset == BCTL) {
    control(value, now);
    return;
  }
  if (bctl_ & SOFTRESET) return;
  const auto whole = [&](unsigned half) { return halves_[half] | std::uint32_t{value} << 16; };
  switch (offset) {
    case BMCTL_SUM: channels(disabled_ | (value & (TX2_DIS | RX_DIS)), now); break;
    case BMCTL_RUM: channels(disabled_ & value, now); break;
    case LAPA: lapa_ = value; break;
    case LAPD: put_local(lapa_, value); break;
    case LAPDINC:
      put_local(lapa_, value);
      lapa_ = static_cast<std::uint16_t>(lapa_ + 2);
      break;
    case RXLBDA:
    case RXBDA: halves_[0] = value; break;
    case RXLBDA + 2:
      receive_.set_last(whole(0));
      pump(now);
      break;
    case RXBDA + 2: receive_.set_first(whole(0), job_ == Job::rx_fetch); break;
    case TX2LFDA: halves_[1] = value; break;
    case TX2LFDA + 2:
      tx_last_ = whole(1);
      doorbell(now);
      break;
    default: system_.write(offset, value); break;
  }
  if (tested_ && system_.lisr & SRB_CMD && !request_.pending()) request_.at(now + config_.request);
  update_interrupt(now);
}

bool Streamer::interrupt_pin() const { return system_.interrupt(); }

void Streamer::update_interrupt(Time now) {
  if (interrupt_pin() == asserted_) return;
  asserted_ = !asserted_;
  host_.interrupt(asserted_, now);
}

void Streamer::raise(std::uint16_t causes, Time now) {
  system_.raise_misr(causes);
  update_interrupt(now);
}

void Streamer::channels(std::uint16_t disabled, Time now) {
  const std::uint16_t stopped = disabled & ~disabled_;
  disabled_ = disabled;
  if (stopped & TX2_DIS) stop_transmit(now);
  if (stopped & RX_DIS) stop_receive(now);
  pump(now);
}

// ---- reset and requests ----

void Streamer::control(std::uint16_t value, Time now) {
  const bool released = bctl_ & SOFTRESET && !(value & SOFTRESET);
  if (value & SOFTRESET) reset(now);
  bctl_ = value;
  if (released) self_test_.at(now + config_.self_test);
}

void Streamer::reset(Time now) {
  for (Event* e : {&self_test_, &request_}) e->cancel();
  stop_transmit(now);
  stop_receive(now);
  system_.reset();
  bctl_ = lapa_ = halves_[0] = halves_[1] = 0;
  disabled_ = TX2_DIS | RX_DIS;
  tested_ = open_ = promiscuous_ = false;
  receive_.reset();
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
  system_.raise_sisr(SRB_REPLY);
  update_interrupt(now);
}

void Streamer::request(Time now) {
  system_.lisr &= static_cast<std::uint16_t>(~SRB_CMD);
  local_[srb + 2] = execute(now);
  system_.raise_sisr(SRB_REPLY);
  update_interrupt(now);
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

// ---- transfers: one at a time, reception first ----

void Streamer::begin(Job job, std::uint32_t address, std::uint32_t bytes, Direction direction, Time now) {
  job_ = job;
  transfer_.resize(bytes);
  host_.start_transfer(address, bytes, direction, now);
}

void Streamer::pump(Time now) {
  if (job_ != Job::none || !open_) return;
  if (!(disabled_ & RX_DIS) && receive_pump(now)) return;
  if (disabled_ & TX2_DIS) return;
  switch (step_) {
    case Step::idle: break;
    case Step::fetch: begin(Job::tx_fetch, tx_descriptor_, 32, Direction::read, now); break;
    case Step::fill:
    case Step::sending:
      if (const std::uint32_t n = fill_wanted(now))
        begin(Job::tx_data, tx_buffer_ + tx_fetched_, n, Direction::read, now);
      break;
    case Step::status:
      transfer_.resize(4);
      put32(transfer_, 0, tx_status_);
      begin(Job::tx_status, tx_descriptor_ + 4, 4, Direction::write, now);
      break;
  }
}

void Streamer::transfer_done(Time now) {
  const Job job = job_;
  job_ = Job::none;
  switch (job) {
    case Job::none: break;
    case Job::rx_fetch: receive_.fetched(transfer_); break;
    case Job::rx_data:
      receive_.stored(static_cast<std::uint32_t>(transfer_.size()));
      if (const auto r = port_.receiving(); r && receive_.listening()) expect_more(*r, now);
      break;
    case Job::rx_status:
      if (receive_.returned()) raise(RX_EOF, now);
      break;
    case Job::tx_fetch: took_descriptor(); break;
    case Job::tx_data: filled(now); break;
    case Job::tx_status: status_written(now); break;
  }
  pump(now);
}

void Streamer::describe(Description& d) const {
  const auto wide = [this](unsigned offset) { return peek(offset) | std::uint32_t{peek(offset + 2)} << 16; };
  d.reg("LISR", peek(LISR), 16).reg("SISR", peek(SISR), 16).reg("SISR_MASK", peek(SISR_MASK), 16);
  d.reg("BMCTL", peek(BMCTL_SUM), 16).reg("MISR", peek(MISR_RUM), 16).reg("MISR_MASK", peek(MISR_MASK), 16);
  d.reg("BCTL", peek(BCTL), 16).reg("LAPA", peek(LAPA), 16).reg("LAPWWO", peek(LAPWWO), 16);
  d.reg("station address", big_endian(address_), 48).flag("interrupt", interrupt_pin()).flag("open", open_);
  d.flag("all frames", promiscuous_).number("group addresses", groups_.size());
  constexpr std::array jobs{"none",           "receive descriptor",  "received bytes",
                            "receive status", "transmit descriptor", "bytes to send",
                            "transmit status"};
  d.activity("bus transfer", jobs[static_cast<unsigned>(job_)]);
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
  a(local_, system_, bctl_, lapa_, disabled_, halves_[0], halves_[1], tested_, open_, promiscuous_, asserted_, address_,
    groups_, log_, job_, transfer_);
  a(step_, tx_fresh_, tx_last_, tx_descriptor_, tx_forward_, tx_buffer_, tx_length_, tx_fetched_, tx_released_,
    tx_status_, tx_data_, tx_started_, orphan_);
  receive_.archive(a);
  a(counters_.sent, counters_.received, counters_.collisions, counters_.overruns, counters_.underruns);
  port_.archive(a);
  for (Event* e : {&self_test_, &request_, &starved_, &room_, &more_}) e->archive(a);
  if (a.saving()) return;
  const std::size_t n = transfer_.size();
  bool sound = job_ <= Job::tx_status && step_ <= Step::status && tx_fetched_ <= tx_length_ &&
               tx_released_ <= tx_fetched_ && tx_data_.size() == tx_length_ && receive_.sound();
  if (job_ == Job::rx_fetch) sound = sound && n == streamer::ReceiveChannel::descriptor_bytes;
  if (job_ == Job::tx_fetch) sound = sound && n == 32;
  if (job_ == Job::tx_data) sound = sound && n <= tx_length_ - tx_fetched_;
  if (job_ == Job::rx_data) sound = sound && receive_.may_store(n);
  if (!sound) throw Error("snapshot holds a damaged EtherStreamer; take a new one", ExitCode::missing_file);
}

}  // namespace planar::ethernet
