/**
 * Which partitions statements changed, and when. Two statements that change one partition while both run conflict: the one
 * that comes to commit second fails. Rows only inserted conflict with nothing (BigQuery, "Concurrent jobs").
 */
export class CommitLog {
  #sequence = 0;
  readonly #commits = new Map<string, { readonly sequence: number; readonly partitions: ReadonlySet<string> }[]>();
  readonly #running = new Map<symbol, number>();
  #last: Promise<unknown> = Promise.resolve();

  /** To be called before a statement's snapshot is taken; the token is what it ends with. */
  begin(): symbol {
    const token = Symbol('statement');
    this.#running.set(token, this.#sequence);
    return token;
  }

  end(token: symbol): void {
    this.#running.delete(token);
    const oldest = Math.min(this.#sequence, ...this.#running.values());
    for (const [table, commits] of this.#commits) {
      const kept = commits.filter((commit) => commit.sequence > oldest);
      if (kept.length > 0) this.#commits.set(table, kept);
      else this.#commits.delete(table);
    }
  }

  /** True when another statement has changed one of the partitions since `token` began. */
  conflicts(token: symbol, table: string, partitions: ReadonlySet<string>): boolean {
    const since = this.#running.get(token) ?? 0;
    return (this.#commits.get(table) ?? []).some(
      (commit) => commit.sequence > since && [...partitions].some((partition) => commit.partitions.has(partition)),
    );
  }

  /** To be called once the statement has committed. */
  record(table: string, partitions: ReadonlySet<string>): void {
    this.#sequence++;
    if (partitions.size === 0 || this.#running.size === 0) return;
    this.#commits.set(table, [...(this.#commits.get(table) ?? []), { sequence: this.#sequence, partitions }]);
  }

  /** Runs one commit at a time, so that what was found free of conflict still is when it commits. */
  exclusively<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#last.then(work, work);
    this.#last = next.catch(() => undefined);
    return next;
  }
}
