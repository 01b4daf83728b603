// A picture of a small window in the colours of a theme. For "match system" it is half dark and half light.

import type { Settings } from "../../ipc/generated/bindings";
import styles from "./ThemePicture.module.css";

export function ThemePicture({ theme }: { theme: NonNullable<Settings["theme"]> }) {
  return (
    <span className={styles.themePicture} aria-hidden="true">
      {theme === "system" ? (
        <>
          <Half theme="dark" />
          <span className={styles.lightHalf}>
            <Half theme="light" />
          </span>
        </>
      ) : (
        <Half theme={theme} />
      )}
    </span>
  );
}

function Half({ theme }: { theme: "dark" | "light" }) {
  return (
    <svg viewBox="0 0 112 70" data-theme={theme} aria-hidden="true">
      <rect width="112" height="70" fill="var(--bg-canvas)" />
      <rect width="22" height="70" fill="var(--bg-panel)" />
      <path d="M22.5 0V70" stroke="var(--line-2)" />
      {[10, 18, 26, 34, 42].map((y) => (
        <rect key={y} x="5" y={y} width="12" height="3" rx="1.5" fill="var(--text-3)" opacity=".5" />
      ))}
      <rect x="33" y="14" width="70" height="42" rx="8" fill="var(--hull-fill)" />
      <path
        d="M58 31H76M86 36c8 0 8 14 0 14H46c-6 0-6-9-6-14"
        fill="none"
        stroke="var(--wire-text)"
        strokeWidth="1.5"
      />
      <rect x="39" y="22" width="20" height="17" rx="4" fill="var(--loop-head)" />
      <rect x="76" y="22" width="20" height="17" rx="4" fill="var(--bg-node)" stroke="var(--line-2)" />
      <rect x="79" y="26" width="10" height="2.5" rx="1" fill="var(--text-3)" />
    </svg>
  );
}
