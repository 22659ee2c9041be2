// SPDX-License-Identifier: GPL-2.0-or-later
//
// TCP's interface to the process: the send buffer, the socket lock, send and receive.
#include "linux_cost.h"
#include "tcp.h"

// ---- memory of the send buffer ------------------------------------------------------------------
// Every buffer, including the clone handed to the card, counts with its truesize; freeing any of
// them wakes the writer, whether or not it then has enough room (Linux 2.2 tcp_write_space).
static void write_free(struct skb *b) {
    struct sock *sk = b->sk;
    sk->write_memory -= b->truesize;
    COST(write_space);
    if (wake_up(&sk->sleep))
        COST(wake_writer);
}

void sock_own_write(struct sock *sk, struct skb *b) {
    b->sk = sk;
    b->destructor = write_free;
    sk->write_memory += b->truesize;
}

struct skb *sock_alloc(struct sock *sk, u32 size, int force) {
    if (!force && sk->write_memory >= sk->send_buffer)
        return NULL;
    struct skb *b = skb_alloc(size);
    if (b)
        sock_own_write(sk, b);
    return b;
}

// ---- the socket lock: segments that arrive meanwhile are processed at release ------------------
static void work_off(struct sock *sk) {
    bh_atomic_begin();
    while (!queue_empty(&sk->waiting)) {
        struct skb *b = queue_first(&sk->waiting);
        queue_unlink(b);
        tcp_process(sk, b);
    }
    bh_atomic_end();
}

static inline void release(struct sock *sk) {
    barrier();
    if (!--sk->locked)
        work_off(sk);
}

void sock_release(struct sock *sk) { release(sk); }

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
        if (sk->write_memory < sk->send_buffer || sk->shutdown || sk->error)
            break;
        schedule();
    }
    sock_lock(sk);
    current->state = TASK_RUNNING;
    wait_remove(&sk->sleep, &wait);
}

// Fill the last segment of the queue if it was never sent. Returns the bytes taken.
// If its length is not a multiple of 4, the whole segment is summed again (as in Linux 2.2).
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
// A partial segment gets a buffer for a full one, so that later writes can top it up.
int tcp_sendmsg(struct sock *sk, const u8 *from, u32 n) {
    u32 left = n;
    int result;
    sock_lock(sk);
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
        // silly window avoidance: with less than half of the largest window left, cut full segments
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
// One call takes everything that is waiting, buffer by buffer, as far as it fits, and acknowledges after the last one
// if the window has grown enough: Linux 2.2's tcp_recvmsg (read).

int tcp_recvmsg(struct sock *sk, u8 *to, u32 n) {
    struct wait_entry wait = {current, NULL};
    u32 copied = 0;
    int result = 0;
    if (!sk->remote_port)
        return -ENOTCONN;
    COST(read_entry);
    wait_add(&sk->sleep, &wait);
    sock_lock(sk);
    while (copied < n) {
        if (current->sigpending) {
            result = -ERESTARTSYS;
            break;
        }
        current->state = TASK_INTERRUPTIBLE;
        struct skb *b = queue_first(&sk->receive);
        if (b) {
            u32 copy = min_u(b->length, n - copied);
            COST(read_copy);
            if ((result = verify_write(to + copied, copy)) < 0)
                break;
            sk->copied_seq += copy;
            memcpy(to + copied, b->data, copy);
            copied += copy;
            skb_pull(b, copy);
            if (!b->length) {
                queue_unlink(b);
                skb_free(b);
            }
            continue;
        }
        if (copied)
            break;
        if (sk->error || sk->state != TCP_ESTABLISHED) {
            result = sk->error ? sock_error(sk) : 0;
            break;
        }
        release(sk);
        schedule();
        sock_lock(sk);
    }
    wait_remove(&sk->sleep, &wait);
    current->state = TASK_RUNNING;
    if (copied && tcp_may_raise_window(sk))
        tcp_send_ack(sk);
    COST(read_exit);
    release(sk);
    return copied ? (int)copied : result;
}
