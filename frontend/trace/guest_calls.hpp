// SPDX-License-Identifier: GPL-2.0-or-later
// System calls by number, for systems that are called with INT 80h.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace planar {

enum class CallTable { own_guest, linux };

struct CallName {
  std::string_view name;
  unsigned arguments;  ///< in EBX, ECX, EDX, ESI, EDI
};

/// Nothing for an unknown number. Linux: the calls of 2.2 on the i386.
std::optional<CallName> call_name(CallTable table, std::uint32_t number);
/// The function of Linux's socketcall: "connect" for 3; empty for an unknown number.
std::string_view socket_call_name(std::uint32_t number);

}  // namespace planar
