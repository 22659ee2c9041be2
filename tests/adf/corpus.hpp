// SPDX-License-Identifier: GPL-2.0-or-later
// Synthetic descriptions for the tests, written from the POS tables of docs/hardware/pos-and-adf.md#adapter-ids. They
// have the structure and the irregularities of real files, but none of their text.
#pragma once

#include <string>

namespace corpus {

/// Two asynchronous ports (ID EEFFh): eight addresses for each connector, so that the two items of one card compete.
inline std::string dual_async() {
  std::string text =
      "AdapterId 0EEFFh\r\nAdapterName \"Dual Async Adapter/A\"\r\nNumBytes 1\r\n"
      "FixedResource pos[0]=XXXXXXXXb\r\n";
  const char* places[8] = {"03f8h-03ffh int 4", "02f8h-02ffh int 3", "3220h-3227h int 3", "3228h-322fh int 3",
                           "4220h-4227h int 3", "4228h-422fh int 3", "5220h-5227h int 3", "5228h-522fh int 3"};
  const auto bits = [](unsigned n) {
    return std::string{static_cast<char>('0' + (n >> 2 & 1)), static_cast<char>('0' + (n >> 1 & 1)),
                       static_cast<char>('0' + (n & 1))};
  };
  text += "nameditem prompt \"Connector 1\"\r\n";
  for (unsigned n = 0; n < 8; ++n)
    text += "\tchoice \"SERIAL_" + std::to_string(n + 1) + "\" pos[0]=XXXX" + bits(n) + "Xb io " + places[n] + "\r\n";
  text += "nameditem prompt \"Connector 2\"\r\n";
  for (unsigned n = 0; n < 8; ++n)
    text += "\tchoice \"SERIAL_" + std::to_string(n + 1) + "\" pos[0]=X" + bits(n) + "XXXXb io " + places[n] + "\r\n";
  return text + "\x1A trailing rubbish \"";
}

/// SCSI adapter with cache (ID 8EFFh): port, ROM segment, arbitration level, fixed interrupt.
inline std::string scsi() {
  std::string text =
      "; SCSI, from the driver's decode\n"
      "ADAPTERID 08EFFh\nADAPTERNAME \"SCSI Adapter with Cache\"\nNUMBYTES 4\nFIXEDRESOURCES int "
      "14\n"
      "NAMEDITEM PROMPT \"I/O Address\"\n";
  const auto bit = [](unsigned n, int b) { return n >> b & 1 ? '1' : '0'; };
  const auto hex4 = [](unsigned v) {
    const char* digits = "0123456789ABCDEF";
    return std::string{'0', digits[v >> 12 & 15], digits[v >> 8 & 15], digits[v >> 4 & 15], digits[v & 15], 'h'};
  };
  for (unsigned n = 0; n < 8; ++n)
    text += " CHOICE \"Port " + std::to_string(n) + "\" POS[0]=XXXX" + std::string{bit(n, 2), bit(n, 1), bit(n, 0)} +
            "Xb IO " + hex4(0x3540 + 8 * n) + "-" + hex4(0x3547 + 8 * n) + "\n";
  text += "NAMEDITEM PROMPT \"Arbitration Level\"\n";
  for (const unsigned n : {12u, 11u, 10u, 9u, 8u, 14u, 13u, 7u, 6u, 5u, 4u, 3u, 1u, 0u})
    text += " CHOICE \"Level " + std::to_string(n) + "\" POS[1]=XXXX" +
            std::string{bit(n, 3), bit(n, 2), bit(n, 1), bit(n, 0)} + "b ARB " + std::to_string(n) + "\n";
  text +=
      "NAMEDITEM PROMPT \"Fairness\" CHOICE \"On\" POS[1]=XXX1XXXXb CHOICE \"Off\" "
      "POS[1]=XXX0XXXXb\n";
  text += "NAMEDITEM PROMPT \"ROM Address\"\n";
  for (unsigned n = 0; n < 14; n += 4)
    text += " CHOICE \"ROM " + std::to_string(n) +
            "\" POS[0]=" + std::string{bit(n, 3), bit(n, 2), bit(n, 1), bit(n, 0)} + "XXXXb MEM 0" +
            hex4((0xC0000 + n * 0x2000) >> 4).substr(1, 4) + "0h-0" +
            hex4((0xC0000 + n * 0x2000 + 0x7FFF) >> 4).substr(1, 4) + "Fh\n";
  return text +
         " CHOICE \"None\" POS[0]=1111XXXXb\n Help \"Where the\n   ROM of the\tadapter "
         "appears.\"\n";
}

/// A sound card similar to ID 5085h: fixed ports, masks with x and X mixed, a range whose start lacks its h.
inline std::string sound() {
  return "AdapterId  5085h\nAdapterName \"Sound\"\nNumBytes 2\n"
         "FixedResources\n  pos[0]=0000000Xb\n  io 0388h-0389h\n\n"
         "NamedItem\n  Prompt \"I/O Address\"\n"
         "    Choice \"220h\" pos[1]=xxxxx010b io 0220-022fh\n"
         "    Choice \"240h\" pos[1]=xxxxx100b io 0240-024fh\n"
         "NamedItem\n  Prompt \"Interrupt\"\n"
         "    Choice \"IRQ 5\" pos[1]=xxx10xxxb int 5\n"
         "    Choice \"IRQ 7\" pos[1]=xxx11xxxb int 7\n"
         "    Choice \"IRQ 2\" pos[1]=xxx00xxxb int 2\n"
         "NamedItem\n  Prompt \"DMA Priority\"\n"
         "    Choice \"Level 1\" pos[1]=x01xxxxxb arb 1\n"
         "    Choice \"Level 0\" pos[1]=x00xxxxxb arb 0\n"
         "    Choice \"Level 3\" pos[1]=x10xxxxxb arb 3\n"
         "NamedItem\n  Prompt \"Joystick\"\n"
         "    Choice \"Enabled\" pos[1]=1xxxxxxxb io 0200-020fh\n"
         "    Choice \"Disabled\" pos[1]=0xxxxxxxb\n";
}

/// A display adapter whose first choice is an aperture above 16 MB (similar to ID 8FDBh).
inline std::string aperture() {
  return "AdapterId 08FDBh AdapterName \"Display\" NumBytes 4\n"
         "SysMem 4096 65536\nInitProg 12\nAddressWidth 32\n"
         "NamedItem Prompt \"Instance\"\n"
         "  Choice \"6\" pos[0]=XXXX110Xb io 2160h-216Fh\n"
         "  Choice \"5\" pos[0]=XXXX101Xb io 2150h-215Fh\n"
         "NamedItem Prompt \"Aperture\"\n"
         "  Choice \"High\" pos[2]=11111111b mem 0FEC00000h-0FEFFFFFFh\n"
         "  Choice \"1 MB\" pos[2]=XXXXXXX0b pos[3]=XXXX1111b mem 0F00000h-0FFFFFFh\n"
         "Help \"Where the picture memory appears.\"\n";
}

/// One item with `count` I/O choices: the simplest card for testing the solver.
inline std::string ports(unsigned id, unsigned count, const std::string& more = "") {
  const char* digits = "0123456789ABCDEF";
  std::string text = "AdapterId 0";
  for (int shift = 12; shift >= 0; shift -= 4) text += digits[id >> shift & 15];
  text += "h AdapterName \"Ports\" NumBytes 2\nNamedItem Prompt \"Ports\"\n";
  for (unsigned n = 0; n < count; ++n) {
    std::string mask;
    for (int b = 3; b >= 0; --b) mask += n >> b & 1 ? '1' : '0';
    text += std::string(" Choice \"") + digits[n] + "\" pos[1]=XXXX" + mask + "b io 0" + digits[n] + "800h-0" +
            digits[n] + "80Fh\n";
  }
  return text + more;
}

}  // namespace corpus
