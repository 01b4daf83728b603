// A menu under a button: arrows move, Enter chooses, Escape and a press elsewhere close it.
import { type ReactNode, useEffect, useRef, useState } from "react";
import { Icon, type IconName } from "../components/Icon";

export interface MenuItem {
  id: string;
  label: string;
  icon?: IconName;
  hint?: string;
  disabled?: boolean;
  run: () => void;
}

interface MenuProps {
  label: string;
  className: string;
  items: MenuItem[];
  children: ReactNode;
}

export function Menu({ label, className, items, children }: MenuProps) {
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!open) return;
    box.current?.querySelector<HTMLElement>("[role=menuitem]:not(:disabled)")?.focus();
    const away = (event: PointerEvent) => {
      if (!box.current?.contains(event.target as Node)) setOpen(false);
    };
    window.addEventListener("pointerdown", away, true);
    return () => window.removeEventListener("pointerdown", away, true);
  }, [open]);
  const close = () => {
    setOpen(false);
    box.current?.querySelector<HTMLElement>("[aria-haspopup]")?.focus();
  };
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (!open) return;
    const entries = [...(box.current?.querySelectorAll<HTMLElement>("[role=menuitem]:not(:disabled)") ?? [])];
    const at = entries.indexOf(document.activeElement as HTMLElement);
    if (event.key === "Escape") close();
    else if (event.key === "ArrowDown") entries[(at + 1) % entries.length]?.focus();
    else if (event.key === "ArrowUp") entries[(at - 1 + entries.length) % entries.length]?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: listens for the keys of the menu inside it.
    <div className="menu-box" ref={box} onKeyDown={onKeyDown}>
      <button
        type="button"
        className={className}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-label={label}
        onClick={() => setOpen(!open)}
      >
        {children}
      </button>
      {open && (
        <div className="menu" role="menu" aria-label={label}>
          {items.map((item) => (
            <button
              type="button"
              role="menuitem"
              key={item.id}
              disabled={item.disabled}
              onClick={() => {
                close();
                item.run();
              }}
            >
              {item.icon && <Icon name={item.icon} size={14} />}
              <span>{item.label}</span>
              {item.hint && <kbd>{item.hint}</kbd>}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
