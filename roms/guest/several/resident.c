// SPDX-License-Identifier: GPL-2.0-or-later
//
// What of this folder is there with one adapter, too: the stack counts in it.
#include "tcp.h"

u32 tcp_out_of_order;
