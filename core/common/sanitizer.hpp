// SPDX-License-Identifier: GPL-2.0-or-later
// Whether this build uses AddressSanitizer, which GCC and Clang indicate in different ways.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define PLANAR_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PLANAR_ADDRESS_SANITIZER 1
#endif
#endif
