import { z } from 'zod'
import type { Refusal } from '../server/base/refusal.ts'
import type { Endpoint } from '../server/http/endpoint.ts'
import { commonRefusals } from '../server/http/refusals.ts'

/** Watches what endpoints answer, and complains of what they do not declare. */
export type AnswerCheck = {
  witness(endpoint: Endpoint, answer: { status: number; body: string }, refused: Refusal | null): void
  /** Throws what there is to complain of since it was asked last. */
  settle(): void
}

/** An answer must have the declared fields and no others; a refusal must be on the endpoint's list, or be common. */
export function checkAnswers(): AnswerCheck {
  const types = new Map<Endpoint, z.ZodType>()
  let complaints: string[] = []

  function typeOf(endpoint: Endpoint): z.ZodType {
    const known = types.get(endpoint)
    if (known !== undefined) return known
    const type = z.strictObject({
      result: z.literal('success'),
      msg: z.literal(''),
      ...endpoint.returns,
      ignored_parameters_unsupported: z.array(z.string()).optional(),
    })
    types.set(endpoint, type)
    return type
  }

  return {
    witness(endpoint, answer, refused) {
      const name = `${endpoint.method} ${endpoint.path}`
      if (refused !== null) {
        const isDeclared =
          commonRefusals.some((kind) => kind === refused.kind) || endpoint.refuses.includes(refused.kind)
        if (!isDeclared) complaints.push(`${name} refuses undeclared: ${refused.message}`)
        return
      }
      const checked = typeOf(endpoint).safeParse(JSON.parse(answer.body))
      if (!checked.success) complaints.push(`${name} answers undeclared: ${checked.error.message}`)
    },
    settle() {
      const settled = complaints
      complaints = []
      if (settled.length > 0) throw new Error(settled.join('\n'))
    },
  }
}
