// SPDX-License-Identifier: GPL-2.0-or-later
// Arguments as people write them, in the form that the options' readers expect. Text that is not understood is left
// unchanged; the reader then reports it with the option and the remedy.
#pragma once

#include <string>

namespace planar {

/// "95" becomes "model95"; "MACHINE[:CARD]" is converted in both parts.
std::string machine_argument(const std::string& text);

/// "[SLOT=]NAME[:option=value,...]": "1=NE/2:irq=3" becomes "1=ne2:irq=3".
std::string card_argument(const std::string& text);

/// Seconds: "500ms", "0.5 s", ".5" and "0.50" become "0.5", so that a duration has only one spelling in the guest's
/// settings.
std::string seconds_argument(const std::string& text);

/// A bit rate: "16", "16Mbit/s" and "16 mbit/s" become "16 Mbit/s".
std::string bit_rate_argument(const std::string& text);

/// A list of sizes in bytes: "1K,8K" becomes "1024,8192".
std::string sizes_argument(const std::string& text);

/// A list of rates: "100k,1488k" becomes "100000,1488000".
std::string rates_argument(const std::string& text);

}  // namespace planar
