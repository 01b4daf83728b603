// Pictures as SVG: colours that any viewer understands, and text that stays text.
import { describe, expect, it } from "vitest";
import { paintAttribute, picture, plainColour, ringOf, tag } from "./svg";

describe("an SVG", () => {
  it("has plain colours, whatever the style engine writes", () => {
    expect(plainColour("rgb(1, 20, 255)")).toEqual({ hex: "#0114ff", opacity: 1 });
    expect(plainColour("rgba(255, 255, 255, 0.5)")).toEqual({ hex: "#ffffff", opacity: 0.5 });
    expect(plainColour("color(srgb 1 0.5 0 / 0.25)")).toEqual({ hex: "#ff8000", opacity: 0.25 });
    for (const none of ["none", "transparent", "", "rgba(0, 0, 0, 0)"]) expect(plainColour(none)).toBeNull();
    expect(paintAttribute("stroke", "none")).toEqual({ stroke: "none" });
  });
  it("finds the ring among shadows", () => {
    const shadow = "rgba(0, 0, 0, 0.4) 0px 6px 18px 0px, rgb(40, 41, 50) 0px 0px 0px 1px";
    expect(ringOf(shadow)).toEqual({ colour: "rgb(40, 41, 50)", width: 1, inset: false });
    expect(ringOf("rgb(1, 2, 3) 0px 0px 0px 2px inset")?.inset).toBe(true);
    expect(ringOf("rgba(0, 0, 0, 0.4) 0px 6px 18px 0px")).toBeNull();
  });
  it("is well-formed whatever the words are", () => {
    const text = tag("text", { x: 1.239, y: 2, "font-family": 'A "b"', opacity: null }, "a &lt; b");
    expect(text).toBe('<text x="1.24" y="2" font-family="A &quot;b&quot;">a &lt; b</text>');
    const svg = picture([text], { left: -10, top: 0, right: 90, bottom: 50 }, "rgb(0, 0, 0)");
    const read = new DOMParser().parseFromString(svg, "image/svg+xml");
    expect(read.querySelector("parsererror")).toBeNull();
    expect(read.documentElement.getAttribute("viewBox")).toBe("-10 0 100 50");
    expect(read.querySelector("text")?.textContent).toBe("a < b");
  });
});
