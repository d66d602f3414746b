"""The texts of ROS 1's message and service types that are known here, as published by the projects that own them.

common_msgs, std_msgs, geometry2, actionlib, control_msgs, industrial_core, rosbridge_suite; `armillary_msgs` is ours. To add a
type, add its text: fields and sums follow from it, and the tests hold the sums against their owners'.
"""

__all__ = ["MESSAGES", "SERVICES"]

_PLAIN = {
    "Bool": "bool", "Byte": "byte", "Char": "char", "Duration": "duration", "Float32": "float32", "Float64": "float64",
    "Int8": "int8", "Int16": "int16", "Int32": "int32", "Int64": "int64", "String": "string", "Time": "time",
    "UInt8": "uint8", "UInt16": "uint16", "UInt32": "uint32", "UInt64": "uint64",
}  # fmt: skip
_ARRAYS = [name for name in _PLAIN if name not in ("Bool", "Char", "Duration", "String", "Time")]


def _action(name: str, goal: str, result: str, feedback: str) -> dict[str, str]:
    """The seven messages that an action consists of."""
    package, _, short = name.partition("/")
    stamped = "Header header\nactionlib_msgs/{} {}\n{}{} {}\n".format
    return {
        f"{package}/{short}Goal": goal,
        f"{package}/{short}Result": result,
        f"{package}/{short}Feedback": feedback,
        f"{package}/{short}ActionGoal": stamped("GoalID", "goal_id", short, "Goal", "goal"),
        f"{package}/{short}ActionResult": stamped("GoalStatus", "status", short, "Result", "result"),
        f"{package}/{short}ActionFeedback": stamped("GoalStatus", "status", short, "Feedback", "feedback"),
        f"{package}/{short}Action": "".join(
            f"{short}Action{part} action_{part.lower()}\n" for part in ("Goal", "Result", "Feedback")
        ),
    }


_GRIPPED = "float64 position\nfloat64 effort\nbool stalled\nbool reached_goal\n"
_FOLLOWED = "Header header\nstring[] joint_names\n" + "".join(
    f"trajectory_msgs/JointTrajectoryPoint {name}\n" for name in ("desired", "actual", "error")
)

MESSAGES: dict[str, str] = {
    **{f"std_msgs/{name}": f"{kind} data\n" for name, kind in _PLAIN.items()},
    **{f"std_msgs/{name}MultiArray": f"MultiArrayLayout layout\n{_PLAIN[name]}[] data\n" for name in _ARRAYS},
    "std_msgs/ColorRGBA": "float32 r\nfloat32 g\nfloat32 b\nfloat32 a\n",
    "std_msgs/Empty": "",
    "std_msgs/Header": "uint32 seq\ntime stamp\nstring frame_id\n",
    "std_msgs/MultiArrayDimension": "string label\nuint32 size\nuint32 stride\n",
    "std_msgs/MultiArrayLayout": "MultiArrayDimension[] dim\nuint32 data_offset\n",
    "geometry_msgs/Accel": "Vector3 linear\nVector3 angular\n",
    "geometry_msgs/AccelStamped": "Header header\nAccel accel\n",
    "geometry_msgs/AccelWithCovariance": "Accel accel\nfloat64[36] covariance\n",
    "geometry_msgs/AccelWithCovarianceStamped": "Header header\nAccelWithCovariance accel\n",
    "geometry_msgs/Inertia": (
        "float64 m\nVector3 com\nfloat64 ixx\nfloat64 ixy\nfloat64 ixz\nfloat64 iyy\nfloat64 iyz\nfloat64 izz\n"
    ),
    "geometry_msgs/InertiaStamped": "Header header\nInertia inertia\n",
    "geometry_msgs/Point": "float64 x\nfloat64 y\nfloat64 z\n",
    "geometry_msgs/Point32": "float32 x\nfloat32 y\nfloat32 z\n",
    "geometry_msgs/PointStamped": "Header header\nPoint point\n",
    "geometry_msgs/Polygon": "Point32[] points\n",
    "geometry_msgs/PolygonStamped": "Header header\nPolygon polygon\n",
    "geometry_msgs/Pose": "Point position\nQuaternion orientation\n",
    "geometry_msgs/Pose2D": "float64 x\nfloat64 y\nfloat64 theta\n",
    "geometry_msgs/PoseArray": "Header header\nPose[] poses\n",
    "geometry_msgs/PoseStamped": "Header header\nPose pose\n",
    "geometry_msgs/PoseWithCovariance": "Pose pose\nfloat64[36] covariance\n",
    "geometry_msgs/PoseWithCovarianceStamped": "Header header\nPoseWithCovariance pose\n",
    "geometry_msgs/Quaternion": "float64 x\nfloat64 y\nfloat64 z\nfloat64 w\n",
    "geometry_msgs/QuaternionStamped": "Header header\nQuaternion quaternion\n",
    "geometry_msgs/Transform": "Vector3 translation\nQuaternion rotation\n",
    "geometry_msgs/TransformStamped": "Header header\nstring child_frame_id\nTransform transform\n",
    "geometry_msgs/Twist": "Vector3 linear\nVector3 angular\n",
    "geometry_msgs/TwistStamped": "Header header\nTwist twist\n",
    "geometry_msgs/TwistWithCovariance": "Twist twist\nfloat64[36] covariance\n",
    "geometry_msgs/TwistWithCovarianceStamped": "Header header\nTwistWithCovariance twist\n",
    "geometry_msgs/Vector3": "float64 x\nfloat64 y\nfloat64 z\n",
    "geometry_msgs/Vector3Stamped": "Header header\nVector3 vector\n",
    "geometry_msgs/Wrench": "Vector3 force\nVector3 torque\n",
    "geometry_msgs/WrenchStamped": "Header header\nWrench wrench\n",
    "sensor_msgs/BatteryState": (
        "uint8 POWER_SUPPLY_STATUS_UNKNOWN=0\nuint8 POWER_SUPPLY_STATUS_CHARGING=1\n"
        "uint8 POWER_SUPPLY_STATUS_DISCHARGING=2\nuint8 POWER_SUPPLY_STATUS_NOT_CHARGING=3\n"
        "uint8 POWER_SUPPLY_STATUS_FULL=4\nuint8 POWER_SUPPLY_HEALTH_UNKNOWN=0\nuint8 POWER_SUPPLY_HEALTH_GOOD=1\n"
        "uint8 POWER_SUPPLY_HEALTH_OVERHEAT=2\nuint8 POWER_SUPPLY_HEALTH_DEAD=3\n"
        "uint8 POWER_SUPPLY_HEALTH_OVERVOLTAGE=4\nuint8 POWER_SUPPLY_HEALTH_UNSPEC_FAILURE=5\n"
        "uint8 POWER_SUPPLY_HEALTH_COLD=6\nuint8 POWER_SUPPLY_HEALTH_WATCHDOG_TIMER_EXPIRE=7\n"
        "uint8 POWER_SUPPLY_HEALTH_SAFETY_TIMER_EXPIRE=8\nuint8 POWER_SUPPLY_TECHNOLOGY_UNKNOWN=0\n"
        "uint8 POWER_SUPPLY_TECHNOLOGY_NIMH=1\nuint8 POWER_SUPPLY_TECHNOLOGY_LION=2\n"
        "uint8 POWER_SUPPLY_TECHNOLOGY_LIPO=3\nuint8 POWER_SUPPLY_TECHNOLOGY_LIFE=4\n"
        "uint8 POWER_SUPPLY_TECHNOLOGY_NICD=5\nuint8 POWER_SUPPLY_TECHNOLOGY_LIMN=6\nHeader header\nfloat32 voltage\n"
        "float32 temperature\nfloat32 current\nfloat32 charge\nfloat32 capacity\nfloat32 design_capacity\n"
        "float32 percentage\nuint8 power_supply_status\nuint8 power_supply_health\nuint8 power_supply_technology\n"
        "bool present\nfloat32[] cell_voltage\nfloat32[] cell_temperature\nstring location\nstring serial_number\n"
    ),
    "sensor_msgs/CameraInfo": (
        "Header header\nuint32 height\nuint32 width\nstring distortion_model\nfloat64[] D\nfloat64[9] K\nfloat64[9] R\n"
        "float64[12] P\nuint32 binning_x\nuint32 binning_y\nRegionOfInterest roi\n"
    ),
    "sensor_msgs/ChannelFloat32": "string name\nfloat32[] values\n",
    "sensor_msgs/CompressedImage": "Header header\nstring format\nuint8[] data\n",
    "sensor_msgs/FluidPressure": "Header header\nfloat64 fluid_pressure\nfloat64 variance\n",
    "sensor_msgs/Illuminance": "Header header\nfloat64 illuminance\nfloat64 variance\n",
    "sensor_msgs/Image": (
        "Header header\nuint32 height\nuint32 width\nstring encoding\nuint8 is_bigendian\nuint32 step\nuint8[] data\n"
    ),
    "sensor_msgs/Imu": (
        "Header header\ngeometry_msgs/Quaternion orientation\nfloat64[9] orientation_covariance\n"
        "geometry_msgs/Vector3 angular_velocity\nfloat64[9] angular_velocity_covariance\n"
        "geometry_msgs/Vector3 linear_acceleration\nfloat64[9] linear_acceleration_covariance\n"
    ),
    "sensor_msgs/JointState": "Header header\nstring[] name\nfloat64[] position\nfloat64[] velocity\nfloat64[] effort\n",
    "sensor_msgs/Joy": "Header header\nfloat32[] axes\nint32[] buttons\n",
    "sensor_msgs/JoyFeedback": (
        "uint8 TYPE_LED=0\nuint8 TYPE_RUMBLE=1\nuint8 TYPE_BUZZER=2\nuint8 type\nuint8 id\nfloat32 intensity\n"
    ),
    "sensor_msgs/JoyFeedbackArray": "JoyFeedback[] array\n",
    "sensor_msgs/LaserEcho": "float32[] echoes\n",
    "sensor_msgs/LaserScan": (
        "Header header\nfloat32 angle_min\nfloat32 angle_max\nfloat32 angle_increment\nfloat32 time_increment\n"
        "float32 scan_time\nfloat32 range_min\nfloat32 range_max\nfloat32[] ranges\nfloat32[] intensities\n"
    ),
    "sensor_msgs/MagneticField": "Header header\ngeometry_msgs/Vector3 magnetic_field\nfloat64[9] magnetic_field_covariance\n",
    "sensor_msgs/MultiDOFJointState": (
        "Header header\nstring[] joint_names\ngeometry_msgs/Transform[] transforms\ngeometry_msgs/Twist[] twist\n"
        "geometry_msgs/Wrench[] wrench\n"
    ),
    "sensor_msgs/MultiEchoLaserScan": (
        "Header header\nfloat32 angle_min\nfloat32 angle_max\nfloat32 angle_increment\nfloat32 time_increment\n"
        "float32 scan_time\nfloat32 range_min\nfloat32 range_max\nLaserEcho[] ranges\nLaserEcho[] intensities\n"
    ),
    "sensor_msgs/NavSatFix": (
        "uint8 COVARIANCE_TYPE_UNKNOWN=0\nuint8 COVARIANCE_TYPE_APPROXIMATED=1\n"
        "uint8 COVARIANCE_TYPE_DIAGONAL_KNOWN=2\nuint8 COVARIANCE_TYPE_KNOWN=3\nHeader header\nNavSatStatus status\n"
        "float64 latitude\nfloat64 longitude\nfloat64 altitude\nfloat64[9] position_covariance\n"
        "uint8 position_covariance_type\n"
    ),
    "sensor_msgs/NavSatStatus": (
        "int8 STATUS_NO_FIX=-1\nint8 STATUS_FIX=0\nint8 STATUS_SBAS_FIX=1\nint8 STATUS_GBAS_FIX=2\n"
        "uint16 SERVICE_GPS=1\nuint16 SERVICE_GLONASS=2\nuint16 SERVICE_COMPASS=4\nuint16 SERVICE_GALILEO=8\n"
        "int8 status\nuint16 service\n"
    ),
    "sensor_msgs/PointCloud": "Header header\ngeometry_msgs/Point32[] points\nChannelFloat32[] channels\n",
    "sensor_msgs/PointCloud2": (
        "Header header\nuint32 height\nuint32 width\nPointField[] fields\nbool is_bigendian\nuint32 point_step\n"
        "uint32 row_step\nuint8[] data\nbool is_dense\n"
    ),
    "sensor_msgs/PointField": (
        "uint8 INT8=1\nuint8 UINT8=2\nuint8 INT16=3\nuint8 UINT16=4\nuint8 INT32=5\nuint8 UINT32=6\nuint8 FLOAT32=7\n"
        "uint8 FLOAT64=8\nstring name\nuint32 offset\nuint8 datatype\nuint32 count\n"
    ),
    "sensor_msgs/Range": (
        "uint8 ULTRASOUND=0\nuint8 INFRARED=1\nHeader header\nuint8 radiation_type\nfloat32 field_of_view\n"
        "float32 min_range\nfloat32 max_range\nfloat32 range\n"
    ),
    "sensor_msgs/RegionOfInterest": "uint32 x_offset\nuint32 y_offset\nuint32 height\nuint32 width\nbool do_rectify\n",
    "sensor_msgs/RelativeHumidity": "Header header\nfloat64 relative_humidity\nfloat64 variance\n",
    "sensor_msgs/Temperature": "Header header\nfloat64 temperature\nfloat64 variance\n",
    "sensor_msgs/TimeReference": "Header header\ntime time_ref\nstring source\n",
    "nav_msgs/GridCells": "Header header\nfloat32 cell_width\nfloat32 cell_height\ngeometry_msgs/Point[] cells\n",
    "nav_msgs/MapMetaData": "time map_load_time\nfloat32 resolution\nuint32 width\nuint32 height\ngeometry_msgs/Pose origin\n",
    "nav_msgs/OccupancyGrid": "Header header\nMapMetaData info\nint8[] data\n",
    "nav_msgs/Odometry": (
        "Header header\nstring child_frame_id\ngeometry_msgs/PoseWithCovariance pose\n"
        "geometry_msgs/TwistWithCovariance twist\n"
    ),
    "nav_msgs/Path": "Header header\ngeometry_msgs/PoseStamped[] poses\n",
    "trajectory_msgs/JointTrajectory": "Header header\nstring[] joint_names\nJointTrajectoryPoint[] points\n",
    "trajectory_msgs/JointTrajectoryPoint": (
        "float64[] positions\nfloat64[] velocities\nfloat64[] accelerations\nfloat64[] effort\n"
        "duration time_from_start\n"
    ),
    "trajectory_msgs/MultiDOFJointTrajectory": "Header header\nstring[] joint_names\nMultiDOFJointTrajectoryPoint[] points\n",
    "trajectory_msgs/MultiDOFJointTrajectoryPoint": (
        "geometry_msgs/Transform[] transforms\ngeometry_msgs/Twist[] velocities\ngeometry_msgs/Twist[] accelerations\n"
        "duration time_from_start\n"
    ),
    "shape_msgs/Mesh": "MeshTriangle[] triangles\ngeometry_msgs/Point[] vertices\n",
    "shape_msgs/MeshTriangle": "uint32[3] vertex_indices\n",
    "shape_msgs/Plane": "float64[4] coef\n",
    "shape_msgs/SolidPrimitive": (
        "uint8 BOX=1\nuint8 SPHERE=2\nuint8 CYLINDER=3\nuint8 CONE=4\nuint8 BOX_X=0\nuint8 BOX_Y=1\nuint8 BOX_Z=2\n"
        "uint8 SPHERE_RADIUS=0\nuint8 CYLINDER_HEIGHT=0\nuint8 CYLINDER_RADIUS=1\nuint8 CONE_HEIGHT=0\n"
        "uint8 CONE_RADIUS=1\nuint8 type\nfloat64[] dimensions\n"
    ),
    "stereo_msgs/DisparityImage": (
        "Header header\nsensor_msgs/Image image\nfloat32 f\nfloat32 T\nsensor_msgs/RegionOfInterest valid_window\n"
        "float32 min_disparity\nfloat32 max_disparity\nfloat32 delta_d\n"
    ),
    "visualization_msgs/ImageMarker": (
        "uint8 CIRCLE=0\nuint8 LINE_STRIP=1\nuint8 LINE_LIST=2\nuint8 POLYGON=3\nuint8 POINTS=4\nuint8 ADD=0\n"
        "uint8 REMOVE=1\nHeader header\nstring ns\nint32 id\nint32 type\nint32 action\ngeometry_msgs/Point position\n"
        "float32 scale\nstd_msgs/ColorRGBA outline_color\nuint8 filled\nstd_msgs/ColorRGBA fill_color\n"
        "duration lifetime\ngeometry_msgs/Point[] points\nstd_msgs/ColorRGBA[] outline_colors\n"
    ),
    "visualization_msgs/InteractiveMarker": (
        "Header header\ngeometry_msgs/Pose pose\nstring name\nstring description\nfloat32 scale\n"
        "MenuEntry[] menu_entries\nInteractiveMarkerControl[] controls\n"
    ),
    "visualization_msgs/InteractiveMarkerControl": (
        "uint8 INHERIT=0\nuint8 FIXED=1\nuint8 VIEW_FACING=2\nuint8 NONE=0\nuint8 MENU=1\nuint8 BUTTON=2\n"
        "uint8 MOVE_AXIS=3\nuint8 MOVE_PLANE=4\nuint8 ROTATE_AXIS=5\nuint8 MOVE_ROTATE=6\nuint8 MOVE_3D=7\n"
        "uint8 ROTATE_3D=8\nuint8 MOVE_ROTATE_3D=9\nstring name\ngeometry_msgs/Quaternion orientation\n"
        "uint8 orientation_mode\nuint8 interaction_mode\nbool always_visible\nMarker[] markers\n"
        "bool independent_marker_orientation\nstring description\n"
    ),
    "visualization_msgs/InteractiveMarkerFeedback": (
        "uint8 KEEP_ALIVE=0\nuint8 POSE_UPDATE=1\nuint8 MENU_SELECT=2\nuint8 BUTTON_CLICK=3\nuint8 MOUSE_DOWN=4\n"
        "uint8 MOUSE_UP=5\nHeader header\nstring client_id\nstring marker_name\nstring control_name\nuint8 event_type\n"
        "geometry_msgs/Pose pose\nuint32 menu_entry_id\ngeometry_msgs/Point mouse_point\nbool mouse_point_valid\n"
    ),
    "visualization_msgs/InteractiveMarkerInit": "string server_id\nuint64 seq_num\nInteractiveMarker[] markers\n",
    "visualization_msgs/InteractiveMarkerPose": "Header header\ngeometry_msgs/Pose pose\nstring name\n",
    "visualization_msgs/InteractiveMarkerUpdate": (
        "uint8 KEEP_ALIVE=0\nuint8 UPDATE=1\nstring server_id\nuint64 seq_num\nuint8 type\n"
        "InteractiveMarker[] markers\nInteractiveMarkerPose[] poses\nstring[] erases\n"
    ),
    "visualization_msgs/Marker": (
        "uint8 ARROW=0\nuint8 CUBE=1\nuint8 SPHERE=2\nuint8 CYLINDER=3\nuint8 LINE_STRIP=4\nuint8 LINE_LIST=5\n"
        "uint8 CUBE_LIST=6\nuint8 SPHERE_LIST=7\nuint8 POINTS=8\nuint8 TEXT_VIEW_FACING=9\nuint8 MESH_RESOURCE=10\n"
        "uint8 TRIANGLE_LIST=11\nuint8 ADD=0\nuint8 MODIFY=0\nuint8 DELETE=2\nuint8 DELETEALL=3\nHeader header\n"
        "string ns\nint32 id\nint32 type\nint32 action\ngeometry_msgs/Pose pose\ngeometry_msgs/Vector3 scale\n"
        "std_msgs/ColorRGBA color\nduration lifetime\nbool frame_locked\ngeometry_msgs/Point[] points\n"
        "std_msgs/ColorRGBA[] colors\nstring text\nstring mesh_resource\nbool mesh_use_embedded_materials\n"
    ),
    "visualization_msgs/MarkerArray": "Marker[] markers\n",
    "visualization_msgs/MenuEntry": (
        "uint8 FEEDBACK=0\nuint8 ROSRUN=1\nuint8 ROSLAUNCH=2\nuint32 id\nuint32 parent_id\nstring title\n"
        "string command\nuint8 command_type\n"
    ),
    "diagnostic_msgs/DiagnosticArray": "Header header\nDiagnosticStatus[] status\n",
    "diagnostic_msgs/DiagnosticStatus": (
        "byte OK=0\nbyte WARN=1\nbyte ERROR=2\nbyte STALE=3\nbyte level\nstring name\nstring message\n"
        "string hardware_id\nKeyValue[] values\n"
    ),
    "diagnostic_msgs/KeyValue": "string key\nstring value\n",
    "rosgraph_msgs/Clock": "time clock\n",
    "rosgraph_msgs/Log": (
        "byte DEBUG=1\nbyte INFO=2\nbyte WARN=4\nbyte ERROR=8\nbyte FATAL=16\nHeader header\nbyte level\nstring name\n"
        "string msg\nstring file\nstring function\nuint32 line\nstring[] topics\n"
    ),
    "rosgraph_msgs/TopicStatistics": (
        "string topic\nstring node_pub\nstring node_sub\ntime window_start\ntime window_stop\nint32 delivered_msgs\n"
        "int32 dropped_msgs\nint32 traffic\nduration period_mean\nduration period_stddev\nduration period_max\n"
        "duration stamp_age_mean\nduration stamp_age_stddev\nduration stamp_age_max\n"
    ),
    "actionlib_msgs/GoalID": "time stamp\nstring id\n",
    "actionlib_msgs/GoalStatus": (
        "uint8 PENDING=0\nuint8 ACTIVE=1\nuint8 PREEMPTED=2\nuint8 SUCCEEDED=3\nuint8 ABORTED=4\nuint8 REJECTED=5\n"
        "uint8 PREEMPTING=6\nuint8 RECALLING=7\nuint8 RECALLED=8\nuint8 LOST=9\nGoalID goal_id\nuint8 status\n"
        "string text\n"
    ),
    "actionlib_msgs/GoalStatusArray": "Header header\nGoalStatus[] status_list\n",
    "tf2_msgs/TFMessage": "geometry_msgs/TransformStamped[] transforms\n",
    **_action("actionlib/Test", "int32 goal\n", "int32 result\n", "int32 feedback\n"),
    **_action("actionlib/TwoInts", "int64 a\nint64 b\n", "int64 sum\n", ""),
    **_action("actionlib_tutorials/Fibonacci", "int32 order\n", "int32[] sequence\n", "int32[] sequence\n"),
    **_action(
        "nav_msgs/GetMap", "", "nav_msgs/OccupancyGrid map\n", "",
    ),
    "control_msgs/JointTolerance": "string name\nfloat64 position\nfloat64 velocity\nfloat64 acceleration\n",
    "control_msgs/GripperCommand": "float64 position\nfloat64 max_effort\n",
    "control_msgs/JointControllerState": (
        "Header header\nfloat64 set_point\nfloat64 process_value\nfloat64 process_value_dot\nfloat64 error\n"
        "float64 time_step\nfloat64 command\nfloat64 p\nfloat64 i\nfloat64 d\nfloat64 i_clamp\nbool antiwindup\n"
    ),
    "control_msgs/JointJog": (
        "Header header\nstring[] joint_names\nfloat64[] displacements\nfloat64[] velocities\nfloat64 duration\n"
    ),
    "control_msgs/JointTrajectoryControllerState": _FOLLOWED,
    "control_msgs/PidState": "Header header\nduration timestep\n"
    + "".join(
        f"float64 {name}\n"
        for name in (
            "error", "error_dot", "p_error", "i_error", "d_error", "p_term", "i_term", "d_term", "i_max", "i_min", "output"
        )
    ),
    **_action(
        "control_msgs/FollowJointTrajectory",
        "trajectory_msgs/JointTrajectory trajectory\nJointTolerance[] path_tolerance\nJointTolerance[] goal_tolerance\n"
        "duration goal_time_tolerance\n",
        "int32 error_code\nint32 SUCCESSFUL = 0\nint32 INVALID_GOAL = -1\nint32 INVALID_JOINTS = -2\n"
        "int32 OLD_HEADER_TIMESTAMP = -3\nint32 PATH_TOLERANCE_VIOLATED = -4\nint32 GOAL_TOLERANCE_VIOLATED = -5\n"
        "string error_string\n",
        _FOLLOWED,
    ),
    **_action("control_msgs/GripperCommand", "GripperCommand command\n", _GRIPPED, _GRIPPED),
    **_action("control_msgs/JointTrajectory", "trajectory_msgs/JointTrajectory trajectory\n", "", ""),
    **_action(
        "control_msgs/PointHead",
        "geometry_msgs/PointStamped target\ngeometry_msgs/Vector3 pointing_axis\nstring pointing_frame\n"
        "duration min_duration\nfloat64 max_velocity\n",
        "", "float64 pointing_angle_error\n",
    ),
    **_action(
        "control_msgs/SingleJointPosition",
        "float64 position\nduration min_duration\nfloat64 max_velocity\n",
        "", "Header header\nfloat64 position\nfloat64 velocity\nfloat64 error\n",
    ),
    "industrial_msgs/TriState": "int8 val\nint8 UNKNOWN=-1\nint8 TRUE=1\nint8 ON=1\nint8 ENABLED=1\nint8 HIGH=1\nint8 CLOSED=1\n"
    "int8 FALSE=0\nint8 OFF=0\nint8 DISABLED=0\nint8 LOW=0\nint8 OPEN=0\n",
    "industrial_msgs/RobotMode": "int8 val\nint8 UNKNOWN=-1\nint8 MANUAL=1\nint8 AUTO=2\n",
    "industrial_msgs/RobotStatus": "Header header\nRobotMode mode\nTriState e_stopped\nTriState drives_powered\n"
    "TriState motion_possible\nTriState in_motion\nTriState in_error\nint32 error_code\n",
    "rosapi/TypeDef": (
        "string type\nstring[] fieldnames\nstring[] fieldtypes\nint32[] fieldarraylen\nstring[] examples\n"
        "string[] constnames\nstring[] constvalues\n"
    ),
}  # fmt: skip

_NAME, _TYPE, _TOPIC, _SERVICE = (f"string {what}\n" for what in ("name", "type", "topic", "service"))
_TOPICS, _TYPEDEFS = "string[] topics\n", "TypeDef[] typedefs\n"
_DONE = "bool success\nstring message\n"

# What is asked, and what is answered.
SERVICES: dict[str, tuple[str, str]] = {
    "std_srvs/Empty": ("", ""),
    "std_srvs/Trigger": ("", _DONE),
    "std_srvs/SetBool": ("bool data\n", _DONE),
    "armillary_msgs/ListPrograms": ("", "string[] names\n"),
    "armillary_msgs/StartProgram": (_NAME, _DONE),
    "rosapi/Topics": ("", f"{_TOPICS}string[] types\n"),
    "rosapi/TopicsAndRawTypes": ("", f"{_TOPICS}string[] types\nstring[] typedefs_full_text\n"),
    "rosapi/TopicType": (_TOPIC, _TYPE),
    "rosapi/TopicsForType": (_TYPE, _TOPICS),
    "rosapi/Publishers": (_TOPIC, "string[] publishers\n"),
    "rosapi/Subscribers": (_TOPIC, "string[] subscribers\n"),
    "rosapi/Services": ("", "string[] services\n"),
    "rosapi/ServiceType": (_SERVICE, _TYPE),
    "rosapi/ServicesForType": (_TYPE, "string[] services\n"),
    "rosapi/ServiceNode": (_SERVICE, "string node\n"),
    "rosapi/Nodes": ("", "string[] nodes\n"),
    "rosapi/NodeDetails": ("string node\n", "string[] subscribing\nstring[] publishing\nstring[] services\n"),
    "rosapi/MessageDetails": (_TYPE, _TYPEDEFS),
    "rosapi/ServiceRequestDetails": (_TYPE, _TYPEDEFS),
    "rosapi/ServiceResponseDetails": (_TYPE, _TYPEDEFS),
    "rosapi/GetActionServers": ("", "string[] action_servers\n"),
    "rosapi/GetTime": ("", "time time\n"),
    "rosapi/GetParam": (f"{_NAME}string default\n", "string value\n"),
    "rosapi/SetParam": (f"{_NAME}string value\n", ""),
    "rosapi/HasParam": (_NAME, "bool exists\n"),
    "rosapi/DeleteParam": (_NAME, ""),
    "rosapi/SearchParam": (_NAME, "string global_name\n"),
    "rosapi/GetParamNames": ("", "string[] names\n"),
    "file_server/GetBinaryFile": (_NAME, "uint8[] value\n"),
    "file_server/SaveBinaryFile": (f"{_NAME}uint8[] value\n", _NAME),
}
