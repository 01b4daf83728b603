// Commands in one line: read as Rust reads them, and written so that reading them returns the same command.
// @vitest-environment node
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { type CommandLine, commandOf, joinCommand, splitCommand } from "./command-line";

const TABLE = path.resolve(import.meta.dirname, "../../../src-tauri/crates/runs/src/split_command.json");

type Line = { command: string; words: [string, ...string[]] | null };
const table: Line[] = JSON.parse(readFileSync(TABLE, "utf8"));

const words = (command: string): string[] | string => {
  const read = splitCommand(command);
  return "problem" in read ? read.problem : [read.program, ...read.args];
};

test.each(table.map((line) => [line.command, line.words] as const))(
  "%j is read as in Rust",
  (command, read) => {
    if (read === null) expect(splitCommand(command)).toHaveProperty("problem");
    else expect(words(command)).toEqual(read);
  },
);

test.each(table.flatMap((line) => (line.words ? [line.words] : [])))(
  "%j is written and read again",
  (...line) => {
    const [program = "", ...args] = line;
    expect(words(joinCommand({ program, args }))).toEqual(line);
  },
);

describe("a template", () => {
  test.each([
    ["npm test -- --grep {{ input.name }}", ["npm", "test", "--", "--grep", "{{ input.name }}"]],
    ["say --name={{ a }}.txt", ["say", "--name={{ a }}.txt"]],
    ["say '{{ a }} and {{ b }}'", ["say", "{{ a }} and {{ b }}"]],
    ['say "{{ f(x="}}", y=\'"\') }} b"', ["say", '{{ f(x="}}", y=\'"\') }} b']],
    ["say {{ {a: {b: 1}} }} c", ["say", "{{ {a: {b: 1}} }}", "c"]],
    ["say {% if a %}b c{% endif %}", ["say", "{% if a %}b", "c{% endif %}"]],
    ["say '{% if a %}b c{% endif %}'", ["say", "{% if a %}b c{% endif %}"]],
    ["say {# it's #} a", ["say", "{# it's #}", "a"]],
    ["say {%- raw -%} {{ $a | b' {%- endraw %} c", ["say", "{%- raw -%} {{ $a | b' {%- endraw %}", "c"]],
    ["sh -c 'echo \"$1\" | sort' sh {{ a b }}", ["sh", "-c", 'echo "$1" | sort', "sh", "{{ a b }}"]],
    // A raw block contains no value of a run, so it may be part of a shell command.
    ["echo {% raw %}{{{% endraw %} | cat", ["sh", "-c", "echo {% raw %}{{{% endraw %} | cat"]],
    ["{{ a }} b", ["{{ a }}", "b"]],
    ["say '{''{ a }}'", ["say", "{{ a }}"]],
  ])("in %j stays in one word", (command, read) => {
    expect(words(command)).toEqual(read);
  });

  test.each([
    "echo {{ a }} | sort",
    "CI={{ a }} npm test",
    'echo "$HOME {{ a }}"',
    "echo $(date) {% set a = 1 %}",
  ])("in %j is not given to a shell", (command) => {
    expect(words(command)).toContain("the shell would run its value as code");
  });

  test.each([
    "say {{ a",
    "say '{{ a",
    "say {{ 'a }}",
    "say {% if",
    "say {# a",
    "say {% raw %} a",
    "echo $" + "{#list}",
  ])("in %j must end", (command) => {
    expect(words(command)).toMatch(/^A template begins with \{[{%#] but is not closed\./);
  });
});

test.each<[CommandLine, string]>([
  [{ program: "npm", args: ["test"] }, "npm test"],
  [{ program: "npm", args: ["test", "a b"] }, "npm test 'a b'"],
  [{ program: "say", args: ["it's"] }, 'say "it\'s"'],
  [{ program: "say", args: ["it's $5"] }, "say 'it'\\''s $5'"],
  [{ program: "say", args: ["", "a=1", "größe"] }, "say '' a=1 größe"],
  [{ program: "a=1", args: [] }, "'a=1'"],
  [{ program: "", args: [] }, ""],
  [{ program: "", args: ["test"] }, "'' test"],
  [{ program: "sh", args: ["-c", "a | b"] }, "a | b"],
  [{ program: "sh", args: ["-c", "npm test"] }, "sh -c 'npm test'"],
  [{ program: "sh", args: ["-c", "a | b", "x"] }, "sh -c 'a | b' x"],
  [{ program: "sh", args: ["-c", "echo {{ a }} | b"] }, "sh -c 'echo {{ a }} | b'"],
  [{ program: "say", args: ["{{ a b }}", "x{{ a }}"] }, "say {{ a b }} x{{ a }}"],
  [{ program: "say", args: ["x {{ f('a') }}"] }, "say 'x {{ f('a') }}'"],
  // Two strings that are not templates do not become a template when they are joined.
  [{ program: "say", args: ["{{", "}}"] }, "say '{''{' }}"],
])("%j is written as %s", (command, written) => {
  expect(joinCommand(command)).toBe(written);
  if (written !== "") expect(splitCommand(written)).toEqual(command);
});

/** Returns a generator of integers from 0 to `most` − 1. The same seed produces the same numbers. */
function numbers(seed: number) {
  let state = seed;
  return (most: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * most);
  };
}

test("any program with any arguments is written and read again", () => {
  const parts = [
    ...[
      "a",
      "B",
      "0",
      "-",
      "=",
      "_",
      "/",
      ".",
      " ",
      "  ",
      "\t",
      "\n",
      "\r",
      "'",
      '"',
      "\\",
      "$",
      "*",
      "?",
      "[",
    ],
    ...[
      "]",
      "{",
      "}",
      "{{",
      "}}",
      "{%",
      "%}",
      "{#",
      "#}",
      "#",
      "%",
      "~",
      "|",
      "&",
      ";",
      "<",
      ">",
      "(",
      ")",
      "`",
      "!",
    ],
    ...[
      "ä",
      "日本",
      "🎉",
      "\u00a0",
      "\u2028",
      "{{ a b }}",
      "{{ 'it }}' }}",
      "{% raw %}",
      "{% endraw %}",
      "{# it's #}",
    ],
    ...["-c", "sh", "a | b", "$(", "<<", "CI=1"],
  ];
  const next = numbers(7);
  const word = () => Array.from({ length: next(6) }, () => parts[next(parts.length)]).join("");
  for (let round = 0; round < 50_000; round += 1) {
    const isShell = next(4) === 0;
    const args = isShell ? ["-c", word()] : Array.from({ length: next(5) }, word);
    const command = { program: isShell ? "sh" : word(), args };
    if (command.program === "" && args.length === 0) continue;
    expect(splitCommand(joinCommand(command)), JSON.stringify(command)).toEqual(command);
  }
});

test("settings that are not texts are not a command", () => {
  expect(commandOf("npm", ["test"])).toEqual({ program: "npm", args: ["test"] });
  expect(commandOf(undefined, undefined)).toEqual({ program: "", args: [] });
  expect(commandOf("npm", "{{ input.list }}")).toBeNull();
  expect(commandOf("npm", [1])).toBeNull();
  expect(commandOf(1, [])).toBeNull();
});
