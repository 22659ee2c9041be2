// SPDX-License-Identifier: GPL-2.0-or-later
// Segment limits and rights at their boundaries: PRM 6.3.1 (limit checking: granularity, expand-down, the B bit) and
// 6.3.2.
#include "vectors.hpp"

using namespace planar;
using namespace planar::cpu_test;

namespace {

constexpr unsigned up = 0xF3, down = 0xF7, read_only = 0xF1, code = 0xFB, execute_only = 0xF9;
constexpr unsigned small = 0x0, big = 0x4, pages = 0x8;
constexpr std::uint32_t last = 0xFFFFFFFFu;

struct Edge {
  unsigned access, flags;
  std::uint32_t limit, offset;
  char size;  ///< b w d
  bool allowed;
};

constexpr Edge edges[] = {
    // Expand-up, bytes: the last byte of the operand is checked.
    // clang-format off
    {up, big, 0xFFF, 0x000, 'd', true},   {up, big, 0xFFF, 0xFFF, 'b', true},   {up, big, 0xFFF, 0x1000, 'b', false},
    {up, big, 0xFFF, 0xFFE, 'w', true},   {up, big, 0xFFF, 0xFFF, 'w', false},  {up, big, 0xFFF, 0xFFC, 'd', true},
    {up, big, 0xFFF, 0xFFD, 'd', false},  {up, big, 0xFFF, 0xFFE, 'd', false},  {up, big, 0xFFF, 0xFFF, 'd', false},
    {up, big, 0xFFF, last, 'b', false},   {up, big, 0xFFF, last, 'w', false},   {up, big, 0xFFF, last - 2, 'd', false},
    {up, big, 0, 0, 'b', true},           {up, big, 0, 0, 'w', false},          {up, big, 0, 1, 'b', false},
    {up, big, 2, 0, 'd', false},          {up, big, 3, 0, 'd', true},           {up, small, 0xFFF, 0xFFC, 'd', true},
    {up, small, 0xFFF, 0xFFD, 'd', false},  // B makes no difference for expand-up data
    // Pages: the low twelve bits of the limit are ones.
    {up, big | pages, 0, 0xFFC, 'd', true},  {up, big | pages, 0, 0xFFD, 'd', false},
    {up, big | pages, 1, 0x1FFF, 'b', true}, {up, big | pages, 1, 0x2000, 'b', false},
    {up, big | pages, 0xFFFFF, last - 3, 'd', true},
    // Expand-down: above the limit up to FFFFFFFFh with B, FFFFh without.
    {down, big, 0xFFF, 0xFFF, 'b', false},   {down, big, 0xFFF, 0x1000, 'b', true},   {down, big, 0xFFF, 0x1000, 'd', true},
    {down, big, 0xFFF, 0xFFE, 'd', false},   {down, big, 0xFFF, 0, 'b', false},       {down, big, 0xFFF, last, 'b', true},
    {down, big, 0xFFF, last - 3, 'd', true}, {down, small, 0xFFF, 0x1000, 'w', true}, {down, small, 0xFFF, 0xFFF, 'w', false},
    {down, small, 0xFFF, 0xFFFF, 'b', true}, {down, small, 0xFFF, 0x10000, 'b', false},
    {down, small, 0xFFF, 0xFFFF, 'w', false}, {down, small, 0xFFF, 0xFFFC, 'd', true},
    {down, small, 0xFFF, 0xFFFD, 'd', false}, {down, small, 0xFFFF, 0, 'b', false},   {down, small, 0xFFFF, 0xFFFF, 'b', false},
    {down, big, 0xFFFF, 0x10000, 'b', true}, {down, big, 0xFFFF, 0xFFFF, 'b', false},
    {down, big | pages, 0, 0xFFF, 'b', false}, {down, big | pages, 0, 0x1000, 'b', true},
    {down, big | pages, 0xFFFFF, 0, 'b', false}, {down, big | pages, 0xFFFFF, last, 'b', false},
    {down, small, 0, 0, 'b', false},         {down, small, 0, 1, 'b', true},
    // clang-format on
};

/// MOV size [EBX], AL/AX/EAX, or the load.
std::initializer_list<unsigned> instruction(char size, bool store) {
  static constexpr std::initializer_list<unsigned> loads[] = {{0x8A, 0x03}, {0x66, 0x8B, 0x03}, {0x8B, 0x03}},
                                                   stores[] = {{0x88, 0x03}, {0x66, 0x89, 0x03}, {0x89, 0x03}};
  const unsigned i = size == 'b' ? 0 : size == 'w' ? 1 : 2;
  return store ? stores[i] : loads[i];
}

/// One access through `segment` in ring 3; returns the resulting vector.
int access(Board& b, unsigned segment, unsigned rights, unsigned flags, std::uint32_t limit, std::uint32_t offset,
           std::initializer_list<unsigned> bytes) {
  b.descriptor(gdt_at + spare, data_at, limit, rights, flags);
  b.flat(bytes, 3);
  b.change([&](Registers& r) {
    r.segment[segment] = b.segment(spare | 3);
    r.gpr[EBX] = r.gpr[EBP] = offset;
  });
  b.step();
  if (b.vector() >= 0) {
    CHECK(b.stack(0) == 0);
    CHECK(b.stack(1) == code_at);
  }
  return b.vector();
}

}  // namespace

TEST_CASE("Limits at their edges: #GP(0) through DS, loads and stores", "[cpu][vectors]") {
  Board b;
  for (const Edge& e : edges)
    for (const bool store : {false, true}) {
      INFO("access " << e.access << " flags " << e.flags << " limit " << e.limit << " offset " << e.offset << " size "
                     << e.size << (store ? " store" : " load"));
      CHECK(access(b, DS, e.access, e.flags, e.limit, e.offset, instruction(e.size, store)) ==
            (e.allowed ? no_exception : 13));
    }
}

TEST_CASE("Limits at their edges: #SS(0) through SS", "[cpu][vectors]") {
  Board b;
  for (const Edge& e : edges) {
    INFO("access " << e.access << " flags " << e.flags << " limit " << e.limit << " offset " << e.offset << " size "
                   << e.size);
    // MOV with [EBP+0]: through SS
    const std::initializer_list<unsigned> loads[] = {{0x8A, 0x45, 0}, {0x66, 0x8B, 0x45, 0}, {0x8B, 0x45, 0}};
    CHECK(access(b, SS, e.access, e.flags, e.limit, e.offset,
                 loads[e.size == 'b'   ? 0
                       : e.size == 'w' ? 1
                                       : 2]) == (e.allowed ? no_exception : 12));
  }
}

TEST_CASE("Access rights of data segments by type", "[cpu][vectors]") {
  struct Row {
    unsigned rights;
    bool load, store;
  };
  // PRM 6.3.2 and table 6-1
  constexpr Row rows[] = {{up, true, true},    {down, true, true},  {read_only, true, false},     {0xF5, true, false},
                          {code, true, false}, {0xFF, true, false}, {execute_only, false, false}, {0xFD, false, false}};
  Board b;
  for (const Row& row : rows) {
    INFO("access byte " << row.rights);
    const bool expands_down = (row.rights & 0x0C) == 0x04;
    const std::uint32_t offset = expands_down ? 0x2000 : 0x10;
    CHECK(access(b, DS, row.rights, big, 0xFFF, offset, {0x8B, 0x03}) == (row.load ? no_exception : 13));
    CHECK(access(b, DS, row.rights, big, 0xFFF, offset, {0x89, 0x03}) == (row.store ? no_exception : 13));
    CHECK(access(b, DS, row.rights, big, 0xFFF, offset, {0x01, 0x03}) ==
          (row.store ? no_exception : 13));  // ADD [EBX],EAX
    // TEST and CMP only read
    CHECK(access(b, DS, row.rights, big, 0xFFF, offset, {0x85, 0x03}) == (row.load ? no_exception : 13));
    CHECK(access(b, DS, row.rights, big, 0xFFF, offset, {0x39, 0x03}) == (row.load ? no_exception : 13));
  }
}

TEST_CASE("PUSH and POP at the edge of the stack", "[cpu][vectors]") {
  struct Row {
    unsigned rights, flags;
    std::uint32_t limit, esp;
    std::initializer_list<unsigned> bytes;
    bool allowed;
  };
  const std::initializer_list<unsigned> push = {0x50}, push16 = {0x66, 0x50}, pop = {0x58}, pop16 = {0x66, 0x58},
                                        // clang-format off
                                        pusha = {0x60}, popa = {0x61}, enter = {0xC8, 0, 0, 0}, call = {0xE8, 0, 0, 0, 0},
                                        pushf = {0x9C}, ret = {0xC3};
  const Row rows[] = {
      {up, big, 0xFFF, 0x1000, push, true},    {up, big, 0xFFF, 0x1001, push, false},  {up, big, 0xFFF, 4, push, true},
      {up, big, 0xFFF, 3, push, false},        {up, big, 0xFFF, 0, push, false},       {up, big, 0xFFF, 0, push16, false},
      {up, big, 0xFFF, 0xFFC, pop, true},      {up, big, 0xFFF, 0xFFD, pop, false},    {up, big, 0xFFF, 0xFFE, pop16, true},
      {up, big, 0xFFF, 0xFFF, pop16, false},   {up, big, 0xFFF, 32, pusha, true},      {up, big, 0xFFF, 31, pusha, false},
      {up, big, 0xFFF, 0xFE0, popa, true},     {up, big, 0xFFF, 0xFE1, popa, false},   {up, big, 0xFFF, 3, enter, false},
      {up, big, 0xFFF, 3, call, false},        {up, big, 0xFFF, 3, pushf, false},      {up, big, 0xFFF, 0xFFD, ret, false},
      {up, big, 0xFFF, 4, call, true},         {up, big, 0xFFF, 4, pushf, true},       {up, big, 0xFFF, 4, enter, true},
      // 64 KB: SP wraps, an operand must not
      {up, small, 0xFFFF, 0, push16, true},    {up, small, 0xFFFF, 1, push16, false},  {up, small, 0xFFFF, 0, push, true},
      {up, small, 0xFFFF, 2, push, false},     {up, small, 0xFFFF, 0xFFFE, pop16, true},
      {up, small, 0xFFFF, 0xFFFF, pop16, false}, {up, small, 0xFFFF, 0xFFFD, pop, false},
      // stacks that grow down to the limit
      {down, big, 0xFFF, 0x1004, push, true},  {down, big, 0xFFF, 0x1003, push, false}, {down, big, 0xFFF, 0x1000, push, false},
      {down, big, 0xFFF, 0, push, true},       {down, small, 0xFFF, 0, push16, true},   {down, small, 0xFFF, 0x1001, push16, false},
      // clang-format on
      {down, small, 0xFFF, 0x1002, push16, true},
  };
  Board b;
  for (const Row& row : rows) {
    INFO("limit " << row.limit << " flags " << row.flags << " ESP " << row.esp << " opcode " << *row.bytes.begin());
    b.descriptor(gdt_at + spare, data_at, row.limit, row.rights, row.flags);
    b.flat(row.bytes, 3);
    b.change([&](Registers& r) {
      r.segment[SS] = b.segment(spare | 3);
      r.gpr[ESP] = r.gpr[EBP] = row.esp;
    });
    b.step();
    CHECK(b.vector() == (row.allowed ? no_exception : 12));
    if (!row.allowed) CHECK(b.stack(4) == row.esp);  // the instruction can be restarted
  }
}

TEST_CASE("A far transfer or jump beyond the code segment's limit", "[cpu][vectors]") {
  const auto start = [&](std::uint32_t limit, std::initializer_list<unsigned> bytes) {
    return [=](Board& b) {
      b.descriptor(gdt_at + spare, code_at, limit, 0x9B, 4);
      b.flat(bytes);
      b.change([&](Registers& r) {
        r.segment[CS] = b.segment(spare);
        r.eip = 0;
      });
    };
  };
  check({
      {"JMP to the limit", "PRM JMP", start(0x10, {0xEB, 0x0E}), 1, no_exception, {{eip, 0x10}}},
      // clang-format off
      {"JMP beyond it", "PRM JMP: #GP(0) if the offset is beyond the limit", start(0x10, {0xEB, 0x0F}), 1, 13, {{s0, 0}, {s1, 0}}},
      {"CALL beyond the limit pushes nothing", "PRM CALL", start(0x10, {0xE8, 0x20, 0, 0, 0}), 1, 13, {{s1, 0}, {ESP, stack_at - 16}}},
      {"Jcc beyond the limit, not taken", "PRM Jcc", start(0x10, {0x74, 0x40}), 1, no_exception, {{eip, 2}}},
      {"an instruction across the limit", "PRM 6.3.1", start(0x10, {0xEB, 0x0D}), 2, no_exception, {}},
      {"an instruction whose immediate is beyond the limit", "PRM 6.3.1", start(3, {0xB8, 1, 2, 3, 4}), 1, 13, {{s1, 0}, {EAX, 0}}},
      // clang-format on
  });
}
