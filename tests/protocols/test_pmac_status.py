"""PMAC's status words as flags."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from armillary.protocols.pmac import BadPmac
from armillary.protocols.pmac_status import (
    CoordinateStatus,
    MotorStatus,
    coordinate_faults,
    coordinate_status,
    coordinate_system_of,
    motor_faults,
    motor_status,
    status_text,
)


def test_bits_are_where_the_manual_has_them() -> None:
    assert motor_status("800000000000") == MotorStatus.ACTIVATED
    assert motor_status("080000000000") == MotorStatus.AMPLIFIER_ON
    assert motor_status("040000000000") == MotorStatus.OPEN_LOOP
    assert motor_status("002000000000") == MotorStatus.DESIRED_VELOCITY_ZERO
    assert motor_status("000000000401") == MotorStatus.HOMED | MotorStatus.IN_POSITION
    assert coordinate_status("000001000000000000") == CoordinateStatus.PROGRAM_RUNNING
    assert coordinate_status("000000030000000000") == CoordinateStatus.IN_POSITION | CoordinateStatus.ROTARY_FULL


def test_the_manuals_example_is_of_a_homed_motor_in_the_first_coordinate_system() -> None:
    status = motor_status("81200001C401")
    assert MotorStatus.ACTIVATED | MotorStatus.DESIRED_VELOCITY_ZERO | MotorStatus.HOMED | MotorStatus.IN_POSITION in status
    assert coordinate_system_of(status) == 1
    assert coordinate_system_of(motor_status("812000000001")) == 0


@given(motor=st.integers(0, 2**48 - 1), system=st.integers(0, 2**72 - 1))
def test_no_bit_is_lost_on_the_way(motor: int, system: int) -> None:
    assert motor_status(status_text(MotorStatus(motor))) == motor
    assert coordinate_status(status_text(CoordinateStatus(system))) == system


def test_faults_are_words() -> None:
    assert motor_faults(MotorStatus.ACTIVATED | MotorStatus.IN_POSITION) == ()
    assert "following" in motor_faults(MotorStatus.FOLLOWING_FATAL)[0]
    assert len(coordinate_faults(CoordinateStatus.RUN_TIME_ERROR | CoordinateStatus.LIMIT_STOP)) == 2


@pytest.mark.parametrize("text", ["", "80000000000", "8000000000000", "80000000000G", "-80000000000"])
def test_digits_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(BadPmac, match="12 hex"):
        motor_status(text)
