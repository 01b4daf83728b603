// For tests that draw: each has a page of its own, which goes with all that was mounted on it.
import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach } from "vitest";

(globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }).IS_REACT_ACT_ENVIRONMENT = true;

export interface Page {
  /** What is drawn lies within; it is in the document. */
  readonly host: HTMLElement;
  readonly root: Root;
}

/** Call it once in a file, before its own hooks: the page is there when they begin, and goes after them. */
export function pageForEach(): Page {
  let host: HTMLElement | undefined;
  let root: Root | undefined;
  const there = <T>(part: T | undefined): T => {
    if (part === undefined) throw new Error("a page is there within a test alone");
    return part;
  };
  beforeEach(() => {
    host = document.createElement("div");
    document.body.append(host);
    root = createRoot(host);
  });
  afterEach(async () => {
    await act(async () => there(root).unmount());
    document.body.innerHTML = "";
  });
  return {
    get host() {
      return there(host);
    },
    get root() {
      return there(root);
    },
  };
}
