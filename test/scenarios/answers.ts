import assert from 'node:assert/strict'
import type { Answer } from './wire.ts'

/**
 * Values by name. Strings are sent literally, everything else as JSON, and `undefined` is left out. A string is a
 * complete form.
 */
export type Params = Record<string, unknown> | string

export function encode(params: Params): string {
  if (typeof params === 'string') return params
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(params))
    if (value !== undefined) form.append(name, typeof value === 'string' ? value : JSON.stringify(value))
  return form.toString()
}

/** Returns the Authorization header for an address and a key. */
export function basic(email: string, key: string): string {
  return `Basic ${Buffer.from(`${email}:${key}`).toString('base64')}`
}

/** Requires a success, and returns its body. */
export function succeeded({ status, body, text }: Answer): Answer['body'] {
  assert.equal(status, 200, text)
  assert.equal(body?.result, 'success', text)
  assert.equal(body.msg, '', text)
  return body
}

/** The parts of an error besides its message; anything but `status` and `code` is a field of the body. */
type ExpectedError = { status?: number; code?: string; [extra: string]: unknown }

/** Requires exactly this error: 400 BAD_REQUEST without further fields by default. */
export function refused(answer: Answer, msg: string, expected: ExpectedError = {}): void {
  const { status = 400, code = 'BAD_REQUEST', ...extra } = expected
  assert.deepEqual({ status: answer.status, ...answer.body }, { status, result: 'error', msg, code, ...extra })
}

/** Requires the error for a missing parameter. */
export function missing(answer: Answer, name: string): void {
  refused(answer, `Missing '${name}' argument`, { code: 'REQUEST_VARIABLE_MISSING', var_name: name })
}

/** Requires the error for missing credentials, with the header that requests them. */
export function unauthorized(answer: Answer, msg: string): void {
  refused(answer, msg, { status: 401, code: 'UNAUTHORIZED' })
  assert.equal(answer.headers['www-authenticate'], 'Basic realm="parley"')
}
