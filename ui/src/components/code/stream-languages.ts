// The program's own languages in the editor's form. Their parsers are in separate modules, because they are
// also needed before an editor is loaded, and the editor's code would delay the start of the window.
import { StreamLanguage } from "@codemirror/language";
import { luauParser } from "./luau";
import { expressionParser, templateParser } from "./tera";

export const luau = StreamLanguage.define(luauParser);
export const teraTemplate = StreamLanguage.define(templateParser);
export const teraExpression = StreamLanguage.define(expressionParser);
