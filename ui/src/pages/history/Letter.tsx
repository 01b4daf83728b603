// The letter that identifies one of two compared runs.
import { classes } from "../../components/classes";
import styles from "./Letter.module.css";

/** A is the selected run, B the one it is compared with. */
export type Mark = "A" | "B";

export function Letter({ mark }: { mark: Mark }) {
  return <span className={classes(styles.letter, mark === "B" && styles.second)}>{mark}</span>;
}
