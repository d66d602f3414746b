"""A Turbo PMAC motion controller with its motors, behind TCP, as a process of its own: `python -m armillary.emulators.pmac`."""

from armillary.emulators.pmac.fault import BadFault, put_in
from armillary.emulators.pmac.machine import STEP, Machine
from armillary.emulators.pmac.motor import Motor, MotorLimits
from armillary.emulators.pmac.online import OnlineCommands
from armillary.emulators.pmac.server import NoPort, Server

__all__ = ["STEP", "BadFault", "Machine", "Motor", "MotorLimits", "NoPort", "OnlineCommands", "Server", "put_in"]
