// SPDX-License-Identifier: GPL-2.0-or-later
//
// The differences between the systems that this stack can represent, as far as settings select them (roms/README.md
// section 3). Without these settings it is Linux 2.2.
#include "settings.h"
#include "tcp.h"

enum { COST_MOST = 100000 };           // instructions

u32 stack_plain, stack_sends_tails;
struct system_path stack_call_path, stack_segment_path;
static u32 interrupt_cost;

static u32 number(const char *text, const char *key, u32 high, u32 standard) {
    const char *value = settings_find(text, key);
    if (value && !settings_number(value, 0, high, &standard))
        fail("setting not understood: %s", key);
    return standard;
}

void stack_settings(const char *text) {
    stack_plain = number(text, "stack.option_bytes", TCP_STAMP, TCP_STAMP) < TCP_STAMP;
    stack_sends_tails = !number(text, "stack.nagle", 1, 1);
    if (number(text, "load.interrupts_count", 1, 0))
        load_count_interrupts();
    interrupt_cost = number(text, "interrupt.instructions", COST_MOST, 0);
    stack_call_path = system_path(number(text, "call.instructions", COST_MOST, 0));
    stack_segment_path = system_path(number(text, "segment.instructions", COST_MOST, 0));
}

void stack_opened(void) {
    for (u32 n = 0; interrupt_cost && n < net_adapter_count; n++)
        system_cost_of_interrupt(net_adapters[n].irq, interrupt_cost);
}

void stack_take_options(struct sock *sk, struct tcp_header *th) {
    sk->stamps = 0;
    tcp_parse_options(sk, th);
    if (stack_plain)
        sk->stamps = sk->saw_stamp = 0;
}
