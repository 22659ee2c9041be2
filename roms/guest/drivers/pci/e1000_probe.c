// SPDX-License-Identifier: GPL-2.0-or-later
//
// e1000.c's other half: reset, EEPROM, link, address filter and statistics of an 82542 or 82543 with fibre.
#include "e1000.h"
#include "mode.h"

enum { EESK = 1, EECS = 2, EEDI = 4, EEDO = 8, EE_READ = 6, EE_WORDS = 64, EE_SUM = 0xBABA, EE_CONTROL_1 = 0x0A,
       EE_CONTROL_2 = 0x0F };
enum { LINK_TRIES = 50 };               // of 10 ms each

static void wait_ms(u32 n) { udelay_spin(n * 1000); }

// ---- EEPROM -------------------------------------------------------------------------------------
static void clock(const struct e1000 *ep, u32 *eecd, int up) {
    *eecd = up ? *eecd | EESK : *eecd & ~(u32)EESK;
    write_reg(ep, EECD, *eecd);
    udelay_spin(50);
}

static void shift_out(const struct e1000 *ep, u32 data, u32 bits) {
    u32 eecd = read_reg(ep, EECD) & ~(u32)(EEDO | EEDI);
    while (bits--) {
        eecd &= ~(u32)EEDI;
        if (data >> bits & 1)
            eecd |= EEDI;
        write_reg(ep, EECD, eecd);
        udelay_spin(50);
        clock(ep, &eecd, 1);
        clock(ep, &eecd, 0);
    }
    write_reg(ep, EECD, eecd & ~(u32)EEDI);
}

static u16 shift_in(const struct e1000 *ep) {
    u32 eecd = read_reg(ep, EECD) & ~(u32)(EEDO | EEDI), data = 0;
    for (u32 n = 0; n < 16; n++) {
        clock(ep, &eecd, 1);
        eecd = read_reg(ep, EECD) & ~(u32)EEDI;
        data = data << 1 | (eecd & EEDO ? 1 : 0);
        clock(ep, &eecd, 0);
    }
    return (u16)data;
}

static u16 eeprom_word(const struct e1000 *ep, u32 n) {
    write_reg(ep, EECD, EECS);
    shift_out(ep, EE_READ, 3);
    shift_out(ep, n, 6);
    u16 word = shift_in(ep);
    u32 eecd = read_reg(ep, EECD) & ~(u32)(EECS | EEDI);
    write_reg(ep, EECD, eecd);
    clock(ep, &eecd, 1);
    clock(ep, &eecd, 0);
    return word;
}

// ---- link ---------------------------------------------------------------------------------------
static void force_pause(const struct e1000 *ep) {
    u32 ctrl = read_reg(ep, CTRL) & ~(u32)(CTRL_TFCE | CTRL_RFCE);
    write_reg(ep, CTRL, ctrl | (ep->pause & PAUSE_RECEIVE ? CTRL_RFCE : 0) | (ep->pause & PAUSE_TRANSMIT ? CTRL_TFCE : 0));
}

void e1000_check_link(struct netdev *dev) {
    struct e1000 *ep = dev->private_data;
    u32 ctrl = read_reg(ep, CTRL), status = read_reg(ep, STATUS), rxcw = read_reg(ep, RXCW);
    if (!(status & STATUS_LU) && !(ctrl & CTRL_SWDPIN1) && !(rxcw & RXCW_C)) {
        if (!ep->negotiation_failed) {
            ep->negotiation_failed = 1;
            return;
        }
        write_reg(ep, TXCW, ep->txcw & ~TXCW_ANE);
        write_reg(ep, CTRL, read_reg(ep, CTRL) | CTRL_SLU | CTRL_FD);
        force_pause(ep);
    } else if (ctrl & CTRL_SLU && rxcw & RXCW_C) {
        write_reg(ep, TXCW, ep->txcw);
        write_reg(ep, CTRL, ctrl & ~(u32)CTRL_SLU);
    }
}

static void start_link(struct netdev *dev, u32 ctrl) {
    static const u32 pauses[] = {0, TXCW_PAUSE, TXCW_ASM_DIR, TXCW_PAUSE};
    struct e1000 *ep = dev->private_data;
    write_reg(ep, TCTL, read_reg(ep, TCTL) | TCTL_COLD);
    ep->txcw = TXCW_ANE | TXCW_FD | pauses[ep->pause];
    write_reg(ep, TXCW, ep->txcw);
    write_reg(ep, CTRL, ctrl);
    wait_ms(1);
    if (read_reg(ep, CTRL) & CTRL_SWDPIN1)
        return;
    u32 n = 0;
    do
        wait_ms(10);
    while (!(read_reg(ep, STATUS) & STATUS_LU) && ++n < LINK_TRIES);
    ep->negotiation_failed = n == LINK_TRIES;
    if (ep->negotiation_failed)
        e1000_check_link(dev);
    ep->negotiation_failed = 0;
}

static void start_link_and_pause(struct netdev *dev) {
    struct e1000 *ep = dev->private_data;
    u32 word = eeprom_word(ep, EE_CONTROL_1), ctrl = (word & 0x01E0) << 17 | (word & 0x0010) << 3;
    word = eeprom_word(ep, EE_CONTROL_2);
    ep->pause = receive_delayed || receive_polled ? PAUSE_NONE : PAUSE_FULL;
    if (!ep->is_82543 && ep->report_early)
        ep->pause &= ~(u32)PAUSE_RECEIVE;
    if (ep->is_82543)
        write_reg(ep, EXCT, (word & 0x00F0) << 4);
    start_link(dev, ctrl);
    write_reg(ep, FCAL, 0x00C28001);
    write_reg(ep, FCAH, 0x0100);
    write_reg(ep, FCT, 0x8808);
    write_reg(ep, FCTTV, 0x0100);
    write_reg(ep, FCRTL, ep->pause & PAUSE_TRANSMIT ? 0x80004000 : 0);
    write_reg(ep, FCRTH, ep->pause & PAUSE_TRANSMIT ? 0x8000 : 0);
}

// ---- reset --------------------------------------------------------------------------------------
static void stop(struct e1000 *ep) {
    if (ep->stopped)
        return;
    write_reg(ep, IMC, ~0u);
    write_reg(ep, RCTL, 0);
    write_reg(ep, TCTL, 0);
    wait_ms(10);
    write_reg(ep, CTRL, CTRL_RST);
    wait_ms(10);
    write_reg(ep, IMC, ~0u);
    read_reg(ep, ICR);
}

// Whether an 82542's descriptors may be reported when their data has been read.
static int known_chip_set(void) {
    static const u32 known[] = {PCI_ID(0x8086, 0x7192), PCI_ID(0x8086, 0x7190), PCI_ID(0x8086, 0x71A0),
                                PCI_ID(0x8086, 0x1237), PCI_ID(0x8086, 0x7100), PCI_ID(0x8086, 0x84C4)};
    enum { MECHANISM_2 = 0xCF8 };
    u8 before = inb(MECHANISM_2), found;
    outb(0x0E, MECHANISM_2);
    found = inb(MECHANISM_2);
    outb(before, MECHANISM_2);
    if (found == 0x0E)
        return 0;
    for (u32 n = 0; n < sizeof known / sizeof *known; n++)
        for (const struct device *d = devices; d < devices + device_count; d++)
            if (d->bus == &pci_bus && d->id == known[n])
                return 1;
    return 0;
}

static void set_own_address(const struct netdev *dev) {
    const struct e1000 *ep = dev->private_data;
    const u8 *m = dev->mac;
    write_reg(ep, RAL(0), (u32)m[0] | (u32)m[1] << 8 | (u32)m[2] << 16 | (u32)m[3] << 24);
    write_reg(ep, RAH(0), (u32)m[4] | (u32)m[5] << 8 | 0x80000000u);
    for (u32 n = 1; n < ADDRESSES; n++) {
        write_reg(ep, RAL(n), 0);
        write_reg(ep, RAH(n), 0);
    }
}

int e1000_reset(struct netdev *dev) {
    struct e1000 *ep = dev->private_data;
    u32 sum = 0;
    write_reg(ep, IMC, ~(u32)RXSEQ);
    stop(ep);
    for (u32 n = 0; n < EE_WORDS; n++)
        sum += eeprom_word(ep, n);
    if ((u16)sum != EE_SUM) {
        printk("e1000: The EEPROM checksum is not valid \n");
        return -1;
    }
    for (u32 n = 0; n < 3; n++) {
        u16 word = eeprom_word(ep, n);
        dev->mac[2 * n] = (u8)word;
        dev->mac[2 * n + 1] = (u8)(word >> 8);
    }
    ep->report_early = ep->is_82543 || known_chip_set();
    if (ep->is_82543)
        read_reg(ep, STATUS);           // fibre
    write_reg(ep, VET, 0);
    for (u32 n = 0; n < TABLE; n++)
        write_reg(ep, VFTA(n), 0);
    set_own_address(dev);
    for (u32 n = 0; n < TABLE; n++)
        write_reg(ep, MTA(n), 0);
    start_link_and_pause(dev);
    e1000_clear_statistics(ep);
    e1000_check_link(dev);
    if (read_reg(ep, STATUS) & STATUS_LU && ep->is_82543)
        read_reg(ep, STATUS);           // speed and duplex
    return 0;
}

// ---- address filter -----------------------------------------------------------------------------
void e1000_not_promiscuous(const struct e1000 *ep) {
    u32 before = read_reg(ep, RCTL), wanted = before & ~(u32)(RCTL_UPE | RCTL_MPE);
    write_reg(ep, RCTL, wanted);
    if (wanted != before)
        write_reg(ep, RCTL, wanted);
    read_reg(ep, RCTL);
}

void e1000_set_groups(struct netdev *dev, u32 groups) {
    struct e1000 *ep = dev->private_data;
    e1000_not_promiscuous(ep);
    read_reg(ep, RCTL);
    for (u32 n = 1; n < ADDRESSES; n++) {       // 01:00:5E:00:00:01, the all-hosts group
        write_reg(ep, RAL(n), n <= groups ? 0x005E0001 : 0);
        write_reg(ep, RAH(n), n <= groups ? 0x80000100 : 0);
    }
}

// ---- statistics ---------------------------------------------------------------------------------
enum { CRCERRS = 0x00, ALGNERRC = 0x04, SYMERRS = 0x08, RXERRC = 0x0C, MPC = 0x10, ECOL = 0x18, LATECOL = 0x20, COLC = 0x28,
       TUC = 0x2C, CEXTERR = 0x3C, RLEC = 0x40, GPRC = 0x74, MPRC = 0x7C, GPTC = 0x80, GORL = 0x88, GOTL = 0x90, RNBC = 0xA0,
       STATISTICS = 0x4000, STATISTICS_END = 0x100 };
// By offset from STATISTICS, in the driver's order. The driver reads all of them when it clears them, and every two
// seconds all in another order.
static const u8 cleared[] = {
    0x00, 0x08, 0x10, 0x14, 0x18, 0x1C, 0x20, 0x28, 0x30, 0x38, 0x40, 0x48, 0x4C, 0x50, 0x54, 0x58, 0x5C, 0x60, 0x64, 0x68,
    0x6C, 0x70, 0x74, 0x78, 0x7C, 0x80, 0x88, 0x8C, 0x90, 0x94, 0xA0, 0xA4, 0xA8, 0xAC, 0xB0, 0xC0, 0xC4, 0xC8, 0xCC, 0xD0,
    0xD4, 0xD8, 0xDC, 0xE0, 0xE4, 0xE8, 0xEC, 0xF0, 0xF4};
static const u8 read[] = {
    0x00, 0x08, 0x10, 0x30, 0x38, 0x40, 0x48, 0x4C, 0x50, 0x54, 0x5C, 0x60, 0x64, 0x68, 0x6C, 0x70, 0x74, 0x78, 0x7C, 0x80,
    0xA0, 0xA4, 0xA8, 0xAC, 0xB0, 0xD0, 0xD4, 0xD8, 0xDC, 0xE0, 0xE4, 0xE8, 0xEC, 0xF0, 0xF4, 0x18, 0x20, 0x28, 0x14, 0x1C,
    0x58, 0x88, 0x8C, 0x90, 0x94, 0xC0, 0xC4, 0xC8, 0xCC};
static const u8 cleared_82543[] = {0x04, 0x0C, 0x2C, 0x34, 0x3C, 0x44, 0xF8, 0xFC};
static const u8 read_82543[] = {0x04, 0x0C, 0x2C, 0x34, 0x3C, 0x44};

void e1000_clear_statistics(const struct e1000 *ep) {
    if (ep->stopped)
        return;
    for (u32 n = 0; n < sizeof cleared; n++)
        read_reg(ep, STATISTICS + cleared[n]);
    for (u32 n = 0; ep->is_82543 && n < sizeof cleared_82543; n++)
        read_reg(ep, STATISTICS + cleared_82543[n]);
}

void e1000_read_statistics(struct netdev *dev) {
    struct e1000 *ep = dev->private_data;
    struct net_counters *c = &dev->counters;
    u32 s[STATISTICS_END / 4] = {0};
    for (u32 n = 0; n < sizeof read; n++)
        s[read[n] / 4] = read_reg(ep, STATISTICS + read[n]);
    for (u32 n = 0; ep->is_82543 && n < sizeof read_82543; n++)
        s[read_82543[n] / 4] = read_reg(ep, STATISTICS + read_82543[n]);
    c->rx_packets += s[GPRC / 4];
    c->tx_packets += s[GPTC / 4];
    c->rx_bytes += s[GORL / 4];
    c->tx_bytes += s[GOTL / 4];
    c->multicast += s[MPRC / 4];
    c->collisions += s[COLC / 4];
    c->rx_errors += s[RXERRC / 4] + s[CRCERRS / 4] + s[ALGNERRC / 4] + s[RLEC / 4] + s[RNBC / 4] + s[MPC / 4] + s[CEXTERR / 4];
    c->rx_dropped += s[RNBC / 4];
    c->rx_length_errors += s[RLEC / 4];
    c->rx_crc_errors += s[CRCERRS / 4];
    c->rx_frame_errors += s[ALGNERRC / 4];
    c->rx_fifo_errors += s[MPC / 4];
    c->rx_missed_errors += s[MPC / 4];
    c->tx_errors += s[ECOL / 4] + s[TUC / 4] + s[LATECOL / 4];
    c->tx_aborted_errors += s[ECOL / 4];
    c->tx_fifo_errors += s[TUC / 4];
    c->tx_window_errors += s[LATECOL / 4];
}
