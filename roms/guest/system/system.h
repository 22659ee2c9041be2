// SPDX-License-Identifier: GPL-2.0-or-later
//
// The top of the kernel: start-up (main.c) and system calls (call.c). It knows kernel/, net/ and drivers/; none of them
// knows it.
#pragma once
#include "kernel.h"
#include "settings.h"
#include "tcp.h"

extern char settings_text[SETTINGS_BYTES + 1];
void files_init(void);                  // opens console and log

// The object of a descriptor; the descriptor is free if write is NULL.
struct udp_sock;
struct file {
    int (*write)(struct file *f, const u8 *from, u32 n);
    struct sock *sk;                    // for TCP
    struct udp_sock *udp;
};
int write_socket(struct file *f, const u8 *from, u32 n);
enum { FILES = 16 };
extern struct file files[FILES];        // of the process
static inline struct file *get_file(u32 fd) {
    return fd >= FILES || !files[fd].write ? NULL : &files[fd];
}
static inline struct sock *file_socket(u32 fd) {
    struct file *f = get_file(fd);
    return f ? f->sk : NULL;
}

static inline struct udp_sock *udp_file(u32 fd) {
    struct file *f = get_file(fd);
    return f ? f->udp : NULL;
}

// socket_calls.c
int sys_socket(struct regs r);
int sys_connect(struct regs r);
int sys_send_buffer(struct regs r);
int sys_listen(struct regs r);
int sys_accept(struct regs r);
int sys_close(struct regs r);
int sys_shutdown(struct regs r);
int sys_receive(struct regs r);
int sys_accept_until(struct regs r);
int sys_leave(struct regs r);
int sys_buffer(struct regs r);
int sys_bind(struct regs r);

// udp_calls.c
int sys_udp_socket(struct regs r);
int sys_udp_bind(struct regs r);
int sys_udp_connect(struct regs r);
int sys_udp_send(struct regs r);
int sys_udp_receive(struct regs r);
int sys_udp_counters(struct regs r);
int sys_sink(struct regs r);
int sys_forwarded(struct regs r);
int sys_send_frames(struct regs r);
