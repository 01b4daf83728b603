// The script languages, with the tool that runs each, and the notation of a flow's names in each.
import type { Language, ScriptLanguage } from "../../../components/CodeEditor";
import type { Json } from "../../../ipc/generated/bindings";
import { fieldsOf } from "../schema";

const TOOLS: Readonly<Record<string, { readonly language: ScriptLanguage; readonly title: string }>> = {
  "script.lua": { language: "luau", title: "Luau" },
  "script.python": { language: "python", title: "Python" },
  "script.javascript": { language: "javascript", title: "JavaScript" },
};

/** Returns the language of the scripts that a tool runs; null if it runs none. */
export function scriptLanguage(tool: Json): ScriptLanguage | null {
  return typeof tool === "string" && Object.hasOwn(TOOLS, tool) ? (TOOLS[tool]?.language ?? null) : null;
}

export const isScript = (language: Language): language is ScriptLanguage =>
  Object.values(TOOLS).some((tool) => tool.language === language);

/** The field that selects the language. Its values are the names of the tools. */
export const LANGUAGE_FIELDS = fieldsOf({
  properties: {
    language: {
      title: "Language",
      description: "Switching the language does not change the script's text.",
      enum: Object.keys(TOOLS),
      "x-enum-labels": Object.fromEntries(Object.entries(TOOLS).map(([tool, { title }]) => [tool, title])),
      "x-widget": "segmented",
    },
  },
  required: ["language"],
});
