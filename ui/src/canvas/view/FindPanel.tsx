// Find and replace in the shown flow: titles, ids, kinds, fields and templates. All matches are listed.

import { type FormEvent, useEffect, useMemo, useRef, useState } from "react";
import { Button, IconButton } from "../../components/Button";
import { classes } from "../../components/classes";
import entryListStyles from "../../components/EntryList.module.css";
import floatStyles from "../../components/Float.module.css";
import formStyles from "../../components/Form.module.css";
import { Icon } from "../../components/Icon";
import searchListStyles from "../../components/SearchList.module.css";
import { useFocusBack } from "../../components/use-focus-back";
import { useDocument } from "../../document/document";
import { FLOW } from "../../document/inside";
import { useKinds } from "../../document/kinds";
import { replaceHits } from "../../document/replace";
import { fieldsOf, humanize, placeTitle } from "../../inspector/form/schema";
import { canReplace, findIn, type Hit, placeOf } from "../../kernels/find";
import { titleOf } from "../../kernels/node-title";
import { plural } from "../../runs/words/format";
import { useCanvasPanels } from "../../session/canvas-panels";
import { canvasView } from "../../session/canvas-view";
import { useSession } from "../../session/session";
import { testIds } from "../../testids";
import canvasStyles from "../Canvas.module.css";
import styles from "./FindPanel.module.css";
import { focusCanvas, isFocusLost } from "./focus";

/** The number of characters shown before a match. */
const BEFORE = 18;
/** The maximum number of listed matches. Nobody looks through a longer list. */
const MAX_LISTED_HITS = 500;

export function FindPanel() {
  const open = useCanvasPanels((s) => s.open === "find");
  return open ? <Panel /> : null;
}

const skip: ReadonlySet<string> = new Set([FLOW]);

function useHits(query: string, matchCase: boolean): Hit[] {
  const document = useDocument((s) => s.document);
  const byType = useKinds((s) => s.byType);
  return useMemo(
    () => findIn(document, query, { matchCase, kindTitle: (type) => byType.get(type)?.title ?? type, skip }),
    [document, byType, query, matchCase],
  );
}

/** Shows a match: its node, and the field that contains it. */
function jump(hit: Hit): void {
  const session = useSession.getState();
  session.select([hit.node]);
  canvasView()?.reveal([hit.node]);
  const [field] = hit.where.in === "data" ? hit.where.path : [];
  if (field !== undefined && field !== "label") bringIntoView(String(field));
}

/** Scrolls the settings to the field. The focus stays in the list. */
function bringIntoView(field: string): void {
  requestAnimationFrame(() => {
    document
      .querySelector(`[data-region="side"] [data-testid="field-${CSS.escape(field)}"]`)
      ?.scrollIntoView({ block: "nearest" });
  });
}

function Panel() {
  const [query, setQuery] = useState("");
  const [by, setBy] = useState("");
  const [matchCase, setMatchCase] = useState(false);
  const [index, setIndex] = useState(0);
  const [problem, setProblem] = useState<string | null>(null);
  /** The number of matches in the last replacement. It is reset when the query changes. */
  const [replaced, setReplaced] = useState(0);
  const panel = useRef<HTMLElement>(null);
  const field = useRef<HTMLInputElement>(null);
  useFocusBack(panel, focusCanvas);
  /**
   * Whether Enter was already pressed. The first Enter shows the marked match, each further one shows the
   * next.
   */
  const started = useRef(false);
  const hits = useHits(query, matchCase);
  const at = Math.min(index, Math.max(0, hits.length - 1));
  const readOnly = useDocument((s) => s.suspended !== null);
  useEffect(() => field.current?.focus(), []);
  const go = (to: number) => {
    const next = hits.length === 0 ? 0 : (to + hits.length) % hits.length;
    setIndex(next);
    const hit = hits[next];
    if (hit) jump(hit);
  };
  const replace = async (some: readonly Hit[]) => {
    const failure = await replaceHits(some, by);
    setProblem(failure);
    setReplaced(failure === null ? some.filter(canReplace).length : 0);
    // The button is disabled once nothing is left to replace, so the focus moves to the field.
    requestAnimationFrame(() => isFocusLost() && field.current?.focus());
  };
  const change = (text: string) => {
    setQuery(text);
    setIndex(0);
    setProblem(null);
    setReplaced(0);
    started.current = false;
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    go(at + (started.current ? 1 : 0));
    started.current = true;
  };
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.key === "Escape") useCanvasPanels.getState().show(null);
    else if (event.key === "ArrowDown" || (event.key === "F3" && !event.shiftKey)) go(at + 1);
    else if (event.key === "ArrowUp" || event.key === "F3") go(at - 1);
    else return;
    event.preventDefault();
    event.stopPropagation();
    const hit = hits[at];
    if (event.key === "Escape" && hit) canvasView()?.focus(hit.node);
  };
  const one = hits[at];
  return (
    <section
      ref={panel}
      className={classes(floatStyles.float, canvasStyles.panel)}
      aria-label="Find"
      data-testid={testIds.findPanel}
      onKeyDown={onKeyDown}
    >
      <form className={styles.fields} onSubmit={submit}>
        <div className={searchListStyles.searchBox}>
          <Icon name="search" size={14} />
          <input
            ref={field}
            value={query}
            placeholder="Find in names, ids, fields and templates"
            aria-label="Find"
            onChange={(event) => change(event.target.value)}
          />
          <IconButton
            icon="x"
            size={13}
            label="Close"
            onClick={() => useCanvasPanels.getState().show(null)}
          />
        </div>
        {!readOnly && (
          <div className={searchListStyles.searchBox}>
            <Icon name="replace" size={14} />
            <input
              value={by}
              placeholder="Replace with"
              aria-label="Replace with"
              onChange={(event) => setBy(event.target.value)}
            />
          </div>
        )}
        <div className={styles.options}>
          <label>
            <input type="checkbox" checked={matchCase} onChange={(e) => setMatchCase(e.target.checked)} />
            Match case
          </label>
          <span className="grow" />
          {!readOnly && (
            <>
              <Button small disabled={!one || !canReplace(one)} onClick={() => one && void replace([one])}>
                Replace
              </Button>
              <Button small disabled={!hits.some(canReplace)} onClick={() => void replace(hits)}>
                Replace all
              </Button>
            </>
          )}
        </div>
        <button type="submit" hidden />
        <p className={problem === null ? formStyles.hint : "text-error"} role="status">
          {problem ??
            (query === ""
              ? ""
              : `${replaced > 0 ? `${replaced} replaced, ` : ""}${plural(hits.length, "match", "matches")}${hits.length > MAX_LISTED_HITS ? `, ${MAX_LISTED_HITS} listed` : ""}`)}
        </p>
      </form>
      <Results hits={hits} at={at} onGo={go} />
    </section>
  );
}

function Results({ hits, at, onGo }: { hits: readonly Hit[]; at: number; onGo: (index: number) => void }) {
  const nodes = useDocument((s) => s.document.nodes);
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.children[at]?.scrollIntoView({ block: "nearest" });
  }, [at]);
  const byType = useKinds((s) => s.byType);
  const [titles, titleAt] = useMemo(() => {
    const byId = new Map(nodes.map((node) => [node.id, node]));
    const fields = new Map([...byType.values()].map((kind) => [kind.type, fieldsOf(kind.schema)]));
    const placeAt = ({ node, where }: Hit) =>
      where.in === "data"
        ? placeTitle(fields.get(byId.get(node)?.type ?? "") ?? [], where.path)
        : humanize(where.in);
    return [new Map(nodes.map((node) => [node.id, titleOf(node)])), placeAt] as const;
  }, [nodes, byType]);
  return (
    <div
      ref={list}
      className={classes(entryListStyles.entryList, canvasStyles.list)}
      data-testid={testIds.findResults}
    >
      {hits.slice(0, MAX_LISTED_HITS).map((hit, i) => (
        <button
          type="button"
          key={`${hit.node} ${placeOf(hit.where)} ${hit.from}`}
          aria-current={i === at}
          className={entryListStyles.hit}
          onClick={() => onGo(i)}
        >
          <b>{titles.get(hit.node)}</b>
          <small>{titleAt(hit)}</small>
          <span>
            {hit.from > BEFORE && "…"}
            {hit.text.slice(Math.max(0, hit.from - BEFORE), hit.from)}
            <mark>{hit.text.slice(hit.from, hit.to)}</mark>
            {hit.text.slice(hit.to, hit.to + 3 * BEFORE)}
          </span>
        </button>
      ))}
    </div>
  );
}
