// SPDX-License-Identifier: GPL-2.0-or-later
//
// TCP as the process calls it: connect, send, receive, close.
#include "linux_cost.h"
#include "tcp.h"

static struct sock the_socket;
static u32 connections;              // so far: each has its own numbers

// ---- memory of the send buffer ------------------------------------------------------------------
// Every buffer, also the clone on its way to the card, counts with its truesize; freeing any of
// them wakes the writer, whether it has enough room then or not (Linux 2.2 tcp_write_space).
static void write_free(struct skb *b) {
    struct sock *sk = b->sk;
    sk->write_memory -= b->truesize;
    COST(write_space);
    wake_up(&sk->sleep);
}

void sock_own_write(struct sock *sk, struct skb *b) {
    b->sk = sk;
    b->destructor = write_free;
    sk->write_memory += b->truesize;
}

struct skb *sock_alloc(struct sock *sk, u32 size, int force) {
    if (!force && sk->write_memory >= SEND_BUFFER)
        return NULL;
    struct skb *b = skb_alloc(size);
    if (b)
        sock_own_write(sk, b);
    return b;
}

// ---- the socket lock: segments that arrive meanwhile are worked off at release -----------------
static void lock(struct sock *sk) { sk->locked++; }

static void release(struct sock *sk) {
    barrier();
    if (--sk->locked)
        return;
    bh_atomic_begin();
    while (!queue_empty(&sk->waiting)) {
        struct skb *b = queue_first(&sk->waiting);
        queue_unlink(b);
        tcp_process(sk, b);
    }
    bh_atomic_end();
}

static int sock_error(struct sock *sk) {
    int e = sk->error;
    sk->error = 0;
    return e ? -e : -EPIPE;
}

// ---- connect ------------------------------------------------------------------------------------
u16 tcp_own_port(void) {
    return htons((u16)(1024 + (settings.seed * 69069u + 1 + connections) % 3976));
}

// The socket as it is before the first segment of a connection.
struct sock *tcp_new(u32 ip, u16 remote_port, u16 local_port) {
    struct sock *sk = &the_socket;
    memset(sk, 0, sizeof *sk);
    queue_init(&sk->waiting);
    queue_init(&sk->receive);
    queue_init(&sk->write);
    tcp_timers_init(sk);
    u32 draw = settings.seed * 69069u + 1 + connections++;
    sk->remote_ip = ip;
    sk->local_ip = settings.ip;
    sk->remote_port = remote_port;
    sk->local_port = local_port;
    sk->write_seq = draw * 1664525u + 1013904223u;
    sk->rto = RTO_INIT;
    sk->mdev = RTO_INIT;
    sk->cwnd = 2;
    sk->ssthresh = 0x7FFFFFFF;
    sk->header_length = TCP_HEADER + TCP_STAMP;
    sk->mss_clamp = ETH_MTU - 40;
    sk->mss = sk->mss_clamp - TCP_STAMP;
    sk->rcv_mss = 536;
    sk->snd_wl2 = sk->snd_una = sk->write_seq;
    sk->window_clamp = MAX_WINDOW;
    sk->rcv_wnd = MAX_WINDOW / sk->mss_clamp * sk->mss_clamp;   // 22 segments = 32120
    return sk;
}

struct sock *tcp_connect(u32 ip, u16 port, int *error) {
    gateway.ip = ip;
    struct sock *sk = tcp_new(ip, htons(port), tcp_own_port());
    struct skb *b = sock_alloc(sk, HEADROOM + 15, 1);
    if (!b) {
        *error = -ENOMEM;
        return NULL;
    }
    skb_reserve(b, HEADROOM);
    b->flags = TCP_SYN;
    b->seq = sk->write_seq++;
    b->end_seq = sk->snd_nxt = sk->write_seq;
    b->when = jiffies;
    tcp_socket = sk;
    lock(sk);
    sk->state = TCP_SYN_SENT;
    queue_tail(&sk->write, b);
    sk->packets_out++;
    tcp_transmit(sk, skb_clone(b));
    tcp_set_retransmit(sk, sk->rto);
    release(sk);

    struct wait_entry wait = {current, NULL};
    wait_add(&sk->sleep, &wait);
    for (;;) {
        current->state = TASK_INTERRUPTIBLE;
        if (sk->state != TCP_SYN_SENT)
            break;
        schedule();
    }
    current->state = TASK_RUNNING;
    wait_remove(&sk->sleep, &wait);
    if (sk->state == TCP_ESTABLISHED || sk->state == TCP_CLOSE_WAIT)
        return sk;
    *error = sock_error(sk);
    tcp_timers_stop(sk);
    tcp_socket = NULL;
    return NULL;
}

u32 tcp_retransmitted(void) { return the_socket.retransmit_count; }

void tcp_unreachable(void) {
    struct sock *sk = tcp_socket;
    if (!sk || sk->state != TCP_SYN_SENT)
        return;
    sk->error = EHOSTUNREACH;
    sk->state = TCP_CLOSED;
    tcp_timers_stop(sk);
    wake_up(&sk->sleep);
}

// ---- send ---------------------------------------------------------------------------------------
static void wait_for_memory(struct sock *sk) {
    struct wait_entry wait = {current, NULL};
    wait_add(&sk->sleep, &wait);
    release(sk);
    COST(block);
    for (;;) {
        if (current->sigpending)
            break;
        current->state = TASK_INTERRUPTIBLE;
        if (sk->write_memory < SEND_BUFFER || sk->shutdown || sk->error)
            break;
        schedule();
    }
    lock(sk);
    current->state = TASK_RUNNING;
    wait_remove(&sk->sleep, &wait);
}

// Fill the last segment of the queue, if it was never sent. Returns the bytes taken.
// When its length is no multiple of 4 the whole segment is summed again (Linux 2.2 does so).
static u32 top_up(struct sock *sk, const u8 *from, u32 left) {
    struct skb *b = queue_last(&sk->write);
    u32 have = b->length, room = skb_tailroom(b);
    if (!room || have >= sk->mss || !before(sk->snd_nxt, b->end_seq))
        return 0;
    u32 copy = min_u(min_u(sk->mss - have, room), left);
    COST(append);
    if (have % 4) {
        memcpy(skb_put(b, copy), from, copy);
        b->csum = csum_partial(b->data, b->length, 0);
    } else {
        b->csum = csum_copy(from, skb_put(b, copy), copy, b->csum);
    }
    sk->write_seq += copy;
    b->end_seq += copy;
    if (copy == left)
        b->flags |= TCP_PSH;
    return copy;
}

// One call of write(): cut into segments, copied and summed, each sent as soon as the rules allow.
// A part segment gets a buffer for a full one, so that later writes can top it up.
int tcp_sendmsg(struct sock *sk, const u8 *from, u32 n) {
    u32 left = n;
    int result;
    lock(sk);
    while (left) {
        if (sk->error || sk->shutdown || sk->state == TCP_CLOSED)
            goto broken;
        if (sk->send_head) {
            u32 taken = top_up(sk, from, left);
            if (taken) {
                from += taken;
                left -= taken;
                continue;
            }
        }
        // silly window avoidance: with less than half the largest window left, cut full segments
        int push = 0, hold;
        u32 copy = sk->snd_wnd - (sk->snd_nxt - sk->snd_una), size = HEADROOM;
        if ((s32)copy > (s32)(sk->max_window >> 1)) {
            copy = min_u(copy, sk->mss);
            push = 1;
        } else {
            copy = sk->mss;
        }
        copy = min_u(copy, left);
        if (copy < min_u(sk->mss, sk->max_window >> 1)) {
            size += min_u(sk->mss, sk->max_window);
            hold = 1;
        } else {
            size += copy;
            hold = 0;
        }
        struct skb *b = sock_alloc(sk, size, 0);
        if (!b) {
            if (current->sigpending)
                goto interrupted;
            tcp_push(sk);
            wait_for_memory(sk);
            continue;
        }
        COST(segment_build);
        left -= copy;
        b->flags = (u8)(TCP_ACK | (!left || push ? TCP_PSH : 0));
        skb_reserve(b, HEADROOM);
        b->csum = csum_copy(from, skb_put(b, copy), copy, 0);
        from += copy;
        b->seq = sk->write_seq;
        b->end_seq = b->seq + copy;
        tcp_send_or_queue(sk, b, hold);
    }
    sk->error = 0;
    result = (int)n;
    goto out;
broken:
    result = n != left ? (int)(n - left) : sock_error(sk);
    goto out;
interrupted:
    result = n != left ? (int)(n - left) : -ERESTARTSYS;
out:
    tcp_push(sk);
    release(sk);
    return result;
}

// ---- receive ------------------------------------------------------------------------------------
int tcp_recvmsg(struct sock *sk, u8 *to, u32 n) {
    int result = 0;
    lock(sk);
    for (;;) {
        struct skb *b = queue_first(&sk->receive);
        if (b) {
            u32 copy = min_u(b->length, n);
            memcpy(to, b->data, copy);
            skb_pull(b, copy);
            sk->copied_seq += copy;
            if (!b->length) {
                queue_unlink(b);
                skb_free(b);
            }
            result = (int)copy;
            if (tcp_may_raise_window(sk))
                tcp_send_ack(sk);
            break;
        }
        if (sk->error || sk->state != TCP_ESTABLISHED) {
            result = sk->error ? sock_error(sk) : 0;
            break;
        }
        if (current->sigpending) {
            result = -ERESTARTSYS;
            break;
        }
        struct wait_entry wait = {current, NULL};
        wait_add(&sk->sleep, &wait);
        current->state = TASK_INTERRUPTIBLE;
        release(sk);
        if (queue_empty(&sk->receive) && sk->state == TCP_ESTABLISHED && !sk->error)
            schedule();
        current->state = TASK_RUNNING;
        wait_remove(&sk->sleep, &wait);
        lock(sk);
    }
    release(sk);
    return result;
}

// ---- close --------------------------------------------------------------------------------------
static void linger_over(u32 data) {
    struct sock *sk = (struct sock *)data;
    sk->linger_over = 1;
    wake_up(&sk->sleep);
}

// Sends FIN after what is queued and waits until both sides have said so, at most 5 s: the run's
// last segments then are on the wire before the results are.
int tcp_close(struct sock *sk) {
    struct timer limit = {.function = linger_over, .data = (u32)sk};
    lock(sk);
    sk->shutdown = 1;
    if (sk->state == TCP_ESTABLISHED || sk->state == TCP_CLOSE_WAIT) {
        sk->state = sk->state == TCP_ESTABLISHED ? TCP_FIN_WAIT1 : TCP_LAST_ACK;
        tcp_send_fin(sk);
    }
    release(sk);
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
    return sk->linger_over ? -ETIMEDOUT : 0;
}
