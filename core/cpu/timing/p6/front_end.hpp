// SPDX-License-Identifier: GPL-2.0-or-later
// Fetch and decoding on the P6: code arrives in blocks of 16 bytes, one per clock; three decoders take one instruction
// each, the first of up to four micro-ops, the others of one. An instruction of more is microcode, decoded alone.
//
// Sources: docs/hardware/p6.md. A block from the middle of a line to the middle of the next one counts as two. All
// stages between fetch and renaming are one delay, that of a refetch.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/cpu/timing/p6/memory_p6.hpp"
#include "core/cpu/timing/p6/period.hpp"
#include "core/state/archive.hpp"

namespace planar::cpu {

class FrontEnd {
 public:
  /// From the execution of a mispredicted branch to the renaming of what follows it, and from the decoding of a branch
  /// that the buffer did not know.
  static constexpr unsigned refetch = 9, redecode = 5;
  /// Clocks by which fetch, and decoding, can run ahead of the next stage.
  static constexpr unsigned fetch_ahead = 3, decode_ahead = 2;

  /// Decodes the instruction at `address`, of `bytes` and `count` micro-ops; returns the clock at which it is decoded.
  /// `renamed`: the clock that renaming has reached; `extra`: clocks of its prefixes. `fetch` requests the code line of
  /// an address, that of the instruction's first or last byte, at a clock, and returns the clock of its arrival.
  template <class Fetch>
  [[gnu::always_inline]] std::uint64_t decode(Fetch&& fetch, std::uint32_t address, unsigned bytes, unsigned count,
                                              unsigned extra, std::uint64_t renamed) {
    const std::uint32_t end = address + bytes - 1;
    if (const std::uint32_t block = end & ~15u; block != block_) {
      fetched_ = std::max(fetched_ + 1, clock_ - std::min<std::uint64_t>(clock_, fetch_ahead));
      if (const std::uint32_t line = MemoryP6::line_of(end); line != line_) {
        if (MemoryP6::line_of(address) != line_ && MemoryP6::line_of(address) != line)
          fetched_ = fetch(fetched_, address, false);
        fetched_ = fetch(fetched_, end, true);
        line_ = line;
      }
      block_ = block;
    }
    const std::uint64_t earliest = std::max(fetched_, renamed - std::min<std::uint64_t>(renamed, decode_ahead));
    if (earliest > clock_) start(earliest);
    if (count > 4) {
      if (decoded_ != 0) start(clock_ + 1);
      const std::uint64_t begins = clock_;
      start(clock_ + (count + 3) / 4 + 1);
      return begins;
    }
    if (decoded_ == 3 || extra != 0 || (decoded_ != 0 && (count > 1 || bytes > 8))) start(clock_ + 1 + extra);
    ++decoded_;
    return clock_;
  }
  /// A jump taken as predicted: fetch continues elsewhere, one clock later than without it.
  void jump() {
    fetched_ += 1;
    block_ = line_ = none;
    decoded_ = 3;
  }
  /// Fetch restarts so that what follows is renamed at `renamed` at the earliest.
  void restart(std::uint64_t renamed) {
    fetched_ = std::max(fetched_, renamed);
    block_ = line_ = none;
    start(std::max(clock_, renamed));
  }

  /// Whether it is as it was `before`, shifted in time; and its state `times` passes later (PipelineP6).
  bool recurs(const FrontEnd& before, const Period& period) const;
  void advance(const FrontEnd& before, const Period& period, std::uint64_t times);

  /// Times that no longer affect anything become the oldest equivalent ones. The next block is fetched no earlier than
  /// fetch_ahead before decoding, and a clock after this one; a jump takes another clock, unless it has already been
  /// counted.
  void settle() {
    fetched_ = std::max(fetched_, clock_ - std::min<std::uint64_t>(clock_, fetch_ahead + (block_ == none ? 1 : 2)));
  }
  /// Writes it, once settled, or reads it.
  template <class P>
  void pack(P& p) {
    p.time_about(clock_);
    p.time_about(fetched_);
    p.bits(block_);
    p.bits(line_);
    p.bits(decoded_);
  }

  void archive(Archive& a) { a(fetched_, clock_, block_, line_, decoded_); }
  bool sound(std::uint64_t limit) const { return fetched_ <= limit && clock_ <= limit && decoded_ <= 3; }

 private:
  static constexpr std::uint32_t none = 1;
  void start(std::uint64_t t) {
    clock_ = t;
    decoded_ = 0;
  }
  std::uint64_t fetched_ = 0;  // when the block being decoded was fetched
  std::uint64_t clock_ = 0;
  std::uint32_t block_ = none, line_ = none;
  std::uint8_t decoded_ = 0;  // instructions in this clock
};

}  // namespace planar::cpu
