import assert from 'node:assert/strict'
import type { Answer } from './wire.ts'

/** Values by name; strings go raw, everything else as JSON, and `undefined` is left out. A text is a form as it stands. */
export type Params = Record<string, unknown> | string

export function encode(params: Params): string {
  if (typeof params === 'string') return params
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(params))
    if (value !== undefined) form.append(name, typeof value === 'string' ? value : JSON.stringify(value))
  return form.toString()
}

/** The Authorization header of an address and a key. */
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

/** What a refusal has apart from its message; anything but `status` and `code` is a field of the body. */
type ExpectedError = { status?: number; code?: string; [extra: string]: unknown }

/** Requires exactly this refusal: 400 BAD_REQUEST without further fields, unless said otherwise. */
export function refused(answer: Answer, msg: string, expected: ExpectedError = {}): void {
  const { status = 400, code = 'BAD_REQUEST', ...extra } = expected
  assert.deepEqual({ status: answer.status, ...answer.body }, { status, result: 'error', msg, code, ...extra })
}

/** Requires the refusal of a missing parameter. */
export function missing(answer: Answer, name: string): void {
  refused(answer, `Missing '${name}' argument`, { code: 'REQUEST_VARIABLE_MISSING', var_name: name })
}

/** Requires a refusal for want of credentials, with the header that asks for them. */
export function unauthorized(answer: Answer, msg: string): void {
  refused(answer, msg, { status: 401, code: 'UNAUTHORIZED' })
  assert.equal(answer.headers['www-authenticate'], 'Basic realm="parley"')
}
