// Splits a template into text and variables for display. Pure.

export type TemplatePart = { readonly text: string; readonly variable: boolean };

/**
 * Splits a template into text and variables. `{{ name | filter }}` becomes the variable "name". Statements
 * and comments are left out.
 */
export function templateParts(template: string): TemplatePart[] {
  return template
    .replace(/\{%.*?%\}|\{#.*?#\}/gs, "")
    .split(/(\{\{.*?\}\})/gs)
    .flatMap((part, i): TemplatePart[] => {
      if (i % 2 === 0) return part === "" ? [] : [{ text: part, variable: false }];
      const name = part.slice(2, -2).split("|")[0]?.trim() ?? "";
      return name === "" ? [] : [{ text: name, variable: true }];
    });
}
