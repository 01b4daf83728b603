// Displays a message: names in typographic quotes, text in backticks as code.

import { typeset } from "../kernels/typeset";
import { classes } from "./classes";
import styles from "./Message.module.css";

export function Message({ text }: { text: string }) {
  return typeset(text)
    .split(/`([^`]*)`/)
    .map((part, i) =>
      i % 2 === 0 ? (
        part
      ) : (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text keep their order.
        <code key={i} className={classes(styles.said, "said")}>
          {part}
        </code>
      ),
    );
}
