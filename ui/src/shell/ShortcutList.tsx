// All commands with keys, by topic. The list is generated from the commands, so it is always up to date.

import { commands } from "../commands";
import type { Command } from "../commands/command";
import { keyText } from "../commands/keyboard";
import styles from "./ShortcutList.module.css";

/**
 * The groups of shortcuts, each with the prefixes of its command ids. Other commands are listed at the end.
 */
const GROUPS: readonly (readonly [title: string, prefixes: readonly string[]])[] = [
  ["Run", ["run", "problems"]],
  ["Iterations", ["iterations", "inspector"]],
  ["Nodes", ["node", "subflow", "palette", "arrange", "walk"]],
  ["Edit", ["edit", "select"]],
  ["Canvas", ["canvas", "tool", "view"]],
  ["Files", ["file", "tab"]],
  ["Window", ["window"]],
];

const prefixOf = (command: Command) => command.id.split(".")[0] ?? command.id;

export function shortcutGroups(): { title: string; commands: Command[] }[] {
  const withKeys = commands.filter((command) => (command.keys?.length ?? 0) > 0);
  const named = new Set(GROUPS.flatMap(([, prefixes]) => prefixes));
  return [
    ...GROUPS.map(([title, prefixes]) => ({
      title,
      commands: withKeys.filter((command) => prefixes.includes(prefixOf(command))),
    })),
    { title: "Other", commands: withKeys.filter((command) => !named.has(prefixOf(command))) },
  ].filter((group) => group.commands.length > 0);
}

/**
 * Shows all shortcuts. `heading` is the level of the groups' headings, one level below the heading around the
 * list.
 */
export function ShortcutList({ heading: Heading }: { heading: "h2" | "h3" }) {
  return (
    <div className={styles.shortcuts}>
      {shortcutGroups().map(({ title, commands: some }) => (
        <section key={title} aria-label={title}>
          <Heading>{title}</Heading>
          <dl>
            {some.map((command) => (
              <div key={command.id}>
                <dt>{command.label}</dt>
                <dd>
                  {command.keys?.map((keys) => (
                    <kbd key={keys}>{keyText(keys)}</kbd>
                  ))}
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </div>
  );
}
