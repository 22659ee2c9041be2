// SPDX-License-Identifier: GPL-2.0-or-later
// The decoded-block cache. A block is keyed by physical address and mode, lies within one page of RAM or ROM and holds
// up to 32 instructions. Pages know which of their 128-byte granules hold decoded code; a store into one comes here.
#include <algorithm>

#include "core/cpu/decode/decoder.hpp"
#include "core/memory/large_pages.hpp"

namespace planar::cpu {

namespace {
constexpr std::size_t op_pool_size = 1u << 16, block_pool_size = 1u << 14;
constexpr unsigned longest_block = 32;

std::uint32_t granules(std::uint32_t first_byte, std::uint32_t bytes) {
  const std::uint32_t first = first_byte >> 7 & 31, last = std::min(((first_byte & 0xFFF) + bytes - 1) >> 7, 31u);
  return (0xFFFFFFFFu << first) & (0xFFFFFFFFu >> (31 - last));
}

/// How `op` is executed in a chain or by steps as the last one of a code line or of its block.
Handler chained_at_edge(const Op& op, const IssuePlan& plan, const Target& target) {
  const Handlers h = select(op, target);
  if (target.model == Model::i386sx) return h.i386sx.execute == op.execute ? h.i386sx.last : step_selected_last;
  const bool as_selected = h.execute == op.execute;
  if (op.edge == Op::Edge::line) return as_selected ? h.pentium.edge : chain_selected_edge;
  return as_selected && !plan.single ? h.pentium.last : chain_selected_last;
}
}  // namespace

// The blocks of a slot are a list; the one wanted last comes first.
Block* Engine::find_block(std::uint32_t physical) {
  Block*& first = blocks[block_slot(physical)];
  for (Block** at = &first; *at != &no_block; at = &(*at)->next_in_slot)
    if (Block* const b = *at; b->physical == physical && b->mode == mode) {
      *at = b->next_in_slot;
      b->next_in_slot = first;
      return first = b;
    }
  if (op_pool.empty()) {
    assign_in_large_pages(op_pool, op_pool_size, Op{});
    assign_in_large_pages(block_pool, block_pool_size, Block{});
  }
  if (ops_used + longest_block > op_pool_size || blocks_used == block_pool_size) flush_blocks();
  Page& page = space.page(physical);
  const DecodeMode decode_mode{{model, config.fpu}, (mode & 1) != 0, (mode & 2) != 0, (mode & 4) != 0};
  const std::uint32_t start = physical & 0xFFF;
  std::uint32_t at = start;
  Op* const ops = &op_pool[ops_used];
  unsigned count = 0;
  while (count < block_limit && at < 0x1000) {
    Op& op = ops[count];
    if (!decode({page.data + at, 0x1000 - at}, decode_mode, op)) break;
    timing.set_static_clocks(op);
    if (model == Model::pentium && count > 0 &&
        timing.pentium().line_number(at + op.length - 1) - timing.pentium().line_number(start + ops->length - 1) >=
            IssuePlan::most_lines)
      break;
    if (accounting) {
      accounting->decoded(op, decode_mode);
      if (op.ends_block) accounting->block_ends({page.data, 0x1000}, at, op, decode_mode);
    }
    at += op.length;
    op.behind = static_cast<std::uint16_t>(at - start);
    ++count;
    if (op.ends_block) break;
  }
  if (count == 0) return nullptr;
  ops[count - 1].edge = Op::Edge::end;
  ops_used += count;
  Block& b = block_pool[blocks_used++];
  b = Block{};
  b.physical = physical;
  b.mode = mode;
  b.count = static_cast<std::uint8_t>(count);
  b.bytes = static_cast<std::uint16_t>(at - start);
  b.ops = ops;
  b.links.fill(no_link());
  if (model == Model::pentium) timing.pentium().plan(ops, count, physical, b.plan);
  for (Op* op = ops; op != ops + count; ++op)
    if (op->edge != Op::Edge::none) op->chained = chained_at_edge(*op, b.plan, decode_mode.target);
  Block*& head = page_heads[physical >> 12];
  b.next_in_page = head;
  head = &b;
  b.next_in_slot = first;
  first = &b;
  const std::uint32_t held = page.code_granules;
  page.code_granules |= granules(start, b.bytes);
  if (page.code_granules != held) forget_l0();  // a store there must be noticed
  return &b;
}

// The ages have come to their end: with no link left they start afresh.
void Engine::drop_links() {
  code_context = (code_context & (link_age - 1)) | link_age;
  no_block.links.fill(no_link());
  for (std::size_t i = 0; i < blocks_used; ++i) block_pool[i].links.fill(no_link());
}

void Engine::flush_blocks() {
  for (const auto& [page, head] : page_heads) {
    space.page(page << 12).code_granules = 0;
    for (const Block* b = head; b != nullptr; b = b->next_in_page) blocks[block_slot(b->physical)] = &no_block;
  }
  for (std::size_t i = 0; i < blocks_used; ++i) block_pool[i].mode = 0xFF;
  page_heads.clear();
  blocks_used = ops_used = 0;
  forget_links();
}

// The instruction in progress keeps its Op (the pool is not reused before a flush); the rest of its block does not run.
void Engine::code_written(std::uint32_t physical, std::uint32_t bytes) {
  const auto head = page_heads.find(physical >> 12);
  std::uint32_t left = 0;
  if (head != page_heads.end()) {
    Block** link = &head->second;
    while (*link != nullptr) {
      Block& b = **link;
      if (b.physical < physical + bytes && physical < b.physical + b.bytes) {
        if (&b == current_block) break_loop();
        *link = b.next_in_page;
        Block** in_slot = &blocks[block_slot(b.physical)];
        while (*in_slot != &b) in_slot = &(*in_slot)->next_in_slot;
        *in_slot = b.next_in_slot;
        forget_links();
        b.mode = 0xFF;
        b.physical = 0xFFFFFFFFu;
      } else {
        left |= granules(b.physical, b.bytes);
        link = &b.next_in_page;
      }
    }
  }
  space.page(physical).code_granules = left;
}

}  // namespace planar::cpu
