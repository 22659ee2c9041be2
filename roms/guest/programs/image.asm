; SPDX-License-Identifier: GPL-2.0-or-later
;
; The ring-3 program as the kernel carries it. USER_BYTES = image and zeroed data.
        global user_image, user_image_end, user_bytes
        section .rodata progbits alloc noexec nowrite align=16
user_bytes: dd USER_BYTES
        align 16
user_image: incbin "user.bin"
user_image_end:
