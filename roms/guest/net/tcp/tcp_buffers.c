// SPDX-License-Identifier: GPL-2.0-or-later
//
// SO_SNDBUF and SO_RCVBUF of TCP's sockets as Linux 2.2 has them (net/core/sock.c, include/net/tcp.h; read): what is asked
// for is cut to 65535 bytes and doubled, as what a buffer holds beside its data counts too, and getsockopt() tells the
// doubled size. A socket that was never asked has 65535 either way. Half of the receive buffer is the window; a SYN offers
// 32767 at most, and as the largest buffer is 131070, scaling never shifts.
//
// As there, a receive buffer of less than two segments stands still: its window shuts and has no room for a segment any more.
//
// The measured path has one receive buffer, RECEIVE_BUFFER, and compares receive_memory with it (tcp_output.c). A socket
// with another one begins with the difference in receive_memory, and ends with it: tcp_usual_buffers() takes it out again.
// Nor does the usual socket's way to a connection know of any of this: one that has another buffer takes its port at once,
// and it is the port that makes a difference in tcp_connect().
#include "tcp.h"

enum { LEAST_SEND = 2048, LEAST_RECEIVE = 256 };

static u32 base[SOCKETS];               // of receive_memory, modulo 2^32

static u32 *base_of(const struct sock *sk) { return &base[sk - sockets]; }

u32 sock_buffer(u32 wanted, int receive) {
    return max_u(min_u(wanted, BUFFER_MOST) * 2, receive ? LEAST_RECEIVE : LEAST_SEND);
}

static void set_receive(struct sock *sk, u32 bytes) {
    u32 *at = base_of(sk), now = RECEIVE_BUFFER - bytes;
    bh_atomic_begin();
    sk->receive_memory += now - *at;
    *at = now;
    bh_atomic_end();
}

void tcp_usual_buffers(struct sock *sk) { set_receive(sk, RECEIVE_BUFFER); }

u32 tcp_buffer(struct sock *sk, int receive, u32 wanted) {
    if (wanted && receive) {
        set_receive(sk, sock_buffer(wanted, 1));
        if (!sk->local_port)
            tcp_bind(sk, 0);
    } else if (wanted) {
        sk->send_buffer = sock_buffer(wanted, 0);
        wake_up(&sk->sleep);
    }
    return receive ? RECEIVE_BUFFER - *base_of(sk) : sk->send_buffer;
}

void tcp_inherit_buffers(struct sock *sk, const struct sock *listener) {
    sk->send_buffer = listener->send_buffer;
    set_receive(sk, RECEIVE_BUFFER - *base_of(listener));
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
    u32 space = (RECEIVE_BUFFER - *base_of(sk)) / 2;
    if (space > sk->mss_clamp)
        space = space / sk->mss_clamp * sk->mss_clamp;
    sk->window_clamp = 65535;
    sk->rcv_wnd = min_u(space, MAX_WINDOW);
}
