// SPDX-License-Identifier: GPL-2.0-or-later
// The decoded-block cache's data (blocks.cpp). Host-side only: not part of the machine's state.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/common/random.hpp"
#include "core/cpu/engine/block.hpp"
#include "core/cpu/x86/op.hpp"

namespace planar::cpu {

/// The blocks of a physical page, by the 32-byte unit in which they start.
struct PageBlocks {
  static constexpr unsigned shift = 5, buckets = 4096 >> shift;
  std::array<Block*, buckets> first{};
  std::array<std::uint16_t, buckets> reach{};  ///< at least the bytes of the longest block there
  /// Grows with each block that a store invalidates and falls with each block decoded. Code that constantly modifies
  /// itself is decoded in short pieces, as most of what is decoded would otherwise never run.
  unsigned churn = 0;
  static constexpr unsigned most_churn = 24, churn_of_a_store = 2, churn_that_halves = 4;
  /// Stores into marked granules since the last one that hit a block, and how many of them cause the marks to be
  /// scanned. The number doubles each time a scan finds no mark to remove.
  unsigned misses = 0, patience = 4;
  static constexpr unsigned most_patience = 1u << 16;
};

/// An instruction that no block of the cache may hold, as a block of its own (interpreter/lone_code.cpp). One that
/// crosses two pages of RAM or ROM can be found again, by its address and its bytes.
struct LoneCode {
  std::array<std::uint8_t, 16> bytes{};  ///< the instruction, and what was fetched with it
  std::uint32_t linear = 0;
  unsigned in_first_page = 0;  ///< bytes in the first page; 0: cannot be found again
  Op op;
  Block block;
};

struct BlockCache {
  unsigned block_limit = 32;  ///< instructions in a block
  bool one_by_one = false;    ///< never executes many REP iterations, or many passes of a loop, at once
  bool flush_at_random = false;
  Random flush_random{0};
  std::vector<Block*> blocks;  ///< the first of each block_slot()
  std::vector<Block> block_pool;
  std::vector<Op> op_pool;
  std::size_t blocks_used = 0, ops_used = 0;  ///< of the pools; flush_blocks() resets them
  Block no_block;                             ///< stands for a missing block: its mode matches no real mode
  Block::Link no_link() { return {0, 0, &no_block}; }
  std::array<LoneCode, 16> lone_codes;  ///< by the page in which they begin
  LoneCode* lone = lone_codes.data();   ///< the one fetched last
  /// Which links are valid: bits 37-32 are the mode and privilege in which they were made; the rest is an age that is
  /// advanced whenever all links become invalid (a block dropped, another code segment, the pools reset).
  std::uint64_t code_context = link_age;
  static constexpr std::uint64_t link_age = std::uint64_t{1} << 38, oldest_link = std::uint64_t{1} << 63;
  std::uint32_t linked_limit = 0, linked_base = 0;  ///< of the code segment in which the links were made
  std::unordered_map<std::uint32_t, PageBlocks>
      pages;  ///< by physical page number; never iterated in an order that matters
  Block* current_block = nullptr;
  int longest_chain = 256;         ///< in instructions: bounds the stack depth where the compiler makes no tail calls
  int chain_room = longest_chain;  ///< what is left of it

  std::uint64_t link_key(std::uint32_t linear) const { return code_context + linear; }
  static constexpr unsigned block_slots = 1u << 14;
  static unsigned block_slot(std::uint32_t physical) { return (physical ^ physical >> 14) & (block_slots - 1); }
};

}  // namespace planar::cpu
