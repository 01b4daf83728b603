// The grey box on a card: a few lines of a text, with the variables of a template set off.
import { templateParts } from "./template-parts";
import "./node-ui.css";

/** A card shows the beginning; the whole text is in the settings. */
const SHOWN = 220;

export function Preview({ text, mono }: { text: string; mono?: boolean }) {
  const short = text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
  return (
    <div className={`prev clamp${mono ? " mono" : ""}`}>
      {templateParts(short).map((part, i) =>
        part.variable ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts have no identity but their place.
          <span className="var" key={i}>
            {part.text}
          </span>
        ) : (
          part.text
        ),
      )}
    </div>
  );
}

export function Line({ children }: { children: string }) {
  return <div className="bd oneline">{children}</div>;
}

export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
