// SPDX-License-Identifier: GPL-2.0-or-later
// PCI configuration space by mechanism 1. `devfn` is bus << 8 | device << 3 | function.
#pragma once

#include "io.h"

enum {
    pci_vendor = 0x00, pci_command = 0x04, pci_class = 0x0A, pci_cache_line = 0x0C, pci_latency = 0x0D, pci_header = 0x0E,
    pci_base = 0x10, pci_rom = 0x30, pci_line = 0x3C, pci_pin = 0x3D,
    command_io = 1, command_memory = 2, command_master = 4,
    class_ide = 0x0101, class_network = 0x02, class_vga = 0x0300, class_bridge = 0x06, class_isa_bridge = 0x0601,
};

static inline void pci_select(u16 devfn, u8 where) { outl(0xCF8, 0x80000000 | (u32)devfn << 8 | (where & 0xFC)); }

static inline u8 pci_read8(u16 devfn, u8 where)
{
    pci_select(devfn, where);
    return inb((u16)(0xCFC + (where & 3)));
}

static inline u16 pci_read16(u16 devfn, u8 where)
{
    pci_select(devfn, where);
    return inw((u16)(0xCFC + (where & 2)));
}

static inline u32 pci_read32(u16 devfn, u8 where)
{
    pci_select(devfn, where);
    return inl(0xCFC);
}

static inline void pci_write8(u16 devfn, u8 where, u8 value)
{
    pci_select(devfn, where);
    outb((u16)(0xCFC + (where & 3)), value);
}

static inline void pci_write16(u16 devfn, u8 where, u16 value)
{
    pci_select(devfn, where);
    outw((u16)(0xCFC + (where & 2)), value);
}

static inline void pci_write32(u16 devfn, u8 where, u32 value)
{
    pci_select(devfn, where);
    outl(0xCFC, value);
}
