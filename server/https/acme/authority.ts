import { AsyncLocalStorage } from 'node:async_hooks'
import type { Settings } from '#config.ts'
import type { Pair } from '../pairs.ts'
import { type NotedProblem, OrderFailure, toFailure } from './problems.ts'
import type { Account } from './stored.ts'

// Orders of certificates by ACME (RFC 8555), with challenges over http. The protocol is that of acme-client.

type Acme = typeof import('acme-client')

/** Answers of authorities are small. */
const MAX_ANSWER = 1024 * 1024

/** Milliseconds in which the authority must respond. */
const ANSWER_TIME = 30_000

/** The number of questions whether the authority has finished, and the milliseconds between them. */
const POLLS = { backoffAttempts: 16, backoffMin: 500, backoffMax: 5000 }

/** The longest time to wait that an authority may ask for, in seconds. */
const MAX_WAIT = 7 * 86_400

/** Publishes the answers to the questions that an authority asks about a host. */
export type Challenges = {
  publish(host: string, token: string, answer: string): void
  withdraw(host: string, token: string): void
}

export type Authority = {
  /** Makes an account with a new key. Throws an `OrderFailure`. */
  register(): Promise<Pick<Account, 'url' | 'key'>>
  /** Orders a certificate for a host, with a new key. Throws an `OrderFailure`. */
  order(host: string, account: Pick<Account, 'url' | 'key'>): Promise<Pair>
}

/** Opens the authority of ACME_DIRECTORY_URL. Asks it nothing yet. */
export async function openAuthority(
  { ACME_DIRECTORY_URL: directoryUrl, ACME_EMAIL: email }: Pick<Settings, 'ACME_DIRECTORY_URL' | 'ACME_EMAIL'>,
  challenges: Challenges,
): Promise<Authority> {
  const acme = await loadAcme()
  const { crypto } = acme
  const newKey = async () => String(await crypto.createPrivateEcdsaKey())

  return {
    register: () =>
      withFailures(async () => {
        const key = await newKey()
        const client = new acme.Client({ directoryUrl, accountKey: key, ...POLLS })
        await client.createAccount({
          termsOfServiceAgreed: true,
          ...(email !== '' && { contact: [`mailto:${email}`] }),
        })
        return { key, url: client.getAccountUrl() }
      }),
    order: (host, { url, key: accountKey }) =>
      withFailures(async () => {
        const client = new acme.Client({ directoryUrl, accountKey, accountUrl: url, ...POLLS })
        const key = await newKey()
        const [, csr] = await crypto.createCsr({ altNames: [host] }, key)
        const cert = await client.auto({
          csr,
          challengePriority: ['http-01'],
          // A check by this server itself would say nothing about what the authority can reach.
          skipChallengeVerification: true,
          async challengeCreateFn({ identifier }, { type, token }, answer) {
            if (type !== 'http-01') throw new OrderFailure('http-01', `it offers only ${type}`, null, true)
            challenges.publish(identifier.value, token, answer)
          },
          challengeRemoveFn: async ({ identifier }, { token }) => challenges.withdraw(identifier.value, token),
        })
        return { cert, key }
      }),
  }
}

/** Does the work, and throws an `OrderFailure` with the problem that the authority named. */
function withFailures<Result>(work: () => Promise<Result>): Promise<Result> {
  const notes: Notes = { problem: null }
  return notesOfOrder.run(notes, async () => {
    try {
      return await work()
    } catch (error) {
      throw toFailure(error, notes.problem)
    }
  })
}

/** The problem in the newest response to an order. The client of the package only passes its text on. */
type Notes = { problem: NotedProblem | null }

const notesOfOrder = new AsyncLocalStorage<Notes>()

let loaded: Promise<Acme> | undefined

/**
 * Loads the client without its repetitions: it would sleep for as long as an authority that limits orders wants, and
 * forget the reasons of failures.
 */
function loadAcme(): Promise<Acme> {
  loaded ??= import('acme-client').then((acme) => {
    const { defaults, interceptors } = acme.axios
    Object.assign(defaults, { timeout: ANSWER_TIME, maxContentLength: MAX_ANSWER, maxRedirects: 0 })
    interceptors.response.clear()
    interceptors.response.use(undefined, (error: { response?: AcmeResponse }) => {
      if (error.response === undefined) throw error
      note(error.response)
      return error.response
    })
    return acme
  })
  return loaded
}

type AcmeResponse = { status: number; data: unknown; headers: Record<string, unknown> }

function note({ status, data, headers }: AcmeResponse): void {
  const notes = notesOfOrder.getStore()
  if (notes === undefined) return
  const { type, detail, error } = (typeof data === 'object' && data !== null ? data : {}) as Record<string, unknown>
  const problem = (status >= 400 ? { type, detail } : error) as Record<string, unknown> | undefined
  notes.problem = problem
    ? {
        type: String(problem['type'] ?? ''),
        detail: String(problem['detail'] ?? `status ${status}`),
        status,
        retryAfter: secondsToWait(headers),
      }
    : null
}

/** Returns the seconds of the Retry-After header, which may be a date; null if there are none. */
function secondsToWait({ 'retry-after': wait, date }: Record<string, unknown>): number | null {
  const text = String(wait ?? '')
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.parse(String(date))) / 1000
  return seconds > 0 ? Math.min(seconds, MAX_WAIT) : null
}
