// SPDX-License-Identifier: GPL-2.0-or-later
// A diskette whose boot sector shows '>' and every key returned by INT 16h, on the screen and on COM1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>

namespace echo_diskette {

/// If `deaf`, it reads no keys for the first four seconds.
inline std::string image(char prompt = '>', bool deaf = false) {
  static constexpr std::uint8_t rest[] = {0xB9, 0x3D, 0x00, 0xBA, 0x00,
                                          0x09, 0xB4, 0x86, 0xCD, 0x15};  // int 15h 86h: 4 s
  const std::uint8_t echo[] = {
      0xB8, 0xE3,
      0x00, 0x31,
      0xD2, 0xCD,
      0x14,  // mov ax, 00E3h (9600 8N1); xor dx, dx; int 14h
      0xB0, static_cast<std::uint8_t>(prompt),
      0xE8, 0x12,
      0x00,  // line: mov al, prompt; call put
      0x30, 0xE4,
      0xCD, 0x16,
      0xE8, 0x0B,
      0x00,  // key: xor ah, ah; int 16h; call put
      0x3C, 0x0D,
      0x75, 0xF5,  // cmp al, 0Dh; jne key
      0xB0, 0x0A,
      0xE8, 0x02,
      0x00, 0xEB,
      0xE9,  // mov al, 0Ah; call put; jmp line
      0x50, 0xB4,
      0x0E, 0xBB,
      0x07, 0x00,
      0xCD, 0x10,
      0x58,  // put: push ax; mov ah, 0Eh; mov bx, 7; int 10h; pop ax
      0x50, 0xB4,
      0x01, 0x31,
      0xD2, 0xCD,
      0x14, 0x58,
      0xC3,  // push ax; mov ah, 1; xor dx, dx; int 14h; pop ax; ret
  };
  std::string bytes(1474560, '\0');
  std::size_t at = 0;
  if (deaf)
    for (const auto b : rest) bytes[at++] = static_cast<char>(b);
  for (const auto b : echo) bytes[at++] = static_cast<char>(b);
  bytes[510] = '\x55';
  bytes[511] = '\xAA';
  return bytes;
}

/// A boot sector that stops the processor for good.
inline std::string halting() {
  auto bytes = image();
  bytes.replace(0, 2, "\xFA\xF4");  // cli; hlt
  return bytes;
}

}  // namespace echo_diskette
