// The language of a file is chosen by its name, and each language can be loaded.
import { EditorState } from "@codemirror/state";
import { expect, test } from "vitest";
import { languageOfFile, loadFileLanguage } from "./file-languages";

test("names select languages", () => {
  expect(languageOfFile("src/main.rs")).toBe("rust");
  expect(languageOfFile("a/Dockerfile")).toBe("dockerfile");
  expect(languageOfFile("App.TSX")).toBe("tsx");
  expect(languageOfFile("Cargo.lock")).toBe("toml");
  for (const name of ["LICENSE", "notes.unknown", "a.b/none", "x.constructor", "__proto__", ""])
    expect(languageOfFile(name), name).toBeNull();
});

test.each(["a.py", "a.ts", "a.go", "a.yml", "a.css", "a.sh", "a.sql", "a.html", "a.unknown"])(
  "%s is loaded",
  async (name) => {
    const extensions = await loadFileLanguage(name);
    expect(() => EditorState.create({ doc: "x", extensions })).not.toThrow();
  },
);
