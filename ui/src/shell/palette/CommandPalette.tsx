// One search field for all commands and destinations, with their keys.

import { useEffect, useId, useMemo, useRef, useState } from "react";
import { classes } from "../../components/classes";
import formStyles from "../../components/Form.module.css";
import { Icon } from "../../components/Icon";
import searchListStyles from "../../components/SearchList.module.css";
import { useLightDialog } from "../../components/use-modal";
import { usePointed } from "../../components/use-pointed";
import { useSession } from "../../session/session";
import { testIds } from "../../testids";
import styles from "./CommandPalette.module.css";
import { type Entry, entriesAtHand, entriesElsewhere, type Found, findEntries } from "./entries";

/** The maximum number of entries listed. To find other entries, the user types more letters. */
const MAX_ENTRIES = 80;
/**
 * The number of rows drawn at once, slightly more than are visible. More are drawn when the list is scrolled.
 */
const ENTRIES_PER_SCREEN = 16;

/**
 * The delay after the start, in milliseconds, at which the palette is created. Opening the palette is then
 * fast.
 */
const AFTER_START_MS = 1000;

export function CommandPalette() {
  const open = useSession((s) => s.commandList);
  const [made, setMade] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setMade(true), AFTER_START_MS);
    return () => clearTimeout(timer);
  }, []);
  return open || made ? <Palette open={open} /> : null;
}

/** Shows a label with its matched letters marked. */
function Marked({ text, at }: { text: string; at: readonly number[] }) {
  if (at.length === 0) return text;
  const found = new Set(at);
  const parts: { text: string; found: boolean; start: number }[] = [];
  for (let i = 0; i < text.length; i++) {
    const last = parts.at(-1);
    const hit = found.has(i);
    if (last && last.found === hit) last.text += text.charAt(i);
    else parts.push({ text: text.charAt(i), found: hit, start: i });
  }
  return parts.map((part) => (part.found ? <mark key={part.start}>{part.text}</mark> : part.text));
}

/**
 * Returns the entries of the palette. At first, these are the entries that need no request. The others are
 * added when their requests complete.
 */
function useEntries(open: boolean): Entry[] {
  const last = useRef<Entry[]>(null);
  const atHand = useMemo(() => {
    if (open || last.current === null) last.current = entriesAtHand();
    return last.current;
  }, [open]);
  const [elsewhere, setElsewhere] = useState<Entry[]>([]);
  useEffect(() => {
    if (!open) return;
    let wanted = true;
    void entriesElsewhere().then((entries) => wanted && setElsewhere(entries));
    return () => {
      wanted = false;
    };
  }, [open]);
  return useMemo(() => [...atHand, ...elsewhere], [atHand, elsewhere]);
}

function Row({ found, on, id, onPoint, onRun }: RowProps) {
  const { entry, match } = found;
  const row = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (on) row.current?.scrollIntoView?.({ block: "nearest" });
  }, [on]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field is focused, as in a combobox.
    <div
      ref={row}
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={on}
      aria-disabled={entry.off || undefined}
      className={classes(
        searchListStyles.listItem,
        styles.entry,
        on && searchListStyles.on,
        entry.off && searchListStyles.off,
      )}
      onPointerMove={onPoint}
      onClick={onRun}
    >
      <Icon name={entry.icon} size={14} />
      <b>
        <Marked text={entry.label} at={match.at} />
      </b>
      {entry.detail && <small className="clip-text">{entry.detail}</small>}
      {entry.keys && <kbd>{entry.keys}</kbd>}
    </div>
  );
}

interface RowProps {
  found: Found;
  on: boolean;
  id: string;
  onPoint: (event: React.PointerEvent) => void;
  onRun: () => void;
}

const NEXT: Readonly<Record<string, (at: number, last: number) => number>> = {
  ArrowDown: (at, last) => (at >= last ? 0 : at + 1),
  ArrowUp: (at, last) => (at <= 0 ? last : at - 1),
  PageDown: (at, last) => Math.min(at + 8, last),
  PageUp: (at) => Math.max(at - 8, 0),
};

const close = () => useSession.getState().patch({ commandList: false });

function Palette({ open }: { open: boolean }) {
  const entries = useEntries(open);
  const [query, setQuery] = useState("");
  const [index, setIndex] = useState(0);
  const [room, setRoom] = useState(ENTRIES_PER_SCREEN);
  const [wasOpen, setWasOpen] = useState(open);
  const box = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const ids = useId();
  const pointed = usePointed(open);
  if (open !== wasOpen) {
    setWasOpen(open);
    // When the palette closes, its list stays unchanged, since it need not be drawn while hidden.
    if (open) {
      setQuery("");
      setIndex(0);
      setRoom(ENTRIES_PER_SCREEN);
    }
  }
  const found = useMemo(() => findEntries(entries, query).slice(0, MAX_ENTRIES), [entries, query]);
  const at = Math.min(index, found.length - 1);
  useLightDialog(box, open, close);
  useEffect(() => {
    if (open && list.current) list.current.scrollTop = 0;
  }, [open]);
  const run = (chosen: Found | undefined) => {
    if (!chosen || chosen.entry.off) return;
    close();
    // The command runs after the dialog has restored the focus.
    requestAnimationFrame(() => void chosen.entry.run());
  };
  const onKeyDown = (event: React.KeyboardEvent) => {
    const next = NEXT[event.key];
    if (event.key === "Enter") run(found[at]);
    else if (next) setIndex(next(at, found.length - 1));
    else return;
    event.preventDefault();
  };
  const visible = found.slice(0, Math.max(room, at + ENTRIES_PER_SCREEN / 2));
  const groups = [...new Set(visible.map(({ entry }) => entry.group))];
  return (
    <div
      ref={box}
      className={styles.commandList}
      data-testid={testIds.commands}
      data-open={open || undefined}
      role="dialog"
      aria-label="Commands"
      aria-modal="true"
    >
      <div className={searchListStyles.searchBox}>
        <Icon name="search" size={14} />
        <input
          value={query}
          placeholder="Find a command, flow, node or setting"
          aria-label="Search commands, flows, nodes and settings"
          role="combobox"
          aria-expanded="true"
          aria-autocomplete="list"
          aria-controls={`${ids}-list`}
          aria-activedescendant={found[at] ? `${ids}-${at}` : undefined}
          onChange={(event) => {
            setQuery(event.target.value);
            setIndex(0);
            setRoom(ENTRIES_PER_SCREEN);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <div
        ref={list}
        className={classes(searchListStyles.itemList, styles.results)}
        id={`${ids}-list`}
        role="listbox"
        aria-label="Search results"
        onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
          if (scrollTop + 2 * clientHeight >= scrollHeight)
            setRoom(Math.max(room, visible.length + ENTRIES_PER_SCREEN));
        }}
      >
        {groups.map((group) => (
          // biome-ignore lint/a11y/useSemanticElements: a group of options, which a fieldset is not.
          <div role="group" key={group} aria-label={group}>
            <div className={searchListStyles.listGroup} aria-hidden="true">
              {group}
            </div>
            {visible.map((one, i) =>
              one.entry.group === group ? (
                <Row
                  key={one.entry.id}
                  id={`${ids}-${i}`}
                  found={one}
                  on={i === at}
                  onPoint={pointed(() => setIndex(i))}
                  onRun={() => run(one)}
                />
              ) : null,
            )}
          </div>
        ))}
      </div>
      {found.length === 0 && (
        <p className={classes(formStyles.hint, styles.nothing)} role="status">
          Nothing matches “{query}”.
        </p>
      )}
      <div className={searchListStyles.listFoot} aria-hidden="true">
        <span>
          <kbd>↵</kbd> choose
        </span>
        <span>
          <kbd>&gt;</kbd> commands
        </span>
        <span>
          <kbd>@</kbd> nodes
        </span>
        <span>
          <kbd>.</kbd> fields
        </span>
        <span>
          <kbd>Esc</kbd> close
        </span>
      </div>
    </div>
  );
}
