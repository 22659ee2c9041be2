// SPDX-License-Identifier: GPL-2.0-or-later
// What is known about how long blocks of code take on the P6.
//
// What a block does to the pipeline follows from the pipeline's state at its beginning and from the answers to a few
// questions: when a code line arrives, when a load has its datum, when the first level takes a store, how the predictor
// did, when a cycle on the pins is over. So for each pair of pipeline state and block there is a tree of questions with
// the answers met so far, and at each of its ends is the pipeline state at the end of the block. Where an event has cut
// a block short, there is such an end too. The caches, the store buffer, the predictor and the pins, which give the
// answers, are asked each time; only the pipeline's own work is skipped (timing_p6_blocks.cpp). After Schnarr and
// Larus, "Fast out-of-order processor simulation using memoization" (ASPLOS 1998).
//
// An accelerator on the host: neither what is known nor how much of it is kept affects any result.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/cpu/timing/p6/number_table.hpp"
#include "core/cpu/timing/p6/packed_pipeline.hpp"

namespace planar::cpu {

/// Part of a decoded block: how the P6's timing model identifies it.
struct BlockOfP6 {
  std::uint32_t number = 0;  ///< of this code only; 0: none yet
  bool unfit = false;        ///< something in it depends on more than the questions
};

class BlockMemo {
 public:
  enum class Kind : std::uint8_t {
    code,          ///< when the line of an instruction's first byte arrives
    code_end,      ///< that of its last byte
    drain,         ///< when the combined stores before it are in memory
    load,          ///< when the datum arrives
    store,         ///< when the first level has taken it
    branch,        ///< how it was predicted, and whether it was taken
    clock,         ///< nothing is asked: the processor's clock must be exact here
    cycle,         ///< when a cycle on the pins is over, from when nothing before it is outstanding
    drain_at_end,  ///< as drain, after LOCK
    end            ///< nothing is asked: the block has come to its end
  };
  static constexpr std::uint32_t none = NumberTable::none;

  struct What {
    std::uint16_t after = 0;  ///< Op::after of the asking instruction; of an end: of the last one
    Kind kind = Kind::end;
    std::uint8_t bytes = 0;  ///< of an access that has been made; 0 in a question
    bool operator==(const What& other) const {
      return std::bit_cast<std::uint32_t>(*this) == std::bit_cast<std::uint32_t>(other);
    }
  };
  /// Times are relative to the renaming clock at the beginning of the block, answers to when the question was asked.
  /// The question that follows the answer met first is the next one in memory.
  struct Question : What {
    std::int16_t at = 0;         ///< when it is asked; of an end: the renaming clock there
    std::int16_t data = 0;       ///< of a store: when its datum is available
    std::int16_t reach = 0;      ///< the processor's clock before that instruction; of an end: there
    std::uint16_t answer = 0;    ///< the first one met
    std::uint32_t other = none;  ///< further answers; of an end: the number of the pipeline state there
  };
  static constexpr std::uint64_t longest_answer = 0xFFFF;
  static constexpr std::uint32_t longest_way = 1024;  ///< questions of a block

  struct Counts {
    std::uint64_t passed = 0;    ///< blocks
    std::uint64_t followed = 0;  ///< of them, those that were known to their end
    std::uint64_t cleared = 0;   ///< times that room ran out
  };

  /// What `block` asks first when the pipeline's state is number `state`; null: unknown.
  const Question* first(std::uint32_t state, std::uint32_t block) const {
    const std::uint32_t* const n = firsts_.find(key(state, block));
    return n == nullptr ? nullptr : &questions_[*n];
  }
  /// The same after an end, if this block has followed it before; null: unknown. Block 0 is none.
  const Question* follower(const Question& end, std::uint32_t block) const {
    const Follower f = follower_of(end);
    return f.block == block && block != 0 ? &questions_[f.first] : nullptr;
  }
  /// The same after an end, which leads there from now on.
  const Question* first(const Question& end, std::uint32_t block) {
    const Question* const known = follower(end, block);
    return known != nullptr ? known : first_elsewhere(end, block);
  }
  /// What is asked after `question` has been answered; null: unknown.
  const Question* after(const Question& question, std::uint64_t answer) const {
    if (question.answer == answer) [[likely]]
      return &question + 1;
    for (std::uint32_t n = question.other; n != none; n = answers_[n].other)
      if (answers_[n].answer == answer) return &questions_[answers_[n].next];
    return nullptr;
  }
  const PackedPipeline& pipeline(std::uint32_t state) const { return pipelines_[state]; }

  /// A place in the trees: where a block begins, or where a question has been answered.
  using Place = std::uint64_t;
  static Place beginning(std::uint32_t state, std::uint32_t block) { return key(state, block); }
  /// Nothing is kept for answers longer than longest_answer: they are all one place.
  Place place_after(const Question& question, std::uint64_t answer) const {
    return std::uint64_t{1} << 63 | std::uint64_t{index_of(question)} << 32 | std::min(answer, longest_answer + 1);
  }
  /// The end at which a block is cut if something happens `limit` clocks after its beginning and nothing is asked from
  /// `place` to there: after the first instruction at which the processor's clock reaches it. Null: unknown.
  const Question* cut(Place place, std::int64_t limit) const;
  /// Adds a new end, in the middle of a block; returns its number.
  std::uint32_t new_end(const Question& end);
  /// The block is cut at that end if something happens later than clock `before`, that of the previous instruction, and
  /// no later than the end's own.
  void add_cut(Place place, std::int16_t before, std::uint32_t end);

  bool learns() const { return most_pipelines_ != 0; }
  /// Whether there is room for two more pipeline states and a path; if not, clear() is due.
  bool has_room() const;
  /// Discards everything: all numbers and questions become invalid.
  void clear();
  /// The number of this pipeline state.
  std::uint32_t number_of(const PackedPipeline& pipeline);
  /// The number of a block that has none yet.
  std::uint32_t new_block();

  /// Records a path through a block, question by question, each with its answer.
  class Way {
   public:
    /// From the beginning of the block.
    Way(BlockMemo& memo, std::uint32_t state, std::uint32_t block);
    /// From where `question` is answered by `answer`, which may be new.
    Way(BlockMemo& memo, const Question& question, std::uint64_t answer);
    void add(const Question& question, std::uint64_t answer);
    /// Returns the end's number, or none.
    std::uint32_t end(const Question& end);
    /// Whether the same question was already known to be asked at another time, or the same end to leave another state.
    bool contradicts() const { return contradicts_; }

   private:
    Question& here(const Question& question);
    void answered(Question& question, std::uint64_t answer);
    BlockMemo& memo_;
    std::uint32_t at_ = none;         // the question here; none: it is new
    std::uint32_t* leads_ = nullptr;  // where the number of a new one is stored; null: it follows the one before it
    bool fresh_ = false;              // the one before it was new
    bool forks_ = false;  // another question is known here: an access in two pieces, or a page walk; not recorded
    bool contradicts_ = false;
  };

  /// Keeps at most this many pipeline states, for tests of what happens when room runs out; 0: learns nothing.
  void limit(std::size_t pipelines) { most_pipelines_ = pipelines; }
  Counts counts;
  std::size_t pipelines() const { return pipelines_.size(); }
  /// Approximate use of the host's memory.
  std::size_t bytes() const;

 private:
  /// Stored in place of the question after an end: a block that follows, and what is asked first in it.
  struct Follower {
    std::uint32_t block, first;
    std::uint64_t unused;
  };
  static_assert(sizeof(Follower) == sizeof(Question) && alignof(Follower) <= sizeof(Question));
  static Follower follower_of(const Question& end) { return std::bit_cast<Follower>(*(&end + 1)); }
  struct Answer {
    std::uint32_t answer, next, other;
  };
  struct Cut {
    std::uint32_t end, other;
    std::int16_t before;
  };
  static constexpr std::size_t most_questions = 1u << 20;
  static std::uint64_t key(std::uint32_t state, std::uint32_t block) { return std::uint64_t{state} << 32 | block; }
  const Question* first_elsewhere(const Question& end, std::uint32_t block);
  /// Reserves the place after an end that has just been added.
  void add_follower();
  std::uint32_t index_of(const Question& q) const { return static_cast<std::uint32_t>(&q - questions_.data()); }

  std::vector<PackedPipeline> pipelines_;  // by number
  NumberTable numbers_;                    // by hash: the latest one with that hash
  std::vector<std::uint32_t> same_hash_;   // by number: the previous one with the same hash
  NumberTable firsts_;
  std::vector<Question> questions_;  // these two never reallocate: their room is reserved with the first block
  std::vector<Answer> answers_;
  NumberTable first_cuts_;
  std::vector<Cut> cuts_;
  std::size_t most_pipelines_ = 1u << 17;
  std::uint32_t blocks_ = 0;
};

}  // namespace planar::cpu
