// SPDX-License-Identifier: GPL-2.0-or-later
//
// System calls as a ring-3 program sees them (INT 80h): number in EAX, arguments in EBX, ECX, EDX; a negative result is
// an error number.
#pragma once

enum {
    CALL_EXIT,              // status
    CALL_WRITE,             // fd, from, bytes: bytes taken
    CALL_READ,              // fd, to, bytes: bytes, 0 at the end of the connection
    CALL_CONNECT,           // fd, address in network order, port
    CALL_CLOSE,             // fd
    CALL_ALARM,             // microseconds (0 cancels), handler, restorer
    CALL_TIME,              // struct timeval
    CALL_TICKS,             // two words: all ticks, those charged to a process
    CALL_SETTINGS,          // 512 bytes: the settings sector
    CALL_MEASURE,           // 1: COM1 output waits for the tick; 0: it is sent at once
    CALL_SIGRETURN,         // crt.asm knows this number
    CALL_COUNTERS,          // reports @counters
    CALL_PAUSE,             // until the alarm expires
    CALL_LISTEN,            // fd, port
    CALL_ACCEPT,            // fd of a listening socket: fd of the connection
    CALL_SOCKET,            // fd of a new TCP socket
    CALL_SEND_BUFFER,       // fd, bytes: as setsockopt(SO_SNDBUF)
    CALL_SHUTDOWN,          // fd: ends its own direction, and waits for the end of the other one
    CALL_RECEIVE,           // as CALL_READ, but -EINTR if the alarm expires meanwhile
    CALL_ACCEPT_UNTIL,      // as CALL_ACCEPT, but -EINTR if the alarm expires meanwhile
    CALL_LEAVE,             // fd, or -1: as CALL_CLOSE, without waiting: the rest is done after the call
    CALL_UDP_SOCKET,        // fd of a new UDP socket; CALL_WRITE sends to the connected address
    CALL_UDP_BIND,          // fd, port (0 = any): the port
    CALL_UDP_CONNECT,       // fd, address in network order, port
    CALL_UDP_SEND,          // fd, struct message: bytes taken
    CALL_UDP_RECEIVE,       // fd, struct message: bytes; -EINTR if the alarm expires meanwhile
    CALL_UDP_COUNTERS,      // reports @udp, if there was any
    CALL_SINK,              // depth, fd of a bound UDP socket, run: address of the shared page (sink_page.h)
    CALL_FORWARDED,         // datagrams forwarded so far (net/datagram/forward.c)
    CALL_SEND_FRAMES,       // fd of a connected UDP socket, struct frames: sends until the alarm expires
    CALL_BUFFER,            // fd, 0 = SO_SNDBUF or 1 = SO_RCVBUF, bytes to set (0: none): actual bytes, as getsockopt()
    CALL_BIND,              // fd of a TCP socket, port: the local one of its connection
    CALL_HEAP,              // pages of zeros, 1 = will be written, 0 = only read: their address, after previous ones
    CALLS                   // entry.asm knows their number
};
struct message {            // a datagram
    unsigned char *data;
    unsigned bytes;         // length, or the room for it
    unsigned address, port; // destination or source; the address in network order
};
struct frames {             // one datagram sent repeatedly, from the kernel straight to the driver
    unsigned bytes, run;    // bytes of its data, whose first word is the run
    unsigned given, refused;    // out: frames that the driver has taken; times that it turned out to have no room
};
enum { FD_CONSOLE = 1, FD_LOG = 2 };    // the screen with COM1; COM1 alone
