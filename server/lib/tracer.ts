import type { IncomingHttpHeaders } from 'node:http'

// The spans of requests, for distributed traces. There is no tracer unless the operator has loaded one.

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
