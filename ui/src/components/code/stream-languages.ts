// The languages of this program as the editor takes them. They are apart from what they are made of, which is needed where no editor
// is loaded yet: with the editor's own code the window would start later.
import { StreamLanguage } from "@codemirror/language";
import { luauParser } from "./luau";
import { expressionParser, templateParser } from "./tera";

export const luau = StreamLanguage.define(luauParser);
export const teraTemplate = StreamLanguage.define(templateParser);
export const teraExpression = StreamLanguage.define(expressionParser);
