import { createHash } from 'node:crypto'
import { z } from 'zod'
import { refusal } from '#lib/errors.ts'
import { type Html, html } from '#lib/html.ts'
import { readSealedContent, seal, verifySeal } from '#lib/secrets.ts'
import { t } from '#lib/text.ts'
import type { Services } from './endpoint.ts'
import { assetUrl } from './page-html.ts'
import type { RateRule } from './rate-limits.ts'
import { CONTENT_POLICIES } from './security-headers.ts'

// A proof of work on forms for everyone: the browser looks for a number whose hash with the challenge begins with as
// many zero bits as PROOF_OF_WORK says. That takes a person's browser about a second, and makes floods of requests
// expensive. A challenge is sealed, holds for one form and an hour, and counts once. The server keeps none of them.

/** Seconds for which a challenge can be solved. The script reloads a page that has been open for longer. */
export const PROOF_VALIDITY = 3600

/** A solution counts once. */
const ONCE: RateRule = [PROOF_VALIDITY, 1]

const proofMissing = refusal(
  'BAD_REQUEST',
  400,
  'Your browser did not solve the puzzle of this form, or the page was open for too long. Go back, reload the page, and submit the form again. It needs scripts.',
)

/** The number that a solution adds to the nonce of its challenge. */
const SOLUTION = /^\d{1,12}$/

const challengeTuple = z.tuple([z.string(), z.number(), z.int()])

/** The field with the challenge of a form, which is sent to `action`, and the headers of its page. */
type Proof = { field: Html | null; headers: Record<string, string> }

/** Returns the field for the form that is sent to `action`. There is none if the operator asks for no proof. */
export function proofOf(
  { settings, secret, random, clock }: Pick<Services, 'settings' | 'secret' | 'random' | 'clock'>,
  action: string,
): Proof {
  const bits = settings.PROOF_OF_WORK
  if (bits === 0) return { field: null, headers: {} }
  const nonce = random.bytes(16).toString('base64url')
  const challenge = seal(secret, ['proof of work', action], [nonce, clock.now() + PROOF_VALIDITY, bits])
  return {
    headers: { 'content-security-policy': CONTENT_POLICIES.pageWithProof },
    field: html`<div class="field proof" data-worker="${assetUrl('proof-worker.js')}" data-nonce="${nonce}" data-bits="${bits}" data-seconds="${PROOF_VALIDITY}" data-failed="${t('Your browser cannot solve the puzzle of this form. Try another browser.')}">
<input type="hidden" name="proof" value="" data-challenge="${challenge}">
<noscript><p class="error">${t('This form needs scripts: your browser solves a puzzle that keeps programs from sending it in large numbers. Allow scripts for this page, and reload it.')}</p></noscript>
<div hidden>
<p class="hint" id="proof-hint" role="status" data-busy="${t('Your browser is solving a puzzle that keeps programs away. The form is sent when it is done.')}" data-done="${t('The puzzle is solved.')}"></p>
<progress max="1" value="0" aria-labelledby="proof-hint"></progress>
</div>
</div>
<script src="${assetUrl('proof.js')}" defer></script>
`,
  }
}

/** Refuses the form that was sent to `action` without a valid proof, unless the operator asks for none. */
export async function requireProof(
  { settings, secret, clock, attempts }: Pick<Services, 'settings' | 'secret' | 'clock' | 'attempts'>,
  action: string,
  given: string,
): Promise<void> {
  if (settings.PROOF_OF_WORK === 0) return
  const [challenge = '', solution = ''] = given.split(' ')
  const parsed = challengeTuple.safeParse(readSealedContent(challenge))
  if (!parsed.success || !SOLUTION.test(solution)) throw proofMissing()
  const [nonce, expiresAt, bits] = parsed.data
  if (!verifySeal(secret, ['proof of work', action], parsed.data, challenge)) throw proofMissing()
  if (expiresAt <= clock.now() || !isSolution(nonce, bits, solution)) throw proofMissing()
  if (!(await attempts.take(`proof ${nonce}`, [ONCE])).allowed) throw proofMissing()
}

/** Returns whether the hash of the nonce and the solution begins with this number of zero bits, at most 32. */
export function isSolution(nonce: string, bits: number, solution: string): boolean {
  const hash = createHash('sha256').update(`${nonce}${solution}`).digest()
  return Math.clz32(hash.readUInt32BE(0)) >= bits
}
