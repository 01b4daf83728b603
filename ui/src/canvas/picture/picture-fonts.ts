// The window's fonts for a picture that must look the same where they are not installed. They are embedded in
// the file, because an SVG image cannot load other files. They are loaded with the first picture, not with
// the window.
import inter from "@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?inline";
import mono from "@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2?inline";

const face = (family: string, source: string) =>
  `@font-face{font-family:"${family}";font-weight:100 900;src:url(${source}) format("woff2")}`;

export const FACES = face("Inter", inter) + face("JetBrains Mono", mono);
