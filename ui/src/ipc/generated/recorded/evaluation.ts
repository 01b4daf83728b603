// An evaluation and its experiment. Recorded by `npm run codegen`. Do not edit.
import type { Backend } from "../../client";

type Reply<C extends keyof Backend> = Awaited<ReturnType<Backend[C]>>;

export const opened: Reply<"openEvaluation"> = {
  "path": "/flows/self-refine.eval.json",
  "version": "9450563a7e249cca00af43e2f88c5796a399c053402e182fbfcc8eae873f945c",
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
          "critique.branches": [{"name":"done","when":"loopCount > run.inputs.brief | length % 6 + 1"},{"name":"continue"}]
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
    "costUsd": 0.002627,
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
          "critique.branches": [{"name":"done","when":"loopCount > run.inputs.brief | length % 6 + 1"},{"name":"continue"}]
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
            "mean": 6.6,
            "interval": [6.054545454545455,7.072727272727272],
            "median": 6.6,
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
        "costUsd": 0.000501,
        "meanCostUsd": 0.00004554545454545455,
        "tokens": 650,
        "latencyP50": 1000,
        "latencyP95": 1000,
        "meanIterations": 2.1818181818181817,
        "exitReasons": {"error":1,"evaluator_done":7,"max_iterations":4},
        "curve": {
          "of": "refine",
          "scorer": "judge",
          "points": [
            {
              "k": 1,
              "n": 11,
              "mean": 5.363636363636363,
              "interval": [5.2,5.490909090909091],
              "meanCostUsd": 0.000020181818181818183,
              "meanTokens": 25.727272727272727,
              "finished": 0.2727272727272727
            },
            {
              "k": 2,
              "n": 11,
              "mean": 6.236363636363635,
              "interval": [5.872727272727272,6.509090909090909],
              "meanCostUsd": 0.000036090909090909093,
              "meanTokens": 46.63636363636363,
              "finished": 0.5454545454545454
            },
            {
              "k": 3,
              "n": 11,
              "mean": 6.6,
              "interval": [6.054545454545455,7.072727272727272],
              "meanCostUsd": 0.00004554545454545455,
              "meanTokens": 59.09090909090909,
              "finished": 0.6363636363636364
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
            "mean": 6.736363636363635,
            "interval": [6.127272727272727,7.390909090909091],
            "median": 6.6,
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
        "costUsd": 0.000668,
        "meanCostUsd": 0.00006072727272727273,
        "tokens": 871,
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
              "mean": 5.363636363636363,
              "interval": [5.2,5.490909090909091],
              "meanCostUsd": 0.000020181818181818183,
              "meanTokens": 25.727272727272727,
              "finished": 0.2727272727272727
            },
            {
              "k": 2,
              "n": 11,
              "mean": 6.236363636363635,
              "interval": [5.872727272727272,6.509090909090909],
              "meanCostUsd": 0.000036090909090909093,
              "meanTokens": 46.63636363636363,
              "finished": 0.5454545454545454
            },
            {
              "k": 3,
              "n": 11,
              "mean": 6.6,
              "interval": [6.054545454545455,7.072727272727272],
              "meanCostUsd": 0.00004554545454545455,
              "meanTokens": 59.09090909090909,
              "finished": 0.6363636363636364
            },
            {
              "k": 4,
              "n": 11,
              "mean": 6.672727272727273,
              "interval": [6.090909090909091,7.254545454545454],
              "meanCostUsd": 0.000053272727272727265,
              "meanTokens": 69.27272727272727,
              "finished": 0.7272727272727273
            },
            {
              "k": 5,
              "n": 11,
              "mean": 6.7272727272727275,
              "interval": [6.127272727272727,7.363636363636363],
              "meanCostUsd": 0.000059272727272727275,
              "meanTokens": 77.18181818181819,
              "finished": 0.9090909090909091
            },
            {
              "k": 6,
              "n": 11,
              "mean": 6.736363636363635,
              "interval": [6.127272727272727,7.390909090909091],
              "meanCostUsd": 0.00006072727272727273,
              "meanTokens": 79.18181818181819,
              "finished": 1.0
            }
          ],
          "knee": {
            "k": 3,
            "best": 6,
            "difference": 0.13636363636363621,
            "interval": [-0.03636363636363643,0.3545454545454542],
            "margin": 0.2,
            "savedUsd": 0.000015181818181818182
          }
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
            "mean": 7.327272727272727,
            "interval": [6.967064550639786,7.709090909090909],
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
        "costUsd": 0.0008179999999999999,
        "meanCostUsd": 0.00007436363636363635,
        "tokens": 1067,
        "latencyP50": 1000,
        "latencyP95": 1000,
        "meanIterations": 3.5454545454545454,
        "exitReasons": {"error":1,"evaluator_done":8,"max_iterations":3},
        "curve": {
          "of": "refine",
          "scorer": "judge",
          "points": [
            {
              "k": 1,
              "n": 11,
              "mean": 5.363636363636363,
              "interval": [5.2,5.490909090909091],
              "meanCostUsd": 0.000020181818181818183,
              "meanTokens": 25.727272727272727,
              "finished": 0.0
            },
            {
              "k": 2,
              "n": 11,
              "mean": 6.5636363636363635,
              "interval": [6.4,6.6909090909090905],
              "meanCostUsd": 0.00004127272727272727,
              "meanTokens": 53.45454545454545,
              "finished": 0.2727272727272727
            },
            {
              "k": 3,
              "n": 11,
              "mean": 7.145454545454545,
              "interval": [6.890909090909091,7.345454545454546],
              "meanCostUsd": 0.00005718181818181818,
              "meanTokens": 74.36363636363636,
              "finished": 0.5454545454545454
            },
            {
              "k": 4,
              "n": 11,
              "mean": 7.254545454545454,
              "interval": [6.909090909090909,7.6],
              "meanCostUsd": 0.00006663636363636363,
              "meanTokens": 86.81818181818181,
              "finished": 0.6363636363636364
            },
            {
              "k": 5,
              "n": 11,
              "mean": 7.327272727272727,
              "interval": [6.967064550639786,7.709090909090909],
              "meanCostUsd": 0.00007436363636363635,
              "meanTokens": 97.0,
              "finished": 0.7272727272727273
            }
          ],
          "knee": {
            "k": 3,
            "best": 5,
            "difference": 0.18181818181818174,
            "interval": [0.03636363636363621,0.3818181818181816],
            "margin": 0.2,
            "savedUsd": 0.00001718181818181818
          }
        }
      }
    ],
    "comparisons": [
      {
        "variant": "cap 6",
        "baseline": "cap 3",
        "scorer": "judge",
        "pairs": 11,
        "difference": 0.13636363636363621,
        "interval": [-0.03636363636363643,0.3545454545454542],
        "wins": 3,
        "ties": 7,
        "losses": 1,
        "worse": ["case-5"],
        "costDifferenceUsd": 0.000015181818181818182
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
        "costDifferenceUsd": 0.000015181818181818182
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
        "costDifferenceUsd": 0.000015181818181818182
      },
      {
        "variant": "one more",
        "baseline": "cap 3",
        "scorer": "judge",
        "pairs": 11,
        "difference": 0.7272727272727273,
        "interval": [0.4545454545454545,0.9272727272727274],
        "wins": 10,
        "ties": 0,
        "losses": 1,
        "worse": ["case-5"],
        "costDifferenceUsd": 0.00002881818181818182
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
        "costDifferenceUsd": 0.00002881818181818182
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
        "costDifferenceUsd": 0.00002881818181818182
      }
    ],
    "assertions": [],
    "notes": [
      "3 runs failed. A failed run has no score and is not counted as zero. The first: Provider “openai”: 127.0.0.1:11434 does not accept the request (status 400). It said: This prompt is not answered.",
      "33 results could not be scored by \"reader\". An unscored result is not counted as zero. The first: Nobody has rated the result yet."
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
        "output": "Why bread rises, for a curious ten-year-old: draft 2",
        "scores": [
          {"value":6.2,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated the result yet."}
        ],
        "iterationCount": 2,
        "exitReason": "evaluator_done",
        "spent": {"microUsd":47,"tokens":60,"calls":2},
        "durationMs": 1000
      },
      {
        "cell": {"case":0,"variant":1,"repetition":0},
        "runId": "run-17",
        "status": "completed",
        "output": "Why bread rises, for a curious ten-year-old: draft 2",
        "scores": [
          {"value":6.2,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated the result yet."}
        ],
        "iterationCount": 2,
        "exitReason": "evaluator_done",
        "spent": {"microUsd":47,"tokens":60,"calls":2},
        "durationMs": 1000
      },
      {
        "cell": {"case":0,"variant":2,"repetition":0},
        "runId": "run-18",
        "status": "completed",
        "output": "Why bread rises, for a curious ten-year-old: draft 3",
        "scores": [
          {"value":7.0,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated the result yet."}
        ],
        "iterationCount": 3,
        "exitReason": "evaluator_done",
        "spent": {"microUsd":71,"tokens":91,"calls":3},
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
          {"value":5.2,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated the result yet."}
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
          {"value":5.2,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated the result yet."}
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
          {"value":6.4,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated the result yet."}
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
          {"value":7.6,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated the result yet."}
        ],
        "iterationCount": 3,
        "exitReason": "max_iterations",
        "exhausted": true,
        "spent": {"microUsd":71,"tokens":91,"calls":3},
        "durationMs": 1000
      },
      {
        "cell": {"case":2,"variant":1,"repetition":0},
        "runId": "run-23",
        "status": "completed",
        "output": "What a hash table is, without code: draft 5",
        "scores": [
          {"value":8.2,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated the result yet."}
        ],
        "iterationCount": 5,
        "exitReason": "evaluator_done",
        "spent": {"microUsd":119,"tokens":153,"calls":5},
        "durationMs": 1000
      },
      {
        "cell": {"case":2,"variant":2,"repetition":0},
        "runId": "run-24",
        "status": "completed",
        "output": "What a hash table is, without code: draft 5",
        "scores": [
          {"value":8.2,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated the result yet."}
        ],
        "iterationCount": 5,
        "exitReason": "max_iterations",
        "exhausted": true,
        "spent": {"microUsd":119,"tokens":153,"calls":5},
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
        "output": "Why the sky is blue at noon and red at dusk: draft 2",
        "scores": [
          {"value":6.2,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated the result yet."}
        ],
        "iterationCount": 2,
        "exitReason": "evaluator_done",
        "spent": {"microUsd":65,"tokens":84,"calls":2},
        "durationMs": 1000
      },
      {
        "cell": {"case":3,"variant":1,"repetition":0},
        "runId": "run-26",
        "status": "completed",
        "output": "Why the sky is blue at noon and red at dusk: draft 2",
        "scores": [
          {"value":6.2,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated the result yet."}
        ],
        "iterationCount": 2,
        "exitReason": "evaluator_done",
        "spent": {"microUsd":65,"tokens":84,"calls":2},
        "durationMs": 1000
      },
      {
        "cell": {"case":3,"variant":2,"repetition":0},
        "runId": "run-27",
        "status": "completed",
        "output": "Why the sky is blue at noon and red at dusk: draft 3",
        "scores": [
          {"value":7.0,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated the result yet."}
        ],
        "iterationCount": 3,
        "exitReason": "evaluator_done",
        "spent": {"microUsd":98,"tokens":127,"calls":3},
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
          {"reason":"Nobody has rated the result yet."}
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
          {"value":6.6,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated the result yet."}
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
          {"value":6.8,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated the result yet."}
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
        "output": "What inflation does to savings: draft 1",
        "scores": [
          {"value":5.6,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated the result yet."}
        ],
        "iterationCount": 1,
        "exitReason": "evaluator_done",
        "spent": {"microUsd":18,"tokens":23,"calls":1},
        "durationMs": 1000
      },
      {
        "cell": {"case":5,"variant":1,"repetition":0},
        "runId": "run-32",
        "status": "completed",
        "output": "What inflation does to savings: draft 1",
        "scores": [
          {"value":5.6,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated the result yet."}
        ],
        "iterationCount": 1,
        "exitReason": "evaluator_done",
        "spent": {"microUsd":18,"tokens":23,"calls":1},
        "durationMs": 1000
      },
      {
        "cell": {"case":5,"variant":2,"repetition":0},
        "runId": "run-33",
        "status": "completed",
        "output": "What inflation does to savings: draft 2",
        "scores": [
          {"value":6.8,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated the result yet."}
        ],
        "iterationCount": 2,
        "exitReason": "evaluator_done",
        "spent": {"microUsd":37,"tokens":48,"calls":2},
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
        "output": "Where rivers begin: draft 1",
        "scores": [
          {"value":5.6,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated the result yet."}
        ],
        "iterationCount": 1,
        "exitReason": "evaluator_done",
        "spent": {"microUsd":13,"tokens":17,"calls":1},
        "durationMs": 1000
      },
      {
        "cell": {"case":6,"variant":1,"repetition":0},
        "runId": "run-35",
        "status": "completed",
        "output": "Where rivers begin: draft 1",
        "scores": [
          {"value":5.6,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated the result yet."}
        ],
        "iterationCount": 1,
        "exitReason": "evaluator_done",
        "spent": {"microUsd":13,"tokens":17,"calls":1},
        "durationMs": 1000
      },
      {
        "cell": {"case":6,"variant":2,"repetition":0},
        "runId": "run-36",
        "status": "completed",
        "output": "Where rivers begin: draft 2",
        "scores": [
          {"value":6.8,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated the result yet."}
        ],
        "iterationCount": 2,
        "exitReason": "evaluator_done",
        "spent": {"microUsd":27,"tokens":36,"calls":2},
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
          {"value":7.6,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated the result yet."}
        ],
        "iterationCount": 3,
        "exitReason": "max_iterations",
        "exhausted": true,
        "spent": {"microUsd":77,"tokens":100,"calls":3},
        "durationMs": 1000
      },
      {
        "cell": {"case":7,"variant":1,"repetition":0},
        "runId": "run-38",
        "status": "completed",
        "output": "How a lock keeps time with its key: draft 5",
        "scores": [
          {"value":8.2,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated the result yet."}
        ],
        "iterationCount": 5,
        "exitReason": "evaluator_done",
        "spent": {"microUsd":129,"tokens":168,"calls":5},
        "durationMs": 1000
      },
      {
        "cell": {"case":7,"variant":2,"repetition":0},
        "runId": "run-39",
        "status": "completed",
        "output": "How a lock keeps time with its key: draft 5",
        "scores": [
          {"value":8.2,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated the result yet."}
        ],
        "iterationCount": 5,
        "exitReason": "max_iterations",
        "exhausted": true,
        "spent": {"microUsd":129,"tokens":168,"calls":5},
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
          {"value":6.6,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated the result yet."}
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
          {"value":6.6,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated the result yet."}
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
          {"value":7.4,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated the result yet."}
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
          {"value":7.6,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated the result yet."}
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
          {"value":7.6,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated the result yet."}
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
          {"value":8.0,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated the result yet."}
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
        "output": "How glass is made: draft 3",
        "scores": [
          {"value":7.4,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated the result yet."}
        ],
        "iterationCount": 3,
        "exitReason": "max_iterations",
        "exhausted": true,
        "spent": {"microUsd":48,"tokens":64,"calls":3},
        "durationMs": 1000
      },
      {
        "cell": {"case":10,"variant":1,"repetition":0},
        "runId": "run-47",
        "status": "completed",
        "output": "How glass is made: draft 6",
        "scores": [
          {"value":8.1,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated the result yet."}
        ],
        "iterationCount": 6,
        "exitReason": "evaluator_done",
        "spent": {"microUsd":96,"tokens":130,"calls":6},
        "durationMs": 1000
      },
      {
        "cell": {"case":10,"variant":2,"repetition":0},
        "runId": "run-48",
        "status": "completed",
        "output": "How glass is made: draft 5",
        "scores": [
          {"value":8.0,"reason":"It is clear. The example could be shorter."},
          {"value":1.0,"isBoolean":true},
          {"reason":"Nobody has rated the result yet."}
        ],
        "iterationCount": 5,
        "exitReason": "max_iterations",
        "exhausted": true,
        "spent": {"microUsd":80,"tokens":108,"calls":5},
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
    "cell": {"case":10,"variant":1,"repetition":0},
    "iteration": 3,
    "result": "How glass is made: draft 4",
    "inputs": {"brief":"How glass is made"},
    "left": 95
  },
  {
    "cell": {"case":2,"variant":0,"repetition":0},
    "iteration": 2,
    "result": "What a hash table is, without code: draft 3",
    "inputs": {"brief":"What a hash table is, without code"},
    "left": 94
  },
  {
    "cell": {"case":4,"variant":0,"repetition":0},
    "iteration": 0,
    "result": "How vaccines teach the body: draft 1",
    "inputs": {"brief":"How vaccines teach the body"},
    "left": 93
  }
];

export const agreements: Reply<"ratings">[] = [
  [],
  [
    {"scorer":"reader","judge":"judge","n":1,"kappa":null,"alpha":null},
    {"scorer":"reader","judge":"not empty","n":1,"kappa":0.0,"alpha":0.0}
  ],
  [
    {"scorer":"reader","judge":"judge","n":2,"kappa":0.0,"alpha":0.0},
    {"scorer":"reader","judge":"not empty","n":2,"kappa":0.0,"alpha":-0.41666666666666674}
  ],
  [
    {"scorer":"reader","judge":"judge","n":3,"kappa":0.6666666666666667,"alpha":0.7777777777777778},
    {"scorer":"reader","judge":"not empty","n":3,"kappa":-2.220446049250313e-16,"alpha":-0.2333333333333334}
  ]
];

export const beside: Reply<"evaluationsBeside"> = [{"path":"/flows/self-refine.eval.json","name":"Refine quality","flow":"self-refine.loop"}];
