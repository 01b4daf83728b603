// The fonts that are embedded in an exported picture, so that it looks the same where they are not installed.
// An SVG image cannot load other files. The fonts are loaded with the first picture, not with the window.
import inter from "@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?inline";
import mono from "@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2?inline";

const face = (family: string, source: string) =>
  `@font-face{font-family:"${family}";font-weight:100 900;src:url(${source}) format("woff2")}`;

export const FACES = face("Inter", inter) + face("JetBrains Mono", mono);
