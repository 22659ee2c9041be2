// SPDX-License-Identifier: GPL-2.0-or-later
#include "frontend/trace/guest_calls.hpp"

namespace planar {

namespace {

// "name/arguments", in the order of their numbers. roms/guest/system/calls.h.
constexpr std::string_view own_guest_calls =
    "exit/1 write/3 read/3 connect/3 close/1 alarm/3 time/1 ticks/1 settings/1 measure/1 sigreturn/0 counters/0 "
    "pause/0 listen/2 accept/1 socket/0 send_buffer/2 shutdown/1 receive/3 accept_until/1 leave/1 "
    "udp_socket/0 udp_bind/2 udp_connect/3 udp_send/2 udp_receive/2 udp_counters/0";

// Linux 2.2, include/asm-i386/unistd.h.
constexpr std::string_view linux_calls =
    "setup/0 exit/1 fork/0 read/3 write/3 open/3 close/1 waitpid/3 creat/2 link/2 "
    "unlink/1 execve/3 chdir/1 time/1 mknod/3 chmod/2 lchown/3 break/0 oldstat/2 lseek/3 "
    "getpid/0 mount/5 umount/1 setuid/1 getuid/0 stime/1 ptrace/4 alarm/1 oldfstat/2 pause/0 "
    "utime/2 stty/0 gtty/0 access/2 nice/1 ftime/0 sync/0 kill/2 rename/2 mkdir/2 "
    "rmdir/1 dup/1 pipe/1 times/1 prof/0 brk/1 setgid/1 getgid/0 signal/2 geteuid/0 "
    "getegid/0 acct/1 umount2/2 lock/0 ioctl/3 fcntl/3 mpx/0 setpgid/2 ulimit/0 oldolduname/1 "
    "umask/1 chroot/1 ustat/2 dup2/2 getppid/0 getpgrp/0 setsid/0 sigaction/3 sgetmask/0 ssetmask/1 "
    "setreuid/2 setregid/2 sigsuspend/3 sigpending/1 sethostname/2 setrlimit/2 getrlimit/2 getrusage/2 "
    "gettimeofday/2 settimeofday/2 "
    "getgroups/2 setgroups/2 select/1 symlink/2 oldlstat/2 readlink/3 uselib/1 swapon/2 reboot/3 readdir/3 "
    "mmap/1 munmap/2 truncate/2 ftruncate/2 fchmod/2 fchown/3 getpriority/2 setpriority/3 profil/0 statfs/2 "
    "fstatfs/2 ioperm/3 socketcall/2 syslog/3 setitimer/3 getitimer/2 stat/2 lstat/2 fstat/2 olduname/1 "
    "iopl/1 vhangup/0 idle/0 vm86old/1 wait4/4 swapoff/1 sysinfo/1 ipc/5 fsync/1 sigreturn/0 "
    "clone/2 setdomainname/2 uname/1 modify_ldt/3 adjtimex/1 mprotect/3 sigprocmask/3 create_module/2 "
    "init_module/2 delete_module/1 "
    "get_kernel_syms/1 quotactl/4 getpgid/1 fchdir/1 bdflush/2 sysfs/3 personality/1 afs_syscall/0 setfsuid/1 "
    "setfsgid/1 "
    "_llseek/5 getdents/3 _newselect/5 flock/2 msync/3 readv/3 writev/3 getsid/1 fdatasync/1 _sysctl/1 "
    "mlock/2 munlock/2 mlockall/1 munlockall/0 sched_setparam/2 sched_getparam/2 sched_setscheduler/3 "
    "sched_getscheduler/1 sched_yield/0 sched_get_priority_max/1 "
    "sched_get_priority_min/1 sched_rr_get_interval/2 nanosleep/2 mremap/4 setresuid/3 getresuid/3 vm86/2 "
    "query_module/5 poll/3 nfsservctl/3 "
    "setresgid/3 getresgid/3 prctl/5 rt_sigreturn/0 rt_sigaction/4 rt_sigprocmask/4 rt_sigpending/2 "
    "rt_sigtimedwait/4 rt_sigqueueinfo/3 rt_sigsuspend/2 "
    "pread/5 pwrite/5 chown/3 getcwd/2 capget/2 capset/2 sigaltstack/2 sendfile/4 getpmsg/5 putpmsg/5 vfork/0";

// include/linux/net.h; 0 is unused.
constexpr std::string_view socket_calls =
    "- socket bind connect listen accept getsockname getpeername socketpair send recv sendto recvfrom shutdown "
    "setsockopt getsockopt sendmsg recvmsg";

std::string_view word(std::string_view list, std::uint32_t number) {
  for (; number > 0; --number) {
    const auto space = list.find(' ');
    if (space == std::string_view::npos) return {};
    list.remove_prefix(space + 1);
  }
  return list.substr(0, list.find(' '));
}

}  // namespace

std::optional<CallName> call_name(CallTable table, std::uint32_t number) {
  const auto entry = word(table == CallTable::linux ? linux_calls : own_guest_calls, number);
  if (entry.empty()) return std::nullopt;
  return CallName{entry.substr(0, entry.size() - 2), static_cast<unsigned>(entry.back() - '0')};
}

std::string_view socket_call_name(std::uint32_t number) { return number == 0 ? "" : word(socket_calls, number); }

}  // namespace planar
