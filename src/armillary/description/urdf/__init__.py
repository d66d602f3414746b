"""URDF: read whole, every problem noted; written back the same."""

from armillary.description.urdf.reader import Reading, is_xacro, read_document, read_urdf_text
from armillary.description.urdf.writer import write_urdf

__all__ = ["Reading", "is_xacro", "read_document", "read_urdf_text", "write_urdf"]
