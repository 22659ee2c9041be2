// SPDX-License-Identifier: GPL-2.0-or-later
//
// The order of start-up, from paging to the idle loop.
#include "driver.h"
#include "ip_fragment.h"
#include "mode.h"
#include "system.h"
#include "tcp.h"

struct boot_params boot_params;
char settings_text[SETTINGS_BYTES + 1];

// The network's settings; all others belong to the ring-3 program.
static void read_settings(void) {
    const char *value;
    memcpy(settings_text, virt(0x7E00), SETTINGS_BYTES);
    if (!settings_valid(settings_text))
        fail("settings sector (LBA 1) does not begin with 'planar-settings 1'");
    if ((value = settings_find(settings_text, "ip")) && !settings_address(value, &own_ip))
        fail("setting not understood: ip");
    if ((value = settings_find(settings_text, "seed")) && !settings_number(value, 0, 999999999, &own_seed))
        fail("setting not understood: seed");
    netdev->mtu = MTU_STANDARD;
    if ((value = settings_find(settings_text, "mtu"))) {
        u32 mtu;
        if (!settings_number(value, MTU_LEAST, MTU_TOKEN_RING, &mtu))
            fail("setting not understood: mtu");
        netdev->mtu = (u16)mtu;
    }
    driver_version = settings_find(settings_text, "driver");
    if ((value = settings_find(settings_text, "placement"))) {
        u32 wanted;
        if (!settings_number(value, 0, PLACEMENTS - 1, &wanted) || wanted != PLACEMENT)
            fail("setting not understood: placement");
    }
}

static void report_system(void) {
    char name[17] = "linux22";
    const char *value = settings_find(settings_text, "os");
    u32 n = value ? settings_length(value) : 0;
    if (n >= sizeof name)
        fail("setting not understood: os");
    if (n)
        name[n] = 0;
    while (n--)
        name[n] = value[n];
    report("@planar-guest 1 os=%s placement=%u\n", name, PLACEMENT);
}

void kernel_main(void) {
    memcpy(&boot_params, virt(0x600), sizeof boot_params);
    idt_init();
    console_init();
    printk("planar guest test bench 1\n");
    read_settings();
    report_system();
    has_mca = (boot_params.feature[0] >> 1) & 1;
    mm_init();
    printk("model %02x submodel %02x, %u KB above 1 MB, %sMicro Channel\n", boot_params.model,
           boot_params.submodel, boot_params.extended_kb, has_mca ? "" : "no ");
    sched_init();
    irq_init();
    timer_init();
    console_interrupts();
    network_settings(settings_text);
    if (has_mca)
        mca_bus.scan();
    else
        pci_bus.scan();
    net_init();
    if (drivers_start(settings_text)) {
        forward_init(settings_text);
        network_opened();
    }
    files_init();
    spawn_user();
    receive_idle();
}
