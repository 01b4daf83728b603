// Replaces the straight quotes of messages, which the command line prints, with typographic ones. Text in
// backticks is code and stays unchanged.
export function typeset(message: string): string {
  return message
    .split(/(`[^`]*`)/)
    .map((part, i) => (i % 2 === 1 ? part : part.replace(/"([^"]*)"/g, "“$1”")))
    .join("");
}

/** Typesets a message, like `typeset`, for places without code formatting: tooltips and screen readers. */
export const plainMessage = (message: string): string => typeset(message).replaceAll("`", "");

/** Returns a message up to the end of its first sentence, including the full stop. */
export const firstSentence = (message: string): string => /^.*?[.!?](?=\s+\S)/s.exec(message)?.[0] ?? message;

/** Returns the code of an error as words: `http_429` is "HTTP 429", `key_missing` is "key missing". */
export const codeWords = (code: string): string => code.replace(/^http_/, "HTTP ").replaceAll("_", " ");
