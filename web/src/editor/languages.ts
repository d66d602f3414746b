/** The languages that programs are written in, by the ending of the file. */

import { StreamLanguage } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { tags } from "@lezer/highlight";
import { GCODE } from "./gcode";
import { ROBOT_COMMANDS } from "./robot_commands";

export type LanguageName = "gcode" | "script" | "moves" | "";

const ENDINGS: Readonly<Record<string, LanguageName>> = {
  ngc: "gcode", nc: "gcode", gcode: "gcode", tap: "gcode", cnc: "gcode", arm: "script", toml: "moves",
};

export function languageOf(file: string): LanguageName {
  const dot = file.lastIndexOf(".");
  return (dot > 0 ? ENDINGS[file.slice(dot + 1).toLowerCase()] : undefined) ?? "";
}

const unit = { tokenTable: { unit: tags.unit } };
const GCODE_LANGUAGE = StreamLanguage.define(GCODE);
const SCRIPT_LANGUAGE = StreamLanguage.define({ ...ROBOT_COMMANDS, ...unit });

/** What the editor needs to colour a language; nothing for one that it does not know. */
export function colouring(language: LanguageName): Extension {
  return language === "gcode" ? GCODE_LANGUAGE : language === "script" ? SCRIPT_LANGUAGE : [];
}
