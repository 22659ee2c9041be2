// SPDX-License-Identifier: GPL-2.0-or-later
// What `planar run --lockstep` copies from the interpreter because Unicorn differs.
#include "core/cpu/decode/decoder.hpp"
#include "core/lockstep/exclusions.hpp"
#include "tests/catch.hpp"

using namespace planar;
using lockstep::Exclusion;

namespace {

Exclusion of(std::vector<std::uint8_t> code) {
  cpu::CpuConfig config;
  config.model = cpu::Model::p6;
  config.fpu = true;
  cpu::Op op;
  REQUIRE(cpu::decode(code, {config.model, true, true, false}, op));
  return lockstep::exclusion(op, {}, config);
}

}  // namespace

TEST_CASE("Lockstep of a machine excludes images with x87 pointers, and instructions that depend on the chip") {
  CHECK(of({0x0F, 0xAE, 0x03}) == Exclusion::fpu_image);  // FXSAVE [EBX]: Unicorn stores zeros as pointers
  CHECK(of({0xDD, 0x33}) == Exclusion::fpu_image);        // FNSAVE
  CHECK(of({0x0F, 0xAE, 0x0B}) == Exclusion::none);       // FXRSTOR
  CHECK(of({0x0F, 0x34}) == Exclusion::chip);             // SYSENTER
  CHECK(of({0x0F, 0x44, 0xC1}) == Exclusion::none);       // CMOVE
}
