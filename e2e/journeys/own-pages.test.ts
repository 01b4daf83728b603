// The window's content stays in it. Script that runs there can neither navigate away, open or frame another
// page, send a form, evaluate text as code, nor call Tauri commands that the window may not use. The pages
// continue to work.
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { byId } from "../support/editor";
import { greeting, openFile, writeFlow } from "../support/flows";
import { openWindow, type Window } from "../support/window";

let window: Window;
beforeAll(async () => {
  window = await openWindow({ display: inject("display") });
  await openFile(window, writeFlow(window, "greeting.flow.json", greeting()));
  await window.browser.execute(() => {
    const refused: string[] = [];
    (globalThis as unknown as { refused: string[] }).refused = refused;
    document.addEventListener("securitypolicyviolation", (event) => refused.push(event.effectiveDirective));
  });
});
afterAll(() => window?.close());

/** Expects that the window still shows the program's own page, with the canvas. */
async function expectPageStays(): Promise<void> {
  const { browser } = window;
  await browser.pause(500);
  expect(await browser.execute(() => location.origin)).toBe("tauri://localhost");
  expect(await browser.getWindowHandles()).toHaveLength(1);
  expect(await browser.$(byId("canvas")).isDisplayed()).toBe(true);
}

/** Waits until this directive of the content security policy has blocked something on the page. */
async function refused(directive: string): Promise<void> {
  await window.browser.waitUntil(
    () =>
      window.browser.execute(
        (wanted) =>
          (globalThis as unknown as { refused: string[] }).refused.some((was) => was.startsWith(wanted)),
        directive,
      ),
    { timeout: 5_000, timeoutMsg: `${directive} did not block anything` },
  );
}

for (const address of ["https://example.org/", "http://127.0.0.1:9/", "file:///etc/hostname", "about:blank"])
  test(`the window does not navigate to ${address}`, async () => {
    const { browser } = window;
    await browser.execute((to) => {
      location.href = to;
    }, address);
    await expectPageStays();
    await browser.execute((to) => {
      const link = document.createElement("a");
      link.href = to;
      link.target = "_top";
      document.body.append(link);
      link.click();
      link.remove();
    }, address);
    await expectPageStays();
  });

test("no other window is opened", async () => {
  const opened = await window.browser.execute(() => {
    const windows = [
      open("https://example.org/"),
      open("/index.html"),
      open("about:blank", "_blank", "popup"),
    ];
    return windows.some((other) => other !== null);
  });
  expect(opened).toBe(false);
  await expectPageStays();
});

test("nothing is framed, and no form is sent", async () => {
  const { browser } = window;
  await browser.execute(() => {
    for (const source of ["https://example.org/", "/index.html"]) {
      const frame = document.createElement("iframe");
      frame.src = source;
      document.body.append(frame);
    }
  });
  await refused("frame-src");
  expect(
    await browser.execute(() =>
      [...document.querySelectorAll("iframe")].some((frame) => {
        const shown = frame.contentDocument?.body?.childElementCount ?? 0;
        frame.remove();
        return shown > 0;
      }),
    ),
  ).toBe(false);
  await browser.execute(() => {
    const form = document.createElement("form");
    form.method = "post";
    form.action = "https://example.org/";
    document.body.append(form);
    form.submit();
    form.remove();
  });
  await refused("form-action");
  await expectPageStays();
});

test("no text is executed, and nothing is loaded or requested from other origins", async () => {
  const { browser } = window;
  const ran = await browser.execute(() => {
    const tries: (() => unknown)[] = [
      // biome-ignore lint/security/noGlobalEval: it must not work.
      () => eval("1 + 1"),
      () => new Function("return 2")(),
    ];
    return tries.filter((attempt) => {
      try {
        return attempt() === 2;
      } catch {
        return false;
      }
    }).length;
  });
  expect(ran).toBe(0);
  const asked = await browser.execute(async () => {
    const inline = document.createElement("script");
    inline.textContent = "globalThis.ranInline = true";
    const base = document.createElement("base");
    base.href = "https://example.org/";
    const image = new Image();
    image.src = "https://example.org/a.png";
    document.head.append(inline, base);
    document.body.append(image);
    const answered = await fetch("https://example.org/").then(
      () => true,
      () => false,
    );
    for (const element of [inline, base, image]) element.remove();
    return answered || "ranInline" in globalThis;
  });
  expect(asked).toBe(false);
  for (const directive of ["script-src", "base-uri", "img-src", "connect-src"]) await refused(directive);
  await expectPageStays();
});

test("Object.prototype cannot be changed, and commands that the window may not use are refused", async () => {
  const changed = await window.browser.execute(() => {
    try {
      Object.defineProperty(Object.prototype, "polluted", { value: true, configurable: true });
    } catch {
      // A frozen prototype accepts no property.
    }
    return "polluted" in {};
  });
  expect(changed).toBe(false);
  const answers = await window.browser.execute(async () => {
    const shell = (
      globalThis as unknown as {
        __TAURI_INTERNALS__: { invoke(name: string, args: object): Promise<unknown> };
      }
    ).__TAURI_INTERNALS__;
    const received: string[] = [];
    for (const [name, args] of [
      ["plugin:webview|create_webview_window", { options: { label: "other", url: "https://example.org/" } }],
      ["plugin:window|create", { options: { label: "other" } }],
      ["plugin:dialog|open", { options: {} }],
      ["plugin:path|resolve_directory", { directory: 1 }],
      ["plugin:event|emit", { event: "any", payload: null }],
      ["plugin:window|set_fullscreen", { label: "main", value: true }],
    ] as const)
      await shell.invoke(name, args).then(
        () => received.push(name),
        () => undefined,
      );
    return received;
  });
  expect(answers).toEqual([]);
  await expectPageStays();
});
