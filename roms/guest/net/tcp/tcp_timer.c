// SPDX-License-Identifier: GPL-2.0-or-later
//
// TCP's timers: retransmission with exponential back-off, delayed acknowledgement, window probe.
// Each retries a little later if the process holds the socket (Linux 2.2 tcp_timer.c).
#include "tcp.h"

static void give_up(struct sock *sk) {
    sk->error = ETIMEDOUT;
    sk->state = TCP_CLOSED;
    sk->shutdown = 1;
    tcp_timers_stop(sk);
    wake_up(&sk->sleep);
}

static void retransmit_rings(u32 data) {
    struct sock *sk = (struct sock *)data;
    if (sk->locked) {
        timer_set(&sk->retransmit_timer, jiffies + HZ / 20);
        return;
    }
    if (!sk->packets_out)
        return;
    timer_del(&sk->ack_timer);
    sk->retransmit_head = NULL;
    sk->retransmit_done = 0;
    sk->retransmitted_out = 0;
    if (!sk->retransmits) {
        u32 window = sk->snd_wnd / max_u(sk->mss, 1);
        sk->ssthresh = max_u(min_u(window, sk->cwnd) >> 1, 2);
        sk->cwnd_count = 0;
        sk->cwnd = 1;
    }
    sk->retransmits++;
    sk->duplicate_acks = 0;
    sk->high_seq = sk->snd_nxt;
    tcp_retransmit(sk, queue_first(&sk->write));
    sk->backoff++;
    sk->rto = min_u(sk->rto << 1, RTO_MAX);
    tcp_set_retransmit(sk, sk->rto);
    if (sk->retransmits > (sk->state == TCP_SYN_SENT ? SYN_RETRIES : RETRIES))
        give_up(sk);
}

static void ack_rings(u32 data) {
    struct sock *sk = (struct sock *)data;
    if (!sk->delayed_acks || sk->state == TCP_CLOSED)
        return;
    if (sk->locked)
        tcp_delay_ack(sk, HZ / 10);
    else
        tcp_send_ack(sk);
}

static void probe_rings(u32 data) {
    struct sock *sk = (struct sock *)data;
    if (sk->locked) {
        timer_set(&sk->probe_timer, jiffies + HZ / 5);
        return;
    }
    if (sk->probes > RETRIES) {
        give_up(sk);
        return;
    }
    tcp_probe_window(sk);
    sk->probing = 1;
    sk->backoff++;
    sk->probes++;
    timer_set(&sk->probe_timer, jiffies + min_u(sk->rto << min_u(sk->backoff, 12), RTO_MAX));
}

void tcp_timers_init(struct sock *sk) {
    sk->retransmit_timer = (struct timer){.function = retransmit_rings, .data = (u32)sk};
    sk->ack_timer = (struct timer){.function = ack_rings, .data = (u32)sk};
    sk->probe_timer = (struct timer){.function = probe_rings, .data = (u32)sk};
}

void tcp_timers_stop(struct sock *sk) {
    timer_del(&sk->retransmit_timer);
    timer_del(&sk->ack_timer);
    timer_del(&sk->probe_timer);
}

void tcp_set_retransmit(struct sock *sk, u32 when) {
    timer_del(&sk->probe_timer);
    timer_set(&sk->retransmit_timer, jiffies + when);
}

void tcp_delay_ack(struct sock *sk, u32 limit) {
    u32 when = jiffies + min_u(sk->ato, limit);
    if (!sk->ack_timer.pending || before(when, sk->ack_timer.expires))
        timer_set(&sk->ack_timer, when);
}
