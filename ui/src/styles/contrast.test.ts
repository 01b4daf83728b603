// Text is readable in both themes, has more contrast if the system asks for it, and uses the system's own
// colours if the system forces them. With reduced motion nothing moves.
import { describe, expect, test } from "vitest";
import {
  type Colour,
  colourOf,
  contrast,
  MORE_CONTRAST,
  over,
  type Rule,
  readStylesheet,
  rulesOf,
  stylesheets,
  type Theme,
  type Tokens,
  tokensOf,
} from "./stylesheets";

const THEMES: readonly Theme[] = ["dark", "light"];
const FORCED = "forced-colors: active";

function token(tokens: Tokens, name: string): Colour {
  const colour = colourOf(tokens.get(name) ?? "");
  if (!colour) throw new Error(`--${name} is no colour but ${tokens.get(name)}`);
  return colour;
}

/**
 * Returns the background colour that a term in the notation of tokens.css means, such as `accent-soft over
 * bg-panel`.
 */
function ground(tokens: Tokens, words: string): Colour {
  const [top = "", below] = words.split(" over ");
  const colour = token(tokens, top);
  return below === undefined ? colour : over(colour, token(tokens, below));
}

type Pair = { readonly text: string; readonly on: string; readonly need: number };

/** The pairs in the table at the end of tokens.css. */
const listed: readonly Pair[] = [
  ...readStylesheet("styles/tokens.css").matchAll(
    /^ {3}([\w-]+) +([\w-]+(?: over [\w-]+)?) +([\d.]+) +[\d.]+ +[\d.]+$/gm,
  ),
].map(([, text = "", on = "", need]) => ({ text, on, need: Number(need) }));

const sheets: readonly Rule[] = stylesheets()
  .filter((file) => !/tokens|contrast\.css/.test(file))
  .flatMap((file) => rulesOf(file));

const variable = (value: string | undefined): string | null =>
  /^var\(--([\w-]+)\)(?: !important)?$/.exec(value ?? "")?.[1] ?? null;

const SOFT = /-soft$|^diff-.*-bg$/;
/** The text colour of disabled controls, which need no minimum contrast. */
const OFF = "text-4";

/**
 * Returns the pairs of text and background that one rule sets. A translucent background may be on a panel or
 * on a card, so both are checked.
 */
function ownPairs({ selector, declarations }: Rule): (Pair & { where: string })[] {
  const text = variable(declarations.get("color"));
  const on = variable(declarations.get("background") ?? declarations.get("background-color"));
  if (text === null || on === null || text === OFF || colourOf(tokensOf("dark").get(text) ?? "") === null)
    return [];
  if (colourOf(tokensOf("dark").get(on) ?? "") === null) return [];
  const isIcon = /(^|[\s>])(\.icon|svg|i)\b/.test(selector);
  const grounds = SOFT.test(on) ? [`${on} over bg-panel`, `${on} over bg-node`] : [on];
  return grounds.map((one) => ({ text, on: one, need: isIcon ? 3 : 4.5, where: selector }));
}

/** Returns one line for each pair whose contrast is too low. */
function failing(tokens: Tokens, pairs: readonly (Pair & { where?: string })[]): string[] {
  return pairs.flatMap(({ text, on, need, where }) => {
    const ratio = contrast(token(tokens, text), ground(tokens, on));
    return ratio >= need
      ? []
      : [`${text} on ${on}: ${ratio.toFixed(2)} of ${need}${where ? ` (${where})` : ""}`];
  });
}

test("more contrast is declared once for each theme, beside what the design's tokens say of it", () => {
  const own = rulesOf("styles/contrast.css");
  expect(own.filter(({ within }) => within.includes("prefers-contrast"))).toEqual([]);
  const asked = own
    .filter(({ selector }) => selector.includes("data-contrast"))
    .map(({ selector }) => selector);
  expect(asked).toEqual(THEMES.map((theme) => `${MORE_CONTRAST}[data-theme="${theme}"]`));
  const design = rulesOf("styles/tokens.css").filter(({ within }) => within.includes("prefers-contrast"));
  expect(design).toHaveLength(THEMES.length);
  for (const theme of THEMES) {
    const tokens = tokensOf(theme, MORE_CONTRAST);
    const rule = design.find(({ selector }) => selector.includes(`[data-theme="${theme}"]`));
    for (const [name, value] of rule?.declarations ?? [])
      expect(tokens.get(name.slice("--".length))).toBe(value);
  }
});

describe.each(THEMES)("%s", (theme) => {
  test("the pairs of the design reach AA, also with more contrast", () => {
    expect(listed.length).toBeGreaterThan(80);
    expect(failing(tokensOf(theme), listed)).toEqual([]);
    expect(failing(tokensOf(theme, MORE_CONTRAST), listed)).toEqual([]);
  });

  test("every rule that sets a text and its ground reaches AA, also with more contrast", () => {
    const own = sheets.flatMap(ownPairs);
    expect(own.length).toBeGreaterThan(30);
    expect(failing(tokensOf(theme), own)).toEqual([]);
    expect(failing(tokensOf(theme, MORE_CONTRAST), own)).toEqual([]);
  });

  test("code is read in every colour that its words have", () => {
    const words = sheets.filter(({ selector }) => selector.includes(".tok-"));
    const mixed = /^color-mix\(in srgb, var\(--([\w-]+)\) (\d+)%, var\(--([\w-]+)\)\)$/;
    for (const tokens of [tokensOf(theme), tokensOf(theme, MORE_CONTRAST)])
      for (const { selector, declarations } of words) {
        const value = declarations.get("color");
        const name = variable(value);
        const [, one = "", share, other = ""] = mixed.exec(value ?? "") ?? [];
        const text =
          name === null
            ? over(
                [...token(tokens, one).slice(0, 3), Number(share) / 100] as unknown as Colour,
                token(tokens, other),
              )
            : token(tokens, name);
        // The backgrounds of a field, and of a hole of a template in it.
        for (const at of ["bg-inset", "bg-hover"])
          expect(contrast(text, token(tokens, at)), `${selector} on ${at}`).toBeGreaterThanOrEqual(4.5);
      }
    expect(words.length).toBeGreaterThan(5);
  });

  test("with more contrast the texts of cards reach AAA, also on the tint of their state", () => {
    const ofCards = sheets.filter(({ file }) =>
      /^(canvas\/(card\/|CanvasCard)|node-ui\/[^/]+$|components\/CardText)/.test(file),
    );
    const used = new Set(ofCards.flatMap(({ declarations }) => variable(declarations.get("color")) ?? []));
    // Text on the violet header of a loop, or on a solid colour, has another background and is left out.
    const texts = [...used].filter((name) => !/^(on-|loop-ink|loop-run|loop-done|bg-|text-4)/.test(name));
    expect(texts).toEqual(expect.arrayContaining(["text-1", "text-2", "text-3", "st-failed", "st-waiting"]));
    const states = ["failed", "waiting", "done", "running", "queued"].map((state) => ({
      text: `st-${state}`,
      on: `st-${state}-soft over bg-node`,
    }));
    const own = ["bg-node", "bg-inset"].flatMap((on) => texts.map((text) => ({ text, on })));
    const heads = [
      { text: "loop-ink", on: "loop-head" },
      { text: "loop-ink-2", on: "loop-head-2" },
    ];
    const pairs = [...own, ...states, ...heads].map((pair) => ({ ...pair, need: 7 }));
    expect(failing(tokensOf(theme, MORE_CONTRAST), pairs)).toEqual([]);
    // Without the preference some of the pairs fail. Otherwise the preference would have no effect.
    expect(failing(tokensOf(theme), pairs)).not.toEqual([]);
  });

  test("notes in colours can be read", () => {
    const plain = tokensOf(theme);
    for (const tokens of [plain, tokensOf(theme, MORE_CONTRAST)])
      for (const group of ["wire-text", "wire-number", "wire-json", "wire-list", "wire-bool"]) {
        const [r, g, b] = token(tokens, group);
        const tint = over([r, g, b, 0.12], token(tokens, "bg-node"));
        const need = tokens === plain ? 4.5 : 7;
        for (const text of ["text-1", "text-2"])
          expect(contrast(token(tokens, text), tint), `${text} on ${group}`).toBeGreaterThanOrEqual(need);
      }
  });

  test("forced colours: every colour is one of the system's", () => {
    const forced = tokensOf(theme, FORCED);
    const own = [...tokensOf(theme)].filter(([, value]) => colourOf(value) !== null).map(([name]) => name);
    expect(own.length).toBeGreaterThan(70);
    const system = /^(Canvas|CanvasText|Highlight|HighlightText|GrayText)$/;
    expect(own.filter((name) => !system.test(forced.get(name) ?? ""))).toEqual([]);
    // The background colour that belongs to each text colour.
    const PAIRS: Record<string, string> = {
      CanvasText: "Canvas",
      Canvas: "CanvasText",
      HighlightText: "Highlight",
    };
    const wrong = listed
      .filter(({ need }) => need === 4.5)
      .filter(({ text, on }) => {
        const [colour = "", at = ""] = [forced.get(text), forced.get(on.split(" over ")[0] ?? "")];
        return PAIRS[colour] !== at && !(colour === "Highlight" && at === "Canvas");
      });
    expect(wrong).toEqual([]);
  });
});

test("the colours of wires are no colours of words", () => {
  const wrong = sheets.filter(({ declarations }) => variable(declarations.get("color"))?.startsWith("wire-"));
  expect(wrong.map(({ file, selector }) => `${file} ${selector}`)).toEqual([]);
});

test("a rule takes its colours from tokens; only shadows and shades are black", () => {
  const raw = sheets.flatMap(({ file, selector, declarations }) =>
    [...declarations]
      .filter(([name]) => !name.includes("shadow"))
      .flatMap(([name, value]) =>
        /#[0-9a-f]{3,8}\b|rgba?\((?!0, ?0, ?0,)/i.test(value) ? [`${file} ${selector} ${name}`] : [],
      ),
  );
  expect(raw).toEqual([]);
});

test("only what is switched off has the colour of what is switched off", () => {
  const OFF_WORDS = /disabled|\.off\b|no-pip/;
  const wrong = sheets
    .filter(({ declarations }) => [...declarations.values()].some((value) => value.includes(`--${OFF}`)))
    .filter(({ selector }) => !OFF_WORDS.test(selector))
    .map(({ file, selector }) => `${file} ${selector}`);
  expect(wrong).toEqual([]);
});

test("words are not faded: their contrast is that of their colour", () => {
  // The exceptions: disabled elements, elements without text, and elements that are being dragged. Keyboard
  // keys on the solid accent colour are exceptions too, since their background is darker.
  const NO_WORDS =
    /disabled|\.off\b|icon-tile|\.tile|wire|\.path\.rest|\.ghost|socket|meter|unset|drag-ghost|^\.btn\.primary kbd$/;
  const wrong = sheets
    .filter(({ declarations }) => /^0?\.\d/.test(declarations.get("opacity") ?? ""))
    .filter(({ selector }) => !selector.split(", ").every((one) => NO_WORDS.test(one)))
    .filter(({ selector }) => !/^\d+%/.test(selector))
    .map(({ file, selector }) => `${file} ${selector}`);
  expect(wrong).toEqual([]);
});

test("what is pointed at keeps the ground that its words are measured on", () => {
  const wrong = sheets
    .filter(({ selector }) => selector.includes(":hover"))
    .filter(({ declarations }) => /transparent/.test(declarations.get("background") ?? ""))
    .filter(({ declarations }) => declarations.get("background") !== "transparent")
    .map(({ file, selector }) => `${file} ${selector}`);
  expect(wrong).toEqual([]);
});

describe("less motion", () => {
  const durations = [...tokensOf("dark").keys()].filter((name) => name.startsWith("dur-"));
  const still = (rules: readonly Rule[]) =>
    rules.some(
      ({ selector, declarations }) =>
        selector.includes("*::before") &&
        declarations.get("animation") === "none !important" &&
        declarations.get("transition") === "none !important",
    );

  test("where the system asks for it every duration is none, and nothing is animated", () => {
    const asked = rulesOf("styles/base.css").filter(({ within }) =>
      within.includes("prefers-reduced-motion"),
    );
    expect(still(asked)).toBe(true);
    const tokens = tokensOf("dark", "prefers-reduced-motion: reduce");
    expect(durations.length).toBeGreaterThan(4);
    expect(durations.filter((name) => tokens.get(name) !== "0ms")).toEqual([]);
  });

  test("where the settings ask for it too", () => {
    const asked = rulesOf("styles/base.css").filter(({ selector }) =>
      selector.includes('[data-motion="reduced"]'),
    );
    expect(still(asked)).toBe(true);
    const set = new Set(asked.flatMap(({ declarations }) => [...declarations.keys()]));
    expect(durations.filter((name) => !set.has(`--${name}`))).toEqual([]);
  });

  test("no style moves by a duration that is not a token's, outside of what both switch off", () => {
    const smooth = sheets.filter(({ declarations }) => declarations.get("scroll-behavior") === "smooth");
    expect(smooth.map(({ selector }) => selector)).toEqual([]);
  });
});
