"""A jail that a process locks itself into, for good, before it runs code that nobody trusts.

    confine(Jail(writable=[workspace, temp], readable=[interpreter, libraries]))

Four layers of the Linux kernel, none of which needs any privilege:

    privileges   no_new_privs: no set-uid program gives anything any more; not dumpable; dies with its parent
    limits       rlimits: memory, CPU seconds, file size, open files, core dumps
    files        Landlock: only the named folders exist, writable or readable; no TCP, no signals to, and no abstract
                 sockets of, processes outside, where the kernel knows how to keep those
    calls        seccomp: no sockets but local ones, no tracing, no namespaces, no mounts, no kernel keys or programs

What is forbidden fails with EPERM or EACCES inside the jail, as any program knows it; nothing is killed for trying.
Children inherit all of it, and none of it can be undone.

`separate` puts a fifth around them where the kernel allows it: namespaces of its own for processes, network and
shared memory, so that what is outside cannot even be named.

Plain Python ≥ 3.9 with nothing but the standard library, because it runs in the interpreter of the user's project.
`probe` finds out what this kernel offers by doing it, in processes that are thrown away; as a program, this file
prints what it finds as JSON.
"""

from __future__ import annotations

import ctypes
import errno
import functools
import json
import os
import platform
import resource
import signal
import struct
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["LAYERS", "Jail", "JailError", "confine", "probe", "separate"]

LAYERS = ("privileges", "limits", "files", "calls")

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS = 1, 4, 22, 38
_NEW_IPC, _NEW_USERS, _NEW_PIDS, _NEW_NETWORK = 0x08000000, 0x10000000, 0x20000000, 0x40000000
_libc = ctypes.CDLL(None, use_errno=True)


class JailError(OSError):
    """Raised when a layer could not be put in force; what was in force before it still is."""


@dataclass(frozen=True)
class Jail:
    """What remains allowed.

    Paths that do not exist are passed over. `limits` are values for `resource.setrlimit`, by its constants' names
    without the prefix (`{"AS": 2**31, "CPU": 10}`); `without` names layers to leave out, because the kernel lacks them.
    """

    writable: Sequence[str] = ()
    readable: Sequence[str] = ()
    network: bool = False
    limits: dict[str, int] = field(default_factory=dict)
    without: frozenset[str] = frozenset()


def confine(jail: Jail) -> list[str]:
    """Lock this process, which must have one thread, into the jail; returns the layers in force.

    Seccomp comes last: it forbids what the others need.
    """
    layers: dict[str, Callable[[Jail], None]] = {
        "privileges": _drop_privileges,
        "limits": _set_limits,
        "files": _restrict_files,
        "calls": _filter_calls,
    }
    chosen = [name for name in LAYERS if name not in jail.without]
    for name in chosen:
        layers[name](jail)
    return chosen


def separate(*, network: bool = False) -> None:
    """Leave the system's namespaces. This process must have one thread; it keeps its own process id, its next child
    is process 1 of a new world, and when that child ends the kernel ends everything else in there."""
    kinds = _NEW_PIDS | _NEW_IPC | (0 if network else _NEW_NETWORK)
    user, group = os.geteuid(), os.getegid()
    if _libc.unshare(kinds) == 0:
        return
    _checked(_libc.unshare(kinds | _NEW_USERS), "namespaces")
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)


def probe() -> dict[str, str | None]:
    """What works here: None for the layers that do and the reason for those that do not; `namespaces` likewise."""
    found = {"namespaces": _in_a_child(_try_to_separate)}
    for name in LAYERS:
        jail = Jail(writable=["/"], without=frozenset(LAYERS) - {name, "privileges"})
        found[name] = _in_a_child(functools.partial(confine, jail))
    return found


def _try_to_separate() -> None:
    separate()
    child = os.fork()
    if child == 0:
        os._exit(0 if os.getpid() == 1 else 1)
    if os.waitpid(child, 0)[1] != 0:
        raise JailError(errno.EPERM, "namespaces: a child was not process 1 of its own")


def _in_a_child(attempt: Callable[[], object]) -> str | None:
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            attempt()
        except OSError as error:
            os.write(writer, str(error.strerror or error).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        reason = stream.read().decode()
    _, status = os.waitpid(child, 0)
    return reason or (None if status == 0 else f"the attempt ended with status {status}")


def _checked(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise JailError(number, f"{what}: {os.strerror(number)}")
    return result


def _drop_privileges(_: Jail) -> None:
    parent = os.getppid()
    _checked(_libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0), "die with the parent")
    if os.getppid() != parent:
        # The parent ended before we asked to be told.
        os.kill(os.getpid(), signal.SIGKILL)
    _checked(_libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no new privileges")
    _checked(_libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0), "not dumpable")


def _set_limits(jail: Jail) -> None:
    for name, value in {"CORE": 0, **jail.limits}.items():
        number = getattr(resource, f"RLIMIT_{name}")
        _, hard = resource.getrlimit(number)
        allowed = value if hard == resource.RLIM_INFINITY else min(value, hard)
        # At the soft limit of CPU time there is a signal of its own, at the hard one only SIGKILL.
        final = allowed + 1 if name == "CPU" and hard == resource.RLIM_INFINITY else allowed
        resource.setrlimit(number, (allowed, final))


# ── Landlock ─────────────────────────────────────────────────────────────────────────────────────────────────────
# The numbers are of the kernel's interface (include/uapi/linux/landlock.h); calls have one number on all machines.

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_ABI_VERSION, _PATH_BENEATH = 1, 1
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_ALL_OF_ABI = {1: 0x1FFF, 2: 0x3FFF, 3: 0x7FFF, 4: 0x7FFF, 5: 0xFFFF}
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | 0x4000 | 0x8000
_TCP, _SCOPED = 0b11, 0b11


def _restrict_files(jail: Jail) -> None:
    version = _checked(_libc.syscall(_CREATE_RULESET, None, 0, _ABI_VERSION), "Landlock")
    handled = _ALL_OF_ABI[min(version, max(_ALL_OF_ABI))]
    network = _TCP if version >= 4 and not jail.network else 0
    scoped = _SCOPED if version >= 6 else 0
    attributes = struct.pack("=QQQ", handled, network, scoped)[: 24 if version >= 6 else 16 if version >= 4 else 8]
    rules = _checked(_libc.syscall(_CREATE_RULESET, attributes, len(attributes), 0), "make Landlock rules")
    try:
        for path in jail.writable:
            _allow(rules, path, handled)
        for path in jail.readable:
            _allow(rules, path, handled & (_EXECUTE | _READ_FILE | _READ_DIR))
        _checked(_libc.syscall(_RESTRICT_SELF, rules, 0), "put Landlock rules in force")
    finally:
        os.close(rules)


def _allow(rules: int, path: str, access: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        if not os.path.isdir(path):
            access &= _OF_FILES
        rule = struct.pack("=Qi", access, place)
        _checked(_libc.syscall(_ADD_RULE, rules, _PATH_BENEATH, rule, 0), f"allow {path}")
    finally:
        os.close(place)


# ── seccomp ──────────────────────────────────────────────────────────────────────────────────────────────────────
# A filter is a program for the kernel's packet filter: load a word, compare it, jump or return.

_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_LOAD, _EQUAL, _AT_LEAST, _HAS_BITS, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_AT_NUMBER, _AT_MACHINE, _AT_FIRST_ARGUMENT = 0, 4, 16
_NEW_NAMESPACES = 0x7E020000 | 0x80
_X32 = 0x40000000

_MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
# name: number on x86_64, on aarch64
_FORBIDDEN = {
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "open_by_handle_at": (304, 265),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "reboot": (169, 142),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "adjtimex": (159, 171),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "syslog": (103, 116),
    "personality": (135, 92),
}
_SOCKET, _CLONE, _CLONE3 = (41, 198), (56, 220), (435, 435)


def _filter_calls(jail: Jail) -> None:
    machine = platform.machine()
    if machine not in _MACHINES:
        raise JailError(errno.ENOSYS, f"there is no filter for {machine} machines")
    program = _program(list(_MACHINES).index(machine), _MACHINES[machine], network=jail.network)
    code = ctypes.create_string_buffer(b"".join(program))
    pointer = struct.pack("@HP", len(program), ctypes.addressof(code))
    _checked(_libc.prctl(_PR_SET_SECCOMP, 2, pointer, 0, 0), "filter system calls")


def _program(column: int, machine: int, *, network: bool) -> list[bytes]:
    forbid = _step(_RETURN, _ERRNO | errno.EPERM)
    program = [_step(_LOAD, _AT_MACHINE), _step(_EQUAL, machine, 1, 0), _step(_RETURN, _KILL), _step(_LOAD, _AT_NUMBER)]
    if column == 0:
        program += [_step(_AT_LEAST, _X32, 0, 1), forbid]
    for numbers in _FORBIDDEN.values():
        program += [_step(_EQUAL, numbers[column], 0, 1), forbid]
    # Its flags are out of a filter's reach, in memory; the C library falls back to clone.
    program += [_step(_EQUAL, _CLONE3[column], 0, 1), _step(_RETURN, _ERRNO | errno.ENOSYS)]
    program += [
        _step(_EQUAL, _CLONE[column], 0, 4),
        _step(_LOAD, _AT_FIRST_ARGUMENT),
        _step(_HAS_BITS, _NEW_NAMESPACES, 0, 1),
        forbid,
        _step(_RETURN, _ALLOW),
    ]
    if not network:
        local = 1
        program += [
            _step(_EQUAL, _SOCKET[column], 0, 4),
            _step(_LOAD, _AT_FIRST_ARGUMENT),
            _step(_EQUAL, local, 1, 0),
            _step(_RETURN, _ERRNO | errno.EACCES),
            _step(_RETURN, _ALLOW),
        ]
    return [*program, _step(_RETURN, _ALLOW)]


def _step(code: int, operand: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, operand)


if __name__ == "__main__":
    print(json.dumps(probe()))  # noqa: T201 (this is the answer)
