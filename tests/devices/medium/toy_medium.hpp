// SPDX-License-Identifier: GPL-2.0-or-later
// A medium that planar does not know: a full-duplex 4 Mbit/s line with two ends, and with its own frame format and link
// type. What works on it needs nothing from a medium but devices/medium/medium.hpp.
//
// A frame is type (2 bytes), destination, source, data, and the sum of all its bytes (1 byte).
#pragma once

#include <numeric>

#include "core/time/scheduler.hpp"
#include "devices/medium/link_layer.hpp"
#include "tests/devices/medium/wire.hpp"

namespace planar::test {

class ToyLine;

class ToyPort final : public Port {
 public:
  ToyPort(Scheduler& scheduler, std::string name, Medium& line, LinkLayer& owner);
  ~ToyPort() override { leave(); }
  void attach(Medium& line) override {
    leave();
    join(line);
  }
  void set_plugged(bool plugged, Time) override { plugged_ = plugged; }
  void send(std::span<const std::uint8_t> frame, Time now);
  void archive(Archive& a) {
    a(start_, frame_, arriving_);
    leaves_.archive(a);
    arrives_.archive(a);
  }

 private:
  ToyLine& line() const;
  void leaves(Time now);
  void arrives(Time now);

  LinkLayer& owner_;
  Time start_{};
  Bytes frame_, arriving_;
  Event leaves_, arrives_;
};

class ToyLink final : public LinkLayer {
 public:
  ToyLink(Scheduler& scheduler, std::string name, Medium& line, LinkUser& user)
      : LinkLayer(user), port_(scheduler, std::move(name), line, *this) {}
  ToyPort& port() override { return port_; }
  unsigned arp_hardware() const override { return 0x147; }
  void archive(Archive& a) override { port_.archive(a); }
  void sent(Time now) { finished(true, 0, now); }
  void received(const Bytes& frame, Time now) {
    Bytes ethernet(frame.begin() + 2, frame.begin() + 14);
    ethernet.insert(ethernet.end(), frame.begin(), frame.begin() + 2);
    ethernet.insert(ethernet.end(), frame.begin() + 14, frame.end() - 1);
    user().frame_received(ethernet, now);
  }

 private:
  Bytes encapsulate(std::span<const std::uint8_t> frame) const override {
    Bytes f(frame.begin() + 12, frame.begin() + 14);
    f.insert(f.end(), frame.begin(), frame.begin() + 12);
    f.insert(f.end(), frame.begin() + 14, frame.end());
    f.push_back(std::accumulate(f.begin(), f.end(), std::uint8_t{0}));
    return f;
  }
  void transmit(std::span<const std::uint8_t> frame, Time now) override { port_.send(frame, now); }

  ToyPort port_;
};

class ToyLine final : public Medium {
 public:
  static constexpr Time byte_time = 2_us, propagation = 1_us;
  static constexpr LinkType link_type{147};  // the first of those reserved for private use
  static Destination destination(std::span<const std::uint8_t> frame) {
    if (frame.size() < 8) return Destination::unknown;
    return frame[2] == 0xFF ? Destination::broadcast : Destination::station;
  }
  static constexpr FrameFormat frame_format{.link = link_type,
                                            .header_bytes = 14,
                                            .check_bytes = 1,
                                            .shortest = 15,
                                            .longest = 1515,
                                            .destination = destination};

  explicit ToyLine(std::string name) : Medium(std::move(name)) {}
  std::string title() const override { return "4 Mbit/s, two ends"; }
  const FrameFormat& format() const override { return frame_format; }
  std::uint64_t bits_per_second() const override { return 4'000'000; }
  Time lookahead() const override { return propagation; }
  Time gap() const override { return 10_us; }
  std::unique_ptr<LinkLayer> connect(Scheduler& scheduler, std::string name, LinkUser& user, std::uint64_t) override {
    return std::make_unique<ToyLink>(scheduler, std::move(name), *this, user);
  }
  std::vector<NamedCount> counts() const override { return {{"frames", frames_}}; }
  void archive(Archive& a) override {
    a.section("toy line", 1);
    a(frames_);
  }

 private:
  friend class ToyPort;
  std::uint64_t frames_ = 0;
};

inline ToyPort::ToyPort(Scheduler& scheduler, std::string name, Medium& line, LinkLayer& owner)
    : Port(std::move(name)),
      owner_(owner),
      leaves_(scheduler, this->name() + ".leaves", Priority::wire, Callback::to<&ToyPort::leaves>(this)),
      arrives_(scheduler, this->name() + ".arrives", Priority::wire, Callback::to<&ToyPort::arrives>(this)) {
  join(line);
}

inline ToyLine& ToyPort::line() const { return static_cast<ToyLine&>(*medium()); }

inline void ToyPort::send(std::span<const std::uint8_t> frame, Time now) {
  frame_.assign(frame.begin(), frame.end());
  start_ = now;
  line().tell_begins(*this, now);
  leaves_.at(now + ToyLine::byte_time * static_cast<std::int64_t>(frame_.size()));
}

inline void ToyPort::leaves(Time now) {
  ++line().frames_;
  arriving_ = frame_;
  arrives_.at(now + ToyLine::propagation);
  line().tell_end({line(), start_, now, arriving_, Damage::none, name()});
  static_cast<ToyLink&>(owner_).sent(now);
}

inline void ToyPort::arrives(Time now) {
  for (Port* other : line().ports())
    if (other && other != this && other->plugged())
      static_cast<ToyLink&>(static_cast<ToyPort*>(other)->owner_).received(arriving_, now);
}

/// A station that records what it hears.
struct Ear final : LinkUser {
  Ear(Scheduler& scheduler, Medium& medium, const std::string& name, std::uint64_t seed)
      : link(medium.connect(scheduler, name, *this, seed)) {}
  void frame_received(std::span<const std::uint8_t> frame, Time now) override {
    heard.emplace_back(frame.begin(), frame.end());
    when.push_back(now);
  }
  void frame_damaged(Time) override { ++damaged; }
  void frame_sent(const LinkOutcome& outcome, Time) override { outcomes.push_back(outcome); }

  std::unique_ptr<LinkLayer> link;
  std::vector<Bytes> heard;
  std::vector<Time> when;
  std::vector<LinkOutcome> outcomes;
  unsigned damaged = 0;
};

}  // namespace planar::test
