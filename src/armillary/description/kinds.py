"""Every kind of problem a description can have: how grave, what it means for control, what to do.

One table, so that the reader, the docs (docs/problems.md is written from it) and the tests speak of the
same things. A problem's own text adds where it is and the numbers.
"""

from dataclasses import dataclass
from enum import Enum

__all__ = ["KINDS", "Kind", "Severity"]


class Severity(Enum):
    """How grave a problem is."""

    ERROR = "error"  # the robot cannot be used
    WARNING = "warning"  # it can be used, and something will not be as the file's author thinks
    NOTE = "note"  # worth knowing

    @property
    def rank(self) -> int:
        """0 for the gravest, for sorting."""
        return ("error", "warning", "note").index(self.value)


@dataclass(frozen=True)
class Kind:
    """A kind of problem: its name, its gravity, its meaning for control, its remedy."""

    name: str
    severity: Severity
    meaning: str
    remedy: str


E, W, N = Severity.ERROR, Severity.WARNING, Severity.NOTE

_TABLE: tuple[tuple[str, Severity, str, str], ...] = (
    # The file
    ("empty-file", E, "there is no robot in it", "give the file that describes the robot"),
    ("not-xml", E, "nothing after this point can be read", "mend the XML at this line"),
    ("entity-declared", E, "entities can read other files or fill the memory; nothing was expanded",
     "write the text out instead of the entity and remove the DOCTYPE"),
    ("too-large", E, "no robot is like this; it was not read further", "check that this is a robot's file"),
    ("too-many-problems", E, "only the first ones are listed", "mend these and check again"),
    ("space-before-declaration", W, "strict XML readers refuse the file", "remove what stands before <?xml"),
    ("undeclared-prefix", W, "strict XML readers refuse the file; it is read here as if declared",
     "declare the prefix on <robot>"),
    ("not-a-robot", E, "there is no robot in it", "give a file whose root element is <robot>"),
    ("xacro-failed", E, "there is no robot until the macros are expanded", "mend the xacro"),
    ("missing-robot-name", W, "recordings and topics are named after the robot; the file's name is taken",
     "name it: <robot name=\"...\">"),
    ("bad-version", E, "the file's own format is not known", "write version=\"1.0\" or leave it out"),
    ("unknown-version", W, "it is read as URDF 1.0", "check what the newer version adds"),
    ("unknown-element", W, "it is ignored", "check its spelling, or remove it"),
    ("duplicate-element", E, "it is not known which of them counts", "remove one"),
    ("unknown-attribute", W, "it is ignored", "check its spelling, or remove it"),
    ("extension-ignored", N, "it is kept when the robot is exported and changes nothing here", "none needed"),
    # Numbers
    ("not-a-number", E, "the value is not known", "write a plain decimal number"),
    ("not-finite", E, "NaN, infinity or beyond 1e30: nothing can be computed with it", "write the real value"),
    ("wrong-count", E, "it is not known which value is missing", "write as many numbers as it takes"),
    ("comma-separated", W, "URDF separates by spaces; it is read as if spaces", "replace commas by spaces"),
    # Structure
    ("no-links", E, "there is nothing to move", "a file of macros only is a library: give the file that uses it"),
    ("missing-name", E, "nothing can refer to it", "give it a name"),
    ("duplicate-link", E, "it is not known which of them a joint means", "rename or remove one"),
    ("duplicate-joint", E, "it is not known which of them a command means", "rename or remove one"),
    ("missing-parent", E, "the joint hangs in the air", "add <parent link=\"...\"/>"),
    ("missing-child", E, "the joint moves nothing", "add <child link=\"...\"/>"),
    ("unknown-link", E, "the joint connects to nothing", "declare the link, or mend the name"),
    ("misnamed-child", W, "other readers refuse the file; it is read as meant", "mend the name"),
    ("two-parents", E, "a closed loop: URDF is a tree, and no position follows from joint values",
     "cut the loop at one joint and describe the coupling in cell.toml"),
    ("cycle", E, "going round, no link comes first: no position can be computed", "turn one joint around"),
    ("no-root", E, "every link hangs from another: there is no base", "leave one link without a parent"),
    ("many-roots", E, "only one part could be controlled", "join the parts with (fixed) joints"),
    ("implicit-world", W, "readers other than Drake's refuse it; it is read as declared",
     "declare <link name=\"world\"/>"),
    ("chain-too-deep", E, "no machine has such a chain; it was not read further", "check what made the file"),
    # Joints
    ("missing-joint-type", E, "it is not known how it moves", "add type=\"revolute\" or another"),
    ("unknown-joint-type", E, "it is not known how it moves",
     "use fixed, revolute, continuous, prismatic, planar or floating"),
    ("missing-limit", E, "where and how fast it may move is unknown, so no motion could be proven safe",
     "add <limit lower upper effort velocity/>"),
    ("missing-range", W, "what is left out is 0 in URDF", "add lower and upper"),
    ("swapped-limits", W, "as written no position is allowed (PyBullet: no limit); it is read swapped", "swap lower and upper"),
    ("zero-range", W, "the joint cannot move", "write its real range, or make it fixed"),
    ("missing-velocity", W, "the default of cell.toml is used: 1 rad/s or 0.1 m/s", "write the real limit"),
    ("zero-velocity", W, "as written it may never move; the default of cell.toml is used: 1 rad/s or 0.1 m/s",
     "write the real limit"),
    ("negative-velocity", W, "a limit is a magnitude; it is read without its sign", "remove the sign"),
    ("missing-effort", W, "torque is not checked for this joint", "write the motor's real limit"),
    ("zero-effort", W, "torque is not checked for this joint", "write the motor's real limit"),
    ("negative-effort", W, "a limit is a magnitude; it is read without its sign", "remove the sign"),
    ("zero-acceleration", W, "as written it may never speed up; the default of cell.toml is used", "write the real limit"),
    ("negative-acceleration", W, "a limit is a magnitude; it is read without its sign", "remove the sign"),
    ("zero-jerk", W, "as written it may never speed up; the default of cell.toml is used", "write the real limit"),
    ("negative-jerk", W, "a limit is a magnitude; it is read without its sign", "remove the sign"),
    ("degrees-smell", W, "if these are degrees, the robot turns 57 times too far or too fast",
     "write radians"),
    ("range-on-continuous", N, "a continuous joint has no ends; the range is ignored", "make it revolute"),
    ("missing-axis", N, "the default is taken: 1 0 0", "write the axis out"),
    ("zero-axis", E, "it is not known which way it moves", "write the axis, for example 0 0 1"),
    ("axis-not-unit", W, "speeds would be scaled by its length; it is read with length 1", "write a unit axis"),
    ("mimic-no-joint", E, "it is not known which joint it follows", "add joint=\"...\" to <mimic>"),
    ("mimic-unknown", E, "it is not known which joint it follows", "mend the name"),
    ("mimic-prefix", W, "other readers let the joint move freely; it is read with its own prefix",
     "write the whole name"),
    ("mimic-self", E, "its position would follow from itself", "name another joint"),
    ("mimic-cycle", E, "their positions would follow from each other", "let one joint of the ring move freely"),
    ("mimic-of-mimic", W, "many readers refuse it; it is read as following the first joint directly",
     "name the joint that really moves, with the product of the multipliers"),
    ("mimic-of-fixed", E, "the joint that it follows has no one position", "name a revolute or prismatic joint"),
    ("mimic-on-fixed", N, "a fixed joint follows nothing; it is ignored", "remove <mimic>"),
    ("mimic-zero", W, "it never moves", "write the ratio, or make the joint fixed"),
    ("mimic-unlike", W, "metres would follow radians, or the other way round: the multiplier carries a unit",
     "check the multiplier's unit"),
    ("mimic-out-of-range", W, "the joint it follows can push it beyond its own end",
     "narrow the range of the joint it follows, or widen its own"),
    ("safety-outside", W, "the soft limits protect nothing", "put them inside lower and upper, lower first"),
    ("safety-incomplete", W, "the gain is read as 0", "add k_velocity"),
    ("negative-damping", W, "the joint would gain energy; it is read as 0", "write 0 or more"),
    # Inertia
    ("no-inertial", W, "it weighs nothing: torque and physics are wrong from here on", "add <inertial>"),
    ("missing-mass", W, "it weighs nothing: torque and physics are wrong from here on", "add <mass value=\"\"/>"),
    ("zero-mass", W, "it weighs nothing: torque and physics are wrong from here on",
     "write the real mass, or remove <inertial>"),
    ("massless-frame", N, "a frame without shape or mass is fine; <inertial> says nothing here", "remove <inertial>"),
    ("negative-mass", E, "gravity would lift it: no torque computed with it can be trusted", "write the mass"),
    ("missing-inertia", W, "it resists no turning: physics cannot be stable", "add <inertia>"),
    ("zero-inertia", W, "it resists no turning: physics cannot be stable", "write its real inertia"),
    ("inertia-not-positive", W, "it would speed up by being braked: physics and torque are wrong",
     "recompute the inertia at the centre of mass"),
    ("inertia-triangle", W, "no body has such an inertia (one moment exceeds the sum of the others)",
     "recompute the inertia at the centre of mass"),
    ("joint-carries-no-mass", W, "the mass matrix is singular here: forward dynamics and physics cannot run",
     "give the links behind this joint a mass"),
    # Geometry
    ("missing-geometry", W, "it is neither drawn nor checked for collision", "add <geometry>"),
    ("unknown-geometry", W, "it is neither drawn nor checked for collision", "use box, cylinder, sphere or mesh"),
    ("not-positive-size", W, "the shape has no volume: collision is not seen there", "write its real size"),
    ("capsule", N, "not in URDF; many readers ignore it", "none needed here"),
    ("missing-mesh", W, "the link is not drawn, and collision with it is not seen",
     "name its folder: --package NAME=DIR, or put the file where it is named"),
    ("mesh-format", W, "it is neither drawn nor checked for collision", "convert it to .stl, .obj or .dae"),
    ("mesh-broken", W, "it is neither drawn nor checked for collision", "export the mesh again"),
    ("path-escape", E, "a description may not reach files outside its package", "put the mesh inside it"),
    ("undefined-material", N, "it is drawn grey", "declare the material with a colour"),
    ("empty-material", E, "it has neither a colour nor a texture", "add <color rgba=\"...\"/>"),
    ("duplicate-material", W, "urdfdom, and so ROS, refuses the file; here the first is used", "remove one"),
    ("conflicting-material", W, "the first colour is used", "use one name for one colour"),
    ("colour-range", W, "it is clamped to 0..1", "write 0 to 1, not 0 to 255"),
    # Transmissions
    ("transmission-type", E, "it is not known how the motor drives the joint", "add <type>"),
    ("transmission-joint", E, "the motor drives nothing", "name a joint in it"),
    ("transmission-actuator", E, "nothing drives the joint", "name an actuator in it"),
    ("transmission-unknown-joint", W, "the motor drives nothing", "mend the name"),
    ("transmission-number", W, "it is read as not given", "write a plain decimal number"),
    ("transmission-zero-reduction", W, "the joint would never move; it is read as 1", "write the gear ratio"),
    # Units
    ("mesh-units", W, "the shape is some 1000 times off: collision checks would be nonsense",
     "scale=\"0.001 0.001 0.001\" if the mesh is in mm"),
    ("mass-units", W, "torques would be some 1000 times off", "write kilograms, not grams"),
    ("inertia-units", W, "no body of this size has such an inertia: torques would be far off",
     "write kg m^2 (1 kg mm^2 is 1e-6, 1 g mm^2 is 1e-9)"),
    ("length-units", W, "the robot would be some 1000 times too large", "write metres, not millimetres"),
    # Groups and states (SRDF)
    ("srdf-unknown-name", W, "this part of the SRDF does not fit the robot", "mend it"),
    ("srdf-broken", E, "the SRDF says nothing usable", "mend it at this line"),
    ("srdf-other-robot", W, "it may have been written for another robot", "check that the two belong together"),
    # Cells
    ("default-limits", N, "the defaults of cell.toml are used: full speed in 0.5 s, full acceleration in 0.1 s",
     "write the maker's figures into cell.toml"),
)  # fmt: skip

KINDS: dict[str, Kind] = {row[0]: Kind(*row) for row in _TABLE}
