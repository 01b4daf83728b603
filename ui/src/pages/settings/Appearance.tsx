// The appearance of the window.

import cardStyles from "../../components/Card.module.css";
import { classes } from "../../components/classes";
import formStyles from "../../components/Form.module.css";
import { Select } from "../../components/Select";
import type { Settings } from "../../ipc/generated/bindings";
import { useSession } from "../../session/session";
import styles from "../SettingsPage.module.css";
import themeStyles from "./Appearance.module.css";
import { saveSettings } from "./save";
import { ThemePicture } from "./ThemePicture";

const THEMES = [
  { value: "system", label: "Match system" },
  { value: "dark", label: "Dark" },
  { value: "light", label: "Light" },
] as const;

export function Theme({ settings }: { settings: Settings }) {
  const theme = settings.theme ?? "system";
  const motion = useSession((s) => s.motion);
  const contrast = useSession((s) => s.contrast);
  return (
    <>
      <h2 className={styles.settingsHeading}>Theme</h2>
      <div className={classes(cardStyles.card, styles.card, styles.padded)}>
        <div className={themeStyles.themes} role="radiogroup" aria-label="Theme">
          {THEMES.map((t) => (
            // biome-ignore lint/a11y/useSemanticElements: pictures as radio buttons.
            <button
              key={t.value}
              type="button"
              role="radio"
              aria-checked={theme === t.value}
              className={themeStyles.theme}
              data-testid={`theme-${t.value}`}
              onClick={() => void saveSettings({ theme: t.value })}
            >
              <ThemePicture theme={t.value} />
              {t.label}
            </button>
          ))}
        </div>
        <div className={formStyles.formRow}>
          <label htmlFor="reduce-motion">Reduce motion</label>
          <Select
            id="reduce-motion"
            label="Reduce motion"
            value={motion}
            options={[
              { value: "system", label: "match system" },
              { value: "reduced", label: "always" },
            ]}
            onChange={(value) => useSession.getState().patch({ motion: value })}
          />
        </div>
        <div className={formStyles.formRow}>
          <label htmlFor="more-contrast">More contrast</label>
          <Select
            id="more-contrast"
            label="More contrast"
            value={contrast}
            options={[
              { value: "system", label: "match system" },
              { value: "more", label: "always" },
            ]}
            onChange={(value) => useSession.getState().patch({ contrast: value })}
          />
        </div>
        <p className={formStyles.hint}>If your system enforces its own colors, they are used unchanged.</p>
      </div>
    </>
  );
}
