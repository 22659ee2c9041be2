// SPDX-License-Identifier: GPL-2.0-or-later
// The P6's pipeline holds times which, between two instructions, no longer matter if they are old enough for their kind
// (PipelineP6::settle() and pack()). For each of these limits: with an earlier time every program takes the same clocks
// as with the limit itself, and with the first later time that makes a difference some program takes different clocks.
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "core/cpu/decode/decoder.hpp"
#include "core/cpu/timing/p6/timing_p6.hpp"
#include "tests/core/cpu/timing/p6_support.hpp"
#include "tests/short_runs.hpp"

using namespace planar;
using namespace planar::cpu_test;
using cpu::PackedPipeline;
using cpu::PipelineP6;

namespace {

// ---- the parts' private fields, through their snapshots ----

struct FrontEndFields {
  std::uint64_t fetched, clock;
  std::uint32_t block, line;
  std::uint8_t decoded;
  void archive(Archive& a) { a(fetched, clock, block, line, decoded); }
};
struct WindowFields {
  std::array<std::uint64_t, cpu::Window::reorder_buffer> retired;
  std::array<std::uint64_t, cpu::Window::stations> dispatched;
  std::array<std::uint64_t, 5> taken;
  std::uint64_t rename_clock, retire_clock;
  std::uint16_t registers_read;
  std::uint8_t renamed, retiring, at, station;
  void archive(Archive& a) {
    a(retired, dispatched, taken, rename_clock, retire_clock, registers_read, renamed, retiring, at, station);
  }
};
struct StoreFields {
  std::array<cpu::StoreBuffer::Store, cpu::StoreBuffer::entries> stores;
  std::uint32_t next;
  std::uint64_t last;
  void archive(Archive& a) {
    for (auto& s : stores) a(s.address, s.bytes, s.data, s.taken);
    a(next, last);
  }
};

template <class Fields, class Part>
Fields fields_of(Part& part) {
  Archive saved = Archive::saver();
  part.archive(saved);
  Archive loaded = Archive::loader(saved.stream());
  Fields fields;
  fields.archive(loaded);
  loaded.expect_end();
  return fields;
}
template <class Fields, class Part, class Change>
void change_fields(Part& part, Change change) {
  Fields fields = fields_of<Fields>(part);
  change(fields);
  Archive saved = Archive::saver();
  fields.archive(saved);
  Archive loaded = Archive::loader(saved.stream());
  part.archive(loaded);
}

// ---- programs ----

enum class Mostly { anything, jumps, stores };
enum class Does { nothing, loads, stores, modifies, branches, returns, in, repeats };
struct Instruction {
  std::vector<std::uint8_t> bytes;
  Does does = Does::nothing;
};

/// Runs random instructions through the timing as the executor does.
class RandomProgram {
 public:
  RandomProgram(const cpu::TimingConfig& config, unsigned seed, Mostly mostly)
      : timing(config), mostly_(mostly), random_(seed) {}

  cpu::TimingP6 timing;
  std::vector<std::uint64_t> clocks;  ///< after each instruction

  PipelineP6& pipeline() { return const_cast<PipelineP6&>(timing.pipeline()); }
  void run(unsigned instructions) {
    for (unsigned n = 0; n < instructions; ++n) step();
  }

 private:
  std::uint32_t draw(std::uint32_t below) { return static_cast<std::uint32_t>(random_() % below); }
  std::uint8_t two_registers() { return static_cast<std::uint8_t>(0xC0 | draw(64)); }

  Instruction instruction() {
    const std::uint8_t rr = two_registers(), low = static_cast<std::uint8_t>(draw(8));
    // Memory at [EBX], [EBP+4], [ESI] or [EBX+EDI*4].
    const auto at_memory = [&](std::vector<std::uint8_t> opcode, unsigned reg) {
      const unsigned mod_rm[]{0x03, 0x45, 0x06, 0x04}, form = draw(4);
      opcode.push_back(static_cast<std::uint8_t>(mod_rm[form] | reg << 3));
      if (form == 1) opcode.push_back(4);
      if (form == 3) opcode.push_back(0xBB);
      return opcode;
    };
    const bool anything = mostly_ == Mostly::anything || draw(8) == 0;
    switch (anything ? draw(36) : mostly_ == Mostly::jumps ? 26 : 20) {
      case 0:
      case 1:
      case 2: return {{0x01, rr}};                                                // ADD r,r
      case 3: return {{0x11, rr}};                                                // ADC r,r
      case 4: return {{0x0F, 0xAF, rr}};                                          // IMUL r,r
      case 5: return {{0x8D, 0x04, static_cast<std::uint8_t>(draw(256) & ~7u)}};  // LEA EAX,[EAX+r*n], ESP: none
      case 6: return {{0x89, rr}};                                                // MOV r,r
      case 7: return {{0x88, rr}};                                                // MOV r8,r8
      case 8: return {{0x66, 0x01, rr}};                                          // ADD r16,r16
      case 9: return {{0x31, static_cast<std::uint8_t>(0xC0 | low * 9)}};         // XOR r,r of one register
      case 10: return {{static_cast<std::uint8_t>(0x40 | low)}};                  // INC r
      case 11: return {{0x0F, 0x94, static_cast<std::uint8_t>(0xC0 | low)}};      // SETZ r8
      case 12: return {{0xF9}};                                                   // STC
      case 13: return {{0x9F}};                                                   // LAHF
      case 14: return {{0xD3, static_cast<std::uint8_t>(0xE0 | low)}};            // SHL r,CL
      case 15: return {{0xF7, static_cast<std::uint8_t>(0xF0 | low)}};            // DIV r
      case 16:
      case 17: return {at_memory({0x8B}, low), Does::loads};  // MOV r,m
      case 18: return {at_memory({0x03}, low), Does::loads};  // ADD r,m
      case 19:
      case 20:
      case 21: return {at_memory({0x89}, low), Does::stores};                   // MOV m,r
      case 22: return {at_memory({0x01}, low), Does::modifies};                 // ADD m,r
      case 23: return {{static_cast<std::uint8_t>(0x50 | low)}, Does::stores};  // PUSH r
      case 24: return {{static_cast<std::uint8_t>(0x58 | low)}, Does::loads};   // POP r
      case 25: return {{0x75, 0x10}, Does::branches};                           // JNZ
      case 26:
      case 27: return {{0xEB, 0x10}, Does::branches};                   // JMP
      case 28: return {{0xC3}, Does::returns};                          // RET
      case 29: return {{0xD8, static_cast<std::uint8_t>(0xC0 | low)}};  // FADD ST,ST(n)
      case 30: return {at_memory({0xD9}, 3), Does::stores};             // FSTP m32
      case 31: return {{0x0F, 0xFD, rr}};                               // PADDW mm,mm
      case 32: return {{0x0F, 0xA2}};                                   // CPUID
      case 33: return {{0xEC}, Does::in};                               // IN AL,DX
      case 34: return {{0xF3, 0xA5}, Does::repeats};                    // REP MOVSD
      default: return {{0x90}};                                         // NOP
    }
  }

  std::uint32_t data_address() {
    const std::uint32_t far = draw(8) == 0 ? draw(16) * 4096 : 0;
    return data_at + far + (draw(6) == 0 ? draw(64) : draw(16) * 4);
  }

  void step() {
    const Instruction made = instruction();
    std::vector<std::uint8_t> bytes = made.bytes;
    bytes.resize(15);
    cpu::Op op;
    if (!cpu::decode(bytes, {Model::p6, true, true, false}, op) || op.length != made.bytes.size())
      FAIL("opcode " << op.opcode << " of another length");
    timing.set_static_clocks(op);
    if (made.does == Does::repeats) timing.begin_repeat(5, true);
    timing.begin(op, eip_);
    eip_ += op.length;
    switch (made.does) {
      case Does::nothing: break;
      case Does::loads: timing.read(data_address(), 4); break;
      case Does::stores: timing.write(data_address(), 4); break;
      case Does::modifies: {
        const std::uint32_t address = data_address();
        timing.read(address, 4);
        timing.write(address, 4);
        break;
      }
      case Does::returns: timing.read(data_address(), 4); [[fallthrough]];
      case Does::branches: {
        const std::uint32_t target =
            code_at + (made.does == Does::returns ? draw(16) : eip_ * 7 / 16 % 16) * 16 + eip_ % 9;
        const bool taken = op.opcode != 0x75 || draw(2) == 0;
        timing.branch(op, taken, target);
        if (taken) eip_ = target;
        break;
      }
      case Does::in: timing.wait_until(timing.cycle_start(true) + 120); break;
      case Does::repeats:
        for (std::uint32_t n = 0; n < 5; ++n) {
          timing.read(data_at + 256 + 4 * n, 4);
          timing.write(data_at + 512 + 4 * n, 4);
        }
    }
    timing.end();
    clocks.push_back(timing.clocks());
  }

  Mostly mostly_;
  std::mt19937 random_;
  std::uint32_t eip_ = code_at;
};

// ---- the limits ----

std::uint64_t renaming(const PipelineP6& p) { return p.window_.rename_clock(); }
std::uint64_t decoding(PipelineP6& p) { return fields_of<FrontEndFields>(p.front_end_).clock; }

struct Clip {
  std::string name;
  std::function<std::uint64_t(PipelineP6&)> limit;           ///< times up to this one are equivalent
  std::function<void(PipelineP6&, std::uint64_t time)> set;  ///< sets a time of this kind
  unsigned matters = 1;             ///< clocks from the limit to the first time that makes a difference
  Mostly among = Mostly::anything;  ///< instructions that show the difference
  bool jumped = false;              ///< after a jump
};

/// Sets the state that does not depend on the time.
void prepare(PipelineP6& p, const Clip& clip) {
  if (clip.jumped != (fields_of<FrontEndFields>(p.front_end_).block == 1)) {
    change_fields<FrontEndFields>(p.front_end_, [&](FrontEndFields& f) {
      f.block = clip.jumped ? 1 : code_at;
      f.line = clip.jumped ? 1 : code_at;
      f.decoded = clip.jumped ? 3 : 1;
    });
  }
}

std::vector<Clip> clips() {
  std::vector<Clip> all;
  const auto set_fetched = [](PipelineP6& p, std::uint64_t t) {
    change_fields<FrontEndFields>(p.front_end_, [&](FrontEndFields& f) { f.fetched = t; });
  };
  all.push_back({"fetch", [](PipelineP6& p) { return decoding(p) - 5; }, set_fetched, 1, Mostly::jumps});
  all.push_back(
      {"fetch after a jump", [](PipelineP6& p) { return decoding(p) - 4; }, set_fetched, 1, Mostly::jumps, true});
  // Three micro-ops are renamed per clock, and the data of one store are written.
  for (const unsigned age : {0u, 1u, 7u}) {
    all.push_back({"reorder buffer, age " + std::to_string(age), renaming,
                   [=](PipelineP6& p, std::uint64_t t) {
                     change_fields<WindowFields>(p.window_, [&](WindowFields& f) { f.retired[(f.at + age) % 40] = t; });
                   },
                   1 + age / 3});
    all.push_back({"reservation station, age " + std::to_string(age), renaming,
                   [=](PipelineP6& p, std::uint64_t t) {
                     change_fields<WindowFields>(p.window_,
                                                 [&](WindowFields& f) { f.dispatched[(f.station + age) % 20] = t; });
                   },
                   1 + age / 3});
  }
  for (const unsigned port : {0u, 1u, 2u, 3u, 4u})
    all.push_back({"port " + std::to_string(port), renaming, [=](PipelineP6& p, std::uint64_t t) {
                     change_fields<WindowFields>(p.window_, [&](WindowFields& f) {
                       f.taken[port] = t < f.rename_clock ? 0 : std::uint64_t{1} << (t - f.rename_clock);
                     });
                   }});
  for (unsigned r = 0; r < PipelineP6::general; ++r) {
    all.push_back({"value of register " + std::to_string(r), renaming,
                   [=](PipelineP6& p, std::uint64_t t) { p.registers_[r].ready = t; }});
    all.push_back({"retirement of register " + std::to_string(r), renaming, [=](PipelineP6& p, std::uint64_t t) {
                     p.registers_[r].retired = t;
                     p.retired_ = static_cast<std::uint8_t>(p.retired_ & ~(1u << r));
                   }});
    all.push_back({"part of register " + std::to_string(r), [](PipelineP6& p) { return renaming(p) - 1; },
                   [=](PipelineP6& p, std::uint64_t t) {
                     p.partial_until_[r] = t;
                     p.parts_ = static_cast<std::uint8_t>(p.parts_ | 1u << r);
                   }});
    all.push_back({"x87 or MMX register " + std::to_string(r), renaming,
                   [=](PipelineP6& p, std::uint64_t t) { p.fp_registers_[r].ready = t; }, 2});
  }
  for (unsigned group = 0; group < PipelineP6::flag_groups; ++group)
    all.push_back({"flags of group " + std::to_string(group), renaming,
                   [=](PipelineP6& p, std::uint64_t t) { p.flags_[group].ready = t; }, 2});
  all.push_back({"addresses of stores", renaming, [](PipelineP6& p, std::uint64_t t) { p.addresses_known_ = t; }, 2});
  all.push_back({"writer of a part of the flags", [](PipelineP6& p) { return renaming(p) - 1; },
                 [](PipelineP6& p, std::uint64_t t) {
                   p.last_flags_retired_ = t;
                   p.last_flags_ = cpu::flag_carry;
                 }});
  for (const unsigned age : {0u, 1u, 3u})
    all.push_back({"store buffer, age " + std::to_string(age), renaming,
                   [=](PipelineP6& p, std::uint64_t t) {
                     change_fields<StoreFields>(p.stores_, [&](StoreFields& f) {
                       for (unsigned n = 0; n <= age; ++n) f.stores[(f.next + n) % 12] = {0x300, 4, 1, n < age ? 1 : t};
                     });
                   },
                   1 + age, Mostly::stores});
  return all;
}

constexpr unsigned most_programs = 4000, first_part = 50, second_part = 30;
unsigned programs_for_each() { return test::short_runs() ? 5 : 25; }

enum class Way { as_it_is, settled, packed };

struct Outcome {
  std::vector<std::uint64_t> clocks;
  PackedPipeline packed, at_the_end;
  bool operator==(const Outcome&) const = default;
};

cpu::TimingConfig small_second_level() {
  cpu::TimingConfig c = coppermine().timing;
  c.l2.bytes = 32 * 1024;
  return c;
}

PackedPipeline packed_of(PipelineP6 p, std::uint64_t clock) {
  PackedPipeline packed;
  if (!p.pack(packed, clock)) FAIL("the pipeline has no value");
  return packed;
}

/// Runs a random program, whose pipeline state `change` modifies half-way.
template <class Change>
Outcome outcome_of(unsigned seed, Way way, Change change, Mostly mostly = Mostly::anything) {
  RandomProgram program(small_second_level(), seed, mostly);
  program.run(first_part);
  PipelineP6& p = program.pipeline();
  change(p);
  const PackedPipeline packed = packed_of(p, program.timing.clocks());
  if (way == Way::settled) p.settle();
  if (way == Way::packed) {
    PipelineP6 other;
    other.stores_ = p.stores_;
    other.last_read_ = p.last_read_;
    other.last_write_ = p.last_write_;
    other.unpack(packed, renaming(p));
    if (packed_of(other, program.timing.clocks()) != packed) FAIL("a value gives a pipeline of another value");
    p = other;
  }
  program.run(second_part);
  return {program.clocks, packed, packed_of(program.pipeline(), program.timing.clocks())};
}

/// With the time set to `from_limit` clocks after the limit.
Outcome outcome_at(const Clip& clip, unsigned seed, Way way, std::int64_t from_limit) {
  const auto change = [&](PipelineP6& p) {
    prepare(p, clip);
    clip.set(p, clip.limit(p) + static_cast<std::uint64_t>(from_limit));
  };
  return outcome_of(seed, way, change, clip.among);
}

}  // namespace

TEST_CASE("P6: times before a pipeline's limit are equivalent to the limit, the next one is not") {
  for (const Clip& clip : clips()) {
    INFO(clip.name);
    for (unsigned seed = 1; seed <= programs_for_each(); ++seed) {
      INFO("program " << seed);
      const Outcome limit = outcome_at(clip, seed, Way::as_it_is, 0);
      for (const std::int64_t before : {-1, -2, -3, -17}) {
        INFO(before << " clocks from the limit");
        const Outcome earlier = outcome_at(clip, seed, Way::as_it_is, before);
        REQUIRE(earlier.clocks == limit.clocks);
        REQUIRE(earlier.packed == limit.packed);
      }
      for (std::int64_t after = 1; after < clip.matters; ++after)
        REQUIRE(outcome_at(clip, seed, Way::as_it_is, after).clocks == limit.clocks);
      REQUIRE_FALSE(outcome_at(clip, seed, Way::as_it_is, clip.matters).packed == limit.packed);
    }
    unsigned seed = 1;
    const auto same = [&](std::int64_t from_limit) {
      return outcome_at(clip, seed, Way::as_it_is, from_limit).clocks ==
             outcome_at(clip, seed, Way::as_it_is, 0).clocks;
    };
    while (seed <= most_programs && same(clip.matters)) ++seed;
    CHECK(seed <= most_programs);
  }
}

TEST_CASE("P6: a settled or packed pipeline continues as the original") {
  for (const Clip& clip : clips()) {
    INFO(clip.name);
    for (unsigned seed = 1; seed <= programs_for_each(); ++seed)
      for (std::int64_t from_limit = -3; from_limit <= 3; ++from_limit) {
        INFO("program " << seed << ", " << from_limit << " clocks from the limit");
        const Outcome as_it_is = outcome_at(clip, seed, Way::as_it_is, from_limit);
        REQUIRE(outcome_at(clip, seed, Way::settled, from_limit) == as_it_is);
        REQUIRE(outcome_at(clip, seed, Way::packed, from_limit) == as_it_is);
      }
  }
}

TEST_CASE("P6: pipelines whose times are near their limits and equivalent behave the same") {
  for (unsigned seed = 1; seed <= 40 * programs_for_each(); ++seed) {
    INFO("program " << seed);
    const auto change = [&](PipelineP6& p) {
      std::mt19937 random(seed);
      for (const Clip& clip : clips())
        if (!clip.jumped && random() % 2 == 0) clip.set(p, clip.limit(p) + random() % 8 - 4);
    };
    const Outcome as_it_is = outcome_of(seed, Way::as_it_is, change);
    REQUIRE(outcome_of(seed, Way::settled, change) == as_it_is);
    REQUIRE(outcome_of(seed, Way::packed, change) == as_it_is);
  }
}

TEST_CASE("P6: a first-level access before the rename clock is not part of the packed pipeline") {
  const auto packed_with = [](std::int64_t from_renaming) {
    return outcome_of(1, Way::as_it_is,
                      [&](PipelineP6& p) {
                        change_fields<StoreFields>(p.stores_, [&](StoreFields& f) {
                          f.last = renaming(p) + static_cast<std::uint64_t>(from_renaming);
                        });
                      })
        .packed;
  };
  CHECK(packed_with(-3) == packed_with(-2));
  CHECK(packed_with(-100) == packed_with(-2));
  CHECK_FALSE(packed_with(-1) == packed_with(-2));
}

TEST_CASE("P6: a pipeline can be packed if its clocks fit, up to the largest value") {
  RandomProgram program(small_second_level(), 3, Mostly::anything);
  program.run(first_part);
  const PipelineP6 base = program.pipeline();
  const auto fits = [&](auto change, std::int64_t clock_from_renaming = 0) {
    PipelineP6 p = base;
    change(p);
    PackedPipeline packed;
    return p.pack(packed, renaming(p) + static_cast<std::uint64_t>(clock_from_renaming));
  };
  const auto value = [](std::uint64_t after) {
    return [=](PipelineP6& p) { p.registers_[2].ready = renaming(p) + after; };
  };
  const auto retirement = [](std::uint64_t after) {
    return [=](PipelineP6& p) {
      change_fields<WindowFields>(p.window_, [&](WindowFields& f) { f.retire_clock = f.rename_clock + after; });
    };
  };
  CHECK(fits(value(0xFFFF)));
  CHECK_FALSE(fits(value(0x10000)));
  CHECK(fits(retirement(0x7FFF)));
  CHECK_FALSE(fits(retirement(0x8000)));
  const auto nothing = [](PipelineP6&) {};
  CHECK(fits(nothing, 0x7FFF));
  CHECK_FALSE(fits(nothing, 0x8000));
}

TEST_CASE("P6: state that a loop pass does not touch is restored if it is older than the rename clock") {
  const cpu::Period pass{10, 100};
  CHECK(pass.recurs(99, 99));
  CHECK_FALSE(pass.recurs(100, 100));
  CHECK(pass.recurs(110, 100));
  CHECK_FALSE(pass.recurs(109, 100));
  cpu::StoreBuffer stores;
  const auto with_last = [&](std::uint64_t last) {
    change_fields<StoreFields>(stores, [&](StoreFields& f) { f.last = last; });
    return stores.recurs(stores, pass);
  };
  CHECK(with_last(99));
  CHECK_FALSE(with_last(100));
}
