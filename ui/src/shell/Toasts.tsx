// Short messages in the corner. Errors stay until dismissed; the others disappear by themselves.

import { type CSSProperties, useEffect, useState } from "react";
import { Button, IconButton } from "../components/Button";
import { classes } from "../components/classes";
import { Icon, type IconName } from "../components/Icon";
import { Message } from "../components/Message";
import { plural } from "../runs/words/format";
import { useCanvasPanels } from "../session/canvas-panels";
import { useConnecting } from "../session/connecting";
import { type Toast, useSession } from "../session/session";
import { testIds } from "../testids";
import { usePanelSizes } from "./Editor";
import styles from "./Toasts.module.css";

/** How long a message is shown, in milliseconds. */
const STAY_MS = 6000;

/** The maximum number of messages shown at once, so that they do not cover the work. */
const MAX_SHOWN = 3;

function dismissAll(): void {
  const { toasts, dismiss } = useSession.getState();
  for (const { id } of toasts) dismiss(id);
}

const looks: Record<Toast["tone"], { icon: IconName; className: string }> = {
  info: { icon: "info", className: "text-accent" },
  ok: { icon: "check", className: "text-ok" },
  warn: { icon: "triangle-alert", className: "text-warning" },
  error: { icon: "circle-alert", className: "text-error" },
};

/** Shows one message. With `waits`, the message is hidden until the open list closes. */
function ToastCard({ toast, waits }: { toast: Toast; waits: boolean }) {
  const { dismiss } = useSession.getState();
  // While the message is hovered or its button is focused, it does not disappear.
  const [pointed, setPointed] = useState(false);
  const [focused, setFocused] = useState(false);
  const held = waits || pointed || focused;
  useEffect(() => {
    if (toast.stays || held) return;
    const timer = setTimeout(() => dismiss(toast.id), STAY_MS);
    return () => clearTimeout(timer);
  }, [toast, held, dismiss]);
  const look = looks[toast.tone];
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: hovering only keeps it open.
    <div
      className={styles.toast}
      role={toast.tone === "error" ? "alert" : "status"}
      data-testid={testIds.toast}
      onPointerEnter={() => setPointed(true)}
      onPointerLeave={() => setPointed(false)}
      onFocus={() => setFocused(true)}
      onBlur={() => setFocused(false)}
    >
      <span className={look.className}>
        <Icon name={look.icon} size={16} />
      </span>
      <span>
        <b>
          <Message text={toast.detail && /[^.!?…]$/.test(toast.title) ? `${toast.title}.` : toast.title} />
        </b>{" "}
        {toast.detail && <Message text={toast.detail} />}
      </span>
      <IconButton icon="x" size={13} label="Dismiss" small onClick={() => dismiss(toast.id)} />
      {toast.actions.length > 0 && (
        <div className={classes(styles.actions, "row")}>
          {toast.actions.map((action) => (
            <Button small key={action.label} onClick={action.run}>
              {action.label}
            </Button>
          ))}
        </div>
      )}
    </div>
  );
}

/** Returns whether a list is open over the canvas. Messages that appear by themselves must not cover it. */
function useListOpen(): boolean {
  const wires = useConnecting((s) => s.quickAdd !== null || s.connectFrom !== null);
  const menu = useCanvasPanels((s) => s.menu !== null);
  return wires || menu;
}

export function Toasts() {
  const toasts = useSession((s) => s.toasts);
  const inEditor = useSession((s) => s.view === "editor");
  const sideOpen = useSession((s) => s.sideOpen);
  const sizes = usePanelSizes();
  const listOpen = useListOpen();
  const waits = inEditor && listOpen;
  const [all, setAll] = useState(false);
  const older = all ? 0 : Math.max(0, toasts.length - MAX_SHOWN);
  if (all && toasts.length <= MAX_SHOWN) setAll(false);
  const place = classes(styles.toasts, inEditor && styles.onCanvas, inEditor && !sideOpen && styles.sideAway);
  return (
    <div
      className={place}
      data-testid={testIds.toasts}
      data-waiting={waits || undefined}
      style={sizes as CSSProperties}
    >
      {older > 0 && (
        <div className={classes(styles.toast, styles.older)}>
          <span>{plural(older, "older message")}</span>
          <Button small onClick={() => setAll(true)}>
            Show
          </Button>
          <Button small onClick={dismissAll}>
            Dismiss all
          </Button>
        </div>
      )}
      {toasts.slice(older).map((toast) => (
        <ToastCard key={toast.id} toast={toast} waits={waits} />
      ))}
    </div>
  );
}
