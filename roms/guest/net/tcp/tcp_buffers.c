// SPDX-License-Identifier: GPL-2.0-or-later
//
// SO_SNDBUF and SO_RCVBUF of TCP's sockets as in Linux 2.2 (net/core/sock.c, include/net/tcp.h; read): the requested
// size is limited to 65535 bytes and doubled, because a buffer's overhead counts too, and getsockopt() returns the
// doubled size. A socket for which no size was requested has 65535 in both directions. Half of the receive buffer is
// the window; a SYN offers 32767 at most, and as the largest buffer is 131070, scaling never shifts.
//
// As there, a receive buffer smaller than two segments stalls: its window closes and never has room again.
#include "tcp.h"

enum { LEAST_SEND = 2048, LEAST_RECEIVE = 256 };

u32 sock_buffer(u32 wanted, int receive) {
    return max_u(min_u(wanted, BUFFER_MOST) * 2, receive ? LEAST_RECEIVE : LEAST_SEND);
}

u32 tcp_buffer(struct sock *sk, int receive, u32 wanted) {
    u32 *buffer = receive ? &sk->receive_buffer : &sk->send_buffer;
    if (wanted) {
        *buffer = sock_buffer(wanted, receive);
        wake_up(&sk->sleep);
    }
    return *buffer;
}

// ---- the socket's own port ----------------------------------------------------------------------
static int taken(u16 port) {
    for (struct sock *sk = sockets; sk < sockets + SOCKETS; sk++)
        if (sk->local_port == port && (sk->open || sk->state != TCP_CLOSED))
            return 1;
    return tcp_port_waits(port);
}

int tcp_bind(struct sock *sk, u16 port) {
    enum { FIRST = 1024, PORTS = 3976 };            // net.ipv4.ip_local_port_range
    static u32 drawn;
    u16 number = htons(port);
    if (sk->remote_port || sk->state != TCP_CLOSED)
        return -EINVAL;
    if (port && taken(number))
        return -EADDRINUSE;
    while (!number) {
        u16 next = htons((u16)(FIRST + (own_seed * 69069u + PORTS / 2 + drawn++) % PORTS));
        if (!taken(next))
            number = next;
    }
    sk->local_port = number;
    return 0;
}

// ---- its window ---------------------------------------------------------------------------------
// tcp_select_initial_window() without scaling.
void tcp_first_window(struct sock *sk) {
    u32 space = sk->receive_buffer / 2;
    if (space > sk->mss_clamp)
        space = space / sk->mss_clamp * sk->mss_clamp;
    sk->window_clamp = 65535;
    sk->rcv_wnd = min_u(space, MAX_WINDOW);
}
