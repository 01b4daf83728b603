// Files of other systems for the double, by their paths.

const IN_ITS_FORM = JSON.stringify({
  actions: { "until done": { type: "until", condition: "@greater(iterationIndex(), 1)", actions: {} } },
});

const FROM_NO_SYSTEM = JSON.stringify({ actions: { say: { type: "Compose", inputs: "A text." } } });

const OF_TWO = JSON.stringify({
  actions: {
    u: { type: "Until", expression: "@true", actions: {} },
    w: { type: "until", condition: "true", actions: {} },
  },
});

const COUNTER = `name: counter
nodes:
  - name: count_loop
    type: while_loop
    max_iterations: 5
    condition: "state.count < 3"
    body:
      - name: increment
        output: { count: "{{ state.count }}" }
edges:
  - from: __start__
    to: count_loop
  - from: count_loop
    to: __end__
`;

export const foreignFiles: { readonly [path: string]: string } = {
  // A format with a single dialect.
  "/x.yaml": COUNTER,
  // A format with two dialects: the file has features of one of them, of neither, or of both.
  "/x.json": IN_ITS_FORM,
  "/guessed.json": FROM_NO_SYSTEM,
  "/both.json": OF_TWO,
  "/refused.json": '{ "nodes": [',
  // The content of a file in no known format.
  "/unknown.txt": '{ "name": "Notes" }',
};
