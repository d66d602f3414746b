"""LinuxCNC as master: the real LinuxCNC plans and interpolates, and our robot is its hardware."""

from armillary.interfaces.linuxcnc.errors import LinuxcncMissing, LinuxcncProblem, LinuxcncProgramFailed
from armillary.interfaces.linuxcnc.machine import Machine, machine_of
from armillary.interfaces.linuxcnc.master import LinuxcncMaster
from armillary.interfaces.linuxcnc.process import linuxcnc_program
from armillary.interfaces.linuxcnc.serial_table import SerialTable, serial_table

__all__ = [
    "LinuxcncMaster", "LinuxcncMissing", "LinuxcncProblem", "LinuxcncProgramFailed", "Machine", "SerialTable",
    "linuxcnc_program", "machine_of", "serial_table",
]  # fmt: skip
