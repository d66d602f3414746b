/** The words of the view: English, 中文. */
export const VIEW = {
  "view.label": ["The robot in three dimensions", "机器人三维视图"],
  "view.loading": ["Loading the robot…", "正在加载机器人…"],
  "view.failed": ["The robot cannot be drawn: {why}. Everything else works.", "无法显示机器人：{why}。其他功能正常。"],
  "view.noWebGL": [
    "This browser does not draw in three dimensions (no WebGL 2). Switch on hardware acceleration, or use another browser. Everything else works.",
    "此浏览器不支持三维显示（无 WebGL 2）。请启用硬件加速或更换浏览器。其他功能正常。",
  ],
  "view.again": ["Try again", "重试"],
  "view.missing": ["meshes that could not be loaded: {count}", "无法加载的网格：{count}"],
  "view.fit": ["Show everything", "显示全部"],
  "view.top": ["Top", "俯视"],
  "view.front": ["Front", "正视"],
  "view.ghost": ["Ghost", "虚影"],
  "view.more": ["Layers", "图层"],
  "view.frames": ["Frames", "坐标系"],
  "view.trace": ["Trace", "轨迹"],
  "view.workspace": ["Limits", "界限"],
  "view.ghostIs": ["{label}", "{label}"],
  "view.nearest": ["nearest pair: {a}–{b}", "最近部件：{a}–{b}"],
} as const;
