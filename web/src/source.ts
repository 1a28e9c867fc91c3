// Where the data comes from: the file itself, or the server of the page.
import type { Report, Run, RunEvent, Summary } from "./types";

export interface Follower {
  events(events: RunEvent[]): void;
  /** The run has changed: its summary, results or lemmas may be others. */
  ended(): void;
  /** The connection is interrupted and tried again; null: it is there again. */
  trouble(error: Error | null): void;
}

/** A run that the page has started. */
export interface Job {
  job: string;
  state: string;
  seconds: number;
  file: string;
  run: number | null;
  message: string;
}

export interface Jobs {
  strategies: string[];
  jobs: Job[];
}

/** Files of the server's project. */
export interface Files {
  files: string[];
  /** Whether there may be others. */
  more: boolean;
}

export interface Source {
  /** Whether there are other runs, and runs or an evaluation that go on. */
  readonly live: boolean;
  list(): Promise<Summary[]>;
  run(id: number): Promise<Run>;
  /** A whole event. */
  event(id: number, seq: number): Promise<RunEvent>;
  /** Sends all events, and those to come; returns what ends that. */
  follow(id: number, follower: Follower): () => void;
}

export class FileSource implements Source {
  readonly live = false;
  constructor(private readonly data: { run: Run; events: RunEvent[] }) {}
  async list() {
    return [this.data.run];
  }
  async run() {
    return this.data.run;
  }
  async event(_id: number, seq: number) {
    return this.data.events[seq];
  }
  follow(_id: number, follower: Follower) {
    follower.events(this.data.events);
    follower.ended();
    return () => {};
  }
}

export class KeyNeeded extends Error {}

const KEY = "zermelo-key";
const RETRY = 1500; // milliseconds
const LIMIT = 120_000; // milliseconds for the answer to a look

export class ServerSource implements Source {
  readonly live = true;
  private key = sessionStorage.getItem(KEY) ?? "";

  setKey(key: string) {
    this.key = key;
    sessionStorage.setItem(KEY, key);
  }

  async ask(path: string, options: RequestInit = {}): Promise<Response> {
    const headers: Record<string, string> = { ...(options.headers as Record<string, string>) };
    if (this.key !== "") headers.Authorization = `Bearer ${this.key}`;
    const response = await fetch(path, { ...options, headers, cache: "no-store" });
    if (response.status === 401) throw new KeyNeeded(this.key === "" ? "" : "The server does not accept this key");
    if (!response.ok) {
      const body = await response.json().catch(() => ({}));
      throw new Error(String(body.detail ?? `the server answers ${response.status}`));
    }
    return response;
  }

  async list() {
    return (await (await this.ask("/api/runs?count=1000", { signal: AbortSignal.timeout(LIMIT) })).json()).runs as Summary[];
  }
  async run(id: number) {
    return (await (await this.ask(`/api/runs/${id}`)).json()) as Run;
  }
  async event(id: number, seq: number) {
    return (await (await this.ask(`/api/runs/${id}/events/${seq}`)).json()) as RunEvent;
  }

  async evaluation() {
    return (await (await this.ask("/api/evaluation", { signal: AbortSignal.timeout(LIMIT) })).json()) as Report;
  }

  /** Null where runs cannot be started. */
  async jobs() {
    return (await (await this.ask("/api/jobs")).json()) as Jobs | null;
  }
  async files() {
    return (await (await this.ask("/api/jobs/files")).json()) as Files;
  }
  async start(what: { text?: string; file?: string; strategy: string; seconds: number; samples?: number; tokens?: number; dollars?: number }): Promise<Job> {
    return (await (await this.post("/api/jobs", what)).json()) as Job;
  }
  async cancel(job: string) {
    await this.post(`/api/jobs/${job}`, {});
  }
  private post(path: string, body: object) {
    return this.ask(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  }

  follow(id: number, follower: Follower) {
    const abort = new AbortController();
    void this.followFrom(id, follower, abort.signal);
    return () => abort.abort();
  }

  /** Reads the stream of events, and goes on after an interruption where it ended. */
  private async followFrom(id: number, follower: Follower, signal: AbortSignal) {
    let last = "";
    while (!signal.aborted) {
      try {
        const headers: Record<string, string> = last === "" ? {} : { "Last-Event-ID": last };
        const response = await this.ask(`/api/runs/${id}/events`, { headers, signal });
        follower.trouble(null);
        for await (const message of messages(response.body!)) {
          if (message.id !== "") last = message.id;
          if (message.event === "end") return follower.ended();
          follower.events(JSON.parse(message.data) as RunEvent[]);
        }
      } catch (error) {
        if (signal.aborted) return;
        follower.trouble(error instanceof Error ? error : new Error(String(error)));
        if (error instanceof KeyNeeded) return;
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY));
    }
  }
}

interface Message {
  id: string;
  event: string;
  data: string;
}

/** Server-sent events (HTML standard, section 9.2), whose lines end with "\n". */
async function* messages(body: ReadableStream<Uint8Array>): AsyncGenerator<Message> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop()!;
    for (const block of blocks) {
      const message: Message = { id: "", event: "", data: "" };
      for (const line of block.split("\n")) {
        const colon = line.indexOf(": ");
        const field = line.slice(0, colon) as keyof Message;
        if (colon > 0 && field in message) message[field] += line.slice(colon + 2);
      }
      if (message.data !== "") yield message;
    }
  }
}
