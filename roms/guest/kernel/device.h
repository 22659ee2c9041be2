// SPDX-License-Identifier: GPL-2.0-or-later
//
// An adapter as drivers see it, independent of its bus. Each bus is a file with a `struct bus` (mca.c, pci.c); its scan
// fills `devices` in the order of the slots with everything that the bus itself knows about an adapter.
#pragma once
#include "kernel.h"

struct bus {
    const char *name;
    void (*scan)(void);
};

enum { PCI_BASES = 6 };
struct device {
    const struct bus *bus;
    u32 id;                             // adapter ID in the format of the bus
    int slot;                           // from 1; on PCI the device number if the firmware has no slot table
    int enabled;                        // configured by the firmware
    u16 io;                             // I/O base, once the driver or the bus has determined it
    u32 mem;                            // physical
    int irq;
    u32 base[PCI_BASES];                // PCI: base address registers as read; io and mem are the first of each kind
    u32 class;                          // PCI: 24 bits
    u8 revision;                        // PCI
    u16 devfn;                          // PCI: bus << 8 | device << 3 | function
};

enum { DEVICES_MOST = 16 };
extern struct device devices[DEVICES_MOST];
extern u32 device_count;
struct device *device_add(const struct bus *bus, u32 id, int slot, int enabled);

// ---- Micro Channel (mca.c) ----------------------------------------------------------------------
// The firmware's choices are in POS 2 to 5, whose layout depends on the adapter: its driver decodes them.
extern const struct bus mca_bus;
extern int has_mca;                     // reported by the firmware: the only sign that Linux goes by
u8 mca_stored_pos(const struct device *d, int reg);                 // value read by the scan
u8 mca_read_pos(const struct device *d, int reg);                   // the register itself
void mca_write_pos(const struct device *d, int reg, u8 value);      // also updates the stored copy
// `bits` bits of a stored register, starting at `bit`.
static inline u32 mca_field(const struct device *d, int reg, int bit, int bits) {
    return mca_stored_pos(d, reg) >> bit & ((1u << bits) - 1);
}

// ---- PCI (pci.c) --------------------------------------------------------------------------------
// An id is vendor << 16 | device. The firmware has assigned addresses and interrupts: a driver needs no `locate`.
extern const struct bus pci_bus;
extern int has_pci;                     // found by the scan
#define PCI_ID(vendor, device) ((u32)(vendor) << 16 | (device))
enum { PCI_COMMAND = 0x04, PCI_CACHE_LINE_SIZE = 0x0C, PCI_LATENCY_TIMER = 0x0D };
enum { PCI_COMMAND_IO = 1, PCI_COMMAND_MEMORY = 2, PCI_COMMAND_MASTER = 4, PCI_COMMAND_INVALIDATE = 0x10 };
u8 pci_read_byte(const struct device *d, u32 where);
u16 pci_read_word(const struct device *d, u32 where);
u32 pci_read_dword(const struct device *d, u32 where);
void pci_write_byte(const struct device *d, u32 where, u8 value);
void pci_write_word(const struct device *d, u32 where, u16 value);
void pci_write_dword(const struct device *d, u32 where, u32 value);
int pci_slot(u32 devfn);                // pci_slot.c
// As in Linux 2.2: sets bus master enable and raises a latency timer below 16 to 64.
void pci_set_master(const struct device *d);
// Some drivers of the period do this themselves: a latency timer below `least` is raised to `raised`.
void pci_raise_latency(const struct device *d, u8 least, u8 raised);
