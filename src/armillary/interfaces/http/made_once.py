"""What an application has one of, for all browsers: made when it is first asked for, since that takes a while."""

import threading
from collections.abc import Callable
from typing import TypeVar

from starlette.requests import HTTPConnection

from armillary.interfaces.http.desk import Desk

__all__ = ["made_once"]

T = TypeVar("T")


def made_once(name: str, make: Callable[[Desk], T]) -> Callable[[HTTPConnection], T]:
    """What gives an application's one thing of a kind.

    Args:
        name: Of the kind, among what the application keeps.
        make: Makes it, from what browsers share.
    """

    making = threading.Lock()

    def of(connection: HTTPConnection) -> T:
        state = connection.app.state
        with making:
            if not hasattr(state, name):
                setattr(state, name, make(state.desk))
        found: T = getattr(state, name)
        return found

    return of
