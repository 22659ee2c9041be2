// SPDX-License-Identifier: GPL-2.0-or-later
//
// Closing a connection: waiting for its end (tcp_close(), tcp_shutdown()), or not, as close() does (tcp_leave()).
#include "tcp.h"

static void linger_over(u32 data) {
    struct sock *sk = (struct sock *)data;
    sk->linger_over = 1;
    wake_up(&sk->sleep);
}

// Sends FIN after the queued data.
static void end_sending(struct sock *sk) {
    sock_lock(sk);
    sk->shutdown = 1;
    if (sk->state == TCP_ESTABLISHED || sk->state == TCP_CLOSE_WAIT) {
        sk->state = sk->state == TCP_ESTABLISHED ? TCP_FIN_WAIT1 : TCP_LAST_ACK;
        tcp_send_fin(sk);
    }
    sock_release(sk);
}

static int other_end_sends(struct sock *sk) {
    return sk->state == TCP_FIN_WAIT1 || sk->state == TCP_FIN_WAIT2;
}

int tcp_shutdown(struct sock *sk) {
    if (sk->state != TCP_ESTABLISHED && sk->state != TCP_CLOSE_WAIT)
        return -ENOTCONN;
    end_sending(sk);
    struct wait_entry wait = {current, NULL};
    wait_add(&sk->sleep, &wait);
    for (;;) {
        current->state = TASK_INTERRUPTIBLE;
        if (!other_end_sends(sk))
            break;
        schedule();
    }
    current->state = TASK_RUNNING;
    wait_remove(&sk->sleep, &wait);
    return sk->error ? sock_error(sk) : 0;
}

// Sends FIN after the queued data and waits, at most 5 s, until both sides have finished: the run's
// last segments are then on the wire before the results are. A connection in TIME_WAIT keeps answering.
int tcp_close(struct sock *sk) {
    struct timer limit = {.function = linger_over, .data = (u32)sk};
    if (sk->state == TCP_LISTEN)
        tcp_listen_close(sk);
    end_sending(sk);
    struct wait_entry wait = {current, NULL};
    wait_add(&sk->sleep, &wait);
    timer_set(&limit, jiffies + 5 * HZ);
    for (;;) {
        current->state = TASK_INTERRUPTIBLE;
        if (sk->linger_over || sk->state == TCP_CLOSED || sk->state == TCP_TIME_WAIT)
            break;
        schedule();
    }
    current->state = TASK_RUNNING;
    wait_remove(&sk->sleep, &wait);
    timer_del(&limit);
    int done = sk->state == TCP_CLOSED || sk->state == TCP_TIME_WAIT;
    if (sk->state != TCP_TIME_WAIT)
        tcp_abandon(sk);
    sock_drop(&sk->receive);
    sock_drop(&sk->held);
    sk->open = 0;
    return done ? 0 : -ETIMEDOUT;
}

// ---- without a wait -----------------------------------------------------------------------------
// Data that still arrives is not read. The socket can be reused once its FIN has been acknowledged; tcp_time_wait.c
// then answers for it.
static u32 left;                        // one bit per socket

void tcp_left(void) {
    bh_atomic_begin();
    for (u32 n = 0; n < SOCKETS; n++) {
        struct sock *sk = &sockets[n];
        if (left & 1u << n && (sk->state == TCP_CLOSED || sk->state == TCP_TIME_WAIT)) {
            sk->open = 0;
            left &= ~(1u << n);
        }
        if (sk->open || !sk->write.next || (sk->state != TCP_CLOSED && sk->state != TCP_TIME_WAIT))
            continue;                   // in use, or never used
        if (sk->state == TCP_TIME_WAIT)
            tcp_remember(sk);
        tcp_abandon(sk);                // stops its timers, drops unsent data
    }
    bh_atomic_end();
}

void tcp_leave(struct sock *sk) {
    end_sending(sk);
    bh_atomic_begin();
    sock_drop(&sk->receive);
    left |= 1u << (sk - sockets);
    bh_atomic_end();
    tcp_left();
}
