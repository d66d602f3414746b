"""A folder of results that are worth keeping, by the hash of all they follow from."""

import hashlib
import os
import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

__all__ = ["cache_folder", "content_hash", "load_arrays", "store_arrays"]


def cache_folder() -> Path:
    """Where results are kept: $ARMILLARY_CACHE, or the user's cache folder."""
    own = os.environ.get("ARMILLARY_CACHE")
    return Path(own) if own else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "armillary"


def content_hash(*parts: bytes | str) -> str:
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()


def load_arrays(kind: str, key: str) -> dict[str, NDArray[np.generic]] | None:
    """Arrays kept under a key, or None; a damaged file is as good as none."""
    path = cache_folder() / kind / f"{key}.npz"
    try:
        with np.load(path, allow_pickle=False) as stored:
            return {name: stored[name] for name in stored.files}
    except (OSError, ValueError, KeyError, EOFError):
        return None
    except Exception:  # zipfile raises its own kind for a damaged archive
        return None


def store_arrays(kind: str, key: str, arrays: dict[str, NDArray[np.generic]]) -> None:
    """Keep arrays under a key. Where that cannot be done (a full or read-only disk) it is simply not kept."""
    folder = cache_folder() / kind
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(dir=folder, suffix=".tmp")
        with os.fdopen(descriptor, "wb") as file:
            np.savez(file, **arrays)  # type: ignore[arg-type]
        os.replace(temporary, folder / f"{key}.npz")
    except OSError:
        return
