// SPDX-License-Identifier: GPL-2.0-or-later
//
// Finds the program that the setting `do` selects, and runs it.
#include "user.h"

extern const struct program __programs_start[], __programs_end[];   // user.ld
const struct program *program;

// Settings that the kernel reads, and `do`.
static const char common_settings[] = "do os ip seed mtu driver stack.option_bytes stack.nagle load.interrupts_count "
                                       "interrupt.instructions call.instructions segment.instructions receive receive_rate adapters bond forward placement";

static int known(const char *line) {
    if (settings_key_in(line, common_settings))
        return 1;
    for (const struct program *p = __programs_start; p < __programs_end; p++)
        if (settings_key_in(line, p->settings))
            return 1;
    return 0;
}

static const struct program *find(const char *name) {
    for (const struct program *p = __programs_start; p < __programs_end; p++)
        if (settings_is(name, p->name))
            return p;
    return NULL;
}

int main(void) {
    system_call3(CALL_SETTINGS, (u32)settings_text, 0, 0);
    for (const char *line = settings_text; (line = settings_next(line));)
        if (!known(line))
            return fail_setting(line);
    const char *name = settings_find(settings_text, "do");
    program = find(name ? name : "netio");
    return program ? program->run() : fail_setting(name - 3);
}
