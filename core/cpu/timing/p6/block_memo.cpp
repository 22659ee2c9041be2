// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/cpu/timing/p6/block_memo.hpp"

#include <utility>

namespace planar::cpu {

bool BlockMemo::has_room() const {
  constexpr std::size_t most_of_a_way = longest_way + 2;  // its end takes two entries
  return pipelines_.size() + 2 <= most_pipelines_ && questions_.size() + most_of_a_way <= most_questions &&
         answers_.size() + most_of_a_way <= most_questions && cuts_.size() < most_questions;
}

void BlockMemo::clear() {
  if (!pipelines_.empty()) ++counts.cleared;
  pipelines_.clear();
  numbers_.clear();
  same_hash_.clear();
  firsts_.clear();
  questions_.clear();
  answers_.clear();
  first_cuts_.clear();
  cuts_.clear();
}

std::uint32_t BlockMemo::number_of(const PackedPipeline& pipeline) {
  std::uint32_t& latest = numbers_.at(pipeline.hash() | 1);
  for (std::uint32_t n = latest; n != none; n = same_hash_[n])
    if (pipelines_[n] == pipeline) return n;
  same_hash_.push_back(std::exchange(latest, static_cast<std::uint32_t>(pipelines_.size())));
  pipelines_.push_back(pipeline);
  return latest;
}

const BlockMemo::Question* BlockMemo::first_elsewhere(const Question& end, std::uint32_t block) {
  const Question* const found = first(end.other, block);
  if (found != nullptr) questions_[index_of(end) + 1] = std::bit_cast<Question>(Follower{block, index_of(*found), 0});
  return found;
}

const BlockMemo::Question* BlockMemo::cut(Place place, std::int64_t limit) const {
  const std::uint32_t* const first = first_cuts_.find(place);
  for (std::uint32_t n = first == nullptr ? none : *first; n != none; n = cuts_[n].other)
    if (cuts_[n].before < limit && questions_[cuts_[n].end].reach >= limit) return &questions_[cuts_[n].end];
  return nullptr;
}

std::uint32_t BlockMemo::new_block() {
  pipelines_.reserve(most_pipelines_);
  questions_.reserve(most_questions);
  answers_.reserve(most_questions);
  return ++blocks_;
}

std::uint32_t BlockMemo::new_end(const Question& end) {
  questions_.push_back(end);
  add_follower();
  return index_of(questions_.back()) - 1;
}

void BlockMemo::add_follower() { questions_.push_back(std::bit_cast<Question>(Follower{0, none, 0})); }

void BlockMemo::add_cut(Place place, std::int16_t before, std::uint32_t end) {
  std::uint32_t& first = first_cuts_.at(place);
  cuts_.push_back({end, first, before});
  first = static_cast<std::uint32_t>(cuts_.size() - 1);
}

std::size_t BlockMemo::bytes() const {
  return pipelines_.size() * (sizeof(PackedPipeline) + sizeof(std::uint32_t)) + numbers_.bytes() + firsts_.bytes() +
         questions_.size() * sizeof(Question) + answers_.size() * sizeof(Answer) + first_cuts_.bytes() +
         cuts_.size() * sizeof(Cut);
}

BlockMemo::Way::Way(BlockMemo& memo, std::uint32_t state, std::uint32_t block) : memo_(memo) {
  leads_ = &memo.firsts_.at(key(state, block));
  at_ = *leads_;
}

BlockMemo::Way::Way(BlockMemo& memo, const Question& question, std::uint64_t answer) : memo_(memo) {
  answered(memo.questions_[memo.index_of(question)], answer);
}

BlockMemo::Question& BlockMemo::Way::here(const Question& question) {
  fresh_ = at_ == none;
  if (fresh_) {
    at_ = static_cast<std::uint32_t>(memo_.questions_.size());
    if (leads_ != nullptr) *leads_ = at_;
    memo_.questions_.push_back(question);
  }
  Question& q = memo_.questions_[at_];
  const bool same = What(q) == What(question);
  forks_ = forks_ || !same;
  contradicts_ =
      contradicts_ || (same && (q.at != question.at || q.data != question.data || q.reach != question.reach));
  return q;
}

void BlockMemo::Way::answered(Question& q, std::uint64_t answer) {
  leads_ = nullptr;
  if (fresh_) {
    q.answer = static_cast<std::uint16_t>(answer);
    at_ = none;
  } else if (q.answer == answer) {
    at_ = memo_.index_of(q) + 1;
  } else {
    std::uint32_t* n = &q.other;
    while (*n != none && memo_.answers_[*n].answer != answer) n = &memo_.answers_[*n].other;
    if (*n == none) {
      *n = static_cast<std::uint32_t>(memo_.answers_.size());
      memo_.answers_.push_back({static_cast<std::uint32_t>(answer), none, none});
    }
    leads_ = &memo_.answers_[*n].next;
    at_ = *leads_;
  }
}

void BlockMemo::Way::add(const Question& question, std::uint64_t answer) {
  if (forks_) return;
  Question& q = here(question);
  if (!forks_) answered(q, answer);
}

std::uint32_t BlockMemo::Way::end(const Question& end) {
  if (forks_) return none;
  const Question& q = here(end);
  contradicts_ = contradicts_ || (!forks_ && q.other != end.other);
  if (fresh_) memo_.add_follower();
  return forks_ ? none : at_;
}

}  // namespace planar::cpu
