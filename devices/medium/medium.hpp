// SPDX-License-Identifier: GPL-2.0-or-later
// What all shared media have in common: ports for stations, observers of the frames, counters.
//
// A medium (an Ethernet segment, a ring) derives from Medium, its stations' connections from Port. Captures, frame
// timing, labs and reports use only this header; media access and the fate of a frame are a matter between the medium
// and its own ports.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/state/archive.hpp"
#include "core/state/description.hpp"
#include "core/state/trace.hpp"
#include "core/time/time.hpp"

namespace planar {
class Scheduler;
}

namespace planar::net {

class LinkLayer;
class LinkUser;
class Medium;

/// Link types of captures, as https://www.tcpdump.org/linktypes.html numbers them.
enum class LinkType : std::uint16_t { ethernet = 1, token_ring = 6 };

/// To whom a frame is addressed.
enum class Destination : std::uint8_t { unknown, station, group, broadcast };

/// The frame format of a medium, as far as captures need it.
struct FrameFormat {
  LinkType link = LinkType::ethernet;
  std::size_t header_bytes = 0;  ///< minimum that a reader needs to interpret a frame
  std::size_t check_bytes = 0;   ///< check sequence at the end, which captures omit from good frames
  std::size_t shortest = 0;      ///< shortest legal frame, including the check sequence
  std::size_t longest = 0;       ///< longest legal frame, likewise
  Destination (*destination)(std::span<const std::uint8_t> frame) = nullptr;  ///< never null in use
};

/// Why a frame did not end properly.
enum class Damage : std::uint8_t {
  none,       ///< complete, and its check sequence matches
  collision,  ///< another station sent at the same time
  other,      ///< cut short by its sender or the cable, or complete with a wrong check sequence
};

/// One frame, or fragment, as it left its sender.
struct WireRecord {
  const Medium& medium;
  Time start{};                         ///< first bit, including any preamble
  Time end{};                           ///< last bit
  std::span<const std::uint8_t> bytes;  ///< including the check sequence, without preamble
  Damage damage = Damage::none;
  std::string_view sender;  ///< Port::name()

  bool good() const { return damage == Damage::none; }
};

class WireObserver {
 public:
  virtual ~WireObserver() = default;
  /// The first bit of a frame leaves; observe() reports its end.
  virtual void begins(const Medium& /*medium*/, std::string_view /*sender*/, Time /*now*/) {}
  virtual void observe(const WireRecord& record) = 0;
};

/// A counter of the medium, with its name in reports ("collisions").
struct NamedCount {
  std::string_view name;
  std::uint64_t value = 0;
};

/// A station's connection to a medium. Derived ports must detach() in their destructor, while they are still intact.
class Port {
 public:
  explicit Port(std::string name) : name_(std::move(name)) {}
  virtual ~Port() = default;
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;

  const std::string& name() const { return name_; }
  /// Joins a medium, plugged in. Throws Error if it is not of this port's kind.
  virtual void attach(Medium& medium) = 0;
  /// The medium it is attached to, or null.
  Medium* medium() const { return medium_; }
  bool plugged() const { return medium_ && plugged_; }
  /// Pulls or inserts the cable.
  virtual void set_plugged(bool plugged, Time now) = 0;

 protected:
  static constexpr std::uint32_t nobody = UINT32_MAX;
  void join(Medium& medium);
  void leave();
  /// Its position in Medium::ports(), `nobody` if it has none. Kept in snapshots.
  std::uint32_t index() const { return index_; }

  bool plugged_ = true;

 private:
  friend class Medium;
  std::string name_;
  Medium* medium_ = nullptr;
  std::uint32_t index_ = nobody;
};

class Medium {
 public:
  explicit Medium(std::string name) : name_(std::move(name)) {}
  virtual ~Medium();
  Medium(const Medium&) = delete;
  Medium& operator=(const Medium&) = delete;

  /// Name in captures and reports; unique in a lab.
  const std::string& name() const { return name_; }
  /// For a summary line: "10 Mbit/s, half duplex".
  virtual std::string title() const = 0;
  virtual const FrameFormat& format() const = 0;
  virtual std::uint64_t bits_per_second() const = 0;
  /// The shortest time in which a station can notice another one's action; machines may run ahead of each other by this
  /// much.
  virtual Time lookahead() const = 0;
  /// Silence after a frame during which no station may start another; the medium counts as occupied.
  virtual Time gap() const = 0;
  /// Connects a plain station named `name` (link_layer.hpp). `seed` seeds the generator for its random choices and must
  /// differ between the stations of a lab.
  virtual std::unique_ptr<LinkLayer> connect(Scheduler& scheduler, std::string name, LinkUser& user,
                                             std::uint64_t seed) = 0;
  /// In the order in which they joined; null where one has left.
  std::span<Port* const> ports() const { return ports_; }
  /// Its counters since power-on.
  virtual std::vector<NamedCount> counts() const = 0;

  /// Is notified when a frame or fragment begins, and gets all of it when its last bit has left. Observers are called
  /// in order of addition.
  void add_observer(WireObserver& observer) { observers_.push_back(&observer); }
  void remove_observer(WireObserver& observer) { std::erase(observers_, &observer); }
  void set_trace(Trace* trace) { trace_ = trace; }
  /// Name, speed, counters, and the ports with their names.
  Description describe() const;
  /// The medium's own state; each port is archived by its station.
  virtual void archive(Archive& a) = 0;

 protected:
  void tell_begins(const Port& port, Time now) const;
  /// Traces the frame and notifies the observers.
  void tell_end(const WireRecord& record) const;

 private:
  friend class Port;
  std::string name_;
  std::vector<Port*> ports_;
  std::vector<WireObserver*> observers_;
  Trace* trace_ = nullptr;
};

/// Has an observer notified by several media while this object lives.
class Watch {
 public:
  Watch(std::vector<Medium*> media, WireObserver& observer) : media_(std::move(media)), observer_(observer) {
    for (Medium* medium : media_) medium->add_observer(observer_);
  }
  ~Watch() {
    for (Medium* medium : media_) medium->remove_observer(observer_);
  }
  Watch(const Watch&) = delete;

  const std::vector<Medium*>& media() const { return media_; }

 private:
  std::vector<Medium*> media_;
  WireObserver& observer_;
};

}  // namespace planar::net
