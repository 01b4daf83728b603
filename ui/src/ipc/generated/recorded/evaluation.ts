// An evaluation and its experiment. Recorded by `npm run codegen`. Do not edit.
import type { Backend } from "../../client";

type Reply<C extends keyof Backend> = Awaited<ReturnType<Backend[C]>>;

export const opened: Reply<"openEvaluation"> = {
  "path": "/flows/self-refine.eval.json",
  "version": "5e00f4c6cd4fcc0bd0f7657796c7655f95992379f1fb0ad3d6e5937fdfa05962",
  "evaluation": {
    "schemaVersion": 1,
    "name": "Refine quality",
    "flow": "self-refine.loop",
    "data": {"file":"topics.jsonl","id":"id","inputs":{"brief":"topic"},"expected":"reference"},
    "variants": [
      {"name":"cap 3","set":{"refine.maxIterations":3}},
      {"name":"cap 6","set":{"refine.maxIterations":6}},
      {
        "name": "one more",
        "set": {
          "critique.branches": [{"name":"done","when":"loopCount > run.inputs.brief | length % 4 + 1"},{"name":"continue"}]
        }
      }
    ],
    "scorers": [
      {"name":"judge","type":"llm","rubric":"Is it clear, correct and short?","scale":[0.0,10.0]},
      {"name":"not empty","type":"expression","expression":"result | length > 0"},
      {"name":"reader","type":"human"}
    ],
    "perIteration": "refine",
    "primary": "judge",
    "margin": 0.2,
    "budget": {"usd":5.0},
    "concurrency": 1
  },
  "problems": [],
  "flowPath": "/flows/self-refine.loop"
};

export const cases: Reply<"readCases"> = {
  "columns": ["id","topic","audience","reference"],
  "total": 12,
  "cases": [
    {
      "id": "case-1",
      "line": 1,
      "inputs": {"brief":"Why bread rises, for a curious ten-year-old"},
      "expected": "A short and correct answer to “Why bread rises, for a curious ten-year-old”.",
      "row": {
        "id": "case-1",
        "topic": "Why bread rises, for a curious ten-year-old",
        "audience": "children",
        "reference": "A short and correct answer to “Why bread rises, for a curious ten-year-old”."
      }
    },
    {
      "id": "case-2",
      "line": 2,
      "inputs": {"brief":"How a heat pump works below freezing"},
      "expected": "A short and correct answer to “How a heat pump works below freezing”.",
      "row": {
        "id": "case-2",
        "topic": "How a heat pump works below freezing",
        "audience": "adults",
        "reference": "A short and correct answer to “How a heat pump works below freezing”."
      }
    },
    {
      "id": "case-3",
      "line": 3,
      "inputs": {"brief":"What a hash table is, without code"},
      "expected": "A short and correct answer to “What a hash table is, without code”.",
      "row": {
        "id": "case-3",
        "topic": "What a hash table is, without code",
        "audience": "children",
        "reference": "A short and correct answer to “What a hash table is, without code”."
      }
    },
    {
      "id": "case-4",
      "line": 4,
      "inputs": {"brief":"Why the sky is blue at noon and red at dusk"},
      "expected": "A short and correct answer to “Why the sky is blue at noon and red at dusk”.",
      "row": {
        "id": "case-4",
        "topic": "Why the sky is blue at noon and red at dusk",
        "audience": "adults",
        "reference": "A short and correct answer to “Why the sky is blue at noon and red at dusk”."
      }
    },
    {
      "id": "case-5",
      "line": 5,
      "inputs": {"brief":"How vaccines teach the body"},
      "expected": "A short and correct answer to “How vaccines teach the body”.",
      "row": {
        "id": "case-5",
        "topic": "How vaccines teach the body",
        "audience": "children",
        "reference": "A short and correct answer to “How vaccines teach the body”."
      }
    },
    {
      "id": "case-6",
      "line": 6,
      "inputs": {"brief":"What inflation does to savings"},
      "expected": "A short and correct answer to “What inflation does to savings”.",
      "row": {
        "id": "case-6",
        "topic": "What inflation does to savings",
        "audience": "adults",
        "reference": "A short and correct answer to “What inflation does to savings”."
      }
    },
    {
      "id": "case-7",
      "line": 7,
      "inputs": {"brief":"Where rivers begin"},
      "expected": "A short and correct answer to “Where rivers begin”.",
      "row": {
        "id": "case-7",
        "topic": "Where rivers begin",
        "audience": "children",
        "reference": "A short and correct answer to “Where rivers begin”."
      }
    },
    {
      "id": "case-8",
      "line": 8,
      "inputs": {"brief":"How a lock keeps time with its key"},
      "expected": "A short and correct answer to “How a lock keeps time with its key”.",
      "row": {
        "id": "case-8",
        "topic": "How a lock keeps time with its key",
        "audience": "adults",
        "reference": "A short and correct answer to “How a lock keeps time with its key”."
      }
    },
    {
      "id": "case-9",
      "line": 9,
      "inputs": {"brief":"Why cats purr"},
      "expected": "A short and correct answer to “Why cats purr”.",
      "row": {
        "id": "case-9",
        "topic": "Why cats purr",
        "audience": "children",
        "reference": "A short and correct answer to “Why cats purr”."
      }
    },
    {
      "id": "case-10",
      "line": 10,
      "inputs": {"brief":"What makes a good question"},
      "expected": "A short and correct answer to “What makes a good question”.",
      "row": {
        "id": "case-10",
        "topic": "What makes a good question",
        "audience": "adults",
        "reference": "A short and correct answer to “What makes a good question”."
      }
    },
    {
      "id": "case-11",
      "line": 11,
      "inputs": {"brief":"How glass is made"},
      "expected": "A short and correct answer to “How glass is made”.",
      "row": {
        "id": "case-11",
        "topic": "How glass is made",
        "audience": "children",
        "reference": "A short and correct answer to “How glass is made”."
      }
    },
    {
      "id": "case-12",
      "line": 12,
      "inputs": {"brief":"Never answered."},
      "expected": "A short and correct answer to “Never answered.”.",
      "row": {
        "id": "case-12",
        "topic": "Never answered.",
        "audience": "adults",
        "reference": "A short and correct answer to “Never answered.”."
      }
    }
  ],
  "rejected": [],
  "notes": []
};

export const experiment: Reply<"experiment"> = {
  "summary": {
    "id": "experiment-1",
    "name": "Refine quality",
    "path": "/flows/self-refine.eval.json",
    "flow": "self-refine.loop",
    "startedAt": "2026-01-01T00:00:00.000Z",
    "status": "completed",
    "total": 36,
    "done": 36,
    "failed": 3,
    "costUsd": 0.002896,
    "error": null
  },
  "evaluation": {
    "schemaVersion": 1,
    "name": "Refine quality",
    "flow": "self-refine.loop",
    "data": {"file":"topics.jsonl","id":"id","inputs":{"brief":"topic"},"expected":"reference"},
    "variants": [
      {"name":"cap 3","set":{"refine.maxIterations":3}},
      {"name":"cap 6","set":{"refine.maxIterations":6}},
      {
        "name": "one more",
        "set": {
          "critique.branches": [{"name":"done","when":"loopCount > run.inputs.brief | length % 4 + 1"},{"name":"continue"}]
        }
      }
    ],
    "scorers": [
      {"name":"judge","type":"llm","rubric":"Is it clear, correct and short?","scale":[0.0,10.0]},
      {"name":"not empty","type":"expression","expression":"result | length > 0"},
      {"name":"reader","type":"human"}
    ],
    "perIteration": "refine",
    "primary": "judge",
    "margin": 0.2,
    "budget": {"usd":5.0},
    "concurrency": 1
  },
  "caseCount": 12,
  "report": {
    "experiment": "experiment-1",
    "name": "Refine quality",
    "flow": "self-refine.loop",
    "cases": 12,
    "repetitions": 1,
    "scorers": ["judge","not empty","reader"],
    "primary": 0,
    "lowerIsBetter": [false,false,false],
    "margin": 0.2,
    "baseline": 0,
    "variants": [
      {
        "name": "cap 3",
        "completed": 11,
        "failed": 1,
        "notRun": 0,
        "scorers": [
          {
            "scorer": "judge",
            "n": 11,
            "unscored": 0,
            "mean": 7.545454545454546,
            "interval": [6.863636363636363,8.090909090909092],
            "median": 7.0,
            "pass": []
          },
          {
            "scorer": "not empty",
            "n": 11,
            "unscored": 0,
            "mean": 1.0,
            "interval": [1.0,1.0],
            "median": 1.0,
            "pass": [{"k":1,"any":1.0,"all":1.0}]
          },
          {"scorer":"reader","n":0,"unscored":11,"mean":null,"interval":null,"median":null,"pass":[]}
        ],
        "costUsd": 0.000608,
        "meanCostUsd": 0.00005527272727272727,
        "tokens": 790,
        "latencyP50": 1000,
        "latencyP95": 1000,
        "meanIterations": 2.6363636363636362,
        "exitReasons": {"error":1,"evaluator_done":8,"max_iterations":3},
        "curve": {
          "of": "refine",
          "scorer": "judge",
          "points": [
            {
              "k": 1,
              "n": 11,
              "mean": 5.909090909090909,
              "interval": [5.5,6.2272727272727275],
              "meanCostUsd": 0.000020181818181818183,
              "meanTokens": 25.727272727272727,
              "finished": 0.09090909090909091
            },
            {
              "k": 2,
              "n": 11,
              "mean": 6.818181818181818,
              "interval": [6.318181818181818,7.2272727272727275],
              "meanCostUsd": 0.00003909090909090909,
              "meanTokens": 50.63636363636363,
              "finished": 0.2727272727272727
            },
            {
              "k": 3,
              "n": 11,
              "mean": 7.545454545454546,
              "interval": [6.863636363636363,8.090909090909092],
              "meanCostUsd": 0.00005527272727272727,
              "meanTokens": 71.81818181818181,
              "finished": 0.7272727272727273
            }
          ],
          "knee": {"k":3,"best":3,"difference":0.0,"interval":null,"margin":0.2,"savedUsd":0.0}
        }
      },
      {
        "name": "cap 6",
        "completed": 11,
        "failed": 1,
        "notRun": 0,
        "scorers": [
          {
            "scorer": "judge",
            "n": 11,
            "unscored": 0,
            "mean": 7.545454545454546,
            "interval": [6.863636363636363,8.090909090909092],
            "median": 7.0,
            "pass": []
          },
          {
            "scorer": "not empty",
            "n": 11,
            "unscored": 0,
            "mean": 1.0,
            "interval": [1.0,1.0],
            "median": 1.0,
            "pass": [{"k":1,"any":1.0,"all":1.0}]
          },
          {"scorer":"reader","n":0,"unscored":11,"mean":null,"interval":null,"median":null,"pass":[]}
        ],
        "costUsd": 0.000684,
        "meanCostUsd": 0.00006218181818181819,
        "tokens": 889,
        "latencyP50": 1000,
        "latencyP95": 1000,
        "meanIterations": 2.909090909090909,
        "exitReasons": {"error":1,"evaluator_done":11},
        "curve": {
          "of": "refine",
          "scorer": "judge",
          "points": [
            {
              "k": 1,
              "n": 11,
              "mean": 5.909090909090909,
              "interval": [5.5,6.2272727272727275],
              "meanCostUsd": 0.000020181818181818183,
              "meanTokens": 25.727272727272727,
              "finished": 0.09090909090909091
            },
            {
              "k": 2,
              "n": 11,
              "mean": 6.818181818181818,
              "interval": [6.318181818181818,7.2272727272727275],
              "meanCostUsd": 0.00003909090909090909,
              "meanTokens": 50.63636363636363,
              "finished": 0.2727272727272727
            },
            {
              "k": 3,
              "n": 11,
              "mean": 7.545454545454546,
              "interval": [6.863636363636363,8.090909090909092],
              "meanCostUsd": 0.00005527272727272727,
              "meanTokens": 71.81818181818181,
              "finished": 0.7272727272727273
            },
            {
              "k": 4,
              "n": 11,
              "mean": 7.545454545454546,
              "interval": [6.863636363636363,8.090909090909092],
              "meanCostUsd": 0.00006218181818181819,
              "meanTokens": 80.81818181818181,
              "finished": 1.0
            }
          ],
          "knee": {"k":3,"best":3,"difference":0.0,"interval":null,"margin":0.2,"savedUsd":0.0}
        }
      },
      {
        "name": "one more",
        "completed": 11,
        "failed": 1,
        "notRun": 0,
        "scorers": [
          {
            "scorer": "judge",
            "n": 11,
            "unscored": 0,
            "mean": 7.818181818181818,
            "interval": [7.318181818181818,8.227272727272727],
            "median": 8.0,
            "pass": []
          },
          {
            "scorer": "not empty",
            "n": 11,
            "unscored": 0,
            "mean": 1.0,
            "interval": [1.0,1.0],
            "median": 1.0,
            "pass": [{"k":1,"any":1.0,"all":1.0}]
          },
          {"scorer":"reader","n":0,"unscored":11,"mean":null,"interval":null,"median":null,"pass":[]}
        ],
        "costUsd": 0.000916,
        "meanCostUsd": 0.00008327272727272728,
        "tokens": 1194,
        "latencyP50": 1000,
        "latencyP95": 1000,
        "meanIterations": 3.909090909090909,
        "exitReasons": {"error":1,"evaluator_done":11},
        "curve": {
          "of": "refine",
          "scorer": "judge",
          "points": [
            {
              "k": 1,
              "n": 11,
              "mean": 5.909090909090909,
              "interval": [5.5,6.2272727272727275],
              "meanCostUsd": 0.000020181818181818183,
              "meanTokens": 25.727272727272727,
              "finished": 0.0
            },
            {
              "k": 2,
              "n": 11,
              "mean": 6.909090909090909,
              "interval": [6.5,7.2272727272727275],
              "meanCostUsd": 0.00004127272727272727,
              "meanTokens": 53.45454545454545,
              "finished": 0.09090909090909091
            },
            {
              "k": 3,
              "n": 11,
              "mean": 7.818181818181818,
              "interval": [7.318181818181818,8.227272727272727],
              "meanCostUsd": 0.000060181818181818187,
              "meanTokens": 78.36363636363636,
              "finished": 0.2727272727272727
            },
            {
              "k": 4,
              "n": 11,
              "mean": 7.818181818181818,
              "interval": [7.318181818181818,8.227272727272727],
              "meanCostUsd": 0.00007636363636363636,
              "meanTokens": 99.54545454545455,
              "finished": 0.7272727272727273
            },
            {
              "k": 5,
              "n": 11,
              "mean": 7.818181818181818,
              "interval": [7.318181818181818,8.227272727272727],
              "meanCostUsd": 0.00008327272727272728,
              "meanTokens": 108.54545454545455,
              "finished": 1.0
            }
          ],
          "knee": {"k":3,"best":3,"difference":0.0,"interval":null,"margin":0.2,"savedUsd":0.0}
        }
      }
    ],
    "comparisons": [
      {
        "variant": "cap 6",
        "baseline": "cap 3",
        "scorer": "judge",
        "pairs": 11,
        "difference": 0.0,
        "interval": [0.0,0.0],
        "wins": 0,
        "ties": 11,
        "losses": 0,
        "worse": [],
        "costDifferenceUsd": 6.909090909090909e-6
      },
      {
        "variant": "cap 6",
        "baseline": "cap 3",
        "scorer": "not empty",
        "pairs": 11,
        "difference": 0.0,
        "interval": [0.0,0.0],
        "wins": 0,
        "ties": 11,
        "losses": 0,
        "worse": [],
        "costDifferenceUsd": 6.909090909090909e-6
      },
      {
        "variant": "cap 6",
        "baseline": "cap 3",
        "scorer": "reader",
        "pairs": 0,
        "difference": null,
        "interval": null,
        "wins": 0,
        "ties": 0,
        "losses": 0,
        "worse": [],
        "costDifferenceUsd": 6.909090909090909e-6
      },
      {
        "variant": "one more",
        "baseline": "cap 3",
        "scorer": "judge",
        "pairs": 11,
        "difference": 0.2727272727272727,
        "interval": [0.09090909090909091,0.6363636363636364],
        "wins": 3,
        "ties": 8,
        "losses": 0,
        "worse": [],
        "costDifferenceUsd": 0.000028
      },
      {
        "variant": "one more",
        "baseline": "cap 3",
        "scorer": "not empty",
        "pairs": 11,
        "difference": 0.0,
        "interval": [0.0,0.0],
        "wins": 0,
        "ties": 11,
        "losses": 0,
        "worse": [],
        "costDifferenceUsd": 0.000028
      },
      {
        "variant": "one more",
        "baseline": "cap 3",
        "scorer": "reader",
        "pairs": 0,
        "difference": null,
        "interval": null,
        "wins": 0,
        "ties": 0,
        "losses": 0,
        "worse": [],
        "costDifferenceUsd": 0.000028
      }
    ],
    "assertions": [],
    "notes": [
      "3 runs failed. A failed run has no score and is not counted as zero. The first: Provider “openai”: 127.0.0.1:11434 does not accept the request (status 400). It said: This prompt is not answered.",
      "33 results could not be scored by \"reader\". An unscored result is not counted as zero. The first: Nobody has rated it yet."
    ]
  },
  "rejected": []
};

export const rows: Reply<"experimentRows"> = [
  {
    "case": {
      "id": "case-1",
      "line": 1,
      "inputs": {"brief":"Why bread rises, for a curious ten-year-old"},
      "expected": "A short and correct answer to “Why bread rises, for a curious ten-year-old”.",
      "row": {
        "id": "case-1",
        "topic": "Why bread rises, for a curious ten-year-old",
        "audience": "children",
        "reference": "A short and correct answer to “Why bread rises, for a curious ten-year-old”."
      }
    },
    "cells": [
      {
        "cell": {"case":0,"variant":0,"repetition":0},
        "runId": "run-16",
        "status": "completed",
        "output": "Why bread rises, for a curious ten-year-old: draft 3",
        "scores": [
          {"value":7.0,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated it yet."}
        ],
        "iterationCount": 3,
        "exitReason": "max_iterations",
        "exhausted": true,
        "spent": {"microUsd":71,"tokens":91,"calls":3},
        "durationMs": 1000
      },
      {
        "cell": {"case":0,"variant":1,"repetition":0},
        "runId": "run-17",
        "status": "completed",
        "output": "Why bread rises, for a curious ten-year-old: draft 4",
        "scores": [
          {"value":7.0,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated it yet."}
        ],
        "iterationCount": 4,
        "exitReason": "evaluator_done",
        "spent": {"microUsd":95,"tokens":122,"calls":4},
        "durationMs": 1000
      },
      {
        "cell": {"case":0,"variant":2,"repetition":0},
        "runId": "run-18",
        "status": "completed",
        "output": "Why bread rises, for a curious ten-year-old: draft 5",
        "scores": [
          {"value":7.0,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated it yet."}
        ],
        "iterationCount": 5,
        "exitReason": "evaluator_done",
        "spent": {"microUsd":119,"tokens":153,"calls":5},
        "durationMs": 1000
      }
    ]
  },
  {
    "case": {
      "id": "case-2",
      "line": 2,
      "inputs": {"brief":"How a heat pump works below freezing"},
      "expected": "A short and correct answer to “How a heat pump works below freezing”.",
      "row": {
        "id": "case-2",
        "topic": "How a heat pump works below freezing",
        "audience": "adults",
        "reference": "A short and correct answer to “How a heat pump works below freezing”."
      }
    },
    "cells": [
      {
        "cell": {"case":1,"variant":0,"repetition":0},
        "runId": "run-19",
        "status": "completed",
        "output": "How a heat pump works below freezing: draft 1",
        "scores": [
          {"value":5.5,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated it yet."}
        ],
        "iterationCount": 1,
        "exitReason": "evaluator_done",
        "spent": {"microUsd":23,"tokens":29,"calls":1},
        "durationMs": 1000
      },
      {
        "cell": {"case":1,"variant":1,"repetition":0},
        "runId": "run-20",
        "status": "completed",
        "output": "How a heat pump works below freezing: draft 1",
        "scores": [
          {"value":5.5,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated it yet."}
        ],
        "iterationCount": 1,
        "exitReason": "evaluator_done",
        "spent": {"microUsd":23,"tokens":29,"calls":1},
        "durationMs": 1000
      },
      {
        "cell": {"case":1,"variant":2,"repetition":0},
        "runId": "run-21",
        "status": "completed",
        "output": "How a heat pump works below freezing: draft 2",
        "scores": [
          {"value":6.5,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated it yet."}
        ],
        "iterationCount": 2,
        "exitReason": "evaluator_done",
        "spent": {"microUsd":47,"tokens":60,"calls":2},
        "durationMs": 1000
      }
    ]
  },
  {
    "case": {
      "id": "case-3",
      "line": 3,
      "inputs": {"brief":"What a hash table is, without code"},
      "expected": "A short and correct answer to “What a hash table is, without code”.",
      "row": {
        "id": "case-3",
        "topic": "What a hash table is, without code",
        "audience": "children",
        "reference": "A short and correct answer to “What a hash table is, without code”."
      }
    },
    "cells": [
      {
        "cell": {"case":2,"variant":0,"repetition":0},
        "runId": "run-22",
        "status": "completed",
        "output": "What a hash table is, without code: draft 3",
        "scores": [
          {"value":8.5,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated it yet."}
        ],
        "iterationCount": 3,
        "exitReason": "evaluator_done",
        "spent": {"microUsd":71,"tokens":91,"calls":3},
        "durationMs": 1000
      },
      {
        "cell": {"case":2,"variant":1,"repetition":0},
        "runId": "run-23",
        "status": "completed",
        "output": "What a hash table is, without code: draft 3",
        "scores": [
          {"value":8.5,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated it yet."}
        ],
        "iterationCount": 3,
        "exitReason": "evaluator_done",
        "spent": {"microUsd":71,"tokens":91,"calls":3},
        "durationMs": 1000
      },
      {
        "cell": {"case":2,"variant":2,"repetition":0},
        "runId": "run-24",
        "status": "completed",
        "output": "What a hash table is, without code: draft 4",
        "scores": [
          {"value":8.5,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated it yet."}
        ],
        "iterationCount": 4,
        "exitReason": "evaluator_done",
        "spent": {"microUsd":95,"tokens":122,"calls":4},
        "durationMs": 1000
      }
    ]
  },
  {
    "case": {
      "id": "case-4",
      "line": 4,
      "inputs": {"brief":"Why the sky is blue at noon and red at dusk"},
      "expected": "A short and correct answer to “Why the sky is blue at noon and red at dusk”.",
      "row": {
        "id": "case-4",
        "topic": "Why the sky is blue at noon and red at dusk",
        "audience": "adults",
        "reference": "A short and correct answer to “Why the sky is blue at noon and red at dusk”."
      }
    },
    "cells": [
      {
        "cell": {"case":3,"variant":0,"repetition":0},
        "runId": "run-25",
        "status": "completed",
        "output": "Why the sky is blue at noon and red at dusk: draft 3",
        "scores": [
          {"value":7.0,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated it yet."}
        ],
        "iterationCount": 3,
        "exitReason": "max_iterations",
        "exhausted": true,
        "spent": {"microUsd":98,"tokens":127,"calls":3},
        "durationMs": 1000
      },
      {
        "cell": {"case":3,"variant":1,"repetition":0},
        "runId": "run-26",
        "status": "completed",
        "output": "Why the sky is blue at noon and red at dusk: draft 4",
        "scores": [
          {"value":7.0,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated it yet."}
        ],
        "iterationCount": 4,
        "exitReason": "evaluator_done",
        "spent": {"microUsd":131,"tokens":170,"calls":4},
        "durationMs": 1000
      },
      {
        "cell": {"case":3,"variant":2,"repetition":0},
        "runId": "run-27",
        "status": "completed",
        "output": "Why the sky is blue at noon and red at dusk: draft 5",
        "scores": [
          {"value":7.0,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated it yet."}
        ],
        "iterationCount": 5,
        "exitReason": "evaluator_done",
        "spent": {"microUsd":164,"tokens":213,"calls":5},
        "durationMs": 1000
      }
    ]
  },
  {
    "case": {
      "id": "case-5",
      "line": 5,
      "inputs": {"brief":"How vaccines teach the body"},
      "expected": "A short and correct answer to “How vaccines teach the body”.",
      "row": {
        "id": "case-5",
        "topic": "How vaccines teach the body",
        "audience": "children",
        "reference": "A short and correct answer to “How vaccines teach the body”."
      }
    },
    "cells": [
      {
        "cell": {"case":4,"variant":0,"repetition":0},
        "runId": "run-28",
        "status": "completed",
        "output": "How vaccines teach the body: draft 3",
        "scores": [
          {"value":7.0,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated it yet."}
        ],
        "iterationCount": 3,
        "exitReason": "max_iterations",
        "exhausted": true,
        "spent": {"microUsd":56,"tokens":73,"calls":3},
        "durationMs": 1000
      },
      {
        "cell": {"case":4,"variant":1,"repetition":0},
        "runId": "run-29",
        "status": "completed",
        "output": "How vaccines teach the body: draft 4",
        "scores": [
          {"value":7.0,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated it yet."}
        ],
        "iterationCount": 4,
        "exitReason": "evaluator_done",
        "spent": {"microUsd":75,"tokens":98,"calls":4},
        "durationMs": 1000
      },
      {
        "cell": {"case":4,"variant":2,"repetition":0},
        "runId": "run-30",
        "status": "completed",
        "output": "How vaccines teach the body: draft 5",
        "scores": [
          {"value":7.0,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated it yet."}
        ],
        "iterationCount": 5,
        "exitReason": "evaluator_done",
        "spent": {"microUsd":94,"tokens":123,"calls":5},
        "durationMs": 1000
      }
    ]
  },
  {
    "case": {
      "id": "case-6",
      "line": 6,
      "inputs": {"brief":"What inflation does to savings"},
      "expected": "A short and correct answer to “What inflation does to savings”.",
      "row": {
        "id": "case-6",
        "topic": "What inflation does to savings",
        "audience": "adults",
        "reference": "A short and correct answer to “What inflation does to savings”."
      }
    },
    "cells": [
      {
        "cell": {"case":5,"variant":0,"repetition":0},
        "runId": "run-31",
        "status": "completed",
        "output": "What inflation does to savings: draft 3",
        "scores": [
          {"value":8.5,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated it yet."}
        ],
        "iterationCount": 3,
        "exitReason": "evaluator_done",
        "spent": {"microUsd":56,"tokens":73,"calls":3},
        "durationMs": 1000
      },
      {
        "cell": {"case":5,"variant":1,"repetition":0},
        "runId": "run-32",
        "status": "completed",
        "output": "What inflation does to savings: draft 3",
        "scores": [
          {"value":8.5,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated it yet."}
        ],
        "iterationCount": 3,
        "exitReason": "evaluator_done",
        "spent": {"microUsd":56,"tokens":73,"calls":3},
        "durationMs": 1000
      },
      {
        "cell": {"case":5,"variant":2,"repetition":0},
        "runId": "run-33",
        "status": "completed",
        "output": "What inflation does to savings: draft 4",
        "scores": [
          {"value":8.5,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated it yet."}
        ],
        "iterationCount": 4,
        "exitReason": "evaluator_done",
        "spent": {"microUsd":75,"tokens":98,"calls":4},
        "durationMs": 1000
      }
    ]
  },
  {
    "case": {
      "id": "case-7",
      "line": 7,
      "inputs": {"brief":"Where rivers begin"},
      "expected": "A short and correct answer to “Where rivers begin”.",
      "row": {
        "id": "case-7",
        "topic": "Where rivers begin",
        "audience": "children",
        "reference": "A short and correct answer to “Where rivers begin”."
      }
    },
    "cells": [
      {
        "cell": {"case":6,"variant":0,"repetition":0},
        "runId": "run-34",
        "status": "completed",
        "output": "Where rivers begin: draft 3",
        "scores": [
          {"value":8.5,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated it yet."}
        ],
        "iterationCount": 3,
        "exitReason": "evaluator_done",
        "spent": {"microUsd":41,"tokens":55,"calls":3},
        "durationMs": 1000
      },
      {
        "cell": {"case":6,"variant":1,"repetition":0},
        "runId": "run-35",
        "status": "completed",
        "output": "Where rivers begin: draft 3",
        "scores": [
          {"value":8.5,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated it yet."}
        ],
        "iterationCount": 3,
        "exitReason": "evaluator_done",
        "spent": {"microUsd":41,"tokens":55,"calls":3},
        "durationMs": 1000
      },
      {
        "cell": {"case":6,"variant":2,"repetition":0},
        "runId": "run-36",
        "status": "completed",
        "output": "Where rivers begin: draft 4",
        "scores": [
          {"value":8.5,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated it yet."}
        ],
        "iterationCount": 4,
        "exitReason": "evaluator_done",
        "spent": {"microUsd":55,"tokens":74,"calls":4},
        "durationMs": 1000
      }
    ]
  },
  {
    "case": {
      "id": "case-8",
      "line": 8,
      "inputs": {"brief":"How a lock keeps time with its key"},
      "expected": "A short and correct answer to “How a lock keeps time with its key”.",
      "row": {
        "id": "case-8",
        "topic": "How a lock keeps time with its key",
        "audience": "adults",
        "reference": "A short and correct answer to “How a lock keeps time with its key”."
      }
    },
    "cells": [
      {
        "cell": {"case":7,"variant":0,"repetition":0},
        "runId": "run-37",
        "status": "completed",
        "output": "How a lock keeps time with its key: draft 3",
        "scores": [
          {"value":8.5,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated it yet."}
        ],
        "iterationCount": 3,
        "exitReason": "evaluator_done",
        "spent": {"microUsd":77,"tokens":100,"calls":3},
        "durationMs": 1000
      },
      {
        "cell": {"case":7,"variant":1,"repetition":0},
        "runId": "run-38",
        "status": "completed",
        "output": "How a lock keeps time with its key: draft 3",
        "scores": [
          {"value":8.5,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated it yet."}
        ],
        "iterationCount": 3,
        "exitReason": "evaluator_done",
        "spent": {"microUsd":77,"tokens":100,"calls":3},
        "durationMs": 1000
      },
      {
        "cell": {"case":7,"variant":2,"repetition":0},
        "runId": "run-39",
        "status": "completed",
        "output": "How a lock keeps time with its key: draft 4",
        "scores": [
          {"value":8.5,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated it yet."}
        ],
        "iterationCount": 4,
        "exitReason": "evaluator_done",
        "spent": {"microUsd":103,"tokens":134,"calls":4},
        "durationMs": 1000
      }
    ]
  },
  {
    "case": {
      "id": "case-9",
      "line": 9,
      "inputs": {"brief":"Why cats purr"},
      "expected": "A short and correct answer to “Why cats purr”.",
      "row": {
        "id": "case-9",
        "topic": "Why cats purr",
        "audience": "children",
        "reference": "A short and correct answer to “Why cats purr”."
      }
    },
    "cells": [
      {
        "cell": {"case":8,"variant":0,"repetition":0},
        "runId": "run-40",
        "status": "completed",
        "output": "Why cats purr: draft 2",
        "scores": [
          {"value":7.0,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated it yet."}
        ],
        "iterationCount": 2,
        "exitReason": "evaluator_done",
        "spent": {"microUsd":27,"tokens":36,"calls":2},
        "durationMs": 1000
      },
      {
        "cell": {"case":8,"variant":1,"repetition":0},
        "runId": "run-41",
        "status": "completed",
        "output": "Why cats purr: draft 2",
        "scores": [
          {"value":7.0,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated it yet."}
        ],
        "iterationCount": 2,
        "exitReason": "evaluator_done",
        "spent": {"microUsd":27,"tokens":36,"calls":2},
        "durationMs": 1000
      },
      {
        "cell": {"case":8,"variant":2,"repetition":0},
        "runId": "run-42",
        "status": "completed",
        "output": "Why cats purr: draft 3",
        "scores": [
          {"value":8.0,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated it yet."}
        ],
        "iterationCount": 3,
        "exitReason": "evaluator_done",
        "spent": {"microUsd":41,"tokens":55,"calls":3},
        "durationMs": 1000
      }
    ]
  },
  {
    "case": {
      "id": "case-10",
      "line": 10,
      "inputs": {"brief":"What makes a good question"},
      "expected": "A short and correct answer to “What makes a good question”.",
      "row": {
        "id": "case-10",
        "topic": "What makes a good question",
        "audience": "adults",
        "reference": "A short and correct answer to “What makes a good question”."
      }
    },
    "cells": [
      {
        "cell": {"case":9,"variant":0,"repetition":0},
        "runId": "run-43",
        "status": "completed",
        "output": "What makes a good question: draft 3",
        "scores": [
          {"value":8.5,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated it yet."}
        ],
        "iterationCount": 3,
        "exitReason": "evaluator_done",
        "spent": {"microUsd":56,"tokens":73,"calls":3},
        "durationMs": 1000
      },
      {
        "cell": {"case":9,"variant":1,"repetition":0},
        "runId": "run-44",
        "status": "completed",
        "output": "What makes a good question: draft 3",
        "scores": [
          {"value":8.5,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated it yet."}
        ],
        "iterationCount": 3,
        "exitReason": "evaluator_done",
        "spent": {"microUsd":56,"tokens":73,"calls":3},
        "durationMs": 1000
      },
      {
        "cell": {"case":9,"variant":2,"repetition":0},
        "runId": "run-45",
        "status": "completed",
        "output": "What makes a good question: draft 4",
        "scores": [
          {"value":8.5,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated it yet."}
        ],
        "iterationCount": 4,
        "exitReason": "evaluator_done",
        "spent": {"microUsd":75,"tokens":98,"calls":4},
        "durationMs": 1000
      }
    ]
  },
  {
    "case": {
      "id": "case-11",
      "line": 11,
      "inputs": {"brief":"How glass is made"},
      "expected": "A short and correct answer to “How glass is made”.",
      "row": {
        "id": "case-11",
        "topic": "How glass is made",
        "audience": "children",
        "reference": "A short and correct answer to “How glass is made”."
      }
    },
    "cells": [
      {
        "cell": {"case":10,"variant":0,"repetition":0},
        "runId": "run-46",
        "status": "completed",
        "output": "How glass is made: draft 2",
        "scores": [
          {"value":7.0,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated it yet."}
        ],
        "iterationCount": 2,
        "exitReason": "evaluator_done",
        "spent": {"microUsd":32,"tokens":42,"calls":2},
        "durationMs": 1000
      },
      {
        "cell": {"case":10,"variant":1,"repetition":0},
        "runId": "run-47",
        "status": "completed",
        "output": "How glass is made: draft 2",
        "scores": [
          {"value":7.0,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated it yet."}
        ],
        "iterationCount": 2,
        "exitReason": "evaluator_done",
        "spent": {"microUsd":32,"tokens":42,"calls":2},
        "durationMs": 1000
      },
      {
        "cell": {"case":10,"variant":2,"repetition":0},
        "runId": "run-48",
        "status": "completed",
        "output": "How glass is made: draft 3",
        "scores": [
          {"value":8.0,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated it yet."}
        ],
        "iterationCount": 3,
        "exitReason": "evaluator_done",
        "spent": {"microUsd":48,"tokens":64,"calls":3},
        "durationMs": 1000
      }
    ]
  },
  {
    "case": {
      "id": "case-12",
      "line": 12,
      "inputs": {"brief":"Never answered."},
      "expected": "A short and correct answer to “Never answered.”.",
      "row": {
        "id": "case-12",
        "topic": "Never answered.",
        "audience": "adults",
        "reference": "A short and correct answer to “Never answered.”."
      }
    },
    "cells": [
      {
        "cell": {"case":11,"variant":0,"repetition":0},
        "runId": "run-49",
        "status": "failed",
        "iterationCount": 0,
        "exitReason": "error",
        "spent": {"microUsd":0,"tokens":0,"calls":0},
        "durationMs": 1000,
        "error": "Provider “openai”: 127.0.0.1:11434 does not accept the request (status 400). It said: This prompt is not answered."
      },
      {
        "cell": {"case":11,"variant":1,"repetition":0},
        "runId": "run-50",
        "status": "failed",
        "iterationCount": 0,
        "exitReason": "error",
        "spent": {"microUsd":0,"tokens":0,"calls":0},
        "durationMs": 1000,
        "error": "Provider “openai”: 127.0.0.1:11434 does not accept the request (status 400). It said: This prompt is not answered."
      },
      {
        "cell": {"case":11,"variant":2,"repetition":0},
        "runId": "run-51",
        "status": "failed",
        "iterationCount": 0,
        "exitReason": "error",
        "spent": {"microUsd":0,"tokens":0,"calls":0},
        "durationMs": 1000,
        "error": "Provider “openai”: 127.0.0.1:11434 does not accept the request (status 400). It said: This prompt is not answered."
      }
    ]
  }
];

export const blindItems: NonNullable<Reply<"blindItem">>[] = [
  {
    "cell": {"case":2,"variant":0,"repetition":0},
    "iteration": 2,
    "result": "What a hash table is, without code: draft 3",
    "inputs": {"brief":"What a hash table is, without code"},
    "left": 104
  },
  {
    "cell": {"case":4,"variant":0,"repetition":0},
    "iteration": 0,
    "result": "How vaccines teach the body: draft 1",
    "inputs": {"brief":"How vaccines teach the body"},
    "left": 103
  },
  {
    "cell": {"case":6,"variant":0,"repetition":0},
    "iteration": 1,
    "result": "Where rivers begin: draft 2",
    "inputs": {"brief":"Where rivers begin"},
    "left": 102
  }
];

export const agreements: Reply<"ratings">[] = [
  [],
  [
    {"scorer":"reader","judge":"judge","n":1,"kappa":null,"alpha":null},
    {"scorer":"reader","judge":"not empty","n":1,"kappa":0.0,"alpha":0.0}
  ],
  [
    {"scorer":"reader","judge":"judge","n":2,"kappa":-0.33333333333333326,"alpha":-0.5},
    {"scorer":"reader","judge":"not empty","n":2,"kappa":0.0,"alpha":-0.41666666666666674}
  ],
  [
    {"scorer":"reader","judge":"judge","n":3,"kappa":-0.6666666666666667,"alpha":-0.4722222222222223},
    {"scorer":"reader","judge":"not empty","n":3,"kappa":-2.220446049250313e-16,"alpha":-0.2333333333333334}
  ]
];

export const beside: Reply<"evaluationsBeside"> = [{"path":"/flows/self-refine.eval.json","name":"Refine quality","flow":"self-refine.loop"}];
