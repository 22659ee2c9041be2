// SPDX-License-Identifier: GPL-2.0-or-later
//
// The adapters that the bus scans have found.
#include "device.h"

struct device devices[DEVICES_MOST];
u32 device_count;

struct device *device_add(const struct bus *bus, u32 id, int slot, int enabled) {
    if (device_count == DEVICES_MOST)
        fail("more than %d adapters", DEVICES_MOST);
    struct device *d = &devices[device_count++];
    *d = (struct device){.bus = bus, .id = id, .slot = slot, .enabled = enabled};
    return d;
}
