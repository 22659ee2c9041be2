// SPDX-License-Identifier: GPL-2.0-or-later
//
// A driver of the test bench: which Micro Channel IDs it serves and how it takes one over. To add
// one: a file of its own and a row in registry.c.
#pragma once
#include "net.h"

struct driver {
    const char *name;                   // as planar's card name where one driver serves one card
    const u16 *ids;                     // in the order in which the period's driver looks; 0 ends
    int (*probe)(struct netdev *dev, const u8 pos[8]);      // 0 = running
};

extern const struct driver threec523_driver;
extern const struct driver threec527_driver;
extern const struct driver el3_driver;
extern const struct driver ne2_driver;
extern const struct driver smc_mca_driver;
extern const struct driver ibmlana_driver;
extern const struct driver eexpress_driver;
extern const struct driver sk_mca_driver;
extern const struct driver depca_driver;
extern const struct driver oc2335_driver;
extern const struct driver streamer_driver;
