"""What a calibration can be refused for."""

from armillary.errors import ArmillaryError

__all__ = ["BadCalibration", "Undetermined"]


class BadCalibration(ArmillaryError):
    """Measurements that cannot be taken: too few, not finite, of another shape."""


class Undetermined(BadCalibration):
    """Measurements that do not say what they are to: too much alike, on a line, too near to each other."""

    answer_is_no = True
