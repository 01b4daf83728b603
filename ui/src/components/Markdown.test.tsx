// The rendering of Markdown from a model: tables and task lists are drawn, no picture is loaded, and raw HTML
// is shown as text.
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { Markdown } from "./Markdown";

function renderMarkdown(text: string): HTMLElement {
  const host = document.createElement("div");
  host.innerHTML = renderToStaticMarkup(<Markdown text={text} />);
  return host;
}

test("tables, task lists and struck-out words are drawn", () => {
  const table = renderMarkdown("| City | People |\n| --- | ---: |\n| Bern | 134,000 |\n");
  expect([...table.querySelectorAll("th")].map((cell) => cell.textContent)).toEqual(["City", "People"]);
  expect(table.querySelector("td:last-child")?.textContent).toBe("134,000");
  const tasks = renderMarkdown("- [x] drafted\n- [ ] judged\n");
  const boxes = [...tasks.querySelectorAll<HTMLInputElement>("input")];
  expect(boxes.map((box) => [box.checked, box.disabled])).toEqual([
    [true, true],
    [false, true],
  ]);
  expect(renderMarkdown("~~old~~ new").querySelector("del")?.textContent).toBe("old");
});

test("nothing is loaded, and HTML is text", () => {
  const host = renderMarkdown(
    '![A chart](https://example.org/a.png)\n\n<img src="https://example.org/b.png"> <b>bold</b>',
  );
  expect(host.querySelector("img, b")).toBeNull();
  expect(host.textContent).toContain("A chart");
  expect(host.textContent).toContain("<b>bold</b>");
});

test("a link asks before it leaves, also one without brackets; a script is none", () => {
  const links = renderMarkdown(
    "[Docs](https://example.org/x) and https://example.org/y and [no](javascript:alert(1))",
  );
  expect([...links.querySelectorAll("button.markdown-link")].map((link) => link.textContent)).toEqual([
    "Docs",
    "https://example.org/y",
  ]);
  expect(links.querySelector("a")).toBeNull();
});
