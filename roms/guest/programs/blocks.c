// SPDX-License-Identifier: GPL-2.0-or-later
//
// Connections and whole blocks over them; the alarm that ends a measurement.
#include "user.h"

u8 buffer[BUFFER];
volatile int time_over;

static void on_alarm(int signal) {
    (void)signal;
    time_over = 1;
}

void start_alarm(u32 microseconds) {
    time_over = 0;
    system_call3(CALL_ALARM, microseconds, (u32)on_alarm, (u32)alarm_restorer);
}

void pause_for(u32 microseconds) {
    start_alarm(microseconds);
    while (!time_over)
        system_call3(CALL_PAUSE, 0, 0, 0);
}

int send_block(int fd, u32 size) {
    for (u32 done = 0; done < size;) {
        int n = system_call3(CALL_WRITE, (u32)fd, (u32)buffer + done, size - done);
        if (n < 0)
            return n;
        done += (u32)n;
    }
    return 0;
}

int receive_block(int fd, u32 size) {
    for (u32 done = 0; done < size;) {
        int n = system_call3(CALL_READ, (u32)fd, (u32)buffer + done, size - done);
        if (n <= 0)
            return n < 0 ? n : -EPIPE;
        done += (u32)n;
    }
    return 0;
}

int connect_to(u32 peer, u32 port) {
    int fd = system_call3(CALL_SOCKET, 0, 0, 0);
    if (fd < 0)
        return fd;
    int error = system_call3(CALL_CONNECT, (u32)fd, peer, port);
    return error < 0 ? error : fd;
}

int take_connection(const char *tag, u32 port) {
    int listener = system_call3(CALL_SOCKET, 0, 0, 0);
    if (listener < 0)
        return listener;
    int error = system_call3(CALL_LISTEN, (u32)listener, port, 0);
    if (error < 0)
        return error;
    begin();
    text(tag);
    text(" port=");
    number(port, 0);
    end_line();
    return system_call3(CALL_ACCEPT, (u32)listener, 0, 0);
}
