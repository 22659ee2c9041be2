# SPDX-License-Identifier: GPL-2.0-or-later
#
# Orders the sections of one kind, from `readelf -SW` of the kernel's objects: prints input sections for kernel.ld,
# shuffled by `seed` (Fisher-Yates; Park and Miller's generator, whose products a double holds exactly). Seed 0: nothing.
function random(below) {
    state = state * 16807 % 2147483647
    return state % below
}
BEGIN { state = seed * 7919 + 1 }
/^File: / { object = $2 }
/^ *\[/ {
    sub(/^ *\[ *[0-9]+\] */, "")
    if (index($1, "." kind ".") == 1 && $1 != ".text.start" && $1 !~ /\.str[0-9]/)
        section[count++] = object "(" $1 ")"
}
END {
    for (n = count - 1; seed && n > 0; n--) {
        at = random(n + 1)
        swap = section[n]; section[n] = section[at]; section[at] = swap
    }
    for (n = 0; seed && n < count; n++)
        print section[n]
}
