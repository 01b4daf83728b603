// The grey box on a card: a few lines of text, with template variables highlighted.

import { createContext, useContext } from "react";
import cardTextStyles from "../components/CardText.module.css";
import { classes } from "../components/classes";
import styles from "./Preview.module.css";
import { templateParts } from "./template-parts";

/** The maximum number of characters on a card. The settings show the whole text. */
const MAX_PREVIEW_CHARACTERS = 220;

/** The names that a node's templates use although the flow does not define them. */
export const UnknownNames = createContext<readonly string[]>([]);

export function Preview({ text, mono }: { text: string; mono?: boolean }) {
  const unknown = useContext(UnknownNames);
  const short = text.length > MAX_PREVIEW_CHARACTERS ? `${text.slice(0, MAX_PREVIEW_CHARACTERS)}…` : text;
  return (
    <div className={classes(cardTextStyles.cardPreview, styles.preview, mono && "mono")}>
      {templateParts(short).map((part, i) =>
        part.variable ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts have no identity except their index.
          <span className={styles.variable} data-unknown={unknown.includes(part.text) || undefined} key={i}>
            {part.text}
          </span>
        ) : (
          part.text
        ),
      )}
    </div>
  );
}

/** The classes of a single line, which is truncated. */
export const lineLook = classes(cardTextStyles.cardBody, styles.line);

export function Line({ children }: { children: string }) {
  return <div className={lineLook}>{children}</div>;
}

export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
