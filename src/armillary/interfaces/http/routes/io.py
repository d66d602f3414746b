"""Inputs and outputs: set, and simulated where the motor side is no real one."""

from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, Field, StrictBool, StrictFloat, StrictInt

from armillary.interfaces.http.access import HasDesk, HasSession, needs
from armillary.interfaces.http.roles import Role

__all__ = ["router"]

router = APIRouter(tags=["io"])
Index = Field(ge=0, le=1023)
Number = Annotated[StrictInt | StrictFloat, Field(ge=-1e9, le=1e9)]
Value = StrictBool | Number  # true or false for a digital one, a number for an analogue one


class OutputOrder(BaseModel):
    index: StrictInt = Index
    value: Value


class InputOrder(BaseModel):
    index: StrictInt = Index
    value: Value | None  # null lets it go
    analog: bool = False  # which kind null lets go


@router.post("/io/output", dependencies=[needs(Role.OPERATOR, control=True)])
def set_output(order: OutputOrder, desk: HasDesk, session: HasSession) -> None:
    """Set an output, from 0 on, in its own unit."""
    value = _value(order.value)
    desk.do(session, f"sets output {order.index} to {_word(value)}", lambda: desk.cell.set_output(order.index, value))


@router.post("/io/input", dependencies=[needs(Role.OPERATOR, control=True)])
def simulate_input(order: InputOrder, desk: HasDesk, session: HasSession) -> None:
    """Hold an input of a simulated motor side at a value, or let it go."""
    value = None if order.value is None else _value(order.value)
    what = f"lets input {order.index} go" if value is None else f"simulates input {order.index} as {_word(value)}"
    desk.do(session, what, lambda: desk.cell.simulate_input(order.index, value, analog=order.analog))


def _value(value: bool | float) -> bool | float:
    return value if isinstance(value, bool) else float(value)


def _word(value: bool | float) -> str:
    return ("on" if value else "off") if isinstance(value, bool) else f"{value:g}"
