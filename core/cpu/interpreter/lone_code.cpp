// SPDX-License-Identifier: GPL-2.0-or-later
// Instructions that the block cache may not hold: those that cross a page, end at the segment's limit, or lie in memory
// other than RAM and ROM. Each is fetched again whenever it is executed; one that crosses two pages, which may be in
// the middle of a loop, is decoded again only if its bytes have changed.
#include <algorithm>
#include <cstring>

#include "core/cpu/decode/decoder.hpp"
#include "core/cpu/engine/engine.hpp"

namespace planar::cpu {

namespace {
LoneCode& place_of(BlockCache& cache, std::uint32_t linear) {
  return cache.lone_codes[linear >> 12 & (cache.lone_codes.size() - 1)];
}
}  // namespace

// If the first page's bytes are unchanged, they are still only part of an instruction, so the second page is
// translated, as fetch_alone() would do.
bool Engine::fetch_across(std::uint32_t linear, std::uint32_t physical) {
  LoneCode& code = place_of(*this, linear);
  const unsigned length = code.op.length, first = code.in_first_page;
  if (first == 0 || code.linear != linear || code.block.mode != mode || code.block.physical != physical) return false;
  if (std::uint64_t{eip} + length - 1 > seg[CS].limit) return false;
  const Page& page = space.page(physical);
  if (!page.is_memory() || std::memcmp(page.data + (physical & 0xFFF), code.bytes.data(), first) != 0) return false;
  const std::uint32_t rest = translate_code(linear + first);
  const Page& next = space.page(rest);
  if (!next.is_memory() || std::memcmp(next.data + (rest & 0xFFF), code.bytes.data() + first, length - first) != 0)
    return false;
  lone_goes_on = false;
  lone = &code;
  return true;
}

// Nothing after the instruction is fetched. A device page is read in aligned units of the processor's bus width, each
// once.
void Engine::fetch_alone(std::uint32_t linear, std::uint32_t physical) {
  lone_goes_on = false;
  lone = &place_of(*this, linear);
  auto& bytes = lone->bytes;
  bool in_memory = true;
  const std::uint32_t unit = model == Model::i386sx ? 2 : 4;
  lone->in_first_page = 0;
  for (unsigned have = 0;;) {
    if (std::uint64_t{eip} + have > seg[CS].limit) raise(vec_gp, 0);
    const std::uint32_t at = translate_code(linear + have);
    const Page& page = space.page(at);
    if (page.is_memory()) {
      const std::uint64_t within_limit = std::uint64_t{seg[CS].limit} - eip - have + 1;
      const unsigned count =
          static_cast<unsigned>(std::min<std::uint64_t>({15u - have, 0x1000u - (at & 0xFFF), within_limit}));
      std::copy_n(page.data + (at & 0xFFF), count, bytes.begin() + have);
      have += count;
    } else {
      in_memory = false;
      const std::uint32_t aligned = at & ~(unit - 1);
      const Cycle cycle = pins.memory_read(aligned, unit, clock.at(timing.cycle_start(false)));
      wait_for(cycle.end);
      if (observer) observer->device_read(aligned, unit, cycle.value, true);
      for (std::uint32_t i = at - aligned; i < unit && have < 15; ++i)
        bytes[have++] = static_cast<std::uint8_t>(cycle.value >> (8 * i));
      // Bytes beyond the limit are dropped: if the instruction needs them, it faults.
      if (std::uint64_t{eip} + have - 1 > seg[CS].limit) have = static_cast<unsigned>(seg[CS].limit - eip + 1);
    }
    if (decode({bytes.data(), have}, decode_mode(), lone->op)) break;
  }
  make_lone_block(*lone, linear, physical);
  const unsigned in_page = 0x1000 - (physical & 0xFFF);
  if (!in_memory || lone->op.length <= in_page) return;
  lone->linear = linear;
  lone->in_first_page = in_page;
}

void Engine::make_lone_block(LoneCode& code, std::uint32_t linear, std::uint32_t physical) {
  timing.set_static_clocks(code.op);
  if (accounting) account_decoded(code.op, linear);
  code.op.after = code.op.length;
  make_block(code.block, &code.op, 1, physical);
}

}  // namespace planar::cpu
