// The look of the reason why a loop or a run ended.
import { classes } from "./classes";
import styles from "./Reason.module.css";

/** Returns the classes of a reason. `tone` is a result of `exitTone`. */
export const reasonLook = (tone: string): string => classes(styles.reason, styles[tone]);
