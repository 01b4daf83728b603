// The command on the card of a Check and of a Tool, in the same notation as in the form.
import { act } from "react";
import { expect, test } from "vitest";
import { pageForEach } from "../components/testing";
import { kinds } from "../ipc/generated/recorded/program";
import { CheckBody, ToolBody } from "./bodies";

const page = pageForEach();

type Data = Readonly<Record<string, unknown>>;

function shown(kind: "check" | "tool", command: Data): string | null {
  const info = kinds.kinds.find((one) => one.type === kind);
  if (!info) throw new Error(`no kind ${kind}`);
  const data = kind === "check" ? command : { tool: "command", args: command };
  const Body = kind === "check" ? CheckBody : ToolBody;
  act(() => page.root.render(<Body id="one" data={data} kind={info} />));
  return page.host.querySelector(".mono")?.textContent ?? null;
}

test.each(["check", "tool"] as const)("a %s shows its whole command", (kind) => {
  expect(shown(kind, { program: "npm", args: ["test", "two words"] })).toBe("npm test 'two words'");
  expect(shown(kind, { program: "sh", args: ["-c", "npm ci && npm test"] })).toBe("npm ci && npm test");
  expect(shown(kind, { program: "npm", args: ["test", "{{ input.name }}"] })).toBe("npm test input.name");
  expect(shown(kind, { program: "./test.sh" })).toBe("./test.sh");
  expect(shown(kind, { program: "npm", args: "{{ input.list }}" })).toBe("npm input.list");
  expect(shown(kind, { args: ["test"] })).toBeNull();
});

test("without a program a Check says so", () => {
  shown("check", {});
  expect(page.host.textContent).toBe("no command yet");
});
