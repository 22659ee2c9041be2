// SPDX-License-Identifier: GPL-2.0-or-later
// Numbers that the architecture assigns: registers, exception vectors, EFLAGS and control register bits.
#pragma once

#include <cstdint>

namespace planar::cpu {

// General registers as ModRM numbers them.
enum : unsigned { EAX, ECX, EDX, EBX, ESP, EBP, ESI, EDI };
// Segment registers as instructions number them.
enum : unsigned { ES, CS, SS, DS, FS, GS };

// Exception vectors.
// clang-format off
enum : std::uint8_t { vec_de = 0, vec_db = 1, vec_nmi = 2, vec_bp = 3, vec_of = 4, vec_br = 5, vec_ud = 6, vec_nm = 7,
                      vec_df = 8, vec_ts = 10, vec_np = 11, vec_ss = 12, vec_gp = 13, vec_pf = 14, vec_mf = 16,
                      vec_ac = 17 };

// EFLAGS.
inline constexpr std::uint32_t flag_cf = 1u << 0, flag_pf = 1u << 2, flag_af = 1u << 4, flag_zf = 1u << 6,
    flag_sf = 1u << 7, flag_tf = 1u << 8, flag_if = 1u << 9, flag_df = 1u << 10, flag_of = 1u << 11,
    flag_iopl = 3u << 12, flag_nt = 1u << 14, flag_rf = 1u << 16, flag_vm = 1u << 17, flag_ac = 1u << 18,
    flag_id = 1u << 21;
// clang-format on
inline constexpr std::uint32_t arithmetic_flags = flag_cf | flag_pf | flag_af | flag_zf | flag_sf | flag_of;

// Signatures, as in EDX at reset and in CPUID: family, model, stepping. The Pentium is a P54C (Pentium Processor
// Specification Update).
inline constexpr std::uint32_t i386sx_signature = 0x2308, i486sx_signature = 0x0423, pentium_signature = 0x0525,
                               p6_signature = 0x0672;

// Control registers.
inline constexpr std::uint32_t cr0_pe = 1u << 0, cr0_mp = 1u << 1, cr0_em = 1u << 2, cr0_ts = 1u << 3, cr0_et = 1u << 4,
                               cr0_ne = 1u << 5, cr0_wp = 1u << 16, cr0_am = 1u << 18, cr0_nw = 1u << 29,
                               cr0_cd = 1u << 30, cr0_pg = 1u << 31;
inline constexpr std::uint32_t cr4_tsd = 4, cr4_de = 8, cr4_pse = 16, cr4_mce = 64, cr4_pge = 128, cr4_pce = 256,
                               cr4_osfxsr = 512;

}  // namespace planar::cpu
