// SPDX-License-Identifier: GPL-2.0-or-later
//
// Reading the settings sector (roms/README.md section 3): `key=value` lines after the heading, zeros to the end. Linked
// into the kernel and into the ring-3 programs; each reads the settings that it needs.
#pragma once
#include "kernel.h"

enum { SETTINGS_BYTES = 512 };          // without the terminating zero that a copy in memory has

// 1 when the text begins as a settings sector must.
int settings_valid(const char *text);
// The first line after `line` that holds a setting, or NULL; pass the heading to begin.
const char *settings_next(const char *line);
// The text after `key=`, up to the end of its line, or NULL. If the key occurs several times, the last line counts.
const char *settings_find(const char *text, const char *key);
// 1 if the value (or any text up to the end of a line) equals `text`.
int settings_is(const char *value, const char *text);
// 1 if the key of the setting at `line` is one of the blank-separated `words`.
int settings_key_in(const char *line, const char *words);
// Bytes up to the end of the line.
u32 settings_length(const char *line);

// Return 1 and the value, or 0 if the text is not valid or out of range.
int settings_number(const char *value, u32 low, u32 high, u32 *number);
int settings_address(const char *value, u32 *address);                  // in network order
int settings_milliseconds(const char *value, u32 *ms);                  // text in seconds, at most 3 decimals, one hour
int settings_list(const char *value, u32 most, u32 high, u32 *list, u32 *count);    // numbers from 1 to `high`
