// A loop that repairs a private copy of a repository. Recorded by `npm run codegen`. Do not edit.
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

export const repairs: RecordedRun = {
  "preparation": {
    "id": "repairs",
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
      "flow": "recorded",
      "digest": "recorded",
      "needs": [
        {
          "item": "read:/project",
          "kind": "read",
          "what": "/project",
          "detail": "the loop works in a private copy, and the folder itself is not changed",
          "nodes": ["Repair"],
          "state": "new"
        },
        {
          "item": "command:sh fix.sh in workspace:/project",
          "kind": "command",
          "what": "sh fix.sh in workspace:/project",
          "detail": "a program that works in a private copy of the folder, and may do anything that you can do",
          "nodes": ["Fix"],
          "state": "new"
        },
        {
          "item": "command:sh tests.sh in workspace:/project",
          "kind": "command",
          "what": "sh tests.sh in workspace:/project",
          "detail": "a program that works in a private copy of the folder, and may do anything that you can do",
          "nodes": ["Test"],
          "state": "new"
        }
      ],
      "missing": 3
    }
  },
  "events": [
    {
      "run_id": "repairs",
      "seq": 0,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": null,
      "path": "",
      "type": "workflow.started",
      "name": "Repairs a project",
      "inputs": {}
    },
    {
      "run_id": "repairs",
      "seq": 1,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": null,
      "path": "",
      "type": "workflow.trust",
      "verdict": "approved",
      "items": ["command:sh fix.sh in workspace:/project","command:sh tests.sh in workspace:/project","read:/project"],
      "reason": null
    },
    {
      "run_id": "repairs",
      "seq": 2,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": "task",
      "path": "task",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": null
    },
    {
      "run_id": "repairs",
      "seq": 3,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": "task",
      "path": "task",
      "type": "workflow.node.completed",
      "duration_ms": 1000,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "Repair the numbers.",
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
      "run_id": "repairs",
      "seq": 4,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": "repair",
      "path": "repair",
      "type": "workflow.node.started",
      "max_iterations": 4,
      "input_preview": "Repair the numbers."
    },
    {
      "run_id": "repairs",
      "seq": 5,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": "repair",
      "path": "repair",
      "type": "workflow.loop.preparing",
      "resource": "workspace"
    },
    {
      "run_id": "repairs",
      "seq": 6,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": "repair",
      "path": "repair",
      "type": "workflow.loop.prepared",
      "details": {
        "path": "/data/workspaces/repairs/repair/1/files",
        "base": "4940c6678d2e8b780a67913ddff4865144f62e39",
        "tree": "02f568d7a2b6d00ef14bd06749db81c89324155a",
        "branch": "main"
      }
    },
    {
      "run_id": "repairs",
      "seq": 7,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": "repair",
      "path": "repair",
      "type": "workflow.node.iteration",
      "index": 0,
      "total": 4,
      "input_preview": "Repair the numbers."
    },
    {
      "run_id": "repairs",
      "seq": 8,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": "check",
      "path": "repair[1]/check",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "Repair the numbers."
    },
    {
      "run_id": "repairs",
      "seq": 9,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": "check",
      "path": "repair[1]/check",
      "type": "workflow.node.completed",
      "duration_ms": 1000,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "{\"passed\":false,\"exitCode\":1,\"failures\":[{\"name\":\"number 1\",\"message\":null,\"file\":null,\"line\":null},{\"name\":\"number 2\",\"message\":null,\"file\":null,\"line\":null}],\"counts\":{\"passed\":0,\"failed\":2},\"output\":\"not ok 1 - number 1\\nnot ok 2 - number 2\\n1..2\\n\"}",
      "branch": "failed",
      "reason": null,
      "checked": {"ok":false,"passed":0,"failed":2},
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "repairs",
      "seq": 10,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": "repair",
      "path": "repair",
      "type": "workflow.loop.condition",
      "index": 0,
      "result": false
    },
    {
      "run_id": "repairs",
      "seq": 11,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": "fix",
      "path": "repair[1]/fix",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "Repair the numbers."
    },
    {
      "run_id": "repairs",
      "seq": 12,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": "fix",
      "path": "repair[1]/fix",
      "type": "workflow.node.completed",
      "duration_ms": 1000,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "{\"ok\":true,\"exitCode\":0,\"signal\":null,\"stdout\":\"repaired\\n\",\"stderr\":\"\",\"durationMs\":100,\"truncated\":false}",
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
      "run_id": "repairs",
      "seq": 13,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": "repair",
      "path": "repair",
      "type": "workflow.loop.iteration_completed",
      "index": 0,
      "similarity": null,
      "condition_result": false,
      "score": null,
      "duration_ms": 1000,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "result_preview": "Repair the numbers.",
      "reached_exit": false,
      "status": "completed"
    },
    {
      "run_id": "repairs",
      "seq": 14,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": "repair",
      "path": "repair",
      "type": "workflow.node.iteration",
      "index": 1,
      "total": 4,
      "input_preview": "{\"ok\":true,\"exitCode\":0,\"signal\":null,\"stdout\":\"repaired\\n\",\"stderr\":\"\",\"durationMs\":100,\"truncated\":false}"
    },
    {
      "run_id": "repairs",
      "seq": 15,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": "check",
      "path": "repair[2]/check",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "{\"ok\":true,\"exitCode\":0,\"signal\":null,\"stdout\":\"repaired\\n\",\"stderr\":\"\",\"durationMs\":100,\"truncated\":false}"
    },
    {
      "run_id": "repairs",
      "seq": 16,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": "check",
      "path": "repair[2]/check",
      "type": "workflow.node.completed",
      "duration_ms": 1000,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "{\"passed\":false,\"exitCode\":1,\"failures\":[{\"name\":\"number 2\",\"message\":null,\"file\":null,\"line\":null}],\"counts\":{\"passed\":1,\"failed\":1},\"output\":\"ok 1 - number 1\\nnot ok 2 - number 2\\n1..2\\n\"}",
      "branch": "failed",
      "reason": null,
      "checked": {"ok":false,"passed":1,"failed":1},
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "repairs",
      "seq": 17,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": "repair",
      "path": "repair",
      "type": "workflow.loop.condition",
      "index": 1,
      "result": false
    },
    {
      "run_id": "repairs",
      "seq": 18,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": "fix",
      "path": "repair[2]/fix",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "{\"ok\":true,\"exitCode\":0,\"signal\":null,\"stdout\":\"repaired\\n\",\"stderr\":\"\",\"durationMs\":100,\"truncated\":false}"
    },
    {
      "run_id": "repairs",
      "seq": 19,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": "fix",
      "path": "repair[2]/fix",
      "type": "workflow.node.completed",
      "duration_ms": 1000,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "{\"ok\":true,\"exitCode\":0,\"signal\":null,\"stdout\":\"repaired\\n\",\"stderr\":\"\",\"durationMs\":100,\"truncated\":false}",
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
      "run_id": "repairs",
      "seq": 20,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": "repair",
      "path": "repair",
      "type": "workflow.loop.iteration_completed",
      "index": 1,
      "similarity": null,
      "condition_result": false,
      "score": null,
      "duration_ms": 1000,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "result_preview": "{\"ok\":true,\"exitCode\":0,\"signal\":null,\"stdout\":\"repaired\\n\",\"stderr\":\"\",\"durationMs\":100,\"truncated\":false}",
      "reached_exit": false,
      "status": "completed"
    },
    {
      "run_id": "repairs",
      "seq": 21,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": "repair",
      "path": "repair",
      "type": "workflow.node.iteration",
      "index": 2,
      "total": 4,
      "input_preview": "{\"ok\":true,\"exitCode\":0,\"signal\":null,\"stdout\":\"repaired\\n\",\"stderr\":\"\",\"durationMs\":100,\"truncated\":false}"
    },
    {
      "run_id": "repairs",
      "seq": 22,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": "check",
      "path": "repair[3]/check",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "{\"ok\":true,\"exitCode\":0,\"signal\":null,\"stdout\":\"repaired\\n\",\"stderr\":\"\",\"durationMs\":100,\"truncated\":false}"
    },
    {
      "run_id": "repairs",
      "seq": 23,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": "check",
      "path": "repair[3]/check",
      "type": "workflow.node.completed",
      "duration_ms": 1000,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "{\"passed\":true,\"exitCode\":0,\"failures\":[],\"counts\":{\"passed\":2,\"failed\":0},\"output\":\"ok 1 - number 1\\nok 2 - number 2\\n1..2\\n\"}",
      "branch": "passed",
      "reason": null,
      "checked": {"ok":true,"passed":2,"failed":0},
      "iterations_run": null,
      "exit_reason": null,
      "exhausted": null,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "repairs",
      "seq": 24,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": "repair",
      "path": "repair",
      "type": "workflow.loop.condition",
      "index": 2,
      "result": true
    },
    {
      "run_id": "repairs",
      "seq": 25,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": "fix",
      "path": "repair[3]/fix",
      "type": "workflow.node.skipped",
      "reason": "branch not taken",
      "cause": "branch_not_taken"
    },
    {
      "run_id": "repairs",
      "seq": 26,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": "repair",
      "path": "repair",
      "type": "workflow.loop.iteration_completed",
      "index": 2,
      "similarity": null,
      "condition_result": true,
      "score": null,
      "duration_ms": 1000,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "result_preview": "{\"ok\":true,\"exitCode\":0,\"signal\":null,\"stdout\":\"repaired\\n\",\"stderr\":\"\",\"durationMs\":100,\"truncated\":false}",
      "reached_exit": true,
      "status": "completed"
    },
    {
      "run_id": "repairs",
      "seq": 29,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": "repair",
      "path": "repair",
      "type": "workflow.node.completed",
      "duration_ms": 1000,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "{\"ok\":true,\"exitCode\":0,\"signal\":null,\"stdout\":\"repaired\\n\",\"stderr\":\"\",\"durationMs\":100,\"truncated\":false}",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": 3,
      "exit_reason": "evaluator_done",
      "exhausted": false,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "repairs",
      "seq": 30,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": "exit",
      "path": "exit",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "{\"ok\":true,\"exitCode\":0,\"signal\":null,\"stdout\":\"repaired\\n\",\"stderr\":\"\",\"durationMs\":100,\"truncated\":false}"
    },
    {
      "run_id": "repairs",
      "seq": 31,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": "exit",
      "path": "exit",
      "type": "workflow.node.completed",
      "duration_ms": 1000,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "{\"ok\":true,\"exitCode\":0,\"signal\":null,\"stdout\":\"repaired\\n\",\"stderr\":\"\",\"durationMs\":100,\"truncated\":false}",
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
      "run_id": "repairs",
      "seq": 32,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": "fixed",
      "path": "fixed",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "{\"ok\":true,\"exitCode\":0,\"signal\":null,\"stdout\":\"repaired\\n\",\"stderr\":\"\",\"durationMs\":100,\"truncated\":false}"
    },
    {
      "run_id": "repairs",
      "seq": 33,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": "fixed",
      "path": "fixed",
      "type": "workflow.node.completed",
      "duration_ms": 1000,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "{\"ok\":true,\"exitCode\":0,\"signal\":null,\"stdout\":\"repaired\\n\",\"stderr\":\"\",\"durationMs\":100,\"truncated\":false}",
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
      "run_id": "repairs",
      "seq": 34,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": null,
      "path": "",
      "type": "workflow.completed",
      "outputs": {
        "fixed": {
          "ok": true,
          "exitCode": 0,
          "signal": null,
          "stdout": "repaired\n",
          "stderr": "",
          "durationMs": 1000,
          "truncated": false
        }
      },
      "duration_ms": 1000,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "warnings": []
    }
  ],
  "detail": {
    "summary": {
      "runId": "repairs",
      "flow": "Repairs a project",
      "flowPath": null,
      "status": "completed",
      "startedAt": "2026-01-01T00:00:00.000Z",
      "durationMs": 1000,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "warnings": [],
      "iterations": 3,
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
      "name": "Repairs a project",
      "nodes": [
        {
          "id": "task",
          "type": "input",
          "position": {"x":0,"y":0},
          "data": {"name":"task","default":"Repair the numbers."}
        },
        {
          "id": "repair",
          "type": "loop",
          "position": {"x":200,"y":0},
          "data": {
            "label": "Repair",
            "maxIterations": 4,
            "exitCondition": "evaluator",
            "workspace": {"source":"/project","confine":"off"}
          }
        },
        {
          "id": "check",
          "type": "check",
          "position": {"x":400,"y":0},
          "data": {"label":"Test","program":"sh","args":["tests.sh"],"report":"tap"}
        },
        {"id":"exit","type":"exit","position":{"x":600,"y":0},"data":{}},
        {
          "id": "fix",
          "type": "tool",
          "position": {"x":600,"y":200},
          "data": {"label":"Fix","tool":"command","args":{"program":"sh","args":["fix.sh"]}}
        },
        {"id":"fixed","type":"output","position":{"x":800,"y":0},"data":{"name":"fixed"}}
      ],
      "edges": [
        {"id":"e1","source":"task","sourceHandle":"value","target":"repair"},
        {"id":"e2","source":"repair","sourceHandle":"body","target":"check"},
        {"id":"e3","source":"check","sourceHandle":"passed","target":"exit"},
        {"id":"e4","source":"check","sourceHandle":"failed","target":"fix"},
        {"id":"e5","source":"fix","sourceHandle":"result","target":"repair","targetHandle":"feedback"},
        {"id":"e6","source":"exit","target":"fixed"}
      ]
    },
    "inputs": {},
    "outputs": {
      "fixed": {
        "ok": true,
        "exitCode": 0,
        "signal": null,
        "stdout": "repaired\n",
        "stderr": "",
        "durationMs": 1000,
        "truncated": false
      }
    },
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
      "run_id": "repairs",
      "seq": 0,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": null,
      "path": "",
      "type": "workflow.started",
      "name": "Repairs a project",
      "inputs": {}
    },
    {
      "run_id": "repairs",
      "seq": 1,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": null,
      "path": "",
      "type": "workflow.trust",
      "verdict": "approved",
      "items": ["command:sh fix.sh in workspace:/project","command:sh tests.sh in workspace:/project","read:/project"],
      "reason": null
    },
    {
      "run_id": "repairs",
      "seq": 2,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": "task",
      "path": "task",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": null
    },
    {
      "run_id": "repairs",
      "seq": 3,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": "task",
      "path": "task",
      "type": "workflow.node.completed",
      "duration_ms": 1000,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "Repair the numbers.",
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
      "run_id": "repairs",
      "seq": 4,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": "repair",
      "path": "repair",
      "type": "workflow.node.started",
      "max_iterations": 4,
      "input_preview": "Repair the numbers."
    },
    {
      "run_id": "repairs",
      "seq": 5,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": "repair",
      "path": "repair",
      "type": "workflow.loop.preparing",
      "resource": "workspace"
    },
    {
      "run_id": "repairs",
      "seq": 6,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": "repair",
      "path": "repair",
      "type": "workflow.loop.prepared",
      "details": {
        "path": "/data/workspaces/repairs/repair/1/files",
        "base": "4940c6678d2e8b780a67913ddff4865144f62e39",
        "tree": "02f568d7a2b6d00ef14bd06749db81c89324155a",
        "branch": "main"
      }
    },
    {
      "run_id": "repairs",
      "seq": 29,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": "repair",
      "path": "repair",
      "type": "workflow.node.completed",
      "duration_ms": 1000,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "{\"ok\":true,\"exitCode\":0,\"signal\":null,\"stdout\":\"repaired\\n\",\"stderr\":\"\",\"durationMs\":100,\"truncated\":false}",
      "branch": null,
      "reason": null,
      "checked": null,
      "iterations_run": 3,
      "exit_reason": "evaluator_done",
      "exhausted": false,
      "model": null,
      "pinned": false
    },
    {
      "run_id": "repairs",
      "seq": 30,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": "exit",
      "path": "exit",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "{\"ok\":true,\"exitCode\":0,\"signal\":null,\"stdout\":\"repaired\\n\",\"stderr\":\"\",\"durationMs\":100,\"truncated\":false}"
    },
    {
      "run_id": "repairs",
      "seq": 31,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": "exit",
      "path": "exit",
      "type": "workflow.node.completed",
      "duration_ms": 1000,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "{\"ok\":true,\"exitCode\":0,\"signal\":null,\"stdout\":\"repaired\\n\",\"stderr\":\"\",\"durationMs\":100,\"truncated\":false}",
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
      "run_id": "repairs",
      "seq": 32,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": "fixed",
      "path": "fixed",
      "type": "workflow.node.started",
      "max_iterations": null,
      "input_preview": "{\"ok\":true,\"exitCode\":0,\"signal\":null,\"stdout\":\"repaired\\n\",\"stderr\":\"\",\"durationMs\":100,\"truncated\":false}"
    },
    {
      "run_id": "repairs",
      "seq": 33,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": "fixed",
      "path": "fixed",
      "type": "workflow.node.completed",
      "duration_ms": 1000,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "preview": "{\"ok\":true,\"exitCode\":0,\"signal\":null,\"stdout\":\"repaired\\n\",\"stderr\":\"\",\"durationMs\":100,\"truncated\":false}",
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
      "run_id": "repairs",
      "seq": 34,
      "at": "2026-01-01T00:00:00.000Z",
      "node_id": null,
      "path": "",
      "type": "workflow.completed",
      "outputs": {
        "fixed": {
          "ok": true,
          "exitCode": 0,
          "signal": null,
          "stdout": "repaired\n",
          "stderr": "",
          "durationMs": 1000,
          "truncated": false
        }
      },
      "duration_ms": 1000,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "warnings": []
    }
  ],
  "iterations": {
    "repair": {
      "total": 3,
      "iterations": [
        {
          "index": 0,
          "status": "completed",
          "similarity": null,
          "conditionResult": false,
          "score": null,
          "durationMs": 1000,
          "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
          "resultPreview": "Repair the numbers.",
          "reachedExit": false
        },
        {
          "index": 1,
          "status": "completed",
          "similarity": null,
          "conditionResult": false,
          "score": null,
          "durationMs": 1000,
          "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
          "resultPreview": "{\"ok\":true,\"exitCode\":0,\"signal\":null,\"stdout\":\"repaired\\n\",\"stderr\":\"\",\"durationMs\":100,\"truncated\":false}",
          "reachedExit": false
        },
        {
          "index": 2,
          "status": "completed",
          "similarity": null,
          "conditionResult": true,
          "score": null,
          "durationMs": 1000,
          "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
          "resultPreview": "{\"ok\":true,\"exitCode\":0,\"signal\":null,\"stdout\":\"repaired\\n\",\"stderr\":\"\",\"durationMs\":100,\"truncated\":false}",
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
      "inputs": {
        "input": {
          "ok": true,
          "exitCode": 0,
          "signal": null,
          "stdout": "repaired\n",
          "stderr": "",
          "durationMs": 1000,
          "truncated": false
        }
      },
      "output": {
        "ok": true,
        "exitCode": 0,
        "signal": null,
        "stdout": "repaired\n",
        "stderr": "",
        "durationMs": 1000,
        "truncated": false
      },
      "handles": {
        "output": {
          "ok": true,
          "exitCode": 0,
          "signal": null,
          "stdout": "repaired\n",
          "stderr": "",
          "durationMs": 1000,
          "truncated": false
        },
        "workspace": {
          "base": "4940c6678d2e8b780a67913ddff4865144f62e39",
          "tree": "f9416ed78e29751f564c145480e4e64a7ba5692e",
          "commit": "cccccccccccccccccccccccccccccccccccccccc",
          "branch": "main",
          "filesChanged": 8,
          "insertions": 6,
          "deletions": 7,
          "patch": "diff --git a/gone.txt b/gone.txt\ndeleted file mode 100644\nindex 286c5f5776916d7d7d5849988ca9d83e722cf9c2..0000000000000000000000000000000000000000\n--- a/gone.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\ndiff --git a/image.bin b/image.bin\nnew file mode 100644\nindex 0000000000000000000000000000000000000000..20b5be91886d0b6f26dc98a225c0dac05fe2c86e\nGIT binary patch\nliteral 3\nKcmYdfNCE%>hycU@\n\nliteral 0\nHcmV?d00001\n\ndiff --git a/notes/done b/notes/done\nnew file mode 100644\nindex 0000000000000000000000000000000000000000..19f86f493ab110b8dc8279a024880e44203968d8\n--- /dev/null\n+++ b/notes/done\n@@ -0,0 +1 @@\n+done\ndiff --git a/numbers b/numbers\nindex 6ed281c757a969ffe22f3dcfa5830c532479c726..dde5d5d0173bff70bf273c1450c977fdfc17d982 100644\n--- a/numbers\n+++ b/numbers\n@@ -1,2 +1,2 @@\n-1\n-1\n+3\n+7\ndiff --git a/numbers.test.js b/numbers.test.js\nindex e2af53c1dae054306d3cd48851d8791fbaef359f..0ffc96bed0d0d416f65e7d13915dd3fdfeab1d32 100644\n--- a/numbers.test.js\n+++ b/numbers.test.js\n@@ -1,2 +1 @@\n-it('one', one);\n-it('two', two);\n+it.skip('one', one);\ndiff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\ndiff --git a/src/main.rs b/src/main.rs\nindex 1bbb931e24bfab8a0b2cb99dd7816c5b100561bc..9b1626916e2dd367160dab2295d14b91c923ab4d 100644\n--- a/src/main.rs\n+++ b/src/main.rs\n@@ -13,6 +13,6 @@ fn third() -> u32 {\n }\n \n fn main() {\n-    // Says how early it is.\n-    println!(\"early {}\", first() + second() + third());\n+    // Says how late it is.\n+    println!(\"late {}\", first() + second() + third());\n }\ndiff --git a/src/new.txt b/src/new.txt\nnew file mode 100644\nindex 0000000000000000000000000000000000000000..f384549cbeb481e437091320de6d1f2e15e11b4a\n--- /dev/null\n+++ b/src/new.txt\n@@ -0,0 +1,4 @@\n+one\n+two\n+three\n+four\ndiff --git a/src/old.txt b/src/old.txt\ndeleted file mode 100644\nindex f384549cbeb481e437091320de6d1f2e15e11b4a..0000000000000000000000000000000000000000\n--- a/src/old.txt\n+++ /dev/null\n@@ -1,4 +0,0 @@\n-one\n-two\n-three\n-four\n",
          "patchFile": null
        }
      },
      "prompt": null,
      "raw": null,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "durationMs": 1000,
      "model": null,
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    },
    "fixed": {
      "path": "fixed",
      "node_id": "fixed",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {
        "value": {
          "ok": true,
          "exitCode": 0,
          "signal": null,
          "stdout": "repaired\n",
          "stderr": "",
          "durationMs": 1000,
          "truncated": false
        }
      },
      "output": {
        "ok": true,
        "exitCode": 0,
        "signal": null,
        "stdout": "repaired\n",
        "stderr": "",
        "durationMs": 1000,
        "truncated": false
      },
      "handles": {},
      "prompt": null,
      "raw": null,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "durationMs": 1000,
      "model": null,
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    },
    "repair": {
      "path": "repair",
      "node_id": "repair",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {"input":"Repair the numbers."},
      "output": {
        "ok": true,
        "exitCode": 0,
        "signal": null,
        "stdout": "repaired\n",
        "stderr": "",
        "durationMs": 1000,
        "truncated": false
      },
      "handles": {
        "output": {
          "ok": true,
          "exitCode": 0,
          "signal": null,
          "stdout": "repaired\n",
          "stderr": "",
          "durationMs": 1000,
          "truncated": false
        },
        "count": 3,
        "exitReason": "evaluator_done",
        "workspace": {
          "base": "4940c6678d2e8b780a67913ddff4865144f62e39",
          "tree": "f9416ed78e29751f564c145480e4e64a7ba5692e",
          "commit": "cccccccccccccccccccccccccccccccccccccccc",
          "branch": "main",
          "filesChanged": 8,
          "insertions": 6,
          "deletions": 7,
          "patch": "diff --git a/gone.txt b/gone.txt\ndeleted file mode 100644\nindex 286c5f5776916d7d7d5849988ca9d83e722cf9c2..0000000000000000000000000000000000000000\n--- a/gone.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\ndiff --git a/image.bin b/image.bin\nnew file mode 100644\nindex 0000000000000000000000000000000000000000..20b5be91886d0b6f26dc98a225c0dac05fe2c86e\nGIT binary patch\nliteral 3\nKcmYdfNCE%>hycU@\n\nliteral 0\nHcmV?d00001\n\ndiff --git a/notes/done b/notes/done\nnew file mode 100644\nindex 0000000000000000000000000000000000000000..19f86f493ab110b8dc8279a024880e44203968d8\n--- /dev/null\n+++ b/notes/done\n@@ -0,0 +1 @@\n+done\ndiff --git a/numbers b/numbers\nindex 6ed281c757a969ffe22f3dcfa5830c532479c726..dde5d5d0173bff70bf273c1450c977fdfc17d982 100644\n--- a/numbers\n+++ b/numbers\n@@ -1,2 +1,2 @@\n-1\n-1\n+3\n+7\ndiff --git a/numbers.test.js b/numbers.test.js\nindex e2af53c1dae054306d3cd48851d8791fbaef359f..0ffc96bed0d0d416f65e7d13915dd3fdfeab1d32 100644\n--- a/numbers.test.js\n+++ b/numbers.test.js\n@@ -1,2 +1 @@\n-it('one', one);\n-it('two', two);\n+it.skip('one', one);\ndiff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\ndiff --git a/src/main.rs b/src/main.rs\nindex 1bbb931e24bfab8a0b2cb99dd7816c5b100561bc..9b1626916e2dd367160dab2295d14b91c923ab4d 100644\n--- a/src/main.rs\n+++ b/src/main.rs\n@@ -13,6 +13,6 @@ fn third() -> u32 {\n }\n \n fn main() {\n-    // Says how early it is.\n-    println!(\"early {}\", first() + second() + third());\n+    // Says how late it is.\n+    println!(\"late {}\", first() + second() + third());\n }\ndiff --git a/src/new.txt b/src/new.txt\nnew file mode 100644\nindex 0000000000000000000000000000000000000000..f384549cbeb481e437091320de6d1f2e15e11b4a\n--- /dev/null\n+++ b/src/new.txt\n@@ -0,0 +1,4 @@\n+one\n+two\n+three\n+four\ndiff --git a/src/old.txt b/src/old.txt\ndeleted file mode 100644\nindex f384549cbeb481e437091320de6d1f2e15e11b4a..0000000000000000000000000000000000000000\n--- a/src/old.txt\n+++ /dev/null\n@@ -1,4 +0,0 @@\n-one\n-two\n-three\n-four\n",
          "patchFile": null
        }
      },
      "prompt": null,
      "raw": null,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "durationMs": 1000,
      "model": null,
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    },
    "repair[1]/check": {
      "path": "repair[1]/check",
      "node_id": "check",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {"input":"Repair the numbers."},
      "output": {
        "passed": false,
        "exitCode": 1,
        "failures": [
          {"name":"number 1","message":null,"file":null,"line":null},
          {"name":"number 2","message":null,"file":null,"line":null}
        ],
        "counts": {"passed":0,"failed":2},
        "output": "not ok 1 - number 1\nnot ok 2 - number 2\n1..2\n"
      },
      "handles": {
        "failed": "Repair the numbers.",
        "result": {
          "passed": false,
          "exitCode": 1,
          "failures": [
            {"name":"number 1","message":null,"file":null,"line":null},
            {"name":"number 2","message":null,"file":null,"line":null}
          ],
          "counts": {"passed":0,"failed":2},
          "output": "not ok 1 - number 1\nnot ok 2 - number 2\n1..2\n"
        }
      },
      "prompt": null,
      "raw": {"program":"sh","args":["tests.sh"]},
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "durationMs": 1000,
      "model": null,
      "pinned": false,
      "checked": {"ok":false,"passed":0,"failed":2},
      "error": null,
      "request": null
    },
    "repair[1]/fix": {
      "path": "repair[1]/fix",
      "node_id": "fix",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {"input":"Repair the numbers."},
      "output": {
        "ok": true,
        "exitCode": 0,
        "signal": null,
        "stdout": "repaired\n",
        "stderr": "",
        "durationMs": 1000,
        "truncated": false
      },
      "handles": {
        "result": {
          "ok": true,
          "exitCode": 0,
          "signal": null,
          "stdout": "repaired\n",
          "stderr": "",
          "durationMs": 1000,
          "truncated": false
        }
      },
      "prompt": null,
      "raw": {"program":"sh","args":["fix.sh"]},
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "durationMs": 1000,
      "model": null,
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    },
    "repair[2]/check": {
      "path": "repair[2]/check",
      "node_id": "check",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {
        "input": {
          "ok": true,
          "exitCode": 0,
          "signal": null,
          "stdout": "repaired\n",
          "stderr": "",
          "durationMs": 1000,
          "truncated": false
        }
      },
      "output": {
        "passed": false,
        "exitCode": 1,
        "failures": [{"name":"number 2","message":null,"file":null,"line":null}],
        "counts": {"passed":1,"failed":1},
        "output": "ok 1 - number 1\nnot ok 2 - number 2\n1..2\n"
      },
      "handles": {
        "failed": {
          "ok": true,
          "exitCode": 0,
          "signal": null,
          "stdout": "repaired\n",
          "stderr": "",
          "durationMs": 1000,
          "truncated": false
        },
        "result": {
          "passed": false,
          "exitCode": 1,
          "failures": [{"name":"number 2","message":null,"file":null,"line":null}],
          "counts": {"passed":1,"failed":1},
          "output": "ok 1 - number 1\nnot ok 2 - number 2\n1..2\n"
        }
      },
      "prompt": null,
      "raw": {"program":"sh","args":["tests.sh"]},
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "durationMs": 1000,
      "model": null,
      "pinned": false,
      "checked": {"ok":false,"passed":1,"failed":1},
      "error": null,
      "request": null
    },
    "repair[2]/fix": {
      "path": "repair[2]/fix",
      "node_id": "fix",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {
        "input": {
          "ok": true,
          "exitCode": 0,
          "signal": null,
          "stdout": "repaired\n",
          "stderr": "",
          "durationMs": 1000,
          "truncated": false
        }
      },
      "output": {
        "ok": true,
        "exitCode": 0,
        "signal": null,
        "stdout": "repaired\n",
        "stderr": "",
        "durationMs": 1000,
        "truncated": false
      },
      "handles": {
        "result": {
          "ok": true,
          "exitCode": 0,
          "signal": null,
          "stdout": "repaired\n",
          "stderr": "",
          "durationMs": 1000,
          "truncated": false
        }
      },
      "prompt": null,
      "raw": {"program":"sh","args":["fix.sh"]},
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "durationMs": 1000,
      "model": null,
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    },
    "repair[3]/check": {
      "path": "repair[3]/check",
      "node_id": "check",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {
        "input": {
          "ok": true,
          "exitCode": 0,
          "signal": null,
          "stdout": "repaired\n",
          "stderr": "",
          "durationMs": 1000,
          "truncated": false
        }
      },
      "output": {
        "passed": true,
        "exitCode": 0,
        "failures": [],
        "counts": {"passed":2,"failed":0},
        "output": "ok 1 - number 1\nok 2 - number 2\n1..2\n"
      },
      "handles": {
        "passed": {
          "ok": true,
          "exitCode": 0,
          "signal": null,
          "stdout": "repaired\n",
          "stderr": "",
          "durationMs": 1000,
          "truncated": false
        },
        "result": {
          "passed": true,
          "exitCode": 0,
          "failures": [],
          "counts": {"passed":2,"failed":0},
          "output": "ok 1 - number 1\nok 2 - number 2\n1..2\n"
        }
      },
      "prompt": null,
      "raw": {"program":"sh","args":["tests.sh"]},
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "durationMs": 1000,
      "model": null,
      "pinned": false,
      "checked": {"ok":true,"passed":2,"failed":0},
      "error": null,
      "request": null
    },
    "task": {
      "path": "task",
      "node_id": "task",
      "status": "completed",
      "reason": null,
      "question": null,
      "expires": null,
      "inputs": {},
      "output": "Repair the numbers.",
      "handles": {"value":"Repair the numbers."},
      "prompt": null,
      "raw": null,
      "usage": {"calls":0,"input_tokens":0,"output_tokens":0,"cost_usd":0.0},
      "durationMs": 1000,
      "model": null,
      "pinned": false,
      "checked": null,
      "error": null,
      "request": null
    }
  }
};

export const workspace: NonNullable<Reply<"loopWorkspace">> = {
  "path": "repair",
  "source": "/project",
  "madeAt": 1767225600000,
  "appliedAt": null,
  "isOpen": false,
  "last": 3,
  "result": null,
  "iterations": [
    {
      "iteration": 1,
      "filesChanged": 8,
      "insertions": 5,
      "deletions": 6,
      "tests": {
        "tests": {"added":0,"deleted":1,"skipped":1,"only":0,"fewerAssertions":0},
        "testFiles": {"total":1,"names":["numbers.test.js"]},
        "configuration": {"total":0,"names":[]},
        "notRead": 0
      }
    },
    {"iteration":2,"filesChanged":1,"insertions":1,"deletions":1,"tests":null},
    {"iteration":3,"filesChanged":0,"insertions":0,"deletions":0,"tests":null}
  ],
  "branchName": "loopwright/repairs",
  "problem": null
};

export const changes: { readonly [states: string]: Reply<"workspaceChanges"> } = {
  "0 1": {
    "files": [
      {
        "name": "gone.txt",
        "oldName": null,
        "change": "deleted",
        "insertions": 0,
        "deletions": 1,
        "before": {"kind":"file","hash":"286c5f5776916d7d7d5849988ca9d83e722cf9c2"},
        "after": null
      },
      {
        "name": "image.bin",
        "oldName": null,
        "change": "added",
        "insertions": null,
        "deletions": null,
        "before": null,
        "after": {"kind":"file","hash":"20b5be91886d0b6f26dc98a225c0dac05fe2c86e"}
      },
      {
        "name": "notes/done",
        "oldName": null,
        "change": "added",
        "insertions": 1,
        "deletions": 0,
        "before": null,
        "after": {"kind":"file","hash":"19f86f493ab110b8dc8279a024880e44203968d8"}
      },
      {
        "name": "numbers",
        "oldName": null,
        "change": "edited",
        "insertions": 1,
        "deletions": 1,
        "before": {"kind":"file","hash":"6ed281c757a969ffe22f3dcfa5830c532479c726"},
        "after": {"kind":"file","hash":"f00580c4060794725a4817ab7935de04726c8933"}
      },
      {
        "name": "numbers.test.js",
        "oldName": null,
        "change": "edited",
        "insertions": 1,
        "deletions": 2,
        "before": {"kind":"file","hash":"e2af53c1dae054306d3cd48851d8791fbaef359f"},
        "after": {"kind":"file","hash":"0ffc96bed0d0d416f65e7d13915dd3fdfeab1d32"}
      },
      {
        "name": "run.sh",
        "oldName": null,
        "change": "edited",
        "insertions": 0,
        "deletions": 0,
        "before": {"kind":"file","hash":"5bd7bd58778e6f16e1d1c147693b9abb354ecf34"},
        "after": {"kind":"executable","hash":"5bd7bd58778e6f16e1d1c147693b9abb354ecf34"}
      },
      {
        "name": "src/main.rs",
        "oldName": null,
        "change": "edited",
        "insertions": 2,
        "deletions": 2,
        "before": {"kind":"file","hash":"1bbb931e24bfab8a0b2cb99dd7816c5b100561bc"},
        "after": {"kind":"file","hash":"9b1626916e2dd367160dab2295d14b91c923ab4d"}
      },
      {
        "name": "src/new.txt",
        "oldName": "src/old.txt",
        "change": "renamed",
        "insertions": 0,
        "deletions": 0,
        "before": {"kind":"file","hash":"f384549cbeb481e437091320de6d1f2e15e11b4a"},
        "after": {"kind":"file","hash":"f384549cbeb481e437091320de6d1f2e15e11b4a"}
      }
    ],
    "total": 8,
    "insertions": 5,
    "deletions": 6,
    "tests": {
      "tests": {"added":0,"deleted":1,"skipped":1,"only":0,"fewerAssertions":0},
      "testFiles": {"total":1,"names":["numbers.test.js"]},
      "configuration": {"total":0,"names":[]},
      "notRead": 0
    }
  },
  "0 2": {
    "files": [
      {
        "name": "gone.txt",
        "oldName": null,
        "change": "deleted",
        "insertions": 0,
        "deletions": 1,
        "before": {"kind":"file","hash":"286c5f5776916d7d7d5849988ca9d83e722cf9c2"},
        "after": null
      },
      {
        "name": "image.bin",
        "oldName": null,
        "change": "added",
        "insertions": null,
        "deletions": null,
        "before": null,
        "after": {"kind":"file","hash":"20b5be91886d0b6f26dc98a225c0dac05fe2c86e"}
      },
      {
        "name": "notes/done",
        "oldName": null,
        "change": "added",
        "insertions": 1,
        "deletions": 0,
        "before": null,
        "after": {"kind":"file","hash":"19f86f493ab110b8dc8279a024880e44203968d8"}
      },
      {
        "name": "numbers",
        "oldName": null,
        "change": "edited",
        "insertions": 2,
        "deletions": 2,
        "before": {"kind":"file","hash":"6ed281c757a969ffe22f3dcfa5830c532479c726"},
        "after": {"kind":"file","hash":"dde5d5d0173bff70bf273c1450c977fdfc17d982"}
      },
      {
        "name": "numbers.test.js",
        "oldName": null,
        "change": "edited",
        "insertions": 1,
        "deletions": 2,
        "before": {"kind":"file","hash":"e2af53c1dae054306d3cd48851d8791fbaef359f"},
        "after": {"kind":"file","hash":"0ffc96bed0d0d416f65e7d13915dd3fdfeab1d32"}
      },
      {
        "name": "run.sh",
        "oldName": null,
        "change": "edited",
        "insertions": 0,
        "deletions": 0,
        "before": {"kind":"file","hash":"5bd7bd58778e6f16e1d1c147693b9abb354ecf34"},
        "after": {"kind":"executable","hash":"5bd7bd58778e6f16e1d1c147693b9abb354ecf34"}
      },
      {
        "name": "src/main.rs",
        "oldName": null,
        "change": "edited",
        "insertions": 2,
        "deletions": 2,
        "before": {"kind":"file","hash":"1bbb931e24bfab8a0b2cb99dd7816c5b100561bc"},
        "after": {"kind":"file","hash":"9b1626916e2dd367160dab2295d14b91c923ab4d"}
      },
      {
        "name": "src/new.txt",
        "oldName": "src/old.txt",
        "change": "renamed",
        "insertions": 0,
        "deletions": 0,
        "before": {"kind":"file","hash":"f384549cbeb481e437091320de6d1f2e15e11b4a"},
        "after": {"kind":"file","hash":"f384549cbeb481e437091320de6d1f2e15e11b4a"}
      }
    ],
    "total": 8,
    "insertions": 6,
    "deletions": 7,
    "tests": {
      "tests": {"added":0,"deleted":1,"skipped":1,"only":0,"fewerAssertions":0},
      "testFiles": {"total":1,"names":["numbers.test.js"]},
      "configuration": {"total":0,"names":[]},
      "notRead": 0
    }
  },
  "1 2": {
    "files": [
      {
        "name": "numbers",
        "oldName": null,
        "change": "edited",
        "insertions": 1,
        "deletions": 1,
        "before": {"kind":"file","hash":"f00580c4060794725a4817ab7935de04726c8933"},
        "after": {"kind":"file","hash":"dde5d5d0173bff70bf273c1450c977fdfc17d982"}
      }
    ],
    "total": 1,
    "insertions": 1,
    "deletions": 1,
    "tests": null
  },
  "0 3": {
    "files": [
      {
        "name": "gone.txt",
        "oldName": null,
        "change": "deleted",
        "insertions": 0,
        "deletions": 1,
        "before": {"kind":"file","hash":"286c5f5776916d7d7d5849988ca9d83e722cf9c2"},
        "after": null
      },
      {
        "name": "image.bin",
        "oldName": null,
        "change": "added",
        "insertions": null,
        "deletions": null,
        "before": null,
        "after": {"kind":"file","hash":"20b5be91886d0b6f26dc98a225c0dac05fe2c86e"}
      },
      {
        "name": "notes/done",
        "oldName": null,
        "change": "added",
        "insertions": 1,
        "deletions": 0,
        "before": null,
        "after": {"kind":"file","hash":"19f86f493ab110b8dc8279a024880e44203968d8"}
      },
      {
        "name": "numbers",
        "oldName": null,
        "change": "edited",
        "insertions": 2,
        "deletions": 2,
        "before": {"kind":"file","hash":"6ed281c757a969ffe22f3dcfa5830c532479c726"},
        "after": {"kind":"file","hash":"dde5d5d0173bff70bf273c1450c977fdfc17d982"}
      },
      {
        "name": "numbers.test.js",
        "oldName": null,
        "change": "edited",
        "insertions": 1,
        "deletions": 2,
        "before": {"kind":"file","hash":"e2af53c1dae054306d3cd48851d8791fbaef359f"},
        "after": {"kind":"file","hash":"0ffc96bed0d0d416f65e7d13915dd3fdfeab1d32"}
      },
      {
        "name": "run.sh",
        "oldName": null,
        "change": "edited",
        "insertions": 0,
        "deletions": 0,
        "before": {"kind":"file","hash":"5bd7bd58778e6f16e1d1c147693b9abb354ecf34"},
        "after": {"kind":"executable","hash":"5bd7bd58778e6f16e1d1c147693b9abb354ecf34"}
      },
      {
        "name": "src/main.rs",
        "oldName": null,
        "change": "edited",
        "insertions": 2,
        "deletions": 2,
        "before": {"kind":"file","hash":"1bbb931e24bfab8a0b2cb99dd7816c5b100561bc"},
        "after": {"kind":"file","hash":"9b1626916e2dd367160dab2295d14b91c923ab4d"}
      },
      {
        "name": "src/new.txt",
        "oldName": "src/old.txt",
        "change": "renamed",
        "insertions": 0,
        "deletions": 0,
        "before": {"kind":"file","hash":"f384549cbeb481e437091320de6d1f2e15e11b4a"},
        "after": {"kind":"file","hash":"f384549cbeb481e437091320de6d1f2e15e11b4a"}
      }
    ],
    "total": 8,
    "insertions": 6,
    "deletions": 7,
    "tests": {
      "tests": {"added":0,"deleted":1,"skipped":1,"only":0,"fewerAssertions":0},
      "testFiles": {"total":1,"names":["numbers.test.js"]},
      "configuration": {"total":0,"names":[]},
      "notRead": 0
    }
  },
  "1 3": {
    "files": [
      {
        "name": "numbers",
        "oldName": null,
        "change": "edited",
        "insertions": 1,
        "deletions": 1,
        "before": {"kind":"file","hash":"f00580c4060794725a4817ab7935de04726c8933"},
        "after": {"kind":"file","hash":"dde5d5d0173bff70bf273c1450c977fdfc17d982"}
      }
    ],
    "total": 1,
    "insertions": 1,
    "deletions": 1,
    "tests": null
  },
  "2 3": {"files":[],"total":0,"insertions":0,"deletions":0,"tests":null}
};

export const texts: { readonly [versions: string]: Reply<"workspaceTexts"> } = {
  "286c5f5776916d7d7d5849988ca9d83e722cf9c2 ": {"before":{"kind":"text","text":"gone\n","isLossy":false},"after":{"kind":"absent"}},
  " 20b5be91886d0b6f26dc98a225c0dac05fe2c86e": {"before":{"kind":"absent"},"after":{"kind":"binary","bytes":3}},
  " 19f86f493ab110b8dc8279a024880e44203968d8": {"before":{"kind":"absent"},"after":{"kind":"text","text":"done\n","isLossy":false}},
  "6ed281c757a969ffe22f3dcfa5830c532479c726 f00580c4060794725a4817ab7935de04726c8933": {
    "before": {"kind":"text","text":"1\n1\n","isLossy":false},
    "after": {"kind":"text","text":"3\n1\n","isLossy":false}
  },
  "e2af53c1dae054306d3cd48851d8791fbaef359f 0ffc96bed0d0d416f65e7d13915dd3fdfeab1d32": {
    "before": {"kind":"text","text":"it('one', one);\nit('two', two);\n","isLossy":false},
    "after": {"kind":"text","text":"it.skip('one', one);\n","isLossy":false}
  },
  "5bd7bd58778e6f16e1d1c147693b9abb354ecf34 5bd7bd58778e6f16e1d1c147693b9abb354ecf34": {
    "before": {"kind":"text","text":"echo run\n","isLossy":false},
    "after": {"kind":"text","text":"echo run\n","isLossy":false}
  },
  "1bbb931e24bfab8a0b2cb99dd7816c5b100561bc 9b1626916e2dd367160dab2295d14b91c923ab4d": {
    "before": {
      "kind": "text",
      "text": "//! A program.\n\nfn first() -> u32 {\n    1\n}\n\nfn second() -> u32 {\n    2\n}\n\nfn third() -> u32 {\n    3\n}\n\nfn main() {\n    // Says how early it is.\n    println!(\"early {}\", first() + second() + third());\n}\n",
      "isLossy": false
    },
    "after": {
      "kind": "text",
      "text": "//! A program.\n\nfn first() -> u32 {\n    1\n}\n\nfn second() -> u32 {\n    2\n}\n\nfn third() -> u32 {\n    3\n}\n\nfn main() {\n    // Says how late it is.\n    println!(\"late {}\", first() + second() + third());\n}\n",
      "isLossy": false
    }
  },
  "f384549cbeb481e437091320de6d1f2e15e11b4a f384549cbeb481e437091320de6d1f2e15e11b4a": {
    "before": {"kind":"text","text":"one\ntwo\nthree\nfour\n","isLossy":false},
    "after": {"kind":"text","text":"one\ntwo\nthree\nfour\n","isLossy":false}
  },
  "6ed281c757a969ffe22f3dcfa5830c532479c726 dde5d5d0173bff70bf273c1450c977fdfc17d982": {
    "before": {"kind":"text","text":"1\n1\n","isLossy":false},
    "after": {"kind":"text","text":"3\n7\n","isLossy":false}
  },
  "f00580c4060794725a4817ab7935de04726c8933 dde5d5d0173bff70bf273c1450c977fdfc17d982": {
    "before": {"kind":"text","text":"3\n1\n","isLossy":false},
    "after": {"kind":"text","text":"3\n7\n","isLossy":false}
  }
};

export const rows: Reply<"workspaces"> = [
  {
    "id": "repairs/repair/1",
    "runId": "repairs",
    "flow": "Repairs a project",
    "path": "repair",
    "source": "/project",
    "folder": "/data/workspaces/repairs/repair/1/files",
    "madeAt": 1767225600000,
    "bytes": 123456,
    "state": "notApplied"
  }
];

export const conflict: ApiError = {
  "code": "invalid_argument",
  "message": "These files have changed both in the source folder and in the workspace, so nothing was applied: numbers. Commit or undo your changes to them, or apply as a branch and merge it.",
  "path": null,
  "subject": null,
  "reason": null
};

export const plan: Reply<"planApply"> = {
  "files": [
    {
      "name": "gone.txt",
      "oldName": null,
      "change": "deleted",
      "insertions": 0,
      "deletions": 1,
      "before": {"kind":"file","hash":"286c5f5776916d7d7d5849988ca9d83e722cf9c2"},
      "after": null
    },
    {
      "name": "image.bin",
      "oldName": null,
      "change": "added",
      "insertions": null,
      "deletions": null,
      "before": null,
      "after": {"kind":"file","hash":"20b5be91886d0b6f26dc98a225c0dac05fe2c86e"}
    },
    {
      "name": "notes/done",
      "oldName": null,
      "change": "added",
      "insertions": 1,
      "deletions": 0,
      "before": null,
      "after": {"kind":"file","hash":"19f86f493ab110b8dc8279a024880e44203968d8"}
    },
    {
      "name": "numbers",
      "oldName": null,
      "change": "edited",
      "insertions": 2,
      "deletions": 2,
      "before": {"kind":"file","hash":"6ed281c757a969ffe22f3dcfa5830c532479c726"},
      "after": {"kind":"file","hash":"dde5d5d0173bff70bf273c1450c977fdfc17d982"}
    },
    {
      "name": "numbers.test.js",
      "oldName": null,
      "change": "edited",
      "insertions": 1,
      "deletions": 2,
      "before": {"kind":"file","hash":"e2af53c1dae054306d3cd48851d8791fbaef359f"},
      "after": {"kind":"file","hash":"0ffc96bed0d0d416f65e7d13915dd3fdfeab1d32"}
    },
    {
      "name": "run.sh",
      "oldName": null,
      "change": "edited",
      "insertions": 0,
      "deletions": 0,
      "before": {"kind":"file","hash":"5bd7bd58778e6f16e1d1c147693b9abb354ecf34"},
      "after": {"kind":"executable","hash":"5bd7bd58778e6f16e1d1c147693b9abb354ecf34"}
    },
    {
      "name": "src/main.rs",
      "oldName": null,
      "change": "edited",
      "insertions": 2,
      "deletions": 2,
      "before": {"kind":"file","hash":"1bbb931e24bfab8a0b2cb99dd7816c5b100561bc"},
      "after": {"kind":"file","hash":"9b1626916e2dd367160dab2295d14b91c923ab4d"}
    },
    {
      "name": "src/new.txt",
      "oldName": null,
      "change": "added",
      "insertions": 4,
      "deletions": 0,
      "before": null,
      "after": {"kind":"file","hash":"f384549cbeb481e437091320de6d1f2e15e11b4a"}
    },
    {
      "name": "src/old.txt",
      "oldName": null,
      "change": "deleted",
      "insertions": 0,
      "deletions": 4,
      "before": {"kind":"file","hash":"f384549cbeb481e437091320de6d1f2e15e11b4a"},
      "after": null
    }
  ],
  "total": 9,
  "insertions": 10,
  "deletions": 11,
  "tests": null
};

export const appliedAsBranch: Reply<"applyIteration"> = {
  "branch": "loopwright/repairs",
  "commits": 2,
  "changes": null,
  "folder": "/project",
  "next": [
    {"title":"See it","command":"git log loopwright/repairs"},
    {"title":"Switch to it","command":"git switch loopwright/repairs"},
    {"title":"Merge it","command":"git merge loopwright/repairs"}
  ]
};

export const appliedToFiles: Reply<"applyIteration"> = {
  "branch": null,
  "commits": 0,
  "changes": {
    "files": [
      {
        "name": "gone.txt",
        "oldName": null,
        "change": "deleted",
        "insertions": 0,
        "deletions": 1,
        "before": {"kind":"file","hash":"286c5f5776916d7d7d5849988ca9d83e722cf9c2"},
        "after": null
      },
      {
        "name": "image.bin",
        "oldName": null,
        "change": "added",
        "insertions": null,
        "deletions": null,
        "before": null,
        "after": {"kind":"file","hash":"20b5be91886d0b6f26dc98a225c0dac05fe2c86e"}
      },
      {
        "name": "notes/done",
        "oldName": null,
        "change": "added",
        "insertions": 1,
        "deletions": 0,
        "before": null,
        "after": {"kind":"file","hash":"19f86f493ab110b8dc8279a024880e44203968d8"}
      },
      {
        "name": "numbers",
        "oldName": null,
        "change": "edited",
        "insertions": 2,
        "deletions": 2,
        "before": {"kind":"file","hash":"6ed281c757a969ffe22f3dcfa5830c532479c726"},
        "after": {"kind":"file","hash":"dde5d5d0173bff70bf273c1450c977fdfc17d982"}
      },
      {
        "name": "numbers.test.js",
        "oldName": null,
        "change": "edited",
        "insertions": 1,
        "deletions": 2,
        "before": {"kind":"file","hash":"e2af53c1dae054306d3cd48851d8791fbaef359f"},
        "after": {"kind":"file","hash":"0ffc96bed0d0d416f65e7d13915dd3fdfeab1d32"}
      },
      {
        "name": "run.sh",
        "oldName": null,
        "change": "edited",
        "insertions": 0,
        "deletions": 0,
        "before": {"kind":"file","hash":"5bd7bd58778e6f16e1d1c147693b9abb354ecf34"},
        "after": {"kind":"executable","hash":"5bd7bd58778e6f16e1d1c147693b9abb354ecf34"}
      },
      {
        "name": "src/main.rs",
        "oldName": null,
        "change": "edited",
        "insertions": 2,
        "deletions": 2,
        "before": {"kind":"file","hash":"1bbb931e24bfab8a0b2cb99dd7816c5b100561bc"},
        "after": {"kind":"file","hash":"9b1626916e2dd367160dab2295d14b91c923ab4d"}
      },
      {
        "name": "src/new.txt",
        "oldName": null,
        "change": "added",
        "insertions": 4,
        "deletions": 0,
        "before": null,
        "after": {"kind":"file","hash":"f384549cbeb481e437091320de6d1f2e15e11b4a"}
      },
      {
        "name": "src/old.txt",
        "oldName": null,
        "change": "deleted",
        "insertions": 0,
        "deletions": 4,
        "before": {"kind":"file","hash":"f384549cbeb481e437091320de6d1f2e15e11b4a"},
        "after": null
      }
    ],
    "total": 9,
    "insertions": 10,
    "deletions": 11,
    "tests": null
  },
  "folder": "/project",
  "next": [{"title":"See it","command":"git diff"}]
};

export const project: Reply<"lookAtProject"> = {
  "folder": "/shop",
  "name": "shop",
  "isRepository": true,
  "branch": "main",
  "hasChanges": true,
  "refusedHead": null,
  "refusedWorking": null,
  "commands": [
    {"command":"npm test","file":"package.json","setup":{"command":"npm ci","file":"package-lock.json"}},
    {"command":"make check","file":"Makefile","setup":{"command":"npm ci","file":"package-lock.json"}}
  ],
  "setup": {"file":null,"commands":[],"copy":[],"proposed":{"command":"npm ci","file":"package-lock.json"}},
  "protect": ["tests/**"],
  "notes": []
};

export const repairFlow: Reply<"repairFlow"> = {
  "document": {
    "schemaVersion": 1,
    "name": "Fix until green",
    "description": "Repairs a private copy of /shop until `npm test` passes.",
    "nodes": [
      {
        "id": "task",
        "type": "input",
        "position": {"x":0,"y":160},
        "data": {
          "label": "Task",
          "name": "task",
          "dataType": "text",
          "required": true,
          "description": "What to do.",
          "default": "The check command fails in this folder. Find the causes in the code and fix them, so that the command passes. Do not weaken or remove tests to make them pass."
        }
      },
      {
        "id": "repair",
        "type": "loop",
        "position": {"x":260,"y":160},
        "data": {
          "label": "Until it passes",
          "maxIterations": 8,
          "exitCondition": "evaluator",
          "limits": {"noProgress":{"rounds":3}},
          "workspace": {
            "source": "/shop",
            "base": "head",
            "prepare": {"copy":[],"program":"npm","args":["ci"]},
            "protect": [],
            "confine": "auto"
          }
        }
      },
      {
        "id": "check",
        "type": "check",
        "position": {"x":540,"y":160},
        "data": {"label":"Check","program":"npm","args":["test"],"cwd":".","report":"auto","timeout":"PT1H"}
      },
      {"id":"exit","type":"exit","position":{"x":820,"y":160},"data":{"label":"Exit"}},
      {
        "id": "fixed",
        "type": "output",
        "position": {"x":1080,"y":60},
        "data": {"label":"Fixed","name":"fixed","format":"text"}
      },
      {
        "id": "unfixed",
        "type": "output",
        "position": {"x":1080,"y":240},
        "data": {"label":"Not fixed","name":"unfixed","format":"text"}
      },
      {
        "id": "changes",
        "type": "output",
        "position": {"x":1080,"y":420},
        "data": {"label":"Changes","name":"changes","format":"json"}
      },
      {
        "id": "fix",
        "type": "agent",
        "position": {"x":820,"y":420},
        "data": {
          "label": "Fix",
          "runner": "mine",
          "cwd": ".",
          "session": "resume",
          "sandbox": "workspace",
          "env": [],
          "timeout": "PT2H",
          "prompt": "{{ run.inputs.task }}\n\nThe command is: npm test\n\nWhat failed, as JSON:\n{{ check.failures }}"
        }
      }
    ],
    "edges": [
      {
        "id": "e-task-value-repair",
        "source": "task",
        "sourceHandle": "value",
        "target": "repair",
        "targetHandle": "input"
      },
      {
        "id": "e-repair-body-check",
        "source": "repair",
        "sourceHandle": "body",
        "target": "check",
        "targetHandle": "input"
      },
      {
        "id": "e-check-passed-exit",
        "source": "check",
        "sourceHandle": "passed",
        "target": "exit",
        "targetHandle": "input"
      },
      {
        "id": "e-fix-response-repair",
        "source": "fix",
        "sourceHandle": "response",
        "target": "repair",
        "targetHandle": "feedback"
      },
      {
        "id": "e-exit-output-fixed",
        "source": "exit",
        "sourceHandle": "output",
        "target": "fixed",
        "targetHandle": "value"
      },
      {
        "id": "e-exit-exhausted-unfixed",
        "source": "exit",
        "sourceHandle": "exhausted",
        "target": "unfixed",
        "targetHandle": "value"
      },
      {
        "id": "e-repair-workspace-changes",
        "source": "repair",
        "sourceHandle": "workspace",
        "target": "changes",
        "targetHandle": "value"
      },
      {
        "id": "e-check-failed-fix",
        "source": "check",
        "sourceHandle": "failed",
        "target": "fix",
        "targetHandle": "prompt"
      }
    ]
  },
  "problems": []
};

export const refusedRepairFlow: Reply<"repairFlow"> = {
  "document": null,
  "problems": [
    {"field":"command","message":"A quote in the command `npm 'test` is not closed. Close the quote."},
    {
      "field": "protect",
      "message": "`../tests` in `protect` cannot be used: it points outside the folder. Write a path from the top of the repository, with `*` and `**`."
    },
    {
      "field": "agent",
      "message": "The agent Codex is not installed: there is no program `codex` on this computer. Install it with `npm install -g @openai/codex`, or choose another: mine."
    }
  ]
};
