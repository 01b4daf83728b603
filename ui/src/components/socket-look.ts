// The look of a socket, by the type of its values.
import { classes } from "./classes";
import styles from "./SocketShape.module.css";

/** Returns the classes of a socket's shape. `shape` is text, json, number, bool, any or feedback. */
export const socketLook = (shape: string): string => classes(styles.socketShape, styles[shape]);

/** The class that a socket without a wire has in addition to the classes of its shape. */
export const unwiredLook = styles.off;

/** Returns the classes of a small shape in an entry of a list. */
export const listedSocketLook = (shape: string): string => classes(socketLook(shape), styles.listed);
