// The diff of two texts in CodeMirror, unified or side by side. This module is loaded with the first diff,
// not with the window.
import { standardKeymap } from "@codemirror/commands";
import { syntaxHighlighting } from "@codemirror/language";
import { getChunks, goToNextChunk, goToPreviousChunk, MergeView, unifiedMergeView } from "@codemirror/merge";
import { Compartment, EditorState, type Extension } from "@codemirror/state";
import { EditorView, highlightSpecialChars, keymap, lineNumbers } from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";
import { loadFileLanguage } from "./file-languages";

export type DiffOptions = {
  readonly before: string;
  readonly after: string;
  readonly layout: "unified" | "split";
  /** The name of the file, which selects its language. */
  readonly name: string;
};

/** A mounted diff. */
export type Diff = {
  /** The number of changed sections. */
  readonly changes: number;
  /** Moves to the next or the previous changed section, and scrolls it into view. */
  move(to: "next" | "previous"): void;
  destroy(): void;
};

/** Very different texts are compared less precisely, so that the window stays responsive. */
const DIFF_CONFIG = { scanLimit: 2_000, timeout: 600 };
/**
 * The number of unchanged lines that are kept next to a change, and the minimum number of lines that are
 * folded.
 */
const FOLDED = { margin: 3, minSize: 6 };

function common(label: string, language: Compartment): Extension {
  return [
    lineNumbers(),
    highlightSpecialChars(),
    syntaxHighlighting(classHighlighter),
    EditorState.readOnly.of(true),
    EditorView.editable.of(false),
    EditorView.contentAttributes.of({ tabindex: "0", "aria-label": label, "aria-readonly": "true" }),
    keymap.of(standardKeymap),
    language.of([]),
  ];
}

/**
 * Lets the keyboard open folded lines, because the library reacts only to clicks. Returns a function that
 * removes the key handler.
 */
function openFoldsByKey(host: HTMLElement): () => void {
  const mark = () => {
    for (const fold of host.querySelectorAll<HTMLElement>(".cm-collapsedLines:not([role])")) {
      fold.setAttribute("role", "button");
      fold.tabIndex = 0;
    }
  };
  const press = (event: KeyboardEvent) => {
    const fold = event.target instanceof HTMLElement && event.target.closest(".cm-collapsedLines");
    if (!fold || (event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    event.stopPropagation();
    fold.dispatchEvent(new MouseEvent("mousedown", { bubbles: true, cancelable: true }));
    fold.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
  };
  const observer = new MutationObserver(mark);
  observer.observe(host, { childList: true, subtree: true });
  host.addEventListener("keydown", press, { capture: true });
  mark();
  return () => {
    observer.disconnect();
    host.removeEventListener("keydown", press, { capture: true });
  };
}

export function createDiff(host: HTMLElement, options: DiffOptions): Diff {
  const { before, after, name } = options;
  const language = new Compartment();
  const extensions = (label: string) => common(label, language);
  let views: readonly EditorView[];
  let destroy: () => void;
  if (options.layout === "split") {
    const merge = new MergeView({
      parent: host,
      a: { doc: before, extensions: extensions(`${name}, before`) },
      b: { doc: after, extensions: extensions(`${name}, after`) },
      collapseUnchanged: FOLDED,
      diffConfig: DIFF_CONFIG,
    });
    views = [merge.a, merge.b];
    destroy = () => merge.destroy();
  } else {
    const view = new EditorView({
      parent: host,
      state: EditorState.create({
        doc: after,
        extensions: [
          extensions(`${name}, changes`),
          unifiedMergeView({
            original: before,
            mergeControls: false,
            collapseUnchanged: FOLDED,
            diffConfig: DIFF_CONFIG,
          }),
        ],
      }),
    });
    views = [view];
    destroy = () => view.destroy();
  }
  const forget = openFoldsByKey(host);
  let isGone = false;
  void loadFileLanguage(name).then((found) => {
    if (isGone) return;
    for (const view of views) view.dispatch({ effects: language.reconfigure(found) });
  });
  const newer = views.at(-1);
  return {
    changes: newer ? (getChunks(newer.state)?.chunks.length ?? 0) : 0,
    move(to) {
      if (newer === undefined) return;
      (to === "next" ? goToNextChunk : goToPreviousChunk)(newer);
      newer.dispatch({
        effects: EditorView.scrollIntoView(newer.state.selection.main.head, { y: "center" }),
      });
    },
    destroy() {
      isGone = true;
      forget();
      destroy();
    },
  };
}
