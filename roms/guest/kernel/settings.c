// SPDX-License-Identifier: GPL-2.0-or-later
//
// The settings sector: `key=value` lines after `planar-settings 1`, zeros to the end
// (roms/README.md section 3). What is missing keeps its default; what is wrong ends the run.
#include "kernel.h"

struct settings settings = {
    "netio", 10000, {1024, 2048, 4096, 8192, 16384, 32767}, 6, 0, 0, 1, 18767, 4194304, 1, 0};

static char text[513];

static int is(const char *key, const char *line, u32 n) {
    return strlen(key) == n && !strncmp(key, line, n);
}

static const char *number(const char *s, u32 *value) {
    u32 v = 0;
    const char *p = s;
    for (; *p >= '0' && *p <= '9'; p++) {
        if (v > 99999999)
            return NULL;
        v = v * 10 + (u32)(*p - '0');
    }
    *value = v;
    return p == s ? NULL : p;
}

static int read_number(const char *s, u32 low, u32 high, u32 *value) {
    const char *end = number(s, value);
    return end && !*end && *value >= low && *value <= high;
}

static int read_address(const char *s, u32 *address) {
    u32 a = 0, v;
    for (int i = 0; i < 4; i++) {
        if (!(s = number(s, &v)) || v > 255 || *s != (i < 3 ? '.' : '\0'))
            return 0;
        s++;
        a = a << 8 | v;
    }
    *address = htonl(a);
    return 1;
}

static int read_seconds(const char *s, u32 *ms) {
    u32 whole, scale = 100, fraction = 0;
    if (!(s = number(s, &whole)) || whole > 3600)
        return 0;
    if (*s == '.')
        for (s++; *s >= '0' && *s <= '9' && scale; s++, scale /= 10)
            fraction += (u32)(*s - '0') * scale;
    *ms = whole * 1000 + fraction;
    return !*s && *ms;
}

static int read_sizes(const char *s) {
    u32 n = 0, v;
    for (;; s++) {
        if (n == MAX_SIZES || !(s = number(s, &v)) || !v || v > 32768)
            return 0;
        settings.size[n++] = v;
        if (!*s)
            break;
        if (*s != ',')
            return 0;
    }
    settings.sizes = n;
    return 1;
}

static int apply(const char *key, u32 length, char *value) {
    u32 n;
    if (is("do", key, length)) {
        for (n = 0; n + 1 < sizeof settings.task && value[n]; n++)
            settings.task[n] = value[n];
        settings.task[n] = 0;
        static const char *const tasks[] = {"netio", "idle", "transfer", "serve", "netio-server"};
        for (n = 0; n < sizeof tasks / sizeof *tasks; n++)
            if (is(tasks[n], value, strlen(value)))
                return 1;
        return 0;
    }
    if (is("seconds", key, length))
        return read_seconds(value, &settings.milliseconds);
    if (is("sizes", key, length))
        return read_sizes(value);
    if (is("ip", key, length))
        return read_address(value, &settings.ip);
    if (is("peer", key, length))
        return read_address(value, &settings.peer);
    if (is("seed", key, length))
        return read_number(value, 0, 999999999, &settings.seed);
    if (is("port", key, length))
        return read_number(value, 1, 65535, &settings.port);
    if (is("bytes", key, length))
        return read_number(value, 1, 999999999, &settings.bytes);
    if (is("generation", key, length))
        return read_number(value, 1, 2, &settings.generation);
    if (is("wait", key, length))
        return read_number(value, 0, 60, &settings.wait);
    return 0;
}

void settings_read(void) {
    static const char first[] = "planar-settings 1";
    memcpy(text, virt(0x7E00), 512);
    settings.ip = htonl(0xC0A80A02);
    settings.peer = htonl(0xC0A80A01);
    if (strncmp(text, first, sizeof first - 1))
        fail("settings sector (LBA 1) does not begin with '%s'", first);
    for (char *line = text; *line;) {
        char *end = line, *equals = NULL;
        for (; *end && *end != '\n'; end++)
            if (*end == '=' && !equals)
                equals = end;
        char *next = *end ? end + 1 : end;
        *end = 0;
        if (end > line && end[-1] == '\r')
            end[-1] = 0;
        if (*line && line != text && *line != '#')
            if (!equals || !apply(line, (u32)(equals - line), equals + 1))
                fail("setting not understood: %s", line);
        line = next;
    }
}
