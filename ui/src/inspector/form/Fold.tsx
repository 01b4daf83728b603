// A collapsible part of a form. Its title summarises what is set inside.
import { type ReactNode, useState } from "react";
import { Icon } from "../../components/Icon";
import styles from "./Fold.module.css";

type FoldProps = {
  title: string;
  /** A short summary of what is set inside. */
  note?: string;
  /** Whether the part is open at first. Once a person opens or closes it, their choice applies. */
  open?: boolean;
  children: ReactNode;
};

export function Fold({ title, note, open = false, children }: FoldProps) {
  const [chosen, setChosen] = useState<boolean | null>(null);
  return (
    <details
      className={styles.fold}
      data-testid={`fold-${title}`}
      open={chosen ?? open}
      onToggle={(e) => {
        const now = e.currentTarget.open;
        if (now !== (chosen ?? open)) setChosen(now);
      }}
    >
      <summary>
        <Icon name="chevron-right" size={12} />
        <b>{title}</b>
        {note && <span>{note}</span>}
      </summary>
      {children}
    </details>
  );
}
