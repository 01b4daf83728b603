// The ring around a Loop's icon, which shows how many iterations have begun.
import styles from "./ProgressRing.module.css";

const RADIUS = 11;
const CIRCUMFERENCE = 2 * Math.PI * RADIUS;

export function ProgressRing({ done, total }: { done: number; total: number }) {
  const part = total > 0 ? Math.min(done / total, 1) : 0;
  return (
    <svg className={styles.ring} viewBox="0 0 26 26" role="img" aria-label={`Iteration ${done} of ${total}`}>
      <circle className={styles.track} cx="13" cy="13" r={RADIUS} fill="none" strokeWidth="2.5" />
      <circle
        className={styles.value}
        cx="13"
        cy="13"
        r={RADIUS}
        fill="none"
        strokeWidth="2.5"
        strokeDasharray={`${part * CIRCUMFERENCE} ${CIRCUMFERENCE}`}
        transform="rotate(-90 13 13)"
      />
      <g className={styles.mark} transform="translate(6.5 6.5) scale(.542)">
        <path d="M3 12a9 9 0 0 1 9-9 9.75 9.75 0 0 1 6.74 2.74L21 8" />
        <path d="M21 3v5h-5" />
        <path d="M21 12a9 9 0 0 1-9 9 9.75 9.75 0 0 1-6.74-2.74L3 16" />
        <path d="M8 16H3v5" />
      </g>
    </svg>
  );
}
