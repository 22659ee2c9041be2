// SPDX-License-Identifier: GPL-2.0-or-later
//
// Parts of 3c59x.c's driver: ports and commands, its state for an adapter, EEPROM and PHY (3c59x_probe.c).
#pragma once
#include "driver.h"

enum { TX_RING = 16, RX_RING = 32, BUFFER = 1536, COPYBREAK = 200, MAX_WORK = 20, TX_TIMEOUT = 40 * HZ / 100 };

// Ports; COMMAND and STATUS exist in every window
enum { COMMAND = 0x0E, STATUS = 0x0E, TX_STATUS = 0x1B, DMA_CONTROL = 0x20, DOWN_LIST = 0x24, TX_FREE_THRESHOLD = 0x2F,
       UP_LIST = 0x38, W0_EEPROM_COMMAND = 0x0A, W0_EEPROM_DATA = 0x0C, W3_CONFIG = 0x00, W3_MAC_CONTROL = 0x06,
       W3_OPTIONS = 0x08, W4_FIFO = 0x04, W4_NET = 0x06, W4_MII = 0x08, W4_MEDIA = 0x0A };
#define CMD(code) ((code) << 11)
enum { TOTAL_RESET = CMD(0), SELECT_WINDOW = CMD(1), RX_ENABLE = CMD(4), RX_RESET = CMD(5), UP_UNSTALL = CMD(6) + 1,
       DOWN_STALL = CMD(6) + 2, DOWN_UNSTALL = CMD(6) + 3, TX_ENABLE = CMD(9), TX_RESET = CMD(11), FAKE_INTERRUPT = CMD(12),
       ACKNOWLEDGE = CMD(13), SET_INTERRUPTS = CMD(14), SET_STATUS = CMD(15), SET_RX_FILTER = CMD(16),
       SET_RX_THRESHOLD = CMD(17), STATISTICS_ENABLE = CMD(21), STATISTICS_DISABLE = CMD(22) };
enum { INT_LATCH = 0x0001, HOST_ERROR = 0x0002, TX_COMPLETE = 0x0004, TX_AVAILABLE = 0x0008, RX_EARLY = 0x0020,
       REQUESTED = 0x0040, STATISTICS_FULL = 0x0080, DOWN_COMPLETE = 0x0200, UP_COMPLETE = 0x0400, IN_PROGRESS = 0x1000 };
enum { STATUS_SHOWN = SET_STATUS | HOST_ERROR | REQUESTED | STATISTICS_FULL | TX_COMPLETE | DOWN_COMPLETE | UP_COMPLETE,
       INTERRUPTS = SET_INTERRUPTS | INT_LATCH | TX_AVAILABLE | STATISTICS_FULL | HOST_ERROR | TX_COMPLETE | REQUESTED |
                    UP_COMPLETE | DOWN_COMPLETE };
enum { FILTER_STATION = 1, FILTER_GROUP = 2, FILTER_BROADCAST = 4 };
enum { AUTO_NEGOTIATE = 8, BUS_MASTER = 0x20, PARTNER_FULL = 0x0100 };
enum { MII_CLOCK = 1, MII_ONE = 2, MII_DRIVE = 4 };
#define LAST_FRAGMENT 0x80000000u
#define INTERRUPT_WHEN_DOWN 0x80000000u
enum { RX_COMPLETE = 0x8000, RX_ERROR = 0x4000 };
#define CHECKSUM_BITS 0xEE000000u       // IP, TCP, UDP checksums: wrong; checked
enum { IP_CHECKED = 1 << 29, TCP_CHECKED = 1 << 30 };
#define UDP_CHECKED 0x80000000u

struct boom_descriptor {
    u32 next;
    volatile u32 status;
    u32 address, length;
};
struct vortex {
    struct boom_descriptor rx_ring[RX_RING], tx_ring[TX_RING];
    struct skb *rx_skb[RX_RING], *tx_skb[TX_RING];
    u32 cur_rx, cur_tx, dirty_rx, dirty_tx;
    struct timer timer;
    u16 info1, info2, capabilities, media, advertising;
    u16 deferred;                       // causes deferred until the timer runs
    u8 default_media, autoselect, full_duplex, tx_full, groups;
    u8 phys[2];
};

#define PORT(r) ((u16)(dev->io + (r)))

static inline void command(struct netdev *dev, u32 value) { outw((u16)value, PORT(COMMAND)); }
static inline void window(struct netdev *dev, u32 n) { command(dev, SELECT_WINDOW + n); }
static inline void wait_command(struct netdev *dev, int limit) {
    for (int i = limit; i >= 0; i--)
        if (!(inw(PORT(STATUS)) & IN_PROGRESS))
            break;
}

// 3c59x_probe.c
u16 vortex_mii_read(struct netdev *dev, u32 phy, u32 reg);
// Enables the card; reads the address and the configuration from the EEPROM, and finds the PHYs. 0: it is a bus master.
int vortex_found(struct netdev *dev, const struct device *d);
