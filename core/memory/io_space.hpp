// SPDX-License-Identifier: GPL-2.0-or-later
// The 64 KB I/O space: maps ports to slaves. All 16 address bits are decoded, as required on the Micro Channel.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/memory/slave.hpp"

namespace planar {

struct TraceSubject;
class IoSpace;

/// A claimed port range; destruction releases it and ends the decoding.
class [[nodiscard]] IoClaim {
 public:
  IoClaim() = default;
  IoClaim(IoClaim&& other) noexcept : space_(other.space_), id_(other.id_) { other.space_ = nullptr; }
  IoClaim& operator=(IoClaim&& other) noexcept;
  ~IoClaim() { release(); }
  void release();
  explicit operator bool() const { return space_ != nullptr; }

 private:
  friend class IoSpace;
  IoClaim(IoSpace* space, std::uint32_t id) : space_(space), id_(id) {}
  IoSpace* space_ = nullptr;
  std::uint32_t id_ = 0;
};

class IoSpace {
 public:
  struct Range {
    Slave* slave;
    std::uint16_t first;
    std::uint16_t last;
    CycleSpec cycle;
    /// Set when a cycle selects this range (-CD SFDBK); may be null.
    bool* selected;
    std::uint32_t id;
    const TraceSubject* subject;  ///< the part that claimed it, for traces; may be null
  };

  IoSpace() { table_.fill(0); }
  IoSpace(const IoSpace&) = delete;

  /// Decodes ports first..last (inclusive) for `slave`. Where ranges overlap, the one that begins last responds.
  IoClaim claim(std::uint16_t first, std::uint16_t last, Slave& slave, CycleSpec cycle, bool* selected = nullptr,
                const TraceSubject* subject = nullptr);

  /// The range that decodes `port`, or null: the bus is not driven and reads return ones.
  const Range* find(std::uint16_t port) const {
    const auto index = table_[port];
    return index ? &ranges_[index - 1] : nullptr;
  }

  /// The byte that a read at `now` would return, without side effects; FFh for ports that are not decoded.
  std::uint8_t peek(std::uint16_t port, Time now) const;

 private:
  friend class IoClaim;
  void release(std::uint32_t id);
  void rebuild();
  std::vector<Range> ranges_;
  std::array<std::uint16_t, 65536> table_;  // index into ranges_ plus one
  std::uint32_t next_id_ = 1;
};

}  // namespace planar
