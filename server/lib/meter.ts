import type { IncomingHttpHeaders } from 'node:http'

// The reports of all parts of a server about their work, so that it can be watched. The server measures nothing unless
// metrics are turned on: otherwise there is no meter, and a report costs a comparison. For distributed traces, a tracer
// that the operator has loaded gets the spans of requests.

/** The kind of a statement. `other` are statements that are not built from the tables, such as those of transactions. */
export type StatementKind = 'select' | 'insert' | 'update' | 'delete' | 'other'

export type FileOperation = 'save' | 'read' | 'find' | 'stream' | 'delete' | 'list'

/** A request that was answered. `seconds` includes the time for which it waited. */
export type MeasuredRequest = {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly seconds: number
}

export type DeliveryKind = 'email' | 'webhook' | 'browser_push'

/** Receives the reports. No method throws, and none waits for anything. */
export type Meter = {
  requestEnded(request: MeasuredRequest): void
  /** `reason` is the code of a refusal, `BUSY` or `TOO_MANY_CONNECTIONS`: one of a fixed set. */
  requestRefused(reason: string): void
  statementEnded(kind: StatementKind, seconds: number): void
  /** `seconds` is the time from the end of the transaction's work until its commit was durable. */
  transactionCommitted(seconds: number): void
  /** A transaction was rolled back, because of an error or to repeat it. */
  transactionRolledBack(): void
  /** The write-ahead log of SQLite was copied into the database, or could not be copied. */
  checkpointEnded(seconds: number, hasFailed: boolean): void
  fileOperationEnded(operation: FileOperation, seconds: number, hasFailed: boolean): void
  /** Events were put into a response to a poll. */
  eventsSent(count: number): void
  /** An attempt to deliver something ended. `outcome` is one of a fixed set, such as `sent` or `failed`. */
  deliveryEnded(kind: DeliveryKind, outcome: string): void
}

/** The span of a request. */
export type RequestSpan = {
  /** Runs the work so that spans which begin in it belong to this one. */
  run<Result>(work: () => Result): Result
  end(status: number): void
}

export type Tracer = {
  /** Begins the span of a request. It continues the trace that the headers name. */
  begin(request: { readonly method: string; readonly path: string; readonly headers: IncomingHttpHeaders }): RequestSpan
}
