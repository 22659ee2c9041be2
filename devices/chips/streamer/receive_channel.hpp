// SPDX-License-Identifier: GPL-2.0-or-later
// The family's receive channel: frames pass through a small FIFO into the buffers of a ring of descriptors while they
// arrive. The chip set knows what a frame is on the wire; it hands over the bytes as they arrive.
//
//   Descriptor, 16 bytes: forward; status (RegisterMap::RxStatus); buffer; frame length << 16 | buffer length (written:
//   bytes stored). Beyond the descriptor that RXLBDA names frames are lost until RXLBDA is written.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "core/state/archive.hpp"
#include "core/state/description.hpp"
#include "core/time/scheduler.hpp"
#include "devices/chips/streamer/registers.hpp"

namespace planar::streamer {

/// The chip set that a receive channel belongs to.
class ReceiveOwner {
 public:
  /// Gathers the part of the frame on the wire that has arrived.
  virtual void catch_up(Time now) = 0;
  /// A byte found the FIFO full.
  virtual void overrun() = 0;
  /// A frame found no buffer.
  virtual void no_buffer(Time now) = 0;
  /// The buffers ran out during a frame.
  virtual void frame_cut() = 0;
  /// A frame without error is in memory except for its status.
  virtual void frame_stored() = 0;

 protected:
  ~ReceiveOwner() = default;
};

class ReceiveChannel {
 public:
  struct Limits {
    std::uint32_t fifo, burst;   ///< bytes
    std::uint32_t begin;         ///< bytes that must have arrived before the first is moved to memory
    std::uint32_t longest;       ///< bytes of a frame, without its check sequence, that are kept
    std::uint32_t least_buffer;  ///< a smaller buffer is useless
  };
  /// A frame on its way through the FIFO.
  struct Frame {
    std::vector<std::uint8_t> data;  ///< as far as it has arrived; the last four bytes, maybe the FCS, are held back
    bool complete = false;
    std::uint32_t status = 0;  ///< errors
    std::uint32_t moved = 0;   ///< bytes in memory
    void archive(Archive& a) { a(data, complete, status, moved); }
  };
  enum class Step : std::uint8_t { none, fetch, data, status };
  struct Transfer {
    Step step = Step::none;
    std::uint32_t address = 0, bytes = 0;
  };
  static constexpr std::uint32_t descriptor_bytes = 16, status_bytes = 12, check_bytes = 4;

  /// `more`: the owner's event that checks the wire again.
  ReceiveChannel(ReceiveOwner& owner, Event& more, const Limits& limits)
      : owner_(owner), more_(more), limits_(limits) {}

  // ---- the frame that arrives ----
  void frame_begins() {
    incoming_.emplace_back();
    listening_ = true;
  }
  bool listening() const { return listening_; }
  Frame& arriving() { return incoming_.back(); }
  /// Bytes of it are in memory or on their way there (`storing`: a transfer of data is under way).
  bool moving(bool storing) const { return incoming_.back().moved > 0 || (incoming_.size() == 1 && storing); }
  /// Takes in what has arrived of `r`, the medium's reception; a byte too many for the FIFO is an overrun.
  template <class Reception>
  void gather(const Reception& r, Time now) {
    Frame& f = arriving();
    if (f.status) return;
    const std::size_t arrived = r.arrived(now);  // check sequence included
    if (arrived > f.moved + room()) {
      overrun();
      return;
    }
    const std::size_t known =
        std::min<std::size_t>(arrived - std::min<std::size_t>(arrived, check_bytes), limits_.longest);
    append(f.data, r, known);
  }
  /// It has ended: takes in the rest of its first `bytes` bytes.
  template <class Reception>
  void gather_rest(const Reception& r, std::size_t bytes) {
    Frame& f = arriving();
    append(f.data, r, bytes);
    if (older_bytes() + f.data.size() - f.moved > limits_.fifo) overrun();
  }
  /// When to check next: another burst is complete, or the FIFO would be full.
  template <class Reception>
  void expect_more(const Reception& r, Time now) {
    const Frame& f = arriving();
    if (f.status || f.data.size() >= limits_.longest) {
      more_.cancel();
      return;
    }
    Time next = r.arrival(f.moved + room());
    const Time burst = r.arrival(f.moved + limits_.burst + check_bytes - 1);
    if (burst > now) next = std::min(next, burst);
    more_.at(std::max(next, now));
  }
  void overrun();
  /// It has ended; arriving() stays valid.
  void stop_listening() {
    listening_ = false;
    more_.cancel();
  }
  void discard() { incoming_.pop_back(); }
  /// Bytes in the FIFO that belong to complete frames.
  std::uint32_t older_bytes() const;

  // ---- buffers ----
  /// RXBDA, RXLBDA. RXBDA changes nothing while a buffer is in use.
  void set_first(std::uint32_t descriptor, bool fetching);
  void set_last(std::uint32_t descriptor);
  std::uint32_t first() const { return have_ ? descriptor_ : forward_; }
  std::uint32_t last() const { return last_; }
  /// Where the next byte goes.
  std::uint32_t address() const { return have_ ? buffer_ + stored_ : 0; }
  bool has_buffers() const { return have_ || !ended_; }

  /// What to move next between memory and `transfer`; fills that for a write.
  Transfer next(std::vector<std::uint8_t>& transfer, Time now);
  void fetched(std::span<const std::uint8_t> descriptor);
  void stored(std::uint32_t bytes);
  /// The status is written; true if it was that of a frame's last buffer.
  bool returned();
  /// The channel is disabled: what is in the FIFO is lost, buffers are discarded.
  void stop();
  /// Discards the buffers' addresses too.
  void reset() { last_ = forward_ = descriptor_ = 0; }

  bool empty() const { return incoming_.empty(); }
  /// Bytes of the oldest frame may still be taken for a transfer of data.
  bool may_store(std::size_t bytes) const;
  bool sound() const;
  void describe(Description& d) const;
  void archive(Archive& a);

 private:
  std::uint32_t room() const { return limits_.fifo - std::min(limits_.fifo, older_bytes()); }
  Transfer give_back(std::uint32_t status, std::vector<std::uint8_t>& transfer);
  void drop_head();
  /// What has arrived up to byte `end`: a wire may garble it, a ring does not.
  template <class Reception>
  static void append(std::vector<std::uint8_t>& data, const Reception& r, std::size_t end) {
    if constexpr (requires { r.append(data, end); })
      r.append(data, end);
    else if (end > data.size())
      data.insert(data.end(), r.frame.begin() + static_cast<std::ptrdiff_t>(data.size()),
                  r.frame.begin() + static_cast<std::ptrdiff_t>(end));
  }

  ReceiveOwner& owner_;
  Event& more_;
  const Limits limits_;
  std::deque<Frame> incoming_;
  bool listening_ = false;  // the last of incoming_ is still arriving
  bool have_ = false, ended_ = true;
  std::uint32_t last_ = 0, descriptor_ = 0, forward_ = 0, buffer_ = 0, room_ = 0, stored_ = 0;
  std::uint32_t return_status_ = 0;  // with which the buffer in hand is being returned
};

}  // namespace planar::streamer
