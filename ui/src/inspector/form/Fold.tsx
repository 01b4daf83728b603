// A part of a form that is out of the way until it is wanted; its title says what is set in it.
import { type ReactNode, useState } from "react";
import { Icon } from "../../components/Icon";

type FoldProps = {
  title: string;
  /** What is set inside, in a few words. */
  note?: string;
  /** Whether it starts open; once somebody has opened or closed it, that holds. */
  open?: boolean;
  children: ReactNode;
};

export function Fold({ title, note, open = false, children }: FoldProps) {
  const [chosen, setChosen] = useState<boolean | null>(null);
  return (
    <details
      className="fold"
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
