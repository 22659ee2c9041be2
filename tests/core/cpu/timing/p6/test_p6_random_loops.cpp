// SPDX-License-Identifier: GPL-2.0-or-later
// Programs of random loops on the P6, with a device that writes memory, takes the bus and interrupts: clocks,
// instructions and state equal those of computing every instruction separately, although the results of known code are
// reused and passes of waiting loops are skipped; wherever a run is cut, and whatever happens to the known code.
#include <algorithm>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <vector>

#include "core/common/random.hpp"
#include "tests/archived.hpp"
#include "tests/core/cpu/timing/p6_support.hpp"
#include "tests/short_runs.hpp"

using namespace planar;
using namespace planar::cpu_test;

namespace {

constexpr std::uint64_t first_seed = 1;
constexpr Time first_signal_from = 200_us, second_signal_from = 400_us, whole_run = 700_us;

/// Values that the device writes into the first dword of the data.
constexpr std::uint8_t first_signal = 5, second_signal = 9;

/// A program that waits for one of the device's signals, then for the second one, in loops of random parts.
class LoopProgram {
 public:
  explicit LoopProgram(std::uint64_t seed) : random_(seed) {}

  std::vector<unsigned> code() {
    emit({0xBB}, data_at);  // MOV EBX, data
    some(4);
    wait_for_any_signal();
    some(6);
    wait_for_second_signal();
    some(5);
    emit({0xF4, 0xEB, 0xFD});  // HLT; JMP to it, as an interrupt may end the HLT
    return code_;
  }

 private:
  // ---- choices ----
  unsigned below(unsigned bound) { return static_cast<unsigned>(random_.below(bound)); }
  bool one_in(unsigned n) { return below(n) == 0; }
  /// Any register that is not the enclosing loop's counter and does not point to the data or the stack.
  unsigned any() {
    static constexpr unsigned registers[] = {EAX, ECX, EDX, ESI, EDI, EBP};
    for (;;)
      if (const unsigned r = registers[below(6)]; r != counter_) return r;
  }
  /// The same for AL, CL and DL.
  unsigned any_byte() {
    for (;;)
      if (const unsigned r = below(3); r != counter_) return r;
  }
  /// The offset of a datum: there are few, so that loads meet stores; sometimes unaligned, or across two lines.
  unsigned place() { return 4 * (1 + below(20)) + (one_in(8) ? below(4) : 0); }

  // ---- instructions ----
  unsigned here() const { return static_cast<unsigned>(code_.size()); }
  void emit(std::initializer_list<unsigned> bytes) { append(code_, bytes); }
  void emit(std::initializer_list<unsigned> opcode, std::uint32_t immediate) {
    emit(opcode);
    append(code_, little(immediate));
  }
  static unsigned both(unsigned r, unsigned rm) { return 0xC0 | r << 3 | rm; }
  void with_memory(std::initializer_list<unsigned> opcode, unsigned r, unsigned at) {  // [EBX+at]
    emit(opcode);
    emit({0x43 | r << 3, at});
  }
  void set(unsigned r, std::uint32_t value) { emit({0xB8 | r}, value); }
  void jump_to(std::initializer_list<unsigned> opcode, unsigned target) {
    emit(opcode);
    append(code_, little(target - (here() + 4)));
  }
  /// `opcode` jumps over what `emit_skipped` emits.
  template <class F>
  void jump_across(std::initializer_list<unsigned> opcode, F emit_skipped) {
    emit(opcode);
    emit({0});
    const unsigned from = here();
    emit_skipped();
    code_[from - 1] = here() - from;
  }
  /// Up to `most` instructions.
  void some(unsigned most) {
    for (unsigned n = below(most + 1); n != 0; --n) instruction();
  }

  void instruction() {
    const unsigned r = any(), s = any(), byte = any_byte();
    switch (below(24)) {
      case 0: return with_memory({0x8B}, r, place());  // MOV r, [m]
      case 1: return with_memory({0x89}, r, place());  // MOV [m], r
      case 2: return emit({0x01, both(r, s)});         // ADD
      case 3: return emit({0x31, both(r, r)});         // XOR r, r
      case 4: return emit({0x29, both(r, s)});         // SUB
      case 5: return set(r, static_cast<std::uint32_t>(random_.next()));
      case 6: return emit({0x66, 0xB8 | r, below(256), below(256)});  // MOV r16, i
      case 7: return emit({0xB0 | byte, below(256)});                 // MOV r8, i
      case 8: return with_memory({0x31}, r, place());                 // XOR [m], r
      case 9: return with_memory({0xF7}, 2, place());                 // NOT [m]
      case 10: return increment_and_decrement();
      case 11: return emit({0x0F, 0xAF, both(r, s)});                               // IMUL
      case 12: return emit({0x50 | r, 0x58 | s});                                   // PUSH r; POP s
      case 13: return with_memory({0x0F, 0xB6}, r, place());                        // MOVZX r, byte [m]
      case 14: return emit({0xC1, both(one_in(2) ? 4 : 5, r), below(32)});          // SHL or SHR r, i
      case 15: return emit({0x85, both(r, s), 0x0F, 0x94, both(0, byte)});          // TEST; SETZ
      case 16: return emit({0x85, both(r, s), 0x0F, 0x44 | below(2), both(r, s)});  // TEST; CMOVZ or CMOVNZ
      case 17: return emit({0x9C, 0x9D});                                           // PUSHF; POPF
      case 18: return emit({0xF8 | below(2), 0x11, both(r, s)});                    // CLC or STC; ADC
      case 19: return emit({0x0F, 0xC8 | r});                                       // BSWAP
      case 20: return with_memory({0x88}, byte, place());                           // MOV byte [m], r8
      case 21: return with_memory({0x87}, r, place());                              // XCHG [m], r
      case 22: return emit({0x0F, 0x18, 0x4B, 0x40});                               // PREFETCHT0 [EBX+40h]
      default: return emit({0xF0, 0xFF, 0x43, 0x60});                               // LOCK INC DWORD [EBX+60h]
    }
  }
  /// Both on the same datum, so that a pass may leave memory unchanged.
  void increment_and_decrement() {
    const unsigned at = place();
    with_memory({0xFF}, 0, at);
    if (one_in(3)) emit({0x90});  // NOP
    if (!one_in(3)) with_memory({0xFF}, 1, at);
  }

  // ---- parts of a loop's body ----
  void part() {
    switch (below(8)) {
      case 0: return delay();
      case 1: return branch();
      case 2: return call();
      case 3: return string();
      case 4: return loop();
      default: return some(5);
    }
  }
  void branch() {
    const unsigned r = any();
    jump_across({0x85, both(r, r), 0x70 | below(16)}, [&] { some(3); });  // TEST; Jcc
  }
  void call() {
    emit({0xE8, 2, 0, 0, 0});  // to the code that the JMP skips
    jump_across({0xEB}, [&] {
      some(3);
      emit({0xC3});  // RET
    });
  }
  void delay() {
    counter_ = any();
    const unsigned counter = counter_;
    set(counter, 1 + below(one_in(3) ? 3000 : 40));
    if (one_in(3)) instruction();
    const unsigned again = here();
    if (one_in(3)) instruction();
    emit({0x48 | counter});                             // DEC
    jump_to({0x0F, one_in(2) ? 0x85u : 0x89u}, again);  // JNZ or JNS
    counter_ = none;
  }
  void loop() {
    set(ECX, 1 + below(30));
    counter_ = ECX;
    const unsigned again = here();
    some(2);
    emit({0xE2, (again - (here() + 2)) & 0xFF});  // LOOP
    counter_ = none;
  }
  void string() {
    emit({0x8D, 0xB3}, 0x100 + 4 * below(8));  // LEA ESI, [EBX+...]
    emit({0x8D, 0xBB}, 0x180 + 4 * below(8));  // LEA EDI, [EBX+...]
    set(ECX, below(20));
    static constexpr unsigned opcodes[] = {0xA5, 0xA5, 0xA5, 0xA5, 0xA4, 0xAB};  // MOVSD, MOVSB, STOSD
    emit({0xFC, 0xF3, opcodes[below(6)]});                                       // CLD; REP
  }

  // ---- waiting loops ----
  void wait_for_any_signal() {
    const unsigned again = here();
    for (unsigned n = 1 + below(4); n != 0; --n) part();
    if (one_in(3)) emit({0xFA, 0xFB});  // CLI; STI
    emit({0x8B, 0x03, 0x85, 0xC0});     // MOV EAX, [EBX]; TEST EAX, EAX
    jump_to({0x0F, 0x84}, again);       // JZ
  }
  void wait_for_second_signal() {
    const unsigned again = here();
    for (unsigned n = below(3); n != 0; --n) part();
    emit({0x83, 0x3B, second_signal});  // CMP DWORD [EBX], i
    jump_to({0x0F, 0x85}, again);       // JNZ
  }

  static constexpr unsigned none = 8;
  Random random_;
  std::vector<unsigned> code_;
  unsigned counter_ = none;  // the counter register of the enclosing loop
};

Time random_time(Random& random, Time longest) {
  return Time{1 + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(longest.ps)))};
}

/// Acts now and then; at the end it only signals.
class Device {
 public:
  Device(Board& b, std::uint64_t seed) : b_(b), random_(seed) { act_later(); }

 private:
  void act(Time now) {
    if (now > second_signal_from)
      write(data_at, {second_signal, 0, 0, 0}, now);
    else if (now > first_signal_from)
      write(data_at, {first_signal, 0, 0, 0}, now);
    else if (const std::uint64_t what = random_.below(6); what == 0)
      write(data_at + 4 + 4 * static_cast<std::uint32_t>(random_.below(20)), {1, 2, 3, 4}, now);
    else if (what == 1)
      b_.cpu.steal(b_.cpu.clocks(), 30);
    else if (what == 2)
      b_.cpu.set_intr(true);
    act_later();
  }
  void write(std::uint32_t at, const std::vector<std::uint8_t>& data, Time now) {
    b_.space.master_write(at, data, now);
  }
  void act_later() {
    event_.at(b_.scheduler.now() + random_time(random_, random_.below(3) != 0 ? 80_us : 200_us));  // mostly soon
  }
  Board& b_;
  Random random_;
  Event event_{b_.scheduler, "device", Priority::device, Callback::to<&Device::act>(this)};
};

enum class Way { computed, whole, one_by_one, cut, snapshots, flushed };

struct State {
  std::uint64_t clocks, instructions;
  std::vector<std::uint8_t> processor;
};

/// A board that runs a program in one of these ways.
class Run {
 public:
  Run(const std::vector<unsigned>& code, std::uint64_t seed, Way way) : way_(way), random_(seed), device_(b_, seed) {
    load_code(b_, code);
    Random data(seed);
    for (unsigned i = 4; i < 0x300; ++i) b_.put8(data_at + i, static_cast<std::uint8_t>(data.next()));
    for (unsigned v = 0; v < 256; ++v) b_.put8(handlers_at + v, 0xCF);  // IRETD
    b_.pins.scheduler = &b_.scheduler;
    if (way == Way::computed || way == Way::one_by_one) b_.cpu.limit_block_length(1);
    if (way == Way::computed) b_.cpu.limit_learning(0);
    if (way == Way::cut) b_.scheduler.cut_horizons_at_random(seed);
    if (way == Way::flushed) {
      b_.cpu.flush_blocks_at_random(seed);
      b_.cpu.limit_learning(7);
    }
  }
  void run_until(Time end) {
    if (way_ == Way::snapshots)
      for (Time t; (t = b_.scheduler.now() + random_time(random_, 100_us)) < end;) {
        b_.scheduler.run_until(t);
        test::restore_state(b_.cpu, test::saved_state(b_.cpu));
      }
    b_.scheduler.run_until(end);
  }
  State state() { return {b_.cpu.clocks(), b_.cpu.instructions(), test::saved_state(b_.cpu)}; }
  const std::vector<std::uint8_t>& ram() const { return b_.ram; }
  Way way() const { return way_; }
  bool halted() const { return b_.cpu.halted(); }

 private:
  Way way_;
  Random random_;
  Board b_{coppermine()};
  Device device_;
};

}  // namespace

TEST_CASE("P6: random loop programs end in the same state however they are run") {
  const std::uint64_t programs = test::short_runs() ? 3 : 25;
  for (std::uint64_t seed = first_seed; seed < first_seed + programs; ++seed) {
    INFO("seed " << seed);
    const std::vector<unsigned> code = LoopProgram(seed).code();
    Run computed(code, seed, Way::computed);
    std::deque<Run> others;
    for (const Way way : {Way::whole, Way::one_by_one, Way::cut, Way::snapshots, Way::flushed})
      others.emplace_back(code, seed, way);
    Random random(seed);
    for (Time now{}; now < whole_run;) {
      now = std::min(whole_run, now + random_time(random, 60_us));
      computed.run_until(now);
      const State expected = computed.state();
      for (Run& other : others) {
        INFO("way " << static_cast<int>(other.way()) << ", " << now.ps << " ps");
        other.run_until(now);
        const State state = other.state();
        CHECK(state.clocks == expected.clocks);
        CHECK(state.instructions == expected.instructions);
        CHECK((state.processor == expected.processor));
      }
    }
    CHECK(computed.halted());
    for (const Run& other : others) CHECK((other.ram() == computed.ram()));
  }
}
