// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/lockstep/harness/forms.hpp"

#include <fmt/format.h>
#include <algorithm>

namespace planar::lockstep {

namespace {

using cpu::Model;

class Table {
 public:
  std::vector<Form> rows;

  void one(unsigned opcode, std::string_view operands, Undefined u = Undefined::none, Kind k = Kind::plain,
           bool system = false, Model since = Model::i386sx) {
    rows.push_back({static_cast<std::uint16_t>(opcode), -1, operands, u, k, since, system});
  }
  void range(unsigned first, unsigned last, std::string_view operands, Undefined u = Undefined::none,
             Kind k = Kind::plain, bool system = false, Model since = Model::i386sx) {
    for (unsigned i = first; i <= last; ++i) one(i, operands, u, k, system, since);
  }
  void group(unsigned opcode, unsigned member, std::string_view operands, Undefined u = Undefined::none,
             Kind k = Kind::plain, bool system = false, Model since = Model::i386sx) {
    one(opcode, operands, u, k, system, since);
    rows.back().group = static_cast<std::int8_t>(member);
  }
};

void arithmetic(Table& t) {
  for (unsigned f = 0; f < 8; ++f) {
    const Undefined u = f == 1 || f == 4 || f == 6 ? Undefined::adjust : Undefined::none;
    t.range(f * 8, f * 8 + 3, "M", u);
    t.one(f * 8 + 4, "b", u);
    t.one(f * 8 + 5, "z", u);
    t.group(0x80, f, "Mb", u);
    t.group(0x82, f, "Mb", u);
    t.group(0x81, f, "Mz", u);
    t.group(0x83, f, "Ms", u);
  }
  t.one(0x27, "", Undefined::decimal);
  t.one(0x2F, "", Undefined::decimal);
  t.one(0x37, "", Undefined::ascii);
  t.one(0x3F, "", Undefined::ascii);
  t.one(0xD4, "b", Undefined::ascii_multiply);
  t.one(0xD5, "b", Undefined::ascii_multiply);
  t.range(0x40, 0x4F, "");
  t.range(0x84, 0x85, "M", Undefined::adjust);
  t.one(0xA8, "b", Undefined::adjust);
  t.one(0xA9, "z", Undefined::adjust);
  t.one(0x69, "Mz", Undefined::multiply);
  t.one(0x6B, "Ms", Undefined::multiply);
  t.one(0x0FAF, "M", Undefined::multiply);
  for (unsigned op : {0xF6u, 0xF7u}) {
    t.group(op, 0, op & 1 ? "Mz" : "Mb", Undefined::adjust);
    t.group(op, 2, "M");
    t.group(op, 3, "M");
    t.group(op, 4, "M", Undefined::multiply);
    t.group(op, 5, "M", Undefined::multiply);
    t.group(op, 6, "M", Undefined::divide, Kind::divide);
    t.group(op, 7, "M", Undefined::divide, Kind::divide);
  }
  for (unsigned op : {0xFEu, 0xFFu})
    for (unsigned g : {0u, 1u}) t.group(op, g, "M");
  for (unsigned op : {0xC0u, 0xC1u, 0xD0u, 0xD1u, 0xD2u, 0xD3u})
    for (unsigned g = 0; g < 8; ++g)
      t.group(op, g, op < 0xD0 ? "Mb" : "M", g < 4 ? Undefined::rotate : Undefined::shift, Kind::shift_count);
  for (unsigned op : {0x0FA4u, 0x0FA5u, 0x0FACu, 0x0FADu})
    t.one(op, op & 1 ? "M" : "Mb", Undefined::double_shift, Kind::shift_count);
  for (unsigned op : {0x0FA3u, 0x0FABu, 0x0FB3u, 0x0FBBu}) t.one(op, "M", Undefined::bit_test, Kind::bit_offset);
  for (unsigned g = 4; g < 8; ++g) t.group(0x0FBA, g, "Mb", Undefined::bit_test);
  t.range(0x0FBC, 0x0FBD, "M", Undefined::bit_scan);
  for (unsigned op : {0x0FB0u, 0x0FB1u, 0x0FC0u, 0x0FC1u})
    t.one(op, "M", Undefined::none, Kind::plain, false, Model::i486sx);
  t.group(0x0FC7, 1, "m", Undefined::none, Kind::plain, false, Model::pentium);
  for (unsigned op : {0x98u, 0x99u, 0xF5u, 0xF8u, 0xF9u, 0xFCu, 0xFDu, 0x9Eu, 0x9Fu, 0xD6u, 0xD7u}) t.one(op, "");
}

void moves(Table& t) {
  t.range(0x86, 0x8B, "M");
  t.one(0x8D, "M");
  t.range(0x90, 0x97, "");
  t.range(0xA0, 0xA3, "o");
  t.range(0xB0, 0xB7, "b");
  t.range(0xB8, 0xBF, "z");
  t.group(0xC6, 0, "Mb");
  t.group(0xC7, 0, "Mz");
  t.range(0x0F90, 0x0F9F, "M");
  for (unsigned op : {0x0FB6u, 0x0FB7u, 0x0FBEu, 0x0FBFu}) t.one(op, "M");
  t.range(0x0FC8, 0x0FCF, "", Undefined::none, Kind::plain, false, Model::i486sx);
  t.range(0x50, 0x5F, "");
  for (unsigned op : {0x06u, 0x0Eu, 0x16u, 0x1Eu, 0x60u, 0x61u, 0x9Cu, 0xC9u, 0x0FA0u, 0x0FA8u}) t.one(op, "");
  t.one(0x68, "z");
  t.one(0x6A, "s");
  t.group(0x8F, 0, "M");
  t.group(0xFF, 6, "M");
  t.one(0x9D, "", Undefined::none, Kind::pop_flags, true);
  t.one(0xC8, "n", Undefined::none, Kind::enter);
  t.one(0x62, "M", Undefined::none, Kind::bound);
  for (unsigned op : {0xA4u, 0xA5u, 0xA6u, 0xA7u, 0xAAu, 0xABu, 0xACu, 0xADu, 0xAEu, 0xAFu})
    t.one(op, "", Undefined::none, Kind::string);
  t.range(0x6C, 0x6F, "", Undefined::none, Kind::string_io);
  t.range(0xE4, 0xE7, "b", Undefined::none, Kind::port);
  t.range(0xEC, 0xEF, "", Undefined::none, Kind::port);
}

void control(Table& t) {
  t.range(0x70, 0x7F, "j", Undefined::none, Kind::jump);
  t.range(0x0F80, 0x0F8F, "J", Undefined::none, Kind::jump);
  t.range(0xE0, 0xE3, "j", Undefined::none, Kind::jump);
  t.one(0xE8, "J", Undefined::none, Kind::call_near);
  t.one(0xE9, "J", Undefined::none, Kind::jump);
  t.one(0xEB, "j", Undefined::none, Kind::jump);
  t.one(0xC2, "w", Undefined::none, Kind::return_near);
  t.one(0xC3, "", Undefined::none, Kind::return_near);
  t.group(0xFF, 2, "M", Undefined::none, Kind::indirect);
  t.group(0xFF, 4, "M", Undefined::none, Kind::indirect);
  t.one(0x9A, "f", Undefined::none, Kind::far_pointer, true);
  t.one(0xEA, "f", Undefined::none, Kind::far_pointer, true);
  t.group(0xFF, 3, "M", Undefined::none, Kind::far_indirect, true);
  t.group(0xFF, 5, "M", Undefined::none, Kind::far_indirect, true);
  t.one(0xCA, "w", Undefined::none, Kind::return_far, true);
  t.one(0xCB, "", Undefined::none, Kind::return_far, true);
  t.one(0xCF, "", Undefined::none, Kind::return_far, true);
  t.one(0xCC, "");
  t.one(0xCD, "b");
  t.one(0xCE, "");
  t.one(0xF1, "");
  t.one(0xF4, "", Undefined::none, Kind::halt, true);
}

void segments_and_system(Table& t) {
  for (unsigned g = 0; g < 6; ++g) t.group(0x8C, g, "M");
  for (unsigned g : {0u, 2u, 3u, 4u, 5u}) t.group(0x8E, g, "M", Undefined::none, Kind::selector, true);
  t.group(0x8E, 1, "M", Undefined::none, Kind::selector, true);
  for (unsigned op : {0x07u, 0x17u, 0x1Fu, 0x0FA1u, 0x0FA9u}) t.one(op, "", Undefined::none, Kind::pop_segment, true);
  for (unsigned op : {0xC4u, 0xC5u, 0x0FB2u, 0x0FB4u, 0x0FB5u}) t.one(op, "m", Undefined::none, Kind::load_far, true);
  t.one(0x63, "M");
  t.group(0x0F00, 0, "M");
  t.group(0x0F00, 1, "M");
  t.group(0x0F00, 2, "M", Undefined::none, Kind::selector, true);
  t.group(0x0F00, 3, "M", Undefined::none, Kind::selector, true);
  t.group(0x0F00, 4, "M", Undefined::none, Kind::selector);
  t.group(0x0F00, 5, "M", Undefined::none, Kind::selector);
  t.one(0x0F02, "M", Undefined::none, Kind::selector);
  t.one(0x0F03, "M", Undefined::none, Kind::selector);
  t.group(0x0F01, 0, "m");
  t.group(0x0F01, 1, "m");
  t.group(0x0F01, 2, "m", Undefined::none, Kind::plain, true);
  t.group(0x0F01, 3, "m", Undefined::none, Kind::plain, true);
  t.group(0x0F01, 4, "M");
  t.group(0x0F01, 6, "M", Undefined::none, Kind::control, true);
  t.group(0x0F01, 7, "m", Undefined::none, Kind::plain, true, Model::i486sx);
  t.one(0x0F06, "", Undefined::none, Kind::plain, true);
  t.one(0x0F08, "", Undefined::none, Kind::plain, true, Model::i486sx);
  t.one(0x0F09, "", Undefined::none, Kind::plain, true, Model::i486sx);
  for (unsigned g : {0u, 2u, 3u}) t.group(0x0F20, g, "r");
  t.group(0x0F20, 4, "r", Undefined::none, Kind::plain, false, Model::pentium);
  t.group(0x0F22, 0, "r", Undefined::none, Kind::control, true);
  t.group(0x0F22, 2, "r", Undefined::none, Kind::plain, true);
  t.group(0x0F22, 3, "r", Undefined::none, Kind::control, true);
  t.group(0x0F22, 4, "r", Undefined::none, Kind::control, true, Model::pentium);
  for (unsigned g = 0; g < 4; ++g) {
    t.group(0x0F21, g, "r");
    t.group(0x0F23, g, "r", Undefined::none, Kind::plain, true);
  }
  t.one(0xFA, "", Undefined::none, Kind::plain, true);
  t.one(0xFB, "", Undefined::none, Kind::plain, true);
  t.one(0x9B, "");
  t.one(0x0FA2, "", Undefined::none, Kind::plain, false, Model::pentium);
  t.one(0x0F0B, "");
  t.one(0x0FFF, "");
}

void x87(Table& t) {
  for (unsigned op = 0xD8; op <= 0xDF; ++op)
    for (unsigned g = 0; g < 8; ++g) {
      const bool undefined_memory = (op == 0xD9 && g == 1) || (op == 0xDB && (g == 4 || g == 6)) ||
                                    (op == 0xDD && g == 5) || ((op == 0xDB || op == 0xDD || op == 0xDF) && g == 1);
      if (!undefined_memory) t.group(op, g, "m", Undefined::none, Kind::fpu);
      const bool undefined_register = (op == 0xD9 && g == 3) || (op == 0xDA && g != 5) || (op == 0xDB && g != 4) ||
                                      (op == 0xDC && (g == 2 || g == 3)) || (op == 0xDD && (g == 1 || g > 5)) ||
                                      (op == 0xDE && g == 2) || (op == 0xDF && g != 4);
      if (!undefined_register) t.group(op, g, "r", Undefined::none, Kind::fpu);
    }
}

void p6(Table& t) {
  const auto plain = [&](unsigned opcode, std::string_view operands) {
    t.one(opcode, operands, Undefined::none, Kind::plain, false, Model::p6);
  };
  const auto mmx = [&](unsigned opcode, std::string_view operands, Kind kind = Kind::mmx) {
    t.one(opcode, operands, Undefined::none, kind, false, Model::p6);
  };
  for (unsigned op = 0x0F40; op <= 0x0F4F; ++op) plain(op, "M");
  // Hints. The register forms of 0F 18 /0 to /3 are #UD in Unicorn.
  for (unsigned g = 0; g < 8; ++g)
    t.group(0x0F18, g, g < 4 ? "m" : "M", Undefined::none, Kind::plain, false, Model::p6);
  for (unsigned op = 0x0F19; op <= 0x0F1F; ++op) plain(op, "M");
  for (unsigned op : {0xDAu, 0xDBu})
    for (unsigned g = 0; g < 4; ++g) t.group(op, g, "r", Undefined::none, Kind::fpu, false, Model::p6);  // FCMOVcc
  for (unsigned op : {0xDBu, 0xDFu})
    for (unsigned g : {5u, 6u}) t.group(op, g, "r", Undefined::fpu_compare, Kind::fpu, false, Model::p6);
  for (unsigned op = 0x0F60; op <= 0x0F6B; ++op) mmx(op, "M");
  for (unsigned op : {0x0F6Eu, 0x0F6Fu, 0x0F74u, 0x0F75u, 0x0F76u, 0x0F7Eu, 0x0F7Fu, 0x0FD5u, 0x0FD8u, 0x0FD9u,
                      0x0FDBu, 0x0FDCu, 0x0FDDu, 0x0FDFu, 0x0FE5u, 0x0FE8u, 0x0FE9u, 0x0FEBu, 0x0FECu, 0x0FEDu,
                      0x0FEFu, 0x0FF5u, 0x0FF8u, 0x0FF9u, 0x0FFAu, 0x0FFCu, 0x0FFDu, 0x0FFEu})
    mmx(op, "M");
  mmx(0x0F77, "");
  for (unsigned op : {0x0FD1u, 0x0FD2u, 0x0FD3u, 0x0FE1u, 0x0FE2u, 0x0FF1u, 0x0FF2u, 0x0FF3u})
    mmx(op, "M", Kind::mmx_shift);
  for (unsigned op : {0x0F71u, 0x0F72u, 0x0F73u})
    for (unsigned g : {2u, 4u, 6u})
      if (op != 0x0F73 || g != 4) t.group(op, g, "rb", Undefined::none, Kind::mmx_shift, false, Model::p6);
  for (unsigned g : {0u, 1u}) t.group(0x0FAE, g, "m", Undefined::none, Kind::image, false, Model::p6);
  for (unsigned op : {0x0F30u, 0x0F32u}) t.one(op, "", Undefined::none, Kind::model_register, false, Model::p6);
  t.one(0x0F34, "", Undefined::none, Kind::enter_ring0, true, Model::p6);
  t.one(0x0F35, "", Undefined::none, Kind::leave_ring0, true, Model::p6);
}

std::vector<Form> build() {
  Table t;
  arithmetic(t);
  moves(t);
  control(t);
  segments_and_system(t);
  x87(t);
  p6(t);
  std::stable_sort(t.rows.begin(), t.rows.end(), [](const Form& a, const Form& b) {
    return a.opcode != b.opcode ? a.opcode < b.opcode : a.group < b.group;
  });
  return t.rows;
}

}  // namespace

const std::vector<Form>& forms() {
  static const std::vector<Form> table = build();
  return table;
}

std::string form_name(const Form& form) {
  std::string name =
      form.opcode > 0xFF ? fmt::format("0F {:02X}", form.opcode & 0xFF) : fmt::format("{:02X}", form.opcode);
  if (form.group >= 0) name += fmt::format(" /{}", form.group);
  if (!form.operands.empty() && form.operands[0] == 'm') name += " m";
  if (!form.operands.empty() && form.operands[0] == 'r') name += " r";
  return name;
}

}  // namespace planar::lockstep
