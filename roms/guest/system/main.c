// SPDX-License-Identifier: GPL-2.0-or-later
//
// Order of start-up, from paging on to the idle loop.
#include "kernel.h"
#include "net.h"

struct boot_params boot_params;
int has_mca;

void kernel_main(void) {
    memcpy(&boot_params, virt(0x600), sizeof boot_params);
    idt_init();
    console_init();
    printk("planar guest test bench 1\n");
    report("@planar-guest 1 netio 1.14\n");
    settings_read();
    has_mca = (boot_params.feature[0] >> 1) & 1;
    mm_init();
    printk("model %02x submodel %02x, %u KB above 1 MB, %sMicro Channel\n", boot_params.model,
           boot_params.submodel, boot_params.extended_kb, has_mca ? "" : "no ");
    sched_init();
    irq_init();
    timer_init();
    if (has_mca)
        mca_scan();
    net_init();
    spawn_user();
    cpu_idle();
}
