// SPDX-License-Identifier: GPL-2.0-or-later
//
// A connection that the process closes and does not wait for, as close() does it; nobody reads what still comes. Its
// socket is free for others when its end has been acknowledged; tcp_time_wait.c answers for it then.
#include "tcp.h"

static u32 left;                        // a bit for each socket

void tcp_left(void) {
    bh_atomic_begin();
    for (u32 n = 0; n < SOCKETS; n++) {
        struct sock *sk = &sockets[n];
        if (left & 1u << n && (sk->state == TCP_CLOSED || sk->state == TCP_TIME_WAIT)) {
            sk->open = 0;
            left &= ~(1u << n);
        }
        if (sk->open || !sk->write.next || (sk->state != TCP_CLOSED && sk->state != TCP_TIME_WAIT))
            continue;                   // somebody has it, or nobody ever had
        if (sk->state == TCP_TIME_WAIT)
            tcp_remember(sk);
        tcp_abandon(sk);                // its timers, and what it never sent
        tcp_usual_buffers(sk);
    }
    bh_atomic_end();
}

void tcp_leave(struct sock *sk) {
    sock_lock(sk);
    sk->shutdown = 1;
    if (sk->state == TCP_ESTABLISHED || sk->state == TCP_CLOSE_WAIT) {
        sk->state = sk->state == TCP_ESTABLISHED ? TCP_FIN_WAIT1 : TCP_LAST_ACK;
        tcp_send_fin(sk);
    }
    sock_release(sk);
    bh_atomic_begin();
    sock_drop(&sk->receive);
    left |= 1u << (sk - sockets);
    bh_atomic_end();
    tcp_left();
}
