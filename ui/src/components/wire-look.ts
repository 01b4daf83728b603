// The look of a wire, by the type of its values.
import { classes } from "./classes";
import styles from "./Wire.module.css";

/**
 * Returns the classes of a wire's line. `shape` is text, json, number, bool, any or feedback. `isBad` gives
 * the line the style of an error.
 */
export const wireLook = (shape: string, isBad = false): string =>
  classes(styles.wire, styles[shape], isBad && styles.bad);
