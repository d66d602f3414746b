"""A cell: the robot with its groups, named states and whole limits."""

from armillary.description import open_cell

fitted = open_cell("industrial6")  # or open_cell("my_cell/cell.toml")

for group in fitted.cell.groups:
    print(f"group {group.name}: {len(group.joints)} joints, tip {group.tip}")
for limit in fitted.limits:
    assumed = f"   (assumed: {', '.join(limit.defaulted)})" if limit.defaulted else ""
    print(f"  {limit.joint}: {limit.velocity:.2f} rad/s, {limit.acceleration:.2f} rad/s^2{assumed}")

actuation = fitted.cell.actuation
if actuation is not None:
    # The parallel linkage: motor 3 turns with joints 2 and 3.
    print("row 3 of Ja:", actuation.coupling[2])
