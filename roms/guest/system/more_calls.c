// SPDX-License-Identifier: GPL-2.0-or-later
//
// System calls from CALLS on: UDP, and connections that nobody waits for. They lie in low memory with what they call:
// the first calls keep their place (kernel/kernel.ld).
//
// A descriptor's own entry (struct file, which the measured path of TCP knows) says how it is written to; which UDP
// socket stands behind it says a table of the same length.
#include "calls.h"
#include "linux_cost.h"
#include "net.h"
#include "sink.h"
#include "system.h"
#include "udp.h"

static struct udp_sock *datagrams[FILES];

struct udp_sock *udp_file(u32 fd) { return fd < FILES ? datagrams[fd] : NULL; }

// ---- connections --------------------------------------------------------------------------------
static int sys_accept_until(struct regs r) {
    struct sock *listener = file_socket(r.ebx);
    if (listener)
        tcp_left();
    int fd = sys_accept(r);
    return fd == -ERESTARTSYS ? -EINTR : fd;
}

static int sys_leave(struct regs r) {
    struct sock *sk = file_socket(r.ebx);
    struct udp_sock *udp = udp_file(r.ebx);
    if ((s32)r.ebx == -1) {
        tcp_left();
        return 0;
    }
    if (!sk && !udp)
        return -EBADF;
    files[r.ebx].sk = NULL;
    files[r.ebx].write = NULL;
    datagrams[r.ebx] = NULL;
    if (udp)
        udp_close(udp);
    else if (sk->state == TCP_LISTEN)
        return tcp_close(sk);
    else
        tcp_leave(sk);
    return 0;
}

// ---- UDP ----------------------------------------------------------------------------------------
static int write_datagram(struct file *f, const u8 *from, u32 n) {
    system_cost(&stack_call_path);
    return udp_send(datagrams[f - files], from, n, 0, 0);
}

static int sys_udp_socket(struct regs r) {
    (void)r;
    if (!netdev.opened)
        fail("no network adapter that a driver knows is installed and enabled");
    for (u32 fd = 0; fd < FILES; fd++) {
        if (files[fd].write)
            continue;
        struct udp_sock *sk = udp_socket();
        if (!sk)
            return -ENOBUFS;
        datagrams[fd] = sk;
        files[fd].sk = NULL;
        files[fd].write = write_datagram;
        return (int)fd;
    }
    return -EMFILE;
}

static int sys_udp_bind(struct regs r) {
    struct udp_sock *sk = udp_file(r.ebx);
    return !sk ? -EBADF : r.ecx > 0xFFFF ? -EINVAL : udp_bind(sk, (u16)r.ecx);
}

static int sys_udp_connect(struct regs r) {
    struct udp_sock *sk = udp_file(r.ebx);
    return !sk ? -EBADF : r.edx > 0xFFFF ? -EINVAL : udp_connect(sk, r.ecx, (u16)r.edx);
}

// The message of a call, if all of it lies in ring-3 space.
static int take_message(const struct regs *r, struct message *m) {
    if (!udp_file(r->ebx))
        return -EBADF;
    if (bad_user((void *)r->ecx, sizeof *m))
        return -EFAULT;
    *m = *(struct message *)r->ecx;
    return bad_user(m->data, m->bytes) ? -EFAULT : 0;
}

static int sys_udp_send(struct regs r) {
    struct message m;
    int error = take_message(&r, &m);
    if (error)
        return error;
    if (!m.address || !m.port || m.port > 0xFFFF)
        return -EINVAL;
    COST(write_entry);
    system_cost(&stack_call_path);
    int done = udp_send(udp_file(r.ebx), m.data, m.bytes, m.address, (u16)m.port);
    COST(write_exit);
    return done;
}

static int sys_udp_receive(struct regs r) {
    struct message m;
    u16 port = 0;
    int done, error = take_message(&r, &m);
    if (error)
        return error;
    if ((done = udp_take(udp_file(r.ebx), m.data, m.bytes, &m.address, &port)) >= 0) {
        m.port = port;
        *(struct message *)r.ecx = m;
    }
    return done;
}

static int sys_udp_counters(struct regs r) {
    (void)r;
    udp_report();
    return 0;
}

static int sys_sink(struct regs r) {
    struct udp_sock *sk = udp_file(r.ecx);
    if (!sk)
        return -EBADF;
    return r.ebx > SINK_FORWARD || !sk->local_port ? -EINVAL : (int)sink_set(r.ebx, sk, r.edx);
}

static int sys_forwarded(struct regs r) {
    (void)r;
    return (int)net_forwarded;
}

static int sys_send_frames(struct regs r) {
    struct udp_sock *sk = udp_file(r.ebx);
    struct frames *f = (struct frames *)r.ecx;
    return !sk ? -EBADF : bad_user(f, sizeof *f) ? -EFAULT : f->bytes > UDP_FRAME ? -EMSGSIZE : send_frames(sk, f);
}

static int sys_more_text(struct regs r) {
    enum { USER_TEXT = 0x08048000, PAGES = 4 };     // programs/user.ld
    const struct boot_programs *programs = virt(BOOT_PROGRAMS);
    (void)r;
    for (u32 at = programs->text_bytes; at < programs->text_bytes + PAGES * PAGE_SIZE; at += PAGE_SIZE)
        mm_map_user(current->cr3, USER_TEXT + at, programs->address + at);
    return 0;
}

static int (*const table[MORE_CALLS - CALLS])(struct regs r) = {
    [CALL_ACCEPT_UNTIL - CALLS] = sys_accept_until, [CALL_LEAVE - CALLS] = sys_leave,
    [CALL_UDP_SOCKET - CALLS] = sys_udp_socket,     [CALL_UDP_BIND - CALLS] = sys_udp_bind,
    [CALL_UDP_CONNECT - CALLS] = sys_udp_connect,   [CALL_UDP_SEND - CALLS] = sys_udp_send,
    [CALL_UDP_RECEIVE - CALLS] = sys_udp_receive,   [CALL_UDP_COUNTERS - CALLS] = sys_udp_counters,
    [CALL_SINK - CALLS] = sys_sink,                 [CALL_MORE_TEXT - CALLS] = sys_more_text,
    [CALL_FORWARDED - CALLS] = sys_forwarded,       [CALL_SEND_FRAMES - CALLS] = sys_send_frames,
    [CALL_BUFFER - CALLS] = sys_buffer,             [CALL_BIND - CALLS] = sys_bind,
};

int more_calls(struct regs r) {
    u32 number = r.orig_eax - CALLS;
    return number < MORE_CALLS - CALLS ? table[number](r) : -ENOSYS;
}
