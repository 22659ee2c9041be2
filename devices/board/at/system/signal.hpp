// SPDX-License-Identifier: GPL-2.0-or-later
// Pins and wires between planar chips. A chip owns its Outputs and offers Signals for its inputs;
// it never knows what hangs on the other end: the machine builder connects them.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <utility>

#include "core/state/archive.hpp"
#include "core/time/time.hpp"

namespace planar {

/// An input pin: told of level changes.
class Signal {
 public:
  virtual ~Signal() = default;
  /// `level` true = active (whatever the pin's electrical polarity is).
  virtual void set(bool level, Time now) = 0;
};

/// A Signal made of a function, for wiring in the machine builder and in tests.
class SignalFunction final : public Signal {
 public:
  explicit SignalFunction(std::function<void(bool, Time)> function) : function_(std::move(function)) {}
  void set(bool level, Time now) override { function_(level, now); }

 private:
  std::function<void(bool, Time)> function_;
};

/// A Signal that calls a member function of its owner.
template <class T>
class SignalTo final : public Signal {
 public:
  SignalTo(T& owner, void (T::*method)(bool, Time)) : owner_(owner), method_(method) {}
  void set(bool level, Time now) override { (owner_.*method_)(level, now); }

 private:
  T& owner_;
  void (T::*method_)(bool, Time);
};

/// An output pin: remembers its level and tells its signal of changes only.
class Output {
 public:
  /// Connects the pin; `signal` must outlive it. The present level is not announced (pins start
  /// inactive).
  void connect(Signal& signal) { signal_ = &signal; }
  void set(bool level, Time now) {
    if (level == level_) return;
    level_ = level;
    if (signal_) signal_->set(level, now);
  }
  /// Active for an instant: what hangs on it reacts to the leading edge.
  void pulse(Time now) {
    set(true, now);
    set(false, now);
  }
  bool level() const { return level_; }
  void archive(Archive& a) { a(level_); }

 private:
  Signal* signal_ = nullptr;
  bool level_ = false;
};

/// Several sources on one wire: active while any of them is.
class WiredOr {
 public:
  explicit WiredOr(Signal& target) { output_.connect(target); }
  WiredOr(const WiredOr&) = delete;
  WiredOr& operator=(const WiredOr&) = delete;
  /// A new source; at most 32. The reference stays valid for the life of the wire.
  Signal& source() {
    inputs_.emplace_back(*this, static_cast<unsigned>(inputs_.size()));
    return inputs_.back();
  }
  bool level() const { return active_ != 0; }
  void archive(Archive& a) { a(active_, output_); }

 private:
  class Input final : public Signal {
   public:
    Input(WiredOr& wire, unsigned index) : wire_(wire), bit_(std::uint32_t{1} << index) {}
    void set(bool level, Time now) override {
      wire_.active_ = level ? wire_.active_ | bit_ : wire_.active_ & ~bit_;
      wire_.output_.set(wire_.active_ != 0, now);
    }

   private:
    WiredOr& wire_;
    std::uint32_t bit_;
  };
  std::deque<Input> inputs_;
  std::uint32_t active_ = 0;
  Output output_;
};

}  // namespace planar
