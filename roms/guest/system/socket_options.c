// SPDX-License-Identifier: GPL-2.0-or-later
//
// System calls for what a socket is told before it is used: the sizes of its buffers, its port.
#include "system.h"
#include "udp.h"

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
