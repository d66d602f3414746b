"""LinuxCNC's HAL file of a machine: how its pins are wired to ours."""

from collections.abc import Iterator

from armillary.interfaces.linuxcnc.machine import Machine

__all__ = ["COMPONENT", "hal_text"]

COMPONENT = "armillary"  # its name in HAL
_DEPTH = 4000  # samples that may wait to be read: four seconds
_SILENT = 0.5  # s without a beat of our component, and LinuxCNC is in emergency stop


def hal_text(machine: Machine, *, component: str) -> str:
    """The text of the HAL file.

    Args:
        component: How our user-space component is started: a command with its arguments.
    """
    return "\n".join(_lines(machine, component)) + "\n"


def _lines(machine: Machine, component: str) -> Iterator[str]:
    n = machine.n
    yield f"# {machine.name} as LinuxCNC's hardware, written by armillary."
    yield "loadrt [KINS]KINEMATICS"
    yield "loadrt motmod servo_period_nsec=[EMCMOT]SERVO_PERIOD num_joints=[KINS]JOINTS"
    yield f"loadrt sampler depth={_DEPTH} cfg={'f' * n}b"
    yield "loadrt watchdog num_inputs=1"
    yield "loadrt and2 count=2"
    for function in ("motion-command-handler", "motion-controller", "sampler.0", "watchdog.set-timeouts", "watchdog.process",
                     "and2.0", "and2.1"):  # fmt: skip
        yield f"addf {function} servo-thread"
    yield from _kinematics(machine)
    yield ""
    yield "# Every command of every cycle goes into the sampler; the component sends them to the robot."
    yield f"loadusr -Wn {COMPONENT} {component}"
    for k in range(n):
        yield f"net command-{k} joint.{k}.motor-pos-cmd => sampler.0.pin.{k}"
        yield f"net position-{k} {COMPONENT}.{k}.position => joint.{k}.motor-pos-fb"
        yield f"net fault-{k} {COMPONENT}.{k}.fault => joint.{k}.amp-fault-in"
        yield f"net following-{k} joint.{k}.f-errored => {COMPONENT}.{k}.following-error"
    yield f"net enabled motion.motion-enabled => sampler.0.pin.{n}"
    yield ""
    yield "# In emergency stop while the user says so, the robot says so, or our component is silent."
    yield f"setp watchdog.timeout-0 {_SILENT}"
    yield f"net beat {COMPONENT}.beat => watchdog.input-0"
    yield f"net user-enable iocontrol.0.user-enable-out => and2.0.in0 watchdog.enable-in {COMPONENT}.user-enable"
    yield f"net robot-ok {COMPONENT}.ok => and2.0.in1"
    yield "net both-ok and2.0.out => and2.1.in0"
    yield "net alive watchdog.ok-out => and2.1.in1"
    yield "net enable and2.1.out => iocontrol.0.emc-enable-in"
    yield "net tool-prepare iocontrol.0.tool-prepare => iocontrol.0.tool-prepared"
    yield "net tool-change iocontrol.0.tool-change => iocontrol.0.tool-changed"


def _kinematics(machine: Machine) -> Iterator[str]:
    if machine.table is None:
        return
    yield ""
    yield "# The robot's modified DH table: mm and rad."
    for k, row in enumerate(machine.table.rows):
        yield f"setp genserkins.A-{k} {1e3 * row.a:.12g}"
        yield f"setp genserkins.ALPHA-{k} {row.alpha:.17g}"
        yield f"setp genserkins.D-{k} {1e3 * row.d:.12g}"
