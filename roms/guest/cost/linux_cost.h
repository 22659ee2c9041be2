// SPDX-License-Identifier: GPL-2.0-or-later
//
// COST(site): executes what the real kernel executes at that point and this one does not (linux_cost.asm).
#pragma once

#define COST(site)              \
    do {                        \
        void cost_##site(void); \
        cost_##site();          \
    } while (0)
