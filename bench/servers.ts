import { serverEnvironment, serverFlags } from '../tools/server-flags.mjs'
import { type Child, startChild } from './child.ts'
import type { DataLocation } from './disk.ts'
import { ask } from './drive.ts'
import type { NoOpOptions } from './no-op.ts'
import type { Population, Size } from './populate.ts'
import type { BenchContext } from './row.ts'

/** The measured server with its users. */
export type BenchServer = Population & { child: Child; port: number } & AsyncDisposable

export async function startServer({ disk }: Pick<BenchContext, 'disk'>, size: Size): Promise<BenchServer> {
  return startServerAt(await disk.newLocation(), size)
}

/** Starts a server at an empty location, or without `size` at one that has its users; `environment` has settings. */
export async function startServerAt(
  location: DataLocation,
  size?: Size,
  environment?: Readonly<Record<string, string>>,
): Promise<BenchServer> {
  const child = await startChild(
    'dist/server.js',
    { ...location, size, environment },
    { flags: serverFlags, environment: serverEnvironment },
  )
  return {
    ...(child.ready as Population & { port: number }),
    child,
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  }
}

export async function startNoOp(options: NoOpOptions): Promise<{ child: Child; port: number } & AsyncDisposable> {
  const child = await startChild('no-op.ts', options)
  return { ...(child.ready as { port: number }), child, [Symbol.asyncDispose]: () => child[Symbol.asyncDispose]() }
}

/** Returns a response, which must be successful. */
export async function succeed(port: number, request: Buffer): Promise<{ text: string; json: Record<string, unknown> }> {
  const { status, body } = await ask(port, request)
  if (status !== 200) throw new Error(`Answered ${status}: ${body}`)
  return { text: body, json: JSON.parse(body) as Record<string, unknown> }
}
