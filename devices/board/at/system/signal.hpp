// SPDX-License-Identifier: GPL-2.0-or-later
// Pins and wires between planar chips. A chip owns its Outputs and offers Signals for its inputs; it does not know what
// is connected to them: that is up to the machine builder.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "core/state/archive.hpp"
#include "core/time/time.hpp"

namespace planar {

/// An input pin: notified of level changes.
class Signal {
 public:
  virtual ~Signal() = default;
  /// `level` true = active (whatever the pin's electrical polarity is).
  virtual void set(bool level, Time now) = 0;
};

/// A Signal made from a function, for wiring in the machine builder and in tests.
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

/// An output pin: stores its level and passes only changes on to its signal.
class Output {
 public:
  /// Connects the pin; `signal` must outlive it. The present level is not signalled (pins start inactive).
  void connect(Signal& signal) { signal_ = &signal; }
  void set(bool level, Time now) {
    if (level == level_) return;
    level_ = level;
    if (signal_) signal_->set(level, now);
  }
  /// Active for an instant: connected inputs react to the leading edge.
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

}  // namespace planar
