"""`python -m armillary`: the command line."""

import sys

from armillary.interfaces.cli.main import main

__all__: list[str] = []

if __name__ == "__main__":
    sys.exit(main())
