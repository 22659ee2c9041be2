// SPDX-License-Identifier: GPL-2.0-or-later
//
// 3c59x.c's probe: configuration space, EEPROM, MII management.
#include "3c59x.h"

static int mii_preamble;                // set once a PHY that needs one has been seen; as in Linux, shared by all cards

// ---- MII management -----------------------------------------------------------------------------
static void mii_clock(struct netdev *dev, u32 level) {
    outw((u16)level, PORT(W4_MII));
    inl(PORT(W4_MII));
    outw((u16)(level | MII_CLOCK), PORT(W4_MII));
    inl(PORT(W4_MII));
}
static void mii_out(struct netdev *dev, u32 bits, int count) {
    while (--count >= 0)
        mii_clock(dev, bits & 1u << count ? MII_DRIVE | MII_ONE : MII_DRIVE);
}
u16 vortex_mii_read(struct netdev *dev, u32 phy, u32 reg) {
    u32 value = 0;
    if (mii_preamble)
        mii_out(dev, ~0u, 32);
    mii_out(dev, 0xF6u << 10 | phy << 5 | reg, 15);
    for (int i = 19; i > 0; i--) {
        outw(0, PORT(W4_MII));
        inl(PORT(W4_MII));
        value = value << 1 | (inw(PORT(W4_MII)) & MII_ONE ? 1 : 0);
        outw(MII_CLOCK, PORT(W4_MII));
        inl(PORT(W4_MII));
    }
    return value & 0x20000 ? 0xFFFF : (u16)(value >> 1);
}

// ---- EEPROM, PHYs ---------------------------------------------------------------------------------
static void read_eeprom(struct netdev *dev, u16 *words) {
    window(dev, 0);
    for (int i = 0; i < 0x40; i++) {
        outw((u16)(0x80 + i), PORT(W0_EEPROM_COMMAND));
        for (int timer = 10; timer >= 0; timer--) {
            udelay_spin(162);
            if (!(inw(PORT(W0_EEPROM_COMMAND)) & 0x8000))
                break;
        }
        words[i] = inw(PORT(W0_EEPROM_DATA));
    }
}

static u16 folded(u16 sum) { return (u16)((sum ^ sum >> 8) & 0xFF); }

static void check_eeprom(const u16 *words) {
    u16 sum = 0;
    int i;
    for (i = 0; i < 0x18; i++)
        sum ^= words[i];
    sum = folded(sum);
    if (sum) {
        while (i < 0x21)
            sum ^= words[i++];
        sum = folded(sum);
    }
    if (sum)
        printk("3c905b: ***INVALID CHECKSUM %x***\n", sum);
}

static void find_phys(struct netdev *dev) {
    struct vortex *vp = dev->private_data;
    u32 found = 0;
    window(dev, 4);
    mii_preamble += 2;
    vortex_mii_read(dev, 24, 1);
    for (u32 phy = 1; phy <= 32 && found < sizeof vp->phys; phy++) {
        u16 status = vortex_mii_read(dev, phy & 31, 1);
        if (status && status != 0xFFFF) {
            vp->phys[found++] = (u8)(phy & 31);
            if (!(status & 0x0040))
                mii_preamble++;
        }
    }
    mii_preamble--;
    if (!found) {
        printk("3c905b: ***WARNING*** No MII transceivers found!\n");
        vp->phys[0] = 24;
    } else {
        vp->advertising = vortex_mii_read(dev, vp->phys[0], 4);
    }
}

static void enable(const struct device *d) {
    u16 power = pci_read_word(d, 0xE0);
    if (power & 3)
        pci_write_word(d, 0xE0, (u16)(power & ~3));
    u16 was = pci_read_word(d, PCI_COMMAND), wanted = was | PCI_COMMAND_MASTER | PCI_COMMAND_IO;
    if (was != wanted)
        pci_write_word(d, PCI_COMMAND, wanted);
}

int vortex_found(struct netdev *dev, const struct device *d) {
    struct vortex *vp = dev->private_data;
    u16 eeprom[0x40];
    enable(d);
    read_eeprom(dev, eeprom);
    check_eeprom(eeprom);
    for (int i = 0; i < 3; i++) {
        dev->mac[2 * i] = (u8)(eeprom[i + 10] >> 8);
        dev->mac[2 * i + 1] = (u8)eeprom[i + 10];
    }
    vp->info1 = eeprom[13];
    vp->info2 = eeprom[15];
    vp->capabilities = eeprom[16];
    window(dev, 3);
    vp->media = inw(PORT(W3_OPTIONS));
    u32 config = inl(PORT(W3_CONFIG));
    vp->default_media = (u8)(config >> 20 & 15);
    vp->autoselect = (u8)(config >> 24 & 1);
    if (vp->default_media == AUTO_NEGOTIATE)
        find_phys(dev);
    if (!(vp->capabilities & BUS_MASTER)) {
        printk("3c905b: no bus master\n");
        return -1;
    }
    pci_raise_latency(d, 32, 32);
    return 0;
}
