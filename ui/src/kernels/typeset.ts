// Messages come with straight quotes, as the command line prints them; the window sets names in typographic ones. What
// stands in backticks is code and stays as it is.
export function typeset(message: string): string {
  return message
    .split(/(`[^`]*`)/)
    .map((part, i) => (i % 2 === 1 ? part : part.replace(/"([^"]*)"/g, "“$1”")))
    .join("");
}

/** The same where nothing can be set as code: in tooltips, and for screen readers. */
export const plainMessage = (message: string): string => typeset(message).replaceAll("`", "");

/** A message up to the end of its first sentence, with its full stop. */
export const firstSentence = (message: string): string => /^.*?[.!?](?=\s+\S)/s.exec(message)?.[0] ?? message;

/** The code of an error in a sentence: `http_429` is "HTTP 429", `key_missing` is "key missing". */
export const codeWords = (code: string): string => code.replace(/^http_/, "HTTP ").replaceAll("_", " ");
