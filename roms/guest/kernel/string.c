// SPDX-License-Identifier: GPL-2.0-or-later
//
// Memory and text helpers. memcpy and memset use string instructions, as the period's kernel does.
#include "kernel.h"

void *memcpy(void *to, const void *from, u32 n) {
    u32 words = n >> 2;
    void *d = to;
    __asm__ volatile("cld\n\trep movsl\n\tmovl %3,%%ecx\n\trep movsb"
                     : "+D"(d), "+S"(from), "+c"(words)
                     : "r"(n & 3)
                     : "memory");
    return to;
}

void *memset(void *to, int value, u32 n) {
    u32 words = n >> 2, tail = n & 3;
    void *d = to;
    u32 fill = (u8)value * 0x01010101u;
    __asm__ volatile("cld\n\trep stosl\n\tmovl %3,%%ecx\n\trep stosb"
                     : "+D"(d), "+c"(words)
                     : "a"(fill), "r"(tail)
                     : "memory");
    return to;
}

int memcmp(const void *a, const void *b, u32 n) {
    const u8 *x = a, *y = b;
    for (; n; n--, x++, y++)
        if (*x != *y)
            return *x - *y;
    return 0;
}

u32 strlen(const char *s) {
    u32 n = 0;
    while (s[n])
        n++;
    return n;
}

int strncmp(const char *a, const char *b, u32 n) {
    for (; n; n--, a++, b++) {
        if (*a != *b)
            return (u8)*a - (u8)*b;
        if (!*a)
            break;
    }
    return 0;
}

// %s %c %d %u %x with an optional width and leading zero; the result always ends with a 0.
int format(char *to, u32 room, const char *f, __builtin_va_list ap) {
    u32 n = 0;
#define PUT(ch) do { if (n + 1 < room) to[n++] = (ch); } while (0)
    for (; *f; f++) {
        if (*f != '%') {
            PUT(*f);
            continue;
        }
        f++;
        char pad = ' ', digits[12];
        u32 width = 0, count = 0, base = 10, value;
        if (*f == '0')
            pad = '0';
        while (*f >= '0' && *f <= '9')
            width = width * 10 + (u32)(*f++ - '0');
        switch (*f) {
        case 's': {
            const char *s = __builtin_va_arg(ap, const char *);
            for (u32 len = strlen(s); len < width; width--)
                PUT(' ');
            while (*s)
                PUT(*s++);
            continue;
        }
        case 'c':
            PUT((char)__builtin_va_arg(ap, int));
            continue;
        case 'd': {
            int v = __builtin_va_arg(ap, int);
            if (v < 0)
                PUT('-');
            value = v < 0 ? 0u - (u32)v : (u32)v;
            break;
        }
        case 'x':
            base = 16; // fall through
        case 'u':
            value = __builtin_va_arg(ap, u32);
            break;
        default:
            PUT(*f);
            continue;
        }
        do
            digits[count++] = "0123456789abcdef"[value % base];
        while (value /= base);
        for (; width > count; width--)
            PUT(pad);
        while (count)
            PUT(digits[--count]);
    }
#undef PUT
    to[n] = 0;
    return (int)n;
}

int sformat(char *to, u32 room, const char *f, ...) {
    __builtin_va_list ap;
    __builtin_va_start(ap, f);
    int n = format(to, room, f, ap);
    __builtin_va_end(ap);
    return n;
}
