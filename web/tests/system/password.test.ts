import { expect, it } from "vitest";
import { passwordProblem } from "../../src/system/password";

it("a password is long enough and twice the same", () => {
  expect(passwordProblem("seven77", "seven77")).toBe("users.tooShort");
  expect(passwordProblem("eight888", "eight889")).toBe("users.notTheSame");
  expect(passwordProblem("eight888", "eight888")).toBeNull();
  expect(passwordProblem("密码密码密码密", "密码密码密码密")).toBe("users.tooShort");
});
