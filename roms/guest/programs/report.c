// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the ring-3 programs share: lines for the screen and for COM1, whole blocks over the connection.
#include "user.h"

u8 buffer[BUFFER];

static u32 length_of(const char *s) {
    u32 n = 0;
    while (s[n])
        n++;
    return n;
}

void put(int fd, const char *text) {
    system_call3(CALL_WRITE, (u32)fd, (u32)text, length_of(text));
}

// A line built piece by piece.
char line[128];
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
void tenths(u32 v, u32 width) {
    number(v / 10, width);
    text(".");
    number(v % 10, 0);
}

// One block; a call that the alarm cut short is continued. 0 = sent.
int send_block(u32 size) {
    for (u32 done = 0; done < size;) {
        int n = system_call3(CALL_WRITE, FD_SOCKET, (u32)buffer + done, size - done);
        if (n < 0)
            return n;
        done += (u32)n;
    }
    return 0;
}

// One block of exactly `size` bytes. 0 = received; -EPIPE when the connection ended before.
int receive_block(u32 size) {
    for (u32 done = 0; done < size;) {
        int n = system_call3(CALL_READ, FD_SOCKET, (u32)buffer + done, size - done);
        if (n <= 0)
            return n < 0 ? n : -EPIPE;
        done += (u32)n;
    }
    return 0;
}

int fail_with(const char *what, int error) {
    put(FD_CONSOLE, set.task);
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

// COM1 has the line, the screen what stands behind its @.
void end_line(void) {
    text("\n");
    put(FD_LOG, line);
    put(FD_CONSOLE, line + 1);
}

// Opens `port`, says so in a line that begins with `tag`, and waits for one connection. 0 = it is there.
int take_connection(const char *tag) {
    int error = system_call3(CALL_LISTEN, set.port, 0, 0);
    if (error < 0)
        return fail_with("listen", error);
    begin();
    text(tag);
    text(" port=");
    number(set.port, 0);
    end_line();
    error = system_call3(CALL_ACCEPT, 0, 0, 0);
    return error < 0 ? fail_with("accept", error) : 0;
}
