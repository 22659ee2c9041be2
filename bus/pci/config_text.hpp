// SPDX-License-Identifier: GPL-2.0-or-later
// Configuration space as text: registers and their bits by name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace planar::pci {

class Function;
class Segment;

/// The name of the header register (type 0; PCI 2.1, 6.2) that contains byte `reg`; empty for a device-specific
/// register (40h and above).
std::string_view header_register(unsigned reg);

/// The bits that are set: "IO_SPACE MEMORY_SPACE BUS_MASTER".
std::string command_text(unsigned command);
/// The same for STATUS, with its DEVSEL# timing: "FAST_BACK_TO_BACK DEVSEL medium RECEIVED_MASTER_ABORT".
std::string status_text(unsigned status);
/// "Ethernet controller" for 020000h; "class 0C0300h" for a class without a name here.
std::string class_text(std::uint32_t class_code);

/// "00:09.0 Ethernet controller 10B7:9055 rev 30".
std::string function_title(const Function& function);
/// The type and location of base address register `n`: "I/O 6080h-60FFh", "memory, 80h bytes, no address".
std::string bar_text(const Function& function, unsigned n);
/// "INTA#, IRQ 9, asserted"; empty for a function without a pin.
std::string interrupt_text(const Function& function);

/// The functions of a segment, one per line, as lspci -n lists them: function_title() with their base addresses and
/// interrupts.
std::string functions_text(const Segment& segment);
/// One function: its header by name, then all 256 bytes as lspci -xxx shows them. Empty if there is no such function.
std::string function_text(const Segment& segment, unsigned device, unsigned function);

}  // namespace planar::pci
