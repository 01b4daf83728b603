// A collapsible part of a form. Its title summarises what is set inside.
import { type ReactNode, useState } from "react";
import { classes } from "../../components/classes";
import { Icon } from "../../components/Icon";
import styles from "./Fold.module.css";

type FoldProps = {
  title: string;
  /** A short summary of what is set inside. */
  note?: string;
  /** Whether the part is open at first. Once the user opens or closes it, their choice applies. */
  open?: boolean;
  /** Whether the part is within a section, which already has the horizontal padding. */
  inner?: boolean;
  /**
   * Whether the content is mounted only while the part is open. Used for content that is also shown
   * elsewhere.
   */
  lazy?: boolean;
  children: ReactNode;
};

export function Fold({ title, note, open = false, inner = false, lazy = false, children }: FoldProps) {
  const [chosen, setChosen] = useState<boolean | null>(null);
  const isOpen = chosen ?? open;
  return (
    <details
      className={classes(styles.fold, inner && styles.inner)}
      data-testid={`fold-${title}`}
      open={isOpen}
      onToggle={(e) => {
        const now = e.currentTarget.open;
        if (now !== isOpen) setChosen(now);
      }}
    >
      <summary>
        <Icon name="chevron-right" size={12} />
        <b>{title}</b>
        {note && <span>{note}</span>}
      </summary>
      {(isOpen || !lazy) && children}
    </details>
  );
}
