// Short messages in the corner. Errors stay until they are dismissed; the rest leave by themselves.

import { type CSSProperties, useEffect } from "react";
import { Button, IconButton } from "../components/Button";
import { Icon, type IconName } from "../components/Icon";
import { Message } from "../components/Message";
import { type Toast, useSession } from "../session/session";
import { testIds } from "../testids";
import { usePanelSizes } from "./Editor";

/** How long a message stays, in milliseconds. */
const STAY_MS = 6000;

const looks: Record<Toast["tone"], { icon: IconName; className: string }> = {
  info: { icon: "info", className: "c-acc" },
  ok: { icon: "check", className: "c-ok" },
  warn: { icon: "triangle-alert", className: "c-warn" },
  error: { icon: "circle-alert", className: "c-err" },
};

function ToastCard({ toast }: { toast: Toast }) {
  const { dismiss } = useSession.getState();
  useEffect(() => {
    if (toast.stays) return;
    const timer = setTimeout(() => dismiss(toast.id), STAY_MS);
    return () => clearTimeout(timer);
  }, [toast, dismiss]);
  const look = looks[toast.tone];
  return (
    <div className="toast" role={toast.tone === "error" ? "alert" : "status"} data-testid={testIds.toast}>
      <span className={look.className}>
        <Icon name={look.icon} size={16} />
      </span>
      <span>
        <b>
          <Message text={toast.detail && /[^.!?…]$/.test(toast.title) ? `${toast.title}.` : toast.title} />
        </b>{" "}
        {toast.detail && <Message text={toast.detail} />}
      </span>
      <IconButton icon="x" size={13} label="Dismiss" className="sm" onClick={() => dismiss(toast.id)} />
      {toast.actions.length > 0 && (
        <div className="row">
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

export function Toasts() {
  const toasts = useSession((s) => s.toasts);
  const inEditor = useSession((s) => s.view === "editor");
  const sideOpen = useSession((s) => s.sideOpen);
  const sizes = usePanelSizes();
  const place = inEditor ? `toasts on-canvas${sideOpen ? "" : " side-away"}` : "toasts";
  return (
    <div className={place} style={sizes as CSSProperties}>
      {toasts.map((toast) => (
        <ToastCard key={toast.id} toast={toast} />
      ))}
    </div>
  );
}
