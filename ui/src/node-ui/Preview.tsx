// The grey box on a card: a few lines of a text, with template variables highlighted.
import { createContext, useContext } from "react";
import { templateParts } from "./template-parts";

/** The maximum number of characters on a card. The settings show the whole text. */
const MAX_PREVIEW_CHARACTERS = 220;

/** The names in a node's templates that the flow does not define. */
export const UnknownNames = createContext<readonly string[]>([]);

export function Preview({ text, mono }: { text: string; mono?: boolean }) {
  const unknown = useContext(UnknownNames);
  const short = text.length > MAX_PREVIEW_CHARACTERS ? `${text.slice(0, MAX_PREVIEW_CHARACTERS)}…` : text;
  return (
    <div className={`card-preview clamp${mono ? " mono" : ""}`}>
      {templateParts(short).map((part, i) =>
        part.variable ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts have no identity except their index.
          <span className={unknown.includes(part.text) ? "var bad squiggle" : "var"} key={i}>
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
  return <div className="card-body one-line">{children}</div>;
}

export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
