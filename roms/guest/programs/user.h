// SPDX-License-Identifier: GPL-2.0-or-later
//
// The ring-3 programs: which one runs is the setting `do` (main.c).
#pragma once
#include "../kernel/kernel.h"
#include "calls.h"

enum { BUFFER = 32768 };
enum { NETIO_QUIT, NETIO_CLIENT_SENDS, NETIO_SERVER_SENDS };   // commands of netio's second generation

// crt.asm
int system_call3(u32 number, u32 a, u32 b, u32 c);
void alarm_restorer(void);

// report.c
extern u8 buffer[BUFFER];
extern char line[128];
void put(int fd, const char *text);
void begin(void);                       // a line, built piece by piece
void text(const char *s);
void number(u32 v, u32 width);
void tenths(u32 v, u32 width);
void end_line(void);
int send_block(u32 size);
int receive_block(u32 size);
int fail_with(const char *what, int error);
int take_connection(const char *tag);

// The programs. 0 = done.
extern struct settings set;
int netio(void);
int idle(void);
int transfer(void);
int serve(void);
int server(void);

// netio.c
void print_load(const u32 before[2], const u32 after[2]);
