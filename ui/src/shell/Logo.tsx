// The logo: two arcs that feed each other.
import styles from "./Logo.module.css";

export function Logo() {
  return (
    <svg className={styles.logo} width="20" height="20" viewBox="0 0 20 20" aria-hidden="true">
      <path className={styles.out} d="M4.2 6.4A6.6 6.6 0 0 1 16.4 8.2" />
      <path className={styles.back} d="M15.8 13.6A6.6 6.6 0 0 1 3.6 11.8" />
      <circle className={styles.core} cx="10" cy="10" r="2.1" />
      <circle className={styles.out} cx="16.6" cy="8.9" r="1.9" />
      <circle className={styles.back} cx="3.4" cy="11.1" r="1.9" />
    </svg>
  );
}
