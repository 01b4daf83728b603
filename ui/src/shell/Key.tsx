// A command's keys next to its label, in the notation of this system.
import { commandById } from "../commands";
import { keyText } from "../commands/keyboard";

export function Key({ command }: { command: string }) {
  const keys = commandById(command).keys?.[0];
  return keys ? <kbd>{keyText(keys)}</kbd> : null;
}
