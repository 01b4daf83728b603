// A command's keys beside its label, as this system writes them.
import { commandById } from "../commands";
import { keyText } from "../commands/keyboard";

export function Key({ command }: { command: string }) {
  const keys = commandById(command).keys?.[0];
  return keys ? <kbd>{keyText(keys)}</kbd> : null;
}
