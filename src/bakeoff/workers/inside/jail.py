"""A jail that a process locks itself into, for good, before it runs code that nobody trusts.

    confine(Jail(writable=[workspace, temp], readable=[interpreter, libraries]))

Four layers of the Linux kernel, none of which needs any privilege:

    privileges   no capabilities, also for root; no_new_privs: no set-uid program gives anything any more; not dumpable;
                 dies with its parent
    limits       rlimits: memory, CPU seconds, file size, open files, core dumps
    files        Landlock: only the named folders exist, writable or readable; no TCP; no signals to processes outside,
                 where the kernel knows how to keep those
    calls        seccomp: no sockets but pairs, no tracing, no namespaces, no mounts, no kernel keys or programs

What is forbidden fails with EPERM or EACCES inside the jail, as any program knows it; nothing is killed for trying.
Children inherit all of it, and none of it can be undone. A socket of the file system (a container engine's, an agent's)
is no file to Landlock, and its address is out of seccomp's sight: so none can be made at all, but for pairs.

Plain Python ≥ 3.9 with nothing but the standard library, because it runs in the interpreter of the user's project.
"""

from __future__ import annotations

import ctypes
import errno
import functools
import os
import resource
import signal
import stat
import struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["LAYERS", "Jail", "JailError", "confine", "get_ready", "keeps_signals"]

LAYERS = ("privileges", "limits", "files", "calls")

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS = 1, 4, 22, 38
_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL = 47, 4
_CAPABILITY_VERSION = 0x20080522
_CAPSET = {"x86_64": 126, "aarch64": 91}
_libc = ctypes.CDLL(None, use_errno=True)


class JailError(OSError):
    """Raised when a layer could not be put in force; what was in force before it still is."""


class Jail:
    """What remains allowed.

    Paths that do not exist are passed over. `limits` are values for `resource.setrlimit`, by its constants' names
    without the prefix (`{"AS": 2**31, "CPU": 10}`); `alone` says that no processes or shared memory but its own can be
    seen from here; `without` names layers to leave out, because the kernel lacks them.
    """

    def __init__(
        self,
        *,
        writable: Sequence[str] = (),
        readable: Sequence[str] = (),
        network: bool = False,
        limits: dict[str, int] | None = None,
        alone: bool = False,
        without: Sequence[str] = (),
    ) -> None:
        self.writable = writable
        self.readable = readable
        self.network = network
        self.limits = limits or {}
        self.alone = alone
        self.without = frozenset(without)


def confine(jail: Jail, only: Sequence[str] = LAYERS) -> list[str]:
    """Lock this process, which must have one thread, into the jail, or into `only` some layers of it; returns what
    is in force. The first one makes the others possible; otherwise their order does not matter."""
    layers: dict[str, Callable[[Jail], None]] = {
        "privileges": _drop_privileges,
        "limits": _set_limits,
        "files": _restrict_files,
        "calls": _filter_calls,
    }
    chosen = [name for name in LAYERS if name in only and name not in jail.without]
    # Limits come last: the others need some descriptors to be put in force.
    for name in sorted(chosen, key="limits".__eq__):
        layers[name](jail)
    return chosen


def get_ready() -> None:
    """Do once what every process that is forked from this one would do again."""
    _landlock_version()
    if os.uname().machine in _MACHINES:
        for network in (False, True):
            for alone in (False, True):
                _program(os.uname().machine, network=network, alone=alone)


def keeps_signals() -> bool:
    """Whether Landlock alone keeps signals inside; where it does not, only a namespace of processes can."""
    return bool(_landlock_version() >= _SCOPES_SINCE)


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
    _drop_capabilities()


def _drop_capabilities() -> None:
    """None is left, not even to root, and with no_new_privs none is gained by running a program."""
    _checked(_libc.prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0), "no ambient capabilities")
    header = struct.pack("=Ii", _CAPABILITY_VERSION, 0)
    number = _CAPSET.get(os.uname().machine)
    if number is None:
        _checked(_libc.capset(header, bytes(24)), "no capabilities")
    else:
        _checked(_libc.syscall(number, header, bytes(24)), "no capabilities")


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
_NETWORK_SINCE, _SCOPES_SINCE = 4, 6


@functools.lru_cache(maxsize=1)
def _landlock_version() -> int:
    return int(_libc.syscall(_CREATE_RULESET, None, 0, _ABI_VERSION))


def _restrict_files(jail: Jail) -> None:
    version = _checked(_landlock_version(), "Landlock")
    handled = _ALL_OF_ABI[min(version, max(_ALL_OF_ABI))]
    network = _TCP if version >= _NETWORK_SINCE and not jail.network else 0
    scoped = _SCOPED if version >= _SCOPES_SINCE else 0
    known = 24 if version >= _SCOPES_SINCE else 16 if version >= _NETWORK_SINCE else 8
    attributes = struct.pack("=QQQ", handled, network, scoped)[:known]
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
        if not stat.S_ISDIR(os.fstat(place).st_mode):
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
    "lookup_dcookie": (212, 18),
    "process_madvise": (440, 440),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
}
_FORBIDDEN_ON_X86 = {"iopl": 172, "ioperm": 173, "modify_ldt": 154}
# Segments, semaphores and queues of the whole system.
_SHARED = {
    "shmget": (29, 194),
    "shmat": (30, 196),
    "shmctl": (31, 195),
    "semget": (64, 190),
    "semctl": (66, 191),
    "semop": (65, 193),
    "semtimedop": (220, 192),
    "msgget": (68, 186),
    "msgctl": (71, 187),
    "msgsnd": (69, 189),
    "msgrcv": (70, 188),
    "mq_open": (240, 180),
    "mq_unlink": (241, 181),
}
# The argument of these, by its number, that names a process; 0 is the one that asks.
_OF_ANY_PROCESS = {
    "prlimit64": (302, 261, 0),
    "sched_setaffinity": (203, 122, 0),
    "sched_setscheduler": (144, 119, 0),
    "sched_setparam": (142, 118, 0),
    "sched_setattr": (314, 274, 0),
    "setpriority": (141, 140, 1),
    "ioprio_set": (251, 30, 1),
}
# The argument of these, by its number, that is a mode; None where there is no such call.
_OF_MODES = {
    "chmod": (90, None, 1),
    "fchmod": (91, 52, 1),
    "fchmodat": (268, 53, 2),
    "fchmodat2": (452, 452, 2),
    "open": (2, None, 2),
    "creat": (85, None, 1),
    "openat": (257, 56, 3),
    "mknod": (133, None, 1),
    "mknodat": (259, 33, 2),
}
_SET_ID = 0o6000
_SOCKET, _CLONE, _CLONE3, _OPENAT2, _PRCTL = (41, 198), (56, 220), (435, 435), (437, 437), (157, 167)
_LOCAL = 1


def _filter_calls(jail: Jail) -> None:
    machine = os.uname().machine
    if machine not in _MACHINES:
        raise JailError(errno.ENOSYS, f"there is no filter for {machine} machines")
    program = _program(machine, network=jail.network, alone=jail.alone)
    code = ctypes.create_string_buffer(program)
    pointer = struct.pack("@HP", len(program) // 8, ctypes.addressof(code))
    _checked(_libc.prctl(_PR_SET_SECCOMP, 2, pointer, 0, 0), "filter system calls")


@functools.lru_cache(maxsize=4)
def _program(machine: str, *, network: bool, alone: bool) -> bytes:
    column = list(_MACHINES).index(machine)
    forbid = _step(_RETURN, _ERRNO | errno.EPERM)
    steps = [
        _step(_LOAD, _AT_MACHINE),
        _step(_EQUAL, _MACHINES[machine], 1, 0),
        _step(_RETURN, _KILL),
        _step(_LOAD, _AT_NUMBER),
    ]
    if column == 0:
        steps += [_step(_AT_LEAST, _X32, 0, 1), forbid]
    for number in _forbidden(column, alone=alone):
        steps += [_step(_EQUAL, number, 0, 1), forbid]
    # What matters of these is out of a filter's reach, in memory; everybody falls back to the older ones.
    for number in (_CLONE3[column], _OPENAT2[column]):
        steps += [_step(_EQUAL, number, 0, 1), _step(_RETURN, _ERRNO | errno.ENOSYS)]
    steps += _if_called(_CLONE[column], [_at(0), _step(_HAS_BITS, _NEW_NAMESPACES, 0, 1), forbid])
    # A file that is set-uid stays so outside.
    for *numbers, place in _OF_MODES.values():
        called = numbers[column]
        if called is not None:
            steps += _if_called(called, [_at(place), _step(_HAS_BITS, _SET_ID, 0, 1), forbid])
    if not alone:
        steps += _alone_only(column, forbid)
    refuse = _step(_RETURN, _ERRNO | errno.EACCES)
    if network:
        steps += _if_called(_SOCKET[column], [_at(0), _step(_EQUAL, _LOCAL, 0, 1), refuse])
    else:
        steps += [_step(_EQUAL, _SOCKET[column], 0, 1), refuse]
    return b"".join([*steps, _step(_RETURN, _ALLOW)])


def _alone_only(column: int, forbid: bytes) -> list[bytes]:
    """What a namespace of processes would keep: nothing is done to others, and it dies with its parent."""
    steps = []
    for name, (*numbers, place) in _OF_ANY_PROCESS.items():
        tests = [_at(place), _step(_EQUAL, 0, 1, 0), forbid]
        if name == "setpriority":
            tests = [_at(0), _step(_EQUAL, 0, 1, 0), forbid, *tests]
        elif name == "ioprio_set":
            tests = [_at(0), _step(_EQUAL, 1, 1, 0), forbid, *tests]
        steps += _if_called(numbers[column], tests)
    other_signal = [_at(0), _step(_EQUAL, _PR_SET_PDEATHSIG, 0, 3), _at(1), _step(_EQUAL, signal.SIGKILL, 1, 0), forbid]
    return steps + _if_called(_PRCTL[column], other_signal)


def _forbidden(column: int, *, alone: bool) -> list[int]:
    numbers = [known[column] for known in _FORBIDDEN.values()]
    if column == 0:
        numbers += _FORBIDDEN_ON_X86.values()
    if not alone:
        numbers += [known[column] for known in _SHARED.values()]
    return numbers


def _if_called(number: int, tests: list[bytes]) -> list[bytes]:
    """For one call: tests of its arguments, some of which return; else allow."""
    return [_step(_EQUAL, number, 0, len(tests) + 1), *tests, _step(_RETURN, _ALLOW)]


def _at(place: int) -> bytes:
    """Load an argument, by its number: the half of it that counts."""
    return _step(_LOAD, _AT_FIRST_ARGUMENT + 8 * place)


def _step(code: int, operand: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, operand)
