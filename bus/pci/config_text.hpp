// SPDX-License-Identifier: GPL-2.0-or-later
// Configuration space for people: registers and their bits by name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace planar::pci {

class Function;
class Segment;

/// The name of the header's register (type 0; PCI 2.1, 6.2) that the byte `reg` belongs to; empty for one of the
/// device's own, from 40h on.
std::string_view header_register(unsigned reg);

/// The bits that are set: "IO_SPACE MEMORY_SPACE BUS_MASTER".
std::string command_text(unsigned command);
/// The same of STATUS, with its DEVSEL# timing: "FAST_BACK_TO_BACK DEVSEL medium RECEIVED_MASTER_ABORT".
std::string status_text(unsigned status);
/// "Ethernet controller" for 020000h; "class 0C0300h" for one without a name here.
std::string class_text(std::uint32_t class_code);

/// "00:09.0 Ethernet controller 10B7:9055 rev 30".
std::string function_title(const Function& function);
/// What base address register `n` is and where: "I/O 6080h-60FFh", "memory, 80h bytes, no address".
std::string bar_text(const Function& function, unsigned n);
/// "INTA#, IRQ 9, asserted"; empty for a function without a pin.
std::string interrupt_text(const Function& function);

/// The functions of a segment, a line each, as lspci -n lists them: function_title() with their base addresses and
/// interrupts.
std::string functions_text(const Segment& segment);
/// One of them: its header by name, then all 256 bytes as lspci -xxx shows them. Empty if there is no such function.
std::string function_text(const Segment& segment, unsigned device, unsigned function);

}  // namespace planar::pci
