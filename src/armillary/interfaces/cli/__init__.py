"""The `armillary` command. Each command is a module that imports its machinery only when it runs."""
