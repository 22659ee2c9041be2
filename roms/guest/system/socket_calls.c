// SPDX-License-Identifier: GPL-2.0-or-later
//
// System calls that create and close sockets, and those that configure a socket before use: buffer sizes and port.
#include "system.h"
#include "udp.h"

static int write_at_cost(struct file *f, const u8 *from, u32 n) {
    system_cost(&stack_call_path);
    return write_socket(f, from, n);
}

// Assigns the lowest free descriptor to `sk`.
static int new_file(struct sock *sk) {
    for (int fd = 0; fd < FILES; fd++) {
        struct file *f = &files[fd];
        if (f->write)
            continue;
        f->sk = sk;
        f->write = stack_call_path.bodies ? write_at_cost : write_socket;
        return fd;
    }
    return -EMFILE;
}

int sys_socket(struct regs r) {
    (void)r;
    if (!netdev->opened)
        fail("no network adapter that a driver knows is installed and enabled");
    struct sock *sk = tcp_socket();
    if (!sk)
        return -ENOBUFS;
    int fd = new_file(sk);
    if (fd < 0)
        tcp_close(sk);
    return fd;
}

int sys_connect(struct regs r) {
    struct sock *sk = file_socket(r.ebx);
    return sk ? tcp_connect(sk, r.ecx, (u16)r.edx) : -EBADF;
}

// Linux 2.2: limits the size to the initial one and doubles it, because a buffer's overhead counts too.
int sys_send_buffer(struct regs r) {
    struct sock *sk = file_socket(r.ebx);
    if (!sk)
        return -EBADF;
    sk->send_buffer = max_u(min_u(r.ecx, SEND_BUFFER) * 2, 2048);
    return 0;
}

int sys_listen(struct regs r) {
    struct sock *sk = file_socket(r.ebx);
    return sk ? tcp_listen(sk, (u16)r.ecx) : -EBADF;
}

int sys_accept(struct regs r) {
    struct sock *listener = file_socket(r.ebx);
    int error;
    if (!listener)
        return -EBADF;
    struct sock *sk = tcp_accept(listener, &error);
    if (!sk)
        return error;
    int fd = new_file(sk);
    if (fd < 0)
        tcp_close(sk);
    return fd;
}

int sys_shutdown(struct regs r) {
    struct sock *sk = file_socket(r.ebx);
    return sk ? tcp_shutdown(sk) : -EBADF;
}

int sys_receive(struct regs r) {
    struct sock *sk = file_socket(r.ebx);
    if (!sk)
        return -EBADF;
    if (bad_user((void *)r.ecx, r.edx))
        return -EFAULT;
    int n = tcp_recvmsg(sk, (u8 *)r.ecx, r.edx);
    return n == -ERESTARTSYS ? -EINTR : n;
}

int sys_close(struct regs r) {
    struct file *f = get_file(r.ebx);
    if (!f || !f->sk)
        return -EBADF;
    struct sock *sk = f->sk;
    *f = (struct file){0};
    return tcp_close(sk);
}

int sys_accept_until(struct regs r) {
    struct sock *listener = file_socket(r.ebx);
    if (listener)
        tcp_left();
    int fd = sys_accept(r);
    return fd == -ERESTARTSYS ? -EINTR : fd;
}

int sys_leave(struct regs r) {
    struct sock *sk = file_socket(r.ebx);
    struct udp_sock *udp = udp_file(r.ebx);
    if ((s32)r.ebx == -1) {
        tcp_left();
        return 0;
    }
    if (!sk && !udp)
        return -EBADF;
    files[r.ebx] = (struct file){0};
    if (udp)
        udp_close(udp);
    else if (sk->state == TCP_LISTEN)
        return tcp_close(sk);
    else
        tcp_leave(sk);
    return 0;
}

// ---- options ------------------------------------------------------------------------------------
static u32 udp_buffer(struct udp_sock *sk, int receive, u32 wanted) {
    u32 *buffer = receive ? &sk->memory.receive_buffer : &sk->memory.send_buffer;
    if (wanted) {
        *buffer = sock_buffer(wanted, receive);
        wake_up(&sk->memory.sleep);
    }
    return *buffer;
}

int sys_buffer(struct regs r) {
    struct sock *sk = file_socket(r.ebx);
    struct udp_sock *udp = udp_file(r.ebx);
    if (!sk && !udp)
        return -EBADF;
    if (r.ecx > 1 || (s32)r.edx < 0)
        return -EINVAL;
    return (int)(sk ? tcp_buffer(sk, (int)r.ecx, r.edx) : udp_buffer(udp, (int)r.ecx, r.edx));
}

int sys_bind(struct regs r) {
    struct sock *sk = file_socket(r.ebx);
    return !sk ? -EBADF : r.ecx > 0xFFFF ? -EINVAL : tcp_bind(sk, (u16)r.ecx);
}
