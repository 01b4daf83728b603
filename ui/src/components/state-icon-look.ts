// The look of a state's icon.
import { classes } from "./classes";
import styles from "./StateIcon.module.css";

/** Returns the classes of the icon of a state. */
export const stateIconLook = (tone: string): string => classes(styles.stateIcon, styles[tone]);
