"""A program: holds a mount namespace of its own in which overlay slots are mounted.

    python -I -S holder.py hold        reads commands from stdin, one JSON line each; answers in kind on stdout
    python -I -S holder.py enter PID FOLDER COMMAND…   runs a command in the namespace of a holder

It is a process of its own because a mount namespace belongs to threads, and a user namespace can only be entered
by a process with a single one. Nothing of it is left when it ends, however it ends: the kernel takes mounts and
memory down with the namespace. It ends when its stdin does, that is, with the process that started it.

Plain Python, no imports beyond the standard library: it runs without site-packages. Each slot is

    SLOT/memory   a tmpfs, fresh for every candidate, that holds the upper layer
    SLOT/tree     the overlay: pristine tree below, upper layer above

so that restoring is four system calls, whatever the candidate did.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

CLONE_NEWNS, CLONE_NEWUSER = 0x00020000, 0x10000000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE, MS_SHARED = (
    1,
    2,
    4,
    32,
    4096,
    16384,
    1 << 18,
    1 << 20,
)
MNT_DETACH = 2

libc = ctypes.CDLL(None, use_errno=True)


def checked(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def mount(source: str, target: str, kind: str | None, flags: int, options: str | None) -> None:
    arguments = [os.fsencode(text) if text is not None else None for text in (source, target, kind)]
    data = os.fsencode(options) if options is not None else None
    checked(libc.mount(*arguments, ctypes.c_ulong(flags), data), f"mount {kind or 'bind'} on {target}")


def unmount(target: str) -> None:
    checked(libc.umount2(os.fsencode(target), MNT_DETACH), f"unmount {target}")


class Holder:
    """The namespace and the slots in it."""

    def __init__(self) -> None:
        self.privileged = os.geteuid() == 0
        self.pristine = ""
        self.limit = 0

    def open(self, pristine: str, scratch: str, limit: int) -> None:
        """Enter a new namespace, try an overlay in it, and protect the pristine tree from writes."""
        self._unshare()
        self.limit = limit
        self._try(scratch)
        mount(pristine, pristine, None, MS_BIND, None)
        mount(pristine, pristine, None, MS_BIND | MS_REMOUNT | MS_RDONLY, None)
        self.pristine = pristine

    def fresh(self, slot: str) -> None:
        """Mount a slot anew; what was there is gone, also for processes that still look at it by name."""
        self.drop(slot)
        self._mount(slot, self.pristine)

    def drop(self, slot: str) -> None:
        """Take a slot down, and free the memory that it held."""
        for part in (f"{slot}/tree", f"{slot}/memory"):
            while os.path.ismount(part):
                unmount(part)

    def _unshare(self) -> None:
        try:
            checked(libc.unshare(CLONE_NEWNS), "mount namespace")
        except PermissionError:
            user, group = os.geteuid(), os.getegid()
            checked(libc.unshare(CLONE_NEWUSER | CLONE_NEWNS), "user namespace")
            self.privileged = False
            write("/proc/self/setgroups", "deny")
            write("/proc/self/uid_map", f"{user} {user} 1")
            write("/proc/self/gid_map", f"{group} {group} 1")
        # Nothing goes back to the system. What is mounted here later is seen in namespaces that are made from this one.
        mount("none", "/", None, MS_REC | MS_PRIVATE, None)
        mount("none", "/", None, MS_REC | MS_SHARED, None)

    def _mount(self, slot: str, lower: str) -> None:
        memory = f"{slot}/memory"
        mount("tmpfs", memory, "tmpfs", MS_NOSUID | MS_NODEV, f"size={self.limit},mode=0755")
        for part in ("upper", "work"):
            os.mkdir(f"{memory}/{part}", 0o755)
        # Folders of the tree can be renamed only where the kernel may use trusted attributes for it.
        features = "redirect_dir=on" if self.privileged else "userxattr"
        layers = f"lowerdir={escaped(lower)},upperdir={escaped(memory)}/upper,workdir={escaped(memory)}/work"
        mount("overlay", f"{slot}/tree", "overlay", MS_NOSUID | MS_NODEV, f"{layers},{features}")

    def _try(self, scratch: str) -> None:
        """Do in a small overlay what candidates do; raises where the kernel falls short."""
        lower = f"{scratch}/lower"
        for folder in (f"{lower}/folder", f"{scratch}/memory", f"{scratch}/tree"):
            os.makedirs(folder)
        write(f"{lower}/folder/file", "old")
        self._mount(scratch, lower)
        tree = f"{scratch}/tree"
        os.remove(f"{tree}/folder/file")
        os.rmdir(f"{tree}/folder")
        os.mkdir(f"{tree}/folder")
        if os.listdir(f"{tree}/folder") or not os.path.exists(f"{lower}/folder/file"):
            raise OSError(0, "an overlay does not hide deleted files")
        unmount(tree)
        unmount(f"{scratch}/memory")


def escaped(path: str) -> str:
    """A path as part of overlayfs options, where comma, colon and backslash mean something."""
    return path.replace("\\", "\\\\").replace(":", "\\:").replace(",", "\\,")


def write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)


def hold() -> None:
    holder = Holder()
    actions: dict[str, Callable[..., None]] = {"open": holder.open, "fresh": holder.fresh, "drop": holder.drop}
    for line in sys.stdin:
        request: dict[str, Any] = json.loads(line)
        answer: dict[str, str | None] = {"token": request.pop("token"), "error": None}
        try:
            actions[request.pop("do")](**request)
        except OSError as error:
            answer["error"] = error.strerror or str(error)
        print(json.dumps(answer), flush=True)  # noqa: T201 (this is the reply)


def enter(pid: int, folder: str, command: list[str]) -> None:
    """Become a command that runs in a holder's namespace."""
    kinds = CLONE_NEWNS
    if os.readlink(f"/proc/{pid}/ns/user") != os.readlink("/proc/self/ns/user"):
        kinds |= CLONE_NEWUSER
    checked(libc.setns(os.pidfd_open(pid), kinds), "enter the namespace")
    os.chdir(folder)
    os.execvp(command[0], command)  # noqa: S606 (no shell is wanted)


if __name__ == "__main__":
    if sys.argv[1] == "hold":
        hold()
    else:
        enter(int(sys.argv[2]), sys.argv[3], sys.argv[4:])
