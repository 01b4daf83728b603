// Markdown of a workflow's output. It comes from a model, so raw HTML is shown as text and pictures are left
// out. A link is opened in the system's browser only after its address was shown and confirmed. Supports the
// tables, task lists and strikethrough of GitHub's Markdown.

import { memo } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";
import { api, errorMessage } from "../ipc/client";
import { askQuestion } from "../session/dialog";
import { useSession } from "../session/session";
import { classes } from "./classes";
import styles from "./Markdown.module.css";
import { tip } from "./tip";

async function follow(url: string): Promise<void> {
  const open = await askQuestion({
    title: "Open this link in your browser?",
    detail: url,
    choices: [
      { label: "Open", value: true, tone: "primary" },
      { label: "Cancel", value: false },
    ],
    cancel: false,
  });
  if (!open) return;
  try {
    await api().openLink(url);
  } catch (error) {
    useSession
      .getState()
      .toast({ tone: "error", title: "The link was not opened", detail: errorMessage(error) });
  }
}

const components: Components = {
  a: ({ href, children }) =>
    href && /^https?:\/\//i.test(href) ? (
      <button
        type="button"
        className={classes(styles.markdownLink, "markdown-link")}
        {...tip(href)}
        onClick={() => void follow(href)}
      >
        {children}
      </button>
    ) : (
      <span {...tip(href)}>{children}</span>
    ),
  img: ({ alt }) => (alt ? <em>{alt}</em> : null),
  // A wide table scrolls by itself, not with the panel.
  table: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard.
    <section className={classes(styles.markdownTable, "markdown-table")} aria-label="Table" tabIndex={0}>
      <table>{children}</table>
    </section>
  ),
  pre: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: as above.
    <pre tabIndex={0}>{children}</pre>
  ),
  // The boxes of a task list are read-only.
  input: ({ type, checked }) =>
    type === "checkbox" ? (
      <input type="checkbox" checked={checked ?? false} disabled aria-label={checked ? "Done" : "To do"} />
    ) : null,
};

const PLUGINS = [remarkGfm];

export const Markdown = memo(function Markdown({ text }: { text: string }) {
  return (
    <div className={classes(styles.markdown, "markdown")}>
      <ReactMarkdown components={components} remarkPlugins={PLUGINS}>
        {text}
      </ReactMarkdown>
    </div>
  );
});
