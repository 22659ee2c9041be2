// SPDX-License-Identifier: GPL-2.0-or-later
//
// How eepro100.c takes over an adapter: configuration space, the EEPROM through the ports, self-test.
#include "eepro100.h"

enum { EE_ENABLE = 0x4802, EE_CLOCK = 1, EE_DATA = 4, EE_READ = 8, EE_CS = 2, EE_WORDS_MOST = 256 };

// ---- EEPROM and PHY -----------------------------------------------------------------------------
static u32 eeprom_command(struct netdev *dev, u32 command, int bits) {
    u16 port = (u16)(dev->io + EEPROM);
    u32 value = 0;
    outw(EE_ENABLE, port);
    udelay_spin(2);
    outw(EE_ENABLE | EE_CLOCK, port);
    udelay_spin(2);
    do {
        u16 out = command & 1u << bits ? EE_ENABLE | EE_DATA : EE_ENABLE;
        outw(out, port);
        udelay_spin(2);
        outw(out | EE_CLOCK, port);
        udelay_spin(2);
        value = value << 1 | (inw(port) & EE_READ ? 1 : 0);
    } while (--bits >= 0);
    outw(EE_ENABLE, port);
    udelay_spin(2);
    outw(EE_ENABLE & ~EE_CS, port);
    return value;
}

u16 speedo_mdio_read(struct speedo *sp, u32 reg) {
    int limit = 64 * 10;
    u32 value;
    set_long(sp, MDI, 0x08000000u | reg << 16 | (sp->phy & 0x1Fu) << 21);
    do {
        value = csr_long(sp, MDI);
        if (--limit < 0) {
            printk("eepro100: mdio_read() timed out with val = %x.\n", value);
            break;
        }
    } while (!(value & 0x10000000));
    return (u16)value;
}

// ---- taking over --------------------------------------------------------------------------------
// 0: passed. The result is at an address of its own, aligned to 16 bytes.
static int self_test(struct speedo *sp) {
    static volatile u32 result[2] __attribute__((aligned(16)));
    int limit = 16000;
    result[0] = 0;
    result[1] = ~0u;
    set_long(sp, PORT, phys(result) | PORT_SELF_TEST);
    do
        udelay_spin(10);
    while (result[1] == ~0u && --limit >= 0);
    return limit < 0 || result[1] & 0x102C;
}

void speedo_found(struct netdev *dev, const struct device *d) {
    struct speedo *sp = dev->private_data;
    u16 command = pci_read_word(d, PCI_COMMAND), wanted = command | PCI_COMMAND_MASTER | PCI_COMMAND_IO, sum = 0;
    u32 read = 6u << 22, words = 64;
    if (command != wanted) {
        printk("eepro100: the firmware has not enabled this device, command %x to %x\n", command, wanted);
        pci_write_word(d, PCI_COMMAND, wanted);
    }
    pci_raise_latency(d, 32, 32);
    sp->csr = ioremap(d->mem, 0x1000);
    if ((eeprom_command(dev, 6u << 24, 27) & 0xFFE0000) == 0xFFE0000) {
        words = EE_WORDS_MOST;
        read = 6u << 24;
    }
    for (u32 n = 0; n < words; n++) {
        u16 word = (u16)eeprom_command(dev, read | n << 16, 27);
        sum = (u16)(sum + word);
        if (n < 3) {
            dev->mac[2 * n] = (u8)word;
            dev->mac[2 * n + 1] = (u8)(word >> 8);
        } else if (n == 6) {
            sp->phy = word;
        }
    }
    if (sum != 0xBABA)
        printk("eepro100: invalid EEPROM checksum %x\n", sum);
    reset_chip(sp);
    if (self_test(sp))
        printk("eepro100: self test failed\n");
    reset_chip(sp);
}
