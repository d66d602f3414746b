"""LinuxCNC's INI file of a machine."""

from armillary.interfaces.linuxcnc.machine import Machine, MachineJoint, world_reach

__all__ = ["ini_text"]

_TURNS = 3600.0  # degrees that the tool's angles may go


def ini_text(machine: Machine, *, hal: str, display: str) -> str:
    """The text of the INI.

    Args:
        hal: The HAL file beside it.
        display: The program that LinuxCNC runs as its display, as a path from the INI's folder.
    """
    kinematics = "genserkins" if machine.table is not None else f"trivkins coordinates={machine.letters.lower()} kinstype=BOTH"
    letters = " ".join(machine.letters)
    sections = [
        ("EMC", {"VERSION": "1.1", "MACHINE": machine.name, "DEBUG": "0"}),
        ("DISPLAY", {"DISPLAY": display}),
        ("KINS", {"KINEMATICS": kinematics, "JOINTS": str(machine.n)}),
        ("HAL", {"HALFILE": hal}),
        ("RS274NGC", {"PARAMETER_FILE": "machine.var"}),
        ("TASK", {"TASK": "milltask", "CYCLE_TIME": "0.010"}),
        ("EMCMOT", {"EMCMOT": "motmod", "COMM_TIMEOUT": "1.0", "SERVO_PERIOD": str(round(1e9 * machine.period))}),
        ("EMCIO", {"EMCIO": "io", "CYCLE_TIME": "0.020", "TOOL_TABLE": "machine.tbl"}),
        ("TRAJ", {
            "COORDINATES": letters, "LINEAR_UNITS": "mm", "ANGULAR_UNITS": "deg",
            "MAX_LINEAR_VELOCITY": _number(machine.tool_velocity), "DEFAULT_LINEAR_VELOCITY": _number(machine.tool_velocity),
            "MAX_LINEAR_ACCELERATION": _number(machine.tool_acceleration),
            "DEFAULT_LINEAR_ACCELERATION": _number(machine.tool_acceleration),
            "MAX_ANGULAR_VELOCITY": _number(machine.turn_velocity), "DEFAULT_ANGULAR_VELOCITY": _number(machine.turn_velocity),
            "MAX_ANGULAR_ACCELERATION": _number(machine.turn_acceleration),
        }),
        *(_axis(machine, letter, k) for k, letter in enumerate(machine.letters)),
        *(_joint(k, joint) for k, joint in enumerate(machine.joints)),
    ]  # fmt: skip
    head = f"# {machine.name} as LinuxCNC's machine, written by armillary. Degrees, millimetres, seconds.\n"
    return head + "\n".join(
        f"[{name}]\n" + "".join(f"{key} = {value}\n" for key, value in values.items()) for name, values in sections
    )


def _axis(machine: Machine, letter: str, k: int) -> tuple[str, dict[str, str]]:
    if machine.table is None:
        joint = machine.joints[k]
        lower, upper, velocity, ramp = joint.lower, joint.upper, joint.velocity, joint.acceleration
    elif letter in "XYZ":
        lower, upper, velocity, ramp = -world_reach(), world_reach(), machine.tool_velocity, machine.tool_acceleration
    else:
        lower, upper, velocity, ramp = -_TURNS, _TURNS, machine.turn_velocity, machine.turn_acceleration
    return f"AXIS_{letter}", {
        "MIN_LIMIT": _number(lower), "MAX_LIMIT": _number(upper), "MAX_VELOCITY": _number(velocity),
        "MAX_ACCELERATION": _number(ramp),
    }  # fmt: skip


def _joint(k: int, joint: MachineJoint) -> tuple[str, dict[str, str]]:
    # Absolute encoders: a joint is homed where it is, and does not move for it.
    return f"JOINT_{k}", {
        "TYPE": "ANGULAR" if joint.turns else "LINEAR", "MIN_LIMIT": _number(joint.lower), "MAX_LIMIT": _number(joint.upper),
        "MAX_VELOCITY": _number(joint.velocity), "MAX_ACCELERATION": _number(joint.acceleration),
        "FERROR": _number(joint.following), "MIN_FERROR": _number(joint.still),
        "HOME_ABSOLUTE_ENCODER": "2", "HOME_SEARCH_VEL": "0", "HOME_LATCH_VEL": "0", "HOME_OFFSET": "0", "HOME": "0",
        "HOME_SEQUENCE": "0",
    }  # fmt: skip


def _number(value: float) -> str:
    return f"{value:.9g}"
