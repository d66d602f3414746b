"""How people and programs reach Armillary: command line, plots, and later pages and ROS. Thin layers."""
