import { afterEach, describe, expect, it } from "vitest";
import { inChinese, spoken } from "../src/spoken";
import { speak } from "../src/texts";
import { SPOKEN_CELL } from "../src/texts/spoken_cell";
import { SPOKEN_PROGRAMS } from "../src/texts/spoken_programs";
import { SPOKEN_TRAIL } from "../src/texts/spoken_trail";

afterEach(() => speak("en"));

it("the cell's own language is left as it is, and Chinese is spoken where the words are known", () => {
  expect(spoken("log in first")).toBe("log in first");
  speak("zh");
  expect(spoken("log in first")).toBe("请先登录");
  expect(spoken("the elephants are loose")).toBe("the elephants are loose");
});

it("values, names and files stay as they are", () => {
  expect(inChinese("there is no user Otto; look at who there is, and how the name is written")).toBe("没有用户 Otto；请查看现有用户及姓名写法");
  expect(inChinese("the command's position 3.2 is outside -3.1 to 3.1")).toBe("指令位置 3.2 超出 -3.1 到 3.1");
});

describe("a text is put together of others", () => {
  it("what stands in a gap is said in Chinese too", () => {
    expect(inChinese("the pose cannot be reached: out of reach by 120 mm with joint_2 at its upper limit (1.57) and joint_3 at its lower limit (-2)"))
      .toBe("无法到达该位姿：差 120 mm 够不到，此时 joint_2 处于上限（1.57），且 joint_3 处于下限（-2）");
    expect(inChinese("it is FAULTED (joint_1: its torque is 40; it may be 30): reset it first")).toBe("状态为 FAULTED（joint_1: 力矩为 40；允许 30）：请先复位");
  });

  it("what is wrong and what to do are known each by itself", () => {
    expect(inChinese("there is no G99; expected a G code; the nearest is G9")).toBe("没有 G99；应为 G 代码；最接近的是 G9");
    expect(inChinese("there is no point pik; perhaps pick")).toBe("没有点 pik；也许是 pick");
  });

  it("behind a file's line, and with the line below it", () => {
    expect(inChinese("bad.ngc:3:8: a move with no feed rate; expected F above zero in this line or before\n  G1 X5\n  ^"))
      .toBe("bad.ngc:3:8: 运动没有进给速度；此行或之前应有大于零的 F\n  G1 X5\n  ^");
  });

  it("several things that were found, and so on", () => {
    expect(inChinese("this motion is not proven: joint_1: velocity 3.4 rad/s at 1.2 s, limit 3; motor 3 speed 400 counts/s at 1 s; it may 300; ..."))
      .toBe("该运动未通过验证：joint_1：1.2 s 时速度为 3.4 rad/s，限值 3；电机 3：1 s 时 speed 为 400 counts/s；允许 300；……");
    expect(inChinese("a.ngc:3: this motion is not proven: link_3 hits table at 1.2 s")).toBe("a.ngc:3: 该运动未通过验证：link_3 在 1.2 s 时碰到 table");
  });

  it("and is left alone where one part is not known, rather than half said", () => {
    expect(inChinese("there is no G99; ask the elephants about it")).toBeNull();
    expect(inChinese("joint_2 is at its limit")).toBeNull();
    expect(inChinese("there is no elephant in the room")).toBeNull();
    expect(inChinese("expected something odd")).toBeNull();
    expect(inChinese("")).toBeNull();
  });
});

describe("every row", () => {
  const rows = [...SPOKEN_CELL, ...SPOKEN_PROGRAMS, ...SPOKEN_TRAIL];
  const gaps = (text: string): string[] => [...text.matchAll(/\{(\w+)\}/g)].map((found) => found[1]!);

  it("has the same gaps in both languages, each once in the English", () => {
    for (const [english, chinese] of rows) {
      expect([english, gaps(chinese).sort()]).toEqual([english, gaps(english).sort()]);
      expect([english, new Set(gaps(english)).size]).toEqual([english, gaps(english).length]);
    }
  });

  it("is found by its own text, and no other comes before it", () => {
    const fill: Record<string, string> = { amount: "12 mm", along: "after 5 % of the path", meets: "hits", known: "point", axes: "joints", rank: "viewer" };
    const said: Record<string, string> = { along: "在路径的 5 % 之后", meets: "碰到", known: "点", axes: "关节", rank: "观察者" };
    for (const [english, chinese] of rows) {
      const text = english.replace(/\{(\w+)\}/g, (_, name: string) => fill[name] ?? `Q${name}Q`);
      const wanted = chinese.replace(/\{(\w+)\}/g, (_, name: string) => said[name] ?? fill[name] ?? `Q${name}Q`);
      expect([english, inChinese(text)]).toEqual([english, wanted]);
    }
  });
});

it("long texts that are nearly known are given up in good time", () => {
  for (const piece of ["a: b is 3 at 4 s; ", "x and y ", "joint: velocity 3 at 4 s, ", "expected (", "it has 3 at its limit: "])
    for (const length of [790, 20_000]) expect(inChinese(piece.repeat(length / piece.length))).toBeNull();
});

it("the audit trail, the log, notes and following are said in Chinese", () => {
  expect(inChinese("moves to joints 0.1 0.2, straight")).toBe("移动到 关节 0.1 0.2，直线");
  expect(inChinese("moves to 0.4 0.1 0.3 3 0 0 in the base, by joints")).toBe("移动到 0.4 0.1 0.3 3 0 0（坐标系：基座），按关节");
  expect(inChinese("jogs the joints joint_2+ joint_3-")).toBe("点动关节 joint_2+ joint_3-");
  expect(inChinese("switches to manual mode")).toBe("切换到手动模式");
  expect(inChinese("makes Otto operator")).toBe("将 Otto 设为操作员");
  expect(inChinese("chooses arm_2 to be followed by its tool, scaled by 0.5")).toBe("选择跟随 arm_2 的工具，比例 0.5");
  expect(inChinese("the slave is FAULTED: joint_1: its torque is 40; it may be 30")).toBe("本机状态为 FAULTED: joint_1：力矩为 40；允许 30");
  expect(inChinese("slowed to 40 %: the tool may move at 0.25 m/s at most")).toBe("减速到 40 %：工具最快 0.25 m/s");
});
