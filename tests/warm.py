"""Commands of Bakeoff, as `python -m bakeoff` runs them, but vendors' libraries are not imported each time.

One process imports what is other people's, and nothing of ours. Each command is a fork of it: a process with arguments,
a folder, an environment and files of its own, which imports all of Bakeoff.
"""

from __future__ import annotations

import atexit
import json
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path

__all__ = ["bakeoff"]

_SERVER = """
import gc, json, os, runpy, socket, sys
import anyio, cyclopts, genai_prices.data_snapshot, httpx2, jsonschema.validators, libcst, msgspec, openai, psutil
import pydantic_ai.direct, pydantic_ai.models.openai, pydantic_ai.providers.openai
import pygments, referencing.jsonschema, rich.live

assert not [name for name in sys.modules if name.startswith("bakeoff.")]
genai_prices.data_snapshot.get_snapshot()
gc.freeze()
channel = socket.socket(fileno=int(sys.argv[1]))
while True:
    message, files, _, _ = socket.recv_fds(channel, 1 << 20, 3)
    if not message:
        sys.exit()
    child = os.fork()
    if not child:
        break
    for file in files:
        os.close(file)
    channel.send(b"%d" % os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
channel.close()
for number, file in enumerate(files):
    os.dup2(file, number)
    os.close(file)
wanted = json.loads(message)
os.chdir(wanted["folder"])
os.environ.clear()
os.environ.update(wanted["environment"])
sys.argv[:] = ["bakeoff", *wanted["arguments"]]
if wanted["program"] is None:
    runpy.run_module("bakeoff", run_name="__main__", alter_sys=True)
else:
    exec(wanted["program"])
"""


def bakeoff(
    *arguments: str, cwd: Path, env: Mapping[str, str], stdin: str = "", program: str | None = None
) -> subprocess.CompletedProcess[str]:
    """What comes of a command, or of a program instead; one at a time."""
    wanted = {"arguments": arguments, "program": program, "folder": str(cwd), "environment": dict(env)}
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as error:
        given.write(stdin.encode())
        given.seek(0)
        channel = _channel()
        socket.send_fds(channel, [json.dumps(wanted).encode()], [given.fileno(), out.fileno(), error.fileno()])
        status = int(channel.recv(100))
        said = []
        for file in (out, error):
            file.seek(0)
            said.append(file.read().decode())
    return subprocess.CompletedProcess(["bakeoff", *arguments], status, *said)


@cache
def _channel() -> socket.socket:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    server = subprocess.Popen([sys.executable, "-c", _SERVER, str(theirs.fileno())], pass_fds=[theirs.fileno()])
    theirs.close()

    @atexit.register
    def end() -> None:
        ours.close()
        server.wait()

    return ours
