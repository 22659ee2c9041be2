// SPDX-License-Identifier: GPL-2.0-or-later
// Names as people write them: "95" and "Model 95" for model95, "NE2" and "NE/2" for ne2.
#pragma once

#include <string>

namespace planar {

/// The built-in machine that is meant; `name` itself if it is a machine's or a file's name, or if none or several could
/// be meant.
std::string usual_machine_name(const std::string& name);

/// The same of an adapter, by its name or title.
std::string usual_card_name(const std::string& name);

/// Throws Error for a file with bytes that no text has, which is an image in place of a machine file: with the option
/// that takes it.
void refuse_image(const std::string& name);

}  // namespace planar
