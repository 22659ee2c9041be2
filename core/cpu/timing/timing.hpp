// SPDX-License-Identifier: GPL-2.0-or-later
// The timing that a processor has: a Timing386sx, a Timing486, a TimingPentium or a TimingP6, in place, so that neither
// the clock nor the caches are reached by a pointer. What they have in common is ProcessorTiming, the contract with the
// executor. Where speed matters the processor is known, or asked for here once, and its class is called by itself.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/cpu/timing/common/instruction_clocks.hpp"
#include "core/cpu/timing/i386sx/timing_386sx.hpp"
#include "core/cpu/timing/i486sx/timing_486.hpp"
#include "core/cpu/timing/p6/timing_p6.hpp"
#include "core/cpu/timing/pentium/timing_pentium.hpp"

namespace planar::cpu {

class Timing {
 public:
  /// Throws Error if the configuration is out of range.
  explicit Timing(const TimingConfig& config);
  ~Timing() { common().~ProcessorTiming(); }
  Timing(const Timing&) = delete;
  Timing& operator=(const Timing&) = delete;

  Model model() const { return model_; }
  /// Its row of `geometries`.
  unsigned geometry() const { return geometry_; }
  const TimingConfig& config() const { return common().config(); }

  /// The timing by its class; the processor must be that one.
  Timing386sx& i386sx() { return i386sx_; }
  Timing486& i486sx() { return i486sx_; }
  TimingPentium& pentium() { return pentium_; }
  TimingP6& p6() { return p6_; }
  /// 486 and Pentium.
  CachedTiming& cached() { return model_ == Model::i486sx ? static_cast<CachedTiming&>(i486sx_) : pentium_; }
  const CachedTiming& cached() const {
    return model_ == Model::i486sx ? static_cast<const CachedTiming&>(i486sx_) : pentium_;
  }
  bool has_cache() const { return model_ == Model::i486sx || model_ == Model::pentium; }
  bool is_p6() const { return model_ == Model::p6; }
  template <Model M>
  auto& of() {
    if constexpr (M == Model::i386sx)
      return i386sx();
    else if constexpr (M == Model::i486sx)
      return i486sx();
    else if constexpr (M == Model::pentium)
      return pentium();
    else
      return p6();
  }

  // ---- ProcessorTiming, for callers to whom the processor makes no difference ----
  void set_static_clocks(Op& op) const { common().set_static_clocks(op); }
  void begin(const Op& op, std::uint32_t physical_eip) { common().begin(op, physical_eip); }
  void read(std::uint32_t physical, unsigned bytes) {
    if (has_cache())
      cached().read(physical, bytes);
    else if (is_p6())
      p6().read(physical, bytes);
    else
      i386sx().read(physical, bytes);
  }
  void write(std::uint32_t physical, unsigned bytes) {
    if (has_cache())
      cached().write(physical, bytes);
    else if (is_p6())
      p6().write(physical, bytes);
    else
      i386sx().write(physical, bytes);
  }
  /// The same for an address that is a multiple of `bytes`. `M`: the model if the caller knows it.
  template <Model... M>
  void read_aligned(std::uint32_t physical, unsigned bytes) {
    if constexpr (((M == Model::i386sx) || ...))
      i386sx().read_aligned(physical, bytes);
    else if (has_cache())
      cached().read_aligned(physical, bytes);
    else if (is_p6())
      p6().read(physical, bytes);
    else
      i386sx().read_aligned(physical, bytes);
  }
  template <Model... M>
  void write_aligned(std::uint32_t physical, unsigned bytes) {
    if constexpr (((M == Model::i386sx) || ...))
      i386sx().write_aligned(physical, bytes);
    else if (has_cache())
      cached().write_aligned(physical, bytes);
    else if (is_p6())
      p6().write(physical, bytes);
    else
      i386sx().write_aligned(physical, bytes);
  }
  void branch(const Op& op, bool taken, std::uint32_t linear_target) {
    switch (model_) {
      case Model::i386sx: i386sx().branch(op, taken, linear_target); break;
      case Model::i486sx: i486sx().branch(op, taken, linear_target); break;
      case Model::pentium: pentium().branch(op, taken, linear_target); break;
      case Model::p6: p6().branch(op, taken, linear_target); break;
    }
  }
  /// The instruction that began last has executed (P6: its micro-ops have been given their places).
  void end() {
    if (is_p6()) p6().end();
  }
  /// It ends by a fault instead, or a REP does not go on.
  void abandon() {
    if (is_p6()) p6().abandon();
  }
  void spend(unsigned clocks) {
    if (model_ == Model::i386sx)
      i386sx().spend(clocks);
    else
      common().spend(clocks);
  }
  void spend_before_write(unsigned clocks) {
    if (model_ == Model::i386sx)
      i386sx().spend_before_write(clocks);
    else
      common().spend(clocks);
  }
  std::uint64_t clocks() const { return common().clocks(); }
  std::uint64_t cycle_start(bool io) { return common().cycle_start(io); }
  void wait_until(std::uint64_t clock) {
    if (has_cache())
      cached().wait_until(clock);
    else
      common().wait_until(clock);
  }
  void jump_to(std::uint64_t clock) { common().jump_to(clock); }
  void steal(std::uint64_t from, unsigned clocks) { common().steal(from, clocks); }
  void share(const MemoryShare& share) { common().share(share); }
  SnoopHits snoop(const Snoop& snoop) { return common().snoop(snoop); }
  void master_wrote(std::uint32_t address, std::uint32_t bytes) { common().master_wrote(address, bytes); }
  void flush_caches(bool write_back = false) { common().flush_caches(write_back); }
  void set_cache_enabled(bool enabled) { common().set_cache_enabled(enabled); }
  /// The P6's MTRRs as they are now.
  void set_memory_types(const MemoryTypeRanges& types) {
    if (is_p6()) p6().set_memory_types(types);
  }
  void interrupt_flush() { common().interrupt_flush(); }
  const ProcessorTiming::Counters& counters() const { return common().counters(); }
  std::uint64_t pin_clocks() const { return common().pin_clocks(); }
  void archive_counters(Archive& a) { common().archive_counters(a); }
  void archive(Archive& a) { common().archive(a); }
  void describe(Description& description) const { common().describe(description); }

 private:
  // All of them begin at one place: no branch is left of this.
  template <class Common, class Self>
  [[gnu::always_inline]] static Common& common_of(Self& self) {
    switch (self.model_) {
      case Model::i386sx: return self.i386sx_;
      case Model::i486sx: return self.i486sx_;
      case Model::pentium: return self.pentium_;
      default: return self.p6_;
    }
  }
  ProcessorTiming& common() { return common_of<ProcessorTiming>(*this); }
  const ProcessorTiming& common() const { return common_of<const ProcessorTiming>(*this); }

  union {
    Timing386sx i386sx_;
    Timing486 i486sx_;
    TimingPentium pentium_;
    TimingP6 p6_;
  };
  Model model_;
  unsigned geometry_;
};

/// `f.operator()<T, G>()` with the class and the geometry of row `row`, or of the last one.
template <unsigned Row = 0, class F>
[[gnu::always_inline]] inline decltype(auto) with_geometry(unsigned row, F&& f) {
  constexpr GeometryRow it = geometries[Row];
  if constexpr (Row + 1 < geometries.size())
    if (row != Row) return with_geometry<Row + 1>(row, f);
  return f.template operator()<std::conditional_t<it.model == Model::pentium, TimingPentium, Timing486>, it.geometry>();
}

}  // namespace planar::cpu
