// SPDX-License-Identifier: GPL-2.0-or-later
// Assembles real-mode programs for tests: bytes, labels, and jumps to them.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "tests/catch.hpp"

namespace planar::test {

class Assembler {
 public:
  explicit Assembler(std::uint16_t origin) : origin_(origin) {}

  Assembler& operator()(std::initializer_list<unsigned> bytes) {
    for (const unsigned b : bytes) code_.push_back(static_cast<std::uint8_t>(b));
    return *this;
  }
  /// An opcode followed by a word.
  Assembler& word(std::initializer_list<unsigned> opcode, unsigned value) {
    return (*this)(opcode)({value & 0xFF, value >> 8});
  }
  Assembler& label(const std::string& name) {
    labels_[name] = code_.size();
    return *this;
  }
  /// A short jump of any kind.
  Assembler& jump(unsigned opcode, const std::string& to) {
    (*this)({opcode, 0});
    fixes_.push_back({code_.size(), 1, to});
    return *this;
  }
  Assembler& call(const std::string& to) {
    (*this)({0xE8, 0, 0});
    fixes_.push_back({code_.size(), 2, to});
    return *this;
  }
  /// An opcode followed by the address of `to`.
  Assembler& pointer(std::initializer_list<unsigned> opcode, const std::string& to) {
    word(opcode, 0);
    fixes_.push_back({code_.size(), 2, to, true});
    return *this;
  }

  std::uint16_t address(const std::string& name) const {
    return static_cast<std::uint16_t>(origin_ + labels_.at(name));
  }
  std::vector<std::uint8_t> code() {
    for (const Fix& f : fixes_) {
      const int distance = static_cast<int>(labels_.at(f.to)) + (f.absolute ? origin_ : -static_cast<int>(f.after));
      if (f.bytes == 1) REQUIRE((distance >= -128 && distance <= 127));
      for (unsigned i = 0; i < f.bytes; ++i)
        code_[f.after - f.bytes + i] = static_cast<std::uint8_t>(static_cast<unsigned>(distance) >> 8 * i);
    }
    return code_;
  }

 private:
  // clang-format off
  struct Fix { std::size_t after; unsigned bytes; std::string to; bool absolute = false; };
  // clang-format on
  std::uint16_t origin_;
  std::vector<std::uint8_t> code_;
  std::map<std::string, std::size_t> labels_;
  std::vector<Fix> fixes_;
};

/// A 1.44 MB diskette whose boot sector is `program`, assembled for 7C00h.
inline std::vector<std::uint8_t> boot_diskette(Assembler& program) {
  auto image = program.code();
  REQUIRE(image.size() <= 510);
  image.resize(1474560);
  image[510] = 0x55;
  image[511] = 0xAA;
  return image;
}

}  // namespace planar::test
