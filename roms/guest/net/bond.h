// SPDX-License-Identifier: GPL-2.0-or-later
//
// A bond: several adapters as one device, the frames dealt out in turn. Behaves as the bonding device of Linux 2.2.17
// (docs/hardware/channel-bonding.md); the code is our own.
#pragma once
#include "net.h"

void bond_all(void);                    // of all adapters that were found: it is `netdev` from now on
int bonded(void);
