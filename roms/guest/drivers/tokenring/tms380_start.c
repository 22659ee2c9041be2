// SPDX-License-Identifier: GPL-2.0-or-later
//
// The Madge driver from the probe to the insertion into the ring: sources in tms380.c.
#include "tms380.h"

static const u16 image[] = {            // page, address, number of words; a block of 0 words ends
    0x0000, 0xA000, 4, 0x0300, 0x0000, 0x045B, 0x10FF,
    0x0000, 0xFFFC, 2, 0x0080, 0xA000,
    0x0000, 0x0000, 0,
};

// ---- the board ----------------------------------------------------------------------------------
static void enable_interrupts(struct netdev *dev) {
    register_page(dev, 1);
    outb(ACL_SINTEN, PORT(SIFACL));
    register_page(dev, 0);
}

static void board_init(struct netdev *dev) {
    outb(0, PORT(CONTROL1));
    udelay_spin(100);
    outb(C1_NSRESET, PORT(CONTROL1));
    map_sif(dev);
    outb(inb(PORT(CONTROL1)) | C1_SINTEN, PORT(CONTROL1));
}

static void pause(u32 ticks) {
    static const int never;
    wait_for(&never, ticks);
}

// ---- start --------------------------------------------------------------------------------------
static void download(struct netdev *dev) {
    const u16 *w = image;
    for (;;) {
        sif_write(dev, *w++, SIFADX);
        sif_write(dev, *w++, SIFADD);
        u32 words = *w++;
        if (!words)
            return;
        while (words--)
            sif_write(dev, *w++, SIFINC);
    }
}

static void reset_adapter(struct netdev *dev) {
    struct madge_state *madge = dev->private_data;
    sif_write(dev, ACL_ARESET, SIFACL);
    udelay_spin(40);
    u16 acl = sif_read(dev, SIFACL);
    udelay_spin(20);
    acl &= (u16)~ACL_NSELOUT;
    u8 control = inb(PORT(CONTROL1));
    outb(madge->fast ? control | C1_SPEED_16 : control & (u8)~C1_SPEED_16, PORT(CONTROL1));
    acl = (u16)((acl & ~(ACL_ARESET | ACL_PSDMAEN)) | ACL_CPHALT | ACL_BOOT | ACL_SINTEN);
    sif_write(dev, acl, SIFACL);
    udelay_spin(40);
    download(dev);
    acl = sif_read(dev, SIFACL);
    sif_write(dev, acl & (u16)~ACL_CPHALT, SIFACL);
}

static int bring_up(struct netdev *dev) {
    pause(HALF_SECOND);
    doorbell(dev, SOFT_RESET);
    pause(HALF_SECOND);
    for (int tries = BRING_UP_TRIES; tries--;) {
        for (int looks = BRING_UP_LOOKS; looks--;) {
            pause(HALF_SECOND);
            u16 status = sif_read(dev, SIFSTS) & STS_MASK;
            if (status == STS_INITIALIZE)
                return 0;
            if ((status & (STS_ERROR | STS_TEST)) == (STS_ERROR | STS_TEST))
                break;
        }
        if (tries) {
            doorbell(dev, SOFT_RESET);
            pause(HALF_SECOND);
        }
    }
    printk("%s: bring-up error %02x\n", dev->name, sif_read(dev, SIFSTS) & 0x1F);
    return -1;
}

static int initialize(struct netdev *dev) {
    struct madge_state *madge = dev->private_data;
    static const u8 scb_test[6] = {0x00, 0x00, 0xC1, 0xE2, 0xD4, 0x8B};
    static const u8 ssb_test[8] = {0xFF, 0xFF, 0xD1, 0xD7, 0xC5, 0xD9, 0xC3, 0xD4};
    u16 *w = madge->initialization, status = STS_ERROR;
    u32 scb = phys((void *)&madge->scb), ssb = phys((void *)&madge->ssb);
    w[0] = 0x9F00;
    w[1] = w[2] = w[3] = 0;
    w[4] = w[5] = 24;
    w[6] = 0x0505;
    w[7] = (u16)(scb >> 16);
    w[8] = (u16)scb;
    w[9] = (u16)(ssb >> 16);
    w[10] = (u16)ssb;
    sif_write(dev, 1, SIFADX);
    sif_write(dev, POINTERS, SIFADD);
    for (int i = 0; i < 11; i++)
        sif_write(dev, w[i], SIFINC);
    doorbell(dev, CMD_EXECUTE);
    for (int looks = INITIALIZE_LOOKS; looks--;) {
        pause(HALF_SECOND);
        status = sif_read(dev, SIFSTS) & STS_MASK;
        if (!(status & (STS_INITIALIZE | STS_TEST)) || status & STS_ERROR)
            break;
    }
    if (status & (STS_INITIALIZE | STS_ERROR | STS_TEST) || memcmp((void *)&madge->scb, scb_test, sizeof scb_test) ||
        memcmp((void *)&madge->ssb, ssb_test, sizeof ssb_test)) {
        printk("%s: initialization error %02x\n", dev->name, sif_read(dev, SIFSTS) & STS_CODE);
        return -1;
    }
    return 0;
}

static u16 read_ram(struct netdev *dev, u16 address, u32 words) {
    u16 page = sif_read(dev, SIFADX), old = sif_read(dev, SIFADR), value = 0;
    sif_write(dev, 1, SIFADX);
    sif_write(dev, address, SIFADR);
    while (words--)
        value = sif_read(dev, SIFINC);
    sif_write(dev, page, SIFADX);
    sif_write(dev, old, SIFADR);
    return value;
}

static int lay_out(struct netdev *dev) {
    struct madge_state *madge = dev->private_data;
    static const u8 product[18] = "Madge MCA 16/4    ";
    memset(&madge->open, 0, sizeof madge->open);
    madge->open.options = FULL_DUPLEX_SELECTION;
    memcpy(madge->open.node, dev->mac, 6);
    madge->open.receive_list = BE(14);
    madge->open.transmit_list = BE(26);
    madge->open.buffer = BE(BUFFER);
    madge->open.transmit_least = 20;
    madge->open.transmit_most = 40;
    memcpy(madge->product, product, sizeof product);
    madge->open.product = htonl(phys(madge->product));
    queue_init(&madge->queue);
    madge->queue_room = TX_QUEUE;
    for (u32 i = 0; i <= madge->version->transmits; i++)
        madge->tx[i].next = htonl(phys((void *)&madge->tx[madge_next_list(dev, i)]));
    for (u32 i = 0; i < RX_LISTS; i++) {
        madge->rx[i].next = htonl(phys((void *)&madge->rx[(i + 1) % RX_LISTS]));
        madge->rx[i].status = LIST_START | LIST_END | LIST_IRQ | (i + 1 < RX_LISTS ? LIST_VALID : 0);
        if (madge_new_buffer(&madge->rx[i], dev))
            return -1;
    }
    madge->rx_tail = RX_LISTS - 1;
    return 0;
}

static int open(struct netdev *dev) {
    struct madge_state *madge = dev->private_data;
    board_init(dev);
    if (lay_out(dev))
        return -1;
    reset_adapter(dev);
    if (bring_up(dev) || initialize(dev))
        return -1;
    u16 size_at = read_ram(dev, POINTERS, 8);
    printk("%s: %u KB of adapter RAM\n", dev->name, read_ram(dev, size_at, 1));
    enable_interrupts(dev);
    madge_want(dev, WANT_OPEN);
    wait_for(&madge->answered, OPEN_WAIT);
    if (!madge->is_open)
        return -1;
    dev->busy = 0;
    dev->started = 1;
    // The kernel sets the multicast list of an interface that has come up.
    cli();
    madge_want(dev, WANT_FUNCTIONAL);
    madge_want(dev, WANT_MODIFY);
    sti();
    return 0;
}

static int locate(struct device *d) {
    static const u8 lines[] = {0, 3, 9, 10};
    d->io = (u16)(0x0A20 + (mca_field(d, 4, 2, 1) << 10) + (mca_field(d, 2, 5, 1) << 12) + (mca_field(d, 5, 5, 1) << 13));
    d->irq = lines[mca_field(d, 2, 6, 2)];
    if (!d->irq)
        printk("madge: no interrupt is chosen\n");
    return d->irq ? 0 : -1;
}

static int probe(struct netdev *dev, const struct device *d) {
    struct madge_state *madge = dev->private_data;
    madge->fast = mca_field(d, 3, 2, 1) || mca_field(d, 4, 5, 1);
    u8 control0 = inb(PORT(CONTROL0)), control1 = inb(PORT(CONTROL1)), off = control0 & (u8) ~(C0_PAGE | C0_SIFSEL);
    outb(off, PORT(CONTROL0));
    u8 maker = inb(PORT(SIF)), type = inb(PORT(SIF + 1));
    (void)inb(PORT(SIF + 2));           // revision
    outb(off | C0_PAGE, PORT(CONTROL0));
    for (u32 i = 0; i < 6; i++)
        dev->mac[i] = inb(PORT(SIF + 1 + i));
    outb(control0, PORT(CONTROL0));
    outb(control1, PORT(CONTROL1));
    if (maker != 0x4D || (type != 0x08 && type != 0x0D)) {
        printk("%s: unknown card %02x %02x\n", dev->name, maker, type);
        return -1;
    }
    outb(0, PORT(CONTROL0));
    map_sif(dev);
    if (request_irq(dev->irq, madge_interrupt, 0, dev)) {
        printk("%s: interrupt %d is taken\n", dev->name, dev->irq);
        return -1;
    }
    board_init(dev);
    outb(mca_field(d, 3, 6, 1) ? 0 : 1, PORT(CABLE));
    madge->version = version_find(madge_versions, madge_version_count);
    dev->link = LINK_TOKEN_RING;
    dev->open = open;
    dev->start_transmit = madge_start_transmit;
    return 0;
}

static const u32 ids[] = {0x002D, 0x0074, 0};

const struct driver tms380_driver = {
    .name = "madge", .bus = &mca_bus, .ids = ids, .locate = locate, .probe = probe,
    .state_bytes = sizeof(struct madge_state)};
