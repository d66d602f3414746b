// What a page does with roslib: run in Node and in a browser by test_roslib.py. Answers with what it saw.
export async function useRoslib(ROSLIB, url) {
  const saw = {};
  const ros = new ROSLIB.Ros({});
  const statuses = [];
  const emit = ros.emit.bind(ros); // roslib names the event after the message that a status is about
  ros.emit = (name, ...rest) => {
    if (String(name).startsWith("status")) statuses.push(rest[0].msg);
    return emit(name, ...rest);
  };
  await new Promise((resolve, reject) => {
    ros.on("connection", resolve);
    ros.on("error", (error) => reject(new Error(`no connection: ${error?.message ?? error}`)));
    ros.connect(url);
  });
  const asked = (name, ...rest) => new Promise((resolve, reject) => ros[name](...rest, resolve, (error) => reject(new Error(`${name}: ${error}`))));
  saw.topics = (await asked("getTopics")).topics;
  saw.services = await asked("getServices");
  saw.nodes = await asked("getNodes");
  saw.type = await asked("getTopicType", "/joint_states");
  saw.action_servers = await asked("getActionServers");
  const raw = await asked("getTopicsAndRawTypes");
  saw.raw = raw.typedefs_full_text[raw.topics.indexOf("/joint_states")];

  const heard = (name, messageType, options = {}) =>
    new Promise((resolve) => {
      const topic = new ROSLIB.Topic({ ros, name, messageType, ...options });
      topic.subscribe((message) => {
        topic.unsubscribe();
        resolve(message);
      });
    });
  saw.joints = await heard("/joint_states", "sensor_msgs/JointState");
  saw.compressed = {};
  for (const compression of ["png", "cbor"]) {
    const message = await heard("/joint_states", "sensor_msgs/JointState", { compression });
    saw.compressed[compression] = Array.from(message.position);
  }
  saw.in_fragments = await new Promise((resolve) => {
    ros.once("/robot_description", ({ msg }) => resolve(msg.data)); // roslib puts the parts together
    ros.callOnConnection({ op: "subscribe", id: "parts", topic: "/robot_description", type: "std_msgs/String", fragment_size: 500 });
  });
  ros.callOnConnection({ op: "unsubscribe", id: "parts", topic: "/robot_description" });
  saw.throttled = (await heard("/joint_states", "sensor_msgs/JointState", { throttle_rate: 50, queue_length: 1 })).name;

  const param = (name) => new ROSLIB.Param({ ros, name });
  const got = (one) => new Promise((resolve) => one.get(resolve));
  saw.described = (await got(param("/robot_description"))).slice(0, 200);
  const own = param("/roslib/mine");
  await new Promise((resolve) => own.set({ a: [1, 2.5, "x"] }, resolve));
  saw.own = await got(own);
  await new Promise((resolve) => own.delete(resolve));
  saw.names = await asked("getParams");

  const call = (name, serviceType, request = {}) =>
    new Promise((resolve, reject) => new ROSLIB.Service({ ros, name, serviceType }).callService(request, resolve, (error) => reject(new Error(error))));
  saw.power = await call("/power", "std_srvs/SetBool", { data: true });
  const served = new ROSLIB.Service({ ros, name: "/roslib/greet", serviceType: "std_srvs/Trigger" });
  await served.advertise((request, response) => {
    response.success = true;
    response.message = "from a page";
    return true;
  });
  saw.greeted = await call("/roslib/greet", "std_srvs/Trigger");
  saw.refused = await call("/nobody", "std_srvs/Trigger").catch((error) => error.message);

  const wrong = new ROSLIB.Topic({ ros, name: "/joint_trajectory", messageType: "trajectory_msgs/JointTrajectory" });
  wrong.publish({ joint_names: 7 });
  const point = (positions, secs) => ({ positions, time_from_start: { secs, nsecs: 500000000 } });
  const trajectory = { joint_names: ["joint_1"], points: [point([saw.joints.position[0] + 0.1], 0)] };
  const client = new ROSLIB.ActionClient({ ros, serverName: "/follow_joint_trajectory", actionName: "control_msgs/FollowJointTrajectoryAction" });
  const goal = new ROSLIB.Goal({ actionClient: client, goalMessage: { trajectory } });
  saw.feedback = 0;
  goal.on("feedback", () => saw.feedback++);
  saw.result = await new Promise((resolve) => {
    goal.on("result", resolve);
    goal.send();
  });
  const action = new ROSLIB.Action({ ros, name: "/follow_joint_trajectory", actionType: "control_msgs/action/FollowJointTrajectory" });
  trajectory.points = [point([saw.joints.position[0]], 0)];
  saw.later = await new Promise((resolve, reject) => action.sendGoal({ trajectory }, resolve, () => saw.feedback++, (error) => reject(new Error(error))));
  saw.back = await heard("/joint_states", "sensor_msgs/JointState");
  const serves = new ROSLIB.Action({ ros, name: "/roslib/count", actionType: "actionlib_tutorials/Fibonacci" });
  serves.advertise((goal, id) => {
    serves.sendFeedback(id, { sequence: [0] });
    serves.setSucceeded(id, { sequence: Array.from({ length: goal.order }, (_, k) => k) });
  });
  const asks = new ROSLIB.Action({ ros, name: "/roslib/count", actionType: "actionlib_tutorials/Fibonacci" });
  saw.counted = [];
  saw.count = await new Promise((resolve, reject) =>
    asks.sendGoal({ order: 3 }, resolve, (feedback) => saw.counted.push(feedback.sequence), (error) => reject(new Error(error))),
  );
  serves.unadvertise();
  saw.statuses = statuses;
  ros.close();
  return saw;
}
