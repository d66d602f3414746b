"""What every driver must keep, tried on each against its emulator."""
