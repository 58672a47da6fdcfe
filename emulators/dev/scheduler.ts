/** What Cloud Scheduler is in the cloud: calls the sweep again and again, whether the call before has ended or not. */

export interface Scheduler {
  /** Calls once, now; resolves with the status. */
  call(): Promise<number>;
  /** Calls no more until `resume`. */
  pause(): void;
  resume(): void;
  /** Resolves when no call is under way. */
  stop(): Promise<void>;
}

export function startScheduler(urls: () => readonly string[], everyMillis: number): Scheduler {
  const calls = new Set<Promise<unknown>>();
  let paused = false;
  const call = async (): Promise<number> => {
    const [url] = urls();
    if (url === undefined) return 0;
    const response = await fetch(url, { method: 'POST' }).catch(() => undefined);
    await response?.arrayBuffer();
    return response?.status ?? 0;
  };
  const timer = setInterval(() => {
    if (paused) return;
    const under = call().finally(() => calls.delete(under));
    calls.add(under);
  }, everyMillis);
  return {
    call,
    pause: () => {
      paused = true;
    },
    resume: () => {
      paused = false;
    },
    stop: async () => {
      clearInterval(timer);
      await Promise.all(calls);
    },
  };
}
