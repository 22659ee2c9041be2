// SPDX-License-Identifier: GPL-2.0-or-later
#include "settings.h"

static int line_ends(const char *s) { return !*s || *s == '\n' || (*s == '\r' && (!s[1] || s[1] == '\n')); }

u32 settings_length(const char *line) {
    u32 n = 0;
    while (!line_ends(line + n))
        n++;
    return n;
}

int settings_valid(const char *text) {
    static const char first[] = "planar-settings 1";
    for (u32 i = 0; i < sizeof first - 1; i++)
        if (text[i] != first[i])
            return 0;
    return line_ends(text + sizeof first - 1);
}

const char *settings_next(const char *line) {
    for (;;) {
        while (*line && *line != '\n')
            line++;
        if (!*line)
            return NULL;
        line++;
        if (!line_ends(line) && *line != '#')
            return line;
    }
}

// Length of the key of a line; 0 if it has none.
static u32 key_length(const char *line) {
    u32 n = 0;
    while (!line_ends(line + n) && line[n] != '=')
        n++;
    return line[n] == '=' ? n : 0;
}

static int same(const char *a, const char *b, u32 n) {
    while (n && *a == *b)
        a++, b++, n--;
    return !n;
}

int settings_is(const char *value, const char *text) {
    u32 n = settings_length(value);
    return same(value, text, n) && !text[n];
}

const char *settings_find(const char *text, const char *key) {
    const char *found = NULL;
    for (const char *line = text; (line = settings_next(line));) {
        u32 n = key_length(line);
        if (n && same(line, key, n) && !key[n])
            found = line + n + 1;
    }
    return found;
}

int settings_key_in(const char *line, const char *words) {
    u32 n = key_length(line);
    while (n && *words) {
        u32 length = 0;
        while (words[length] && words[length] != ' ')
            length++;
        if (length == n && same(line, words, n))
            return 1;
        words += length + (words[length] == ' ');
    }
    return 0;
}

// ---- values -------------------------------------------------------------------------------------
static const char *digits(const char *s, u32 *value) {
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

int settings_number(const char *value, u32 low, u32 high, u32 *number) {
    const char *end = digits(value, number);
    return end && line_ends(end) && *number >= low && *number <= high;
}

int settings_address(const char *value, u32 *address) {
    u32 a = 0, v;
    for (int i = 0; i < 4; i++) {
        if (!(value = digits(value, &v)) || v > 255 || (i < 3 ? *value != '.' : !line_ends(value)))
            return 0;
        value++;
        a = a << 8 | v;
    }
    *address = htonl(a);
    return 1;
}

int settings_milliseconds(const char *value, u32 *ms) {
    u32 whole, scale = 100, fraction = 0;
    if (!(value = digits(value, &whole)) || whole > 3600)
        return 0;
    if (*value == '.')
        for (value++; *value >= '0' && *value <= '9' && scale; value++, scale /= 10)
            fraction += (u32)(*value - '0') * scale;
    *ms = whole * 1000 + fraction;
    return line_ends(value) && *ms;
}

int settings_list(const char *value, u32 most, u32 high, u32 *list, u32 *count) {
    u32 n = 0;
    for (;; value++) {
        if (n == most || !(value = digits(value, &list[n])) || !list[n] || list[n] > high)
            return 0;
        n++;
        if (*value != ',')
            break;
    }
    *count = n;
    return line_ends(value);
}
