// Markdown as a workflow's output gives it. Raw HTML is shown as text, pictures are left out, and a link is opened by the
// system's browser once its address was shown and agreed to: the text comes from a model. Models write the tables, task lists
// and struck-out words of GitHub's Markdown.
import { memo } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";
import { api, errorMessage } from "../ipc/client";
import { askQuestion } from "../session/dialog";
import { useSession } from "../session/session";
import "./markdown.css";
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
      <button type="button" className="markdown-link" {...tip(href)} onClick={() => void follow(href)}>
        {children}
      </button>
    ) : (
      <span {...tip(href)}>{children}</span>
    ),
  img: ({ alt }) => (alt ? <em>{alt}</em> : null),
  // Wide ones are scrolled by themselves, not with the panel.
  table: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keyboard.
    <section className="markdown-table" aria-label="Table" tabIndex={0}>
      <table>{children}</table>
    </section>
  ),
  pre: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: as above.
    <pre tabIndex={0}>{children}</pre>
  ),
  // The boxes of a task list, which are only looked at.
  input: ({ type, checked }) =>
    type === "checkbox" ? (
      <input type="checkbox" checked={checked ?? false} disabled aria-label={checked ? "Done" : "To do"} />
    ) : null,
};

const PLUGINS = [remarkGfm];

export const Markdown = memo(function Markdown({ text }: { text: string }) {
  return (
    <div className="markdown">
      <ReactMarkdown components={components} remarkPlugins={PLUGINS}>
        {text}
      </ReactMarkdown>
    </div>
  );
});
