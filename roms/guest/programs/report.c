// SPDX-License-Identifier: GPL-2.0-or-later
//
// Lines for the screen and for COM1.
#include "user.h"

static u32 length_of(const char *s) {
    u32 n = 0;
    while (s[n])
        n++;
    return n;
}

void put(int fd, const char *text) {
    system_call3(CALL_WRITE, (u32)fd, (u32)text, length_of(text));
}

// A line assembled piece by piece.
char line[160];
static u32 at;
void begin(void) { at = 0; }
void text(const char *s) {
    while (*s && at < sizeof line - 1)
        line[at++] = *s++;
    line[at] = 0;
}
void number(u32 v, u32 width) {
    char digits[12];
    u32 n = 0;
    do
        digits[n++] = (char)('0' + v % 10);
    while (v /= 10);
    for (; width > n; width--)
        text(" ");
    while (n) {
        char one[2] = {digits[--n], 0};
        text(one);
    }
}
void field(const char *name, u32 value) {
    text(name);
    number(value, 0);
}
void tenths(u32 v, u32 width) {
    number(v / 10, width);
    text(".");
    number(v % 10, 0);
}

void print_load(const u32 before[2], const u32 after[2]) {
    u32 all = after[0] - before[0], busy = after[1] - before[1];
    u32 load = all ? mul_div(busy, 1000, all) : 0;
    begin();
    text("@load percent=");
    tenths(load, 0);
    text(" busy_ticks=");
    number(busy, 0);
    text(" all_ticks=");
    number(all, 0);
    text("\n");
    put(FD_LOG, line);
    begin();
    text("CPU load ");
    tenths(load, 0);
    text(" %\n");
    put(FD_CONSOLE, line);
}

int fail_with(const char *what, int error) {
    put(FD_CONSOLE, program->name);
    begin();
    text(what);
    text(": error ");
    number((u32)-error, 0);
    text("\n");
    put(FD_CONSOLE, ": ");
    put(FD_CONSOLE, line);
    put(FD_LOG, "@fail ");
    put(FD_LOG, line);
    return 1;
}

int fail_setting(const char *setting) {
    begin();
    text("setting not understood: ");
    for (u32 i = 0; i < settings_length(setting); i++) {
        char one[2] = {setting[i], 0};
        text(one);
    }
    text("\n");
    put(FD_CONSOLE, line);
    put(FD_LOG, "@fail ");
    put(FD_LOG, line);
    return 1;
}

void end_line(void) {
    text("\n");
    put(FD_LOG, line);
    put(FD_CONSOLE, line + 1);
}
