// SPDX-License-Identifier: GPL-2.0-or-later
//
// The settings in the form that programs need.
#include "user.h"

char settings_text[SETTINGS_BYTES + 1];

static void end_run(const char *key) {
    const char *value = settings_find(settings_text, key);
    const char *start = value;
    while (start[-1] != '\n')
        start--;
    system_call3(CALL_EXIT, (u32)fail_setting(start), 0, 0);
}

u32 option_number(const char *key, u32 standard, u32 low, u32 high) {
    const char *value = settings_find(settings_text, key);
    if (value && !settings_number(value, low, high, &standard))
        end_run(key);
    return standard;
}

u32 option_peer(void) {
    u32 address = htonl(0xC0A80A01);
    const char *value = settings_find(settings_text, "peer");
    if (value && !settings_address(value, &address))
        end_run("peer");
    return address;
}

u32 option_port(u32 standard) { return option_number("port", standard, 1, 65535); }
u32 option_seed(void) { return option_number("seed", 1, 0, 999999999); }

u32 option_milliseconds(const char *key, const char *standard) {
    const char *value = settings_find(settings_text, key);
    u32 ms = 0;
    if (!settings_milliseconds(value ? value : standard, &ms))
        end_run(key);
    return ms;
}

u32 option_list(const char *key, const char *standard, u32 high, u32 *list, u32 most) {
    const char *value = settings_find(settings_text, key);
    u32 count = 0;
    if (!settings_list(value ? value : standard, most, high, list, &count))
        end_run(key);
    return count;
}
