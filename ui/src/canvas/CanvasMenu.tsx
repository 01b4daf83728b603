// The context menu, opened by the right mouse button or the menu key. It shows the commands for its target,
// in groups.

import { useEffect, useLayoutEffect, useRef } from "react";
import { commandById } from "../commands";
import { type Command, isPossible } from "../commands/command";
import { keyText } from "../commands/keyboard";
import { classes } from "../components/classes";
import { Icon } from "../components/Icon";
import menuListStyles from "../components/MenuList.module.css";
import { type MenuTarget, useCanvasPanels } from "../session/canvas-panels";
import { testIds } from "../testids";
import styles from "./CanvasMenu.module.css";
import { focusCanvas } from "./view/focus";

/** The command ids for each kind of target. A separator is drawn between the inner lists. */
const parts: Record<MenuTarget["kind"], readonly (readonly string[])[]> = {
  node: [
    ["node.edit", "node.rename", "node.connect", "subflow.enter"],
    ["run.from", "run.to", "run.fork", "node.pin", "node.editPin"],
    ["note.colour", "note.fit"],
    ["node.bypass", "canvas.fold", "group.make", "group.leave", "group.dissolve"],
    ["edit.cut", "edit.copy", "edit.paste", "edit.duplicate"],
    ["canvas.layoutSelection", "canvas.fitSelection"],
    ["edit.delete"],
  ],
  wire: [["node.quickAdd"], ["edit.delete"]],
  group: [
    ["group.rename", "group.colour", "canvas.fold", "group.dissolve"],
    ["edit.copy", "edit.duplicate"],
    ["edit.delete"],
  ],
  canvas: [
    ["node.quickAdd", "node.addNote", "edit.paste"],
    ["edit.selectAll", "edit.find", "edit.history"],
    ["canvas.tidy", "canvas.fit", "canvas.actualSize"],
    ["canvas.exportPng", "canvas.exportSvg"],
  ],
};

export function CanvasMenu() {
  const menu = useCanvasPanels((s) => s.menu);
  return menu === null ? null : <OpenMenu key={`${menu.at.x},${menu.at.y}`} {...menu} />;
}

function OpenMenu({ at, on }: { at: { x: number; y: number }; on: MenuTarget }) {
  const box = useRef<HTMLDivElement>(null);
  const close = useCanvasPanels((s) => s.closeMenu);
  const before = useRef(document.activeElement);
  const sections = parts[on.kind]
    .map((ids) => ids.map(commandById).filter(isPossible))
    .filter((commands) => commands.length > 0);
  useLayoutEffect(() => {
    // The menu is moved to stay within the canvas. Its height is known only after it is rendered.
    const canvas = box.current?.closest('[data-region="canvas"]')?.getBoundingClientRect();
    const own = box.current?.getBoundingClientRect();
    if (!box.current || !canvas || !own) return;
    box.current.style.left = `${Math.max(6, Math.min(at.x - canvas.left, canvas.width - own.width - 6))}px`;
    box.current.style.top = `${Math.max(6, Math.min(at.y - canvas.top, canvas.height - own.height - 6))}px`;
    box.current.querySelector<HTMLElement>("[role=menuitem]")?.focus();
  }, [at]);
  useEffect(() => {
    const away = (event: PointerEvent) => {
      if (!box.current?.contains(event.target as Node)) close();
    };
    window.addEventListener("pointerdown", away, true);
    return () => window.removeEventListener("pointerdown", away, true);
  }, [close]);
  const backToCanvas = () => {
    if (before.current instanceof HTMLElement) before.current.focus({ preventScroll: true });
    if (!before.current?.isConnected || before.current === document.body) focusCanvas();
  };
  const run = (command: Command) => {
    close();
    backToCanvas();
    void command.run();
  };
  const onKeyDown = (event: React.KeyboardEvent) => {
    const items = [...(box.current?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? [])];
    const index = items.indexOf(document.activeElement as HTMLElement);
    if (event.key === "Escape") {
      close();
      backToCanvas();
    } else if (event.key === "ArrowDown") items[(index + 1) % items.length]?.focus();
    else if (event.key === "ArrowUp") items[(index - 1 + items.length) % items.length]?.focus();
    else if (event.key === "Tab") close();
    else {
      // Enter activates the button. Other keys must not act behind an open menu.
      event.stopPropagation();
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      ref={box}
      className={classes(menuListStyles.menu, styles.canvasMenu)}
      role="menu"
      tabIndex={-1}
      aria-label="Actions"
      data-testid={testIds.canvasMenu}
      onKeyDown={onKeyDown}
      onContextMenu={(event) => event.preventDefault()}
    >
      {sections.map((commands, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a menu keep their order.
        <div key={i} className={styles.part}>
          {commands.map((command) => (
            <button type="button" role="menuitem" key={command.id} onClick={() => run(command)}>
              {command.icon ? <Icon name={command.icon} size={14} /> : <i className={styles.noIcon} />}
              <span>{command.label}</span>
              {command.keys?.[0] && <kbd>{keyText(command.keys[0])}</kbd>}
            </button>
          ))}
        </div>
      ))}
    </div>
  );
}
