// SPDX-License-Identifier: GPL-2.0-or-later
//
// A bond: several adapters as one device, which distributes the frames in turn. Behaves like the bonding device of
// Linux 2.2.17 (docs/hardware/channel-bonding.md); the code is our own.
#pragma once
#include "net.h"

void bond_all(void);                    // joins all adapters found; `netdev` is the bond from now on
int bonded(void);
