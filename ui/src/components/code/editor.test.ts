// The editor without a form: what it reports, how it handles input, and its marks.
import { completionStatus, startCompletion } from "@codemirror/autocomplete";
import { EditorView } from "@codemirror/view";
import { afterEach, expect, test, vi } from "vitest";
import { createEditor, difference, type Editor, type EditorOptions } from "./editor";

let editor: Editor;
afterEach(() => editor.destroy());

function open(text: string, options: Partial<EditorOptions> = {}) {
  const onChange = vi.fn<(text: string) => void>();
  editor = createEditor(document.body, text, {
    language: "template",
    attributes: { "aria-label": "Prompt" },
    placeholder: "",
    onChange,
    ...options,
  });
  return onChange;
}

const press = (key: string, more: KeyboardEventInit = {}) => {
  const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more });
  editor.view.contentDOM.dispatchEvent(event);
  return event;
};

test("what is typed is told, what comes from outside is not, and keeps the cursor", () => {
  const changed = open("Hello {{ input }}");
  editor.view.dispatch({ changes: { from: 0, insert: "O " }, selection: { anchor: 2 } });
  expect(changed.mock.calls).toEqual([["O Hello {{ input }}"]]);
  editor.setText("O Hello {{ input }}!");
  expect(changed).toHaveBeenCalledTimes(1);
  expect(editor.view.state.doc.toString()).toBe("O Hello {{ input }}!");
  expect(editor.view.state.selection.main.head).toBe(2);
});

test("undo and redo are the owner's, and the key that runs goes on to the window", () => {
  const undo = { undo: vi.fn(), redo: vi.fn() };
  open("a", { undo });
  expect(press("z", { ctrlKey: true }).defaultPrevented).toBe(true);
  expect(press("Z", { ctrlKey: true, shiftKey: true, keyCode: 90 }).defaultPrevented).toBe(true);
  expect([undo.undo.mock.calls.length, undo.redo.mock.calls.length]).toEqual([1, 1]);
  expect(press("Enter", { ctrlKey: true }).defaultPrevented).toBe(false);
  expect(press("Tab").defaultPrevented).toBe(false);
  expect(editor.view.state.doc.toString()).toBe("a");
});

test("Escape closes the list that is shown, and is else for whoever is around the field", async () => {
  open("a ");
  expect(press("Escape").defaultPrevented).toBe(false);
  editor.destroy();
  open("", { language: "expression", complete: () => ({ from: 0, options: [{ label: "draft" }] }) });
  startCompletion(editor.view);
  await vi.waitFor(() => expect(completionStatus(editor.view.state)).toBe("active"));
  expect(press("Escape").defaultPrevented).toBe(true);
  expect(press("Escape").defaultPrevented).toBe(false);
});

test("Escape leaves the field also while a list is being looked for, which nobody has seen", () => {
  open("", { language: "expression", complete: () => new Promise(() => {}) });
  startCompletion(editor.view);
  expect(completionStatus(editor.view.state)).toBe("pending");
  expect(press("Escape").defaultPrevented).toBe(false);
  expect(completionStatus(editor.view.state)).toBeNull();
});

test("a name that is inserted gets a hole of its own where it needs one", () => {
  open("a ");
  editor.insert("draft", 2);
  expect(editor.view.state.doc.toString()).toBe("a {{ draft }}");
  editor.insert("input", 5);
  expect(editor.view.state.doc.toString()).toBe("a {{ inputdraft }}");
});

test("who types the end of a hole goes over it, and behind a name stays one space", () => {
  open("a {{ draft }}");
  const { view } = editor;
  const type = (text: string) => {
    for (const key of text) {
      const { from, to } = view.state.selection.main;
      const taken = view.state
        .facet(EditorView.inputHandler)
        .some((handler) => handler(view, from, to, key, () => view.state.update({})));
      if (!taken) view.dispatch(view.state.replaceSelection(key));
    }
  };
  view.dispatch({ selection: { anchor: 10 } });
  type(" | upper}}!");
  expect(view.state.doc.toString()).toBe("a {{ draft | upper }}!");
  // In plain text `}` is an ordinary character.
  type("}}");
  expect(view.state.doc.toString()).toBe("a {{ draft | upper }}!}}");
});

test("marks are underlined, also those that reach beyond a text that became shorter", () => {
  open("a {{ darft }}");
  editor.setMarks([{ from: 5, to: 10, severity: "error", message: "No such node." }]);
  expect(document.querySelector(".cm-lintRange-error")?.textContent).toBe("darft");
  editor.setText("a");
  editor.setMarks([{ from: 5, to: 10, severity: "warning", message: "Gone." }]);
  expect(document.querySelector(".cm-lintRange-error")).toBeNull();
});

test("the stretch in which two texts differ", () => {
  expect(difference("abc", "abc")).toBeNull();
  expect(difference("abcd", "aXd")).toEqual({ from: 1, to: 3, insert: "X" });
  expect(difference("aa", "aaa")).toEqual({ from: 2, to: 2, insert: "a" });
});

test("fields of every language leave the sheet of styles as it is", () => {
  const sheet = () => document.head.querySelector("style")?.textContent;
  const styles = (
    ["template", "json", "luau", "python", "javascript", "expression", "json", "template"] as const
  ).map((language) => {
    open("x", { language });
    editor.setMarks([{ from: 0, to: 1, severity: "error", message: "no" }]);
    const found = sheet();
    editor.destroy();
    return found;
  });
  expect(styles[0]).toContain(".cm-tooltip");
  expect(new Set(styles).size).toBe(1);
});

test.each([
  ["luau", "local x = nil -- note", "local"],
  ["python", "def f(x): # note", "def"],
  ["javascript", "const x = 1; // note", "const"],
] as const)("a script in %s is highlighted in its language", (language, text, keyword) => {
  open(text, { language });
  const shown = (token: string) => document.querySelector(`.cm-content .tok-${token}`)?.textContent;
  expect([shown("keyword"), shown("comment")]).toEqual([keyword, /(?:--|#|\/\/) note/.exec(text)?.[0]]);
});

test("a name is inserted as the language writes it", () => {
  open("", { language: "python" });
  editor.insert('nodes["a.b"].items[0]');
  expect(editor.view.state.doc.toString()).toBe('nodes["a.b"]["items"][0]');
});
