// The window's letters for a picture that is to look alike where they are not installed: written into the file itself, because
// an image loads nothing. Read with the first picture that is made, and not with the window.
import inter from "@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?inline";
import mono from "@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2?inline";

const face = (family: string, source: string) =>
  `@font-face{font-family:"${family}";font-weight:100 900;src:url(${source}) format("woff2")}`;

export const FACES = face("Inter", inter) + face("JetBrains Mono", mono);
