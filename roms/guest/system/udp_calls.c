// SPDX-License-Identifier: GPL-2.0-or-later
//
// System calls of UDP's sockets, and those of the flood program.
#include "calls.h"
#include "linux_cost.h"
#include "sink.h"
#include "system.h"
#include "udp.h"

static int write_datagram(struct file *f, const u8 *from, u32 n) {
    system_cost(&stack_call_path);
    return udp_send(f->udp, from, n, 0, 0);
}

int sys_udp_socket(struct regs r) {
    (void)r;
    if (!netdev->opened)
        fail("no network adapter that a driver knows is installed and enabled");
    for (u32 fd = 0; fd < FILES; fd++) {
        if (files[fd].write)
            continue;
        struct udp_sock *sk = udp_socket();
        if (!sk)
            return -ENOBUFS;
        files[fd] = (struct file){.write = write_datagram, .udp = sk};
        return (int)fd;
    }
    return -EMFILE;
}

int sys_udp_bind(struct regs r) {
    struct udp_sock *sk = udp_file(r.ebx);
    return !sk ? -EBADF : r.ecx > 0xFFFF ? -EINVAL : udp_bind(sk, (u16)r.ecx);
}

int sys_udp_connect(struct regs r) {
    struct udp_sock *sk = udp_file(r.ebx);
    return !sk ? -EBADF : r.edx > 0xFFFF ? -EINVAL : udp_connect(sk, r.ecx, (u16)r.edx);
}

// The message of a call, if all of it is in ring-3 space.
static int take_message(const struct regs *r, struct message *m) {
    if (!udp_file(r->ebx))
        return -EBADF;
    if (bad_user((void *)r->ecx, sizeof *m))
        return -EFAULT;
    *m = *(struct message *)r->ecx;
    return bad_user(m->data, m->bytes) ? -EFAULT : 0;
}

int sys_udp_send(struct regs r) {
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

int sys_udp_receive(struct regs r) {
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

int sys_udp_counters(struct regs r) {
    (void)r;
    udp_report();
    return 0;
}

// ---- flood --------------------------------------------------------------------------------------
int sys_sink(struct regs r) {
    struct udp_sock *sk = udp_file(r.ecx);
    if (!sk)
        return -EBADF;
    return r.ebx >= SINK_DEPTHS || !sk->local_port ? -EINVAL : (int)sink_set(r.ebx, sk, r.edx);
}

int sys_forwarded(struct regs r) {
    (void)r;
    return (int)net_forwarded;
}

int sys_send_frames(struct regs r) {
    struct udp_sock *sk = udp_file(r.ebx);
    struct frames *f = (struct frames *)r.ecx;
    return !sk ? -EBADF : bad_user(f, sizeof *f) ? -EFAULT : f->bytes > UDP_FRAME ? -EMSGSIZE : send_frames(sk, f);
}
