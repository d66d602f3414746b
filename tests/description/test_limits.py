from armillary.description import joint_limits, read_urdf_text
from armillary.description.limits import LimitOverride

from ..conftest import ARM


def test_what_nobody_states_gets_the_documented_default() -> None:
    robot = read_urdf_text(ARM.replace(' velocity="1.5"', "")).unwrap()
    (limit,) = joint_limits(robot)
    assert (limit.velocity, limit.acceleration, limit.jerk) == (1.0, 2.0, 20.0)
    assert limit.defaulted == ("velocity", "acceleration", "jerk")


def test_a_prismatic_joint_defaults_to_a_tenth_of_a_metre_a_second() -> None:
    text = ARM.replace(' velocity="1.5"', "").replace("revolute", "prismatic")
    (limit,) = joint_limits(read_urdf_text(text).unwrap())
    assert (limit.velocity, limit.acceleration, limit.jerk) == (0.1, 0.2, 2.0)


def test_full_speed_takes_half_a_second_and_full_acceleration_a_tenth() -> None:
    (limit,) = joint_limits(read_urdf_text(ARM).unwrap())
    assert limit.velocity / limit.acceleration == 0.5
    assert limit.acceleration / limit.jerk == 0.1
    assert limit.defaulted == ("acceleration", "jerk")


def test_the_cell_is_heard_before_the_description() -> None:
    override = LimitOverride(joint="shoulder", lower=-1.0, velocity=0.5, effort=10.0)
    (limit,) = joint_limits(read_urdf_text(ARM).unwrap(), (override,))
    assert (limit.lower, limit.upper, limit.velocity, limit.effort) == (-1.0, 2.0, 0.5, 10.0)


def test_mimics_and_free_joints_are_not_commanded() -> None:
    text = ARM.replace('type="revolute"', 'type="floating"')
    assert joint_limits(read_urdf_text(text).unwrap()) == ()
