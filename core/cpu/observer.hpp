// SPDX-License-Identifier: GPL-2.0-or-later
// An observer follows a processor instruction by instruction: lockstep, a debugger, a tracer. Observing changes no
// virtual result: an observed processor gives the same cycles and the same state. Without an observer it costs nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace planar::cpu {

struct Op;

/// What an interrupt or exception comes from: a pin (INTR, NMI), a fault or trap, an INT n, INT3 or INTO, an ICEBP.
enum class InterruptSource : std::uint8_t { external, exception, software, icebp };

/// Every function has an empty default: an observer overrides what it needs. Any of them may add and remove observers.
class Observer {
 public:
  virtual ~Observer() = default;

  /// The processor is between two instructions. An observer that stops the run here (Scheduler::stop) stops it before
  /// the next instruction; when the run resumes, the same boundary is reported again.
  virtual void before_step() {}
  /// `executed`: an instruction ran (one iteration of a REP; a fault in it has been delivered). Otherwise the processor
  /// did something at the boundary: an interrupt or trap was delivered, it was reset, or time passed in HLT or
  /// shutdown. `op` is the instruction; null if none could be fetched. An observer that stops the run here stops it
  /// after this instruction.
  virtual void after_step(bool /*executed*/, const Op* /*op*/) {}

  /// An interrupt or exception is about to be delivered. An exception raised by the delivery itself is reported by
  /// another call.
  virtual void delivering(std::uint8_t /*vector*/, InterruptSource /*source*/, bool /*has_error*/,
                          std::uint16_t /*error*/) {}
  /// The processor has stored into RAM (physical; accessed and dirty bits of page tables included).
  virtual void stored(std::uint32_t /*address*/, std::uint32_t /*bytes*/) {}
  /// The processor read data from RAM or ROM (physical; descriptors and page tables included, instructions not).
  virtual void loaded(std::uint32_t /*address*/, std::uint32_t /*bytes*/) {}

  virtual void port_read(std::uint16_t /*port*/, unsigned /*bytes*/, std::uint32_t /*value*/) {}
  virtual void port_written(std::uint16_t /*port*/, unsigned /*bytes*/, std::uint32_t /*value*/) {}
  /// Memory accessed through the pins; `fetch` for instruction bytes.
  virtual void device_read(std::uint32_t /*address*/, unsigned /*bytes*/, std::uint32_t /*value*/, bool /*fetch*/) {}
  virtual void device_written(std::uint32_t /*address*/, unsigned /*bytes*/, std::uint32_t /*value*/) {}

  /// RAM has been written by something other than the processor (DMA, a bus master, Cpu::poke).
  virtual void others_wrote(std::uint32_t /*address*/, std::uint32_t /*bytes*/) {}
  /// The addresses of RAM, ROM and devices have changed.
  virtual void mapping_changed() {}
  /// RAM or ROM is read by something other than the processor (DMA, a bus master).
  virtual void others_read(std::uint32_t /*address*/, std::uint32_t /*bytes*/) {}
};

/// Several observers as one: each call goes to all of them, in the order in which they were added.
class ObserverList final : public Observer {
 public:
  bool empty() const { return count_ == 0; }
  void add(Observer& observer) {
    list_.push_back(&observer);
    ++count_;
  }
  void remove(Observer& observer) {
    const auto at = std::find(list_.begin(), list_.end(), &observer);
    if (at == list_.end()) return;
    --count_;
    if (calling_ != 0)
      *at = nullptr;  // erased when no call is in progress
    else
      list_.erase(at);
  }

  void before_step() override {
    each([](Observer& o) { o.before_step(); });
  }
  void after_step(bool executed, const Op* op) override {
    each([=](Observer& o) { o.after_step(executed, op); });
  }
  void delivering(std::uint8_t vector, InterruptSource source, bool has_error, std::uint16_t error) override {
    each([=](Observer& o) { o.delivering(vector, source, has_error, error); });
  }
  void stored(std::uint32_t address, std::uint32_t bytes) override {
    each([=](Observer& o) { o.stored(address, bytes); });
  }
  void loaded(std::uint32_t address, std::uint32_t bytes) override {
    each([=](Observer& o) { o.loaded(address, bytes); });
  }
  void port_read(std::uint16_t port, unsigned bytes, std::uint32_t value) override {
    each([=](Observer& o) { o.port_read(port, bytes, value); });
  }
  void port_written(std::uint16_t port, unsigned bytes, std::uint32_t value) override {
    each([=](Observer& o) { o.port_written(port, bytes, value); });
  }
  void device_read(std::uint32_t address, unsigned bytes, std::uint32_t value, bool fetch) override {
    each([=](Observer& o) { o.device_read(address, bytes, value, fetch); });
  }
  void device_written(std::uint32_t address, unsigned bytes, std::uint32_t value) override {
    each([=](Observer& o) { o.device_written(address, bytes, value); });
  }
  void others_wrote(std::uint32_t address, std::uint32_t bytes) override {
    each([=](Observer& o) { o.others_wrote(address, bytes); });
  }
  void others_read(std::uint32_t address, std::uint32_t bytes) override {
    each([=](Observer& o) { o.others_read(address, bytes); });
  }
  void mapping_changed() override {
    each([](Observer& o) { o.mapping_changed(); });
  }

 private:
  template <class F>
  void each(F&& call) {
    ++calling_;
    for (std::size_t i = 0; i < list_.size(); ++i)
      if (list_[i] != nullptr) call(*list_[i]);
    if (--calling_ == 0 && list_.size() != count_) std::erase(list_, nullptr);
  }

  std::vector<Observer*> list_;  // null: removed during a call
  std::size_t count_ = 0;        // entries that are not null
  unsigned calling_ = 0;         // calls in progress
};

}  // namespace planar::cpu
