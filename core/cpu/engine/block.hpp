// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <array>
#include <cstdint>

#include "core/cpu/timing/cached/issue_plan.hpp"
#include "core/cpu/timing/p6/block_memo.hpp"
#include "core/cpu/x86/op.hpp"

namespace planar::cpu {

/// A run of decoded instructions within one physical page.
struct alignas(64) Block {
  /// Where execution went from here: block `to` starts at the linear address of `key` (Engine::link_key()) while its
  /// page is mapped as `code` says (HostTlbEntry::code()). This is true whichever block records it, so it may be used
  /// from anywhere.
  struct Link {
    std::uint64_t key = 0;
    std::uint64_t code = 0;
    Block* to = nullptr;
  };
  std::uint32_t physical = 0xFFFFFFFFu;
  std::uint8_t mode = 0xFF;  ///< Engine::mode it was decoded in; FFh: empty
  std::uint8_t count = 0;
  std::uint16_t bytes = 0;
  const Op* ops = nullptr;
  std::array<Link, 2>
      links;  ///< to the next address in memory, and to the last branch target; if not known, Engine::no_link()
  alignas(64) IssuePlan plan;  ///< 486 and Pentium
  BlockOfP6 of_p6;
  Block* next_in_bucket = nullptr;  ///< of PageBlocks
  Block* next_in_slot = nullptr;    ///< among those with the same Engine::block_slot()
};

}  // namespace planar::cpu
