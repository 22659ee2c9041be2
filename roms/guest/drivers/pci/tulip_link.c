// SPDX-License-Identifier: GPL-2.0-or-later
//
// PNIC-II: negotiation and the link (t21142_start_nway, t21142_lnk_change, t21142_timer), the serial ROM, the MII pins.
#include "tulip.h"

// ---- the link -----------------------------------------------------------------------------------
void tulip_start_nway(struct netdev *dev) {
    struct tulip *tp = dev->private_data;
    u32 csr14 = (ADVERTISED & 0x0780) << 9 | (ADVERTISED & 0x0020) << 1 | 0xFFBF;
    tp->port = PORT_10T;
    tp->nway = 1;
    tp->nway_set = 0;
    outl(0x0001, CSR(CSR13));
    outl(csr14, CSR(CSR14));
    tp->csr6 = PORT_10 | FULL_DUPLEX;
    outl(tp->csr6, CSR(CSR6));
    outw(0x0008, CSR(CSR15));
    outl(0x1301, CSR(CSR12));
}

static void nway_again(struct netdev *dev) {
    struct tulip *tp = dev->private_data;
    timer_del(&tp->timer);
    tulip_start_nway(dev);
    timer_set(&tp->timer, jiffies + 3 * HZ);
}

static void negotiated(struct netdev *dev, u32 csr12) {
    struct tulip *tp = dev->private_data;
    u32 common = ADVERTISED & csr12 >> 16;
    tp->nway_set = 1;
    if (common & 0x0100) {
        tp->port = PORT_100TX_FD;
    } else if (common & 0x0080) {
        tp->port = PORT_100TX;
    } else if (common & 0x0040) {
        tp->port = PORT_10T_FD;
    } else if (common & 0x0020) {
        tp->port = PORT_10T;
    } else {
        tp->nway_set = 0;
        if (!(csr12 & 2))
            tp->port = PORT_100TX;
    }
    tp->full_duplex = tp->port >= PORT_10T_FD;
    tp->csr6 = tp->port & 1 ? PORT_100 : PORT_10;
    if (tp->full_duplex)
        tp->csr6 |= FULL_DUPLEX;
    outl(1, CSR(CSR13));
    outl(tp->csr6 | TRANSMIT | RECEIVE, CSR(CSR6));
}

void tulip_link_changed(struct netdev *dev, u32 csr5) {
    struct tulip *tp = dev->private_data;
    u32 csr12 = inl(CSR(CSR12));
    int fast = tp->port == PORT_100TX || tp->port == PORT_100TX_FD;
    if (tp->nway && !tp->nway_set && (csr12 & 0x7000) == 0x5000)
        negotiated(dev, csr12);
    else if ((tp->nway_set && csr5 & LINK_CHANGED && fast && csr12 & 2) || (tp->nway && csr5 & LINK_FAIL))
        nway_again(dev);
    else if (fast && csr12 & 2)
        nway_again(dev);
    else if (!fast && !(csr12 & 4))
        printk("%s: 21143 10baseT link beat good.\n", dev->name);
}

void tulip_timeout(struct netdev *dev) {
    struct tulip *tp = dev->private_data;
    u32 csr5 = inl(CSR(CSR5)), csr12 = inl(CSR(CSR12));
    printk("%s: Transmit timed out, status %x, CSR12 %x, resetting...\n", dev->name, csr5, csr12);
    tp->port = PORT_10T;
    outl(tp->csr6 | RECEIVE, CSR(CSR6));
    outl(tp->csr6 | TRANSMIT | RECEIVE, CSR(CSR6));
    outl(0, CSR(CSR1));
    dev->transmit_start = jiffies;
    dev->counters.tx_errors++;
}

// Without a negotiation result the ports are tried in turn.
static void try_port(struct netdev *dev, u32 csr12) {
    struct tulip *tp = dev->private_data;
    u32 csr6;
    outl(0, CSR(CSR13));
    if (!(csr12 & 4)) {
        csr6 = PORT_10;
        tp->port = PORT_10T;
        outl(0x0003FFFF, CSR(CSR14));
        outw(0x0008, CSR(CSR15));
        outl(0x0001, CSR(CSR13));
    } else {
        csr6 = PORT_100;
        tp->port = PORT_100TX;
        outl(0x0003FF7F, CSR(CSR14));
        outw(8, CSR(CSR15));
        outl(1, CSR(CSR13));
    }
    if (csr6 != (tp->csr6 & ~(u32)FILTER_BITS)) {
        tp->csr6 = (tp->csr6 & FILTER_BITS) | csr6;
        outl(0x0301, CSR(CSR12));
        outl(tp->csr6 | RECEIVE, CSR(CSR6));
        outl(tp->csr6 | TRANSMIT | RECEIVE, CSR(CSR6));
    }
}

void tulip_check_link(u32 data) {
    struct netdev *dev = (struct netdev *)data;
    struct tulip *tp = dev->private_data;
    u32 csr12 = inl(CSR(CSR12)), next = 60 * HZ;
    if (tp->nway_set) {
        // keeps the negotiated port
    } else if (tp->port == PORT_100TX) {
        if (csr12 & 2) {
            tulip_start_nway(dev);
            next = 3 * HZ;
        }
    } else if ((csr12 & 0x7000) != 0x5000) {
        try_port(dev, csr12);
        next = 3 * HZ;
    }
    if (tp->cur_tx != tp->dirty_tx && jiffies - dev->transmit_start > TX_TIMEOUT) {
        printk("%s: Tx hung, %d vs. %d.\n", dev->name, tp->cur_tx, tp->dirty_tx);
        tulip_timeout(dev);
    }
    timer_set(&tp->timer, jiffies + next);
}

// ---- what is connected to the pins of CSR9 ------------------------------------------------------
enum { EE_ENABLE = 0x4801, EE_IDLE = 0x4800, EE_CLOCK = 2, EE_WRITE = 4, EE_READ = 8, EE_WORDS = 64 };

static u32 read_eeprom(struct netdev *dev, u32 location, int address_bits) {
    u32 command = location | 6u << address_bits, got = 0;
    outl(EE_IDLE, CSR(CSR9));
    outl(EE_ENABLE, CSR(CSR9));
    for (int i = 4 + address_bits; i >= 0; i--) {
        u32 bit = command >> i & 1 ? EE_WRITE : 0;
        outl(EE_ENABLE | bit, CSR(CSR9));
        inl(CSR(CSR9));
        outl(EE_ENABLE | bit | EE_CLOCK, CSR(CSR9));
        inl(CSR(CSR9));
        got = got << 1 | (inl(CSR(CSR9)) & EE_READ ? 1 : 0);
    }
    outl(EE_ENABLE, CSR(CSR9));
    for (int i = 16; i > 0; i--) {
        outl(EE_ENABLE | EE_CLOCK, CSR(CSR9));
        inl(CSR(CSR9));
        got = got << 1 | (inl(CSR(CSR9)) & EE_READ ? 1 : 0);
        outl(EE_ENABLE, CSR(CSR9));
        inl(CSR(CSR9));
    }
    outl(EE_IDLE, CSR(CSR9));
    return got;
}

enum { MDIO_CLOCK = 0x10000, MDIO_WRITE = 0x20000, MDIO_INPUT = 0x40000, MDIO_READ = 0x80000 };

static void mdio_bit(struct netdev *dev, u32 bit) {
    outl(bit, CSR(CSR9));
    inl(CSR(CSR9));
    outl(bit | MDIO_CLOCK, CSR(CSR9));
    inl(CSR(CSR9));
}

static u32 mdio_read(struct netdev *dev, u32 phy, u32 reg) {
    u32 command = 0xF6u << 10 | phy << 5 | reg, got = 0;
    for (int i = 32; i >= 0; i--)
        mdio_bit(dev, MDIO_WRITE);
    for (int i = 15; i >= 0; i--)
        mdio_bit(dev, command >> i & 1 ? MDIO_WRITE : 0);
    for (int i = 19; i > 0; i--) {
        outl(MDIO_INPUT, CSR(CSR9));
        inl(CSR(CSR9));
        got = got << 1 | (inl(CSR(CSR9)) & MDIO_READ ? 1 : 0);
        outl(MDIO_INPUT | MDIO_CLOCK, CSR(CSR9));
        inl(CSR(CSR9));
    }
    return got >> 1 & 0xFFFF;
}

void tulip_read_address(struct netdev *dev) {
    u8 rom[2 * EE_WORDS];
    int bits = read_eeprom(dev, 0xFF, 8) & 0x40000 ? 8 : 6;
    for (u32 n = 0; n < EE_WORDS; n++) {
        u32 word = read_eeprom(dev, n, bits);
        rom[2 * n] = (u8)word;
        rom[2 * n + 1] = (u8)(word >> 8);
    }
    memcpy(dev->mac, rom + (memcmp(rom, rom + 16, 8) ? 20 : 0), 6);
}

void tulip_look_for_transceivers(struct netdev *dev) {
    for (u32 phy = 0; phy < 32; phy++) {
        u32 status = mdio_read(dev, phy, 1);
        if ((status & 0x8301) == 0x8001 || (!(status & 0x8000) && status & 0x7800))
            printk("%s: MII transceiver #%d is left alone\n", dev->name, phy);
    }
}
