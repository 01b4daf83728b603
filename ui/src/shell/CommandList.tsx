// Every command by name, with its keys: what can be done now, found by typing.
import { useEffect, useMemo, useRef, useState } from "react";
import { commands } from "../commands";
import type { Command } from "../commands/command";
import { keyText } from "../commands/keyboard";
import { Icon } from "../components/Icon";
import { useSession } from "../session/session";

export function CommandList() {
  const open = useSession((s) => s.commandList);
  return open ? <OpenList /> : null;
}

function OpenList() {
  const [query, setQuery] = useState("");
  const [index, setIndex] = useState(0);
  const box = useRef<HTMLDialogElement>(null);
  const close = () => useSession.getState().patch({ commandList: false });
  // What is possible is asked once: the dialog holds the window still.
  const possible = useMemo(
    () => commands.filter((c) => c.id !== "window.commands" && (c.possible?.() ?? true)),
    [],
  );
  const wanted = query.trim().toLowerCase();
  const found = possible.filter((command) => command.label.toLowerCase().includes(wanted));
  useEffect(() => box.current?.showModal(), []);
  const run = (command: Command | undefined) => {
    close();
    // After the dialog has given the focus back to where it was.
    if (command) requestAnimationFrame(() => void command.run());
  };
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.key === "Enter") run(found[index]);
    else if (event.key === "ArrowDown") setIndex((i) => Math.min(i + 1, found.length - 1));
    else if (event.key === "ArrowUp") setIndex((i) => Math.max(i - 1, 0));
    else return;
    event.preventDefault();
  };
  return (
    <dialog
      ref={box}
      className="command-list"
      aria-label="Commands"
      onCancel={close}
      onClose={close}
      onPointerDown={(event) => event.target === box.current && close()}
    >
      <div className="psearch">
        <Icon name="search" size={14} />
        <input
          value={query}
          placeholder="What do you want to do?"
          aria-label="Search commands"
          onChange={(event) => {
            setQuery(event.target.value);
            setIndex(0);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <div className="qlist">
        {found.map((command, i) => (
          <button
            type="button"
            key={command.id}
            className={`qi${i === index ? " on" : ""}`}
            onPointerEnter={() => setIndex(i)}
            onClick={() => run(command)}
          >
            <Icon name={command.icon ?? "chevron-right"} size={14} />
            <b>{command.label}</b>
            <span>{command.keys?.[0] && <kbd>{keyText(command.keys[0])}</kbd>}</span>
          </button>
        ))}
        {found.length === 0 && <p className="hint">No command is called “{query}”.</p>}
      </div>
    </dialog>
  );
}
