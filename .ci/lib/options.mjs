// Parses the command line of this project's scripts. An unknown option or word is rejected with a message
// that lists the alternatives.
import { parseArgs } from "node:util";
import { stop } from "./process.mjs";

/**
 * Returns the options, and the positional arguments under `words`. `known` maps each permitted first argument
 * to the arguments that may follow it. `--help` prints the help and exits.
 */
export function optionsOf(help, options, known = {}) {
  const refuse = (why) => stop(`${why}\n\n${help}`, 2);
  let given;
  try {
    given = parseArgs({
      options: { ...options, help: { type: "boolean", short: "h" } },
      allowPositionals: true,
    });
  } catch (error) {
    return refuse(error.message);
  }
  if (given.values.help) {
    console.log(help);
    process.exit(0);
  }
  const [first, ...rest] = given.positionals;
  if (first !== undefined && !Object.hasOwn(known, first)) return refuse(`There is no \`${first}\`.`);
  const strange = rest.find((word) => !known[first].includes(word));
  if (strange !== undefined) return refuse(`There is no \`${first} ${strange}\`.`);
  return { ...given.values, words: given.positionals };
}
