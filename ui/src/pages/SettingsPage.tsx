// The settings: on the left a searchable list of sections, on the right the chosen one. Every change is saved
// immediately.

import { useEffect, useState } from "react";
import { classes } from "../components/classes";
import formStyles from "../components/Form.module.css";
import { TextField } from "../components/fields";
import { Icon } from "../components/Icon";
import pageFrameStyles from "../components/PageFrame.module.css";
import searchListStyles from "../components/SearchList.module.css";
import { fuzzy } from "../kernels/fuzzy";
import { useProviders } from "../runs/inputs/providers";
import styles from "./SettingsPage.module.css";
import sideNavStyles from "./SideNav.module.css";
import { leaveSettings } from "./settings/leave";
import { SectionBody } from "./settings/SectionBody";
import { showSettings, useSettingsSection } from "./settings/sections";
import { SECTIONS, type SectionId, settingsTopics, type Topic } from "./settings/topics";
import { useSearchKey } from "./use-search-key";

/** Returns the settings that match a search, best first. */
function found(search: string): Topic[] {
  return settingsTopics
    .flatMap((topic) => {
      const match = fuzzy(search, topic.label);
      const within = topic.words.includes(search.trim().toLowerCase());
      return match || within ? [{ topic, score: match?.score ?? 0 }] : [];
    })
    .sort((a, b) => b.score - a.score)
    .map(({ topic }) => topic);
}

/** Moves the focus in a list with the arrow keys. Home and End focus the first and the last entry. */
function onArrows(event: React.KeyboardEvent<HTMLElement>): void {
  const entries = [...event.currentTarget.querySelectorAll<HTMLElement>("button")];
  const at = entries.indexOf(document.activeElement as HTMLElement);
  const next = {
    ArrowDown: Math.min(at + 1, entries.length - 1),
    ArrowUp: Math.max(at - 1, 0),
    Home: 0,
    End: entries.length - 1,
  }[event.key];
  if (next === undefined) return;
  event.preventDefault();
  entries[next]?.focus();
}

function Results({ topics }: { topics: readonly Topic[] }) {
  if (topics.length === 0) {
    return (
      <p className={formStyles.hint} role="status">
        No setting matches.
      </p>
    );
  }
  return topics.map(({ section, label, icon }) => (
    <button type="button" className={sideNavStyles.navItem} key={label} onClick={() => showSettings(section)}>
      <Icon name={icon} size={15} />
      {label}
    </button>
  ));
}

function SectionList({ section }: { section: SectionId }) {
  return SECTIONS.map(({ id, title, icon }) => (
    <button
      type="button"
      key={id}
      className={sideNavStyles.navItem}
      data-current={id === section || undefined}
      aria-current={id === section ? "page" : undefined}
      data-testid={`settings-${id}`}
      onClick={() => showSettings(id)}
    >
      <Icon name={icon} size={15} />
      {title}
    </button>
  ));
}

export function SettingsPage() {
  const { load, settings, failure } = useProviders();
  const section = useSettingsSection((s) => s.section);
  const [search, setSearch] = useState("");
  useEffect(() => void load(), [load]);
  useSearchKey("settings-search");
  useEffect(() => {
    const onKey = (e: KeyboardEvent) => {
      if (e.key !== "Escape" || e.defaultPrevented) return;
      if (document.querySelector("dialog[open]")) return;
      leaveSettings();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
  return (
    <div className={classes(pageFrameStyles.pageFrame, styles.settingsLayout)}>
      <aside className={sideNavStyles.sideNav} aria-label="Sections">
        {/* biome-ignore lint/a11y/noStaticElementInteractions: it handles the keys of the field inside it. */}
        <div
          className={classes(searchListStyles.searchBox, styles.search)}
          onKeyDown={(e) => {
            const [first] = search.trim() === "" ? [] : found(search);
            if (e.key === "Enter" && first) showSettings(first.section);
            else if (e.key === "Escape" && search !== "") setSearch("");
            else return;
            e.preventDefault();
          }}
        >
          <Icon name="search" />
          <TextField
            id="settings-search"
            label="Search settings"
            type="search"
            bare
            placeholder="Search settings"
            value={search}
            onChange={setSearch}
          />
          {search === "" && <kbd>/</kbd>}
        </div>
        <nav className={styles.sections} aria-label="Settings" onKeyDown={onArrows}>
          {search.trim() === "" ? <SectionList section={section} /> : <Results topics={found(search)} />}
        </nav>
        <span className="grow" />
        <p className={classes(formStyles.hint, styles.note)}>
          Settings apply to this computer. Workflow files contain model names, never keys.
        </p>
      </aside>
      <main
        className={styles.settingsMain}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a long section scrolls, and may contain nothing else to focus.
        tabIndex={0}
        aria-label={SECTIONS.find(({ id }) => id === section)?.title}
      >
        {failure && (
          <p className="text-error" role="alert">
            {failure}
          </p>
        )}
        <SectionBody section={section} settings={settings} />
      </main>
    </div>
  );
}
