// Markdown as a workflow's output gives it. Raw HTML is shown as text, pictures are left out, and a link says where
// it leads instead of taking the window there: the text comes from a model.
import { memo } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import "./markdown.css";

const components: Components = {
  a: ({ href, children }) => (
    <span className="mdlink" title={href}>
      {children}
    </span>
  ),
  img: ({ alt }) => (alt ? <em>{alt}</em> : null),
};

export const Markdown = memo(function Markdown({ text }: { text: string }) {
  return (
    <div className="markdown">
      <ReactMarkdown components={components}>{text}</ReactMarkdown>
    </div>
  );
});
