// What runs cost. Recorded by `npm run codegen`. Do not edit.
import type { Backend } from "../../client";

type Reply<C extends keyof Backend> = Awaited<ReturnType<Backend[C]>>;

export const costsBy: { readonly [by: string]: Reply<"costs"> } = {
  "day": {
    "by": "day",
    "since": "2026-03-01",
    "until": "2026-03-07",
    "timeZone": "UTC",
    "lines": [
      {
        "title": "2026-03-02",
        "detail": "",
        "sum": {
          "usd": 1.334,
          "calls": 24,
          "unpricedCalls": 0,
          "cutOffCalls": 0,
          "inputTokens": 24000,
          "outputTokens": 3600,
          "cachedTokens": 0
        },
        "cost": "$1.334"
      },
      {
        "title": "2026-03-03",
        "detail": "",
        "sum": {
          "usd": 4.1,
          "calls": 3,
          "unpricedCalls": 0,
          "cutOffCalls": 0,
          "inputTokens": 3000,
          "outputTokens": 450,
          "cachedTokens": 0
        },
        "cost": "$4.10"
      },
      {
        "title": "2026-03-05",
        "detail": "",
        "sum": {
          "usd": 2.0,
          "calls": 62,
          "unpricedCalls": 42,
          "cutOffCalls": 0,
          "inputTokens": 62000,
          "outputTokens": 9300,
          "cachedTokens": 0
        },
        "cost": "$2.00 and 42 calls without a known price"
      },
      {
        "title": "2026-03-06",
        "detail": "",
        "sum": {
          "usd": 0.9005,
          "calls": 1,
          "unpricedCalls": 0,
          "cutOffCalls": 0,
          "inputTokens": 1000,
          "outputTokens": 150,
          "cachedTokens": 0
        },
        "cost": "$0.9005"
      }
    ],
    "total": {
      "title": "Total",
      "detail": "",
      "sum": {
        "usd": 8.3345,
        "calls": 90,
        "unpricedCalls": 42,
        "cutOffCalls": 0,
        "inputTokens": 90000,
        "outputTokens": 13500,
        "cachedTokens": 0
      },
      "cost": "$8.3345 and 42 calls without a known price"
    },
    "parts": ["claude","openai/gpt-4.1","openai/gpt-4.1-mini","ollama/qwen3","Model not recorded"],
    "bars": [
      {
        "day": "2026-03-01",
        "parts": [
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          }
        ],
        "sum": {
          "usd": 0.0,
          "calls": 0,
          "unpricedCalls": 0,
          "cutOffCalls": 0,
          "inputTokens": 0,
          "outputTokens": 0,
          "cachedTokens": 0
        },
        "cost": "$0.00"
      },
      {
        "day": "2026-03-02",
        "parts": [
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 1.25,
            "calls": 12,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 12000,
            "outputTokens": 1800,
            "cachedTokens": 0
          },
          {
            "usd": 0.084,
            "calls": 12,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 12000,
            "outputTokens": 1800,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          }
        ],
        "sum": {
          "usd": 1.334,
          "calls": 24,
          "unpricedCalls": 0,
          "cutOffCalls": 0,
          "inputTokens": 24000,
          "outputTokens": 3600,
          "cachedTokens": 0
        },
        "cost": "$1.334"
      },
      {
        "day": "2026-03-03",
        "parts": [
          {
            "usd": 4.1,
            "calls": 3,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 3000,
            "outputTokens": 450,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          }
        ],
        "sum": {
          "usd": 4.1,
          "calls": 3,
          "unpricedCalls": 0,
          "cutOffCalls": 0,
          "inputTokens": 3000,
          "outputTokens": 450,
          "cachedTokens": 0
        },
        "cost": "$4.10"
      },
      {
        "day": "2026-03-04",
        "parts": [
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          }
        ],
        "sum": {
          "usd": 0.0,
          "calls": 0,
          "unpricedCalls": 0,
          "cutOffCalls": 0,
          "inputTokens": 0,
          "outputTokens": 0,
          "cachedTokens": 0
        },
        "cost": "$0.00"
      },
      {
        "day": "2026-03-05",
        "parts": [
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 2.0,
            "calls": 20,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 20000,
            "outputTokens": 3000,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 40,
            "unpricedCalls": 40,
            "cutOffCalls": 0,
            "inputTokens": 40000,
            "outputTokens": 6000,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 2,
            "unpricedCalls": 2,
            "cutOffCalls": 0,
            "inputTokens": 2000,
            "outputTokens": 300,
            "cachedTokens": 0
          }
        ],
        "sum": {
          "usd": 2.0,
          "calls": 62,
          "unpricedCalls": 42,
          "cutOffCalls": 0,
          "inputTokens": 62000,
          "outputTokens": 9300,
          "cachedTokens": 0
        },
        "cost": "$2.00 and 42 calls without a known price"
      },
      {
        "day": "2026-03-06",
        "parts": [
          {
            "usd": 0.9005,
            "calls": 1,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 1000,
            "outputTokens": 150,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          }
        ],
        "sum": {
          "usd": 0.9005,
          "calls": 1,
          "unpricedCalls": 0,
          "cutOffCalls": 0,
          "inputTokens": 1000,
          "outputTokens": 150,
          "cachedTokens": 0
        },
        "cost": "$0.9005"
      },
      {
        "day": "2026-03-07",
        "parts": [
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          }
        ],
        "sum": {
          "usd": 0.0,
          "calls": 0,
          "unpricedCalls": 0,
          "cutOffCalls": 0,
          "inputTokens": 0,
          "outputTokens": 0,
          "cachedTokens": 0
        },
        "cost": "$0.00"
      }
    ],
    "flows": ["Repair","Self-Refine","Translate"],
    "uncountedRuns": 0
  },
  "flow": {
    "by": "flow",
    "since": "2026-03-01",
    "until": "2026-03-07",
    "timeZone": "UTC",
    "lines": [
      {
        "title": "Repair",
        "detail": "",
        "sum": {
          "usd": 5.0005,
          "calls": 6,
          "unpricedCalls": 2,
          "cutOffCalls": 0,
          "inputTokens": 6000,
          "outputTokens": 900,
          "cachedTokens": 0
        },
        "cost": "$5.0005 and 2 calls without a known price"
      },
      {
        "title": "Self-Refine",
        "detail": "",
        "sum": {
          "usd": 3.334,
          "calls": 44,
          "unpricedCalls": 0,
          "cutOffCalls": 0,
          "inputTokens": 44000,
          "outputTokens": 6600,
          "cachedTokens": 0
        },
        "cost": "$3.334"
      },
      {
        "title": "Translate",
        "detail": "",
        "sum": {
          "usd": 0.0,
          "calls": 40,
          "unpricedCalls": 40,
          "cutOffCalls": 0,
          "inputTokens": 40000,
          "outputTokens": 6000,
          "cachedTokens": 0
        },
        "cost": "40 calls without a known price"
      }
    ],
    "total": {
      "title": "Total",
      "detail": "",
      "sum": {
        "usd": 8.3345,
        "calls": 90,
        "unpricedCalls": 42,
        "cutOffCalls": 0,
        "inputTokens": 90000,
        "outputTokens": 13500,
        "cachedTokens": 0
      },
      "cost": "$8.3345 and 42 calls without a known price"
    },
    "parts": ["claude","openai/gpt-4.1","openai/gpt-4.1-mini","ollama/qwen3","Model not recorded"],
    "bars": [
      {
        "day": "2026-03-01",
        "parts": [
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          }
        ],
        "sum": {
          "usd": 0.0,
          "calls": 0,
          "unpricedCalls": 0,
          "cutOffCalls": 0,
          "inputTokens": 0,
          "outputTokens": 0,
          "cachedTokens": 0
        },
        "cost": "$0.00"
      },
      {
        "day": "2026-03-02",
        "parts": [
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 1.25,
            "calls": 12,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 12000,
            "outputTokens": 1800,
            "cachedTokens": 0
          },
          {
            "usd": 0.084,
            "calls": 12,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 12000,
            "outputTokens": 1800,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          }
        ],
        "sum": {
          "usd": 1.334,
          "calls": 24,
          "unpricedCalls": 0,
          "cutOffCalls": 0,
          "inputTokens": 24000,
          "outputTokens": 3600,
          "cachedTokens": 0
        },
        "cost": "$1.334"
      },
      {
        "day": "2026-03-03",
        "parts": [
          {
            "usd": 4.1,
            "calls": 3,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 3000,
            "outputTokens": 450,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          }
        ],
        "sum": {
          "usd": 4.1,
          "calls": 3,
          "unpricedCalls": 0,
          "cutOffCalls": 0,
          "inputTokens": 3000,
          "outputTokens": 450,
          "cachedTokens": 0
        },
        "cost": "$4.10"
      },
      {
        "day": "2026-03-04",
        "parts": [
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          }
        ],
        "sum": {
          "usd": 0.0,
          "calls": 0,
          "unpricedCalls": 0,
          "cutOffCalls": 0,
          "inputTokens": 0,
          "outputTokens": 0,
          "cachedTokens": 0
        },
        "cost": "$0.00"
      },
      {
        "day": "2026-03-05",
        "parts": [
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 2.0,
            "calls": 20,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 20000,
            "outputTokens": 3000,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 40,
            "unpricedCalls": 40,
            "cutOffCalls": 0,
            "inputTokens": 40000,
            "outputTokens": 6000,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 2,
            "unpricedCalls": 2,
            "cutOffCalls": 0,
            "inputTokens": 2000,
            "outputTokens": 300,
            "cachedTokens": 0
          }
        ],
        "sum": {
          "usd": 2.0,
          "calls": 62,
          "unpricedCalls": 42,
          "cutOffCalls": 0,
          "inputTokens": 62000,
          "outputTokens": 9300,
          "cachedTokens": 0
        },
        "cost": "$2.00 and 42 calls without a known price"
      },
      {
        "day": "2026-03-06",
        "parts": [
          {
            "usd": 0.9005,
            "calls": 1,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 1000,
            "outputTokens": 150,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          }
        ],
        "sum": {
          "usd": 0.9005,
          "calls": 1,
          "unpricedCalls": 0,
          "cutOffCalls": 0,
          "inputTokens": 1000,
          "outputTokens": 150,
          "cachedTokens": 0
        },
        "cost": "$0.9005"
      },
      {
        "day": "2026-03-07",
        "parts": [
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          }
        ],
        "sum": {
          "usd": 0.0,
          "calls": 0,
          "unpricedCalls": 0,
          "cutOffCalls": 0,
          "inputTokens": 0,
          "outputTokens": 0,
          "cachedTokens": 0
        },
        "cost": "$0.00"
      }
    ],
    "flows": ["Repair","Self-Refine","Translate"],
    "uncountedRuns": 0
  },
  "model": {
    "by": "model",
    "since": "2026-03-01",
    "until": "2026-03-07",
    "timeZone": "UTC",
    "lines": [
      {
        "title": "claude",
        "detail": "",
        "sum": {
          "usd": 5.0005,
          "calls": 4,
          "unpricedCalls": 0,
          "cutOffCalls": 0,
          "inputTokens": 4000,
          "outputTokens": 600,
          "cachedTokens": 0
        },
        "cost": "$5.0005"
      },
      {
        "title": "openai/gpt-4.1",
        "detail": "",
        "sum": {
          "usd": 3.25,
          "calls": 32,
          "unpricedCalls": 0,
          "cutOffCalls": 0,
          "inputTokens": 32000,
          "outputTokens": 4800,
          "cachedTokens": 0
        },
        "cost": "$3.25"
      },
      {
        "title": "openai/gpt-4.1-mini",
        "detail": "",
        "sum": {
          "usd": 0.084,
          "calls": 12,
          "unpricedCalls": 0,
          "cutOffCalls": 0,
          "inputTokens": 12000,
          "outputTokens": 1800,
          "cachedTokens": 0
        },
        "cost": "$0.084"
      },
      {
        "title": "ollama/qwen3",
        "detail": "",
        "sum": {
          "usd": 0.0,
          "calls": 40,
          "unpricedCalls": 40,
          "cutOffCalls": 0,
          "inputTokens": 40000,
          "outputTokens": 6000,
          "cachedTokens": 0
        },
        "cost": "40 calls without a known price"
      },
      {
        "title": "Model not recorded",
        "detail": "",
        "sum": {
          "usd": 0.0,
          "calls": 2,
          "unpricedCalls": 2,
          "cutOffCalls": 0,
          "inputTokens": 2000,
          "outputTokens": 300,
          "cachedTokens": 0
        },
        "cost": "2 calls without a known price"
      }
    ],
    "total": {
      "title": "Total",
      "detail": "",
      "sum": {
        "usd": 8.3345,
        "calls": 90,
        "unpricedCalls": 42,
        "cutOffCalls": 0,
        "inputTokens": 90000,
        "outputTokens": 13500,
        "cachedTokens": 0
      },
      "cost": "$8.3345 and 42 calls without a known price"
    },
    "parts": ["claude","openai/gpt-4.1","openai/gpt-4.1-mini","ollama/qwen3","Model not recorded"],
    "bars": [
      {
        "day": "2026-03-01",
        "parts": [
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          }
        ],
        "sum": {
          "usd": 0.0,
          "calls": 0,
          "unpricedCalls": 0,
          "cutOffCalls": 0,
          "inputTokens": 0,
          "outputTokens": 0,
          "cachedTokens": 0
        },
        "cost": "$0.00"
      },
      {
        "day": "2026-03-02",
        "parts": [
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 1.25,
            "calls": 12,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 12000,
            "outputTokens": 1800,
            "cachedTokens": 0
          },
          {
            "usd": 0.084,
            "calls": 12,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 12000,
            "outputTokens": 1800,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          }
        ],
        "sum": {
          "usd": 1.334,
          "calls": 24,
          "unpricedCalls": 0,
          "cutOffCalls": 0,
          "inputTokens": 24000,
          "outputTokens": 3600,
          "cachedTokens": 0
        },
        "cost": "$1.334"
      },
      {
        "day": "2026-03-03",
        "parts": [
          {
            "usd": 4.1,
            "calls": 3,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 3000,
            "outputTokens": 450,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          }
        ],
        "sum": {
          "usd": 4.1,
          "calls": 3,
          "unpricedCalls": 0,
          "cutOffCalls": 0,
          "inputTokens": 3000,
          "outputTokens": 450,
          "cachedTokens": 0
        },
        "cost": "$4.10"
      },
      {
        "day": "2026-03-04",
        "parts": [
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          }
        ],
        "sum": {
          "usd": 0.0,
          "calls": 0,
          "unpricedCalls": 0,
          "cutOffCalls": 0,
          "inputTokens": 0,
          "outputTokens": 0,
          "cachedTokens": 0
        },
        "cost": "$0.00"
      },
      {
        "day": "2026-03-05",
        "parts": [
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 2.0,
            "calls": 20,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 20000,
            "outputTokens": 3000,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 40,
            "unpricedCalls": 40,
            "cutOffCalls": 0,
            "inputTokens": 40000,
            "outputTokens": 6000,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 2,
            "unpricedCalls": 2,
            "cutOffCalls": 0,
            "inputTokens": 2000,
            "outputTokens": 300,
            "cachedTokens": 0
          }
        ],
        "sum": {
          "usd": 2.0,
          "calls": 62,
          "unpricedCalls": 42,
          "cutOffCalls": 0,
          "inputTokens": 62000,
          "outputTokens": 9300,
          "cachedTokens": 0
        },
        "cost": "$2.00 and 42 calls without a known price"
      },
      {
        "day": "2026-03-06",
        "parts": [
          {
            "usd": 0.9005,
            "calls": 1,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 1000,
            "outputTokens": 150,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          }
        ],
        "sum": {
          "usd": 0.9005,
          "calls": 1,
          "unpricedCalls": 0,
          "cutOffCalls": 0,
          "inputTokens": 1000,
          "outputTokens": 150,
          "cachedTokens": 0
        },
        "cost": "$0.9005"
      },
      {
        "day": "2026-03-07",
        "parts": [
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          }
        ],
        "sum": {
          "usd": 0.0,
          "calls": 0,
          "unpricedCalls": 0,
          "cutOffCalls": 0,
          "inputTokens": 0,
          "outputTokens": 0,
          "cachedTokens": 0
        },
        "cost": "$0.00"
      }
    ],
    "flows": ["Repair","Self-Refine","Translate"],
    "uncountedRuns": 0
  },
  "node": {
    "by": "node",
    "since": "2026-03-01",
    "until": "2026-03-07",
    "timeZone": "UTC",
    "lines": [
      {
        "title": "repair/agent",
        "detail": "Repair",
        "sum": {
          "usd": 5.0005,
          "calls": 6,
          "unpricedCalls": 2,
          "cutOffCalls": 0,
          "inputTokens": 6000,
          "outputTokens": 900,
          "cachedTokens": 0
        },
        "cost": "$5.0005 and 2 calls without a known price"
      },
      {
        "title": "refine/draft",
        "detail": "Self-Refine",
        "sum": {
          "usd": 3.25,
          "calls": 32,
          "unpricedCalls": 0,
          "cutOffCalls": 0,
          "inputTokens": 32000,
          "outputTokens": 4800,
          "cachedTokens": 0
        },
        "cost": "$3.25"
      },
      {
        "title": "refine/critique",
        "detail": "Self-Refine",
        "sum": {
          "usd": 0.084,
          "calls": 12,
          "unpricedCalls": 0,
          "cutOffCalls": 0,
          "inputTokens": 12000,
          "outputTokens": 1800,
          "cachedTokens": 0
        },
        "cost": "$0.084"
      },
      {
        "title": "each/translate",
        "detail": "Translate",
        "sum": {
          "usd": 0.0,
          "calls": 40,
          "unpricedCalls": 40,
          "cutOffCalls": 0,
          "inputTokens": 40000,
          "outputTokens": 6000,
          "cachedTokens": 0
        },
        "cost": "40 calls without a known price"
      }
    ],
    "total": {
      "title": "Total",
      "detail": "",
      "sum": {
        "usd": 8.3345,
        "calls": 90,
        "unpricedCalls": 42,
        "cutOffCalls": 0,
        "inputTokens": 90000,
        "outputTokens": 13500,
        "cachedTokens": 0
      },
      "cost": "$8.3345 and 42 calls without a known price"
    },
    "parts": ["claude","openai/gpt-4.1","openai/gpt-4.1-mini","ollama/qwen3","Model not recorded"],
    "bars": [
      {
        "day": "2026-03-01",
        "parts": [
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          }
        ],
        "sum": {
          "usd": 0.0,
          "calls": 0,
          "unpricedCalls": 0,
          "cutOffCalls": 0,
          "inputTokens": 0,
          "outputTokens": 0,
          "cachedTokens": 0
        },
        "cost": "$0.00"
      },
      {
        "day": "2026-03-02",
        "parts": [
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 1.25,
            "calls": 12,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 12000,
            "outputTokens": 1800,
            "cachedTokens": 0
          },
          {
            "usd": 0.084,
            "calls": 12,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 12000,
            "outputTokens": 1800,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          }
        ],
        "sum": {
          "usd": 1.334,
          "calls": 24,
          "unpricedCalls": 0,
          "cutOffCalls": 0,
          "inputTokens": 24000,
          "outputTokens": 3600,
          "cachedTokens": 0
        },
        "cost": "$1.334"
      },
      {
        "day": "2026-03-03",
        "parts": [
          {
            "usd": 4.1,
            "calls": 3,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 3000,
            "outputTokens": 450,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          }
        ],
        "sum": {
          "usd": 4.1,
          "calls": 3,
          "unpricedCalls": 0,
          "cutOffCalls": 0,
          "inputTokens": 3000,
          "outputTokens": 450,
          "cachedTokens": 0
        },
        "cost": "$4.10"
      },
      {
        "day": "2026-03-04",
        "parts": [
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          }
        ],
        "sum": {
          "usd": 0.0,
          "calls": 0,
          "unpricedCalls": 0,
          "cutOffCalls": 0,
          "inputTokens": 0,
          "outputTokens": 0,
          "cachedTokens": 0
        },
        "cost": "$0.00"
      },
      {
        "day": "2026-03-05",
        "parts": [
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 2.0,
            "calls": 20,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 20000,
            "outputTokens": 3000,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 40,
            "unpricedCalls": 40,
            "cutOffCalls": 0,
            "inputTokens": 40000,
            "outputTokens": 6000,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 2,
            "unpricedCalls": 2,
            "cutOffCalls": 0,
            "inputTokens": 2000,
            "outputTokens": 300,
            "cachedTokens": 0
          }
        ],
        "sum": {
          "usd": 2.0,
          "calls": 62,
          "unpricedCalls": 42,
          "cutOffCalls": 0,
          "inputTokens": 62000,
          "outputTokens": 9300,
          "cachedTokens": 0
        },
        "cost": "$2.00 and 42 calls without a known price"
      },
      {
        "day": "2026-03-06",
        "parts": [
          {
            "usd": 0.9005,
            "calls": 1,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 1000,
            "outputTokens": 150,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          }
        ],
        "sum": {
          "usd": 0.9005,
          "calls": 1,
          "unpricedCalls": 0,
          "cutOffCalls": 0,
          "inputTokens": 1000,
          "outputTokens": 150,
          "cachedTokens": 0
        },
        "cost": "$0.9005"
      },
      {
        "day": "2026-03-07",
        "parts": [
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          },
          {
            "usd": 0.0,
            "calls": 0,
            "unpricedCalls": 0,
            "cutOffCalls": 0,
            "inputTokens": 0,
            "outputTokens": 0,
            "cachedTokens": 0
          }
        ],
        "sum": {
          "usd": 0.0,
          "calls": 0,
          "unpricedCalls": 0,
          "cutOffCalls": 0,
          "inputTokens": 0,
          "outputTokens": 0,
          "cachedTokens": 0
        },
        "cost": "$0.00"
      }
    ],
    "flows": ["Repair","Self-Refine","Translate"],
    "uncountedRuns": 0
  }
};

export const noCosts: Reply<"costs"> = {
  "by": "day",
  "since": "2026-03-01",
  "until": "2026-03-01",
  "timeZone": "UTC",
  "lines": [],
  "total": {
    "title": "Total",
    "detail": "",
    "sum": {"usd":0.0,"calls":0,"unpricedCalls":0,"cutOffCalls":0,"inputTokens":0,"outputTokens":0,"cachedTokens":0},
    "cost": "$0.00"
  },
  "parts": [],
  "bars": [
    {
      "day": "2026-03-01",
      "parts": [],
      "sum": {
        "usd": 0.0,
        "calls": 0,
        "unpricedCalls": 0,
        "cutOffCalls": 0,
        "inputTokens": 0,
        "outputTokens": 0,
        "cachedTokens": 0
      },
      "cost": "$0.00"
    }
  ],
  "flows": [],
  "uncountedRuns": 0
};
