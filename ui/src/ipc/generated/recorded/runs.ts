// Runs of small flows. Recorded by `npm run codegen`. Do not edit.
import type { Backend } from "../../client";

type Reply<C extends keyof Backend> = Awaited<ReturnType<Backend[C]>>;
import type { ApiError } from "../bindings";

/** A run: what preceded it, its events as they came, and what can be read of it afterwards. */
export interface RecordedRun {
  readonly preparation: Reply<"prepareRun">;
  readonly events: Reply<"runEvents">;
  readonly detail: Reply<"runDetail">;
  readonly outline: Reply<"runOutline">;
  /** The finished iterations of each loop, by its path. */
  readonly iterations: { readonly [scope: string]: Reply<"runIterations"> };
  readonly steps: { readonly [path: string]: Reply<"stepDetail"> };
}

export const threeIterations: RecordedRun = {
  "preparation": {
    "id": "threeIterations",
    "problems": [],
    "runnable": true,
    "mostItCanCost": {
      "maxCalls": 3,
      "maxUsd": 0.001421,
      "maxTokens": 2650,
      "agentTurns": 0,
      "unknown": [],
      "unbounded": [],
      "note": "at most 3 calls, $0.001421"
    },
    "needs": {"flow":"content:479ee3791ddf5269","digest":"af1349b9f5f9a1a6","needs":[],"missing":0}
  },
  "events": [
    {
      "run_id": "threeIterations",
      "seq": 0,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": null,
      "path": "",
      "type": "workflow.started",
      "name": "Three iterations",
      "inputs": {}
    },
    {
      "run_id": "threeIterations",
      "seq": 1,
      "at": "2026-01-01T00:00:00.100Z",
      "node_id": "topic",
      "path": "topic",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": null
    },
    {
      "run_id": "threeIterations",
      "seq": 2,
      "at": "2026-01-01T00:00:00.200Z",
      "node_id": "topic",
      "path": "topic",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "bread",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "threeIterations",
      "seq": 3,
      "at": "2026-01-01T00:00:00.300Z",
      "node_id": "refine",
      "path": "refine",
      "type": "workflow.node.started",
      "max_iterations": 3,
      "input_preview": "bread"
    },
    {
      "run_id": "threeIterations",
      "seq": 4,
      "at": "2026-01-01T00:00:00.400Z",
      "node_id": "refine",
      "path": "refine",
      "type": "workflow.node.iteration",
      "index": 0,
      "total": 3,
      "input_preview": "bread"
    },
    {
      "run_id": "threeIterations",
      "seq": 5,
      "at": "2026-01-01T00:00:00.500Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "bread"
    },
    {
      "run_id": "threeIterations",
      "seq": 5,
      "at": "2026-01-01T00:00:00.600Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "draft "
    },
    {
      "run_id": "threeIterations",
      "seq": 5,
      "at": "2026-01-01T00:00:00.700Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "1"
    },
    {
      "run_id": "threeIterations",
      "seq": 6,
      "at": "2026-01-01T00:00:00.800Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.completed",
      "duration_ms": 300,
      "usage": {"calls":1,"input_tokens":4,"output_tokens":2,"cost_usd":5e-6,"longest_prompt":4},
      "preview": "draft 1",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": "openai/gpt-4.1-mini",
      "pinned": false
    },
    {
      "run_id": "threeIterations",
      "seq": 7,
      "at": "2026-01-01T00:00:00.900Z",
      "node_id": "critique",
      "path": "refine[1]/critique",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "draft 1"
    },
    {
      "run_id": "threeIterations",
      "seq": 8,
      "at": "2026-01-01T00:00:01.000Z",
      "node_id": "critique",
      "path": "refine[1]/critique",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "critique 1",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "threeIterations",
      "seq": 9,
      "at": "2026-01-01T00:00:01.100Z",
      "node_id": "refine",
      "path": "refine",
      "type": "workflow.loop.iteration_completed",
      "index": 0,
      "similarity": null,
      "condition_result": null,
      "score": null,
      "duration_ms": 700,
      "usage": {"calls":1,"input_tokens":4,"output_tokens":2,"cost_usd":5e-6,"longest_prompt":4},
      "result_preview": "draft 1",
      "reached_exit": true,
      "status": "completed"
    },
    {
      "run_id": "threeIterations",
      "seq": 10,
      "at": "2026-01-01T00:00:01.200Z",
      "node_id": "refine",
      "path": "refine",
      "type": "workflow.node.iteration",
      "index": 1,
      "total": 3,
      "input_preview": "critique 1"
    },
    {
      "run_id": "threeIterations",
      "seq": 11,
      "at": "2026-01-01T00:00:01.300Z",
      "node_id": "draft",
      "path": "refine[2]/draft",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "critique 1"
    },
    {
      "run_id": "threeIterations",
      "seq": 11,
      "at": "2026-01-01T00:00:01.400Z",
      "node_id": "draft",
      "path": "refine[2]/draft",
      "type": "workflow.node.streaming",
      "tokens": "draft "
    },
    {
      "run_id": "threeIterations",
      "seq": 11,
      "at": "2026-01-01T00:00:01.500Z",
      "node_id": "draft",
      "path": "refine[2]/draft",
      "type": "workflow.node.streaming",
      "tokens": "2"
    },
    {
      "run_id": "threeIterations",
      "seq": 12,
      "at": "2026-01-01T00:00:01.600Z",
      "node_id": "draft",
      "path": "refine[2]/draft",
      "type": "workflow.node.completed",
      "duration_ms": 300,
      "usage": {"calls":1,"input_tokens":4,"output_tokens":2,"cost_usd":5e-6,"longest_prompt":4},
      "preview": "draft 2",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": "openai/gpt-4.1-mini",
      "pinned": false
    },
    {
      "run_id": "threeIterations",
      "seq": 13,
      "at": "2026-01-01T00:00:01.700Z",
      "node_id": "critique",
      "path": "refine[2]/critique",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "draft 2"
    },
    {
      "run_id": "threeIterations",
      "seq": 14,
      "at": "2026-01-01T00:00:01.800Z",
      "node_id": "critique",
      "path": "refine[2]/critique",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "critique 2",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "threeIterations",
      "seq": 15,
      "at": "2026-01-01T00:00:01.900Z",
      "node_id": "refine",
      "path": "refine",
      "type": "workflow.loop.iteration_completed",
      "index": 1,
      "similarity": null,
      "condition_result": null,
      "score": null,
      "duration_ms": 700,
      "usage": {"calls":1,"input_tokens":4,"output_tokens":2,"cost_usd":5e-6,"longest_prompt":4},
      "result_preview": "draft 2",
      "reached_exit": true,
      "status": "completed"
    },
    {
      "run_id": "threeIterations",
      "seq": 16,
      "at": "2026-01-01T00:00:02.000Z",
      "node_id": "refine",
      "path": "refine",
      "type": "workflow.node.iteration",
      "index": 2,
      "total": 3,
      "input_preview": "critique 2"
    },
    {
      "run_id": "threeIterations",
      "seq": 17,
      "at": "2026-01-01T00:00:02.100Z",
      "node_id": "draft",
      "path": "refine[3]/draft",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "critique 2"
    },
    {
      "run_id": "threeIterations",
      "seq": 17,
      "at": "2026-01-01T00:00:02.200Z",
      "node_id": "draft",
      "path": "refine[3]/draft",
      "type": "workflow.node.streaming",
      "tokens": "draft "
    },
    {
      "run_id": "threeIterations",
      "seq": 17,
      "at": "2026-01-01T00:00:02.300Z",
      "node_id": "draft",
      "path": "refine[3]/draft",
      "type": "workflow.node.streaming",
      "tokens": "3"
    },
    {
      "run_id": "threeIterations",
      "seq": 18,
      "at": "2026-01-01T00:00:02.400Z",
      "node_id": "draft",
      "path": "refine[3]/draft",
      "type": "workflow.node.completed",
      "duration_ms": 300,
      "usage": {"calls":1,"input_tokens":4,"output_tokens":2,"cost_usd":5e-6,"longest_prompt":4},
      "preview": "draft 3",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": "openai/gpt-4.1-mini",
      "pinned": false
    },
    {
      "run_id": "threeIterations",
      "seq": 19,
      "at": "2026-01-01T00:00:02.500Z",
      "node_id": "critique",
      "path": "refine[3]/critique",
      "type": "workflow.node.skipped",
      "reason": "not run: last iteration",
      "cause": "last_iteration"
    },
    {
      "run_id": "threeIterations",
      "seq": 20,
      "at": "2026-01-01T00:00:02.600Z",
      "node_id": "refine",
      "path": "refine",
      "type": "workflow.loop.iteration_completed",
      "index": 2,
      "similarity": null,
      "condition_result": null,
      "score": null,
      "duration_ms": 600,
      "usage": {"calls":1,"input_tokens":4,"output_tokens":2,"cost_usd":5e-6,"longest_prompt":4},
      "result_preview": "draft 3",
      "reached_exit": true,
      "status": "completed"
    },
    {
      "run_id": "threeIterations",
      "seq": 21,
      "at": "2026-01-01T00:00:02.700Z",
      "node_id": "refine",
      "path": "refine",
      "type": "workflow.node.completed",
      "duration_ms": 2400,
      "usage": {"calls":3,"input_tokens":12,"output_tokens":6,"cost_usd":0.000015,"longest_prompt":4},
      "preview": "draft 3",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": 3,
      "exit_reason": "max_iterations",
      "exhausted": false,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "threeIterations",
      "seq": 22,
      "at": "2026-01-01T00:00:02.800Z",
      "node_id": "exit",
      "path": "exit",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "draft 3"
    },
    {
      "run_id": "threeIterations",
      "seq": 23,
      "at": "2026-01-01T00:00:02.900Z",
      "node_id": "exit",
      "path": "exit",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "draft 3",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "threeIterations",
      "seq": 24,
      "at": "2026-01-01T00:00:03.000Z",
      "node_id": "out",
      "path": "out",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "draft 3"
    },
    {
      "run_id": "threeIterations",
      "seq": 25,
      "at": "2026-01-01T00:00:03.100Z",
      "node_id": "out",
      "path": "out",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "draft 3",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "threeIterations",
      "seq": 26,
      "at": "2026-01-01T00:00:03.200Z",
      "node_id": null,
      "path": "",
      "type": "workflow.completed",
      "outputs": {"result":"draft 3"},
      "duration_ms": 3200,
      "usage": {"calls":3,"input_tokens":12,"output_tokens":6,"cost_usd":0.000015,"longest_prompt":4},
      "warnings": []
    }
  ],
  "detail": {
    "summary": {
      "runId": "threeIterations",
      "flow": "Three iterations",
      "flowPath": null,
      "status": "completed",
      "startedAt": "2026-01-01T00:00:00.000Z",
      "durationMs": 3200,
      "usage": {"calls":3,"input_tokens":12,"output_tokens":6,"cost_usd":0.000015,"longest_prompt":4},
      "warnings": [],
      "iterations": 3,
      "exitReason": "max_iterations",
      "forkedFrom": null,
      "name": null,
      "starred": false,
      "parked": null,
      "expiresAt": null,
      "schedule": null
    },
    "document": {
      "schemaVersion": 1,
      "name": "Three iterations",
      "nodes": [
        {"id":"topic","type":"input","position":{"x":0,"y":0},"data":{"name":"topic","default":"bread"}},
        {"id":"refine","type":"loop","position":{"x":200,"y":0},"data":{"maxIterations":3}},
        {
          "id": "draft",
          "type": "llm",
          "position": {"x":400,"y":0},
          "data": {
            "prompt": "{{ run.inputs.topic }} Say: draft {{ loopCount }}",
            "provider": "openai",
            "model": "gpt-4.1-mini",
            "temperature": 0,
            "maxTokens": 100
          }
        },
        {
          "id": "critique",
          "type": "transform",
          "position": {"x":400,"y":200},
          "data": {"template":"critique {{ loopCount }}"}
        },
        {"id":"exit","type":"exit","position":{"x":600,"y":0},"data":{}},
        {"id":"out","type":"output","position":{"x":1000,"y":0},"data":{"name":"result"}}
      ],
      "edges": [
        {"id":"e1","source":"topic","sourceHandle":"value","target":"refine"},
        {"id":"e2","source":"refine","sourceHandle":"body","target":"draft"},
        {"id":"e3","source":"draft","sourceHandle":"response","target":"exit"},
        {"id":"e4","source":"draft","sourceHandle":"response","target":"critique"},
        {"id":"e5","source":"critique","sourceHandle":"output","target":"refine","targetHandle":"feedback"},
        {"id":"e6","source":"exit","sourceHandle":"output","target":"out"}
      ],
      "settings": {
        "retry": {
          "type": "exponential",
          "count": 3,
          "interval": "PT2S",
          "maxInterval": "PT1M",
          "on": ["timeout","network","truncated","408","429","5xx"]
        }
      }
    },
    "inputs": {},
    "outputs": {"result":"draft 3"},
    "error": null,
    "pins": {},
    "until": null,
    "origin": null,
    "budget": null,
    "overBudget": false,
    "overSpendingLimit": false
  },
  "outline": [
    {
      "run_id": "threeIterations",
      "seq": 0,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": null,
      "path": "",
      "type": "workflow.started",
      "name": "Three iterations",
      "inputs": {}
    },
    {
      "run_id": "threeIterations",
      "seq": 1,
      "at": "2026-01-01T00:00:00.100Z",
      "node_id": "topic",
      "path": "topic",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": null
    },
    {
      "run_id": "threeIterations",
      "seq": 2,
      "at": "2026-01-01T00:00:00.200Z",
      "node_id": "topic",
      "path": "topic",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "bread",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "threeIterations",
      "seq": 3,
      "at": "2026-01-01T00:00:00.300Z",
      "node_id": "refine",
      "path": "refine",
      "type": "workflow.node.started",
      "max_iterations": 3,
      "input_preview": "bread"
    },
    {
      "run_id": "threeIterations",
      "seq": 21,
      "at": "2026-01-01T00:00:02.700Z",
      "node_id": "refine",
      "path": "refine",
      "type": "workflow.node.completed",
      "duration_ms": 2400,
      "usage": {"calls":3,"input_tokens":12,"output_tokens":6,"cost_usd":0.000015,"longest_prompt":4},
      "preview": "draft 3",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": 3,
      "exit_reason": "max_iterations",
      "exhausted": false,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "threeIterations",
      "seq": 22,
      "at": "2026-01-01T00:00:02.800Z",
      "node_id": "exit",
      "path": "exit",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "draft 3"
    },
    {
      "run_id": "threeIterations",
      "seq": 23,
      "at": "2026-01-01T00:00:02.900Z",
      "node_id": "exit",
      "path": "exit",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "draft 3",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "threeIterations",
      "seq": 24,
      "at": "2026-01-01T00:00:03.000Z",
      "node_id": "out",
      "path": "out",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "draft 3"
    },
    {
      "run_id": "threeIterations",
      "seq": 25,
      "at": "2026-01-01T00:00:03.100Z",
      "node_id": "out",
      "path": "out",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "draft 3",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "threeIterations",
      "seq": 26,
      "at": "2026-01-01T00:00:03.200Z",
      "node_id": null,
      "path": "",
      "type": "workflow.completed",
      "outputs": {"result":"draft 3"},
      "duration_ms": 3200,
      "usage": {"calls":3,"input_tokens":12,"output_tokens":6,"cost_usd":0.000015,"longest_prompt":4},
      "warnings": []
    }
  ],
  "iterations": {
    "refine": {
      "total": 3,
      "iterations": [
        {
          "index": 0,
          "status": "completed",
          "similarity": null,
          "conditionResult": null,
          "score": null,
          "durationMs": 700,
          "usage": {"calls":1,"input_tokens":4,"output_tokens":2,"cost_usd":5e-6,"longest_prompt":4},
          "resultPreview": "draft 1",
          "reachedExit": true
        },
        {
          "index": 1,
          "status": "completed",
          "similarity": null,
          "conditionResult": null,
          "score": null,
          "durationMs": 700,
          "usage": {"calls":1,"input_tokens":4,"output_tokens":2,"cost_usd":5e-6,"longest_prompt":4},
          "resultPreview": "draft 2",
          "reachedExit": true
        },
        {
          "index": 2,
          "status": "completed",
          "similarity": null,
          "conditionResult": null,
          "score": null,
          "durationMs": 600,
          "usage": {"calls":1,"input_tokens":4,"output_tokens":2,"cost_usd":5e-6,"longest_prompt":4},
          "resultPreview": "draft 3",
          "reachedExit": true
        }
      ]
    }
  },
  "steps": {
    "exit": {
      "path": "exit",
      "node_id": "exit",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {"input":"draft 3"},
      "output": "draft 3",
      "handles": {"output":"draft 3"},
      "prompt": null,
      "raw": null,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "durationMs": 100,
      "model": null,
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    },
    "out": {
      "path": "out",
      "node_id": "out",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {"value":"draft 3"},
      "output": "draft 3",
      "handles": {},
      "prompt": null,
      "raw": null,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "durationMs": 100,
      "model": null,
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    },
    "refine": {
      "path": "refine",
      "node_id": "refine",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {"input":"bread"},
      "output": "draft 3",
      "handles": {"output":"draft 3","count":3,"exitReason":"max_iterations"},
      "prompt": null,
      "raw": null,
      "usage": {"calls":3,"input_tokens":12,"output_tokens":6,"cost_usd":0.000015,"longest_prompt":4},
      "durationMs": 2400,
      "model": null,
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    },
    "refine[1]/critique": {
      "path": "refine[1]/critique",
      "node_id": "critique",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {"input":"draft 1"},
      "output": "critique 1",
      "handles": {"output":"critique 1"},
      "prompt": null,
      "raw": null,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "durationMs": 100,
      "model": null,
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    },
    "refine[1]/draft": {
      "path": "refine[1]/draft",
      "node_id": "draft",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {"prompt":"bread"},
      "output": "draft 1",
      "handles": {
        "response": "draft 1",
        "usage": {"calls":1,"inputTokens":4,"outputTokens":2,"costUsd":5e-6,"cachedTokens":0,"reasoningTokens":0}
      },
      "prompt": "bread Say: draft 1",
      "raw": {
        "id": null,
        "model": "gpt-4.1-mini",
        "text": "draft 1",
        "finishReason": "stop",
        "inputTokens": 4,
        "outputTokens": 2,
        "cachedTokens": 0,
        "reasoningTokens": 0
      },
      "usage": {"calls":1,"input_tokens":4,"output_tokens":2,"cost_usd":5e-6,"longest_prompt":4},
      "durationMs": 300,
      "model": "openai/gpt-4.1-mini",
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    },
    "refine[2]/critique": {
      "path": "refine[2]/critique",
      "node_id": "critique",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {"input":"draft 2"},
      "output": "critique 2",
      "handles": {"output":"critique 2"},
      "prompt": null,
      "raw": null,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "durationMs": 100,
      "model": null,
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    },
    "refine[2]/draft": {
      "path": "refine[2]/draft",
      "node_id": "draft",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {"prompt":"critique 1"},
      "output": "draft 2",
      "handles": {
        "response": "draft 2",
        "usage": {"calls":1,"inputTokens":4,"outputTokens":2,"costUsd":5e-6,"cachedTokens":0,"reasoningTokens":0}
      },
      "prompt": "bread Say: draft 2",
      "raw": {
        "id": null,
        "model": "gpt-4.1-mini",
        "text": "draft 2",
        "finishReason": "stop",
        "inputTokens": 4,
        "outputTokens": 2,
        "cachedTokens": 0,
        "reasoningTokens": 0
      },
      "usage": {"calls":1,"input_tokens":4,"output_tokens":2,"cost_usd":5e-6,"longest_prompt":4},
      "durationMs": 300,
      "model": "openai/gpt-4.1-mini",
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    },
    "refine[3]/draft": {
      "path": "refine[3]/draft",
      "node_id": "draft",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {"prompt":"critique 2"},
      "output": "draft 3",
      "handles": {
        "response": "draft 3",
        "usage": {"calls":1,"inputTokens":4,"outputTokens":2,"costUsd":5e-6,"cachedTokens":0,"reasoningTokens":0}
      },
      "prompt": "bread Say: draft 3",
      "raw": {
        "id": null,
        "model": "gpt-4.1-mini",
        "text": "draft 3",
        "finishReason": "stop",
        "inputTokens": 4,
        "outputTokens": 2,
        "cachedTokens": 0,
        "reasoningTokens": 0
      },
      "usage": {"calls":1,"input_tokens":4,"output_tokens":2,"cost_usd":5e-6,"longest_prompt":4},
      "durationMs": 300,
      "model": "openai/gpt-4.1-mini",
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    },
    "topic": {
      "path": "topic",
      "node_id": "topic",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {},
      "output": "bread",
      "handles": {"value":"bread"},
      "prompt": null,
      "raw": null,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "durationMs": 100,
      "model": null,
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    }
  }
};

export const settles: RecordedRun = {
  "preparation": {
    "id": "settles",
    "problems": [],
    "runnable": true,
    "mostItCanCost": {
      "maxCalls": 4,
      "maxUsd": 0.00192,
      "maxTokens": 3596,
      "agentTurns": 0,
      "unknown": [],
      "unbounded": [],
      "note": "at most 4 calls, $0.00192"
    },
    "needs": {"flow":"content:16849401ca1e5855","digest":"af1349b9f5f9a1a6","needs":[],"missing":0}
  },
  "events": [
    {
      "run_id": "settles",
      "seq": 0,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": null,
      "path": "",
      "type": "workflow.started",
      "name": "Settles",
      "inputs": {}
    },
    {
      "run_id": "settles",
      "seq": 1,
      "at": "2026-01-01T00:00:00.100Z",
      "node_id": "topic",
      "path": "topic",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": null
    },
    {
      "run_id": "settles",
      "seq": 2,
      "at": "2026-01-01T00:00:00.200Z",
      "node_id": "topic",
      "path": "topic",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "bread",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "settles",
      "seq": 3,
      "at": "2026-01-01T00:00:00.300Z",
      "node_id": "refine",
      "path": "refine",
      "type": "workflow.node.started",
      "max_iterations": 4,
      "input_preview": "bread"
    },
    {
      "run_id": "settles",
      "seq": 4,
      "at": "2026-01-01T00:00:00.400Z",
      "node_id": "refine",
      "path": "refine",
      "type": "workflow.node.iteration",
      "index": 0,
      "total": 4,
      "input_preview": "bread"
    },
    {
      "run_id": "settles",
      "seq": 5,
      "at": "2026-01-01T00:00:00.500Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "bread"
    },
    {
      "run_id": "settles",
      "seq": 5,
      "at": "2026-01-01T00:00:00.600Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "draft "
    },
    {
      "run_id": "settles",
      "seq": 5,
      "at": "2026-01-01T00:00:00.700Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "1"
    },
    {
      "run_id": "settles",
      "seq": 6,
      "at": "2026-01-01T00:00:00.800Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.completed",
      "duration_ms": 300,
      "usage": {"calls":1,"input_tokens":4,"output_tokens":2,"cost_usd":5e-6,"longest_prompt":4},
      "preview": "draft 1",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": "openai/gpt-4.1-mini",
      "pinned": false
    },
    {
      "run_id": "settles",
      "seq": 7,
      "at": "2026-01-01T00:00:00.900Z",
      "node_id": "refine",
      "path": "refine",
      "type": "workflow.loop.condition",
      "index": 0,
      "result": false
    },
    {
      "run_id": "settles",
      "seq": 8,
      "at": "2026-01-01T00:00:01.000Z",
      "node_id": "critique",
      "path": "refine[1]/critique",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "draft 1"
    },
    {
      "run_id": "settles",
      "seq": 9,
      "at": "2026-01-01T00:00:01.100Z",
      "node_id": "critique",
      "path": "refine[1]/critique",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "critique 1",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "settles",
      "seq": 10,
      "at": "2026-01-01T00:00:01.200Z",
      "node_id": "refine",
      "path": "refine",
      "type": "workflow.loop.iteration_completed",
      "index": 0,
      "similarity": null,
      "condition_result": false,
      "score": null,
      "duration_ms": 800,
      "usage": {"calls":1,"input_tokens":4,"output_tokens":2,"cost_usd":5e-6,"longest_prompt":4},
      "result_preview": "draft 1",
      "reached_exit": true,
      "status": "completed"
    },
    {
      "run_id": "settles",
      "seq": 11,
      "at": "2026-01-01T00:00:01.300Z",
      "node_id": "refine",
      "path": "refine",
      "type": "workflow.node.iteration",
      "index": 1,
      "total": 4,
      "input_preview": "critique 1"
    },
    {
      "run_id": "settles",
      "seq": 12,
      "at": "2026-01-01T00:00:01.400Z",
      "node_id": "draft",
      "path": "refine[2]/draft",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "critique 1"
    },
    {
      "run_id": "settles",
      "seq": 12,
      "at": "2026-01-01T00:00:01.500Z",
      "node_id": "draft",
      "path": "refine[2]/draft",
      "type": "workflow.node.streaming",
      "tokens": "draft "
    },
    {
      "run_id": "settles",
      "seq": 12,
      "at": "2026-01-01T00:00:01.600Z",
      "node_id": "draft",
      "path": "refine[2]/draft",
      "type": "workflow.node.streaming",
      "tokens": "2"
    },
    {
      "run_id": "settles",
      "seq": 13,
      "at": "2026-01-01T00:00:01.700Z",
      "node_id": "draft",
      "path": "refine[2]/draft",
      "type": "workflow.node.completed",
      "duration_ms": 300,
      "usage": {"calls":1,"input_tokens":4,"output_tokens":2,"cost_usd":5e-6,"longest_prompt":4},
      "preview": "draft 2",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": "openai/gpt-4.1-mini",
      "pinned": false
    },
    {
      "run_id": "settles",
      "seq": 14,
      "at": "2026-01-01T00:00:01.800Z",
      "node_id": "refine",
      "path": "refine",
      "type": "workflow.loop.condition",
      "index": 1,
      "result": true
    },
    {
      "run_id": "settles",
      "seq": 15,
      "at": "2026-01-01T00:00:01.900Z",
      "node_id": "critique",
      "path": "refine[2]/critique",
      "type": "workflow.node.skipped",
      "reason": "not run: last iteration",
      "cause": "last_iteration"
    },
    {
      "run_id": "settles",
      "seq": 16,
      "at": "2026-01-01T00:00:02.000Z",
      "node_id": "refine",
      "path": "refine",
      "type": "workflow.loop.iteration_completed",
      "index": 1,
      "similarity": 0.8571428571428571,
      "condition_result": true,
      "score": null,
      "duration_ms": 700,
      "usage": {"calls":1,"input_tokens":4,"output_tokens":2,"cost_usd":5e-6,"longest_prompt":4},
      "result_preview": "draft 2",
      "reached_exit": true,
      "status": "completed"
    },
    {
      "run_id": "settles",
      "seq": 17,
      "at": "2026-01-01T00:00:02.100Z",
      "node_id": "refine",
      "path": "refine",
      "type": "workflow.node.completed",
      "duration_ms": 1800,
      "usage": {"calls":2,"input_tokens":8,"output_tokens":4,"cost_usd":0.00001,"longest_prompt":4},
      "preview": "draft 2",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": 2,
      "exit_reason": "stable_output",
      "exhausted": false,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "settles",
      "seq": 18,
      "at": "2026-01-01T00:00:02.200Z",
      "node_id": "exit",
      "path": "exit",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "draft 2"
    },
    {
      "run_id": "settles",
      "seq": 19,
      "at": "2026-01-01T00:00:02.300Z",
      "node_id": "exit",
      "path": "exit",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "draft 2",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "settles",
      "seq": 20,
      "at": "2026-01-01T00:00:02.400Z",
      "node_id": "out",
      "path": "out",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "draft 2"
    },
    {
      "run_id": "settles",
      "seq": 21,
      "at": "2026-01-01T00:00:02.500Z",
      "node_id": "out",
      "path": "out",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "draft 2",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "settles",
      "seq": 22,
      "at": "2026-01-01T00:00:02.600Z",
      "node_id": null,
      "path": "",
      "type": "workflow.completed",
      "outputs": {"result":"draft 2"},
      "duration_ms": 2600,
      "usage": {"calls":2,"input_tokens":8,"output_tokens":4,"cost_usd":0.00001,"longest_prompt":4},
      "warnings": []
    }
  ],
  "detail": {
    "summary": {
      "runId": "settles",
      "flow": "Settles",
      "flowPath": null,
      "status": "completed",
      "startedAt": "2026-01-01T00:00:00.000Z",
      "durationMs": 2600,
      "usage": {"calls":2,"input_tokens":8,"output_tokens":4,"cost_usd":0.00001,"longest_prompt":4},
      "warnings": [],
      "iterations": 2,
      "exitReason": "stable_output",
      "forkedFrom": null,
      "name": null,
      "starred": false,
      "parked": null,
      "expiresAt": null,
      "schedule": null
    },
    "document": {
      "schemaVersion": 1,
      "name": "Settles",
      "nodes": [
        {"id":"topic","type":"input","position":{"x":0,"y":0},"data":{"name":"topic","default":"bread"}},
        {
          "id": "refine",
          "type": "loop",
          "position": {"x":200,"y":0},
          "data": {"maxIterations":4,"exitCondition":"stable_output","stabilityThreshold":0.8}
        },
        {
          "id": "draft",
          "type": "llm",
          "position": {"x":400,"y":0},
          "data": {
            "prompt": "{{ run.inputs.topic }} Say: draft {{ loopCount }}",
            "provider": "openai",
            "model": "gpt-4.1-mini",
            "temperature": 0,
            "maxTokens": 100
          }
        },
        {
          "id": "critique",
          "type": "transform",
          "position": {"x":400,"y":200},
          "data": {"template":"critique {{ loopCount }}"}
        },
        {"id":"exit","type":"exit","position":{"x":600,"y":0},"data":{}},
        {"id":"out","type":"output","position":{"x":1000,"y":0},"data":{"name":"result"}}
      ],
      "edges": [
        {"id":"e1","source":"topic","sourceHandle":"value","target":"refine"},
        {"id":"e2","source":"refine","sourceHandle":"body","target":"draft"},
        {"id":"e3","source":"draft","sourceHandle":"response","target":"exit"},
        {"id":"e4","source":"draft","sourceHandle":"response","target":"critique"},
        {"id":"e5","source":"critique","sourceHandle":"output","target":"refine","targetHandle":"feedback"},
        {"id":"e6","source":"exit","sourceHandle":"output","target":"out"}
      ],
      "settings": {
        "retry": {
          "type": "exponential",
          "count": 3,
          "interval": "PT2S",
          "maxInterval": "PT1M",
          "on": ["timeout","network","truncated","408","429","5xx"]
        }
      }
    },
    "inputs": {},
    "outputs": {"result":"draft 2"},
    "error": null,
    "pins": {},
    "until": null,
    "origin": null,
    "budget": null,
    "overBudget": false,
    "overSpendingLimit": false
  },
  "outline": [
    {
      "run_id": "settles",
      "seq": 0,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": null,
      "path": "",
      "type": "workflow.started",
      "name": "Settles",
      "inputs": {}
    },
    {
      "run_id": "settles",
      "seq": 1,
      "at": "2026-01-01T00:00:00.100Z",
      "node_id": "topic",
      "path": "topic",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": null
    },
    {
      "run_id": "settles",
      "seq": 2,
      "at": "2026-01-01T00:00:00.200Z",
      "node_id": "topic",
      "path": "topic",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "bread",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "settles",
      "seq": 3,
      "at": "2026-01-01T00:00:00.300Z",
      "node_id": "refine",
      "path": "refine",
      "type": "workflow.node.started",
      "max_iterations": 4,
      "input_preview": "bread"
    },
    {
      "run_id": "settles",
      "seq": 17,
      "at": "2026-01-01T00:00:02.100Z",
      "node_id": "refine",
      "path": "refine",
      "type": "workflow.node.completed",
      "duration_ms": 1800,
      "usage": {"calls":2,"input_tokens":8,"output_tokens":4,"cost_usd":0.00001,"longest_prompt":4},
      "preview": "draft 2",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": 2,
      "exit_reason": "stable_output",
      "exhausted": false,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "settles",
      "seq": 18,
      "at": "2026-01-01T00:00:02.200Z",
      "node_id": "exit",
      "path": "exit",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "draft 2"
    },
    {
      "run_id": "settles",
      "seq": 19,
      "at": "2026-01-01T00:00:02.300Z",
      "node_id": "exit",
      "path": "exit",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "draft 2",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "settles",
      "seq": 20,
      "at": "2026-01-01T00:00:02.400Z",
      "node_id": "out",
      "path": "out",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "draft 2"
    },
    {
      "run_id": "settles",
      "seq": 21,
      "at": "2026-01-01T00:00:02.500Z",
      "node_id": "out",
      "path": "out",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "draft 2",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "settles",
      "seq": 22,
      "at": "2026-01-01T00:00:02.600Z",
      "node_id": null,
      "path": "",
      "type": "workflow.completed",
      "outputs": {"result":"draft 2"},
      "duration_ms": 2600,
      "usage": {"calls":2,"input_tokens":8,"output_tokens":4,"cost_usd":0.00001,"longest_prompt":4},
      "warnings": []
    }
  ],
  "iterations": {
    "refine": {
      "total": 2,
      "iterations": [
        {
          "index": 0,
          "status": "completed",
          "similarity": null,
          "conditionResult": false,
          "score": null,
          "durationMs": 800,
          "usage": {"calls":1,"input_tokens":4,"output_tokens":2,"cost_usd":5e-6,"longest_prompt":4},
          "resultPreview": "draft 1",
          "reachedExit": true
        },
        {
          "index": 1,
          "status": "completed",
          "similarity": 0.8571428571428571,
          "conditionResult": true,
          "score": null,
          "durationMs": 700,
          "usage": {"calls":1,"input_tokens":4,"output_tokens":2,"cost_usd":5e-6,"longest_prompt":4},
          "resultPreview": "draft 2",
          "reachedExit": true
        }
      ]
    }
  },
  "steps": {
    "exit": {
      "path": "exit",
      "node_id": "exit",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {"input":"draft 2"},
      "output": "draft 2",
      "handles": {"output":"draft 2"},
      "prompt": null,
      "raw": null,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "durationMs": 100,
      "model": null,
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    },
    "out": {
      "path": "out",
      "node_id": "out",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {"value":"draft 2"},
      "output": "draft 2",
      "handles": {},
      "prompt": null,
      "raw": null,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "durationMs": 100,
      "model": null,
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    },
    "refine": {
      "path": "refine",
      "node_id": "refine",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {"input":"bread"},
      "output": "draft 2",
      "handles": {"output":"draft 2","count":2,"exitReason":"stable_output"},
      "prompt": null,
      "raw": null,
      "usage": {"calls":2,"input_tokens":8,"output_tokens":4,"cost_usd":0.00001,"longest_prompt":4},
      "durationMs": 1800,
      "model": null,
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    },
    "refine[1]/critique": {
      "path": "refine[1]/critique",
      "node_id": "critique",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {"input":"draft 1"},
      "output": "critique 1",
      "handles": {"output":"critique 1"},
      "prompt": null,
      "raw": null,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "durationMs": 100,
      "model": null,
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    },
    "refine[1]/draft": {
      "path": "refine[1]/draft",
      "node_id": "draft",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {"prompt":"bread"},
      "output": "draft 1",
      "handles": {
        "response": "draft 1",
        "usage": {"calls":1,"inputTokens":4,"outputTokens":2,"costUsd":5e-6,"cachedTokens":0,"reasoningTokens":0}
      },
      "prompt": "bread Say: draft 1",
      "raw": {
        "id": null,
        "model": "gpt-4.1-mini",
        "text": "draft 1",
        "finishReason": "stop",
        "inputTokens": 4,
        "outputTokens": 2,
        "cachedTokens": 0,
        "reasoningTokens": 0
      },
      "usage": {"calls":1,"input_tokens":4,"output_tokens":2,"cost_usd":5e-6,"longest_prompt":4},
      "durationMs": 300,
      "model": "openai/gpt-4.1-mini",
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    },
    "refine[2]/draft": {
      "path": "refine[2]/draft",
      "node_id": "draft",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {"prompt":"critique 1"},
      "output": "draft 2",
      "handles": {
        "response": "draft 2",
        "usage": {"calls":1,"inputTokens":4,"outputTokens":2,"costUsd":5e-6,"cachedTokens":0,"reasoningTokens":0}
      },
      "prompt": "bread Say: draft 2",
      "raw": {
        "id": null,
        "model": "gpt-4.1-mini",
        "text": "draft 2",
        "finishReason": "stop",
        "inputTokens": 4,
        "outputTokens": 2,
        "cachedTokens": 0,
        "reasoningTokens": 0
      },
      "usage": {"calls":1,"input_tokens":4,"output_tokens":2,"cost_usd":5e-6,"longest_prompt":4},
      "durationMs": 300,
      "model": "openai/gpt-4.1-mini",
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    },
    "topic": {
      "path": "topic",
      "node_id": "topic",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {},
      "output": "bread",
      "handles": {"value":"bread"},
      "prompt": null,
      "raw": null,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "durationMs": 100,
      "model": null,
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    }
  }
};

export const evaluated: RecordedRun = {
  "preparation": {
    "id": "evaluated",
    "problems": [],
    "runnable": true,
    "mostItCanCost": {
      "maxCalls": 5,
      "maxUsd": 0.00278,
      "maxTokens": 5446,
      "agentTurns": 0,
      "unknown": [],
      "unbounded": [],
      "note": "at most 5 calls, $0.00278"
    },
    "needs": {"flow":"content:fb27051b41666301","digest":"af1349b9f5f9a1a6","needs":[],"missing":0}
  },
  "events": [
    {
      "run_id": "evaluated",
      "seq": 0,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": null,
      "path": "",
      "type": "workflow.started",
      "name": "Evaluated",
      "inputs": {}
    },
    {
      "run_id": "evaluated",
      "seq": 1,
      "at": "2026-01-01T00:00:00.100Z",
      "node_id": "topic",
      "path": "topic",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": null
    },
    {
      "run_id": "evaluated",
      "seq": 2,
      "at": "2026-01-01T00:00:00.200Z",
      "node_id": "topic",
      "path": "topic",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "bread",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "evaluated",
      "seq": 3,
      "at": "2026-01-01T00:00:00.300Z",
      "node_id": "refine",
      "path": "refine",
      "type": "workflow.node.started",
      "max_iterations": 5,
      "input_preview": "bread"
    },
    {
      "run_id": "evaluated",
      "seq": 4,
      "at": "2026-01-01T00:00:00.400Z",
      "node_id": "refine",
      "path": "refine",
      "type": "workflow.node.iteration",
      "index": 0,
      "total": 5,
      "input_preview": "bread"
    },
    {
      "run_id": "evaluated",
      "seq": 5,
      "at": "2026-01-01T00:00:00.500Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "bread"
    },
    {
      "run_id": "evaluated",
      "seq": 5,
      "at": "2026-01-01T00:00:00.600Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "draft "
    },
    {
      "run_id": "evaluated",
      "seq": 5,
      "at": "2026-01-01T00:00:00.700Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "1"
    },
    {
      "run_id": "evaluated",
      "seq": 6,
      "at": "2026-01-01T00:00:00.800Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.completed",
      "duration_ms": 300,
      "usage": {"calls":1,"input_tokens":4,"output_tokens":2,"cost_usd":5e-6,"longest_prompt":4},
      "preview": "draft 1",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": "openai/gpt-4.1-mini",
      "pinned": false
    },
    {
      "run_id": "evaluated",
      "seq": 7,
      "at": "2026-01-01T00:00:00.900Z",
      "node_id": "judge",
      "path": "refine[1]/judge",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "draft 1"
    },
    {
      "run_id": "evaluated",
      "seq": 8,
      "at": "2026-01-01T00:00:01.000Z",
      "node_id": "judge",
      "path": "refine[1]/judge",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "{\"selectedBranch\":\"continue\",\"value\":\"draft 1\",\"reason\":\"fallback: no rule is true\"}",
      "branch": "continue",
      "reason": "fallback: no rule is true",
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "evaluated",
      "seq": 9,
      "at": "2026-01-01T00:00:01.100Z",
      "node_id": "refine",
      "path": "refine",
      "type": "workflow.loop.condition",
      "index": 0,
      "result": false
    },
    {
      "run_id": "evaluated",
      "seq": 10,
      "at": "2026-01-01T00:00:01.200Z",
      "node_id": "refine",
      "path": "refine",
      "type": "workflow.loop.iteration_completed",
      "index": 0,
      "similarity": null,
      "condition_result": false,
      "score": null,
      "duration_ms": 800,
      "usage": {"calls":1,"input_tokens":4,"output_tokens":2,"cost_usd":5e-6,"longest_prompt":4},
      "result_preview": "draft 1",
      "reached_exit": false,
      "status": "completed"
    },
    {
      "run_id": "evaluated",
      "seq": 11,
      "at": "2026-01-01T00:00:01.300Z",
      "node_id": "refine",
      "path": "refine",
      "type": "workflow.node.iteration",
      "index": 1,
      "total": 5,
      "input_preview": "draft 1"
    },
    {
      "run_id": "evaluated",
      "seq": 12,
      "at": "2026-01-01T00:00:01.400Z",
      "node_id": "draft",
      "path": "refine[2]/draft",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "draft 1"
    },
    {
      "run_id": "evaluated",
      "seq": 12,
      "at": "2026-01-01T00:00:01.500Z",
      "node_id": "draft",
      "path": "refine[2]/draft",
      "type": "workflow.node.streaming",
      "tokens": "draft "
    },
    {
      "run_id": "evaluated",
      "seq": 12,
      "at": "2026-01-01T00:00:01.600Z",
      "node_id": "draft",
      "path": "refine[2]/draft",
      "type": "workflow.node.streaming",
      "tokens": "2"
    },
    {
      "run_id": "evaluated",
      "seq": 13,
      "at": "2026-01-01T00:00:01.700Z",
      "node_id": "draft",
      "path": "refine[2]/draft",
      "type": "workflow.node.completed",
      "duration_ms": 300,
      "usage": {"calls":1,"input_tokens":4,"output_tokens":2,"cost_usd":5e-6,"longest_prompt":4},
      "preview": "draft 2",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": "openai/gpt-4.1-mini",
      "pinned": false
    },
    {
      "run_id": "evaluated",
      "seq": 14,
      "at": "2026-01-01T00:00:01.800Z",
      "node_id": "judge",
      "path": "refine[2]/judge",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "draft 2"
    },
    {
      "run_id": "evaluated",
      "seq": 15,
      "at": "2026-01-01T00:00:01.900Z",
      "node_id": "judge",
      "path": "refine[2]/judge",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "{\"selectedBranch\":\"done\",\"value\":\"draft 2\",\"reason\":\"`loopCount >= 2` is true\"}",
      "branch": "done",
      "reason": "`loopCount >= 2` is true",
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "evaluated",
      "seq": 16,
      "at": "2026-01-01T00:00:02.000Z",
      "node_id": "refine",
      "path": "refine",
      "type": "workflow.loop.condition",
      "index": 1,
      "result": true
    },
    {
      "run_id": "evaluated",
      "seq": 17,
      "at": "2026-01-01T00:00:02.100Z",
      "node_id": "refine",
      "path": "refine",
      "type": "workflow.loop.iteration_completed",
      "index": 1,
      "similarity": null,
      "condition_result": true,
      "score": null,
      "duration_ms": 800,
      "usage": {"calls":1,"input_tokens":4,"output_tokens":2,"cost_usd":5e-6,"longest_prompt":4},
      "result_preview": "draft 2",
      "reached_exit": true,
      "status": "completed"
    },
    {
      "run_id": "evaluated",
      "seq": 18,
      "at": "2026-01-01T00:00:02.200Z",
      "node_id": "refine",
      "path": "refine",
      "type": "workflow.node.completed",
      "duration_ms": 1900,
      "usage": {"calls":2,"input_tokens":8,"output_tokens":4,"cost_usd":0.00001,"longest_prompt":4},
      "preview": "draft 2",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": 2,
      "exit_reason": "evaluator_done",
      "exhausted": false,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "evaluated",
      "seq": 19,
      "at": "2026-01-01T00:00:02.300Z",
      "node_id": "exit",
      "path": "exit",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "draft 2"
    },
    {
      "run_id": "evaluated",
      "seq": 20,
      "at": "2026-01-01T00:00:02.400Z",
      "node_id": "exit",
      "path": "exit",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "draft 2",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "evaluated",
      "seq": 21,
      "at": "2026-01-01T00:00:02.500Z",
      "node_id": "out",
      "path": "out",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "draft 2"
    },
    {
      "run_id": "evaluated",
      "seq": 22,
      "at": "2026-01-01T00:00:02.600Z",
      "node_id": "out",
      "path": "out",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "draft 2",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "evaluated",
      "seq": 23,
      "at": "2026-01-01T00:00:02.700Z",
      "node_id": null,
      "path": "",
      "type": "workflow.completed",
      "outputs": {"result":"draft 2"},
      "duration_ms": 2700,
      "usage": {"calls":2,"input_tokens":8,"output_tokens":4,"cost_usd":0.00001,"longest_prompt":4},
      "warnings": []
    }
  ],
  "detail": {
    "summary": {
      "runId": "evaluated",
      "flow": "Evaluated",
      "flowPath": null,
      "status": "completed",
      "startedAt": "2026-01-01T00:00:00.000Z",
      "durationMs": 2700,
      "usage": {"calls":2,"input_tokens":8,"output_tokens":4,"cost_usd":0.00001,"longest_prompt":4},
      "warnings": [],
      "iterations": 2,
      "exitReason": "evaluator_done",
      "forkedFrom": null,
      "name": null,
      "starred": false,
      "parked": null,
      "expiresAt": null,
      "schedule": null
    },
    "document": {
      "schemaVersion": 1,
      "name": "Evaluated",
      "nodes": [
        {"id":"topic","type":"input","position":{"x":0,"y":0},"data":{"name":"topic","default":"bread"}},
        {
          "id": "refine",
          "type": "loop",
          "position": {"x":200,"y":0},
          "data": {"maxIterations":5,"exitCondition":"evaluator"}
        },
        {
          "id": "draft",
          "type": "llm",
          "position": {"x":400,"y":0},
          "data": {
            "prompt": "{{ run.inputs.topic }} Say: draft {{ loopCount }}",
            "provider": "openai",
            "model": "gpt-4.1-mini",
            "temperature": 0,
            "maxTokens": 100
          }
        },
        {
          "id": "judge",
          "type": "router",
          "position": {"x":600,"y":0},
          "data": {
            "mode": "rules",
            "branches": [{"name":"done","when":"loopCount >= 2"},{"name":"continue"}],
            "fallback": "continue"
          }
        },
        {"id":"exit","type":"exit","position":{"x":800,"y":0},"data":{}},
        {"id":"out","type":"output","position":{"x":1000,"y":0},"data":{"name":"result"}}
      ],
      "edges": [
        {"id":"e1","source":"topic","sourceHandle":"value","target":"refine"},
        {"id":"e2","source":"refine","sourceHandle":"body","target":"draft"},
        {"id":"e3","source":"draft","sourceHandle":"response","target":"judge"},
        {"id":"e4","source":"judge","sourceHandle":"done","target":"exit"},
        {"id":"e5","source":"judge","sourceHandle":"continue","target":"refine","targetHandle":"feedback"},
        {"id":"e6","source":"exit","sourceHandle":"output","target":"out"}
      ],
      "settings": {
        "retry": {
          "type": "exponential",
          "count": 3,
          "interval": "PT2S",
          "maxInterval": "PT1M",
          "on": ["timeout","network","truncated","408","429","5xx"]
        }
      }
    },
    "inputs": {},
    "outputs": {"result":"draft 2"},
    "error": null,
    "pins": {},
    "until": null,
    "origin": null,
    "budget": null,
    "overBudget": false,
    "overSpendingLimit": false
  },
  "outline": [
    {
      "run_id": "evaluated",
      "seq": 0,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": null,
      "path": "",
      "type": "workflow.started",
      "name": "Evaluated",
      "inputs": {}
    },
    {
      "run_id": "evaluated",
      "seq": 1,
      "at": "2026-01-01T00:00:00.100Z",
      "node_id": "topic",
      "path": "topic",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": null
    },
    {
      "run_id": "evaluated",
      "seq": 2,
      "at": "2026-01-01T00:00:00.200Z",
      "node_id": "topic",
      "path": "topic",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "bread",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "evaluated",
      "seq": 3,
      "at": "2026-01-01T00:00:00.300Z",
      "node_id": "refine",
      "path": "refine",
      "type": "workflow.node.started",
      "max_iterations": 5,
      "input_preview": "bread"
    },
    {
      "run_id": "evaluated",
      "seq": 18,
      "at": "2026-01-01T00:00:02.200Z",
      "node_id": "refine",
      "path": "refine",
      "type": "workflow.node.completed",
      "duration_ms": 1900,
      "usage": {"calls":2,"input_tokens":8,"output_tokens":4,"cost_usd":0.00001,"longest_prompt":4},
      "preview": "draft 2",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": 2,
      "exit_reason": "evaluator_done",
      "exhausted": false,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "evaluated",
      "seq": 19,
      "at": "2026-01-01T00:00:02.300Z",
      "node_id": "exit",
      "path": "exit",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "draft 2"
    },
    {
      "run_id": "evaluated",
      "seq": 20,
      "at": "2026-01-01T00:00:02.400Z",
      "node_id": "exit",
      "path": "exit",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "draft 2",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "evaluated",
      "seq": 21,
      "at": "2026-01-01T00:00:02.500Z",
      "node_id": "out",
      "path": "out",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "draft 2"
    },
    {
      "run_id": "evaluated",
      "seq": 22,
      "at": "2026-01-01T00:00:02.600Z",
      "node_id": "out",
      "path": "out",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "draft 2",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "evaluated",
      "seq": 23,
      "at": "2026-01-01T00:00:02.700Z",
      "node_id": null,
      "path": "",
      "type": "workflow.completed",
      "outputs": {"result":"draft 2"},
      "duration_ms": 2700,
      "usage": {"calls":2,"input_tokens":8,"output_tokens":4,"cost_usd":0.00001,"longest_prompt":4},
      "warnings": []
    }
  ],
  "iterations": {
    "refine": {
      "total": 2,
      "iterations": [
        {
          "index": 0,
          "status": "completed",
          "similarity": null,
          "conditionResult": false,
          "score": null,
          "durationMs": 800,
          "usage": {"calls":1,"input_tokens":4,"output_tokens":2,"cost_usd":5e-6,"longest_prompt":4},
          "resultPreview": "draft 1",
          "reachedExit": false
        },
        {
          "index": 1,
          "status": "completed",
          "similarity": null,
          "conditionResult": true,
          "score": null,
          "durationMs": 800,
          "usage": {"calls":1,"input_tokens":4,"output_tokens":2,"cost_usd":5e-6,"longest_prompt":4},
          "resultPreview": "draft 2",
          "reachedExit": true
        }
      ]
    }
  },
  "steps": {
    "exit": {
      "path": "exit",
      "node_id": "exit",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {"input":"draft 2"},
      "output": "draft 2",
      "handles": {"output":"draft 2"},
      "prompt": null,
      "raw": null,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "durationMs": 100,
      "model": null,
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    },
    "out": {
      "path": "out",
      "node_id": "out",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {"value":"draft 2"},
      "output": "draft 2",
      "handles": {},
      "prompt": null,
      "raw": null,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "durationMs": 100,
      "model": null,
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    },
    "refine": {
      "path": "refine",
      "node_id": "refine",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {"input":"bread"},
      "output": "draft 2",
      "handles": {"output":"draft 2","count":2,"exitReason":"evaluator_done"},
      "prompt": null,
      "raw": null,
      "usage": {"calls":2,"input_tokens":8,"output_tokens":4,"cost_usd":0.00001,"longest_prompt":4},
      "durationMs": 1900,
      "model": null,
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    },
    "refine[1]/draft": {
      "path": "refine[1]/draft",
      "node_id": "draft",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {"prompt":"bread"},
      "output": "draft 1",
      "handles": {
        "response": "draft 1",
        "usage": {"calls":1,"inputTokens":4,"outputTokens":2,"costUsd":5e-6,"cachedTokens":0,"reasoningTokens":0}
      },
      "prompt": "bread Say: draft 1",
      "raw": {
        "id": null,
        "model": "gpt-4.1-mini",
        "text": "draft 1",
        "finishReason": "stop",
        "inputTokens": 4,
        "outputTokens": 2,
        "cachedTokens": 0,
        "reasoningTokens": 0
      },
      "usage": {"calls":1,"input_tokens":4,"output_tokens":2,"cost_usd":5e-6,"longest_prompt":4},
      "durationMs": 300,
      "model": "openai/gpt-4.1-mini",
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    },
    "refine[1]/judge": {
      "path": "refine[1]/judge",
      "node_id": "judge",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {"input":"draft 1"},
      "output": {"selectedBranch":"continue","value":"draft 1","reason":"fallback: no rule is true"},
      "handles": {"continue":"draft 1"},
      "prompt": null,
      "raw": null,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "durationMs": 100,
      "model": null,
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    },
    "refine[2]/draft": {
      "path": "refine[2]/draft",
      "node_id": "draft",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {"prompt":"draft 1"},
      "output": "draft 2",
      "handles": {
        "response": "draft 2",
        "usage": {"calls":1,"inputTokens":4,"outputTokens":2,"costUsd":5e-6,"cachedTokens":0,"reasoningTokens":0}
      },
      "prompt": "bread Say: draft 2",
      "raw": {
        "id": null,
        "model": "gpt-4.1-mini",
        "text": "draft 2",
        "finishReason": "stop",
        "inputTokens": 4,
        "outputTokens": 2,
        "cachedTokens": 0,
        "reasoningTokens": 0
      },
      "usage": {"calls":1,"input_tokens":4,"output_tokens":2,"cost_usd":5e-6,"longest_prompt":4},
      "durationMs": 300,
      "model": "openai/gpt-4.1-mini",
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    },
    "refine[2]/judge": {
      "path": "refine[2]/judge",
      "node_id": "judge",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {"input":"draft 2"},
      "output": {"selectedBranch":"done","value":"draft 2","reason":"`loopCount >= 2` is true"},
      "handles": {"done":"draft 2"},
      "prompt": null,
      "raw": null,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "durationMs": 100,
      "model": null,
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    },
    "topic": {
      "path": "topic",
      "node_id": "topic",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {},
      "output": "bread",
      "handles": {"value":"bread"},
      "prompt": null,
      "raw": null,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "durationMs": 100,
      "model": null,
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    }
  }
};

export const list: RecordedRun = {
  "preparation": {
    "id": "list",
    "problems": [],
    "runnable": true,
    "mostItCanCost": {
      "maxCalls": 0,
      "maxUsd": 0.0,
      "maxTokens": 0,
      "agentTurns": 0,
      "unknown": [],
      "unbounded": [],
      "note": "no model calls"
    },
    "needs": {"flow":"content:ebe1a0936e139403","digest":"af1349b9f5f9a1a6","needs":[],"missing":0}
  },
  "events": [
    {
      "run_id": "list",
      "seq": 0,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": null,
      "path": "",
      "type": "workflow.started",
      "name": "A list",
      "inputs": {}
    },
    {
      "run_id": "list",
      "seq": 1,
      "at": "2026-01-01T00:00:00.100Z",
      "node_id": "items",
      "path": "items",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": null
    },
    {
      "run_id": "list",
      "seq": 2,
      "at": "2026-01-01T00:00:00.200Z",
      "node_id": "items",
      "path": "items",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "[\"one\",\"two\",\"three\"]",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "list",
      "seq": 3,
      "at": "2026-01-01T00:00:00.300Z",
      "node_id": "each",
      "path": "each",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "[\"one\",\"two\",\"three\"]"
    },
    {
      "run_id": "list",
      "seq": 4,
      "at": "2026-01-01T00:00:00.400Z",
      "node_id": "each",
      "path": "each",
      "type": "workflow.node.iteration",
      "index": 0,
      "total": 3,
      "input_preview": "one"
    },
    {
      "run_id": "list",
      "seq": 5,
      "at": "2026-01-01T00:00:00.500Z",
      "node_id": "upper",
      "path": "each[1]/upper",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "one"
    },
    {
      "run_id": "list",
      "seq": 6,
      "at": "2026-01-01T00:00:00.600Z",
      "node_id": "upper",
      "path": "each[1]/upper",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "ONE",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "list",
      "seq": 7,
      "at": "2026-01-01T00:00:00.700Z",
      "node_id": "each",
      "path": "each",
      "type": "workflow.loop.iteration_completed",
      "index": 0,
      "similarity": null,
      "condition_result": null,
      "score": null,
      "duration_ms": 300,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "result_preview": "ONE",
      "reached_exit": true,
      "status": "completed"
    },
    {
      "run_id": "list",
      "seq": 8,
      "at": "2026-01-01T00:00:00.800Z",
      "node_id": "each",
      "path": "each",
      "type": "workflow.node.iteration",
      "index": 1,
      "total": 3,
      "input_preview": "two"
    },
    {
      "run_id": "list",
      "seq": 9,
      "at": "2026-01-01T00:00:00.900Z",
      "node_id": "upper",
      "path": "each[2]/upper",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "two"
    },
    {
      "run_id": "list",
      "seq": 10,
      "at": "2026-01-01T00:00:01.000Z",
      "node_id": "upper",
      "path": "each[2]/upper",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "TWO",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "list",
      "seq": 11,
      "at": "2026-01-01T00:00:01.100Z",
      "node_id": "each",
      "path": "each",
      "type": "workflow.loop.iteration_completed",
      "index": 1,
      "similarity": null,
      "condition_result": null,
      "score": null,
      "duration_ms": 300,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "result_preview": "TWO",
      "reached_exit": true,
      "status": "completed"
    },
    {
      "run_id": "list",
      "seq": 12,
      "at": "2026-01-01T00:00:01.200Z",
      "node_id": "each",
      "path": "each",
      "type": "workflow.node.iteration",
      "index": 2,
      "total": 3,
      "input_preview": "three"
    },
    {
      "run_id": "list",
      "seq": 13,
      "at": "2026-01-01T00:00:01.300Z",
      "node_id": "upper",
      "path": "each[3]/upper",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "three"
    },
    {
      "run_id": "list",
      "seq": 14,
      "at": "2026-01-01T00:00:01.400Z",
      "node_id": "upper",
      "path": "each[3]/upper",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "THREE",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "list",
      "seq": 15,
      "at": "2026-01-01T00:00:01.500Z",
      "node_id": "each",
      "path": "each",
      "type": "workflow.loop.iteration_completed",
      "index": 2,
      "similarity": null,
      "condition_result": null,
      "score": null,
      "duration_ms": 300,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "result_preview": "THREE",
      "reached_exit": true,
      "status": "completed"
    },
    {
      "run_id": "list",
      "seq": 16,
      "at": "2026-01-01T00:00:01.600Z",
      "node_id": "each",
      "path": "each",
      "type": "workflow.node.completed",
      "duration_ms": 1300,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": 3,
      "exit_reason": "completed",
      "exhausted": false,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "list",
      "seq": 17,
      "at": "2026-01-01T00:00:01.700Z",
      "node_id": "all",
      "path": "all",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "[]"
    },
    {
      "run_id": "list",
      "seq": 18,
      "at": "2026-01-01T00:00:01.800Z",
      "node_id": "all",
      "path": "all",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "[\"ONE\",\"TWO\",\"THREE\"]",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "list",
      "seq": 19,
      "at": "2026-01-01T00:00:01.900Z",
      "node_id": "out",
      "path": "out",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "[\"ONE\",\"TWO\",\"THREE\"]"
    },
    {
      "run_id": "list",
      "seq": 20,
      "at": "2026-01-01T00:00:02.000Z",
      "node_id": "out",
      "path": "out",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "[\"ONE\",\"TWO\",\"THREE\"]",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "list",
      "seq": 21,
      "at": "2026-01-01T00:00:02.100Z",
      "node_id": null,
      "path": "",
      "type": "workflow.completed",
      "outputs": {"result":["ONE","TWO","THREE"]},
      "duration_ms": 2100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "warnings": []
    }
  ],
  "detail": {
    "summary": {
      "runId": "list",
      "flow": "A list",
      "flowPath": null,
      "status": "completed",
      "startedAt": "2026-01-01T00:00:00.000Z",
      "durationMs": 2100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "warnings": [],
      "iterations": null,
      "exitReason": null,
      "forkedFrom": null,
      "name": null,
      "starred": false,
      "parked": null,
      "expiresAt": null,
      "schedule": null
    },
    "document": {
      "schemaVersion": 1,
      "name": "A list",
      "nodes": [
        {
          "id": "items",
          "type": "input",
          "position": {"x":0,"y":0},
          "data": {"name":"items","dataType":"json","default":["one","two","three"]}
        },
        {"id":"each","type":"iterator","position":{"x":200,"y":0},"data":{"concurrency":1}},
        {"id":"upper","type":"transform","position":{"x":400,"y":0},"data":{"template":"{{ input | upper }}"}},
        {"id":"all","type":"aggregator","position":{"x":600,"y":0},"data":{}},
        {"id":"out","type":"output","position":{"x":1000,"y":0},"data":{"name":"result"}}
      ],
      "edges": [
        {"id":"e1","source":"items","sourceHandle":"value","target":"each"},
        {"id":"e2","source":"each","sourceHandle":"item","target":"upper"},
        {"id":"e3","source":"upper","sourceHandle":"output","target":"all"},
        {"id":"e4","source":"all","sourceHandle":"results","target":"out"}
      ]
    },
    "inputs": {},
    "outputs": {"result":["ONE","TWO","THREE"]},
    "error": null,
    "pins": {},
    "until": null,
    "origin": null,
    "budget": null,
    "overBudget": false,
    "overSpendingLimit": false
  },
  "outline": [
    {
      "run_id": "list",
      "seq": 0,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": null,
      "path": "",
      "type": "workflow.started",
      "name": "A list",
      "inputs": {}
    },
    {
      "run_id": "list",
      "seq": 1,
      "at": "2026-01-01T00:00:00.100Z",
      "node_id": "items",
      "path": "items",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": null
    },
    {
      "run_id": "list",
      "seq": 2,
      "at": "2026-01-01T00:00:00.200Z",
      "node_id": "items",
      "path": "items",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "[\"one\",\"two\",\"three\"]",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "list",
      "seq": 3,
      "at": "2026-01-01T00:00:00.300Z",
      "node_id": "each",
      "path": "each",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "[\"one\",\"two\",\"three\"]"
    },
    {
      "run_id": "list",
      "seq": 16,
      "at": "2026-01-01T00:00:01.600Z",
      "node_id": "each",
      "path": "each",
      "type": "workflow.node.completed",
      "duration_ms": 1300,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": 3,
      "exit_reason": "completed",
      "exhausted": false,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "list",
      "seq": 17,
      "at": "2026-01-01T00:00:01.700Z",
      "node_id": "all",
      "path": "all",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "[]"
    },
    {
      "run_id": "list",
      "seq": 18,
      "at": "2026-01-01T00:00:01.800Z",
      "node_id": "all",
      "path": "all",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "[\"ONE\",\"TWO\",\"THREE\"]",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "list",
      "seq": 19,
      "at": "2026-01-01T00:00:01.900Z",
      "node_id": "out",
      "path": "out",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "[\"ONE\",\"TWO\",\"THREE\"]"
    },
    {
      "run_id": "list",
      "seq": 20,
      "at": "2026-01-01T00:00:02.000Z",
      "node_id": "out",
      "path": "out",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "[\"ONE\",\"TWO\",\"THREE\"]",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "list",
      "seq": 21,
      "at": "2026-01-01T00:00:02.100Z",
      "node_id": null,
      "path": "",
      "type": "workflow.completed",
      "outputs": {"result":["ONE","TWO","THREE"]},
      "duration_ms": 2100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "warnings": []
    }
  ],
  "iterations": {
    "each": {
      "total": 3,
      "iterations": [
        {
          "index": 0,
          "status": "completed",
          "similarity": null,
          "conditionResult": null,
          "score": null,
          "durationMs": 300,
          "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
          "resultPreview": "ONE",
          "reachedExit": true
        },
        {
          "index": 1,
          "status": "completed",
          "similarity": null,
          "conditionResult": null,
          "score": null,
          "durationMs": 300,
          "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
          "resultPreview": "TWO",
          "reachedExit": true
        },
        {
          "index": 2,
          "status": "completed",
          "similarity": null,
          "conditionResult": null,
          "score": null,
          "durationMs": 300,
          "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
          "resultPreview": "THREE",
          "reachedExit": true
        }
      ]
    }
  },
  "steps": {
    "all": {
      "path": "all",
      "node_id": "all",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {"errors":[],"input":["ONE","TWO","THREE"]},
      "output": ["ONE","TWO","THREE"],
      "handles": {"results":["ONE","TWO","THREE"],"count":3,"errors":[]},
      "prompt": null,
      "raw": null,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "durationMs": 100,
      "model": null,
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    },
    "each": {
      "path": "each",
      "node_id": "each",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {"items":["one","two","three"]},
      "output": null,
      "handles": {},
      "prompt": null,
      "raw": null,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "durationMs": 1300,
      "model": null,
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    },
    "each[1]/upper": {
      "path": "each[1]/upper",
      "node_id": "upper",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {"input":"one"},
      "output": "ONE",
      "handles": {"output":"ONE"},
      "prompt": null,
      "raw": null,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "durationMs": 100,
      "model": null,
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    },
    "each[2]/upper": {
      "path": "each[2]/upper",
      "node_id": "upper",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {"input":"two"},
      "output": "TWO",
      "handles": {"output":"TWO"},
      "prompt": null,
      "raw": null,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "durationMs": 100,
      "model": null,
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    },
    "each[3]/upper": {
      "path": "each[3]/upper",
      "node_id": "upper",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {"input":"three"},
      "output": "THREE",
      "handles": {"output":"THREE"},
      "prompt": null,
      "raw": null,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "durationMs": 100,
      "model": null,
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    },
    "items": {
      "path": "items",
      "node_id": "items",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {},
      "output": ["one","two","three"],
      "handles": {"value":["one","two","three"]},
      "prompt": null,
      "raw": null,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "durationMs": 100,
      "model": null,
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    },
    "out": {
      "path": "out",
      "node_id": "out",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {"value":["ONE","TWO","THREE"]},
      "output": ["ONE","TWO","THREE"],
      "handles": {},
      "prompt": null,
      "raw": null,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "durationMs": 100,
      "model": null,
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    }
  }
};

export const subflow: RecordedRun = {
  "preparation": {
    "id": "subflow",
    "problems": [],
    "runnable": true,
    "mostItCanCost": {
      "maxCalls": 0,
      "maxUsd": 0.0,
      "maxTokens": 0,
      "agentTurns": 0,
      "unknown": [],
      "unbounded": [],
      "note": "no model calls"
    },
    "needs": {"flow":"content:affd48b82f3ffb4c","digest":"af1349b9f5f9a1a6","needs":[],"missing":0}
  },
  "events": [
    {
      "run_id": "subflow",
      "seq": 0,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": null,
      "path": "",
      "type": "workflow.started",
      "name": "A subflow",
      "inputs": {}
    },
    {
      "run_id": "subflow",
      "seq": 1,
      "at": "2026-01-01T00:00:00.100Z",
      "node_id": "topic",
      "path": "topic",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": null
    },
    {
      "run_id": "subflow",
      "seq": 2,
      "at": "2026-01-01T00:00:00.200Z",
      "node_id": "topic",
      "path": "topic",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": " bread ",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "subflow",
      "seq": 3,
      "at": "2026-01-01T00:00:00.300Z",
      "node_id": "polish",
      "path": "polish",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": " bread "
    },
    {
      "run_id": "subflow",
      "seq": 4,
      "at": "2026-01-01T00:00:00.400Z",
      "node_id": "text",
      "path": "polish/text",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": null
    },
    {
      "run_id": "subflow",
      "seq": 5,
      "at": "2026-01-01T00:00:00.500Z",
      "node_id": "text",
      "path": "polish/text",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": " bread ",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "subflow",
      "seq": 6,
      "at": "2026-01-01T00:00:00.600Z",
      "node_id": "trim",
      "path": "polish/trim",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": " bread "
    },
    {
      "run_id": "subflow",
      "seq": 7,
      "at": "2026-01-01T00:00:00.700Z",
      "node_id": "trim",
      "path": "polish/trim",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "bread",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "subflow",
      "seq": 8,
      "at": "2026-01-01T00:00:00.800Z",
      "node_id": "done",
      "path": "polish/done",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "bread"
    },
    {
      "run_id": "subflow",
      "seq": 9,
      "at": "2026-01-01T00:00:00.900Z",
      "node_id": "done",
      "path": "polish/done",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "bread",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "subflow",
      "seq": 10,
      "at": "2026-01-01T00:00:01.000Z",
      "node_id": "polish",
      "path": "polish",
      "type": "workflow.node.completed",
      "duration_ms": 700,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "bread",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "subflow",
      "seq": 11,
      "at": "2026-01-01T00:00:01.100Z",
      "node_id": "out",
      "path": "out",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "bread"
    },
    {
      "run_id": "subflow",
      "seq": 12,
      "at": "2026-01-01T00:00:01.200Z",
      "node_id": "out",
      "path": "out",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "bread",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "subflow",
      "seq": 13,
      "at": "2026-01-01T00:00:01.300Z",
      "node_id": null,
      "path": "",
      "type": "workflow.completed",
      "outputs": {"result":"bread"},
      "duration_ms": 1300,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "warnings": []
    }
  ],
  "detail": {
    "summary": {
      "runId": "subflow",
      "flow": "A subflow",
      "flowPath": null,
      "status": "completed",
      "startedAt": "2026-01-01T00:00:00.000Z",
      "durationMs": 1300,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "warnings": [],
      "iterations": null,
      "exitReason": null,
      "forkedFrom": null,
      "name": null,
      "starred": false,
      "parked": null,
      "expiresAt": null,
      "schedule": null
    },
    "document": {
      "schemaVersion": 1,
      "name": "A subflow",
      "nodes": [
        {"id":"topic","type":"input","position":{"x":0,"y":0},"data":{"name":"topic","default":" bread "}},
        {
          "id": "polish",
          "type": "subflow",
          "position": {"x":200,"y":0},
          "data": {
            "flow": {
              "schemaVersion": 1,
              "name": "Polish",
              "nodes": [
                {"id":"text","type":"input","position":{"x":0,"y":0},"data":{"name":"text"}},
                {
                  "id": "trim",
                  "type": "transform",
                  "position": {"x":200,"y":0},
                  "data": {"template":"{{ input | trim }}"}
                },
                {"id":"done","type":"output","position":{"x":400,"y":0},"data":{"name":"done"}}
              ],
              "edges": [
                {"id":"i1","source":"text","sourceHandle":"value","target":"trim"},
                {"id":"i2","source":"trim","sourceHandle":"output","target":"done"}
              ]
            }
          }
        },
        {"id":"out","type":"output","position":{"x":1000,"y":0},"data":{"name":"result"}}
      ],
      "edges": [
        {"id":"e1","source":"topic","sourceHandle":"value","target":"polish"},
        {"id":"e2","source":"polish","sourceHandle":"done","target":"out"}
      ],
      "settings": {
        "retry": {
          "type": "exponential",
          "count": 3,
          "interval": "PT2S",
          "maxInterval": "PT1M",
          "on": ["timeout","network","truncated","408","429","5xx"]
        }
      }
    },
    "inputs": {},
    "outputs": {"result":"bread"},
    "error": null,
    "pins": {},
    "until": null,
    "origin": null,
    "budget": null,
    "overBudget": false,
    "overSpendingLimit": false
  },
  "outline": [
    {
      "run_id": "subflow",
      "seq": 0,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": null,
      "path": "",
      "type": "workflow.started",
      "name": "A subflow",
      "inputs": {}
    },
    {
      "run_id": "subflow",
      "seq": 1,
      "at": "2026-01-01T00:00:00.100Z",
      "node_id": "topic",
      "path": "topic",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": null
    },
    {
      "run_id": "subflow",
      "seq": 2,
      "at": "2026-01-01T00:00:00.200Z",
      "node_id": "topic",
      "path": "topic",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": " bread ",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "subflow",
      "seq": 3,
      "at": "2026-01-01T00:00:00.300Z",
      "node_id": "polish",
      "path": "polish",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": " bread "
    },
    {
      "run_id": "subflow",
      "seq": 4,
      "at": "2026-01-01T00:00:00.400Z",
      "node_id": "text",
      "path": "polish/text",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": null
    },
    {
      "run_id": "subflow",
      "seq": 5,
      "at": "2026-01-01T00:00:00.500Z",
      "node_id": "text",
      "path": "polish/text",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": " bread ",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "subflow",
      "seq": 6,
      "at": "2026-01-01T00:00:00.600Z",
      "node_id": "trim",
      "path": "polish/trim",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": " bread "
    },
    {
      "run_id": "subflow",
      "seq": 7,
      "at": "2026-01-01T00:00:00.700Z",
      "node_id": "trim",
      "path": "polish/trim",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "bread",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "subflow",
      "seq": 8,
      "at": "2026-01-01T00:00:00.800Z",
      "node_id": "done",
      "path": "polish/done",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "bread"
    },
    {
      "run_id": "subflow",
      "seq": 9,
      "at": "2026-01-01T00:00:00.900Z",
      "node_id": "done",
      "path": "polish/done",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "bread",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "subflow",
      "seq": 10,
      "at": "2026-01-01T00:00:01.000Z",
      "node_id": "polish",
      "path": "polish",
      "type": "workflow.node.completed",
      "duration_ms": 700,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "bread",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "subflow",
      "seq": 11,
      "at": "2026-01-01T00:00:01.100Z",
      "node_id": "out",
      "path": "out",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "bread"
    },
    {
      "run_id": "subflow",
      "seq": 12,
      "at": "2026-01-01T00:00:01.200Z",
      "node_id": "out",
      "path": "out",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "bread",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "subflow",
      "seq": 13,
      "at": "2026-01-01T00:00:01.300Z",
      "node_id": null,
      "path": "",
      "type": "workflow.completed",
      "outputs": {"result":"bread"},
      "duration_ms": 1300,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "warnings": []
    }
  ],
  "iterations": {},
  "steps": {
    "out": {
      "path": "out",
      "node_id": "out",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {"value":"bread"},
      "output": "bread",
      "handles": {},
      "prompt": null,
      "raw": null,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "durationMs": 100,
      "model": null,
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    },
    "polish": {
      "path": "polish",
      "node_id": "polish",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {"text":" bread "},
      "output": "bread",
      "handles": {"done":"bread"},
      "prompt": null,
      "raw": null,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "durationMs": 700,
      "model": null,
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    },
    "polish/done": {
      "path": "polish/done",
      "node_id": "done",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {"value":"bread"},
      "output": "bread",
      "handles": {},
      "prompt": null,
      "raw": null,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "durationMs": 100,
      "model": null,
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    },
    "polish/text": {
      "path": "polish/text",
      "node_id": "text",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {},
      "output": " bread ",
      "handles": {"value":" bread "},
      "prompt": null,
      "raw": null,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "durationMs": 100,
      "model": null,
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    },
    "polish/trim": {
      "path": "polish/trim",
      "node_id": "trim",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {"input":" bread "},
      "output": "bread",
      "handles": {"output":"bread"},
      "prompt": null,
      "raw": null,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "durationMs": 100,
      "model": null,
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    },
    "topic": {
      "path": "topic",
      "node_id": "topic",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {},
      "output": " bread ",
      "handles": {"value":" bread "},
      "prompt": null,
      "raw": null,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "durationMs": 100,
      "model": null,
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    }
  }
};

export const retried: RecordedRun = {
  "preparation": {
    "id": "retried",
    "problems": [],
    "runnable": true,
    "mostItCanCost": {
      "maxCalls": 3,
      "maxUsd": 0.001332,
      "maxTokens": 2427,
      "agentTurns": 0,
      "unknown": [],
      "unbounded": [],
      "note": "at most 3 calls, $0.001332"
    },
    "needs": {"flow":"content:8efda2dcf19b087a","digest":"af1349b9f5f9a1a6","needs":[],"missing":0}
  },
  "events": [
    {
      "run_id": "retried",
      "seq": 0,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": null,
      "path": "",
      "type": "workflow.started",
      "name": "Tried again",
      "inputs": {}
    },
    {
      "run_id": "retried",
      "seq": 1,
      "at": "2026-01-01T00:00:00.100Z",
      "node_id": "topic",
      "path": "topic",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": null
    },
    {
      "run_id": "retried",
      "seq": 2,
      "at": "2026-01-01T00:00:00.200Z",
      "node_id": "topic",
      "path": "topic",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "bread",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "retried",
      "seq": 3,
      "at": "2026-01-01T00:00:00.300Z",
      "node_id": "draft",
      "path": "draft",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "bread"
    },
    {
      "run_id": "retried",
      "seq": 4,
      "at": "2026-01-01T00:00:00.400Z",
      "node_id": "draft",
      "path": "draft",
      "type": "workflow.node.retried",
      "attempt": 1,
      "code": "http_429",
      "message": "Provider “openai”: 127.0.0.1:11434 received too many requests, or your quota there is used up (status 429). It said: Too many requests.",
      "after_ms": 1000,
      "attempts": 3
    },
    {
      "run_id": "retried",
      "seq": 4,
      "at": "2026-01-01T00:00:00.500Z",
      "node_id": "draft",
      "path": "draft",
      "type": "workflow.node.streaming",
      "tokens": "at "
    },
    {
      "run_id": "retried",
      "seq": 4,
      "at": "2026-01-01T00:00:00.600Z",
      "node_id": "draft",
      "path": "draft",
      "type": "workflow.node.streaming",
      "tokens": "last"
    },
    {
      "run_id": "retried",
      "seq": 5,
      "at": "2026-01-01T00:00:00.700Z",
      "node_id": "draft",
      "path": "draft",
      "type": "workflow.node.completed",
      "duration_ms": 400,
      "usage": {"calls":1,"input_tokens":6,"output_tokens":2,"cost_usd":6e-6,"longest_prompt":6},
      "preview": "at last",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": "openai/gpt-4.1-mini",
      "pinned": false
    },
    {
      "run_id": "retried",
      "seq": 6,
      "at": "2026-01-01T00:00:00.800Z",
      "node_id": "out",
      "path": "out",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "at last"
    },
    {
      "run_id": "retried",
      "seq": 7,
      "at": "2026-01-01T00:00:00.900Z",
      "node_id": "out",
      "path": "out",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "at last",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "retried",
      "seq": 8,
      "at": "2026-01-01T00:00:01.000Z",
      "node_id": null,
      "path": "",
      "type": "workflow.completed",
      "outputs": {"result":"at last"},
      "duration_ms": 1000,
      "usage": {"calls":1,"input_tokens":6,"output_tokens":2,"cost_usd":6e-6,"longest_prompt":6},
      "warnings": []
    }
  ],
  "detail": {
    "summary": {
      "runId": "retried",
      "flow": "Tried again",
      "flowPath": null,
      "status": "completed",
      "startedAt": "2026-01-01T00:00:00.000Z",
      "durationMs": 1000,
      "usage": {"calls":1,"input_tokens":6,"output_tokens":2,"cost_usd":6e-6,"longest_prompt":6},
      "warnings": [],
      "iterations": null,
      "exitReason": null,
      "forkedFrom": null,
      "name": null,
      "starred": false,
      "parked": null,
      "expiresAt": null,
      "schedule": null
    },
    "document": {
      "schemaVersion": 1,
      "name": "Tried again",
      "nodes": [
        {"id":"topic","type":"input","position":{"x":0,"y":0},"data":{"name":"topic","default":"bread"}},
        {
          "id": "draft",
          "type": "llm",
          "position": {"x":200,"y":0},
          "data": {
            "prompt": "Busy at first. Say: at last",
            "retry": {"type":"fixed","count":2,"interval":"PT0.1S"},
            "provider": "openai",
            "model": "gpt-4.1-mini",
            "temperature": 0,
            "maxTokens": 100
          }
        },
        {"id":"out","type":"output","position":{"x":1000,"y":0},"data":{"name":"result"}}
      ],
      "edges": [
        {"id":"e1","source":"topic","sourceHandle":"value","target":"draft"},
        {"id":"e2","source":"draft","sourceHandle":"response","target":"out"}
      ],
      "settings": {
        "retry": {
          "type": "exponential",
          "count": 3,
          "interval": "PT2S",
          "maxInterval": "PT1M",
          "on": ["timeout","network","truncated","408","429","5xx"]
        }
      }
    },
    "inputs": {},
    "outputs": {"result":"at last"},
    "error": null,
    "pins": {},
    "until": null,
    "origin": null,
    "budget": null,
    "overBudget": false,
    "overSpendingLimit": false
  },
  "outline": [
    {
      "run_id": "retried",
      "seq": 0,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": null,
      "path": "",
      "type": "workflow.started",
      "name": "Tried again",
      "inputs": {}
    },
    {
      "run_id": "retried",
      "seq": 1,
      "at": "2026-01-01T00:00:00.100Z",
      "node_id": "topic",
      "path": "topic",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": null
    },
    {
      "run_id": "retried",
      "seq": 2,
      "at": "2026-01-01T00:00:00.200Z",
      "node_id": "topic",
      "path": "topic",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "bread",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "retried",
      "seq": 3,
      "at": "2026-01-01T00:00:00.300Z",
      "node_id": "draft",
      "path": "draft",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "bread"
    },
    {
      "run_id": "retried",
      "seq": 4,
      "at": "2026-01-01T00:00:00.400Z",
      "node_id": "draft",
      "path": "draft",
      "type": "workflow.node.retried",
      "attempt": 1,
      "code": "http_429",
      "message": "Provider “openai”: 127.0.0.1:11434 received too many requests, or your quota there is used up (status 429). It said: Too many requests.",
      "after_ms": 1000,
      "attempts": 3
    },
    {
      "run_id": "retried",
      "seq": 5,
      "at": "2026-01-01T00:00:00.700Z",
      "node_id": "draft",
      "path": "draft",
      "type": "workflow.node.completed",
      "duration_ms": 400,
      "usage": {"calls":1,"input_tokens":6,"output_tokens":2,"cost_usd":6e-6,"longest_prompt":6},
      "preview": "at last",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": "openai/gpt-4.1-mini",
      "pinned": false
    },
    {
      "run_id": "retried",
      "seq": 6,
      "at": "2026-01-01T00:00:00.800Z",
      "node_id": "out",
      "path": "out",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "at last"
    },
    {
      "run_id": "retried",
      "seq": 7,
      "at": "2026-01-01T00:00:00.900Z",
      "node_id": "out",
      "path": "out",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "at last",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "retried",
      "seq": 8,
      "at": "2026-01-01T00:00:01.000Z",
      "node_id": null,
      "path": "",
      "type": "workflow.completed",
      "outputs": {"result":"at last"},
      "duration_ms": 1000,
      "usage": {"calls":1,"input_tokens":6,"output_tokens":2,"cost_usd":6e-6,"longest_prompt":6},
      "warnings": []
    }
  ],
  "iterations": {},
  "steps": {
    "draft": {
      "path": "draft",
      "node_id": "draft",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {"prompt":"bread"},
      "output": "at last",
      "handles": {
        "response": "at last",
        "usage": {"calls":1,"inputTokens":6,"outputTokens":2,"costUsd":6e-6,"cachedTokens":0,"reasoningTokens":0}
      },
      "prompt": "Busy at first. Say: at last",
      "raw": {
        "id": null,
        "model": "gpt-4.1-mini",
        "text": "at last",
        "finishReason": "stop",
        "inputTokens": 6,
        "outputTokens": 2,
        "cachedTokens": 0,
        "reasoningTokens": 0
      },
      "usage": {"calls":1,"input_tokens":6,"output_tokens":2,"cost_usd":6e-6,"longest_prompt":6},
      "durationMs": 400,
      "model": "openai/gpt-4.1-mini",
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    },
    "out": {
      "path": "out",
      "node_id": "out",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {"value":"at last"},
      "output": "at last",
      "handles": {},
      "prompt": null,
      "raw": null,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "durationMs": 100,
      "model": null,
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    },
    "topic": {
      "path": "topic",
      "node_id": "topic",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {},
      "output": "bread",
      "handles": {"value":"bread"},
      "prompt": null,
      "raw": null,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "durationMs": 100,
      "model": null,
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    }
  }
};

export const failed: RecordedRun = {
  "preparation": {
    "id": "failed",
    "problems": [
      {
        "code": "model_uncertain",
        "severity": "warning",
        "node": "draft",
        "place": "provider",
        "message": "\"Draft\" may get no answer on this computer. No provider is set up, and the built-in models answer only prompts that they recognize. Whether they recognize this prompt is known only during the run. Set up a provider in Settings, or name a built-in model.",
        "fix": null
      }
    ],
    "runnable": true,
    "mostItCanCost": {
      "maxCalls": 1,
      "maxUsd": 0.0,
      "maxTokens": 739,
      "agentTurns": 0,
      "unknown": [],
      "unbounded": [],
      "note": "at most 1 call, free of charge"
    },
    "needs": {"flow":"content:342bb82cca766d74","digest":"af1349b9f5f9a1a6","needs":[],"missing":0}
  },
  "events": [
    {
      "run_id": "failed",
      "seq": 0,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": null,
      "path": "",
      "type": "workflow.started",
      "name": "Fails",
      "inputs": {}
    },
    {
      "run_id": "failed",
      "seq": 1,
      "at": "2026-01-01T00:00:00.100Z",
      "node_id": "topic",
      "path": "topic",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": null
    },
    {
      "run_id": "failed",
      "seq": 2,
      "at": "2026-01-01T00:00:00.200Z",
      "node_id": "topic",
      "path": "topic",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "bread",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "failed",
      "seq": 3,
      "at": "2026-01-01T00:00:00.300Z",
      "node_id": "draft",
      "path": "draft",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "bread"
    },
    {
      "run_id": "failed",
      "seq": 4,
      "at": "2026-01-01T00:00:00.400Z",
      "node_id": "draft",
      "path": "draft",
      "type": "workflow.node.failed",
      "duration_ms": 100,
      "code": "no_builtin_for_prompt",
      "message": "No provider is set up, and no built-in model can do what this prompt asks for. Set up a provider in Settings, or with OPENAI_API_KEY or OPENAI_BASE_URL, or name a built-in model: critic, reviser, planner, judge, answerer, summariser, corrector, code-reviewer, code-fixer.",
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null
    },
    {
      "run_id": "failed",
      "seq": 5,
      "at": "2026-01-01T00:00:00.500Z",
      "node_id": "draft",
      "path": "",
      "type": "workflow.failed",
      "status": "failed",
      "code": "no_builtin_for_prompt",
      "message": "No provider is set up, and no built-in model can do what this prompt asks for. Set up a provider in Settings, or with OPENAI_API_KEY or OPENAI_BASE_URL, or name a built-in model: critic, reviser, planner, judge, answerer, summariser, corrector, code-reviewer, code-fixer.",
      "duration_ms": 500,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "warnings": [
        {
          "code": "model_uncertain",
          "node": "draft",
          "message": "\"Draft\" may get no answer on this computer. No provider is set up, and the built-in models answer only prompts that they recognize. Whether they recognize this prompt is known only during the run. Set up a provider in Settings, or name a built-in model."
        }
      ]
    }
  ],
  "detail": {
    "summary": {
      "runId": "failed",
      "flow": "Fails",
      "flowPath": null,
      "status": "failed",
      "startedAt": "2026-01-01T00:00:00.000Z",
      "durationMs": 500,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "warnings": [
        {
          "code": "model_uncertain",
          "node": "draft",
          "message": "\"Draft\" may get no answer on this computer. No provider is set up, and the built-in models answer only prompts that they recognize. Whether they recognize this prompt is known only during the run. Set up a provider in Settings, or name a built-in model."
        }
      ],
      "iterations": null,
      "exitReason": null,
      "forkedFrom": null,
      "name": null,
      "starred": false,
      "parked": null,
      "expiresAt": null,
      "schedule": null
    },
    "document": {
      "schemaVersion": 1,
      "name": "Fails",
      "nodes": [
        {"id":"topic","type":"input","position":{"x":0,"y":0},"data":{"name":"topic","default":"bread"}},
        {
          "id": "draft",
          "type": "llm",
          "position": {"x":200,"y":0},
          "data": {"label":"Draft","provider":"builtin","prompt":"Write about {{ input }}.","maxTokens":100}
        },
        {"id":"out","type":"output","position":{"x":1000,"y":0},"data":{"name":"result"}}
      ],
      "edges": [
        {"id":"e1","source":"topic","sourceHandle":"value","target":"draft"},
        {"id":"e2","source":"draft","sourceHandle":"response","target":"out"}
      ],
      "settings": {
        "retry": {
          "type": "exponential",
          "count": 3,
          "interval": "PT2S",
          "maxInterval": "PT1M",
          "on": ["timeout","network","truncated","408","429","5xx"]
        }
      }
    },
    "inputs": {},
    "outputs": null,
    "error": {
      "code": "no_builtin_for_prompt",
      "node": "draft",
      "message": "No provider is set up, and no built-in model can do what this prompt asks for. Set up a provider in Settings, or with OPENAI_API_KEY or OPENAI_BASE_URL, or name a built-in model: critic, reviser, planner, judge, answerer, summariser, corrector, code-reviewer, code-fixer."
    },
    "pins": {},
    "until": null,
    "origin": null,
    "budget": null,
    "overBudget": false,
    "overSpendingLimit": false
  },
  "outline": [
    {
      "run_id": "failed",
      "seq": 0,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": null,
      "path": "",
      "type": "workflow.started",
      "name": "Fails",
      "inputs": {}
    },
    {
      "run_id": "failed",
      "seq": 1,
      "at": "2026-01-01T00:00:00.100Z",
      "node_id": "topic",
      "path": "topic",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": null
    },
    {
      "run_id": "failed",
      "seq": 2,
      "at": "2026-01-01T00:00:00.200Z",
      "node_id": "topic",
      "path": "topic",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "bread",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "failed",
      "seq": 3,
      "at": "2026-01-01T00:00:00.300Z",
      "node_id": "draft",
      "path": "draft",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "bread"
    },
    {
      "run_id": "failed",
      "seq": 4,
      "at": "2026-01-01T00:00:00.400Z",
      "node_id": "draft",
      "path": "draft",
      "type": "workflow.node.failed",
      "duration_ms": 100,
      "code": "no_builtin_for_prompt",
      "message": "No provider is set up, and no built-in model can do what this prompt asks for. Set up a provider in Settings, or with OPENAI_API_KEY or OPENAI_BASE_URL, or name a built-in model: critic, reviser, planner, judge, answerer, summariser, corrector, code-reviewer, code-fixer.",
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null
    },
    {
      "run_id": "failed",
      "seq": 5,
      "at": "2026-01-01T00:00:00.500Z",
      "node_id": "draft",
      "path": "",
      "type": "workflow.failed",
      "status": "failed",
      "code": "no_builtin_for_prompt",
      "message": "No provider is set up, and no built-in model can do what this prompt asks for. Set up a provider in Settings, or with OPENAI_API_KEY or OPENAI_BASE_URL, or name a built-in model: critic, reviser, planner, judge, answerer, summariser, corrector, code-reviewer, code-fixer.",
      "duration_ms": 500,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "warnings": [
        {
          "code": "model_uncertain",
          "node": "draft",
          "message": "\"Draft\" may get no answer on this computer. No provider is set up, and the built-in models answer only prompts that they recognize. Whether they recognize this prompt is known only during the run. Set up a provider in Settings, or name a built-in model."
        }
      ]
    }
  ],
  "iterations": {},
  "steps": {
    "draft": {
      "path": "draft",
      "node_id": "draft",
      "status": "failed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {"prompt":"bread"},
      "output": null,
      "handles": {},
      "prompt": null,
      "raw": null,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "durationMs": 100,
      "model": null,
      "pinned": false,
      "checked": null,
      "error": {
        "code": "no_builtin_for_prompt",
        "message": "No provider is set up, and no built-in model can do what this prompt asks for. Set up a provider in Settings, or with OPENAI_API_KEY or OPENAI_BASE_URL, or name a built-in model: critic, reviser, planner, judge, answerer, summariser, corrector, code-reviewer, code-fixer.",
        "partial": null
      },
      "request": null
    },
    "topic": {
      "path": "topic",
      "node_id": "topic",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {},
      "output": "bread",
      "handles": {"value":"bread"},
      "prompt": null,
      "raw": null,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "durationMs": 100,
      "model": null,
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    }
  }
};

export const waiting: RecordedRun = {
  "preparation": {
    "id": "waiting",
    "problems": [
      {
        "code": "unused_branch",
        "severity": "warning",
        "node": "ask",
        "place": "rejected",
        "message": "Branch `rejected` of \"Ask\" isn't wired, so nothing runs when it is taken. Wire it, or remove the branch.",
        "fix": null
      }
    ],
    "runnable": true,
    "mostItCanCost": {
      "maxCalls": 0,
      "maxUsd": 0.0,
      "maxTokens": 0,
      "agentTurns": 0,
      "unknown": [],
      "unbounded": [],
      "note": "no model calls"
    },
    "needs": {"flow":"content:177d50da26d05db0","digest":"af1349b9f5f9a1a6","needs":[],"missing":0}
  },
  "events": [
    {
      "run_id": "waiting",
      "seq": 0,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": null,
      "path": "",
      "type": "workflow.started",
      "name": "Asks a person",
      "inputs": {}
    },
    {
      "run_id": "waiting",
      "seq": 1,
      "at": "2026-01-01T00:00:00.100Z",
      "node_id": "topic",
      "path": "topic",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": null
    },
    {
      "run_id": "waiting",
      "seq": 2,
      "at": "2026-01-01T00:00:00.200Z",
      "node_id": "topic",
      "path": "topic",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "bread",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "waiting",
      "seq": 3,
      "at": "2026-01-01T00:00:00.300Z",
      "node_id": "ask",
      "path": "ask",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "bread"
    },
    {
      "run_id": "waiting",
      "seq": 4,
      "at": "2026-01-01T00:00:00.400Z",
      "node_id": "ask",
      "path": "ask",
      "type": "workflow.node.waiting",
      "message": "Publish?",
      "question": {"type":"approve","message":"Publish?"},
      "expires_at": null
    }
  ],
  "detail": {
    "summary": {
      "runId": "waiting",
      "flow": "Asks a person",
      "flowPath": null,
      "status": "waiting",
      "startedAt": "2026-01-01T00:00:00.000Z",
      "durationMs": null,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "warnings": [
        {
          "code": "unused_branch",
          "node": "ask",
          "message": "Branch `rejected` of \"Ask\" isn't wired, so nothing runs when it is taken. Wire it, or remove the branch."
        }
      ],
      "iterations": null,
      "exitReason": null,
      "forkedFrom": null,
      "name": null,
      "starred": false,
      "parked": null,
      "expiresAt": null,
      "schedule": null
    },
    "document": {
      "schemaVersion": 1,
      "name": "Asks a person",
      "nodes": [
        {"id":"topic","type":"input","position":{"x":0,"y":0},"data":{"name":"topic","default":"bread"}},
        {"id":"ask","type":"approval","position":{"x":200,"y":0},"data":{"label":"Ask","message":"Publish?"}},
        {"id":"out","type":"output","position":{"x":1000,"y":0},"data":{"name":"result"}}
      ],
      "edges": [
        {"id":"e1","source":"topic","sourceHandle":"value","target":"ask"},
        {"id":"e2","source":"ask","sourceHandle":"approved","target":"out"}
      ]
    },
    "inputs": {},
    "outputs": null,
    "error": null,
    "pins": {},
    "until": null,
    "origin": null,
    "budget": null,
    "overBudget": false,
    "overSpendingLimit": false
  },
  "outline": [
    {
      "run_id": "waiting",
      "seq": 0,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": null,
      "path": "",
      "type": "workflow.started",
      "name": "Asks a person",
      "inputs": {}
    },
    {
      "run_id": "waiting",
      "seq": 1,
      "at": "2026-01-01T00:00:00.100Z",
      "node_id": "topic",
      "path": "topic",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": null
    },
    {
      "run_id": "waiting",
      "seq": 2,
      "at": "2026-01-01T00:00:00.200Z",
      "node_id": "topic",
      "path": "topic",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "bread",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "waiting",
      "seq": 3,
      "at": "2026-01-01T00:00:00.300Z",
      "node_id": "ask",
      "path": "ask",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "bread"
    },
    {
      "run_id": "waiting",
      "seq": 4,
      "at": "2026-01-01T00:00:00.400Z",
      "node_id": "ask",
      "path": "ask",
      "type": "workflow.node.waiting",
      "message": "Publish?",
      "question": {"type":"approve","message":"Publish?"},
      "expires_at": null
    }
  ],
  "iterations": {},
  "steps": {
    "ask": {
      "path": "ask",
      "node_id": "ask",
      "status": "waiting",
      "reason": "Publish?",
      "question": {"type":"approve","message":"Publish?"},
      "expires": null,
      "inputs": {"input":"bread"},
      "output": "bread",
      "handles": {},
      "prompt": null,
      "raw": null,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":null},
      "durationMs": null,
      "model": null,
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    },
    "topic": {
      "path": "topic",
      "node_id": "topic",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {},
      "output": "bread",
      "handles": {"value":"bread"},
      "prompt": null,
      "raw": null,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "durationMs": 100,
      "model": null,
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    }
  }
};

export const answered: RecordedRun = {
  "preparation": {
    "id": "answered",
    "problems": [
      {
        "code": "unused_branch",
        "severity": "warning",
        "node": "ask",
        "place": "rejected",
        "message": "Branch `rejected` of \"Ask\" isn't wired, so nothing runs when it is taken. Wire it, or remove the branch.",
        "fix": null
      }
    ],
    "runnable": true,
    "mostItCanCost": {
      "maxCalls": 0,
      "maxUsd": 0.0,
      "maxTokens": 0,
      "agentTurns": 0,
      "unknown": [],
      "unbounded": [],
      "note": "no model calls"
    },
    "needs": {"flow":"content:177d50da26d05db0","digest":"af1349b9f5f9a1a6","needs":[],"missing":0}
  },
  "events": [
    {
      "run_id": "answered",
      "seq": 0,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": null,
      "path": "",
      "type": "workflow.started",
      "name": "Asks a person",
      "inputs": {}
    },
    {
      "run_id": "answered",
      "seq": 1,
      "at": "2026-01-01T00:00:00.100Z",
      "node_id": "topic",
      "path": "topic",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": null
    },
    {
      "run_id": "answered",
      "seq": 2,
      "at": "2026-01-01T00:00:00.200Z",
      "node_id": "topic",
      "path": "topic",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "bread",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "answered",
      "seq": 3,
      "at": "2026-01-01T00:00:00.300Z",
      "node_id": "ask",
      "path": "ask",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "bread"
    },
    {
      "run_id": "answered",
      "seq": 4,
      "at": "2026-01-01T00:00:00.400Z",
      "node_id": "ask",
      "path": "ask",
      "type": "workflow.node.waiting",
      "message": "Publish?",
      "question": {"type":"approve","message":"Publish?"},
      "expires_at": null
    },
    {
      "run_id": "answered",
      "seq": 5,
      "at": "2026-01-01T00:00:00.500Z",
      "node_id": null,
      "path": "",
      "type": "workflow.continued"
    },
    {
      "run_id": "answered",
      "seq": 7,
      "at": "2026-01-01T00:00:00.600Z",
      "node_id": "ask",
      "path": "ask",
      "type": "workflow.node.completed",
      "duration_ms": 300,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "{\"approved\":true,\"comment\":null,\"value\":\"bread\"}",
      "branch": "approved",
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "answered",
      "seq": 8,
      "at": "2026-01-01T00:00:00.700Z",
      "node_id": "out",
      "path": "out",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "bread"
    },
    {
      "run_id": "answered",
      "seq": 9,
      "at": "2026-01-01T00:00:00.800Z",
      "node_id": "out",
      "path": "out",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "bread",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "answered",
      "seq": 10,
      "at": "2026-01-01T00:00:00.900Z",
      "node_id": null,
      "path": "",
      "type": "workflow.completed",
      "outputs": {"result":"bread"},
      "duration_ms": 900,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "warnings": [
        {
          "code": "unused_branch",
          "node": "ask",
          "message": "Branch `rejected` of \"Ask\" isn't wired, so nothing runs when it is taken. Wire it, or remove the branch."
        }
      ]
    }
  ],
  "detail": {
    "summary": {
      "runId": "answered",
      "flow": "Asks a person",
      "flowPath": null,
      "status": "completed",
      "startedAt": "2026-01-01T00:00:00.000Z",
      "durationMs": 900,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "warnings": [
        {
          "code": "unused_branch",
          "node": "ask",
          "message": "Branch `rejected` of \"Ask\" isn't wired, so nothing runs when it is taken. Wire it, or remove the branch."
        }
      ],
      "iterations": null,
      "exitReason": null,
      "forkedFrom": null,
      "name": null,
      "starred": false,
      "parked": null,
      "expiresAt": null,
      "schedule": null
    },
    "document": {
      "schemaVersion": 1,
      "name": "Asks a person",
      "nodes": [
        {"id":"topic","type":"input","position":{"x":0,"y":0},"data":{"name":"topic","default":"bread"}},
        {"id":"ask","type":"approval","position":{"x":200,"y":0},"data":{"label":"Ask","message":"Publish?"}},
        {"id":"out","type":"output","position":{"x":1000,"y":0},"data":{"name":"result"}}
      ],
      "edges": [
        {"id":"e1","source":"topic","sourceHandle":"value","target":"ask"},
        {"id":"e2","source":"ask","sourceHandle":"approved","target":"out"}
      ]
    },
    "inputs": {},
    "outputs": {"result":"bread"},
    "error": null,
    "pins": {},
    "until": null,
    "origin": null,
    "budget": null,
    "overBudget": false,
    "overSpendingLimit": false
  },
  "outline": [
    {
      "run_id": "answered",
      "seq": 0,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": null,
      "path": "",
      "type": "workflow.started",
      "name": "Asks a person",
      "inputs": {}
    },
    {
      "run_id": "answered",
      "seq": 1,
      "at": "2026-01-01T00:00:00.100Z",
      "node_id": "topic",
      "path": "topic",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": null
    },
    {
      "run_id": "answered",
      "seq": 2,
      "at": "2026-01-01T00:00:00.200Z",
      "node_id": "topic",
      "path": "topic",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "bread",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "answered",
      "seq": 3,
      "at": "2026-01-01T00:00:00.300Z",
      "node_id": "ask",
      "path": "ask",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "bread"
    },
    {
      "run_id": "answered",
      "seq": 4,
      "at": "2026-01-01T00:00:00.400Z",
      "node_id": "ask",
      "path": "ask",
      "type": "workflow.node.waiting",
      "message": "Publish?",
      "question": {"type":"approve","message":"Publish?"},
      "expires_at": null
    },
    {
      "run_id": "answered",
      "seq": 5,
      "at": "2026-01-01T00:00:00.500Z",
      "node_id": null,
      "path": "",
      "type": "workflow.continued"
    },
    {
      "run_id": "answered",
      "seq": 7,
      "at": "2026-01-01T00:00:00.600Z",
      "node_id": "ask",
      "path": "ask",
      "type": "workflow.node.completed",
      "duration_ms": 300,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "{\"approved\":true,\"comment\":null,\"value\":\"bread\"}",
      "branch": "approved",
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "answered",
      "seq": 8,
      "at": "2026-01-01T00:00:00.700Z",
      "node_id": "out",
      "path": "out",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "bread"
    },
    {
      "run_id": "answered",
      "seq": 9,
      "at": "2026-01-01T00:00:00.800Z",
      "node_id": "out",
      "path": "out",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "bread",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "answered",
      "seq": 10,
      "at": "2026-01-01T00:00:00.900Z",
      "node_id": null,
      "path": "",
      "type": "workflow.completed",
      "outputs": {"result":"bread"},
      "duration_ms": 900,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "warnings": [
        {
          "code": "unused_branch",
          "node": "ask",
          "message": "Branch `rejected` of \"Ask\" isn't wired, so nothing runs when it is taken. Wire it, or remove the branch."
        }
      ]
    }
  ],
  "iterations": {},
  "steps": {
    "ask": {
      "path": "ask",
      "node_id": "ask",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {"input":"bread"},
      "output": {"approved":true,"comment":null,"value":"bread"},
      "handles": {"approved":"bread"},
      "prompt": null,
      "raw": null,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "durationMs": 300,
      "model": null,
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    },
    "out": {
      "path": "out",
      "node_id": "out",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {"value":"bread"},
      "output": "bread",
      "handles": {},
      "prompt": null,
      "raw": null,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "durationMs": 100,
      "model": null,
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    },
    "topic": {
      "path": "topic",
      "node_id": "topic",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {},
      "output": "bread",
      "handles": {"value":"bread"},
      "prompt": null,
      "raw": null,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "durationMs": 100,
      "model": null,
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    }
  }
};

export const waitingCall: RecordedRun = {
  "preparation": {
    "id": "waitingCall",
    "problems": [],
    "runnable": true,
    "mostItCanCost": {
      "maxCalls": 0,
      "maxUsd": 0.0,
      "maxTokens": 0,
      "agentTurns": 0,
      "unknown": [],
      "unbounded": [],
      "note": "no model calls"
    },
    "needs": {
      "flow": "content:fa80b15af0efbb01",
      "digest": "70395851f7d36139",
      "needs": [
        {
          "item": "host:api.example.org",
          "kind": "host",
          "what": "api.example.org",
          "detail": null,
          "nodes": ["Fetch"],
          "state": "asks"
        },
        {
          "item": "key:MY_TOKEN@https://api.example.org",
          "kind": "key",
          "what": "MY_TOKEN@https://api.example.org",
          "detail": "sent to https://api.example.org",
          "nodes": ["Fetch"],
          "state": "asks"
        }
      ],
      "missing": 0
    }
  },
  "events": [
    {
      "run_id": "waitingCall",
      "seq": 0,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": null,
      "path": "",
      "type": "workflow.started",
      "name": "Asks about a call",
      "inputs": {}
    },
    {
      "run_id": "waitingCall",
      "seq": 1,
      "at": "2026-01-01T00:00:00.100Z",
      "node_id": "topic",
      "path": "topic",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": null
    },
    {
      "run_id": "waitingCall",
      "seq": 2,
      "at": "2026-01-01T00:00:00.200Z",
      "node_id": "topic",
      "path": "topic",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "bread",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "waitingCall",
      "seq": 3,
      "at": "2026-01-01T00:00:00.300Z",
      "node_id": "fetch",
      "path": "fetch",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "bread"
    },
    {
      "run_id": "waitingCall",
      "seq": 4,
      "at": "2026-01-01T00:00:00.400Z",
      "node_id": "fetch",
      "path": "fetch",
      "type": "workflow.node.waiting",
      "message": "\"Fetch\" wants to use `http.request`. Allow it?",
      "question": {"type":"allow_tool","title":"Fetch","tool":"http.request"},
      "expires_at": null
    }
  ],
  "detail": {
    "summary": {
      "runId": "waitingCall",
      "flow": "Asks about a call",
      "flowPath": null,
      "status": "waiting",
      "startedAt": "2026-01-01T00:00:00.000Z",
      "durationMs": null,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "warnings": [],
      "iterations": null,
      "exitReason": null,
      "forkedFrom": null,
      "name": null,
      "starred": false,
      "parked": null,
      "expiresAt": null,
      "schedule": null
    },
    "document": {
      "schemaVersion": 1,
      "name": "Asks about a call",
      "nodes": [
        {"id":"topic","type":"input","position":{"x":0,"y":0},"data":{"name":"topic","default":"bread"}},
        {
          "id": "fetch",
          "type": "tool",
          "position": {"x":200,"y":0},
          "data": {
            "label": "Fetch",
            "tool": "http.request",
            "approval": "ask",
            "args": {
              "method": "POST",
              "url": "https://api.example.org/a",
              "headers": {"Authorization":{"key":"MY_TOKEN","prefix":"Bearer "}},
              "body": {"size":3}
            }
          }
        },
        {"id":"out","type":"output","position":{"x":1000,"y":0},"data":{"name":"result"}}
      ],
      "edges": [
        {"id":"e1","source":"topic","sourceHandle":"value","target":"fetch"},
        {"id":"e2","source":"fetch","sourceHandle":"result","target":"out"}
      ]
    },
    "inputs": {},
    "outputs": null,
    "error": null,
    "pins": {},
    "until": null,
    "origin": null,
    "budget": null,
    "overBudget": false,
    "overSpendingLimit": false
  },
  "outline": [
    {
      "run_id": "waitingCall",
      "seq": 0,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": null,
      "path": "",
      "type": "workflow.started",
      "name": "Asks about a call",
      "inputs": {}
    },
    {
      "run_id": "waitingCall",
      "seq": 1,
      "at": "2026-01-01T00:00:00.100Z",
      "node_id": "topic",
      "path": "topic",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": null
    },
    {
      "run_id": "waitingCall",
      "seq": 2,
      "at": "2026-01-01T00:00:00.200Z",
      "node_id": "topic",
      "path": "topic",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "bread",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "waitingCall",
      "seq": 3,
      "at": "2026-01-01T00:00:00.300Z",
      "node_id": "fetch",
      "path": "fetch",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "bread"
    },
    {
      "run_id": "waitingCall",
      "seq": 4,
      "at": "2026-01-01T00:00:00.400Z",
      "node_id": "fetch",
      "path": "fetch",
      "type": "workflow.node.waiting",
      "message": "\"Fetch\" wants to use `http.request`. Allow it?",
      "question": {"type":"allow_tool","title":"Fetch","tool":"http.request"},
      "expires_at": null
    }
  ],
  "iterations": {},
  "steps": {
    "fetch": {
      "path": "fetch",
      "node_id": "fetch",
      "status": "waiting",
      "reason": "\"Fetch\" wants to use `http.request`. Allow it?",
      "question": {"type":"allow_tool","title":"Fetch","tool":"http.request"},
      "expires": null,
      "inputs": {"input":"bread"},
      "output": {
        "method": "POST",
        "url": "https://api.example.org/a",
        "headers": {"Authorization":{"key":"MY_TOKEN","prefix":"Bearer "}},
        "body": {"size":3}
      },
      "handles": {},
      "prompt": null,
      "raw": null,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":null},
      "durationMs": null,
      "model": null,
      "pinned": false,
      "checked": null,
      "error": null,
      "request": {
        "tool": "http.request",
        "again": false,
        "fixed": [],
        "facts": [
          {"label":"Method","values":["POST"]},
          {"label":"Address","values":["https://api.example.org/a"]},
          {"label":"Headers","values":["content-type: application/json"]},
          {"label":"Keys","values":["MY_TOKEN in authorization, after “Bearer ”"]},
          {"label":"Body","values":["{\"size\":3}"]}
        ],
        "problem": null
      }
    },
    "topic": {
      "path": "topic",
      "node_id": "topic",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {},
      "output": "bread",
      "handles": {"value":"bread"},
      "prompt": null,
      "raw": null,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "durationMs": 100,
      "model": null,
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    }
  }
};

export const waitingCommand: RecordedRun = {
  "preparation": {
    "id": "waitingCommand",
    "problems": [],
    "runnable": true,
    "mostItCanCost": {
      "maxCalls": 0,
      "maxUsd": 0.0,
      "maxTokens": 0,
      "agentTurns": 0,
      "unknown": [],
      "unbounded": [],
      "note": "no model calls"
    },
    "needs": {
      "flow": "content:176d796538898858",
      "digest": "10cc2cbc62acebda",
      "needs": [
        {
          "item": "command:git push in .",
          "kind": "command",
          "what": "git push in .",
          "detail": "a program that may do anything that you can do",
          "nodes": ["Fetch"],
          "state": "new"
        }
      ],
      "missing": 1
    }
  },
  "events": [
    {
      "run_id": "waitingCommand",
      "seq": 0,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": null,
      "path": "",
      "type": "workflow.started",
      "name": "Asks about a command",
      "inputs": {}
    },
    {
      "run_id": "waitingCommand",
      "seq": 1,
      "at": "2026-01-01T00:00:00.100Z",
      "node_id": null,
      "path": "",
      "type": "workflow.trust",
      "verdict": "approved",
      "items": ["command:git push in ."],
      "reason": null
    },
    {
      "run_id": "waitingCommand",
      "seq": 2,
      "at": "2026-01-01T00:00:00.200Z",
      "node_id": "topic",
      "path": "topic",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": null
    },
    {
      "run_id": "waitingCommand",
      "seq": 3,
      "at": "2026-01-01T00:00:00.300Z",
      "node_id": "topic",
      "path": "topic",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "bread",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "waitingCommand",
      "seq": 4,
      "at": "2026-01-01T00:00:00.400Z",
      "node_id": "fetch",
      "path": "fetch",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "bread"
    },
    {
      "run_id": "waitingCommand",
      "seq": 5,
      "at": "2026-01-01T00:00:00.500Z",
      "node_id": "fetch",
      "path": "fetch",
      "type": "workflow.node.waiting",
      "message": "\"Fetch\" wants to use `command`. Allow it?",
      "question": {"type":"allow_tool","title":"Fetch","tool":"command"},
      "expires_at": null
    }
  ],
  "detail": {
    "summary": {
      "runId": "waitingCommand",
      "flow": "Asks about a command",
      "flowPath": null,
      "status": "waiting",
      "startedAt": "2026-01-01T00:00:00.000Z",
      "durationMs": null,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "warnings": [],
      "iterations": null,
      "exitReason": null,
      "forkedFrom": null,
      "name": null,
      "starred": false,
      "parked": null,
      "expiresAt": null,
      "schedule": null
    },
    "document": {
      "schemaVersion": 1,
      "name": "Asks about a command",
      "nodes": [
        {"id":"topic","type":"input","position":{"x":0,"y":0},"data":{"name":"topic","default":"bread"}},
        {
          "id": "fetch",
          "type": "tool",
          "position": {"x":200,"y":0},
          "data": {
            "label": "Fetch",
            "tool": "command",
            "approval": "ask",
            "args": {"program":"git","args":["push"],"stdin":"a"}
          }
        },
        {"id":"out","type":"output","position":{"x":1000,"y":0},"data":{"name":"result"}}
      ],
      "edges": [
        {"id":"e1","source":"topic","sourceHandle":"value","target":"fetch"},
        {"id":"e2","source":"fetch","sourceHandle":"result","target":"out"}
      ]
    },
    "inputs": {},
    "outputs": null,
    "error": null,
    "pins": {},
    "until": null,
    "origin": null,
    "budget": null,
    "overBudget": false,
    "overSpendingLimit": false
  },
  "outline": [
    {
      "run_id": "waitingCommand",
      "seq": 0,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": null,
      "path": "",
      "type": "workflow.started",
      "name": "Asks about a command",
      "inputs": {}
    },
    {
      "run_id": "waitingCommand",
      "seq": 1,
      "at": "2026-01-01T00:00:00.100Z",
      "node_id": null,
      "path": "",
      "type": "workflow.trust",
      "verdict": "approved",
      "items": ["command:git push in ."],
      "reason": null
    },
    {
      "run_id": "waitingCommand",
      "seq": 2,
      "at": "2026-01-01T00:00:00.200Z",
      "node_id": "topic",
      "path": "topic",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": null
    },
    {
      "run_id": "waitingCommand",
      "seq": 3,
      "at": "2026-01-01T00:00:00.300Z",
      "node_id": "topic",
      "path": "topic",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "bread",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "waitingCommand",
      "seq": 4,
      "at": "2026-01-01T00:00:00.400Z",
      "node_id": "fetch",
      "path": "fetch",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "bread"
    },
    {
      "run_id": "waitingCommand",
      "seq": 5,
      "at": "2026-01-01T00:00:00.500Z",
      "node_id": "fetch",
      "path": "fetch",
      "type": "workflow.node.waiting",
      "message": "\"Fetch\" wants to use `command`. Allow it?",
      "question": {"type":"allow_tool","title":"Fetch","tool":"command"},
      "expires_at": null
    }
  ],
  "iterations": {},
  "steps": {
    "fetch": {
      "path": "fetch",
      "node_id": "fetch",
      "status": "waiting",
      "reason": "\"Fetch\" wants to use `command`. Allow it?",
      "question": {"type":"allow_tool","title":"Fetch","tool":"command"},
      "expires": null,
      "inputs": {"input":"bread"},
      "output": {"program":"git","args":["push"],"stdin":"a"},
      "handles": {},
      "prompt": null,
      "raw": null,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":null},
      "durationMs": null,
      "model": null,
      "pinned": false,
      "checked": null,
      "error": null,
      "request": {
        "tool": "command",
        "again": false,
        "fixed": ["program","args"],
        "facts": [],
        "problem": "This flow has never been saved, so it has no folder. Save it first, or write the folder as an absolute path."
      }
    },
    "topic": {
      "path": "topic",
      "node_id": "topic",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {},
      "output": "bread",
      "handles": {"value":"bread"},
      "prompt": null,
      "raw": null,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "durationMs": 100,
      "model": null,
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    }
  }
};

export const stopped: RecordedRun = {
  "preparation": {
    "id": "stopped",
    "problems": [],
    "runnable": true,
    "mostItCanCost": {
      "maxCalls": 1,
      "maxUsd": 0.000422,
      "maxTokens": 754,
      "agentTurns": 0,
      "unknown": [],
      "unbounded": [],
      "note": "at most 1 call, $0.000422"
    },
    "needs": {"flow":"content:bf857311fc4977b8","digest":"af1349b9f5f9a1a6","needs":[],"missing":0}
  },
  "events": [
    {
      "run_id": "stopped",
      "seq": 0,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": null,
      "path": "",
      "type": "workflow.started",
      "name": "Without end",
      "inputs": {}
    },
    {
      "run_id": "stopped",
      "seq": 1,
      "at": "2026-01-01T00:00:00.100Z",
      "node_id": "topic",
      "path": "topic",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": null
    },
    {
      "run_id": "stopped",
      "seq": 2,
      "at": "2026-01-01T00:00:00.200Z",
      "node_id": "topic",
      "path": "topic",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "bread",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "stopped",
      "seq": 3,
      "at": "2026-01-01T00:00:00.300Z",
      "node_id": "draft",
      "path": "draft",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "bread"
    },
    {
      "run_id": "stopped",
      "seq": 3,
      "at": "2026-01-01T00:00:00.400Z",
      "node_id": "draft",
      "path": "draft",
      "type": "workflow.node.streaming",
      "tokens": "and "
    },
    {
      "run_id": "stopped",
      "seq": 3,
      "at": "2026-01-01T00:00:00.500Z",
      "node_id": "draft",
      "path": "draft",
      "type": "workflow.node.streaming",
      "tokens": "so "
    },
    {
      "run_id": "stopped",
      "seq": 3,
      "at": "2026-01-01T00:00:00.600Z",
      "node_id": "draft",
      "path": "draft",
      "type": "workflow.node.streaming",
      "tokens": "on"
    },
    {
      "run_id": "stopped",
      "seq": 6,
      "at": "2026-01-01T00:00:00.700Z",
      "node_id": "draft",
      "path": "draft",
      "type": "workflow.node.failed",
      "duration_ms": 400,
      "code": "cancelled",
      "message": "The run was stopped.",
      "usage": {"calls":1,"input_tokens":0,"output_tokens":0,"cost_usd":null,"cut_off_calls":1},
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null
    },
    {
      "run_id": "stopped",
      "seq": 7,
      "at": "2026-01-01T00:00:00.800Z",
      "node_id": null,
      "path": "",
      "type": "workflow.failed",
      "status": "cancelled",
      "code": "cancelled",
      "message": "The run was stopped.",
      "duration_ms": 800,
      "usage": {"calls":1,"input_tokens":0,"output_tokens":0,"cost_usd":null,"cut_off_calls":1},
      "warnings": []
    }
  ],
  "detail": {
    "summary": {
      "runId": "stopped",
      "flow": "Without end",
      "flowPath": null,
      "status": "cancelled",
      "startedAt": "2026-01-01T00:00:00.000Z",
      "durationMs": 800,
      "usage": {"calls":1,"input_tokens":0,"output_tokens":0,"cost_usd":null,"cut_off_calls":1},
      "warnings": [],
      "iterations": null,
      "exitReason": null,
      "forkedFrom": null,
      "name": null,
      "starred": false,
      "parked": null,
      "expiresAt": null,
      "schedule": null
    },
    "document": {
      "schemaVersion": 1,
      "name": "Without end",
      "nodes": [
        {"id":"topic","type":"input","position":{"x":0,"y":0},"data":{"name":"topic","default":"bread"}},
        {
          "id": "draft",
          "type": "llm",
          "position": {"x":200,"y":0},
          "data": {
            "prompt": "Without end. Say: and so on",
            "provider": "openai",
            "model": "gpt-4.1-mini",
            "temperature": 0,
            "maxTokens": 100
          }
        },
        {"id":"out","type":"output","position":{"x":1000,"y":0},"data":{"name":"result"}}
      ],
      "edges": [
        {"id":"e1","source":"topic","sourceHandle":"value","target":"draft"},
        {"id":"e2","source":"draft","sourceHandle":"response","target":"out"}
      ],
      "settings": {
        "retry": {
          "type": "exponential",
          "count": 3,
          "interval": "PT2S",
          "maxInterval": "PT1M",
          "on": ["timeout","network","truncated","408","429","5xx"]
        }
      }
    },
    "inputs": {},
    "outputs": null,
    "error": {"code":"cancelled","node":null,"message":"The run was stopped."},
    "pins": {},
    "until": null,
    "origin": null,
    "budget": null,
    "overBudget": false,
    "overSpendingLimit": false
  },
  "outline": [
    {
      "run_id": "stopped",
      "seq": 0,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": null,
      "path": "",
      "type": "workflow.started",
      "name": "Without end",
      "inputs": {}
    },
    {
      "run_id": "stopped",
      "seq": 1,
      "at": "2026-01-01T00:00:00.100Z",
      "node_id": "topic",
      "path": "topic",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": null
    },
    {
      "run_id": "stopped",
      "seq": 2,
      "at": "2026-01-01T00:00:00.200Z",
      "node_id": "topic",
      "path": "topic",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "bread",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "stopped",
      "seq": 3,
      "at": "2026-01-01T00:00:00.300Z",
      "node_id": "draft",
      "path": "draft",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "bread"
    },
    {
      "run_id": "stopped",
      "seq": 6,
      "at": "2026-01-01T00:00:00.700Z",
      "node_id": "draft",
      "path": "draft",
      "type": "workflow.node.failed",
      "duration_ms": 400,
      "code": "cancelled",
      "message": "The run was stopped.",
      "usage": {"calls":1,"input_tokens":0,"output_tokens":0,"cost_usd":null,"cut_off_calls":1},
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null
    },
    {
      "run_id": "stopped",
      "seq": 7,
      "at": "2026-01-01T00:00:00.800Z",
      "node_id": null,
      "path": "",
      "type": "workflow.failed",
      "status": "cancelled",
      "code": "cancelled",
      "message": "The run was stopped.",
      "duration_ms": 800,
      "usage": {"calls":1,"input_tokens":0,"output_tokens":0,"cost_usd":null,"cut_off_calls":1},
      "warnings": []
    }
  ],
  "iterations": {},
  "steps": {
    "draft": {
      "path": "draft",
      "node_id": "draft",
      "status": "cancelled",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {"prompt":"bread"},
      "output": null,
      "handles": {},
      "prompt": null,
      "raw": null,
      "usage": {"calls":1,"input_tokens":0,"output_tokens":0,"cost_usd":null,"cut_off_calls":1},
      "durationMs": 400,
      "model": null,
      "pinned": false,
      "checked": null,
      "error": {"code":"cancelled","message":"The run was stopped.","partial":null},
      "request": null
    },
    "topic": {
      "path": "topic",
      "node_id": "topic",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {},
      "output": "bread",
      "handles": {"value":"bread"},
      "prompt": null,
      "raw": null,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "durationMs": 100,
      "model": null,
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    }
  }
};

export const overBudget: RecordedRun = {
  "preparation": {
    "id": "overBudget",
    "problems": [],
    "runnable": true,
    "mostItCanCost": {
      "maxCalls": 3,
      "maxUsd": 0.001421,
      "maxTokens": 2650,
      "agentTurns": 0,
      "unknown": [],
      "unbounded": [],
      "note": "at most 3 calls, $0.001421"
    },
    "needs": {"flow":"content:479ee3791ddf5269","digest":"af1349b9f5f9a1a6","needs":[],"missing":0}
  },
  "events": [
    {
      "run_id": "overBudget",
      "seq": 0,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": null,
      "path": "",
      "type": "workflow.started",
      "name": "Over its budget",
      "inputs": {}
    },
    {
      "run_id": "overBudget",
      "seq": 1,
      "at": "2026-01-01T00:00:00.100Z",
      "node_id": "topic",
      "path": "topic",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": null
    },
    {
      "run_id": "overBudget",
      "seq": 2,
      "at": "2026-01-01T00:00:00.200Z",
      "node_id": "topic",
      "path": "topic",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "bread",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "overBudget",
      "seq": 3,
      "at": "2026-01-01T00:00:00.300Z",
      "node_id": "refine",
      "path": "refine",
      "type": "workflow.node.started",
      "max_iterations": 3,
      "input_preview": "bread"
    },
    {
      "run_id": "overBudget",
      "seq": 4,
      "at": "2026-01-01T00:00:00.400Z",
      "node_id": "refine",
      "path": "refine",
      "type": "workflow.node.iteration",
      "index": 0,
      "total": 3,
      "input_preview": "bread"
    },
    {
      "run_id": "overBudget",
      "seq": 5,
      "at": "2026-01-01T00:00:00.500Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "bread"
    },
    {
      "run_id": "overBudget",
      "seq": 8,
      "at": "2026-01-01T00:00:00.600Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.failed",
      "duration_ms": 100,
      "code": "cancelled",
      "message": "The run's budget of 210 tokens has no room for the next call of \"draft\": 0 tokens are spent, and the call can take up to 337 tokens. Resume the run with a larger budget to go on.",
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null
    },
    {
      "run_id": "overBudget",
      "seq": 9,
      "at": "2026-01-01T00:00:00.700Z",
      "node_id": "refine",
      "path": "refine",
      "type": "workflow.loop.iteration_completed",
      "index": 0,
      "similarity": null,
      "condition_result": null,
      "score": null,
      "duration_ms": 300,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "result_preview": "",
      "reached_exit": false,
      "status": "cancelled"
    },
    {
      "run_id": "overBudget",
      "seq": 10,
      "at": "2026-01-01T00:00:00.800Z",
      "node_id": "refine",
      "path": "refine",
      "type": "workflow.node.failed",
      "duration_ms": 500,
      "code": "cancelled",
      "message": "The run's budget of 210 tokens has no room for the next call of \"draft\": 0 tokens are spent, and the call can take up to 337 tokens. Resume the run with a larger budget to go on.",
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "iterations_run": 0,
      "exit_reason": "budget_exceeded",
      "exhausted": true
    },
    {
      "run_id": "overBudget",
      "seq": 11,
      "at": "2026-01-01T00:00:00.900Z",
      "node_id": "draft",
      "path": "",
      "type": "workflow.failed",
      "status": "failed",
      "code": "budget_exceeded",
      "message": "The run's budget of 210 tokens has no room for the next call of \"draft\": 0 tokens are spent, and the call can take up to 337 tokens. Resume the run with a larger budget to go on.",
      "duration_ms": 900,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "warnings": []
    }
  ],
  "detail": {
    "summary": {
      "runId": "overBudget",
      "flow": "Over its budget",
      "flowPath": null,
      "status": "failed",
      "startedAt": "2026-01-01T00:00:00.000Z",
      "durationMs": 900,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "warnings": [],
      "iterations": 0,
      "exitReason": "budget_exceeded",
      "forkedFrom": null,
      "name": null,
      "starred": false,
      "parked": null,
      "expiresAt": null,
      "schedule": null
    },
    "document": {
      "schemaVersion": 1,
      "name": "Over its budget",
      "settings": {
        "budget": {"tokens":210},
        "retry": {
          "type": "exponential",
          "count": 3,
          "interval": "PT2S",
          "maxInterval": "PT1M",
          "on": ["timeout","network","truncated","408","429","5xx"]
        }
      },
      "nodes": [
        {"id":"topic","type":"input","position":{"x":0,"y":0},"data":{"name":"topic","default":"bread"}},
        {"id":"refine","type":"loop","position":{"x":200,"y":0},"data":{"maxIterations":3}},
        {
          "id": "draft",
          "type": "llm",
          "position": {"x":400,"y":0},
          "data": {
            "prompt": "{{ run.inputs.topic }} Say: draft {{ loopCount }}",
            "provider": "openai",
            "model": "gpt-4.1-mini",
            "temperature": 0,
            "maxTokens": 100
          }
        },
        {
          "id": "critique",
          "type": "transform",
          "position": {"x":400,"y":200},
          "data": {"template":"critique {{ loopCount }}"}
        },
        {"id":"exit","type":"exit","position":{"x":600,"y":0},"data":{}},
        {"id":"out","type":"output","position":{"x":1000,"y":0},"data":{"name":"result"}}
      ],
      "edges": [
        {"id":"e1","source":"topic","sourceHandle":"value","target":"refine"},
        {"id":"e2","source":"refine","sourceHandle":"body","target":"draft"},
        {"id":"e3","source":"draft","sourceHandle":"response","target":"exit"},
        {"id":"e4","source":"draft","sourceHandle":"response","target":"critique"},
        {"id":"e5","source":"critique","sourceHandle":"output","target":"refine","targetHandle":"feedback"},
        {"id":"e6","source":"exit","sourceHandle":"output","target":"out"}
      ]
    },
    "inputs": {},
    "outputs": null,
    "error": {
      "code": "budget_exceeded",
      "node": "draft",
      "message": "The run's budget of 210 tokens has no room for the next call of \"draft\": 0 tokens are spent, and the call can take up to 337 tokens. Resume the run with a larger budget to go on."
    },
    "pins": {},
    "until": null,
    "origin": null,
    "budget": {
      "spent_usd": 0.0,
      "spent_tokens": 0,
      "reserved_usd": 0.0,
      "reserved_tokens": 0,
      "budget_usd": null,
      "budget_tokens": 210
    },
    "overBudget": true,
    "overSpendingLimit": false
  },
  "outline": [
    {
      "run_id": "overBudget",
      "seq": 0,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": null,
      "path": "",
      "type": "workflow.started",
      "name": "Over its budget",
      "inputs": {}
    },
    {
      "run_id": "overBudget",
      "seq": 1,
      "at": "2026-01-01T00:00:00.100Z",
      "node_id": "topic",
      "path": "topic",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": null
    },
    {
      "run_id": "overBudget",
      "seq": 2,
      "at": "2026-01-01T00:00:00.200Z",
      "node_id": "topic",
      "path": "topic",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "bread",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "overBudget",
      "seq": 3,
      "at": "2026-01-01T00:00:00.300Z",
      "node_id": "refine",
      "path": "refine",
      "type": "workflow.node.started",
      "max_iterations": 3,
      "input_preview": "bread"
    },
    {
      "run_id": "overBudget",
      "seq": 10,
      "at": "2026-01-01T00:00:00.800Z",
      "node_id": "refine",
      "path": "refine",
      "type": "workflow.node.failed",
      "duration_ms": 500,
      "code": "cancelled",
      "message": "The run's budget of 210 tokens has no room for the next call of \"draft\": 0 tokens are spent, and the call can take up to 337 tokens. Resume the run with a larger budget to go on.",
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "iterations_run": 0,
      "exit_reason": "budget_exceeded",
      "exhausted": true
    },
    {
      "run_id": "overBudget",
      "seq": 11,
      "at": "2026-01-01T00:00:00.900Z",
      "node_id": "draft",
      "path": "",
      "type": "workflow.failed",
      "status": "failed",
      "code": "budget_exceeded",
      "message": "The run's budget of 210 tokens has no room for the next call of \"draft\": 0 tokens are spent, and the call can take up to 337 tokens. Resume the run with a larger budget to go on.",
      "duration_ms": 900,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "warnings": []
    }
  ],
  "iterations": {
    "refine": {
      "total": 1,
      "iterations": [
        {
          "index": 0,
          "status": "cancelled",
          "similarity": null,
          "conditionResult": null,
          "score": null,
          "durationMs": 300,
          "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
          "resultPreview": "",
          "reachedExit": false
        }
      ]
    }
  },
  "steps": {
    "refine": {
      "path": "refine",
      "node_id": "refine",
      "status": "cancelled",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {"input":"bread"},
      "output": null,
      "handles": {},
      "prompt": null,
      "raw": null,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "durationMs": 500,
      "model": null,
      "pinned": false,
      "checked": null,
      "error": {
        "code": "cancelled",
        "message": "The run's budget of 210 tokens has no room for the next call of \"draft\": 0 tokens are spent, and the call can take up to 337 tokens. Resume the run with a larger budget to go on.",
        "partial": null
      },
      "request": null
    },
    "refine[1]/draft": {
      "path": "refine[1]/draft",
      "node_id": "draft",
      "status": "cancelled",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {"prompt":"bread"},
      "output": null,
      "handles": {},
      "prompt": null,
      "raw": null,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "durationMs": 100,
      "model": null,
      "pinned": false,
      "checked": null,
      "error": {
        "code": "cancelled",
        "message": "The run's budget of 210 tokens has no room for the next call of \"draft\": 0 tokens are spent, and the call can take up to 337 tokens. Resume the run with a larger budget to go on.",
        "partial": null
      },
      "request": null
    },
    "topic": {
      "path": "topic",
      "node_id": "topic",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {},
      "output": "bread",
      "handles": {"value":"bread"},
      "prompt": null,
      "raw": null,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "durationMs": 100,
      "model": null,
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    }
  }
};

export const selfRefine: RecordedRun = {
  "preparation": {
    "id": "selfRefine",
    "problems": [],
    "runnable": true,
    "mostItCanCost": {
      "maxCalls": 5,
      "maxUsd": 0.026671,
      "maxTokens": 35949,
      "agentTurns": 0,
      "unknown": [],
      "unbounded": [],
      "note": "at most 5 calls, $0.026671"
    },
    "needs": {"flow":"content:5cd9b02cc98ef909","digest":"af1349b9f5f9a1a6","needs":[],"missing":0}
  },
  "events": [
    {
      "run_id": "selfRefine",
      "seq": 0,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": null,
      "path": "",
      "type": "workflow.started",
      "name": "Self-Refine",
      "inputs": {}
    },
    {
      "run_id": "selfRefine",
      "seq": 1,
      "at": "2026-01-01T00:00:00.100Z",
      "node_id": "topic",
      "path": "topic",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": null
    },
    {
      "run_id": "selfRefine",
      "seq": 2,
      "at": "2026-01-01T00:00:00.200Z",
      "node_id": "topic",
      "path": "topic",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "The committee have met on tuesday to disscuss the the new library. Its going to stand near the river, where their is plenty of space for for cars. Many resident think the plan are to expensive, but the mayor beleives it will definately be worth it in the long run. She recieved over two hundred letter in support. The builders could of started last month if the permits had came on time. Noone knows …",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "selfRefine",
      "seq": 3,
      "at": "2026-01-01T00:00:00.300Z",
      "node_id": "refine",
      "path": "refine",
      "type": "workflow.node.started",
      "max_iterations": 3,
      "input_preview": "The committee have met on tuesday to disscuss the the new library. Its going to stand near the river, where their is plenty of space for for cars. Many resident think the plan are to expensive, but the mayor beleives it will definately be worth it in the long run. She recieved over two hundred letter in support. The builders could of started last month if the permits had came on time. Noone knows …"
    },
    {
      "run_id": "selfRefine",
      "seq": 4,
      "at": "2026-01-01T00:00:00.400Z",
      "node_id": "refine",
      "path": "refine",
      "type": "workflow.node.iteration",
      "index": 0,
      "total": 3,
      "input_preview": "The committee have met on tuesday to disscuss the the new library. Its going to stand near the river, where their is plenty of space for for cars. Many resident think the plan are to expensive, but the mayor beleives it will definately be worth it in the long run. She recieved over two hundred letter in support. The builders could of started last month if the permits had came on time. Noone knows …"
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:00.500Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "The committee have met on tuesday to disscuss the the new library. Its going to stand near the river, where their is plenty of space for for cars. Many resident think the plan are to expensive, but the mayor beleives it will definately be worth it in the long run. She recieved over two hundred letter in support. The builders could of started last month if the permits had came on time. Noone knows …"
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:00.600Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "The "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:00.700Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "committee "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:00.800Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "have "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:00.900Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "met "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:01.000Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "on "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:01.100Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "tuesday "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:01.200Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "to "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:01.300Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "disscuss "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:01.400Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "the "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:01.500Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "the "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:01.600Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "new "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:01.700Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "library. "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:01.800Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "Its "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:01.900Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "going "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:02.000Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "to "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:02.100Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "stand "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:02.200Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "near "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:02.300Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "the "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:02.400Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "river, "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:02.500Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "where "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:02.600Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "their "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:02.700Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "is "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:02.800Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "plenty "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:02.900Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "of "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:03.000Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "space "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:03.100Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "for "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:03.200Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "for "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:03.300Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "cars. "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:03.400Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "Many "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:03.500Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "resident "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:03.600Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "think "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:03.700Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "the "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:03.800Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "plan "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:03.900Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "are "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:04.000Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "to "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:04.100Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "expensive, "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:04.200Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "but "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:04.300Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "the "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:04.400Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "mayor "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:04.500Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "beleives "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:04.600Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "it "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:04.700Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "will "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:04.800Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "definately "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:04.900Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "be "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:05.000Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "worth "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:05.100Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "it "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:05.200Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "in "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:05.300Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "the "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:05.400Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "long "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:05.500Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "run. "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:05.600Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "She "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:05.700Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "recieved "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:05.800Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "over "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:05.900Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "two "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:06.000Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "hundred "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:06.100Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "letter "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:06.200Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "in "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:06.300Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "support. "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:06.400Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "The "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:06.500Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "builders "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:06.600Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "could "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:06.700Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "of "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:06.800Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "started "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:06.900Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "last "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:07.000Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "month "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:07.100Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "if "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:07.200Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "the "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:07.300Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "permits "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:07.400Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "had "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:07.500Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "came "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:07.600Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "on "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:07.700Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "time. "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:07.800Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "Noone "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:07.900Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "knows "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:08.000Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "how "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:08.100Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "much "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:08.200Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "the "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:08.300Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "delay "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:08.400Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "will "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:08.500Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "effect "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:08.600Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "the "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:08.700Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "final "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:08.800Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "price.\n\nAnswer "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:08.900Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "with "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:09.000Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "the "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:09.100Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "text "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:09.200Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "alone, "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:09.300Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "without "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:09.400Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "an "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:09.500Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "introduction "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:09.600Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "or "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:09.700Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "an "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:09.800Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "explanation, "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:09.900Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "between "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:10.000Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "<answer> "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:10.100Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "and "
    },
    {
      "run_id": "selfRefine",
      "seq": 5,
      "at": "2026-01-01T00:00:10.200Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.streaming",
      "tokens": "</answer>."
    },
    {
      "run_id": "selfRefine",
      "seq": 6,
      "at": "2026-01-01T00:00:10.300Z",
      "node_id": "draft",
      "path": "refine[1]/draft",
      "type": "workflow.node.completed",
      "duration_ms": 9800,
      "usage": {"calls":1,"input_tokens":98,"output_tokens":97,"cost_usd":0.000195,"longest_prompt":98},
      "preview": "and",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": "openai/gpt-4.1-mini",
      "pinned": false
    },
    {
      "run_id": "selfRefine",
      "seq": 7,
      "at": "2026-01-01T00:00:10.400Z",
      "node_id": "critique",
      "path": "refine[1]/critique",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "and"
    },
    {
      "run_id": "selfRefine",
      "seq": 7,
      "at": "2026-01-01T00:00:10.500Z",
      "node_id": "critique",
      "path": "refine[1]/critique",
      "type": "workflow.node.streaming",
      "tokens": "and"
    },
    {
      "run_id": "selfRefine",
      "seq": 8,
      "at": "2026-01-01T00:00:10.600Z",
      "node_id": "critique",
      "path": "refine[1]/critique",
      "type": "workflow.node.completed",
      "duration_ms": 200,
      "usage": {"calls":1,"input_tokens":1,"output_tokens":1,"cost_usd":2e-6,"longest_prompt":1},
      "preview": "and",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": "openai/gpt-4.1-mini",
      "pinned": false
    },
    {
      "run_id": "selfRefine",
      "seq": 9,
      "at": "2026-01-01T00:00:10.700Z",
      "node_id": "merge",
      "path": "refine[1]/merge",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "and"
    },
    {
      "run_id": "selfRefine",
      "seq": 10,
      "at": "2026-01-01T00:00:10.800Z",
      "node_id": "merge",
      "path": "refine[1]/merge",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "PREVIOUS DRAFT:\nand\n\nCRITIQUE:\nand\n\nPlease revise the draft addressing the critique above.",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "selfRefine",
      "seq": 11,
      "at": "2026-01-01T00:00:10.900Z",
      "node_id": "refine",
      "path": "refine",
      "type": "workflow.loop.iteration_completed",
      "index": 0,
      "similarity": null,
      "condition_result": null,
      "score": null,
      "duration_ms": 10500,
      "usage": {"calls":2,"input_tokens":99,"output_tokens":98,"cost_usd":0.000197,"longest_prompt":98},
      "result_preview": "and",
      "reached_exit": true,
      "status": "completed"
    },
    {
      "run_id": "selfRefine",
      "seq": 12,
      "at": "2026-01-01T00:00:11.000Z",
      "node_id": "refine",
      "path": "refine",
      "type": "workflow.node.iteration",
      "index": 1,
      "total": 3,
      "input_preview": "PREVIOUS DRAFT:\nand\n\nCRITIQUE:\nand\n\nPlease revise the draft addressing the critique above."
    },
    {
      "run_id": "selfRefine",
      "seq": 13,
      "at": "2026-01-01T00:00:11.100Z",
      "node_id": "draft",
      "path": "refine[2]/draft",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "PREVIOUS DRAFT:\nand\n\nCRITIQUE:\nand\n\nPlease revise the draft addressing the critique above."
    },
    {
      "run_id": "selfRefine",
      "seq": 13,
      "at": "2026-01-01T00:00:11.200Z",
      "node_id": "draft",
      "path": "refine[2]/draft",
      "type": "workflow.node.streaming",
      "tokens": "PREVIOUS "
    },
    {
      "run_id": "selfRefine",
      "seq": 13,
      "at": "2026-01-01T00:00:11.300Z",
      "node_id": "draft",
      "path": "refine[2]/draft",
      "type": "workflow.node.streaming",
      "tokens": "DRAFT:\nand\n\nCRITIQUE:\nand\n\nPlease "
    },
    {
      "run_id": "selfRefine",
      "seq": 13,
      "at": "2026-01-01T00:00:11.400Z",
      "node_id": "draft",
      "path": "refine[2]/draft",
      "type": "workflow.node.streaming",
      "tokens": "revise "
    },
    {
      "run_id": "selfRefine",
      "seq": 13,
      "at": "2026-01-01T00:00:11.500Z",
      "node_id": "draft",
      "path": "refine[2]/draft",
      "type": "workflow.node.streaming",
      "tokens": "the "
    },
    {
      "run_id": "selfRefine",
      "seq": 13,
      "at": "2026-01-01T00:00:11.600Z",
      "node_id": "draft",
      "path": "refine[2]/draft",
      "type": "workflow.node.streaming",
      "tokens": "draft "
    },
    {
      "run_id": "selfRefine",
      "seq": 13,
      "at": "2026-01-01T00:00:11.700Z",
      "node_id": "draft",
      "path": "refine[2]/draft",
      "type": "workflow.node.streaming",
      "tokens": "addressing "
    },
    {
      "run_id": "selfRefine",
      "seq": 13,
      "at": "2026-01-01T00:00:11.800Z",
      "node_id": "draft",
      "path": "refine[2]/draft",
      "type": "workflow.node.streaming",
      "tokens": "the "
    },
    {
      "run_id": "selfRefine",
      "seq": 13,
      "at": "2026-01-01T00:00:11.900Z",
      "node_id": "draft",
      "path": "refine[2]/draft",
      "type": "workflow.node.streaming",
      "tokens": "critique "
    },
    {
      "run_id": "selfRefine",
      "seq": 13,
      "at": "2026-01-01T00:00:12.000Z",
      "node_id": "draft",
      "path": "refine[2]/draft",
      "type": "workflow.node.streaming",
      "tokens": "above.\n\nAnswer "
    },
    {
      "run_id": "selfRefine",
      "seq": 13,
      "at": "2026-01-01T00:00:12.100Z",
      "node_id": "draft",
      "path": "refine[2]/draft",
      "type": "workflow.node.streaming",
      "tokens": "with "
    },
    {
      "run_id": "selfRefine",
      "seq": 13,
      "at": "2026-01-01T00:00:12.200Z",
      "node_id": "draft",
      "path": "refine[2]/draft",
      "type": "workflow.node.streaming",
      "tokens": "the "
    },
    {
      "run_id": "selfRefine",
      "seq": 13,
      "at": "2026-01-01T00:00:12.300Z",
      "node_id": "draft",
      "path": "refine[2]/draft",
      "type": "workflow.node.streaming",
      "tokens": "text "
    },
    {
      "run_id": "selfRefine",
      "seq": 13,
      "at": "2026-01-01T00:00:12.400Z",
      "node_id": "draft",
      "path": "refine[2]/draft",
      "type": "workflow.node.streaming",
      "tokens": "alone, "
    },
    {
      "run_id": "selfRefine",
      "seq": 13,
      "at": "2026-01-01T00:00:12.500Z",
      "node_id": "draft",
      "path": "refine[2]/draft",
      "type": "workflow.node.streaming",
      "tokens": "without "
    },
    {
      "run_id": "selfRefine",
      "seq": 13,
      "at": "2026-01-01T00:00:12.600Z",
      "node_id": "draft",
      "path": "refine[2]/draft",
      "type": "workflow.node.streaming",
      "tokens": "an "
    },
    {
      "run_id": "selfRefine",
      "seq": 13,
      "at": "2026-01-01T00:00:12.700Z",
      "node_id": "draft",
      "path": "refine[2]/draft",
      "type": "workflow.node.streaming",
      "tokens": "introduction "
    },
    {
      "run_id": "selfRefine",
      "seq": 13,
      "at": "2026-01-01T00:00:12.800Z",
      "node_id": "draft",
      "path": "refine[2]/draft",
      "type": "workflow.node.streaming",
      "tokens": "or "
    },
    {
      "run_id": "selfRefine",
      "seq": 13,
      "at": "2026-01-01T00:00:12.900Z",
      "node_id": "draft",
      "path": "refine[2]/draft",
      "type": "workflow.node.streaming",
      "tokens": "an "
    },
    {
      "run_id": "selfRefine",
      "seq": 13,
      "at": "2026-01-01T00:00:13.000Z",
      "node_id": "draft",
      "path": "refine[2]/draft",
      "type": "workflow.node.streaming",
      "tokens": "explanation, "
    },
    {
      "run_id": "selfRefine",
      "seq": 13,
      "at": "2026-01-01T00:00:13.100Z",
      "node_id": "draft",
      "path": "refine[2]/draft",
      "type": "workflow.node.streaming",
      "tokens": "between "
    },
    {
      "run_id": "selfRefine",
      "seq": 13,
      "at": "2026-01-01T00:00:13.200Z",
      "node_id": "draft",
      "path": "refine[2]/draft",
      "type": "workflow.node.streaming",
      "tokens": "<answer> "
    },
    {
      "run_id": "selfRefine",
      "seq": 13,
      "at": "2026-01-01T00:00:13.300Z",
      "node_id": "draft",
      "path": "refine[2]/draft",
      "type": "workflow.node.streaming",
      "tokens": "and "
    },
    {
      "run_id": "selfRefine",
      "seq": 13,
      "at": "2026-01-01T00:00:13.400Z",
      "node_id": "draft",
      "path": "refine[2]/draft",
      "type": "workflow.node.streaming",
      "tokens": "</answer>."
    },
    {
      "run_id": "selfRefine",
      "seq": 14,
      "at": "2026-01-01T00:00:13.500Z",
      "node_id": "draft",
      "path": "refine[2]/draft",
      "type": "workflow.node.completed",
      "duration_ms": 2400,
      "usage": {"calls":1,"input_tokens":28,"output_tokens":23,"cost_usd":0.000048,"longest_prompt":28},
      "preview": "and",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": "openai/gpt-4.1-mini",
      "pinned": false
    },
    {
      "run_id": "selfRefine",
      "seq": 15,
      "at": "2026-01-01T00:00:13.600Z",
      "node_id": "critique",
      "path": "refine[2]/critique",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "and"
    },
    {
      "run_id": "selfRefine",
      "seq": 15,
      "at": "2026-01-01T00:00:13.700Z",
      "node_id": "critique",
      "path": "refine[2]/critique",
      "type": "workflow.node.streaming",
      "tokens": "and"
    },
    {
      "run_id": "selfRefine",
      "seq": 16,
      "at": "2026-01-01T00:00:13.800Z",
      "node_id": "critique",
      "path": "refine[2]/critique",
      "type": "workflow.node.completed",
      "duration_ms": 200,
      "usage": {"calls":1,"input_tokens":1,"output_tokens":1,"cost_usd":2e-6,"longest_prompt":1},
      "preview": "and",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": "openai/gpt-4.1-mini",
      "pinned": false
    },
    {
      "run_id": "selfRefine",
      "seq": 17,
      "at": "2026-01-01T00:00:13.900Z",
      "node_id": "merge",
      "path": "refine[2]/merge",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "and"
    },
    {
      "run_id": "selfRefine",
      "seq": 18,
      "at": "2026-01-01T00:00:14.000Z",
      "node_id": "merge",
      "path": "refine[2]/merge",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "PREVIOUS DRAFT:\nand\n\nCRITIQUE:\nand\n\nPlease revise the draft addressing the critique above.",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "selfRefine",
      "seq": 19,
      "at": "2026-01-01T00:00:14.100Z",
      "node_id": "refine",
      "path": "refine",
      "type": "workflow.loop.iteration_completed",
      "index": 1,
      "similarity": null,
      "condition_result": null,
      "score": null,
      "duration_ms": 3100,
      "usage": {"calls":2,"input_tokens":29,"output_tokens":24,"cost_usd":0.00005,"longest_prompt":28},
      "result_preview": "and",
      "reached_exit": true,
      "status": "completed"
    },
    {
      "run_id": "selfRefine",
      "seq": 20,
      "at": "2026-01-01T00:00:14.200Z",
      "node_id": "refine",
      "path": "refine",
      "type": "workflow.node.iteration",
      "index": 2,
      "total": 3,
      "input_preview": "PREVIOUS DRAFT:\nand\n\nCRITIQUE:\nand\n\nPlease revise the draft addressing the critique above."
    },
    {
      "run_id": "selfRefine",
      "seq": 21,
      "at": "2026-01-01T00:00:14.300Z",
      "node_id": "draft",
      "path": "refine[3]/draft",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "PREVIOUS DRAFT:\nand\n\nCRITIQUE:\nand\n\nPlease revise the draft addressing the critique above."
    },
    {
      "run_id": "selfRefine",
      "seq": 21,
      "at": "2026-01-01T00:00:14.400Z",
      "node_id": "draft",
      "path": "refine[3]/draft",
      "type": "workflow.node.streaming",
      "tokens": "PREVIOUS "
    },
    {
      "run_id": "selfRefine",
      "seq": 21,
      "at": "2026-01-01T00:00:14.500Z",
      "node_id": "draft",
      "path": "refine[3]/draft",
      "type": "workflow.node.streaming",
      "tokens": "DRAFT:\nand\n\nCRITIQUE:\nand\n\nPlease "
    },
    {
      "run_id": "selfRefine",
      "seq": 21,
      "at": "2026-01-01T00:00:14.600Z",
      "node_id": "draft",
      "path": "refine[3]/draft",
      "type": "workflow.node.streaming",
      "tokens": "revise "
    },
    {
      "run_id": "selfRefine",
      "seq": 21,
      "at": "2026-01-01T00:00:14.700Z",
      "node_id": "draft",
      "path": "refine[3]/draft",
      "type": "workflow.node.streaming",
      "tokens": "the "
    },
    {
      "run_id": "selfRefine",
      "seq": 21,
      "at": "2026-01-01T00:00:14.800Z",
      "node_id": "draft",
      "path": "refine[3]/draft",
      "type": "workflow.node.streaming",
      "tokens": "draft "
    },
    {
      "run_id": "selfRefine",
      "seq": 21,
      "at": "2026-01-01T00:00:14.900Z",
      "node_id": "draft",
      "path": "refine[3]/draft",
      "type": "workflow.node.streaming",
      "tokens": "addressing "
    },
    {
      "run_id": "selfRefine",
      "seq": 21,
      "at": "2026-01-01T00:00:15.000Z",
      "node_id": "draft",
      "path": "refine[3]/draft",
      "type": "workflow.node.streaming",
      "tokens": "the "
    },
    {
      "run_id": "selfRefine",
      "seq": 21,
      "at": "2026-01-01T00:00:15.100Z",
      "node_id": "draft",
      "path": "refine[3]/draft",
      "type": "workflow.node.streaming",
      "tokens": "critique "
    },
    {
      "run_id": "selfRefine",
      "seq": 21,
      "at": "2026-01-01T00:00:15.200Z",
      "node_id": "draft",
      "path": "refine[3]/draft",
      "type": "workflow.node.streaming",
      "tokens": "above.\n\nAnswer "
    },
    {
      "run_id": "selfRefine",
      "seq": 21,
      "at": "2026-01-01T00:00:15.300Z",
      "node_id": "draft",
      "path": "refine[3]/draft",
      "type": "workflow.node.streaming",
      "tokens": "with "
    },
    {
      "run_id": "selfRefine",
      "seq": 21,
      "at": "2026-01-01T00:00:15.400Z",
      "node_id": "draft",
      "path": "refine[3]/draft",
      "type": "workflow.node.streaming",
      "tokens": "the "
    },
    {
      "run_id": "selfRefine",
      "seq": 21,
      "at": "2026-01-01T00:00:15.500Z",
      "node_id": "draft",
      "path": "refine[3]/draft",
      "type": "workflow.node.streaming",
      "tokens": "text "
    },
    {
      "run_id": "selfRefine",
      "seq": 21,
      "at": "2026-01-01T00:00:15.600Z",
      "node_id": "draft",
      "path": "refine[3]/draft",
      "type": "workflow.node.streaming",
      "tokens": "alone, "
    },
    {
      "run_id": "selfRefine",
      "seq": 21,
      "at": "2026-01-01T00:00:15.700Z",
      "node_id": "draft",
      "path": "refine[3]/draft",
      "type": "workflow.node.streaming",
      "tokens": "without "
    },
    {
      "run_id": "selfRefine",
      "seq": 21,
      "at": "2026-01-01T00:00:15.800Z",
      "node_id": "draft",
      "path": "refine[3]/draft",
      "type": "workflow.node.streaming",
      "tokens": "an "
    },
    {
      "run_id": "selfRefine",
      "seq": 21,
      "at": "2026-01-01T00:00:15.900Z",
      "node_id": "draft",
      "path": "refine[3]/draft",
      "type": "workflow.node.streaming",
      "tokens": "introduction "
    },
    {
      "run_id": "selfRefine",
      "seq": 21,
      "at": "2026-01-01T00:00:16.000Z",
      "node_id": "draft",
      "path": "refine[3]/draft",
      "type": "workflow.node.streaming",
      "tokens": "or "
    },
    {
      "run_id": "selfRefine",
      "seq": 21,
      "at": "2026-01-01T00:00:16.100Z",
      "node_id": "draft",
      "path": "refine[3]/draft",
      "type": "workflow.node.streaming",
      "tokens": "an "
    },
    {
      "run_id": "selfRefine",
      "seq": 21,
      "at": "2026-01-01T00:00:16.200Z",
      "node_id": "draft",
      "path": "refine[3]/draft",
      "type": "workflow.node.streaming",
      "tokens": "explanation, "
    },
    {
      "run_id": "selfRefine",
      "seq": 21,
      "at": "2026-01-01T00:00:16.300Z",
      "node_id": "draft",
      "path": "refine[3]/draft",
      "type": "workflow.node.streaming",
      "tokens": "between "
    },
    {
      "run_id": "selfRefine",
      "seq": 21,
      "at": "2026-01-01T00:00:16.400Z",
      "node_id": "draft",
      "path": "refine[3]/draft",
      "type": "workflow.node.streaming",
      "tokens": "<answer> "
    },
    {
      "run_id": "selfRefine",
      "seq": 21,
      "at": "2026-01-01T00:00:16.500Z",
      "node_id": "draft",
      "path": "refine[3]/draft",
      "type": "workflow.node.streaming",
      "tokens": "and "
    },
    {
      "run_id": "selfRefine",
      "seq": 21,
      "at": "2026-01-01T00:00:16.600Z",
      "node_id": "draft",
      "path": "refine[3]/draft",
      "type": "workflow.node.streaming",
      "tokens": "</answer>."
    },
    {
      "run_id": "selfRefine",
      "seq": 22,
      "at": "2026-01-01T00:00:16.700Z",
      "node_id": "draft",
      "path": "refine[3]/draft",
      "type": "workflow.node.completed",
      "duration_ms": 2400,
      "usage": {"calls":1,"input_tokens":28,"output_tokens":23,"cost_usd":0.000048,"longest_prompt":28},
      "preview": "and",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": "openai/gpt-4.1-mini",
      "pinned": false
    },
    {
      "run_id": "selfRefine",
      "seq": 23,
      "at": "2026-01-01T00:00:16.800Z",
      "node_id": "critique",
      "path": "refine[3]/critique",
      "type": "workflow.node.skipped",
      "reason": "not run: last iteration",
      "cause": "last_iteration"
    },
    {
      "run_id": "selfRefine",
      "seq": 24,
      "at": "2026-01-01T00:00:16.900Z",
      "node_id": "merge",
      "path": "refine[3]/merge",
      "type": "workflow.node.skipped",
      "reason": "not run: last iteration",
      "cause": "last_iteration"
    },
    {
      "run_id": "selfRefine",
      "seq": 25,
      "at": "2026-01-01T00:00:17.000Z",
      "node_id": "refine",
      "path": "refine",
      "type": "workflow.loop.iteration_completed",
      "index": 2,
      "similarity": null,
      "condition_result": null,
      "score": null,
      "duration_ms": 2800,
      "usage": {"calls":1,"input_tokens":28,"output_tokens":23,"cost_usd":0.000048,"longest_prompt":28},
      "result_preview": "and",
      "reached_exit": true,
      "status": "completed"
    },
    {
      "run_id": "selfRefine",
      "seq": 26,
      "at": "2026-01-01T00:00:17.100Z",
      "node_id": "refine",
      "path": "refine",
      "type": "workflow.node.completed",
      "duration_ms": 16800,
      "usage": {"calls":5,"input_tokens":156,"output_tokens":145,"cost_usd":0.000295,"longest_prompt":98},
      "preview": "and",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": 3,
      "exit_reason": "max_iterations",
      "exhausted": false,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "selfRefine",
      "seq": 27,
      "at": "2026-01-01T00:00:17.200Z",
      "node_id": "exit",
      "path": "exit",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "and"
    },
    {
      "run_id": "selfRefine",
      "seq": 28,
      "at": "2026-01-01T00:00:17.300Z",
      "node_id": "exit",
      "path": "exit",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "and",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "selfRefine",
      "seq": 29,
      "at": "2026-01-01T00:00:17.400Z",
      "node_id": "final",
      "path": "final",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "and"
    },
    {
      "run_id": "selfRefine",
      "seq": 30,
      "at": "2026-01-01T00:00:17.500Z",
      "node_id": "final",
      "path": "final",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "and",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "selfRefine",
      "seq": 31,
      "at": "2026-01-01T00:00:17.600Z",
      "node_id": null,
      "path": "",
      "type": "workflow.completed",
      "outputs": {"refined_output":"and"},
      "duration_ms": 17600,
      "usage": {"calls":5,"input_tokens":156,"output_tokens":145,"cost_usd":0.000295,"longest_prompt":98},
      "warnings": []
    }
  ],
  "detail": {
    "summary": {
      "runId": "selfRefine",
      "flow": "Self-Refine",
      "flowPath": null,
      "status": "completed",
      "startedAt": "2026-01-01T00:00:00.000Z",
      "durationMs": 17600,
      "usage": {"calls":5,"input_tokens":156,"output_tokens":145,"cost_usd":0.000295,"longest_prompt":98},
      "warnings": [],
      "iterations": 3,
      "exitReason": "max_iterations",
      "forkedFrom": null,
      "name": null,
      "starred": false,
      "parked": null,
      "expiresAt": null,
      "schedule": null
    },
    "document": {
      "schemaVersion": 1,
      "name": "Self-Refine",
      "description": "Draft, criticise and revise: three passes, each fixing what the critic found.",
      "nodes": [
        {
          "id": "topic",
          "type": "input",
          "position": {"x":0,"y":160},
          "data": {
            "label": "Text",
            "name": "topic",
            "dataType": "text",
            "description": "The text to refine. Paste your own.",
            "default": "The committee have met on tuesday to disscuss the the new library. Its going to stand near the river, where their is plenty of space for for cars. Many resident think the plan are to expensive, but the mayor beleives it will definately be worth it in the long run. She recieved over two hundred letter in support. The builders could of started last month if the permits had came on time. Noone knows how much the delay will effect the final price."
          }
        },
        {
          "id": "refine",
          "type": "loop",
          "position": {"x":240,"y":160},
          "data": {"label":"Refine","maxIterations":3,"exitCondition":"max_iterations","feedbackMode":"replace"}
        },
        {
          "id": "draft",
          "type": "llm",
          "position": {"x":500,"y":160},
          "data": {
            "label": "Draft / Revise",
            "provider": "auto",
            "builtin": "reviser",
            "systemPrompt": "You are a skilled writer. If you receive a text, correct and improve it. If you receive a draft with feedback, revise the draft to address the feedback. If you receive only a topic, write a clear and concise text about it. Return the whole text.",
            "prompt": "{{ input }}",
            "take": "marked",
            "maxTokens": 2048,
            "temperature": 0.7
          }
        },
        {
          "id": "critique",
          "type": "llm",
          "position": {"x":500,"y":480},
          "data": {
            "label": "Critic",
            "provider": "auto",
            "builtin": "critic",
            "systemPrompt": "You are a demanding editor. Critique the draft below. List 2-3 specific improvements needed. Be constructive but direct. Focus on clarity, accuracy, and completeness.",
            "prompt": "{{ input }}",
            "maxTokens": 2048,
            "temperature": 0.3
          }
        },
        {
          "id": "merge",
          "type": "transform",
          "position": {"x":780,"y":480},
          "data": {
            "label": "Merge feedback",
            "inputs": ["draft","critique"],
            "template": "PREVIOUS DRAFT:\n{{ draft }}\n\nCRITIQUE:\n{{ critique }}\n\nPlease revise the draft addressing the critique above."
          }
        },
        {"id":"exit","type":"exit","position":{"x":800,"y":160},"data":{"label":"Exit"}},
        {
          "id": "final",
          "type": "output",
          "position": {"x":1040,"y":160},
          "data": {"label":"Final","name":"refined_output","format":"text"}
        }
      ],
      "edges": [
        {
          "id": "e-topic-refine",
          "source": "topic",
          "sourceHandle": "value",
          "target": "refine",
          "targetHandle": "input"
        },
        {
          "id": "e-refine-draft",
          "source": "refine",
          "sourceHandle": "body",
          "target": "draft",
          "targetHandle": "prompt"
        },
        {
          "id": "e-draft-exit",
          "source": "draft",
          "sourceHandle": "response",
          "target": "exit",
          "targetHandle": "input"
        },
        {
          "id": "e-draft-critique",
          "source": "draft",
          "sourceHandle": "response",
          "target": "critique",
          "targetHandle": "prompt"
        },
        {
          "id": "e-draft-merge",
          "source": "draft",
          "sourceHandle": "response",
          "target": "merge",
          "targetHandle": "draft"
        },
        {
          "id": "e-critique-merge",
          "source": "critique",
          "sourceHandle": "response",
          "target": "merge",
          "targetHandle": "critique"
        },
        {
          "id": "e-merge-refine",
          "source": "merge",
          "sourceHandle": "output",
          "target": "refine",
          "targetHandle": "feedback"
        },
        {"id":"e-exit-final","source":"exit","sourceHandle":"output","target":"final","targetHandle":"value"}
      ],
      "viewport": {"x":60,"y":60,"zoom":1},
      "settings": {
        "retry": {
          "type": "exponential",
          "count": 3,
          "interval": "PT2S",
          "maxInterval": "PT1M",
          "on": ["timeout","network","truncated","408","429","5xx"]
        }
      }
    },
    "inputs": {},
    "outputs": {"refined_output":"and"},
    "error": null,
    "pins": {},
    "until": null,
    "origin": null,
    "budget": null,
    "overBudget": false,
    "overSpendingLimit": false
  },
  "outline": [
    {
      "run_id": "selfRefine",
      "seq": 0,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": null,
      "path": "",
      "type": "workflow.started",
      "name": "Self-Refine",
      "inputs": {}
    },
    {
      "run_id": "selfRefine",
      "seq": 1,
      "at": "2026-01-01T00:00:00.100Z",
      "node_id": "topic",
      "path": "topic",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": null
    },
    {
      "run_id": "selfRefine",
      "seq": 2,
      "at": "2026-01-01T00:00:00.200Z",
      "node_id": "topic",
      "path": "topic",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "The committee have met on tuesday to disscuss the the new library. Its going to stand near the river, where their is plenty of space for for cars. Many resident think the plan are to expensive, but the mayor beleives it will definately be worth it in the long run. She recieved over two hundred letter in support. The builders could of started last month if the permits had came on time. Noone knows …",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "selfRefine",
      "seq": 3,
      "at": "2026-01-01T00:00:00.300Z",
      "node_id": "refine",
      "path": "refine",
      "type": "workflow.node.started",
      "max_iterations": 3,
      "input_preview": "The committee have met on tuesday to disscuss the the new library. Its going to stand near the river, where their is plenty of space for for cars. Many resident think the plan are to expensive, but the mayor beleives it will definately be worth it in the long run. She recieved over two hundred letter in support. The builders could of started last month if the permits had came on time. Noone knows …"
    },
    {
      "run_id": "selfRefine",
      "seq": 26,
      "at": "2026-01-01T00:00:17.100Z",
      "node_id": "refine",
      "path": "refine",
      "type": "workflow.node.completed",
      "duration_ms": 16800,
      "usage": {"calls":5,"input_tokens":156,"output_tokens":145,"cost_usd":0.000295,"longest_prompt":98},
      "preview": "and",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": 3,
      "exit_reason": "max_iterations",
      "exhausted": false,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "selfRefine",
      "seq": 27,
      "at": "2026-01-01T00:00:17.200Z",
      "node_id": "exit",
      "path": "exit",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "and"
    },
    {
      "run_id": "selfRefine",
      "seq": 28,
      "at": "2026-01-01T00:00:17.300Z",
      "node_id": "exit",
      "path": "exit",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "and",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "selfRefine",
      "seq": 29,
      "at": "2026-01-01T00:00:17.400Z",
      "node_id": "final",
      "path": "final",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "and"
    },
    {
      "run_id": "selfRefine",
      "seq": 30,
      "at": "2026-01-01T00:00:17.500Z",
      "node_id": "final",
      "path": "final",
      "type": "workflow.node.completed",
      "duration_ms": 100,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "and",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "selfRefine",
      "seq": 31,
      "at": "2026-01-01T00:00:17.600Z",
      "node_id": null,
      "path": "",
      "type": "workflow.completed",
      "outputs": {"refined_output":"and"},
      "duration_ms": 17600,
      "usage": {"calls":5,"input_tokens":156,"output_tokens":145,"cost_usd":0.000295,"longest_prompt":98},
      "warnings": []
    }
  ],
  "iterations": {
    "refine": {
      "total": 3,
      "iterations": [
        {
          "index": 0,
          "status": "completed",
          "similarity": null,
          "conditionResult": null,
          "score": null,
          "durationMs": 10500,
          "usage": {"calls":2,"input_tokens":99,"output_tokens":98,"cost_usd":0.000197,"longest_prompt":98},
          "resultPreview": "and",
          "reachedExit": true
        },
        {
          "index": 1,
          "status": "completed",
          "similarity": null,
          "conditionResult": null,
          "score": null,
          "durationMs": 3100,
          "usage": {"calls":2,"input_tokens":29,"output_tokens":24,"cost_usd":0.00005,"longest_prompt":28},
          "resultPreview": "and",
          "reachedExit": true
        },
        {
          "index": 2,
          "status": "completed",
          "similarity": null,
          "conditionResult": null,
          "score": null,
          "durationMs": 2800,
          "usage": {"calls":1,"input_tokens":28,"output_tokens":23,"cost_usd":0.000048,"longest_prompt":28},
          "resultPreview": "and",
          "reachedExit": true
        }
      ]
    }
  },
  "steps": {
    "exit": {
      "path": "exit",
      "node_id": "exit",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {"input":"and"},
      "output": "and",
      "handles": {"output":"and"},
      "prompt": null,
      "raw": null,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "durationMs": 100,
      "model": null,
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    },
    "final": {
      "path": "final",
      "node_id": "final",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {"value":"and"},
      "output": "and",
      "handles": {},
      "prompt": null,
      "raw": null,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "durationMs": 100,
      "model": null,
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    },
    "refine": {
      "path": "refine",
      "node_id": "refine",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {
        "input": "The committee have met on tuesday to disscuss the the new library. Its going to stand near the river, where their is plenty of space for for cars. Many resident think the plan are to expensive, but the mayor beleives it will definately be worth it in the long run. She recieved over two hundred letter in support. The builders could of started last month if the permits had came on time. Noone knows how much the delay will effect the final price."
      },
      "output": "and",
      "handles": {"output":"and","count":3,"exitReason":"max_iterations"},
      "prompt": null,
      "raw": null,
      "usage": {"calls":5,"input_tokens":156,"output_tokens":145,"cost_usd":0.000295,"longest_prompt":98},
      "durationMs": 16800,
      "model": null,
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    },
    "refine[1]/critique": {
      "path": "refine[1]/critique",
      "node_id": "critique",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {"prompt":"and"},
      "output": "and",
      "handles": {
        "response": "and",
        "usage": {"calls":1,"inputTokens":1,"outputTokens":1,"costUsd":2e-6,"cachedTokens":0,"reasoningTokens":0}
      },
      "prompt": "and",
      "raw": {
        "id": null,
        "model": "gpt-4.1-mini",
        "text": "and",
        "finishReason": "stop",
        "inputTokens": 1,
        "outputTokens": 1,
        "cachedTokens": 0,
        "reasoningTokens": 0
      },
      "usage": {"calls":1,"input_tokens":1,"output_tokens":1,"cost_usd":2e-6,"longest_prompt":1},
      "durationMs": 200,
      "model": "openai/gpt-4.1-mini",
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    },
    "refine[1]/draft": {
      "path": "refine[1]/draft",
      "node_id": "draft",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {
        "prompt": "The committee have met on tuesday to disscuss the the new library. Its going to stand near the river, where their is plenty of space for for cars. Many resident think the plan are to expensive, but the mayor beleives it will definately be worth it in the long run. She recieved over two hundred letter in support. The builders could of started last month if the permits had came on time. Noone knows how much the delay will effect the final price."
      },
      "output": "and",
      "handles": {
        "response": "and",
        "usage": {"calls":1,"inputTokens":98,"outputTokens":97,"costUsd":0.000195,"cachedTokens":0,"reasoningTokens":0}
      },
      "prompt": "The committee have met on tuesday to disscuss the the new library. Its going to stand near the river, where their is plenty of space for for cars. Many resident think the plan are to expensive, but the mayor beleives it will definately be worth it in the long run. She recieved over two hundred letter in support. The builders could of started last month if the permits had came on time. Noone knows how much the delay will effect the final price.",
      "raw": {
        "id": null,
        "model": "gpt-4.1-mini",
        "text": "The committee have met on tuesday to disscuss the the new library. Its going to stand near the river, where their is plenty of space for for cars. Many resident think the plan are to expensive, but the mayor beleives it will definately be worth it in the long run. She recieved over two hundred letter in support. The builders could of started last month if the permits had came on time. Noone knows how much the delay will effect the final price.\n\nAnswer with the text alone, without an introduction or an explanation, between <answer> and </answer>.",
        "finishReason": "stop",
        "inputTokens": 98,
        "outputTokens": 97,
        "cachedTokens": 0,
        "reasoningTokens": 0
      },
      "usage": {"calls":1,"input_tokens":98,"output_tokens":97,"cost_usd":0.000195,"longest_prompt":98},
      "durationMs": 9800,
      "model": "openai/gpt-4.1-mini",
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    },
    "refine[1]/merge": {
      "path": "refine[1]/merge",
      "node_id": "merge",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {"critique":"and","draft":"and"},
      "output": "PREVIOUS DRAFT:\nand\n\nCRITIQUE:\nand\n\nPlease revise the draft addressing the critique above.",
      "handles": {
        "output": "PREVIOUS DRAFT:\nand\n\nCRITIQUE:\nand\n\nPlease revise the draft addressing the critique above."
      },
      "prompt": null,
      "raw": null,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "durationMs": 100,
      "model": null,
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    },
    "refine[2]/critique": {
      "path": "refine[2]/critique",
      "node_id": "critique",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {"prompt":"and"},
      "output": "and",
      "handles": {
        "response": "and",
        "usage": {"calls":1,"inputTokens":1,"outputTokens":1,"costUsd":2e-6,"cachedTokens":0,"reasoningTokens":0}
      },
      "prompt": "and",
      "raw": {
        "id": null,
        "model": "gpt-4.1-mini",
        "text": "and",
        "finishReason": "stop",
        "inputTokens": 1,
        "outputTokens": 1,
        "cachedTokens": 0,
        "reasoningTokens": 0
      },
      "usage": {"calls":1,"input_tokens":1,"output_tokens":1,"cost_usd":2e-6,"longest_prompt":1},
      "durationMs": 200,
      "model": "openai/gpt-4.1-mini",
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    },
    "refine[2]/draft": {
      "path": "refine[2]/draft",
      "node_id": "draft",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {
        "prompt": "PREVIOUS DRAFT:\nand\n\nCRITIQUE:\nand\n\nPlease revise the draft addressing the critique above."
      },
      "output": "and",
      "handles": {
        "response": "and",
        "usage": {"calls":1,"inputTokens":28,"outputTokens":23,"costUsd":0.000048,"cachedTokens":0,"reasoningTokens":0}
      },
      "prompt": "PREVIOUS DRAFT:\nand\n\nCRITIQUE:\nand\n\nPlease revise the draft addressing the critique above.",
      "raw": {
        "id": null,
        "model": "gpt-4.1-mini",
        "text": "PREVIOUS DRAFT:\nand\n\nCRITIQUE:\nand\n\nPlease revise the draft addressing the critique above.\n\nAnswer with the text alone, without an introduction or an explanation, between <answer> and </answer>.",
        "finishReason": "stop",
        "inputTokens": 28,
        "outputTokens": 23,
        "cachedTokens": 0,
        "reasoningTokens": 0
      },
      "usage": {"calls":1,"input_tokens":28,"output_tokens":23,"cost_usd":0.000048,"longest_prompt":28},
      "durationMs": 2400,
      "model": "openai/gpt-4.1-mini",
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    },
    "refine[2]/merge": {
      "path": "refine[2]/merge",
      "node_id": "merge",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {"critique":"and","draft":"and"},
      "output": "PREVIOUS DRAFT:\nand\n\nCRITIQUE:\nand\n\nPlease revise the draft addressing the critique above.",
      "handles": {
        "output": "PREVIOUS DRAFT:\nand\n\nCRITIQUE:\nand\n\nPlease revise the draft addressing the critique above."
      },
      "prompt": null,
      "raw": null,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "durationMs": 100,
      "model": null,
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    },
    "refine[3]/draft": {
      "path": "refine[3]/draft",
      "node_id": "draft",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {
        "prompt": "PREVIOUS DRAFT:\nand\n\nCRITIQUE:\nand\n\nPlease revise the draft addressing the critique above."
      },
      "output": "and",
      "handles": {
        "response": "and",
        "usage": {"calls":1,"inputTokens":28,"outputTokens":23,"costUsd":0.000048,"cachedTokens":0,"reasoningTokens":0}
      },
      "prompt": "PREVIOUS DRAFT:\nand\n\nCRITIQUE:\nand\n\nPlease revise the draft addressing the critique above.",
      "raw": {
        "id": null,
        "model": "gpt-4.1-mini",
        "text": "PREVIOUS DRAFT:\nand\n\nCRITIQUE:\nand\n\nPlease revise the draft addressing the critique above.\n\nAnswer with the text alone, without an introduction or an explanation, between <answer> and </answer>.",
        "finishReason": "stop",
        "inputTokens": 28,
        "outputTokens": 23,
        "cachedTokens": 0,
        "reasoningTokens": 0
      },
      "usage": {"calls":1,"input_tokens":28,"output_tokens":23,"cost_usd":0.000048,"longest_prompt":28},
      "durationMs": 2400,
      "model": "openai/gpt-4.1-mini",
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    },
    "topic": {
      "path": "topic",
      "node_id": "topic",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {},
      "output": "The committee have met on tuesday to disscuss the the new library. Its going to stand near the river, where their is plenty of space for for cars. Many resident think the plan are to expensive, but the mayor beleives it will definately be worth it in the long run. She recieved over two hundred letter in support. The builders could of started last month if the permits had came on time. Noone knows how much the delay will effect the final price.",
      "handles": {
        "value": "The committee have met on tuesday to disscuss the the new library. Its going to stand near the river, where their is plenty of space for for cars. Many resident think the plan are to expensive, but the mayor beleives it will definately be worth it in the long run. She recieved over two hundred letter in support. The builders could of started last month if the permits had came on time. Noone knows how much the delay will effect the final price."
      },
      "prompt": null,
      "raw": null,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "durationMs": 100,
      "model": null,
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    }
  }
};

export const found: Reply<"findRuns"> = {
  "runs": [
    {
      "runId": "selfRefine",
      "flow": "Self-Refine",
      "flowPath": null,
      "status": "completed",
      "startedAt": "2026-01-01T00:00:00.000Z",
      "durationMs": 1000,
      "usage": {"calls":5,"input_tokens":156,"output_tokens":145,"cost_usd":0.000295,"longest_prompt":98},
      "warnings": [],
      "iterations": 3,
      "exitReason": "max_iterations",
      "forkedFrom": null,
      "name": null,
      "starred": false,
      "parked": null,
      "expiresAt": null,
      "schedule": null
    },
    {
      "runId": "overBudget",
      "flow": "Over its budget",
      "flowPath": null,
      "status": "failed",
      "startedAt": "2026-01-01T00:00:00.000Z",
      "durationMs": 1000,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "warnings": [],
      "iterations": 0,
      "exitReason": "budget_exceeded",
      "forkedFrom": null,
      "name": null,
      "starred": false,
      "parked": null,
      "expiresAt": null,
      "schedule": null
    },
    {
      "runId": "stopped",
      "flow": "Without end",
      "flowPath": null,
      "status": "cancelled",
      "startedAt": "2026-01-01T00:00:00.000Z",
      "durationMs": 1000,
      "usage": {"calls":1,"input_tokens":0,"output_tokens":0,"cost_usd":null,"cut_off_calls":1},
      "warnings": [],
      "iterations": null,
      "exitReason": null,
      "forkedFrom": null,
      "name": null,
      "starred": false,
      "parked": null,
      "expiresAt": null,
      "schedule": null
    },
    {
      "runId": "waitingCommand",
      "flow": "Asks about a command",
      "flowPath": null,
      "status": "waiting",
      "startedAt": "2026-01-01T00:00:00.000Z",
      "durationMs": null,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "warnings": [],
      "iterations": null,
      "exitReason": null,
      "forkedFrom": null,
      "name": null,
      "starred": false,
      "parked": null,
      "expiresAt": null,
      "schedule": null
    },
    {
      "runId": "waitingCall",
      "flow": "Asks about a call",
      "flowPath": null,
      "status": "waiting",
      "startedAt": "2026-01-01T00:00:00.000Z",
      "durationMs": null,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "warnings": [],
      "iterations": null,
      "exitReason": null,
      "forkedFrom": null,
      "name": null,
      "starred": false,
      "parked": null,
      "expiresAt": null,
      "schedule": null
    },
    {
      "runId": "answered",
      "flow": "Asks a person",
      "flowPath": null,
      "status": "completed",
      "startedAt": "2026-01-01T00:00:00.000Z",
      "durationMs": 1000,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "warnings": [
        {
          "code": "unused_branch",
          "node": "ask",
          "message": "Branch `rejected` of \"Ask\" isn't wired, so nothing runs when it is taken. Wire it, or remove the branch."
        }
      ],
      "iterations": null,
      "exitReason": null,
      "forkedFrom": null,
      "name": null,
      "starred": false,
      "parked": null,
      "expiresAt": null,
      "schedule": null
    },
    {
      "runId": "waiting",
      "flow": "Asks a person",
      "flowPath": null,
      "status": "waiting",
      "startedAt": "2026-01-01T00:00:00.000Z",
      "durationMs": null,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "warnings": [
        {
          "code": "unused_branch",
          "node": "ask",
          "message": "Branch `rejected` of \"Ask\" isn't wired, so nothing runs when it is taken. Wire it, or remove the branch."
        }
      ],
      "iterations": null,
      "exitReason": null,
      "forkedFrom": null,
      "name": null,
      "starred": false,
      "parked": null,
      "expiresAt": null,
      "schedule": null
    },
    {
      "runId": "failed",
      "flow": "Fails",
      "flowPath": null,
      "status": "failed",
      "startedAt": "2026-01-01T00:00:00.000Z",
      "durationMs": 1000,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "warnings": [
        {
          "code": "model_uncertain",
          "node": "draft",
          "message": "\"Draft\" may get no answer on this computer. No provider is set up, and the built-in models answer only prompts that they recognize. Whether they recognize this prompt is known only during the run. Set up a provider in Settings, or name a built-in model."
        }
      ],
      "iterations": null,
      "exitReason": null,
      "forkedFrom": null,
      "name": null,
      "starred": false,
      "parked": null,
      "expiresAt": null,
      "schedule": null
    },
    {
      "runId": "retried",
      "flow": "Tried again",
      "flowPath": null,
      "status": "completed",
      "startedAt": "2026-01-01T00:00:00.000Z",
      "durationMs": 1000,
      "usage": {"calls":1,"input_tokens":6,"output_tokens":2,"cost_usd":6e-6,"longest_prompt":6},
      "warnings": [],
      "iterations": null,
      "exitReason": null,
      "forkedFrom": null,
      "name": null,
      "starred": false,
      "parked": null,
      "expiresAt": null,
      "schedule": null
    },
    {
      "runId": "subflow",
      "flow": "A subflow",
      "flowPath": null,
      "status": "completed",
      "startedAt": "2026-01-01T00:00:00.000Z",
      "durationMs": 1000,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "warnings": [],
      "iterations": null,
      "exitReason": null,
      "forkedFrom": null,
      "name": null,
      "starred": false,
      "parked": null,
      "expiresAt": null,
      "schedule": null
    },
    {
      "runId": "list",
      "flow": "A list",
      "flowPath": null,
      "status": "completed",
      "startedAt": "2026-01-01T00:00:00.000Z",
      "durationMs": 1000,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "warnings": [],
      "iterations": null,
      "exitReason": null,
      "forkedFrom": null,
      "name": null,
      "starred": false,
      "parked": null,
      "expiresAt": null,
      "schedule": null
    },
    {
      "runId": "evaluated",
      "flow": "Evaluated",
      "flowPath": null,
      "status": "completed",
      "startedAt": "2026-01-01T00:00:00.000Z",
      "durationMs": 1000,
      "usage": {"calls":2,"input_tokens":8,"output_tokens":4,"cost_usd":0.00001,"longest_prompt":4},
      "warnings": [],
      "iterations": 2,
      "exitReason": "evaluator_done",
      "forkedFrom": null,
      "name": null,
      "starred": false,
      "parked": null,
      "expiresAt": null,
      "schedule": null
    },
    {
      "runId": "settles",
      "flow": "Settles",
      "flowPath": null,
      "status": "completed",
      "startedAt": "2026-01-01T00:00:00.000Z",
      "durationMs": 1000,
      "usage": {"calls":2,"input_tokens":8,"output_tokens":4,"cost_usd":0.00001,"longest_prompt":4},
      "warnings": [],
      "iterations": 2,
      "exitReason": "stable_output",
      "forkedFrom": null,
      "name": null,
      "starred": false,
      "parked": null,
      "expiresAt": null,
      "schedule": null
    },
    {
      "runId": "threeIterations",
      "flow": "Three iterations",
      "flowPath": null,
      "status": "completed",
      "startedAt": "2026-01-01T00:00:00.000Z",
      "durationMs": 1000,
      "usage": {"calls":3,"input_tokens":12,"output_tokens":6,"cost_usd":0.000015,"longest_prompt":4},
      "warnings": [],
      "iterations": 3,
      "exitReason": "max_iterations",
      "forkedFrom": null,
      "name": null,
      "starred": false,
      "parked": null,
      "expiresAt": null,
      "schedule": null
    }
  ],
  "tally": {"runs":14,"spentUsd":0.000336,"medianMs":1000}
};

export const flows: Reply<"runFlows"> = [
  {"flow":"A list","runs":1},
  {"flow":"A subflow","runs":1},
  {"flow":"Asks a person","runs":2},
  {"flow":"Asks about a call","runs":1},
  {"flow":"Asks about a command","runs":1},
  {"flow":"Evaluated","runs":1},
  {"flow":"Fails","runs":1},
  {"flow":"Over its budget","runs":1},
  {"flow":"Self-Refine","runs":1},
  {"flow":"Settles","runs":1},
  {"flow":"Three iterations","runs":1},
  {"flow":"Tried again","runs":1},
  {"flow":"Without end","runs":1}
];

export const openQuestions: Reply<"openQuestions"> = [
  {
    "store": null,
    "runId": "waiting",
    "flow": "Asks a person",
    "flowPath": null,
    "runName": null,
    "schedule": null,
    "status": "waiting",
    "path": "ask",
    "title": "Ask",
    "nodeType": "approval",
    "question": {"type":"approve","message":"Publish?"},
    "message": "Publish?",
    "askedAt": "2026-01-01T00:00:00.000Z",
    "expires": null,
    "value": "bread",
    "request": null
  },
  {
    "store": null,
    "runId": "waitingCall",
    "flow": "Asks about a call",
    "flowPath": null,
    "runName": null,
    "schedule": null,
    "status": "waiting",
    "path": "fetch",
    "title": "Fetch",
    "nodeType": "tool",
    "question": {"type":"allow_tool","title":"Fetch","tool":"http.request"},
    "message": "\"Fetch\" wants to use `http.request`. Allow it?",
    "askedAt": "2026-01-01T00:00:00.000Z",
    "expires": null,
    "value": null,
    "request": {
      "tool": "http.request",
      "again": false,
      "fixed": [],
      "facts": [
        {"label":"Method","values":["POST"]},
        {"label":"Address","values":["https://api.example.org/a"]},
        {"label":"Headers","values":["content-type: application/json"]},
        {"label":"Keys","values":["MY_TOKEN in authorization, after “Bearer ”"]},
        {"label":"Body","values":["{\"size\":3}"]}
      ],
      "problem": null
    }
  },
  {
    "store": null,
    "runId": "waitingCommand",
    "flow": "Asks about a command",
    "flowPath": null,
    "runName": null,
    "schedule": null,
    "status": "waiting",
    "path": "fetch",
    "title": "Fetch",
    "nodeType": "tool",
    "question": {"type":"allow_tool","title":"Fetch","tool":"command"},
    "message": "\"Fetch\" wants to use `command`. Allow it?",
    "askedAt": "2026-01-01T00:00:00.000Z",
    "expires": null,
    "value": null,
    "request": {
      "tool": "command",
      "again": false,
      "fixed": ["program","args"],
      "facts": [],
      "problem": "This flow has never been saved, so it has no folder. Save it first, or write the folder as an absolute path."
    }
  }
];

export const noStep: ApiError = {
  "code": "not_found",
  "message": "Run threeIterations has no step `named`. Paths look like `refine[2]/draft`; iterations are numbered from 1.",
  "path": null,
  "subject": null,
  "reason": null
};

export const compared: Reply<"compareRuns"> = {
  "a": {
    "runId": "threeIterations",
    "flow": "Three iterations",
    "flowPath": null,
    "status": "completed",
    "startedAt": "2026-01-01T00:00:00.000Z",
    "durationMs": 1000,
    "usage": {"calls":3,"input_tokens":12,"output_tokens":6,"cost_usd":0.000015,"longest_prompt":4},
    "warnings": [],
    "iterations": 3,
    "exitReason": "max_iterations",
    "forkedFrom": null,
    "name": null,
    "starred": false,
    "parked": null,
    "expiresAt": null,
    "schedule": null
  },
  "b": {
    "runId": "settles",
    "flow": "Settles",
    "flowPath": null,
    "status": "completed",
    "startedAt": "2026-01-01T00:00:00.000Z",
    "durationMs": 1000,
    "usage": {"calls":2,"input_tokens":8,"output_tokens":4,"cost_usd":0.00001,"longest_prompt":4},
    "warnings": [],
    "iterations": 2,
    "exitReason": "stable_output",
    "forkedFrom": null,
    "name": null,
    "starred": false,
    "parked": null,
    "expiresAt": null,
    "schedule": null
  },
  "errorA": null,
  "errorB": null,
  "forkedAt": null,
  "settings": [
    {
      "node": "refine",
      "field": "maxIterations",
      "a": 3,
      "b": 4,
      "parts": [{"kind":"removed","text":"3"},{"kind":"added","text":"4"}]
    },
    {
      "node": "refine",
      "field": "exitCondition",
      "a": null,
      "b": "stable_output",
      "parts": [{"kind":"added","text":"stable_output"}]
    },
    {"node":"refine","field":"stabilityThreshold","a":null,"b":0.8,"parts":[{"kind":"added","text":"0.8"}]}
  ],
  "structure": [],
  "inputs": [],
  "outputs": [
    {
      "name": "result",
      "a": "draft 3",
      "b": "draft 2",
      "same": false,
      "parts": [{"kind":"same","text":"draft "},{"kind":"removed","text":"3"},{"kind":"added","text":"2"}]
    }
  ],
  "loops": [
    {
      "path": "refine",
      "a": {
        "count": 3,
        "exitReason": "max_iterations",
        "exhausted": false,
        "iterations": [
          {
            "number": 1,
            "similarity": null,
            "condition": null,
            "score": null,
            "durationMs": 1000,
            "usage": {"calls":1,"input_tokens":4,"output_tokens":2,"cost_usd":5e-6,"longest_prompt":4},
            "resultPreview": "draft 1"
          },
          {
            "number": 2,
            "similarity": null,
            "condition": null,
            "score": null,
            "durationMs": 1000,
            "usage": {"calls":1,"input_tokens":4,"output_tokens":2,"cost_usd":5e-6,"longest_prompt":4},
            "resultPreview": "draft 2"
          },
          {
            "number": 3,
            "similarity": null,
            "condition": null,
            "score": null,
            "durationMs": 1000,
            "usage": {"calls":1,"input_tokens":4,"output_tokens":2,"cost_usd":5e-6,"longest_prompt":4},
            "resultPreview": "draft 3"
          }
        ]
      },
      "b": {
        "count": 2,
        "exitReason": "stable_output",
        "exhausted": false,
        "iterations": [
          {
            "number": 1,
            "similarity": null,
            "condition": false,
            "score": null,
            "durationMs": 1000,
            "usage": {"calls":1,"input_tokens":4,"output_tokens":2,"cost_usd":5e-6,"longest_prompt":4},
            "resultPreview": "draft 1"
          },
          {
            "number": 2,
            "similarity": 0.8571428571428571,
            "condition": true,
            "score": null,
            "durationMs": 1000,
            "usage": {"calls":1,"input_tokens":4,"output_tokens":2,"cost_usd":5e-6,"longest_prompt":4},
            "resultPreview": "draft 2"
          }
        ]
      }
    }
  ],
  "steps": [
    {
      "path": "refine",
      "nodeId": "refine",
      "a": {
        "status": "completed",
        "durationMs": 1000,
        "usage": {"calls":3,"input_tokens":12,"output_tokens":6,"cost_usd":0.000015,"longest_prompt":4},
        "preview": "draft 3",
        "branch": null,
        "pinned": false
      },
      "b": {
        "status": "completed",
        "durationMs": 1000,
        "usage": {"calls":2,"input_tokens":8,"output_tokens":4,"cost_usd":0.00001,"longest_prompt":4},
        "preview": "draft 2",
        "branch": null,
        "pinned": false
      }
    },
    {
      "path": "refine[2]/critique",
      "nodeId": "critique",
      "a": {
        "status": "completed",
        "durationMs": 1000,
        "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
        "preview": "critique 2",
        "branch": null,
        "pinned": false
      },
      "b": {
        "status": "skipped",
        "durationMs": null,
        "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":null},
        "preview": "not run: last iteration",
        "branch": null,
        "pinned": false
      }
    },
    {
      "path": "exit",
      "nodeId": "exit",
      "a": {
        "status": "completed",
        "durationMs": 1000,
        "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
        "preview": "draft 3",
        "branch": null,
        "pinned": false
      },
      "b": {
        "status": "completed",
        "durationMs": 1000,
        "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
        "preview": "draft 2",
        "branch": null,
        "pinned": false
      }
    },
    {
      "path": "out",
      "nodeId": "out",
      "a": {
        "status": "completed",
        "durationMs": 1000,
        "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
        "preview": "draft 3",
        "branch": null,
        "pinned": false
      },
      "b": {
        "status": "completed",
        "durationMs": 1000,
        "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
        "preview": "draft 2",
        "branch": null,
        "pinned": false
      }
    },
    {
      "path": "refine[3]/draft",
      "nodeId": "draft",
      "a": {
        "status": "completed",
        "durationMs": 1000,
        "usage": {"calls":1,"input_tokens":4,"output_tokens":2,"cost_usd":5e-6,"longest_prompt":4},
        "preview": "draft 3",
        "branch": null,
        "pinned": false
      },
      "b": null
    },
    {
      "path": "refine[3]/critique",
      "nodeId": "critique",
      "a": {
        "status": "skipped",
        "durationMs": null,
        "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":null},
        "preview": "not run: last iteration",
        "branch": null,
        "pinned": false
      },
      "b": null
    }
  ],
  "sameSteps": 4
};

export const comparedStep: Reply<"compareStep"> = {
  "a": {
    "path": "refine[3]/draft",
    "node_id": "draft",
    "status": "completed",
    "reason": null,
    "question": null,
    "expires": null,
    "inputs": {"prompt":"critique 2"},
    "output": "draft 3",
    "handles": {
      "response": "draft 3",
      "usage": {"calls":1,"inputTokens":4,"outputTokens":2,"costUsd":5e-6,"cachedTokens":0,"reasoningTokens":0}
    },
    "prompt": "bread Say: draft 3",
    "raw": {
      "id": null,
      "model": "gpt-4.1-mini",
      "text": "draft 3",
      "finishReason": "stop",
      "inputTokens": 4,
      "outputTokens": 2,
      "cachedTokens": 0,
      "reasoningTokens": 0
    },
    "usage": {"calls":1,"input_tokens":4,"output_tokens":2,"cost_usd":5e-6,"longest_prompt":4},
    "durationMs": 1000,
    "model": "openai/gpt-4.1-mini",
    "pinned": false,
    "checked": null,
    "error": null,
    "request": null
  },
  "b": null,
  "prompt": [{"kind":"removed","text":"bread Say: draft 3"}],
  "output": [{"kind":"removed","text":"draft 3"}]
};

export const forkedAtStep: Reply<"forkPlace"> = {
  "at": "refine[2]/draft",
  "nodeId": "draft",
  "isIteration": false,
  "isBeyond": false,
  "value": "draft 2",
  "kept": {"calls":1,"input_tokens":4,"output_tokens":2,"cost_usd":5e-6,"longest_prompt":4},
  "rest": {"calls":2,"input_tokens":8,"output_tokens":4,"cost_usd":0.00001,"longest_prompt":4}
};

export const forkedAtIteration: Reply<"forkPlace"> = {
  "at": "refine[2]",
  "nodeId": "refine",
  "isIteration": true,
  "isBeyond": false,
  "value": "critique 1",
  "kept": {"calls":1,"input_tokens":4,"output_tokens":2,"cost_usd":5e-6,"longest_prompt":4},
  "rest": {"calls":2,"input_tokens":8,"output_tokens":4,"cost_usd":0.00001,"longest_prompt":4}
};

export const replayed: Reply<"replayRun"> = {
  "records": 27,
  "events": 27,
  "status": "completed",
  "outputs": {"result":"draft 3"},
  "usage": {"calls":3,"input_tokens":12,"output_tokens":6,"cost_usd":0.000015,"longest_prompt":4},
  "durationMs": 1000,
  "warnings": [],
  "error": null
};
