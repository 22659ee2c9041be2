// SPDX-License-Identifier: GPL-2.0-or-later
// The decoded-block cache. A block is keyed by physical address and mode, lies within one page of RAM or ROM, and holds
// up to 32 instructions. Pages record which of their granules hold decoded code; a store into one calls code_written().
#include <algorithm>

#include "core/cpu/decode/decoder.hpp"
#include "core/memory/large_pages.hpp"

namespace planar::cpu {

namespace {
constexpr std::size_t op_pool_size = 1u << 16, block_pool_size = 1u << 14;
constexpr unsigned longest_block = 32;
constexpr std::uint32_t longest_block_bytes = longest_block * 15;

std::uint32_t granules(std::uint32_t first_byte, std::uint32_t bytes) {
  const std::uint32_t first = first_byte / Page::granule_bytes & 31;
  const std::uint32_t last = std::min(((first_byte & 0xFFF) + bytes - 1) / Page::granule_bytes, 31u);
  return (0xFFFFFFFFu << first) & (0xFFFFFFFFu >> (31 - last));
}

/// The handler of `op`, in a chain or by steps, as the last instruction of its block.
Handler chained_at_end(const Op& op, const IssuePlan& plan, Model model) {
  Handlers h = select(op, model);
  if (model == Model::i386sx) return h.i386sx.execute == op.execute ? h.i386sx.last : step_selected_last;
  if (h.execute != op.execute || plan.single) h = Handlers{op.execute};
  return model == Model::pentium ? h.last_pentium : h.last_i486sx;
}
/// A block of the P6 ends after any instruction that is followed by a check for interrupts, and after any that the P6
/// cannot learn, so that it is always executed to its end (timing/p6/block_memo.hpp).
bool ends_block_on_p6(const Op& op) {
  const bool changes_if = op.opcode == 0x9D || op.opcode == 0xFA || op.opcode == 0xFB;  // POPF CLI STI
  return changes_if || TimingP6::asks_more(op);
}
}  // namespace

// The blocks of a slot form a list, the most recently used first.
Block* Engine::find_block(std::uint32_t physical) {
  Block*& first = blocks[block_slot(physical)];
  for (Block** at = &first; *at != &no_block; at = &(*at)->next_in_slot)
    if (Block* const b = *at; b->physical == physical && b->mode == mode) {
      *at = b->next_in_slot;
      b->next_in_slot = first;
      return first = b;
    }
  if (op_pool.capacity() == 0) {
    reserve_in_large_pages(op_pool, op_pool_size);
    reserve_in_large_pages(block_pool, block_pool_size);
  }
  if (ops_used + longest_block > op_pool_size || blocks_used == block_pool_size) flush_blocks();
  Page& page = space.page(physical);
  const DecodeMode decode_mode = this->decode_mode();
  const std::uint32_t start = physical & 0xFFF;
  std::uint32_t at = start;
  if (op_pool.size() < ops_used + longest_block) op_pool.resize(ops_used + longest_block);
  Op* const ops = &op_pool[ops_used];
  PageBlocks& in_page = pages[physical >> 12];
  const unsigned limit = std::max(1u, block_limit >> in_page.churn / PageBlocks::churn_that_halves);
  unsigned count = 0, clocks = 0;
  while (count < limit && at < 0x1000) {
    Op& op = ops[count];
    if (!decode({page.data + at, 0x1000 - at}, decode_mode, op)) break;
    timing.set_static_clocks(op);
    if (model == Model::pentium && count > 0 &&
        timing.pentium().line_number(at + op.length - 1) - timing.pentium().line_number(start + ops->length - 1) >=
            IssuePlan::most_lines)
      break;
    if (model == Model::p6 && count > 0 && TimingP6::asks_more(op)) break;
    clocks += op.clocks + 1u;
    if (model != Model::i386sx && count > 0 && clocks > IssuePlan::most_clocks) break;
    if (accounting) account_decoded(op, seg[CS].base + eip + at - start);
    at += op.length;
    op.after = static_cast<std::uint16_t>(at - start);
    ++count;
    if (op.ends_block || (model == Model::p6 && ends_block_on_p6(op))) break;
  }
  if (count == 0) return nullptr;
  ops_used += count;
  if (block_pool.size() == blocks_used) block_pool.emplace_back();
  Block& b = block_pool[blocks_used++];
  make_block(b, ops, count, physical);
  if (in_page.churn > 0) --in_page.churn;
  const std::uint32_t bucket = start >> PageBlocks::shift;
  b.next_in_bucket = in_page.first[bucket];
  in_page.first[bucket] = &b;
  in_page.reach[bucket] = std::max(in_page.reach[bucket], b.bytes);
  b.next_in_slot = first;
  first = &b;
  const std::uint32_t held = page.code_granules;
  page.code_granules |= granules(start, b.bytes);
  if (page.code_granules != held) forget_l0();  // a store there must be noticed
  return &b;
}

// Makes a block of `count` decoded instructions, from `physical` on, and sets how each continues to the next.
void Engine::make_block(Block& b, Op* ops, unsigned count, std::uint32_t physical) {
  ops[count - 1].edge = Op::Edge::end;
  b = Block{};
  b.physical = physical;
  b.mode = mode;
  b.count = static_cast<std::uint8_t>(count);
  b.bytes = ops[count - 1].after;
  b.ops = ops;
  b.links.fill(no_link());
  if (model == Model::pentium) timing.pentium().plan(ops, count, physical, b.plan);
  if (model == Model::i486sx) timing.i486sx().plan(ops, count, physical, b.plan);
  if (model == Model::p6) TimingP6::find_silent(ops, count, physical);
  for (Op* op = ops; op != ops + count; ++op) {
    if (op->edge == Op::Edge::line) op->chained = lines->execute_before_line;
    if (op->edge == Op::Edge::end) op->chained = chained_at_end(*op, b.plan, model);
  }
}

// `op` lies at `linear`. The code before it may begin in the previous page.
void Engine::account_decoded(Op& op, std::uint32_t linear) {
  accounting->decoded(op, decode_mode());
  if (!op.ends_block) return;
  std::array<std::uint8_t, Accounting::reach> code;
  std::uint32_t have = 0;
  while (have < code.size()) {
    const auto last = peek_translate(linear - have - 1);
    if (!last) break;
    const Page& page = space.page(*last);
    if (!page.is_memory()) break;
    const std::uint32_t end = (*last & 0xFFF) + 1, count = std::min<std::uint32_t>(end, code.size() - have);
    have += count;
    std::copy_n(page.data + end - count, count, code.end() - have);
  }
  accounting->block_ends(std::span(code).last(have), op, decode_mode());
}

DecodeMode Engine::decode_mode() const { return {model, (mode & 1) != 0, (mode & 2) != 0, (mode & 4) != 0}; }

// The ages are used up: all links are removed, and the ages restart.
void Engine::drop_links() {
  code_context = (code_context & (link_age - 1)) | link_age;
  no_block.links.fill(no_link());
  for (LoneCode& code : lone_codes) code.block.links.fill(no_link());
  for (std::size_t i = 0; i < blocks_used; ++i) block_pool[i].links.fill(no_link());
}

void Engine::flush_blocks() {
  for (const auto& [page, held] : pages) {
    space.page(page << 12).code_granules = 0;
    for (const Block* b : held.first)
      for (; b != nullptr; b = b->next_in_bucket) blocks[block_slot(b->physical)] = &no_block;
  }
  for (std::size_t i = 0; i < blocks_used; ++i) block_pool[i].mode = 0xFF;
  for (LoneCode& code : lone_codes) code.in_first_page = 0;
  pages.clear();
  blocks_used = ops_used = 0;
  forget_links();
}

// The instruction in progress keeps its Op (the pool is not reused before a flush); the rest of its block is not run.
void Engine::drop_block(Block& b) {
  if (&b == current_block) break_loop();
  Block** in_slot = &blocks[block_slot(b.physical)];
  while (*in_slot != &b) in_slot = &(*in_slot)->next_in_slot;
  *in_slot = b.next_in_slot;
  forget_links();
  b.mode = 0xFF;
  b.physical = 0xFFFFFFFFu;
}

// Granules left without a block keep their marks at first, because the code that was there usually comes back.
void Engine::code_written(std::uint32_t physical, std::uint32_t bytes) {
  const auto held = pages.find(physical >> 12);
  if (held == pages.end()) {
    space.page(physical).code_granules = 0;
    return;
  }
  PageBlocks& in_page = held->second;
  const std::uint32_t offset = physical & 0xFFF;
  const std::uint32_t nearest = offset > longest_block_bytes ? offset - longest_block_bytes : 0;
  const std::uint32_t last = std::min((offset + bytes - 1) >> PageBlocks::shift, PageBlocks::buckets - 1);
  bool hit = false;
  for (std::uint32_t bucket = nearest >> PageBlocks::shift; bucket <= last; ++bucket) {
    if (((bucket + 1) << PageBlocks::shift) - 1 + in_page.reach[bucket] <= offset) continue;  // none reaches that far
    std::uint16_t reach = 0;
    for (Block** link = &in_page.first[bucket]; *link != nullptr;) {
      Block& b = **link;
      if (b.physical < physical + bytes && physical < b.physical + b.bytes) {
        *link = b.next_in_bucket;
        drop_block(b);
        hit = true;
        in_page.churn = std::min(in_page.churn + PageBlocks::churn_of_a_store, PageBlocks::most_churn);
      } else {
        reach = std::max(reach, b.bytes);
        link = &b.next_in_bucket;
      }
    }
    in_page.reach[bucket] = reach;
  }
  if (hit)
    in_page.misses = 0;
  else if (++in_page.misses >= in_page.patience)
    look_through_marks(in_page, space.page(physical));
}

// Removes the marks that no block needs.
void Engine::look_through_marks(PageBlocks& in_page, Page& page) {
  std::uint32_t needed = 0;
  for (const Block* b : in_page.first)
    for (; b != nullptr; b = b->next_in_bucket) needed |= granules(b->physical, b->bytes);
  in_page.misses = 0;
  in_page.patience = needed == page.code_granules ? std::min(2 * in_page.patience, PageBlocks::most_patience) : 4;
  page.code_granules = needed;
}

}  // namespace planar::cpu
